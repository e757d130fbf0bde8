"""What Chromium lays out of a page: its width, and elements that leave the window."""

import json
import re
import shutil
import subprocess

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--hide-scrollbars", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
)  # fmt: skip
# A frame has the wanted width; windows of a headless Chromium are at least 500 pixels wide.
_FRAME = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">
<iframe id="page" style="border:0;width:{width}px;height:900px"></iframe><pre id="found"></pre>
<script>
const describe = one =>
  `${{one.tagName}} ${{one.textContent.trim().slice(0, 40)}}: ${{one.scrollWidth}} px`;
const frame = document.getElementById("page");
frame.onload = () => setTimeout(() => {{
  const page = frame.contentDocument, width = page.documentElement.clientWidth;
  const scrolls = one => one && one !== page.body && one !== page.documentElement &&
    (["auto", "scroll", "hidden"].includes(frame.contentWindow.getComputedStyle(one).overflowX) ||
     scrolls(one.parentElement));
  const cut = [...page.querySelectorAll("table, img, svg, p, h1, h2, h3")].filter(one =>
    one.getBoundingClientRect().right > width + 1 && !scrolls(one.parentElement));
  const clipped = [...page.querySelectorAll("*")].filter(one =>
    scrolls(one) && one.clientWidth > 50 && one.scrollWidth > one.clientWidth + 1);
  const first = [...page.querySelectorAll("h1, p")].filter(one => {{
    const box = one.getBoundingClientRect();
    return box.height > 0 && box.top < 900;
  }});
  document.getElementById("found").textContent = JSON.stringify({{
    width, scroll: page.documentElement.scrollWidth, first: first.length,
    cut: cut.map(describe), clipped: clipped.map(describe),
  }});
}}, 100);
frame.srcdoc = {page};
</script>"""


def layout(page, folder, width):
    """Width of the window, `scroll` width of the page, elements that are `cut`, boxes whose
    content is `clipped` or scrolls, and the number of headings
    and paragraphs in the `first` view."""
    text = json.dumps(page.read_text(encoding="utf-8")).replace("</", "<\\/")
    frame = folder / f"{page.stem}-{width}.html"
    frame.write_text(_FRAME.format(width=width, page=text), encoding="utf-8")
    run = subprocess.run(
        [CHROMIUM, *_FLAGS, f"--user-data-dir={folder / 'profile'}", "--window-size=1500,1000",
         "--virtual-time-budget=4000", "--dump-dom", frame.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    found = re.search(r'<pre id="found">(\{.*?\})</pre>', run.stdout, re.DOTALL)
    return json.loads(found[1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
