"""Statements on the front page and on the pages of studies, and the summary of the verdicts."""

import json
import math
import re
from dataclasses import replace

import pandas as pd
import pytest
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Estimate, Sample
from reseed.comparison.claims.evidence import judge_all
from reseed.core.coverage import PaperExhibit
from reseed.core.statement import Statement
from reseed.core.study_info import StudyInfo, TrialCounts
from reseed.report.pages import forest
from reseed.report.pages.render import TEMPLATES, build_index, build_study_page
from reseed.report.pages.statements import find_rows
from reseed.report.pages.studies import Exhibit, StudyReport, read_left_out
from reseed.report.rendering.sidecar import Sidecar


def estimates(*intervals):
    return [
        Estimate(f"s{i}", (low + high) / 2, low, high, 0.95, (0, math.inf))
        for i, (low, high) in enumerate(intervals)
    ]


def record(*intervals, text="Splits matter more", **changes):
    """The record of a statement above 1, from intervals of ratios; none: not run."""
    rows = pd.DataFrame({"n": [6] * max(1, len(intervals))})
    claim = Claim(
        "ratio", "the ratio is large", rows, {}, Sample.of(rows, "n", "seed"),
        statistic="SD ratio", null="ratio 1", estimates=estimates(*intervals),
    )  # fmt: skip
    given = {"published": "2 to 5", "paper": (2.0, 5.0), "source": "Table 3"} | changes
    [found] = judge_all([Statement(text, "ratio", above=1, **given)], [claim] if intervals else [])
    return found


RECORDS = [
    record((2.1, 3.4)),
    record((0.4, 0.6), (0.6, 0.8), text="Seeds matter more"),
    record((0.9, 2.5), text="Order matters more"),
    record(text="Weights matter more"),
    record((2.1, 3.4), text="Images matter more", not_comparable="Other images."),
]


def study(records=RECORDS, scale="demo", **changes):
    sidecar = Sidecar("table", "A figure", statements=records, headings=[["x"]])
    info = StudyInfo(
        title="Paper", scale=scale, citation="Somebody", reduced=True, commits=["0123456789abcdef"],
        trials=TrialCounts(planned=7, ok=7),
    )  # fmt: skip
    exhibits = [Exhibit("table1", sidecar, "")]
    return StudyReport("paper", info, exhibits, "2 March 2026", **changes)


def rows_of(records, reference=None, scale="demo"):
    info = study(scale=scale).info
    return find_rows("paper", info, ("table1", "table1"), records, reference)


def reference_of(*records):
    found = [{"exhibit": "table1", "evidence": record} for record in records]
    return {"statements": found, "made": "Reference: scale cpu."}


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


def test_a_reference_with_another_limit_is_another_statement():
    known = record((1.3, 1.9))
    known["statement"]["above"] = 1.2
    [row] = rows_of([RECORDS[0]], reference_of(known))
    assert row.reference is None


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


def with_answer():
    """A study whose exhibit has a headline and a finding with a word that the page explains."""
    report = study()
    [shown] = report.exhibits
    said = replace(shown.sidecar, headline="Splits matter more", findings=["The SD is 2."])
    return replace(report, exhibits=[replace(shown, sidecar=said)])


REPORTS = {
    "five statements": study(),
    "a reference": study(reference=reference_of(record((1.3, 1.9), text="Order matters more"))),
    "an answer": with_answer(),
    "no statement": study([], scale="as given"),
    "a dataset left out": replace(
        study(), info=study().info.model_copy(update={"left_out": ["Rare panel"]})
    ),
    "coverage": study(
        coverage=(
            PaperExhibit("Table 1", "made", ("table1",)),
            PaperExhibit("Figure 2", "differs", ("gone",), "10 seeds"),
            PaperExhibit("Figure 3", "left out", (), "Scale `paper` & ImageNet"),
        )
    ),
}


def body(page):
    """A page without its style, code and pictures: one element a line."""
    inner = re.sub(r"<(style|script|svg)\b.*?</\1>", "", page[page.index("<body") :], flags=re.S)
    return re.sub(r"\s*\n\s*", "\n", inner)


@pytest.mark.parametrize("name", REPORTS)
def test_front_page_of_a_study(name, snapshot):
    assert body(build_index([REPORTS[name]], ["paper.html"])) == snapshot


def test_front_page_shows_references_of_studies_left_out(tmp_path):
    evidence = tmp_path / "evidence.json"
    evidence.write_text(json.dumps(reference_of(record((1.3, 1.9), text="Tuning matters"))))
    rows = read_left_out(evidence, "tuned", "Tuned models", "demo")
    assert [(row.text, row.verdict, row.run.verdict) for row in rows] == [
        ("Tuning matters", "supported", "not run")
    ]
    page = build_index([study()], ["paper.html"], rows)
    start = page.index('<tr id="tuned-table1-tuning-matters"')
    row = page[start : page.index("</tr>", start)]
    assert ">Exhibit<" not in row
    assert "This run: not run." in row
    assert 'data-paper="Tuned models"' in row
    assert "6 statements" in page
    assert "tuned: Reference: scale cpu." in page
    assert page.count("<h3>") == 1  # no card


@pytest.mark.parametrize("name", ["five statements", "no statement", "coverage"])
def test_page_of_a_study(name, snapshot):
    assert body(build_study_page(REPORTS[name], "index.html")) == snapshot


def test_pages_have_the_same_statements():
    report = study()
    for page in (build_index([report], ["paper.html"]), build_study_page(report, "index.html")):
        rows = re.findall(r'<tr id="paper-table1-[^"]*" data-verdict="([^"]*)"', page)
        assert rows == ["supported", "contradicted", "not yet", "not comparable", "not run"]
    assert "All studies" not in build_study_page(report)


def test_headline_of_a_card_is_of_its_answer():
    """An exhibit on accuracy does not head the answer of one on F1 that has no headline."""
    report = study()
    one = Sidecar("table", findings=["F1 varies."], headings=[["x"]])
    two = replace(one, findings=["Accuracy varies."], headline="The rows change accuracy")
    exhibits = [Exhibit("a", one, ""), Exhibit("b", two, "")]
    page = build_index([replace(report, exhibits=exhibits)], ["paper.html"])
    assert "<p>F1 varies.</p>" in page
    assert "The rows change accuracy" not in page


def claim_record(name, text, limits=""):
    return {"name": name, "text": text, "limits": limits}


def test_answer_repeats_no_claim_and_states_its_power():
    """Three exhibits of one analysis: each adds another claim, if it has one."""
    report = study([])
    texts = [[("range", "None of 3.", "power 11 %"), ("sd", "The SD is 2.", "")],
             [("range", "None of 2.", ""), ("sd", "The SD of two is 3.", "")],
             [("range", "None of 1.", "")]]  # fmt: skip
    exhibits = [
        Exhibit(f"table{i}", replace(
            report.exhibits[0].sidecar,
            findings=[text for _, text, _ in claims],
            claims=[claim_record(*claim) for claim in claims],
        ), "")
        for i, claims in enumerate(texts)
    ]  # fmt: skip
    report = replace(report, exhibits=exhibits)
    assert report.answer == ["None of 3.", "The SD of two is 3."]
    for page in (build_index([report], ["paper.html"]), build_study_page(report)):
        assert 'None of 3. <span class="soft">[power 11\u00a0%]</span>' in page


def luminance(colour):
    """Relative luminance of `#rgb` or `#rrggbb` (WCAG 2)."""
    digits = colour.lstrip("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_texts_have_a_contrast_of_at_least_4_5(mode):
    style = (TEMPLATES / "page.css").read_text()
    palette = dict(re.findall(r"--([\w-]+): (#\w+);", style.split(":root")[1 + mode]))
    assert contrast("#fff", "#000") == pytest.approx(21)
    for name in ("ink", "soft", "mark", "held", "not-held"):
        for ground in ("page", "back"):
            assert contrast(palette[name], palette[ground]) >= 4.5, (name, ground)
