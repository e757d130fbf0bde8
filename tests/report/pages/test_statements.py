"""Statements on the front page and on the pages of studies, and the summary of the verdicts."""

import json
import re
from dataclasses import replace

import pandas as pd
import pytest
from reseed.core.coverage import PaperExhibit
from reseed.core.statement import Statement
from reseed.core.study_info import StudyInfo, TrialCounts
from reseed.report.pages import forest
from reseed.report.pages.render import TEMPLATES
from reseed.report.pages.statements import find_rows
from reseed.report.pages.studies import Exhibit, StudyReport, read_left_out
from reseed.report.pages.study_pages import build_index, build_study_page
from reseed.report.rendering.contrast import LEAST, contrast
from reseed.report.rendering.sidecar import Sidecar
from reseed.verdicts.evidence import judge


def record(*intervals, text="Splits matter more", reasons=(), **changes):
    """The record of a statement above 1, from intervals of ratios; none: not run."""
    rows = pd.DataFrame(
        [((low + high) / 2, low, high) for low, high in intervals],
        columns=["ratio", "ratio_low", "ratio_high"],
    ).assign(n=6, level=0.95)
    given = {"published": "2 to 5", "paper": [2.0, 5.0], "source": "Table 3"} | changes
    statement = Statement(
        text=text, exhibit="table1", value="ratio", scale="log", title="SD ratio", above=1, **given
    )
    names = [f"s{i}" for i in range(len(rows))]
    apart = [*reasons, *[""] * (len(rows) - len(reasons))]
    found = judge(statement, rows, lambda _: names, lambda _: None, lambda _: apart)
    return {"name": text.lower().replace(" ", "_"), "evidence": found.record()}


RECORDS = [
    record((2.1, 3.4)),
    record((0.4, 0.6), (0.6, 0.8), text="Seeds matter more"),
    record((0.9, 2.5), text="Order matters more"),
    record(text="Weights matter more"),
    record((2.1, 3.4), text="Images matter more", reasons=["dataset mnist"]),
]


def study(records=RECORDS, scale="demo", **changes):
    sidecar = Sidecar("table", "A figure", headings=[["x"]])
    info = StudyInfo(
        title="Paper", scale=scale, citation="Somebody", reduced=True, commits=["0123456789abcdef"],
        trials=TrialCounts(planned=7, ok=7),
    )  # fmt: skip
    exhibits = [Exhibit("table1", sidecar, "")]
    return StudyReport("paper", info, exhibits, "2 March 2026", evidence=records, **changes)


def rows_of(records, reference=None, scale="demo"):
    info = study(scale=scale).info
    return find_rows("paper", info, {"table1": "table1"}, records, reference)


def reference_of(*records):
    return {"statements": records, "made": "Reference: scale cpu."}


def test_a_row_has_one_word_and_one_next_step(snapshot):
    rows = rows_of(RECORDS)
    assert [
        (row.verdict, row.measured, row.next_step, row.command, *row.settings) for row in rows
    ] == snapshot
    assert len({row.identifier for row in rows}) == len(RECORDS)


def test_reference_results_decide_beside_this_run():
    reference = reference_of(record((1.3, 1.9), text="Order matters more"))
    [row] = rows_of([RECORDS[2]], reference)
    assert (row.verdict, row.run.verdict) == ("supported", "not yet")
    assert "This run: not yet, 1.70 [0.90, 2.50], 6 seeds." in row.details
    assert row.made_by.endswith(": Reference: scale cpu.")
    assert 'class="reference"' in row.picture
    [smoke] = rows_of([RECORDS[2]], reference, scale="smoke")
    assert smoke.reference is None
    [moved] = rows_of([record((0.9, 2.5), text="Order matters more")], reference_of(
        record((1.3, 1.9), text="Order matters more") | {}))  # fmt: skip
    assert moved.reference is not None


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        ({"above": 1.2}, False),
        ({"where": {"arm": ["rf"]}}, False),
        ({"needs": {"dataset": ["magic"]}}, False),
        ({"source": "Table 4"}, True),
    ],
)
def test_a_reference_with_another_definition_does_not_count(change, is_same):
    known = record((1.3, 1.9))
    known["evidence"]["statement"] |= change
    [row] = rows_of([RECORDS[0]], reference_of(known))
    assert (row.reference is not None) == is_same


def test_a_setting_that_is_not_the_papers_has_no_vote():
    [row] = rows_of([record((0.3, 0.5), (2.1, 3.4), (1.9, 3.0), reasons=["rows 600, not 9000"])])
    assert row.verdict == "supported"  # with the first one it would be mixed
    assert row.settings[0] == "s0: 0.40 [0.30, 0.50] (no vote: rows 600, not 9000)"
    assert row.picture.count('class="setting apart"') == 1
    assert "No vote, because they are not the paper's: 1 setting." in row.details


def test_the_picture_shows_the_limit_the_paper_and_the_runs():
    [row] = rows_of([RECORDS[1]])
    picture = row.picture
    assert picture.count('class="limit"') == 1
    assert picture.count('class="setting"') == 2
    assert picture.count("l4 4-4 4-4-4z") == 2  # the ends of the paper's range
    label = re.search('aria-label="([^"]*)"', picture)[1]
    assert label == "Limit 1; paper 2 to 5; this run 0.59 [0.49, 0.69]."
    axis = forest.Axis(1.0)
    assert axis.x(1.0) == forest.WIDTH / 2
    assert axis.x(forest.MOST) - axis.x(1) == pytest.approx(axis.x(1) - axis.x(1 / forest.MOST))
    assert axis.x(0) == axis.x(1e-9)


PAPER = study(
    reference=reference_of(record((1.3, 1.9))),
    answer=["The SD is 2."],
    coverage=(
        PaperExhibit("Table 1", "made", ("table1",)),
        PaperExhibit("Figure 2", "differs", ("gone",), "10 seeds"),
        PaperExhibit("Figure 3", "left out", (), "Scale `paper` & ImageNet"),
    ),
)
LEFT_OUT = PAPER.info.model_copy(update={"left_out": ["Rare panel"]})
WHOLE = replace(PAPER, info=LEFT_OUT)


def body(page):
    """A page without its style, code and pictures: one element a line."""
    inner = re.sub(r"<(style|script|svg)\b.*?</\1>", "", page[page.index("<body") :], flags=re.S)
    return re.sub(r"\s*\n\s*", "\n", inner)


def test_front_page_of_a_study(snapshot):
    assert body(build_index([WHOLE], ["paper.html"])) == snapshot


def test_front_page_shows_references_of_studies_left_out(tmp_path):
    evidence = tmp_path / "evidence.json"
    evidence.write_text(json.dumps(reference_of(record((1.3, 1.9), text="Tuning matters"))))
    rows = read_left_out(evidence, "tuned", "Tuned models", "Somebody", "demo")
    assert [(row.text, row.verdict, row.run.verdict) for row in rows] == [
        ("Tuning matters", "supported", "not run")
    ]
    page = build_index([study()], ["paper.html"], rows)
    start = page.index('<tr id="tuned-tuning_matters"')
    row = page[start : page.index("</tr>", start)]
    assert ">Exhibit<" not in row
    assert "This run: not run." in row
    assert 'data-paper="Tuned models"' in row
    assert "6 statements" in page
    assert "tuned: Reference: scale cpu." in page
    assert page.count("<h3>") == 1  # no card


def test_page_of_a_study(snapshot):
    page = body(build_study_page(WHOLE, "index.html"))
    # One statement; the front page has the rows of all.
    page = re.sub(r"(<tr id=.*?</tr>)(\n<tr id=.*?</tr>)+", r"\1", page, flags=re.S)
    assert page == snapshot


def test_pages_have_the_same_statements():
    report = study()
    for page in (build_index([report], ["paper.html"]), build_study_page(report, "index.html")):
        rows = re.findall(r'<tr id="paper-[^"]*" data-verdict="([^"]*)"', page)
        assert rows == ["supported", "contradicted", "not yet", "not comparable", "not run"]
    assert "All studies" not in build_study_page(report)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_texts_have_a_contrast_of_at_least_4_5(mode):
    style = (TEMPLATES / "page.css").read_text()
    palette = dict(re.findall(r"--([\w-]+): (#\w+);", style.split(":root")[1 + mode]))
    for name in ("ink", "soft", "mark", "held", "not-held"):
        for ground in ("page", "back"):
            assert contrast(palette[name], palette[ground]) >= LEAST, (name, ground)
