"""Tables with other content next to the runs, and the notes about it."""

import numpy as np
import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from study_import import read

EXPECTED = {(m, s): round(0.7 + 0.1 * i + s / 100, 3) for i, m in enumerate("ab") for s in range(4)}


def scores(metrics, metric="acc"):
    return {(r.model, r.init): getattr(r, metric) for r in metrics.itertuples()}


def runs(**columns):
    rows = [(m, s, v) for (m, s), v in EXPECTED.items()]
    return pd.DataFrame(rows, columns=["model", "seed", "acc"]).assign(**columns)


def notes(about):
    return " ".join(about.notes)


def test_numeric_headings_can_be_mapped():
    frame = runs().set_axis([0, 1, 2], axis=1)
    columns = {"model": "0", "seed": "1"}
    metrics, _ = read(frame, columns=columns, metric="2", greater_is_better=True)
    assert scores(metrics.rename(columns={"2": "acc"})) == EXPECTED
    with_one_more = frame.assign(**{"3": 0.5})
    metrics, _ = read(with_one_more, columns=columns | {"value": "2"}, metric="acc")
    assert scores(metrics) == EXPECTED


def test_times_and_means_are_no_models():
    wide = runs().pivot(index="seed", columns="model", values="acc").reset_index()
    wide = wide.rename_axis(columns=None)
    wider = wide.assign(**{"train time (h)": 0.5, "mean": wide[["a", "b"]].mean(axis=1), "std": 0})
    metrics, about = read(wider, metric="acc")
    assert scores(metrics) == EXPECTED
    assert "Left out: train time (h), mean, std" in notes(about)


def test_a_models_table_holds_one_model():
    named = {"first": runs()[:4], "second": runs()[4:]}
    metrics, _ = read(named)
    renamed = {"a": "first", "b": "second"}
    assert scores(metrics) == {(renamed[m], s): v for (m, s), v in EXPECTED.items()}
    mixed = pd.concat([runs()[:2], runs()[6:]])  # no seed twice, so that nothing else tells
    with pytest.raises(ReseedError, match="table of 'second' holds several models"):
        read({"first": runs()[:4], "second": mixed})


def test_none_in_a_list_is_a_failed_run():
    metrics, _ = read({"a": [0.7, None, 0.72], "b": [0.8, 0.81, 0.82]}, metric="acc")
    assert list(metrics["status"]) == ["ok", "failed", "ok", "ok", "ok", "ok"]
    with pytest.raises(ReseedError, match="'a' holds names"):
        read({"a": ["x", "y"], "b": ["z", "w"]}, metric="acc")


def test_empty_column_does_not_hide_another():
    frame = runs().rename(columns={"model": "arch"}).assign(model="", dataset=None, task="t")
    metrics, _ = read(frame)
    assert scores(metrics) == EXPECTED
    assert set(metrics["dataset"]) == {"t"}


def test_error_names_the_metric_next_to_score():
    _, about = read(runs(score=np.arange(8.0), note="x"), greater_is_better=True)
    assert about.datasets["data"].metric == "score"
    assert "Left out: acc; if one of them" in notes(about)
    _, about = read(runs(score=np.arange(8.0)), metric="acc")
    assert "Left out" not in notes(about)


def test_note_names_models_without_a_run_on_a_dataset():
    both = pd.concat([runs(dataset="d"), runs(dataset="e")], ignore_index=True)
    _, about = read(both[(both["model"] == "a") | (both["dataset"] == "d")])
    assert "Without a run: b on e." in notes(about)
    assert "Without a run" not in notes(read(both)[1])


def test_one_direction_for_metrics_of_which_one_is_known():
    two = pd.concat([runs(dataset="d", metric="acc"), runs(dataset="e", metric="mine")])
    two = two.rename(columns={"acc": "value"})
    _, about = read(two, greater_is_better=True)
    assert all(entry.greater_is_better for entry in about.datasets.values())
    with pytest.raises(ReseedError, match="both directions"):
        read(two, greater_is_better=False)


def test_note_names_predictions_that_are_not_read():
    rows = [
        (m, s, i, i % 2, abs((i % 2) - (0.2 if (i + s) % 5 else 0.8)), 1 - i % 2)
        for m in "ab"
        for s in range(3)
        for i in range(20)
    ]
    frame = pd.DataFrame(rows, columns=["model", "seed", "item", "y_true", "y_score", "y_pred"])
    metrics, about = read(frame, metric="accuracy")
    assert metrics["accuracy"].eq(0.8).all()  # of y_score: y_pred is always wrong
    assert "'y_pred' is not read" in notes(about)
    _, about = read(frame.assign(y_true=frame["item"] % 3, y_pred=frame["item"] % 3))
    assert "'y_score' is not read" in notes(about)


TABLE = "model,seed,acc\na,0,0.9\na,1,0.8\nb,0,0.7\nb,1,0.6\n"


@pytest.mark.parametrize(
    "text",
    [
        TABLE.replace(",", "|"),
        TABLE.replace(",", " | ").replace("a |", "------+---+---\na |", 1),
        TABLE.replace(",", " "),
        TABLE.replace(",", "    ").replace("\n", "  \n"),
        f"Our results\n{TABLE}",
        f"Our results,,\n,,\n{TABLE}",
        f"sep=,\n{TABLE}",
        "sep=;\n" + TABLE.replace(",", ";"),
        f"# a remark\n{TABLE}",
    ],
)
def test_signs_between_cells_and_lines_above_the_headings(tmp_path, text):
    path = tmp_path / "runs.txt"
    path.write_text(text)
    expected = {("a", 0): 0.9, ("a", 1): 0.8, ("b", 0): 0.7, ("b", 1): 0.6}
    metrics, _ = read(path)
    assert {(row.model, row.init): row.acc for row in metrics.itertuples()} == expected


def test_a_table_of_one_column_is_refused(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("accuracy\n0.9\n0.8\n")
    with pytest.raises(ReseedError, match="'accuracy', names one column only"):
        read(path)


def test_empty_cells_of_a_spreadsheet(tmp_path):
    path = tmp_path / "runs.csv"
    lines = runs().to_csv(index=False).replace("\n", ",,,\n")
    path.write_text(lines + ",,,,,\n")
    assert scores(read(path)[0]) == EXPECTED


def test_columns_that_clash_with_created_ones():
    wide = runs().pivot(index="model", columns="seed", values="acc").assign(value=1)
    with pytest.raises(ReseedError, match="column 'value' next to columns by 'seed'"):
        read(wide, metric="acc")


def test_unrequested_metric_may_have_any_name():
    rows = runs(metric="acc").rename(columns={"acc": "value"})
    both = pd.concat([rows, rows.assign(metric="error", value=lambda f: 1 - f["value"])])
    metrics, _ = read(both, metric="acc")
    assert scores(metrics) == EXPECTED
    metrics, info = read(both, metric="error")  # usable since it is requested, under another name
    assert np.allclose(sorted(metrics["error_score"]), sorted(1 - rows["value"]))
    assert info.datasets["data"].greater_is_better is False


def test_number_with_a_stray_character_is_explained(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(runs().to_csv(index=False).replace(",0.7\n", ",0.7\0\n"), encoding="utf-8")
    assert scores(read(path)[0]) == EXPECTED
