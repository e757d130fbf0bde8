"""Imported per-item predictions reach the analyses that read scores."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from reseed.analyses import noise_split
from reseed.analyses.shared.data import read_data
from reseed.config.studies import Results
from reseed.core.errors import ReseedError
from reseed.jobs import import_results
from reseed.pipeline.runner import Granted
from reseed.planning.specs import ImportSpec
from reseed.readers.study_tables import import_predictions
from run_kinds import run_analysis
from toy_project import toy_study_spec

STUDY = {"study": "mine", "title": "My runs", "scale": "as given"}
SEEDS, ITEMS = 5, 60


def items(seed=0):
    """(model, seed, item, target label, score), rows shuffled, items named out of order."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, ITEMS)
    rows = [
        (model, s, f"case-{item}", ("ham", "spam")[truth[item]], score)
        for model in "ab"
        for s in range(SEEDS)
        for item, score in enumerate(np.clip(rng.normal(0.25 + 0.5 * truth, 0.25), 0, 1))
    ]
    frame = pd.DataFrame(rows, columns=["model", "seed", "item", "y_true", "y_score"])
    return frame.sample(frac=1, random_state=seed, ignore_index=True)


def imported(tmp_path, frame):
    """The study's folder, written by the jobs of the pipeline."""
    path = tmp_path / "items.csv"
    frame.to_csv(path, index=False)
    study = toy_study_spec(tmp_path)
    folder = tmp_path / "results" / "studies" / "first"
    (folder / "predictions" / "results").mkdir(parents=True)
    for is_items in (False, True):
        spec = ImportSpec(Results(path=str(path)), study, is_items)
        import_results.run(spec, Granted())
    return folder


def test_scores_and_targets_stay_aligned_item_by_item(tmp_path):
    frame = items()
    data = read_data(imported(tmp_path, frame), None, None)
    groups = {group.key["model"]: group for group in data.predictions.read_groups()}
    assert set(groups) == {"a", "b"}
    for model, group in groups.items():
        assert group.scores.shape == (SEEDS, ITEMS)
        for (seed, *_), scores in zip(group.seeds, group.scores, strict=True):
            run = frame[(frame["model"] == model) & (frame["seed"] == seed)]
            expected = sorted(zip(run["y_true"] == "spam", run["y_score"], strict=True))
            # Stored as float32 log-odds, so equal to about seven digits.
            actual = sorted(zip(group.y_true == 1, scores, strict=True))
            assert np.allclose(actual, expected, atol=1e-6)
        # One order for all seeds: an item's scores form one column.
        wide = frame[frame["model"] == model].pivot(index="item", columns="seed", values="y_score")
        by_seed = group.scores[np.argsort([seed for seed, *_ in group.seeds])]
        assert np.allclose(sorted(by_seed.T.tolist()), sorted(wide.to_numpy().tolist()), atol=1e-6)


def test_analyses_of_scores_read_imported_results(tmp_path):
    data = read_data(imported(tmp_path, items()), None, None)
    assert set(run_analysis(noise_split, data, n_boot=20)["metric"]) == {"accuracy", "auc"}


def test_failed_run_has_no_scores(tmp_path):
    frame = items()
    frame.loc[(frame["model"] == "a") & (frame["seed"] == 2), "y_score"] = np.nan
    study = imported(tmp_path, frame)
    scores = pq.read_table(study / "predictions" / "results" / "scores.parquet").to_pandas()
    lost = scores[scores["test"].isna()]
    assert lost[["model", "init", "status"]].to_numpy().tolist() == [["a", 2, "failed"]]
    groups = read_data(study, None, None).predictions.read_groups()
    kept = {group.key["model"]: (len(group.seeds), group.failed) for group in groups}
    assert kept == {"a": (SEEDS - 1, 1), "b": (SEEDS, 0)}


def test_each_fold_is_a_test_set_of_its_own(tmp_path):
    frame = pd.concat([items(0).assign(fold=0), items(1).assign(fold=1)])
    study = imported(tmp_path, frame)
    targets = pq.read_table(study / "predictions" / "results" / "targets.parquet").to_pandas()
    assert targets["fold"].tolist() == [0, 1]
    assert set(targets["scheme"]) == {"kfold-2x1"}
    assert len(list(read_data(study, None, None).predictions.read_groups())) == 4


def test_file_without_scores_is_refused(tmp_path):
    path, frame = tmp_path / "runs.csv", items()
    frame[["model", "seed"]].drop_duplicates().assign(accuracy=0.5).to_csv(path, index=False)
    with pytest.raises(ReseedError, match="no scores of items"):
        import_predictions(path, {}, STUDY)


def test_predicted_labels_are_scored_as_correct_or_not(tmp_path):
    path, frame = tmp_path / "runs.csv", items()
    guess = np.random.default_rng(0).choice(["ham", "spam"], len(frame))
    frame.assign(y_pred=guess).drop(columns="y_score").to_csv(path, index=False)
    scores, targets = (table.to_pandas() for table in import_predictions(path, {}, STUDY))
    expected = (guess == frame["y_true"]).groupby([frame["model"], frame["seed"]]).mean()
    found = scores.set_index(["model", "init"])["test"].map(np.mean).sort_index()
    assert found.to_numpy() == pytest.approx(expected.to_numpy())
    assert set(np.concatenate(targets["test"])) == {0.0}
