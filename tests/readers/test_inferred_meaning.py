"""Meaning inferred from values: sign and unit, a status, the column of scores."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from reseed.readers import import_results
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from study_import import read

NEGATED = "neg_mean_squared_error"
X, Y = load_diabetes(return_X_y=True)
MODELS = {"ridge": Ridge(), "dummy": DummyRegressor()}


def runs(metric="accuracy", rf=0.9, svm=0.8, **columns):
    """Six seeds of two models; `rf` and `svm` are their scores on the first seed."""
    rows = [(m, s, v * (1 + s / 100)) for m, v in (("rf", rf), ("svm", svm)) for s in range(6)]
    return pd.DataFrame(rows, columns=["model", "seed", metric]).assign(**columns)


def greater(about):
    return about.datasets["data"].greater_is_better


@pytest.mark.parametrize("how", ["cross_validate", "cross_val_score", "cv_results"])
def test_negated_errors_of_scorers(how):
    if how == "cross_validate":
        source = {
            name: cross_validate(model, X, Y, scoring={"mse": NEGATED, "r2": "r2"}, cv=5)
            for name, model in MODELS.items()
        }
    elif how == "cross_val_score":
        source = {n: cross_val_score(m, X, Y, scoring=NEGATED, cv=5) for n, m in MODELS.items()}
    else:
        source = GridSearchCV(Ridge(), {"alpha": [1, 9]}, scoring=NEGATED, cv=5).fit(X, Y)
        source = source.cv_results_
    _, about = read(source, metric="mse")
    assert greater(about) is True
    assert any("mse: no value is above 0" in note for note in about.notes)
    assert greater(read(source, metric="mse", greater_is_better=False)[1]) is False


def test_sign_is_checked_for_errors_but_not_other_losses():
    assert greater(read(runs("mse"))[1]) is False
    assert greater(read(runs("mse", -0.9, -0.8))[1]) is True
    assert greater(read(runs("neg_mse", -0.9, -0.8))[1]) is True
    _, about = read(runs("neg_mse"))
    assert greater(about) is False
    assert any("no value is below 0" in note for note in about.notes)
    for name in ("val_loss", "nll", "log_mse"):
        assert greater(read(runs(name, -0.9, -0.8))[1]) is False
        assert greater(read(runs(name, -0.9, 0.8))[1]) is False


def test_an_error_of_both_signs_is_refused():
    mixed = runs("mse", -0.9, 0.8)
    with pytest.raises(ReseedError, match=r"rows 0, 1.*'mse' has values below 0 and above it"):
        read(mixed)
    assert greater(read(mixed, greater_is_better=True)[1]) is True


def test_direction_of_a_missing_metric_is_refused():
    with pytest.raises(ReseedError, match=r"'f1_negatives', which is missing.*'f1_negative'"):
        read(runs("f1_negative"), greater_is_better={"f1_negatives": True})
    assert greater(read(runs("f1_negative"), greater_is_better={"f1_negative": True})[1]) is True
    # One that the table has may be told of, whether or not it is compared by.
    both = {"accuracy": True, "error": False}
    read(runs().assign(error=0.1), metric="accuracy", greater_is_better=both)
    table = runs("test_elo", test_f1=0.5)
    for name in ("elo", "Test elo"):
        about = read(table, metric="test_elo", greater_is_better={name: False, "f1": True})[1]
        assert greater(about) is False


def test_share_next_to_percentages_is_refused():
    words = "percent of rf, and a share of svm"
    with pytest.raises(ReseedError, match=words):
        read(runs(rf=90))
    read(runs(rf=90), unit="points")  # svm is right on 0.8 percent
    read(runs(rf=90, svm=0))
    read(runs("mse", rf=90))
    both = pd.concat([runs(rf=90, dataset="a"), runs(rf=90, dataset="b")])
    with pytest.raises(ReseedError, match=r"on a .*\(so on 1 more datasets\)"):
        read(both)


def test_the_column_of_scores_is_named():
    for table in (
        runs(),
        runs(runtime=3.0, lr=0.1, accuracy_std=0.1, epoch=1),
        runs(train_accuracy=1.0),
    ):
        metrics, about = read(table)
        assert "accuracy" in metrics
        assert "score from 'accuracy'" in about.notes[0]
    _, about = read(runs("elo", train_loss=0.1), greater_is_better=True)
    assert "score from 'elo'" in about.notes[0]
    for table, metric, left_out in (
        (runs(temperature=0.7, lr=0.1), "accuracy", "temperature"),
        (runs("drift", precision=16.0), "precision", "drift"),
    ):
        _, about = read(table)
        assert f"score from '{metric}'" in about.notes[0]
        assert f"Left out: {left_out}; if one of them is the score, give `metric`." in about.notes
    _, about = read(runs("elo", aux_loss_weight=0.1), greater_is_better=True)
    assert "score from 'elo'" in about.notes[0]
    for metric in ("c_index", "rand_index", "n_correct", "time_to_solution"):
        assert metric in read(runs(metric), greater_is_better=True)[0]
    _, about = read(runs(score=0.5), metric="accuracy")
    assert about.notes[0].endswith("seed from 'seed', score from 'accuracy'.")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (runs("elo", rating=0.1), "several columns that may be the score: elo, rating"),
        (runs("n_correct", n_items=9), "several columns that may be the score"),
        (runs("error"), "'error' may hold messages or exit codes .* `metric: error`"),
        (runs("train_loss"), "no column of scores"),
        (runs(test_accuracy=0.1), "several columns"),
    ],
)
def test_a_score_is_not_guessed(table, words, tmp_path):
    path = tmp_path / "runs.csv"
    table.to_csv(path, index=False)
    for source in (table, path):
        with pytest.raises(ReseedError, match=words):
            read(source)


def test_words_of_a_status():
    early = np.where(np.arange(12) % 6 < 4, "halted", "finished")
    metrics, about = read(runs(status=early))
    assert (metrics["status"] == "failed").sum() == 8
    assert "Status 'halted' was taken as failed (8 runs)." in about.notes
    for word in (0, True, "passed", "early_stopped", "Stopped"):
        assert (read(runs(status=word))[0]["status"] == "ok").all()
    with pytest.raises(ReseedError, match="no run is finished: the status is 'halted'"):
        read(runs(status="halted"))


@pytest.mark.parametrize("ratio", [80, -0.5, "0.25", True, np.bool_(True)])
def test_invalid_ratio_is_refused(ratio):
    with pytest.raises(ReseedError, match=r"`test_train_ratio` is .* up to 10") as error:
        read(runs().rename(columns={"seed": "split"}), test_train_ratio=ratio)
    assert "mistakes" not in str(error.value)


@pytest.mark.parametrize("ratio", [np.float32(0.25), np.int64(1), 1])
def test_a_ratio_of_any_kind_of_number(ratio):
    metrics, _ = read(runs().rename(columns={"seed": "split"}), test_train_ratio=ratio)
    assert np.allclose(metrics["test_ratio"], ratio / (1 + ratio))


def test_a_loss_that_rounding_put_below_zero():
    _, about = read(runs("log_loss", rf=-1e-16))
    assert greater(about) is False


def test_wide_table_needs_a_requested_metric(tmp_path):
    frame = pd.DataFrame({"model": ["a", "b"] * 5, "seed": np.arange(10) // 2, "auc": 0.5})
    _, about = import_results(frame, {"metric": ["ndcg", "auc"]}, {})
    assert about.datasets["data"].metric == "auc"
    with pytest.raises(ReseedError, match="no column for the metric 'ndcg' or 'aucc'"):
        import_results(frame, {"metric": ["ndcg", "aucc"]}, {})


def _by_model(**models):
    return pd.DataFrame(models, index=pd.RangeIndex(5, name="fold")).rename_axis(columns="model")


def test_summary_of_models_is_no_model():
    frame = _by_model(rf=[0.81, 0.82, 0.84, 0.8, 0.83], svm=[0.78, 0.8, 0.79, 0.81, 0.77])
    for name, by in [("mean", "mean"), ("All", "mean"), ("max", "max"), ("median", "median")]:
        wide = frame.assign(**{name: frame.agg(by, axis=1).round(4)}).rename_axis(columns="model")
        long = wide.stack().rename("auc").reset_index()
        for table in (wide, long):
            with pytest.raises(ReseedError, match=f"'{name}' is no model"):
                import_results(table, {"metric": "auc"}, {"name": "mine"})
    baseline = frame.assign(mean=[0.5, 0.51, 0.49, 0.5, 0.52]).rename_axis(columns="model")
    metrics, _ = import_results(baseline, {"metric": "auc"}, {"name": "mine"})
    assert set(metrics["model"]) == {"rf", "svm", "mean"}


@pytest.mark.parametrize("label", ["Avg.", "±", "Std. Dev.", "#wins", "mean (3 folds)"])
@pytest.mark.parametrize("noun", ["model", "dataset", "fold", "item"])
def test_a_row_that_summarises_others_counts_as_nothing(noun, label):
    names = {"model": ["rf", "svm"], "dataset": ["iris", "wine"], "fold": [0, 1, 2]}
    names |= {"item": ["a", "b"]} if noun == "item" else {}
    rows = pd.MultiIndex.from_product([*(names | {noun: [*names[noun], label]}).values()])
    table = pd.DataFrame(dict(zip(names, zip(*rows, strict=True), strict=True)))
    with pytest.raises(ReseedError, match=f"is no {'run' if noun == 'fold' else noun}"):
        import_results(table.assign(auc=0.8), {}, {"name": "mine"})


def test_settings_of_the_same_runs_name_models_together():
    rows = [
        (lr, size, s, 0.8 + s / 100) for lr in (0.1, 0.01) for size in (8, 16) for s in range(6)
    ]
    table = pd.DataFrame(rows, columns=["lr", "batch_size", "seed", "accuracy"])
    with pytest.raises(ReseedError, match=r"`columns=\{'model': \['lr', 'batch_size'\]\}`"):
        reseed.compare(table)
    assert len(reseed.compare(table, columns={"model": ["lr", "batch_size"]}).leaderboard) == 4
    with pytest.raises(ReseedError, match="If 'lr' names what is compared"):
        reseed.compare(table[table["batch_size"] == 8].drop(columns="batch_size"))


def test_a_log_of_one_training_is_told_from_runs():
    curve = pd.DataFrame({"epoch": range(8), "val_accuracy": np.linspace(0.5, 0.9, 8)})
    with pytest.raises(ReseedError, match="'epoch' counts the steps of a training: keep one row"):
        reseed.compare(curve)
