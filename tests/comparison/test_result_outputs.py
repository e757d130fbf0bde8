"""Each command has the same outputs, made from the same rows."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.cli import main
from reseed.comparison.shown import format_estimate


def _items(models=5, items=60, tasks=1):
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        [
            {"model": f"model number {m}", "dataset": f"task {t}", "item": i,
             "score": rng.normal(m / 4)}
            for m in range(models) for t in range(tasks) for i in range(items)
        ]
    )  # fmt: skip


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _items().to_csv("items.csv", index=False)
    _items(tasks=7, items=1).drop(columns="item").to_csv("tasks.csv", index=False)
    for name in "ab":
        frame = _items(models=1, items=80).drop(columns="model")
        frame.assign(score=frame["score"] + (name == "a")).to_csv(f"{name}.csv", index=False)
    cells = {"model": ["a", "b", "c"], "accuracy": ["90.1 ± 0.5", "91.3 ± 0.4", "88.0 ± 0.6"]}
    pd.DataFrame(cells).to_csv("means.csv", index=False)
    runs = [(m, s, 0.7 + (m == "a") / 10 + np.sin(s) / 99) for m in "ab" for s in range(6)]
    pd.DataFrame(runs, columns=["model", "seed", "accuracy"]).to_csv("runs.csv", index=False)


COMMANDS = {
    "compare": ["compare", "runs.csv"],
    "items": ["items", "items.csv", "--greater-is-better"],
    "rank": ["rank", "tasks.csv", "--greater-is-better"],
    "means": ["means", "means.csv", "--runs", "5"],
    "gate": ["gate", "a.csv", "--baseline", "b.csv", "--margin", "0.1", "--greater-is-better"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_writes_every_output(name, files, capsys, tmp_path, snapshot):
    command = COMMANDS[name]
    outputs = [f"--{one}={tmp_path / f'out.{one}'}" for one in ("html", "latex", "csv")]
    if name == "gate":
        outputs.append(f"--json={tmp_path / 'out.json'}")
        with pytest.raises(SystemExit):
            main([*command, *outputs])
        content = json.loads((tmp_path / "out.json").read_text())
        assert content["sentence"]
    else:
        main([*command, *outputs])
    latex = (tmp_path / "out.latex").read_text()
    printed = capsys.readouterr().out.replace(str(tmp_path), "FOLDER")
    assert [printed, latex] == snapshot
    if name != "gate":
        main([*command, "--json"])
        content = json.loads(capsys.readouterr().out)
        main([*command, "--quiet"])
        assert capsys.readouterr().out.splitlines() == content["answer"]
    assert len(pd.read_csv(tmp_path / "out.csv"))
    assert "booktabs" in latex
    page = (tmp_path / "out.html").read_text()
    assert "http" not in page.replace("http-equiv", "")
    if name in ("rank", "gate"):  # their page is that of a study
        assert page.count('<svg class="forest"') >= 1
        assert "data:text/csv;base64" in page


def test_an_interval_is_never_broken(files):
    found = reseed.compare_items("items.csv", greater_is_better=True)
    estimates = [row.estimate for row in found.shown.rows]
    assert len(estimates) == 10
    for width in (80, 120):
        text = found.render(width)
        assert max(map(len, text.splitlines())) <= max(width, 80)
        assert all(estimate in text for estimate in estimates)


def test_a_notebook_shows_the_answer_first(files):
    html = reseed.compare_items("items.csv", greater_is_better=True)._repr_html_()
    assert re.sub("<style>.*?</style>", "", html, flags=re.S).startswith(
        "<p><strong>model number 4 is best by mean score"
    )
    assert html.index('<svg class="forest"') < html.index("<img") < html.index("In words")


def test_estimates_as_text():
    assert format_estimate(3.3, 2.91, 3.78, "points") == "3.30 points [2.91, 3.78]"
    assert format_estimate(-0.5, -2.0, 1.0) == "−0.5 [−2.0, 1.0]"
    assert format_estimate(np.nan, np.nan, np.nan) == "–"
    assert format_estimate(0.25, np.nan, np.nan) == "0.250"


def test_a_baseline_is_answered_in_plain_sentences():
    table = Path(__file__).parents[2] / "docs" / "examples" / "runs.csv"
    first, second, third = reseed.compare(table, baseline="15 neighbours").answer
    assert first.startswith("Not yet: 5 neighbours is ahead of 15 neighbours by 0.2 points [−1.6,")
    assert first.endswith("Not even 1,000 runs would show so small a difference in 80 % of cases.")
    assert "runs (now 10) would show it in 80 % of cases." in second
    assert third.startswith("Not yet: tree is behind")
    answers = reseed.compare(table, baseline="5 neighbours").answer
    assert "No: tree is worse than 5 neighbours by 3.9 points [1.3, 6.4]." in answers
    assert "No, by one correction only: naive Bayes is worse" in " ".join(answers)
    few = reseed.compare({"a": [0.7, 0.71], "b": [0.8, 0.81]}, metric="accuracy", baseline="a")
    assert few.answer == ["Not yet: b and a have 2 comparable runs, a verdict needs 5."]
