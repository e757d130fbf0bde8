"""One file has one answer, whichever way it comes in."""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reseed
from imported_pairs import import_as_study
from reseed import ReseedError
from reseed.cli import main
from reseed.comparison.speakers import speak

RNG = np.random.default_rng(5)
_EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
_NUMBERS = ["difference", "low", "high", "p", "p_adjusted"]


def _runs(run, models=("a", "b", "c"), n=8):
    rows = [(m, r, 0.7 + 0.01 * k + 0.02 * RNG.standard_normal())
            for k, m in enumerate(models) for r in range(n)]  # fmt: skip
    return pd.DataFrame(rows, columns=["model", run, "accuracy"])


def _items(shared, seeds=4, items=60):
    rows = [(m, s + (0 if shared else 100 * k), i, int(RNG.random() < 0.6 + 0.1 * k))
            for k, m in enumerate("ab") for s in range(seeds) for i in range(items)]  # fmt: skip
    return pd.DataFrame(rows, columns=["model", "seed", "item", "correct"])


TABLES = {
    "folds": _runs("fold"),
    "seeds": _runs("seed", ("a", "b")),
    "repetitions": _runs("repetition", ("a", "b")),
    "items, shared seeds": _items(True),
    "items, other seeds": _items(False),
    "several datasets": pd.concat([_runs("fold").assign(dataset=f"d{i}") for i in range(6)]),
    "example": pd.read_csv(_EXAMPLES / "runs.csv"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_study_answers_as_compare_does(tmp_path, name):
    path = tmp_path / "runs.csv"
    TABLES[name].to_csv(path, index=False)
    direct = reseed.compare(path).statistics("pairs")
    imported = import_as_study(path, tmp_path)
    texts = ["dataset", "model_a", "model_b", "outcome", "reason", "design", "test"]
    pd.testing.assert_frame_equal(imported[texts], direct[texts])
    np.testing.assert_allclose(imported[_NUMBERS], direct[_NUMBERS], rtol=1e-12, equal_nan=True)


@pytest.mark.parametrize("name", ["items, shared seeds", "items, other seeds"])
def test_items_gate_and_compare_agree(tmp_path, name):
    table = TABLES[name]
    runs = reseed.compare(table).statistics("pairs").iloc[0]
    items = reseed.compare(table).verdicts.iloc[0]
    for column in ("difference", "low", "high", "p"):
        assert items[column] == pytest.approx(runs[column], rel=1e-12)
    assert items["outcome"] == runs["outcome"]
    sides = {m: part.drop(columns="model") for m, part in table.groupby("model")}
    row = asdict(reseed.gate(sides["b"], sides["a"], 0.02).rows[0])
    assert abs(row["difference"]) == pytest.approx(runs["difference"], rel=1e-12)


@pytest.mark.parametrize("offset", [1e10, 1e12, 1e14])
def test_scores_that_rounding_hides_are_refused(offset):
    """Of runs, of items and of tasks; without the offset they are compared."""
    rng = np.random.default_rng(0)
    runs = pd.DataFrame(
        [(m, s, offset + rng.normal()) for m in "ab" for s in range(8)],
        columns=["model", "seed", "loss"],
    )
    items = runs.rename(columns={"seed": "item"})
    spread = pd.concat([items.assign(dataset=name) for name in "xyz"])
    for table in (runs, items, spread):
        with pytest.raises(ReseedError, match="rounding hides differences"):
            reseed.compare(table)
        assert reseed.compare(table.assign(loss=table["loss"] - offset)).answer


def test_seeds_that_share_nothing_are_not_paired(tmp_path, monkeypatch):
    runs, items = _runs("seed", models=("a", "b")), _items(shared=True)
    for table, test in ((runs, "Welch's t test"), (items, "t test of crossed seeds and items")):
        relabelled = table.assign(seed=table["seed"] + 100 * (table["model"] == "b"))
        own = reseed.compare(table, seeds="own")
        assert own.verdicts["test"].item() == test
        expected = reseed.compare(relabelled).verdicts
        columns = ["difference", "low", "high", "p", "outcome"]
        pd.testing.assert_frame_equal(own.verdicts[columns], expected[columns])
        assert own.verdicts["p"].item() != reseed.compare(table).verdicts["p"].item()
    found = reseed.compare(items, seeds="own").verdicts
    assert found["p"].item() == pytest.approx(expected["p"].item())
    monkeypatch.chdir(tmp_path)
    runs.to_csv("runs.csv", index=False)
    main(["compare", "runs.csv", "--seeds", "own", "--csv", "out.csv"])
    assert pd.read_csv("out.csv")["test"].item() == "Welch's t test"


@pytest.mark.parametrize(
    ("field", "argument"),
    [
        ("`metric: auc`", "`metric='auc'`"),
        ("`columns: {model: [a, b]}`", "`columns={'model': ['a', 'b']}`"),
        ("`columns: {item: …}`", "`columns={'item': …}`"),
        ("`greater_is_better: false`", "`greater_is_better=False`"),
        ("`scale: rank`", "`scale: rank`"),  # no argument of this function
    ],
)
def test_errors_of_python_speak_arguments(field, argument):
    assert speak(field, "arguments", ["metric", "columns", "greater_is_better"]) == argument


def test_python_speaks_arguments_the_command_flags(tmp_path):
    path = tmp_path / "runs.csv"
    frame = pd.DataFrame({"model": list("aabb"), "seed": [0, 1] * 2, "value": range(4)})
    frame.to_csv(path, index=False)
    with pytest.raises(ReseedError, match="`greater_is_better=False`"):
        reseed.compare(path)
    with pytest.raises(SystemExit, match="--lower-is-better"):
        main(["compare", str(path)])


def test_how_a_source_is_read_is_said():
    table = pd.DataFrame({"a": [0.7, 0.71, 0.72, 0.69, 0.7], "b": [0.8, 0.82, 0.81, 0.8, 0.79]})
    found = reseed.compare(table, metric="accuracy", rows="seed", greater_is_better=True)
    assert found.leaderboard["model"].tolist() == ["b", "a"]
    with pytest.raises(ReseedError, match="Did you mean 'rows'"):
        reseed.compare(table, row="seed")


def test_failed_runs_are_counted_over_all_datasets():
    rng, names = np.random.default_rng(0), ["dataset", "model", "seed"]
    table = pd.MultiIndex.from_product([range(7), ["a", "b"], range(6)], names=names).to_frame(
        index=False
    )
    table["accuracy"] = 0.8 + 0.02 * (table["model"] == "a") + rng.normal(0, 0.005, len(table))
    table.loc[[2, 8, 40], "accuracy"] = np.nan
    notes = reseed.compare(table).shown.notes
    assert "3 failed and left out (a 2 of 42 and b 1 of 42)" in notes[0]
