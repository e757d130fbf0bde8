"""Every format of file gives the same runs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from reseed.analyses import pairs
from reseed.analyses.shared.data import Data
from reseed.core.errors import ReseedError
from reseed.metrics.names import is_error, is_share
from reseed.metrics.registry import METRICS, evaluate_scores
from reseed.readers import import_results
from reseed.readers.names import NAMES, find_metric
from run_kinds import run_analysis

STUDY = {"name": "mine", "title": "My runs", "notes": ["as run"]}
SCORES = {("a", 0): 0.81, ("a", 1): 0.82, ("b", 0): 0.79, ("b", 1): 0.8}


def read(path, **results):
    return import_results(path, results, STUDY)


def scores(metrics, metric="accuracy"):
    rows = metrics[["model", "init", metric]].itertuples(index=False, name=None)
    return {(model, seed): value for model, seed, value in rows}


def long_frame():
    rows = [(m, "digits", s, "accuracy", v) for (m, s), v in SCORES.items()]
    return pd.DataFrame(rows, columns=["model", "dataset", "seed", "metric", "value"])


def test_long_parquet(tmp_path):
    path = tmp_path / "runs.parquet"
    long_frame().to_parquet(path)
    assert scores(read(path)[0]) == SCORES


def test_columns_are_those_of_collected_trials(tmp_path):
    from reseed.analyses.shared.data import Data, cells

    path = tmp_path / "runs.csv"
    long_frame().to_csv(path, index=False)
    metrics, about = read(path)
    found = {cell.key["model"]: list(cell.values) for cell in cells(Data(metrics, about))}
    assert found == {"a": [0.81, 0.82], "b": [0.79, 0.8]}
    metrics.to_parquet(tmp_path / "metrics.parquet")


def test_folds_and_the_requested_ratio(tmp_path):
    path = tmp_path / "runs.csv"
    rows = [(m, f"fold{f}", r, 0.5 + f / 10) for m in "ab" for f in range(3) for r in range(2)]
    pd.DataFrame(rows, columns=["model", "fold", "repeat", "auc"]).to_csv(path, index=False)
    metrics, _ = read(path)
    assert set(metrics["scheme"]) == {"kfold-3x2"}
    assert set(metrics["varied"]) == {"data"}
    assert sorted(metrics["fold"].unique()) == [0, 1, 2]
    assert metrics["test_ratio"].isna().all()
    metrics, _ = read(path, test_train_ratio=0.25)
    assert np.allclose(metrics["test_ratio"], 0.2)


def test_split_sizes_supply_the_ratio(tmp_path):
    """Nadeau and Bengio's ratio from the file, by dataset; random splits then need no more."""
    path = tmp_path / "runs.csv"
    sizes = {"one": (160, 40), "two": (90, 10)}
    rows = [
        (m, d, s, *sizes[d], 0.5 + s / 20 + (m == "a") * (0.01 + 0.002 * (s % 2)))
        for d in sizes
        for m in "ab"
        for s in range(6)
    ]
    columns = ["model", "dataset", "data_seed", "n_train", "test_rows", "auc"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.to_csv(path, index=False)
    metrics, about = read(path)
    shares = metrics.groupby("dataset")["test_ratio"].unique().map(list)
    assert shares["one"] == pytest.approx([0.2])
    assert shares["two"] == pytest.approx([0.1])
    assert "n_test from 'test_rows'" in " ".join(about.notes)
    table = run_analysis(pairs, Data(metrics, about)).set_index("dataset")
    width = table["high"] - table["low"]  # the runs are the same
    expected = (1 / 6 + 1.5 * 40 / 160) / (1 / 6 + 1.5 * 10 / 90)
    assert width["one"] / width["two"] == pytest.approx(expected**0.5)
    given, _ = read(path, test_train_ratio=1.0)
    assert set(given["test_ratio"]) == {0.5}
    frame.assign(n_train=0).to_csv(path, index=False)
    with pytest.raises(ReseedError, match="numbers of rows above 0"):
        read(path)


def test_each_dataset_has_its_own_setting(tmp_path):
    path = tmp_path / "runs.csv"
    rows = [(m, "folds", f, 0, 0.5 + f / 10) for m in "ab" for f in range(3)]
    rows += [(m, "seeds", 0, s, 0.5 + s / 10) for m in "ab" for s in range(4)]
    pd.DataFrame(rows, columns=["model", "dataset", "fold", "seed", "auc"]).to_csv(
        path, index=False
    )
    metrics, about = read(path)
    settings = metrics[["dataset", "scheme", "varied"]].drop_duplicates().set_index("dataset")
    assert settings.T.to_dict("list") == {
        "folds": ["kfold-3x1", "none"],
        "seeds": ["given", "model"],
    }
    assert about.experiments["results"].varied == "model"  # folds are no seed


def predictions(score):
    generator = np.random.default_rng(0)
    rows = []
    for fold in range(2):
        truth = generator.permutation([0, 1] * 10)
        for model in "ab":
            for item in range(20):
                rows.append((model, "d", 7, fold, item, truth[item], score(generator, truth[item])))
    return pd.DataFrame(rows, columns=["model", "dataset", "seed", "fold", "item", "y_true", "y"])


def test_predicted_probabilities(tmp_path):
    path = tmp_path / "items.csv"
    frame = predictions(lambda g, t: np.clip(g.normal(0.3 + 0.4 * t, 0.2), 0, 1))
    frame = frame.rename(columns={"y": "y_score"})
    frame.sample(frac=1, random_state=1).to_csv(path, index=False)
    metrics, about = read(path)
    assert about.datasets["d"].metric == "auc"
    for row in metrics.itertuples():
        run = frame[(frame["model"] == row.model) & (frame["fold"] == row.fold)]
        expected = evaluate_scores("binary", run["y_true"].to_numpy(), run["y_score"].to_numpy())
        assert row.auc == pytest.approx(expected["auc"])
        assert row.brier == pytest.approx(expected["brier"])


def test_predicted_labels_and_values(tmp_path):
    path = tmp_path / "items.csv"
    names = np.array(["cat", "dog"])
    frame = predictions(lambda g, t: names[t if g.random() < 0.8 else 1 - t])
    frame = frame.assign(y_true=names[frame["y_true"]]).rename(columns={"y": "y_pred"})
    frame.to_csv(path, index=False)
    metrics, _ = read(path)
    right = (frame["y_true"] == frame["y_pred"]).groupby([frame["model"], frame["fold"]]).mean()
    assert metrics.set_index(["model", "fold"])["accuracy"].to_dict() == right.to_dict()

    values = predictions(lambda g, t: t + g.normal()).rename(columns={"y": "y_pred"})
    values["y_true"] = values["item"] * 0.37
    values.to_csv(path, index=False)
    metrics, _ = read(path, metric="mae")
    error = (values["y_true"] - values["y_pred"]).abs()
    error = error.groupby([values["model"], values["fold"]]).mean()
    assert metrics.set_index(["model", "fold"])["mae"].to_dict() == pytest.approx(error.to_dict())


def test_a_prediction_that_is_not_finite_fails_the_run(tmp_path):
    path = tmp_path / "items.csv"
    frame = predictions(lambda g, t: g.random()).rename(columns={"y": "y_score"})
    frame.loc[3, "y_score"] = np.nan
    frame.to_csv(path, index=False)
    metrics, about = read(path)
    assert about.trials.failed == 1
    assert "diverged" in metrics.loc[metrics["status"] == "failed", "error"].iloc[0]


def test_directions():
    for name, metric in METRICS.items():
        known = find_metric(name)
        assert known is not None, name
        assert known.greater == metric.greater_is_better, name
    for name in ("neg_mean_squared_error", "eval/F1-score", "test_acc", "R²", "P@10", "Acc. (%)"):
        assert find_metric(name) is None or find_metric(name).greater, name
    for name in ("valLoss", "test_err", "LPIPS", "metrics.rmse", "WER"):
        assert find_metric(name).greater is False, name
    for name in ("nDCG@10", "mIoU", "AuROC", "F1score", "mAP50-95", "AP50", "test_accuracy"):
        assert is_share(name), name
    assert not is_share("r2")


@pytest.mark.parametrize(
    "name",
    [
        *("score", "accuracy_loss", "1 - AUC", "one_minus_auc", "minus_mse", "top_err", "acc_gap"),
        *("accuracy_std", "error_reduction", "standard error", "MRR rank", "Energy", "precision_n"),
    ],
)
def test_a_name_on_no_list_has_no_direction(name):
    assert find_metric(name) is None


def test_the_page_lists_all_names():
    page = (Path(__file__).parents[2] / "docs" / "your-results.md").read_text(encoding="utf-8")
    for role, names in NAMES.items():
        assert f"| `{role}` | {', '.join(names)} |" in page


def test_errors_cannot_be_negative_and_other_losses_may_be():
    known = ("mse", "neg_mean_squared_error", "log_loss", "mean_squared_log_error", "brier")
    assert all(is_error(name) for name in known)
    unknown = ("nll", "val_loss", "log_mse", "nmse_db", "deviance", "auc", "score")
    assert not any(is_error(name) for name in unknown)


def test_a_series_by_model_and_run():
    frame = long_frame().rename(columns={"value": "accuracy"})
    by_run = frame.groupby(["model", "seed"])["accuracy"].mean()
    metrics, _ = read(by_run)
    assert scores(metrics) == pytest.approx(SCORES)
    metrics, _ = read(by_run.rename(None), metric="accuracy")
    assert scores(metrics) == pytest.approx(SCORES)
    with pytest.raises(ReseedError, match="no column that names the model"):
        read(by_run.reset_index(drop=True))


def test_commas_in_names_and_notes_of_each_file_are_kept(tmp_path):
    rows = "model;seed;acc\n{0};0;0,5\n{0};1;0,6\n"
    paths = [tmp_path / f"{i}.csv" for i in range(2)]
    for path, name in zip(paths, ["64,32", "64,320"], strict=True):
        path.write_text(rows.format(name))
    metrics, about = import_results(paths, {}, {"name": "mine"})
    assert set(metrics["model"]) == {"64,32", "64,320"}
    assert "The comma was read as the decimal sign: 'acc'." in about.notes
