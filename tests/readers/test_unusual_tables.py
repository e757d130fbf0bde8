"""Unusual tables: none is misread, and every error is clear."""

import re

import numpy as np
import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_plainly
from reseed.readers.sources import read_source
from study_import import read

EXPECTED = {(m, s): round(0.7 + 0.1 * i + s / 100, 3) for i, m in enumerate("ab") for s in range(4)}


def scores(metrics, metric="acc", run="init"):
    return {(r.model, getattr(r, run)): getattr(r, metric) for r in metrics.itertuples()}


def runs(**columns):
    rows = [(m, s, v) for (m, s), v in EXPECTED.items()]
    return pd.DataFrame(rows, columns=["model", "seed", "acc"]).assign(**columns)


def wide(index, columns):
    return runs().pivot(index=index, columns=columns, values="acc")


def flat(frame):
    return frame.reset_index().rename_axis(columns=None)


def items(predict, truth=lambda item: item % 3, count=30, **columns):
    """One row a model, seed and item; `predict(true, right)` is what a model says."""
    rows = [
        (m, s, i, truth(i), predict(truth(i), (i * 7 + s) % 10 < share))
        for m, share in (("good", 9), ("bad", 5))
        for s in range(2)
        for i in range(count)
    ]
    frame = pd.DataFrame(rows, columns=["model", "seed", "item", "y_true", "y"])
    return frame.rename(columns=columns)


def read_as(frame, mapping=None):
    """The notes on how predictions were read."""
    return " ".join(read_plainly(frame, ReadOptions(columns=mapping or {})).notes)


# --- predictions ------------------------------------------------------------------------------


def right(frame):
    return (frame["y_true"] == frame["y_pred"]).groupby([frame["model"], frame["seed"]]).mean()


CLASSES = items(lambda t, right: t if right else (t + 1) % 3, y="y_pred")


@pytest.mark.parametrize(
    "change",
    [
        {"y_prob": np.where(CLASSES["model"] == "bad", 0.95, 0.6)},
        {"y_pred": CLASSES["y_pred"].astype(float)},
        {"y_pred": CLASSES["y_pred"].where(CLASSES.index != 3, 7)},
        {"y_true": CLASSES["y_true"].astype(float)},
    ],
    ids=["beside a probability", "as 1.0", "one class unseen", "true as 1.0"],
)
def test_whole_numbers_predicted_as_whole_numbers_are_classes(change):
    frame = CLASSES.assign(**change)
    metrics, about = read(frame)
    assert about.datasets["data"].task == "scored"
    found = metrics.set_index(["model", "init"])["accuracy"]
    assert found.to_dict() == pytest.approx(right(frame).to_dict())
    assert read_as(frame).startswith("Read as classes: 'y_pred' is right where it equals y_true")


def test_whole_numbers_beyond_all_labels_are_counts():
    frame = items(lambda t, right: t if right else t + 3, lambda i: i % 10, y="y_pred")
    assert read(frame)[1].datasets["data"].task == "regression"


def test_true_and_false_are_one_and_zero():
    frame = items(lambda t, right: bool(t) == right, lambda i: i % 2, y="y_pred")
    found = read(frame)[0].set_index(["model", "init"])["accuracy"]
    assert found.to_dict() == pytest.approx(right(frame).to_dict())


def test_predicted_class_may_occur_in_no_target():
    names = np.array(["cat", "dog", "owl"])
    frame = items(lambda t, right: t if right else "cow", lambda i: names[i % 3], y="y_pred")
    found = read(frame)[0].set_index(["model", "init"])["accuracy"]
    assert found.to_dict() == pytest.approx(right(frame).to_dict())
    with pytest.raises(ReseedError, match="does not predict one of them"):
        read(frame.assign(y_pred=1))


def test_numbers_are_still_numbers():
    frame = items(lambda t, right: t + (0.1 if right else 0.7), lambda i: i, y="y_pred")
    assert read(frame)[1].datasets["data"].metric == "mse"
    assert "Read as numbers: the nearer 'y_pred' is to y_true" in read_as(frame)
    # A column of scores beside the prediction is none.
    assert read(frame.assign(y_score=0.5))[0]["mse"].nunique() > 1


FRAUD = items(
    lambda t, right: 0.8 if right == (t == "fraud") else 0.3,
    lambda i: "fraud" if i % 3 == 0 else "ok",
    y="y_prob",
)


def test_probability_label_is_reported_and_can_be_set():
    note = read_as(FRAUD)
    assert "'y_prob' is the probability of 'ok'" in note
    assert "Warning" in note
    assert "name that column `p_fraud`" in note
    named = FRAUD.rename(columns={"y_prob": "p_fraud"})
    note = read_as(named, {"y_score": "p_fraud"})
    assert "'p_fraud' is the probability of 'fraud'" in note
    assert "Warning" not in note
    upside_down = read(FRAUD)[0]
    metrics, _ = read(named, columns={"y_score": "p_fraud"})
    assert np.allclose(metrics["auc"], 1 - upside_down["auc"])
    assert metrics.groupby("model")["auc"].mean().idxmax() == "good"
    signs = named.assign(y_true=named["y_true"].map({"fraud": -1, "ok": 1}))
    signs = signs.rename(columns={"p_fraud": "p_-1"})
    assert np.allclose(read(signs, columns={"y_score": "p_-1"})[0]["auc"], metrics["auc"])


# --- layouts ----------------------------------------------------------------------------------


def test_summary_next_to_fold_columns_is_not_copied_to_folds():
    frame = flat(wide("model", "seed").add_prefix("fold "))
    metrics, about = read(frame.assign(accuracy=0.5, params=7), metric="accuracy")
    assert scores(metrics, "accuracy", "fold") == EXPECTED
    assert any("Left out: accuracy, params" in note for note in about.notes)
    # Bare numbers beside a metric are no folds: probabilities, years, cut-offs.
    frame = runs(**{str(k): k / 10 for k in range(10)})
    assert scores(read(frame, metric="acc")[0]) == EXPECTED


def test_requested_metric_is_no_model():
    frame = pd.DataFrame({"seed": range(4), "elo": [4.0, 3, 5, 4], "lr": 0.1, "runtime": 3.5})
    table = read_source(frame, ReadOptions(metric="elo"))
    assert table.layout.format == "table"
    with pytest.raises(ReseedError, match="names the model"):
        read_plainly(frame, ReadOptions(metric="elo"))


def test_written_index_is_ignored():
    frame = flat(wide("seed", "model"))
    frame.insert(0, "Unnamed: 0", range(len(frame)))
    assert scores(read(frame, metric="acc")[0]) == EXPECTED
    copied = pd.concat([runs(), runs().head(2)], ignore_index=True)
    copied.insert(0, "Unnamed: 0", range(len(copied)))
    assert scores(read(copied)[0]) == EXPECTED


def test_columns_that_cannot_be_a_share_are_no_models():
    frame = pd.DataFrame({"dataset": [f"d{i}" for i in range(6)], "patients": range(100, 700, 100)})
    frame = frame.assign(genes=range(5, 11), rf=np.linspace(0.7, 0.9, 6), svm=0.6)
    with pytest.raises(ReseedError, match=r"patients, genes.*auc.*between 0 and 1"):
        read_source(frame, ReadOptions(metric="auc"))
    table = read_source(frame.drop(columns=["patients", "genes"]), ReadOptions(metric="auc"))
    assert table.layout.format == "models_in_columns"


def test_a_mapped_column_is_no_model():
    frame = flat(wide("seed", "model")).rename(columns={"seed": "trial"})
    assert scores(read(frame, metric="acc", columns={"seed": "trial"})[0]) == EXPECTED


def folds(count, **columns):
    scores = np.linspace(0.7, 0.9, count)
    return {"fit_time": np.ones(count), "score_time": np.ones(count), "test_auc": scores} | columns


def test_columns_next_to_cross_validate_are_kept():
    parts = [pd.DataFrame(folds(10, train_auc=1.0)).assign(clf=m) for m in ("rf", "svm")]
    frame = pd.concat(parts, ignore_index=True).assign(rep=[*range(5)] * 4, n_train=80, n_test=20)
    metrics, about = read(frame.drop(columns="rep"), columns={"model": "clf"})
    assert set(metrics["model"]) == {"rf", "svm"}
    assert np.allclose(metrics["test_ratio"], 0.2)
    assert about.datasets["data"].metric == "test_auc"
    mapping = {"model": "clf", "repeat": "rep"}
    metrics, _ = read(frame, columns=mapping)
    assert metrics.groupby(["model", "repeat"])["fold"].nunique().eq(2).all()
    assert list(metrics["test_auc"]) == list(frame["test_auc"])


def test_cross_validations_of_different_lengths_are_not_paired():
    with pytest.raises(ReseedError, match=r"rf has 10, svm has 5.*column `fold`"):
        read({"rf": folds(10), "svm": folds(5)})


@pytest.mark.parametrize("kept", [True, False], ids=["index", "columns"])
def test_mean_next_to_pivoted_runs_is_no_run(kept):
    frame = wide("model", "seed")
    frame = frame.assign(mean=frame.mean(axis=1), std=frame.std(axis=1), family="net")
    metrics, about = read(frame if kept else frame.reset_index(), metric="acc")
    assert scores(metrics) == EXPECTED
    assert "Left out: mean, std, which hold no value of a run." in about.notes
    # Runs that have names: nothing says which are none.
    frame = wide("model", "seed").rename(columns=lambda seed: f"first {seed}")
    assert len(read(frame, metric="acc")[0]) == len(EXPECTED)


def test_a_pivot_whose_index_became_columns():
    assert scores(read(wide("model", "seed").reset_index(), metric="acc")[0]) == EXPECTED
    assert scores(read(wide("seed", "model").reset_index(), metric="acc")[0]) == EXPECTED


# --- in memory --------------------------------------------------------------------------------


def test_series_are_paired_by_their_index():
    by_model = {m: pd.Series({s: v for (n, s), v in EXPECTED.items() if n == m}) for m in "ab"}
    by_model["b"] = by_model["b"].iloc[[2, 0, 3]]
    expected = {run: value for run, value in EXPECTED.items() if run != ("b", 1)}
    metrics, about = read(by_model, metric="acc")
    assert scores(metrics, "acc", "fold") == expected
    assert any("index" in note for note in about.notes)
    with pytest.raises(ReseedError, match="a has 4, b has 3"):
        read({m: s.reset_index(drop=True) for m, s in by_model.items()}, metric="acc")
    named = {m: s.rename_axis("seed") for m, s in by_model.items()}
    assert scores(read(named, metric="acc")[0]) == expected
    nested = {m: dict(s) for m, s in by_model.items()}
    assert scores(read(nested, metric="acc")[0], "acc", "fold") == expected
    with pytest.raises(ReseedError, match="A dict holds, for each model"):
        read({"a": {"acc": 0.9, "f1": 0.8}, "b": {"acc": 0.8, "f1": 0.7}})


def test_a_dict_with_a_run_column_is_a_dict_of_columns():
    columns = {name: list(values) for name, values in flat(wide("seed", "model")).items()}
    assert scores(read(columns, metric="acc")[0]) == EXPECTED
    with pytest.raises(ReseedError, match="same length"):
        read(columns | {"b": [0.5]}, metric="acc")


def test_an_index_that_is_a_column_too():
    assert scores(read(runs().set_index("model", drop=False))[0]) == EXPECTED


def test_records_and_other_frames():
    class Other:
        def to_pandas(self):
            return runs()

    assert scores(read(runs().to_dict("records"))[0]) == EXPECTED
    assert scores(read(Other())[0]) == EXPECTED


# --- files ------------------------------------------------------------------------------------


def test_a_parquet_files_index_is_read(tmp_path):
    runs().set_index(["model", "seed"]).to_parquet(tmp_path / "runs.parquet")
    assert scores(read(tmp_path / "runs.parquet")[0]) == EXPECTED


def one_file_a_model(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for model, part in runs().groupby("model"):
        part.drop(columns="model").to_csv(folder / f"{model}.csv", index=False)
    return folder


def test_other_files_of_a_folder_are_left_out(tmp_path):
    folder = one_file_a_model(tmp_path)
    one_file_a_model(folder / ".ipynb_checkpoints")
    (folder / "notes.txt").write_text("remember the milk\n")
    metrics, about = read(folder)
    assert scores(metrics) == EXPECTED
    assert any("notes.txt" in note for note in about.notes)


def test_a_files_own_model_column_comes_first(tmp_path):
    for day, part in runs().rename(columns={"model": "Algorithm"}).groupby("seed"):
        part.to_csv(tmp_path / f"day{day}.csv", index=False)
    metrics, about = read(tmp_path)
    assert scores(metrics) == EXPECTED
    assert "day0.csv and 3 more" in about.notes[0]
    for path in tmp_path.iterdir():
        path.write_text(path.read_text().replace("Algorithm", "what"))
    assert scores(read(tmp_path, columns={"model": "what"})[0]) == EXPECTED


def test_folders_of_tables_in_a_list(tmp_path):
    for model, part in runs().groupby("model"):
        folder = tmp_path / model
        folder.mkdir()
        part.drop(columns="model").to_csv(folder / "scores.csv", index=False)
    metrics, _ = read([tmp_path / "a", tmp_path / "b"])
    assert scores(metrics) == {(f"{m}/scores", s): v for (m, s), v in EXPECTED.items()}


def test_text_that_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_bytes("model;seed;acc\nBäume;0;0.91\n".encode("latin-1"))
    with pytest.raises(ReseedError, match="Save it as UTF-8"):
        read(path)


@pytest.mark.parametrize("shown", ["85.3 % of all", "0.85 (best)", "0,91"])
def test_a_score_that_is_not_written_as_a_number_is_shown(shown):
    with pytest.raises(ReseedError, match=re.escape(f"'acc' holds '{shown}', which is not")):
        read(runs(acc=shown))


# --- rows of one run --------------------------------------------------------------------------


def test_copies_with_an_empty_cell_are_copies():
    frame = runs(note=lambda f: f["seed"].map({1: "x"}))
    assert scores(read(pd.concat([frame, frame.head(3)]))[0]) == EXPECTED


def test_settings_with_an_empty_cell_name_a_model():
    frame = runs(lr=lambda f: f["model"].map({"a": 0.1}), State="finished", Name="x")
    assert scores(read(frame, columns={"model": ["model", "lr"]})[0])[("a, lr=0.1", 0)] == 0.7


def test_steps_of_a_log_are_no_runs():
    frame = pd.concat([runs(epoch=e, acc=lambda f, e=e: f["acc"] + e / 100) for e in range(3)])
    with pytest.raises(ReseedError, match=r"Keep one row of each run, .*'epoch'"):
        read(frame)
