"""Each command has the same outputs, made from the same rows."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.cli import main
from reseed.verdicts.shown import format_estimate


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
        gain = (name == "a") * (1 + frame["item"] % 3)
        frame.assign(score=frame["score"] + gain).to_csv(f"{name}.csv", index=False)
    cells = {"model": ["a", "b", "c"], "accuracy": ["90.1 ± 0.5", "91.3 ± 0.4", "88.0 ± 0.6"]}
    pd.DataFrame(cells).to_csv("means.csv", index=False)
    runs = [(m, s, 0.7 + (m == "a") / 10 + np.sin(s) / 99) for m in "ab" for s in range(6)]
    pd.DataFrame(runs, columns=["model", "seed", "accuracy"]).to_csv("runs.csv", index=False)


COMMANDS = {
    "compare": ["compare", "runs.csv", "--seed-draws", "training"],
    "items": ["compare", "items.csv", "--greater-is-better"],
    "tasks": ["compare", "tasks.csv", "--greater-is-better"],
    "means": ["compare", "means.csv", "--runs", "5"],
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
    assert "data:text/csv;base64" in page
    if name != "tasks":  # ranks over tasks have no interval
        assert page.count('<svg class="strip"') >= 1


def test_an_interval_is_never_broken(files):
    found = reseed.compare("items.csv", greater_is_better=True)
    estimates = [row.estimate for row in found.shown.rows if row.estimate]
    assert len(estimates) == 4
    for width in (80, 120):
        text = found.render(width)
        assert max(map(len, text.splitlines())) <= width
        assert all(estimate in text for estimate in estimates)


def test_a_notebook_shows_the_answer_first(files):
    html = reseed.compare("items.csv", greater_is_better=True)._repr_html_()
    assert html.startswith("<p><strong>model number 4 has the best mean score")
    assert html.index("<table") < html.index('<svg class="strip"') < html.index("Notes (")


def test_estimates_as_text():
    assert format_estimate(3.3, 2.91, 3.78, "points") == "3.30 points [2.91, 3.78]"
    assert format_estimate(-0.5, -2.0, 1.0) == "−0.5 [−2.0, 1.0]"
    assert format_estimate(np.nan, np.nan, np.nan) == "–"
    assert format_estimate(0.25, np.nan, np.nan) == "0.250"


def test_a_baseline_is_answered_in_plain_sentences():
    rng = np.random.default_rng(1)
    level = {"bert": 0.80, "ours": 0.84, "same": 0.80, "worse": 0.75}
    rows = [(m, s, x + 0.004 * rng.standard_normal()) for m, x in level.items() for s in range(8)]
    table = pd.DataFrame(rows, columns=["model", "seed", "accuracy"])
    by_model = {one.split()[1]: one for one in reseed.compare(table, baseline="bert").answer}
    assert by_model["ours"].startswith("Yes: ours is better than bert by ")
    assert by_model["same"].startswith("Undecided: same – bert is ")
    assert by_model["worse"].startswith("No: worse is worse than bert by ")
    few = reseed.compare({"a": [0.7, 0.71], "b": [0.8, 0.81]}, metric="accuracy", baseline="a")
    assert few.answer == ["Not tested: b against a, too few runs."]


def test_next_steps_are_choices_runs_and_options():
    rng = np.random.default_rng(2)
    rows = [(m, s, 0.8 + 0.001 * k + 0.004 * rng.standard_normal())
            for k, m in enumerate("ab") for s in range(8)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["model", "seed", "accuracy"])
    steps = reseed.compare(table).shown.next_steps
    assert next(iter(steps)) == "To choose now"
    assert steps["To say that two are equal"].endswith("--rope 0.01")
    (runs,) = [text for title, text in steps.items() if title.startswith("To separate")]
    count = int(re.search(r"About ([\d,]+) seeds", runs)[1].replace(",", ""))
    plan = reseed.compare(table).statistics("seeds_needed")["runs_for_power"].iloc[0]
    assert count == plan > 8
    decided = table.assign(accuracy=table["accuracy"] + 0.1 * (table["model"] == "b"))
    assert reseed.compare(decided).shown.next_steps == {}
