"""Statements on the front page and on the pages of studies, and the summary of the verdicts."""

import re
from dataclasses import replace

import pytest
from reseed.core.coverage import PaperExhibit
from reseed.core.study_info import StudyInfo, TrialCounts
from reseed.reporting.pages import TEMPLATES, build_index, build_study_page
from reseed.reporting.statements import StatementRow
from reseed.reporting.studies import Exhibit, StudyReport
from reseed.reporting.summary import (
    describe_certainty,
    describe_verdicts,
    list_verdicts,
    summarise,
)


def record(verdict, estimates=(), **changes):
    claim = {
        "text": "The ratio is 2.74.", "n": "6 seeds", "limits": "power 12 %",
        "estimates": list(estimates),
    }  # fmt: skip
    return {
        "text": "Splits matter more", "source": "Table 3", "published": "2 to 5",
        "verdict": verdict, "detail": verdict, "claim": claim if estimates else None,
    } | changes  # fmt: skip


def estimate(value, low=None, high=None, subject="all"):
    interval = {} if low is None else {"low": low, "high": high, "level": 0.95}
    return {"subject": subject, "value": value} | interval


RECORDS = [
    record("held", [estimate(2.74, 2.1, 3.4)]),
    record("not held", [estimate(0.5, 0.4, 0.6, "A"), estimate(0.7, 0.6, 0.8, "B")]),
    record("cannot tell", [estimate(1.5)]),
    record("cannot tell", published="", source=""),
]


def study(records=RECORDS, scale="demo", **changes):
    sidecar = {
        "title": "A figure", "headline": "", "findings": [], "statements": records, "empty": "",
        "footnote": "", "form": "table", "headings": [["x"]], "rows": [], "definitions": [],
        "details": [], "text_columns": 1, "paragraphs": [], "caption": "",
    }  # fmt: skip
    info = StudyInfo(
        title="Paper", scale=scale, citation="Somebody", reduced=True, commits=["0123456789abcdef"],
        trials=TrialCounts(planned=7, ok=7),
    )  # fmt: skip
    exhibits = [Exhibit("table1", sidecar, "")]
    return StudyReport("paper", info, exhibits, "2 March 2026", **changes)


def rows_of(records):
    return [StatementRow.from_record(one, "table1") for one in records]


def test_estimates_are_shown_with_their_intervals():
    held, not_held, bare, missing = rows_of(RECORDS)
    assert (held.measured, held.estimates) == ("2.74 [2.10, 3.40]", ())
    assert not_held.measured == "0.50 to 0.70 (2 estimates)"
    assert not_held.estimates == ("A: 0.50 [0.40, 0.60]", "B: 0.70 [0.60, 0.80]")
    assert bare.measured == "1.5"
    assert (missing.measured, missing.published, missing.n, missing.limits) == (
        "–", "–", "–", "Not measured. There are too few runs, or none, of these models.",
    )  # fmt: skip
    empty = StatementRow.from_record(RECORDS[-1], "table1", "Only 2 seeds.")
    assert empty.limits == "Not measured. Only 2 seeds."


def test_several_values_have_the_digits_of_their_widths():
    """A bound close to zero needs further digits only where it is printed."""
    found = [estimate(0.35, 0.0003, 0.98, "A"), estimate(0.45, 0.01, 0.99, "B")]
    [row] = rows_of([record("cannot tell", found)])
    assert row.measured == "0.35 to 0.45 (2 estimates)"


def test_front_page_says_what_was_found_and_how_surely():
    subject, found, certainty = summarise([study()])
    assert "the models of 1 paper again" in subject
    assert "7 trials, scale demo" in subject
    assert found == (
        "Of 4 statements, 1 held, 1 did not hold, and 2 cannot be decided from these runs."
    )
    assert "all its 95 % intervals" in certainty
    assert "1 need narrower intervals, and 1 could not be measured here" in certainty
    assert "read directions, not sizes" in certainty


def test_a_card_lists_what_was_found_in_words():
    held, not_held, open_ones = list_verdicts(rows_of(RECORDS))
    assert held.startswith("Held: Splits matter more")
    assert "Measured: 2.74 [2.10, 3.40] (6 seeds)." in held
    assert not_held.startswith("Not held: Splits matter more")
    assert open_ones == (
        "Cannot tell: 2 statements (1 measured, but not precisely enough, 1 not measured at this"
        " scale)."
    )
    assert list_verdicts([]) == []
    page = build_index([study()], ["paper.html"])
    assert held in page.partition('<section id="studies">')[2]


def test_summary_claims_no_more_than_was_run():
    decided = rows_of(RECORDS[:2])
    assert "cannot be decided" not in describe_certainty(decided, reduced=False)
    assert "directions" not in describe_certainty(decided, reduced=False)
    assert "0 cannot be decided" in describe_verdicts(decided)
    [alone] = summarise([study([], scale="as given")])
    assert "the scores of 1 study depend" in alone
    assert "trial" not in alone


def test_pages_show_every_statement_with_its_verdict():
    report = study()
    for page in (build_index([report], ["paper.html"]), build_study_page(report, "index.html")):
        found = page.partition('<section id="studies">')[0]  # a card lists the decided ones again
        assert found.count("Splits matter more") == len(RECORDS)
        for text in ("2.74 [2.10, 3.40]", "2 to 5 (Table 3)", "6\u00a0seeds", "power 12\u00a0%"):
            assert text in page
        for verdict in ("held", "not-held", "cannot-tell"):
            assert f'class="{verdict}"' in page
    assert 'href="paper.html#table1"' in build_index([report], ["paper.html"])


def test_statement_without_limits_shows_its_precision():
    claim = RECORDS[0]["claim"] | {"limits": "", "statistic": "SD ratio"}
    record_of_ratio = RECORDS[0] | {"claim": claim, "precision": "power 80 % for a value above 4"}
    [row] = rows_of([record_of_ratio])
    assert row.limits == "power 80 % for a value above 4"
    page = build_index([study([record_of_ratio])], ["paper.html"])
    assert '<span class="soft">SD ratio</span>' in page
    assert "power 80\u00a0% for a value above 4" in page


def test_cards_lead_with_the_headline_and_count_verdicts():
    report = study()
    sidecar = report.exhibits[0].sidecar
    sidecar |= {"headline": "Splits matter more", "findings": ["Splits matter 2.74 times as much."]}
    page = build_index([report], ["paper.html"])
    assert "<strong>Splits matter more.</strong>" in page
    assert "<p>Splits matter 2.74 times as much.</p>" in page
    assert page.count("Of 4 statements, 1 held") == 1  # the summary; the card lists them
    assert page.count("<li>Held: ") == page.count("<li>Not held: ") == 1
    assert "<dt>SD</dt><dd>Standard deviation" not in page
    sidecar["findings"] = ["The SD is 2."]
    assert "<dt>SD</dt><dd>Standard deviation" in build_index([report], ["paper.html"])


def test_headline_of_a_card_is_of_its_answer():
    """An exhibit on accuracy does not head the answer of one on F1 that has no headline."""
    report = study()
    one, two = (dict(report.exhibits[0].sidecar, statements=[]) for _ in range(2))
    one["findings"], two["findings"] = ["F1 varies."], ["Accuracy varies."]
    two["headline"] = "The rows change accuracy"
    exhibits = [Exhibit("a", one, ""), Exhibit("b", two, "")]
    page = build_index([replace(report, exhibits=exhibits)], ["paper.html"])
    assert "<p>F1 varies.</p>" in page
    assert "The rows change accuracy" not in page


def test_what_is_counted_has_no_interval():
    """A bound that the runs reach, and a count: both have the level 1."""
    bound = estimate(0.035, 0.035, 1.0) | {"level": 1.0, "factor": 100.0, "unit": "points"}
    count = estimate(10.0, 10.0, 10.0) | {"level": 1.0}
    of_bound, of_count = rows_of([record("held", [bound]), record("not held", [count, count])])
    assert of_bound.measured == "at least 3.5"
    assert of_count.measured == "10.0 (2 estimates)"
    assert of_count.estimates == ("all: 10.0", "all: 10.0")
    assert "Measured: 10.0 (2 estimates; 6 seeds)." in list_verdicts([of_count])[0]


def claim_record(name, text, limits=""):
    return {"name": name, "text": text, "limits": limits}


def test_answer_repeats_no_claim_and_states_its_power():
    """Three exhibits of one analysis: each adds another claim, if it has one."""
    report = study([])
    texts = [[("range", "None of 3.", "power 11 %"), ("sd", "The SD is 2.", "")],
             [("range", "None of 2.", ""), ("sd", "The SD of two is 3.", "")],
             [("range", "None of 1.", "")]]  # fmt: skip
    exhibits = [
        Exhibit(f"table{i}", report.exhibits[0].sidecar | {
            "findings": [text for _, text, _ in claims],
            "claims": [claim_record(*claim) for claim in claims],
        }, "")
        for i, claims in enumerate(texts)
    ]  # fmt: skip
    report = replace(report, exhibits=exhibits)
    assert report.answer == ["None of 3.", "The SD of two is 3."]
    for page in (build_index([report], ["paper.html"]), build_study_page(report)):
        assert 'None of 3. <span class="soft">[power 11\u00a0%]</span>' in page


def test_n_keeps_its_unit_on_one_line():
    long = RECORDS[0] | {"claim": RECORDS[0]["claim"] | {"n": "12 to 50 seeds of each kind"}}
    page = build_index([study([RECORDS[0], long])], ["paper.html"])
    assert 'data-label="n">6\u00a0seeds<' in page
    assert 'data-label="n">12\u00a0to 50\u00a0seeds of each kind<' in page


def test_front_page_dates_each_study():
    page = build_index([study()], ["paper.html"])
    assert "Scale demo, 2 March 2026, commit <code>0123456</code>" in page


def test_both_pages_name_datasets_that_were_left_out():
    report = study()
    assert "Left out" not in build_index([report], ["paper.html"])
    info = report.info.model_copy(update={"left_out": ["Rare panel"]})
    report = replace(report, info=info)
    assert "Left out, without files here: Rare panel." in build_index([report], ["paper.html"])
    assert "<p>Left out: Rare panel." in build_study_page(report, "index.html")


def test_every_page_can_skip_and_only_studies_link_back():
    index, page = build_index([study()], ["paper.html"]), build_study_page(study(), "index.html")
    for each in (index, page):
        assert '<a class="skip" href="#content">' in each
        assert '<main id="content">' in each
    assert '<a href="index.html">All studies</a>' in page
    assert "All studies" not in index
    assert "All studies" not in build_study_page(study())


def test_study_without_statements_has_no_table_of_them():
    page = build_study_page(study([]))
    assert 'id="statements"' not in page
    assert 'href="#statements"' not in page


def test_coverage_table_links_what_is_shown():
    coverage = (
        PaperExhibit("Table 1", "made", ("table1",)),
        PaperExhibit("Figure 2", "differs", ("gone",), "10 seeds"),
        PaperExhibit("Figure 3", "left out", (), "Scale `paper` & ImageNet"),
    )
    page = build_study_page(study(coverage=coverage))
    text = " ".join(page[page.index('<section id="coverage">') :].split())
    assert '<a href="#table1">table1</a>' in text
    assert "gone (nothing to show at this scale)" in text
    assert '<td class="text">left out</td>' in text
    assert "Scale <code>paper</code> &amp; ImageNet" in text
    assert 'id="coverage"' not in build_study_page(study())


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
