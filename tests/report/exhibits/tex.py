"""What a TeX, where one is installed, says of tables in a plain article."""

import re
import shutil
import subprocess

HAS_TEX = shutil.which("pdflatex") is not None


def compiled(texts, folder, options=""):
    """Log of pdflatex over the texts in one plain article with these options of its class."""
    body = "\n\\clearpage\n".join(rf"\typeout{{TABLE {name}}}" + "\n" + t for name, t in texts)
    (folder / "all.tex").write_text(
        f"\\documentclass[{options}]{{article}}\n\\usepackage{{array,booktabs,adjustbox}}\n\\begin{{document}}\n"
        f"{body}\n\\end{{document}}\n"
    )
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=folder, capture_output=True, text=True, errors="replace", timeout=60, check=False,
    )  # fmt: skip
    return run.returncode, run.stdout


def complaints(texts, folder, options=""):
    """What does not compile, is wider or higher than its page, or lacks a character."""
    code, log = compiled(texts, folder, options)
    if code:
        return [log[-3000:]]
    name, found = "", []
    for line in re.findall(
        r"^TABLE .*|Overfull \\hbox \([\d.]+pt.*|Float too large.*|Missing character.*",
        log,
        re.MULTILINE,
    ):
        points = re.search(r"\(([\d.]+)pt", line)
        if line.startswith("TABLE "):
            name = line
        elif not (points and float(points[1]) < 1):
            found.append(f"{name}: {line}")
    return found
