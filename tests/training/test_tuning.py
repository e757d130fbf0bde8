"""Search: it finds what brute force finds, resumes, and does not depend on its processes."""

import itertools
import json
import math
from collections import Counter

import numpy as np
import pytest
from reseed.core.errors import ReseedError
from reseed.core.halving import compute_rung_sizes
from reseed.core.random_streams import derive_seed
from reseed.models.ffnn import ffnn
from reseed.training.failures import InfrastructureError
from reseed.training.holdout import hold_out
from reseed.training.run import Recipe
from reseed.training.search_design import make_folds, sample_configurations
from reseed.training.tuning import Search
from scipy.stats import chisquare
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.model_selection import GridSearchCV, ParameterSampler, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from synthetic_tables import problem, table

GBM = "reseed.models.boosting:gbm"
FIXED = {"n_estimators": 10, "subsample": 0.8}
ROWS = np.arange(320)
SPACE = {"learning_rate": [0.05, 0.1, 0.3], "max_depth": {"low": 1, "high": 3}}


def gbm_search(work, task="regression", space=SPACE, **options):
    defaults = {"trials": 9, "seed": 0, "report": lambda text: None, "folds": 3, "key": "data"}
    recipe = Recipe(GBM, FIXED)
    return Search(problem(task), recipe, space, ROWS, work, **(defaults | options)).run()


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    return gbm_search(tmp_path_factory.mktemp("full"))


def test_search_agrees_with_grid_search_of_scikit_learn(full):
    features, target, _, _ = table("regression")
    fold_of = np.empty(320, dtype=int)
    for number, (_, test) in enumerate(make_folds(target, "regression", np.arange(320), 3, 0)):
        fold_of[test] = number
    grid = {"learning_rate": [0.05, 0.1, 0.3], "max_depth": [1, 2, 3]}
    reference = GridSearchCV(
        make_pipeline(MinMaxScaler(), GradientBoostingRegressor(**FIXED, random_state=0)),
        {f"gradientboostingregressor__{name}": values for name, values in grid.items()},
        scoring="neg_mean_squared_error",
        cv=PredefinedSplit(fold_of),
    ).fit(features[:320], target[:320])
    best = {k.split("__")[1]: v for k, v in reference.best_params_.items()}
    assert full.best == best
    assert full.best_score == pytest.approx(-reference.best_score_)
    assert full.relative_work == 1
    assert len(full.log) == 27
    assert json.loads(full.log.hyperparameters[0]).keys() == {*FIXED, *SPACE}


def test_number_of_processes_does_not_change_the_result(tmp_path, monkeypatch):
    monkeypatch.setattr("reseed.core.halving.HALVING_MINIMUM_ROWS", 20)
    one = gbm_search(tmp_path / "1", method="halving")
    two = gbm_search(tmp_path / "2", method="halving", threads=2)
    assert one.best == two.best
    assert one.log.drop(columns="seconds").equals(two.log.drop(columns="seconds"))
    # 9 on a ninth of the rows, 3 on a third, 1 on all: 3 of the 9 full searches' work.
    assert one.relative_work == pytest.approx(3 / 9, rel=0.02)
    assert one.log.groupby("rung").configuration.nunique().tolist() == [9, 3, 1]
    last = one.log[one.log.rung == 2]
    assert one.best_score == pytest.approx(last.score.mean())


def test_interrupted_search_is_resumed(full, tmp_path):
    lines = []

    def interrupt(text):
        lines.append(text)
        if len(lines) == 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gbm_search(tmp_path, report=interrupt, report_every=0)
    assert len(list(tmp_path.glob("*.json"))) == 10
    lines.clear()
    (tmp_path / "broken.tmp-1").write_text("half a file")
    again = gbm_search(tmp_path, report=lines.append, report_every=0)
    assert len(lines) == 17 + 1
    assert "11/27 fits" in lines[0]
    assert "best mean so far" in lines[0]
    assert again.best == full.best
    assert again.log.drop(columns="seconds").equals(full.log.drop(columns="seconds"))
    # Another question in the same folder takes nothing over.
    lines.clear()
    other = gbm_search(tmp_path, report=lines.append, report_every=0, seed=1)
    assert len(lines) == 27 + 1
    assert not np.isclose(other.best_score, full.best_score)


def test_failed_configurations_are_logged_and_never_chosen(tmp_path):
    space = {"learning_rate": [-1.0, 0.1]}
    result = gbm_search(tmp_path / "some", space=space)
    assert result.best == {"learning_rate": 0.1}
    bad = result.log[result.log.status == "failed"]
    assert len(bad) == 3
    assert bad.error.str.contains("learning_rate").all()
    assert bad.score.isna().all()
    with pytest.raises(ReseedError, match="each of the 1 configurations failed"):
        gbm_search(tmp_path / "all", space={"learning_rate": [-1.0]})


NETWORK = {"max_epochs": 15, "patience": 5, "neurons_1": 8, "neurons_2": 0, "neurons_3": 0}


def network_search(work, stack, **options):
    recipe = Recipe("reseed.models.ffnn:ffnn", NETWORK, stack=stack)
    defaults = {"trials": 2, "seed": 0, "report": lambda text: None, "key": "data"}
    space = {"learning_rate": [0.1, 1e-6]}
    return Search(problem("multiclass"), recipe, space, ROWS, work, **(defaults | options)).run()


def network_of_eight(task, n_classes, hyperparameters, *arguments):
    """Return a network, or raise for other sizes of its second layer."""
    if hyperparameters["neurons_2"] != 8:
        raise RuntimeError("eight neurons only")
    return ffnn(task, n_classes, hyperparameters, *arguments)


@pytest.mark.parametrize("sizes", [[4, 8], [8, 4]])
def test_factory_that_fails_for_a_configuration(tmp_path, sizes):
    def search(sizes):
        recipe = Recipe(f"{__name__}:network_of_eight", NETWORK, stack=8)
        options = {"trials": 2, "seed": 0, "report": lambda text: None, "key": "data", "folds": 2}
        space = {"neurons_2": sizes}
        return Search(problem("multiclass"), recipe, space, ROWS, tmp_path, **options).run()

    result = search(sizes)
    assert result.best == {"neurons_2": 8}
    by_status = result.log.groupby("status")
    assert by_status.size().to_dict() == {"failed": 2, "ok": 2}
    # Rows for early stopping were held out, as for every network.
    assert (by_status.get_group("ok").rows == 160).all()
    with pytest.raises(ReseedError, match=r"each of the 1 configurations failed.*eight neurons"):
        search([4])


def test_a_network_is_stopped_on_rows_of_its_training_fold(tmp_path):
    result = network_search(tmp_path, stack=1)
    assert result.best == {"learning_rate": 0.1}
    assert (result.log.rows == 256).all()
    assert result.relative_work == 1


def test_stacked_folds_agree_with_single_folds(tmp_path):
    alone, together = (network_search(tmp_path / str(n), stack=n) for n in (1, 8))
    assert together.best == alone.best
    assert together.log.score.to_numpy() == pytest.approx(alone.log.score.to_numpy(), abs=0.05)
    # Three folds of 320 rows differ by one row; they give it up to be trained side by side.
    uneven = network_search(tmp_path / "uneven", stack=8, folds=3)
    assert uneven.log.rows.nunique() == 1
    assert (uneven.log.status == "ok").all()


def test_machine_failure_ends_the_search_and_keeps_its_fits(tmp_path, monkeypatch):
    import reseed.training.tuning as module

    fit, calls = module._fit, []

    def breaking(*arguments, **named):
        calls.append(named)
        if len(calls) > 4:
            raise InfrastructureError("no room")
        return fit(*arguments, **named)

    monkeypatch.setattr(module, "_fit", breaking)
    with pytest.raises(InfrastructureError):
        gbm_search(tmp_path)
    monkeypatch.undo()
    lines = []
    gbm_search(tmp_path, report=lines.append, report_every=0)
    assert "5/27 fits" in lines[0]


def test_write_to_a_fold_affects_no_other_configuration(tmp_path, monkeypatch):
    """All configurations of a search learn from the same arrays of a fold."""

    class Writer(GradientBoostingRegressor):
        def fit(self, X, y):
            X[:] = 0
            return super().fit(X, y)

    def factory(task, n_classes, hyperparameters, seeds, *rest):
        kind = Writer if hyperparameters.pop("writes", False) else GradientBoostingRegressor
        return kind(**hyperparameters, random_state=seeds["init"])

    for module in ("tuning", "run"):
        monkeypatch.setattr(f"reseed.training.{module}.load_factory", lambda path: factory)
    alone = gbm_search(tmp_path / "alone", space={"max_depth": [2, 3]})
    both = gbm_search(tmp_path / "both", space={"max_depth": [2, 3], "writes": [True, False]})
    assert both.best == alone.best | {"writes": False}
    assert both.best_score == alone.best_score
    assert (
        both.log.error[both.log.status == "failed"]
        .str.contains("copy an array before a change")
        .all()
    )


def test_configurations_are_distinct_and_of_the_space():
    drawn = sample_configurations(SPACE, 100, seed=0)
    product = {(a, b) for a, b in itertools.product([0.05, 0.1, 0.3], [1, 2, 3])}
    assert {(c["learning_rate"], c["max_depth"]) for c in drawn} == product
    assert len(drawn) == 9
    wide = {"x": {"low": 50, "high": 500}, "y": list(range(100)), "z": [0.1, 0.2]}
    drawn = sample_configurations(wide, 500, seed=0)
    assert len({tuple(c.values()) for c in drawn}) == 500
    assert drawn == sample_configurations(wide, 500, seed=0)
    assert drawn != sample_configurations(wide, 500, seed=1)
    # Uniform: the mean of 500 draws from 50 … 500 has SD 130/sqrt(500) = 5.8.
    assert np.mean([c["x"] for c in drawn]) == pytest.approx(275, abs=5 * 5.8)


FFNN_GRID = {"x": list(range(240)), "y": list(range(240))}  # 57,600, as the space of ffnn


@pytest.mark.parametrize("share", [0.001, 0.005, 0.02, 0.15, 0.3, 0.8, 0.99, 1.0])
@pytest.mark.parametrize("space", [{"x": list(range(1000))}, {"x": [0, 1], "y": list(range(150))}])
def test_more_trials_extend_a_search(share, space):
    whole = sample_configurations(space, 1000, seed=4)
    count = max(1, round(share * len(whole)))
    assert sample_configurations(space, count, seed=4) == whole[:count]
    assert len({tuple(c.values()) for c in whole}) == math.prod(map(len, space.values()))


def test_small_shares_agree_with_scikit_learn():
    random_state = derive_seed(7, "search")
    expected = list(ParameterSampler(FFNN_GRID, 500, random_state=random_state))
    assert sample_configurations(FFNN_GRID, 500, seed=7) == expected


@pytest.mark.parametrize("trials", [1, 3, 7])
def test_configurations_are_drawn_uniformly(trials):
    # 3,000 draws from 8: every ordered pair of first and last candidate is as frequent as another.
    space, draws = {"x": [1, 2], "y": [1, 2, 3, 4]}, 3000
    counts = Counter()
    for seed in range(draws):
        drawn = [tuple(c.values()) for c in sample_configurations(space, trials, seed)]
        counts[drawn[0], drawn[-1]] += 1
    cells = 8 if trials == 1 else 8 * 7
    assert len(counts) == cells
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_folds_partition_rows_balance_classes_and_keep_groups():
    target = (np.arange(500) % 10 == 0).astype(int)
    rows, groups = np.random.default_rng(0).permutation(500)[:400], np.arange(500) // 3
    for task, grouping in itertools.product(["regression", "binary"], [None, groups]):
        parts = make_folds(target, task, rows, 5, 0, grouping)
        assert sorted(np.concatenate([test for _, test in parts])) == sorted(rows)
        for train, test in parts:
            assert sorted([*train, *test]) == sorted(rows)
            if task == "binary":
                assert target[test].mean() == pytest.approx(target[rows].mean(), abs=0.02)
            if grouping is not None:
                assert not set(groups[train]) & set(groups[test])


def test_rungs_triple_up_to_all_rows():
    assert compute_rung_sizes(12_800, 500) == [1422, 4266, 12_800]
    assert compute_rung_sizes(1_000_000, 9) == [111_111, 333_333, 1_000_000]
    assert compute_rung_sizes(900, 500) == [900]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "grid"}, "tuning method 'grid': use one of random, halving"),
        ({"space": {"max_depth": {"low": 3, "high": 1}}}, "search space of max_depth"),
        ({"space": {"max_depth": []}}, "search space of max_depth is empty"),
        ({"trials": 0}, "tuning trials 0"),
        ({"folds": 400}, "400 folds are not possible"),
    ],
)
def test_errors_name_the_argument(options, message, tmp_path):
    with pytest.raises(ReseedError, match=message):
        gbm_search(tmp_path, **options)


def test_damaged_fits_of_a_search_are_repeated_and_others_not(full, tmp_path):
    gbm_search(tmp_path)
    first, second, *others = sorted(tmp_path.iterdir())
    first.write_bytes(first.read_bytes()[:50])
    second.write_text(second.read_text().replace('"score": ', '"score": 1'))
    times = [path.stat().st_mtime_ns for path in others]
    lines = []
    again = gbm_search(tmp_path, report=lines.append, report_every=0)
    assert len(lines) == 2 + 1
    assert [path.stat().st_mtime_ns for path in others] == times
    assert again.log.drop(columns="seconds").equals(full.log.drop(columns="seconds"))


def gbm_shards(work, shards, **options):
    """A halving search whose rungs are made in shards, each by a search object of its own."""
    defaults = {"trials": 9, "seed": 0, "report": lambda text: None, "folds": 3, "key": "data"}
    for rung, count in enumerate((9, 3, 1, 1)):  # the last rung does not exist
        count *= 3  # folds
        for k in range(min(shards, count)):
            start, stop = (count * i // min(shards, count) for i in (k, k + 1))
            one = Search(problem("regression"), Recipe(GBM, FIXED), SPACE, ROWS, work,
                         method="halving", **(defaults | options))  # fmt: skip
            assert len(one.run_shard(rung, start, stop)) == (stop - start if rung < 3 else 0)


def test_shards_make_the_fits_of_the_whole_search(tmp_path, monkeypatch):
    monkeypatch.setattr("reseed.core.halving.HALVING_MINIMUM_ROWS", 20)
    whole = gbm_search(tmp_path / "whole", method="halving")
    folder = tmp_path / "shards"
    gbm_shards(folder, 4)
    files = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert files.keys() == {path.name for path in (tmp_path / "whole").iterdir()}
    found = gbm_search(folder, method="halving")
    assert files == {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert found.best == whole.best
    assert found.log.drop(columns="seconds").equals(whole.log.drop(columns="seconds"))


def test_a_shard_makes_missing_fits_of_earlier_rungs(full, tmp_path, monkeypatch):
    monkeypatch.setattr("reseed.core.halving.HALVING_MINIMUM_ROWS", 20)
    named = {"trials": 9, "seed": 0, "key": "data", "folds": 3, "report": lambda text: None}
    recipe = Recipe(GBM, FIXED)
    one = Search(problem("regression"), recipe, SPACE, ROWS, tmp_path, method="halving", **named)
    assert len(one.run_shard(1, 2, 4)) == 2  # the last fold of a candidate, the first of the next
    assert len(list(tmp_path.iterdir())) == 9 * 3 + 2


def test_a_shard_of_a_stacked_search_has_whole_candidates(tmp_path):
    recipe = Recipe("reseed.models.ffnn:ffnn", NETWORK, stack=8)
    space = {"learning_rate": [0.1, 0.01, 1e-3]}
    named = {"trials": 3, "seed": 0, "key": "data", "report": lambda text: None}
    one = Search(problem("multiclass"), recipe, space, ROWS, tmp_path, **named)
    assert len(one.run_shard(0, 5, 15)) == 10
    assert len(list(tmp_path.iterdir())) == 2


def test_searches_that_overlap_share_fits(tmp_path):
    gbm_search(tmp_path, space={"learning_rate": [0.05, 0.1], "max_depth": [1, 2]})
    assert len(list(tmp_path.iterdir())) == 4 * 3
    lines = []
    result = gbm_search(tmp_path, report=lines.append, report_every=0)
    assert len(lines) == (9 - 4) * 3 + 1
    assert len(result.log) == 27


def test_halving_agrees_with_a_plain_loop(tmp_path, monkeypatch):
    """Each rung's best third, on three times the rows, by scikit-learn's own fits."""
    monkeypatch.setattr("reseed.core.halving.HALVING_MINIMUM_ROWS", 20)
    found = gbm_search(tmp_path, method="halving", trials=9, seed=3)
    features, target, _, _ = table("regression")
    folds = make_folds(target, "regression", ROWS, 3, 3)
    alive = sample_configurations(SPACE, 9, 3)
    for share, left in ((9, 3), (3, 1), (1, 1)):
        size = min(len(train) for train, _ in folds) // share
        scores = []
        for settings in alive:
            errors = []
            for train, test in folds:
                rows = train if share == 1 else hold_out(train, size, target, "regression", 3)[1]
                regressor = GradientBoostingRegressor(**FIXED, **settings, random_state=3)
                model = make_pipeline(MinMaxScaler(), regressor)
                model.fit(features.iloc[rows], target[rows])
                errors.append(np.mean((model.predict(features.iloc[test]) - target[test]) ** 2))
            scores.append(np.mean(errors))
        order = np.argsort(scores, kind="stable")[:left]
        alive = [alive[i] for i in order]
    assert found.best == alive[0]
    assert found.best_score == pytest.approx(scores[order[0]])
