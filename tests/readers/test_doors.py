"""One table has one answer: on the command line, in Python, as a study."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reseed
from imported_pairs import import_as_study
from reseed.cli import main

_ROOT = Path(__file__).parents[2]
_SHARED = _ROOT.parent / "shared"
#: Table → what a user says of it.
TABLES = {
    "docs/examples/runs.csv": {},
    "tests/readers/tables/automl.csv": {"metric": "auc"},
    "tests/readers/tables/optuna.csv": {"greater_is_better": True},
    "result-tables/automl_medium.csv": {"metric": "auc", "greater_is_better": True},
    "result-tables/cv_results.csv": {"metric": "accuracy"},
    "result-tables/glue.csv": {},
    "public-cases/01-*/bare.csv": {"metric": "accuracy", "rows": "fold"},
    "public-cases/01-*/with_index.csv": {"metric": "accuracy", "rows": "fold"},
    "public-cases/02-*/scores.csv": {"metric": "neg_rmse", "columns": {"fold": "CV_split"}},
    "public-cases/03-*/datasets.csv": {"greater_is_better": True},
    "public-cases/06-*/resamples_values.csv": {"metric": "ROC"},
    "public-cases/12-*/logs": {"metric": "test_acc"},
    "public-cases/18-*/cv_results.csv": {"metric": "accuracy", "test_train_ratio": 0.111},
    "public-cases/27-*/per_fold.csv": {
        "metric": "predictive_accuracy",
        "columns": {"value": "values", "fold": "position"},
    },
    "public-cases/28-*/samples.csv": {},
    "public-cases/30-*/wide.csv": {"metric": "auc"},
    "public-cases/44-*/aime.csv": {"metric": "accuracy"},
    "public-cases/48-*/items.csv": {"metric": "deviation", "greater_is_better": False},
    "public-cases/58-*/runs.csv": {"columns": {"dataset": "task_id"}},
    "public-cases/60-*/folds.csv": {"test_train_ratio": 0.111},
}
_TEXTS = ["dataset", "model_a", "model_b", "outcome"]
_NUMBERS = ["difference", "low", "high", "p", "p_adjusted"]


def find_table(name: str) -> Path:
    own = _ROOT / name
    found = [own] if own.exists() else sorted(_SHARED.glob(name))
    if not found:
        pytest.skip("the tables that other people made are not here")
    return found[0]


def write_flags(options: dict) -> list[str]:
    flags = []
    for name, value in options.items():
        if name == "columns":
            flags += [f"--column={role}={column}" for role, column in value.items()]
        elif name == "greater_is_better":
            flags.append("--greater-is-better" if value else "--lower-is-better")
        else:
            flags += [f"--{name.replace('_', '-')}", str(value)]
    return flags


def check_equal(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    for name in _TEXTS:
        assert found[name].fillna("").tolist() == expected[name].fillna("").tolist()
    numbers = [one[_NUMBERS].to_numpy(dtype=float) for one in (found, expected)]
    np.testing.assert_allclose(*numbers, rtol=1e-9, atol=1e-12)


def check_study(path: Path, folder: Path, options: dict, expected: pd.DataFrame) -> None:
    found = import_as_study(path, folder, options)
    check_equal(found, expected)


@pytest.mark.parametrize("name", TABLES)
def test_every_door_gives_one_answer(tmp_path, capsys, name):
    path, options = find_table(name), TABLES[name]
    found = reseed.compare(path, **options)
    main(["compare", str(path), *write_flags(options), "--csv", str(tmp_path / "verdicts.csv")])
    capsys.readouterr()
    check_equal(pd.read_csv(tmp_path / "verdicts.csv"), found.verdicts)
    main(["read", str(path), *write_flags(options)])
    assert "A comparison asks nothing." in capsys.readouterr().out
    check_study(path, tmp_path, options, found.statistics("pairs"))


def make_items(seeds: int, clusters: int, column: str) -> pd.DataFrame:
    rng = np.random.default_rng(seeds + clusters)
    rows = []
    for rank, model in enumerate("abc"):
        for seed in range(seeds):
            for item in range(60):
                value = 0.4 + 0.1 * rank + 0.3 * np.sin(item) + 0.1 * rng.normal()
                rows.append((model, seed, item, item % clusters if clusters else "", value))
    frame = pd.DataFrame(rows, columns=["model", "seed", "item", "cluster", "value"])
    if column == "y_score":
        frame = frame.assign(y_true=frame["item"] % 2, y_score=frame["value"].clip(0.01, 0.99))
    else:
        frame = frame.assign(accuracy=(frame["value"] > 0.5).astype(int))
    unused = ["value", *([] if seeds > 1 else ["seed"]), *([] if clusters else ["cluster"])]
    return frame.drop(columns=unused)


@pytest.mark.parametrize("column", ["accuracy", "y_score"])
@pytest.mark.parametrize(("seeds", "clusters"), [(1, 0), (1, 7), (3, 7)])
def test_study_compares_items_as_compare_does(tmp_path, column, seeds, clusters):
    path = tmp_path / "items.csv"
    make_items(seeds, clusters, column).to_csv(path, index=False)
    check_study(path, tmp_path, {}, reseed.compare(path).statistics("pairs"))


def test_items_numbered_within_clusters_are_named_by_both(tmp_path):
    path = tmp_path / "items.csv"
    frame = make_items(2, 6, "accuracy")
    frame.assign(item=frame["item"] // 6).to_csv(path, index=False)
    expected = reseed.compare(path)
    assert any("numbered within clusters" in note for note in expected.notes)
    check_study(path, tmp_path, {}, expected.statistics("pairs"))
