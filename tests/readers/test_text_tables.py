"""Tables of Markdown, LaTeX and spreadsheets."""

import pandas as pd
import pytest
from reseed import compare
from reseed.core.errors import ReseedError
from reseed.readers import import_results
from reseed.readers.files import read_table
from reseed.readers.text_tables import parse_latex, parse_markdown

ROWS = [("a", 0, 0.81), ("a", 1, 0.82), ("b", 0, 0.7), ("b", 1, 0.72)]
TEX = r"""
\begin{table}\caption{Results}
\begin{tabular}{l@{}c*{1}{c}} % columns
\toprule
Model & MRPC & SST-2 \\ \cmidrule(lr){2-3}
BERT & 88.1 $\pm$ 0.5 & 92.1$_{\pm 0.3}$ \\[2pt]
\textbf{Ro\_BERTa} & $\mathbf{90.2} \pm 0.4$ & \textbf{94.8} $\pm$ 0.2 \\
\bottomrule
\end{tabular}\end{table}
"""


def test_markdown_is_read_as_a_table_of_runs(tmp_path):
    path = tmp_path / "runs.md"
    lines = "".join(f"| {m} | {s} | **{v}** |\n" for m, s, v in ROWS)
    path.write_text(f"# Runs\n\n| model | seed | acc |\n|:---|--:|---|\n{lines}\nText | below\n")
    metrics, _ = import_results(path, {}, {"name": "mine"})
    assert metrics["acc"].tolist() == [value for *_, value in ROWS]


def test_a_rule_without_headings_above_is_no_markdown_table():
    assert parse_markdown("|---|---|\n\n|a|b|\n|---|---|\n|1|2|") == (["a", "b"], [["1", "2"]])


def test_latex_is_read_as_a_table_of_means(tmp_path):
    path = tmp_path / "table.tex"
    path.write_text(TEX)
    table = compare(path, runs=5, metric="accuracy").verdicts
    row = table[table["dataset"] == "MRPC"].iloc[0]
    assert (row["model_a"], row["model_b"]) == ("Ro_BERTa", "BERT")
    assert (row["mean_a"], row["sd_a"], row["mean_b"], row["sd_b"]) == (90.2, 0.4, 88.1, 0.5)
    assert table["mean_a"].tolist() == [90.2, 94.8]


@pytest.mark.parametrize(
    ("parse", "text", "words"),
    [
        (parse_markdown, "no table here | at all\n", "holds no table"),
        (parse_markdown, "| a | b |\n|---|---|\n| 1 |\n", "row 1 of the table has 1 cells"),
        (parse_latex, "text", "holds no `tabular`"),
        (parse_latex, TEX.replace("MRPC", r"\multicolumn{2}{c}{x}"), "multicolumn"),
    ],
)
def test_other_texts_are_refused(parse, text, words):
    with pytest.raises(ValueError, match=words):
        parse(text)


def test_spreadsheet_is_read_with_its_types(tmp_path):
    path = tmp_path / "runs.xlsx"
    pd.DataFrame(ROWS, columns=["model", "seed", "acc"]).to_excel(path, index=False)
    metrics, _ = import_results(path, {}, {"name": "mine"})
    assert metrics["acc"].tolist() == [value for *_, value in ROWS]


def test_spreadsheet_without_its_package_names_the_extra(tmp_path, monkeypatch):
    path = tmp_path / "runs.xlsx"
    path.write_bytes(b"PK")

    def fail(*args, **kwargs):
        raise ImportError

    monkeypatch.setattr(pd, "read_excel", fail)
    with pytest.raises(ReseedError, match="pip install python-calamine"):
        read_table(path)


def test_two_lines_of_headings_are_joined(tmp_path):
    path = tmp_path / "two.csv"
    rows = "a,88.1,0.5,92.1,0.3\nb,90.2,0.4,94.8,0.2\n"
    path.write_text(f"model,MRPC,MRPC,SST-2,SST-2\n,mean,std,mean,std\n{rows}")
    assert set(compare(path, runs=5, metric="accuracy").verdicts["dataset"]) == {
        "MRPC",
        "SST-2",
    }


@pytest.mark.parametrize(
    ("above", "heading", "between"),
    [
        ("# made by a script\n# on Monday\n", "model,seed,acc\n", ""),
        ("", "# model,seed,acc\n", ""),
        ("", "model,seed,acc\n", "model,seed,acc\n"),
    ],
    ids=["remarks above", "savetxt", "joined files"],
)
def test_lines_of_scripts_are_no_rows(tmp_path, above, heading, between):
    path = tmp_path / "runs.csv"
    text = f"{above}{heading}a,0,0.8\na,1,0.9\n{between}b,0,0.7\nb,1,{{last}}\n"
    path.write_text(text.format(last="0.6"))
    metrics, _ = import_results(path, {}, {"name": "mine"})
    assert list(metrics["acc"]) == [0.8, 0.9, 0.7, 0.6]
    path.write_text(text.format(last="x"))
    line = text.count("\n")
    with pytest.raises(ReseedError, match=rf"\(line {line}\)"):
        import_results(path, {}, {"name": "mine"})
