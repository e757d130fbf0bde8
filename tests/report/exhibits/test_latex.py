"""LaTeX: every table compiles in a plain article and stays on its page."""

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import yaml
from reseed.core.study_info import StudyInfo
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.latex import escape_latex, latex
from reseed.report.rendering.tables import Table
from run_kinds import is_table
from tex import HAS_TEX, complaints

CONFIGURED = yaml.safe_load(Path("config/studies/inherent_randomness.yaml").read_text())["exhibits"]
TABLES = [name for name, entry in CONFIGURED.items() if is_table(entry["kind"])]
# Everything between these and a reader: characters of data sets, models and people's names.
ODD = 'α̂ ≤ 0.05 & 5% of $3 #1 {x} ~ ^ \\ <|> "q" ± × σ² → ‡† Süß Čapek Ångström 東京 naïve½ x̂'


def table(shown, **changes):
    data = ExhibitData(
        None, pd.DataFrame(), StudyInfo(scale="demo"), title=changes.pop("title", "A title")
    )
    return Table(data, shown, pd.DataFrame(), changes.pop("footnote", "Scale: demo."), **changes)


def odd_tables():
    """Tables at the edges: wide, long, full of sentences, of odd characters, of long names."""
    grouped = pd.MultiIndex.from_tuples(
        [("", "Algorithm"), *((f"A group of {g}", f"Column {i}") for g in "abcd" for i in "123")]
    )
    name = "a very long name of a model that no column of numbers leaves any room for"
    sentence = "One of these models beats the other, by how much and how surely. " * 4
    yield table(pd.DataFrame([["RF", *["0.12345 [0.1, 0.2]"] * 12]] * 30, columns=grouped))
    yield table(pd.DataFrame({"a": [str(i) for i in range(300)], "b": "1.5"}))
    yield table(
        pd.DataFrame({"Outcome": ["shown"] * 60, "Verdict": [sentence] * 60}),
        sections=["Data"] * 60, text_columns=2, paragraphs=[1],
    )  # fmt: skip
    yield table(
        pd.DataFrame({ODD: [ODD], "n": ["1"]}), title=ODD, footnote=ODD * 10, sections=[ODD]
    )
    yield table(pd.DataFrame({"Pair": [name], **{f"c{i}": ["< 0.001"] for i in range(14)}}))
    yield table(pd.DataFrame({"x": ["a"]}), title="Long. " * 60, definitions=["Words. " * 250])


@pytest.fixture(scope="module")
def every(drawn):
    """Each table of the study of paper 1, and those at the edges."""
    return {name: drawn[name] for name in TABLES} | {
        f"odd {i}": made for i, made in enumerate(odd_tables())
    }


def test_an_option_in_a_note_is_code():
    text = latex(table(pd.DataFrame({"x": ["1"]}), footnote="Give `--seed-draws`, or a`b."))
    assert r"Give \texttt{-{}-seed-draws}, or a\`{}b." in text


@pytest.mark.skipif(not HAS_TEX, reason="no TeX is installed")
@pytest.mark.parametrize("options", ["", "twocolumn", "a4paper,twocolumn"])
def test_every_table_compiles_and_fits_its_page(every, tmp_path, options):
    found = complaints([(name, latex(made)) for name, made in every.items()], tmp_path, options)
    assert not found, "\n".join(found)


def test_only_characters_that_every_tex_knows(every):
    assert all(latex(made).isascii() for made in every.values())


def test_special_characters_are_escaped():
    assert escape_latex("a_b & 5% of $3 #1 {x} ~ ^ \\") == (
        r"a\_b \& 5\% of \$3 \#1 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{}"
    )
    assert escape_latex("10×10 – 2²") == r"10$\times$10 -- 2$^2$"
    assert escape_latex("α̂ Č é") == r"$\hat{\alpha}$ \v{C} \'{e}"
    assert escape_latex("Alpaydın, Groß") == r"Alpayd{\i}n, Gro{\ss}"
    assert escape_latex("東") == "[U+6771]"


def test_braces_and_environments_balance(every):
    for made in every.values():
        text = latex(made).replace(r"\{", "").replace(r"\}", "")
        assert text.count("{") == text.count("}")
        assert text.count(r"\begin{") == text.count(r"\end{")


def test_only_narrow_tables_stay_in_one_column():
    narrow = latex(table(pd.DataFrame({"Model": ["RF"], "AUC": ["0.94"]})))
    assert r"\begin{table}[htbp]" in narrow
    wide = latex(table(pd.DataFrame({f"Column {i}": ["0.12345"] for i in range(8)})))
    assert r"\begin{table*}[htbp]" in wide
    assert r"\end{table*}" in wide


def test_caption_names_the_number_in_the_paper_after_the_title():
    shown = pd.DataFrame({"x": ["1"]})
    made = table(shown, title="Table 3. Scores over seeds")
    assert r"\caption{Scores over seeds.}" in latex(made)
    info = StudyInfo(scale="demo", citation="Somebody")
    of_a_paper = replace(made, data=replace(made.data, info=info))
    assert r"\caption{Scores over seeds (Table 3 of the paper).}" in latex(of_a_paper)


def test_tables_of_the_paper_are_one_float_and_numbered_once(every):
    for name in ("table3", "table4", "table5"):
        text = latex(every[name])
        assert len(re.findall(r"\\begin\{table\*?\}", text)) == text.count(r"\caption{") == 1, name
    for made in every.values():
        assert not re.search(r"\\caption\{Table \d", latex(made))


def test_grouped_headings_span_their_columns():
    columns = pd.MultiIndex.from_tuples([("", "Model"), ("G", "x"), ("G", "y")])
    text = latex(table(pd.DataFrame([["rf", "1", "2"]], columns=columns)))
    assert r"\multicolumn{2}{c}{G} \\" in text


def test_sign_of_a_number_is_a_minus_not_a_hyphen():
    shown = table(pd.DataFrame({"x": ["[-0.06, 2.59]", "-1"], "y": ["2026-11", "a-1"]}))
    assert [cells for _, cells in shown.lines()] == [["[−0.06, 2.59]", "2026-11"], ["−1", "a-1"]]
    copied = table(pd.DataFrame({"x": ["n_jobs=-1"]}))
    assert [cells for _, cells in copied.lines()] == [["n_jobs=-1"]]
    text = latex(shown)
    assert "[$-$0.06, 2.59]" in text
    assert "$-$1 & a-1" in text
    assert "2026-11" in text


def test_a_section_spans_its_columns_and_sentences_wrap():
    shown = pd.DataFrame({"Item": ["x", "[y]"], "Said": ["word " * 80, "other"]})
    text = latex(table(shown, sections=["One", "Two"], text_columns=2, paragraphs=[1]))
    assert "\\multicolumn{2}{@{}l@{}}{\\textbf{One}} \\\\\n" in text
    assert "{}[y] & other" in text  # no argument of the row before it
    assert r"p{0.60\linewidth}" in text
    assert text.count(r"\begin{tabular}") == 1


def test_headings_of_one_name_stay_apart():
    """Names of models may be equal where the library reads them."""
    columns = pd.MultiIndex.from_tuples([("A", "x"), ("B", "x")])
    text = latex(table(pd.DataFrame([["1", "2"]], columns=columns)))
    assert "x & x" in text
    assert "1 & 2" in text
