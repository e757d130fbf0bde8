"""Which seed to ship: each number against brute force, closed forms and models built to differ."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from item_files import write_items
from reseed.analyses import seed_choice
from reseed.analyses.shared.data import Data
from reseed.analyses.shared.predictions import Predictions
from run_kinds import run_analysis
from scipy.special import expit
from sklearn.metrics import roc_auc_score
from study_frames import about, amended, frame
from test_noise_analysis import write

_FAST = {"n_bootstrap": 5, "n_halves": 50}


def analyse(tmp_path, y, scores, dataset="magic", facts=None, **options):
    predictions = write(tmp_path, dataset, y, scores)
    data = Data(frame([]), facts or about(), None, predictions)
    return run_analysis(seed_choice, data, _FAST | options)


def models(n=6, items=1200, noise=0.7, seed=0):
    """Runs: (targets, logit gaps (n, items)) of one signal with a noise of their own."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, items)
    signal = (2 * y - 1) * 1.2 + rng.normal(0, 1.5, items)
    return y, signal + rng.normal(0, noise, (n, items))


def test_churn_ece_and_metrics_equal_brute_force(tmp_path):
    y, gaps = models(n=5, items=300)
    p = expit(gaps)
    table = analyse(tmp_path, y, list(p), n_bins=10)
    assert list(table["init"]) == [0, 1, 2, 3, 4]
    labels = gaps > 0
    for i, row in table.iterrows():
        others = [j for j in range(5) if j != i]
        churn = np.mean([np.mean(labels[i] != labels[j]) for j in others])
        ensemble = np.mean([gaps[j] for j in others], axis=0) > 0
        assert row["churn"] == pytest.approx(churn)
        assert row["churn_ensemble"] == pytest.approx(np.mean(labels[i] != ensemble))
        assert row["accuracy"] == pytest.approx(np.mean(labels[i] == y))
        assert row["primary"] == pytest.approx(roc_auc_score(y, p[i]))
        confidence, right = np.maximum(p[i], 1 - p[i]), labels[i] == y
        ece = 0.0
        for b in range(10):
            inside = (confidence > b / 10) & (confidence <= (b + 1) / 10)
            ece += abs(right[inside].sum() - confidence[inside].sum()) / len(y)
        assert row["ece"] == pytest.approx(ece)
    mean_gap = gaps.mean(axis=0)
    assert table["ensemble_accuracy"].unique() == pytest.approx([np.mean((mean_gap > 0) == y)])
    assert table["ensemble_primary"].unique() == pytest.approx([roc_auc_score(y, mean_gap)])


def shifted(n):
    """`n` runs of 4,000 items, of model 2 a third of the items moved by 12 logits."""
    y, gaps = models(n=n, items=4000)
    gaps[2, np.random.default_rng(1).random(4000) < 1 / 3] += 12
    return y, list(expit(gaps))


def test_shifted_model_has_the_largest_alpha_hat(tmp_path):
    table = analyse(tmp_path, *shifted(12)).set_index("init")
    assert table["alpha_hat"].idxmax() == 2
    assert table["alpha_hat"].drop(2).max() < 0.05
    # Trimming a share a leaves (1/3 - a)/(1 - a) of moved items, which may be delta: that gives
    # a, up to the resampling of both halves.
    delta = table["delta"].iloc[0]
    expected = (1 / 3 - delta) / (1 - delta)
    assert table.loc[2, "alpha_hat"] == pytest.approx(expected, abs=0.05)
    assert not table.loc[2, "admitted"]
    assert table.loc[2, "rank"] == 12
    assert table["admitted"].drop(2).all()


def test_with_few_seeds_one_outlier_affects_every_reference(tmp_path):
    """A fifth of the reference has a third of its mass where the others have none: more than
    delta, so that no trimming of theirs can follow it. The rule needs enough seeds.
    """
    table = analyse(tmp_path, *shifted(6)).set_index("init")
    assert table["delta"].iloc[0] < 1 / 5 / 3
    assert (table["alpha_hat"].drop(2) == 1).all()


def test_two_arms_of_one_model_are_cells_of_their_own(tmp_path):
    y, gaps = models(n=10, items=300)
    arms = {"rf:short": gaps[:5], "rf:long": 2 * gaps[5:]}
    files = {("magic", arm): (y, list(expit(own))) for arm, own in arms.items()}
    data = Data(frame([]), about(), None, write_items(tmp_path, files))
    table = run_analysis(seed_choice, data, _FAST)
    assert set(table["model"]) == {"rf"}
    for arm, own in arms.items():
        rows = table[table["arm"] == arm]
        np.testing.assert_allclose(rows["accuracy"], ((own > 0) == y).mean(axis=1))
        assert sorted(rows["rank"]) == [1, 2, 3, 4, 5]


def test_the_rank_is_by_accuracy_among_those_admitted(tmp_path):
    y, gaps = models(n=6, items=2000)
    table = analyse(tmp_path, y, list(expit(gaps)))
    assert table["admitted"].all()
    assert sorted(table["rank"]) == [1, 2, 3, 4, 5, 6]
    assert table.sort_values("rank")["accuracy"].is_monotonic_decreasing
    assert table.loc[table["rank"].idxmin(), "pareto"]


def test_rank_uses_stored_validation_accuracy(tmp_path):
    """Validation rows that order the models against their order on the test rows."""
    y, gaps = models(n=6, items=2000)
    write(tmp_path, "magic", y, list(expit(gaps)))
    test = ((gaps > 0) == y).mean(axis=1)
    right = np.arange(10) < (10 - np.argsort(np.argsort(test)))[:, None]  # 5 to 10 of 10 rows
    folder = tmp_path / "model_seeds"
    truth = np.tile([0.0, 1.0], 5)
    for name, values in (
        ("scores", list(np.where(right == truth, 2.0, -2.0).astype(np.float32))),
        ("targets", [truth]),
    ):
        table = pq.read_table(folder / f"{name}.parquet")
        place, field = table.schema.get_field_index("validation"), table.schema.field("validation")
        pq.write_table(
            table.set_column(place, field, pa.array(list(values), field.type)),
            folder / f"{name}.parquet",
        )
    data = Data(frame([]), about(), None, Predictions(tmp_path, tasks={"magic": "binary"}))
    table = run_analysis(seed_choice, data, _FAST)
    assert set(table["ranked_by"]) == {"validation accuracy"}
    assert table["validation_accuracy"].to_numpy() == pytest.approx(right.mean(axis=1))
    assert table["admitted"].all()
    assert table.sort_values("rank")["validation_accuracy"].is_monotonic_decreasing
    assert table.sort_values("rank")["accuracy"].is_monotonic_increasing
    without = analyse(tmp_path / "without", y, list(expit(gaps)))
    assert set(without["ranked_by"]) == {"test accuracy"}
    assert without["validation_accuracy"].isna().all()
    assert list(without["rank"]) == list(7 - table["rank"])


def test_identical_models_differ_in_nothing(tmp_path):
    y, gaps = models(n=1, items=1000)
    table = analyse(tmp_path, y, [expit(gaps[0])] * 5, n_bootstrap=20)
    assert (table[["alpha_hat", "churn", "churn_ensemble", "gain"]] == 0).all(axis=None)
    assert table["pareto"].all()
    # One model cannot be chosen: on average over halves nothing is won or lost.
    assert table["optimism"].abs().max() < 4 * table["optimism_mc_se"].max() + 1e-12


def test_pure_noise_seeds_show_the_optimism_of_the_maximum(tmp_path):
    """Right with chance 0.8 on each item, by itself: the best of 8 on n/2 items is ahead of the
    other half by E[max of 8 normals] = 1.4236 standard errors, and gains nothing.
    """
    rng, items, found = np.random.default_rng(3), 800, []
    for repetition in range(25):
        y = rng.integers(0, 2, items)
        right = rng.random((8, items)) < 0.8
        scores = np.where(right, y, 1 - y) * 0.8 + 0.1
        table = analyse(tmp_path / str(repetition), y, list(scores), n_bootstrap=2)
        assert table["optimism"].nunique() == 1
        found.append(table.iloc[0][["optimism", "gain"]].to_numpy(float))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / 5
    assert (np.array(found)[:, 0] > 0).mean() > 0.9
    assert mean[0] == pytest.approx(1.4236 * np.sqrt(0.16 / 400), abs=4 * error[0])
    assert mean[1] == pytest.approx(0, abs=4 * error[1])
    assert error[0] < 0.002


def test_certain_scores_are_clipped_not_refused(tmp_path):
    y = np.tile([0, 1], 100)
    table = analyse(tmp_path, y, [y.astype(float)] * 4)
    assert (table["accuracy"] == 1).all()
    assert (table["alpha_hat"] == 0).all()
    assert (table["reason"] == "").all()


@pytest.mark.parametrize(
    ("dataset", "scores", "words"),
    [
        ("bike_sharing", [[0.1, 0.2]] * 5, "regression"),
        ("magic", [[0.1, 0.9], None, [0.1, 0.9], [0.2, 0.8], None], "at least 4 model seeds"),
        ("magic", [None, None], "at least 4 model seeds"),
    ],
)
def test_what_cannot_be_measured_is_one_row_with_its_reason(tmp_path, dataset, scores, words):
    table = analyse(tmp_path, [0, 1], scores, dataset)
    assert len(table) == 1
    assert words in table["reason"].iloc[0]
    assert table["failed"].iloc[0] == sum(score is None for score in scores)
    assert np.isnan(table["alpha_hat"].iloc[0])


def test_several_classes_are_left_out_with_a_reason(tmp_path):
    facts = about()
    facts = amended(facts, datasets={"magic": {"task": "multiclass"}})
    table = analyse(tmp_path / "a", [0, 1, 2], [np.eye(3)] * 5, facts=facts)
    assert "multiclass" in table["reason"].item()


def test_failed_seeds_keep_the_others_in_place(tmp_path):
    y, gaps = models(n=5, items=100)
    scores = list(expit(gaps))
    table = analyse(tmp_path, y, [scores[0], None, *scores[1:]])
    assert list(table["init"]) == [0, 2, 3, 4, 5]
    assert set(table["failed"]) == {1}
    table.to_parquet(tmp_path / "t.parquet")


def test_no_predictions_give_an_empty_table():
    table = run_analysis(seed_choice, Data(frame([]), about()))
    assert table.empty
    assert list(table.columns) == seed_choice.COLUMNS
