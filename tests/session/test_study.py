"""`reseed.study`: splits, trials and statistics of the pipeline in the current process."""

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.config.studies import Holdout
from reseed.core.errors import ReseedError
from reseed.data.splits import make_split, select_fold
from reseed.data.store import Targets
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import brier_score_loss, f1_score, log_loss, make_scorer, roc_auc_score
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, ShuffleSplit, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

X, Y = make_classification(120, 5, random_state=0)
FOREST = RandomForestClassifier(4, max_depth=3)
MODELS = {"forest": FOREST, "bayes": GaussianNB()}


class Network:
    """As PyTorch's: called with anything, and nothing to fit it."""

    def forward(self, x):
        return x

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)


class Interrupted(GaussianNB):
    """Ctrl-C while the third training of this model runs."""

    trainings = 0

    def fit(self, X, y):
        Interrupted.trainings += 1
        if Interrupted.trainings == 3:
            raise KeyboardInterrupt
        return super().fit(X, y)


@pytest.fixture(scope="module")
def found():
    return reseed.study(MODELS, X, Y, splits=3, seeds=2)


def test_scores_are_those_of_a_loop_by_hand(found):
    scheme = Holdout(kind="holdout", test=0.2).model_dump()
    rows = found.data.metrics.set_index(["model", "data_seed", "init"])
    for data_seed in range(3):
        split = select_fold(make_split(scheme, Targets(Y), "binary", data_seed))
        train = np.concatenate([split.train, split.validation])
        for seed in range(2):
            forest = clone(FOREST).set_params(random_state=seed).fit(X[train], Y[train])
            p = forest.predict_proba(X[split.test])[:, 1]
            row = rows.loc["forest", data_seed, seed]
            assert row["auc"] == pytest.approx(roc_auc_score(Y[split.test], p))
            assert row["brier"] == pytest.approx(brier_score_loss(Y[split.test], p), abs=1e-6)


def test_a_model_without_a_seed_is_trained_once_a_split(found):
    rows = found.data.metrics
    assert (rows[rows["model"] == "bayes"].groupby("data_seed")["fingerprint"].nunique() == 1).all()
    assert len(rows) == 12
    assert found.data.info.trials.planned == 9
    assert any("bayes: no parameter holds a seed" in note for note in found.notes)


def test_two_calls_agree_bit_by_bit_and_jobs_change_nothing(found):
    again = reseed.study(MODELS, X, Y, splits=3, seeds=2, n_jobs=2)
    same = found.data.metrics["fingerprint"].to_numpy() == again.data.metrics["fingerprint"]
    assert same.all()


def test_result_has_everything_of_compare_and_more(found):
    assert isinstance(found, reseed.Comparison)
    assert set(found.statistics("pairs")["design"]) == {"splits"}
    by_hand = reseed.compare(
        found.data.metrics[["model", "data_seed", "init", "auc"]].rename(columns={"init": "seed"}),
        metric="auc",
        test_train_ratio=0.25,
    )
    columns = ["difference", "mean_a", "mean_b", "instability"]
    pairs, expected = (one.statistics("pairs")[columns] for one in (found, by_hand))
    pd.testing.assert_frame_equal(pairs, expected)
    noise = found.statistics("noise")
    assert set(noise["items"]) == {24}
    assert not found.table("checklist").shown.empty


@pytest.mark.parametrize(
    ("splits", "scheme", "places", "ratio"),
    [
        (RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), "kfold-3", (2, 3), 1 / 3),
        (ShuffleSplit(4, test_size=0.25, random_state=0), "given", (4, 1), 0.25),
        ([(np.arange(60), np.arange(60, 120))], "given", (1, 1), 0.5),
        ([(np.arange(120) < 90, np.arange(120) >= 90)], "given", (1, 1), 0.25),
        (range(3, 5), "holdout-0.2", (2, 1), 0.2),
    ],
)
def test_splits(splits, scheme, places, ratio):
    rows = reseed.study(MODELS, X, Y, splits=splits, seeds=1, keep=False).data.metrics
    assert set(rows["scheme"]) == {scheme}
    assert (rows["data_seed"].nunique(), rows["fold"].nunique()) == places
    assert rows["test_ratio"].to_numpy() == pytest.approx(ratio)


def test_models_are_scored_on_the_test_set():
    rows = reseed.study(MODELS, X[:80], Y[:80], test=(X[80:], Y[80:]), seeds=[7]).data.metrics
    p = clone(FOREST).set_params(random_state=7).fit(X[:80], Y[:80]).predict_proba(X[80:])[:, 1]
    forest = rows[rows["model"] == "forest"]
    assert forest["auc"].tolist() == pytest.approx([roc_auc_score(Y[80:], p)])
    again = reseed.study(MODELS, X[:80], Y[:80], test=[X[80:], Y[80:]], seeds=[7]).data.metrics
    assert again["auc"].tolist() == rows["auc"].tolist()


def test_groups_stay_together():
    seen = []

    class Watching(GaussianNB):
        def fit(self, X, y):
            seen.append(set(X[:, 5]))
            return super().fit(X, y)

    group = np.repeat(np.arange(30), 4)
    data = np.column_stack([X, group])
    reseed.study({"a": Watching()}, data, Y, splits=4, seeds=1, groups=group, keep=False)
    assert len(seen) == 4
    held = [set(range(30)) - trained for trained in seen]
    assert all(len(h) == 6 for h in held)  # whole groups: a fifth of 30
    with pytest.raises(reseed.ReseedError, match="group on both sides"):
        reseed.study(MODELS, X, Y, splits=[(np.arange(50), np.arange(50, 120))], groups=group)


def test_few_rows_are_split_without_validation_rows():
    """Six rows, two of a class: one of each class is tested on, and four are trained on."""
    sizes = []

    class Watching(GaussianNB):
        def fit(self, X, y):
            sizes.append(np.bincount(y).tolist())
            return super().fit(X, y)

    rows = reseed.study({"a": Watching()}, X[:6], [0, 0, 0, 0, 1, 1], splits=3, seeds=1)
    assert (rows.data.metrics["status"] == "ok").all()
    assert sizes == [[3, 1]] * 3
    with pytest.raises(reseed.ReseedError, match="of 4 rows or groups cannot be drawn"):
        reseed.study({"a": Watching()}, X[:4], [0, 0, 1, 1], splits=3, seeds=1)


def test_weights_reach_the_training_rows_they_belong_to():
    weights = np.where(Y == 1, 3.0, 1.0)
    split = [(np.arange(80), np.arange(80, 120))]
    model = make_pipeline(StandardScaler(), LogisticRegression())
    rows = reseed.study({"lr": model}, X, Y, sample_weight=weights, splits=split).data.metrics
    fitted = clone(model).fit(X[:80], Y[:80], logisticregression__sample_weight=weights[:80])
    expected = log_loss(Y[80:], fitted.predict_proba(X[80:]))
    assert rows["log_loss"].tolist() == pytest.approx([expected] * 5, abs=1e-6)
    with pytest.raises(reseed.ReseedError, match="takes no sample_weight"):
        reseed.study({"knn": KNeighborsClassifier()}, X, Y, sample_weight=weights)


def test_regression_and_a_frame():
    data, values = make_regression(80, 3, random_state=1)
    frame = pd.DataFrame(data, columns=list("abc"))
    rows = reseed.study({"ridge": Ridge()}, frame, values, splits=2, seeds=1).data.metrics
    assert {"mse", "r2"} <= set(rows)
    assert (rows["r2"] > 0.9).all()


def test_user_metric_by_function():
    def mine(y_true, p):
        return float(np.mean((p > 0.5) != y_true))

    found = reseed.study(MODELS, X, Y, metric=mine, greater_is_better=False, splits=2, seeds=1)
    rows = found.data.metrics
    assert rows["mine"].to_numpy() == pytest.approx(1 - rows["accuracy"])
    assert found.leaderboard["metric"].unique().tolist() == ["mine"]
    with pytest.raises(reseed.ReseedError, match="greater_is_better"):
        reseed.study(MODELS, X, Y, metric=mine)


def test_user_metric_that_is_not_finite_fails_the_training():
    def cost(y_true, p):
        return np.nan

    with pytest.raises(reseed.ReseedError, match="trainings finished: metric cost is nan"):
        reseed.study(MODELS, X, Y, metric=cost, greater_is_better=False, splits=2, seeds=1)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, sparse.coo_matrix])
def test_sparse_rows(form):
    models = {"lr": LogisticRegression(), "forest": FOREST}
    dense = reseed.study(models, X, Y, splits=2, seeds=1, keep=False).data.metrics
    rows = reseed.study(models, form(X), Y, splits=2, seeds=1, keep=False).data.metrics
    assert rows["auc"].to_numpy() == pytest.approx(dense["auc"].to_numpy())
    rows = reseed.study({"ridge": Ridge()}, form(X), X[:, 0], splits=2, seeds=1).data.metrics
    assert (rows["status"] == "ok").all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.column_stack([Y, Y])}, "y has 2 columns"),
        ({"y": Y[:-1]}, "119 values for the 120 rows"),
        ({"y": np.arange(120)}, "whether they are values"),
        ({"models": [FOREST]}, "give a dict"),
        ({"models": {"rf": RandomForestClassifier}}, r"RandomForestClassifier\(\)"),
        ({"models": {"rf": 3}}, "no model"),
        ({"models": {"rf": {"factry": "a:b"}}}, "unknown field 'factry'"),
        ({"metric": "acuracy"}, "Did you mean"),
        ({"metric": "mse"}, "not binary"),
        ({"metric": make_scorer(f1_score)}, "metric='f1'"),
        ({"metric": f1_score, "greater_is_better": True}, "give metric='f1' for"),
        ({"models": {"net": Network()}}, "a Network has no fit"),
        ({"splits": 0.2}, "test=0.2 is the share"),
        ({"test": np.arange(5)}, "or a pair"),
        ({"seeds": [1, 1]}, "each once"),
        ({"device": "banana"}, "device .banana.: use one of cpu, gpu, auto"),
        ({"seeds": "42"}, "a list of whole numbers"),
        ({"seeds": [1.5]}, "a list of whole numbers"),
        ({"baseline": "forst"}, "Did you mean 'forest'"),
        ({"pairs": [("forest", "nope")]}, "pairs: no model is called 'nope'"),
        ({"pairs": [("forest", "forest")]}, "two different models"),
        ({"pairs": ["forest", "bayes"]}, "two different models"),
        ({"baseline": "forest", "pairs": [("forest", "bayes")]}, "not both"),
        ({"greater_is_better": "yes", "metric": max}, "not 'yes'"),
        ({"splits": KFold(5), "test": (X, Y)}, "one split, not both"),
        ({"test": [X, Y, X]}, "a pair"),
        ({"y": np.r_[9, np.arange(119) % 4]}, "task='regression'"),
        ({"splits": [(np.arange(50), np.arange(40, 60))]}, "tests on rows that it trains on"),
        ({"splits": [([0, 1], [200])]}, "names row 200"),
        ({"splits": GroupKFold(3)}, "GroupKFold"),
        ({"sample_weight": -np.ones(120)}, "0 or more"),
        ({"X": np.where(X > 2, np.nan, X), "models": {"nb": GaussianNB()}}, "Pipeline"),
        ({"test": 1.5}, "between 0 and 1"),
    ],
)
def test_invalid_input_is_refused(change, message):
    given = {"models": MODELS, "X": X, "y": Y} | change
    with pytest.raises(reseed.ReseedError, match=message):
        reseed.study(**given)


def test_failed_trainings_are_noted():
    class Fragile(DummyClassifier):
        def __init__(self, random_state=0):
            super().__init__()
            self.random_state = random_state

        def fit(self, X, y, sample_weight=None):
            if self.random_state == 1:
                raise FloatingPointError("diverged")
            return super().fit(X, y)

    found = reseed.study({"fragile": Fragile(), "b": GaussianNB()}, X, Y, splits=2, seeds=2)
    assert found.data.info.trials.failed == 2
    assert any("fragile: 2 of 4 trainings failed" in note for note in found.notes)


def test_progress_bar(capsys):
    reseed.study({"b": GaussianNB()}, X, Y, splits=2, seeds=1, keep=False, progress=True)
    stated = capsys.readouterr().err
    assert "2/2 trainings" in stated
    reseed.study({"b": GaussianNB()}, X, Y, splits=2, seeds=1, keep=False, progress=False)
    assert capsys.readouterr().err == ""


# --- the documentation, as printed ---------------------------------------------------------------

ROOT = Path(__file__).parents[2]


def blocks(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [part.split("```")[0] for part in text.split("```python\n")[1:]]


@pytest.mark.parametrize("number", range(len(blocks("docs/your-models.md"))))
def test_examples_run_as_printed(number, capsys):
    code = blocks("docs/your-models.md")[number]
    if "xgboost" in code:
        pytest.importorskip("xgboost")
    if "cnn" in code:
        pytest.importorskip("torch")
    space = {"__name__": "example"}
    exec(compile(code, f"your-models.md[{number}]", "exec"), space)
    for value in space.values():
        if isinstance(value, reseed.Comparison):
            assert (value.data.metrics["status"] == "ok").all()
            assert len(value.leaderboard) >= 2


def test_the_readme_shows_it_in_three_lines():
    shown = [code for code in blocks("README.md") if "reseed.study" in code]
    assert len(shown) == 1
    lines = [line for line in shown[0].splitlines() if line]
    assert sum(not line.startswith(("from", "import")) for line in lines) == 3
    space = {"X": X, "y": Y}
    exec(shown[0].replace("splits=10, seeds=20", "splits=2, seeds=2"), space)
    assert isinstance(space["found"], reseed.Comparison)


def test_test_set_with_unseen_labels_is_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.array(["yes", "no"] * 20)
    test = rng.normal(size=(4, 2)), ["yes ", "no", "no", "no"]
    models = {"forest": RandomForestClassifier(n_estimators=5)}
    with pytest.raises(ReseedError, match="y of test holds 'yes ', y only 'no', 'yes'"):
        reseed.study(models, X, y, test=test, seeds=2)
    with pytest.raises(ReseedError, match="X holds no rows"):
        reseed.study(models, np.empty((0, 2)), [])


def test_accuracy_is_noted_with_that_of_the_largest_class():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), np.arange(100) % 10 == 0
    models = {"a": LogisticRegression(C=1), "b": LogisticRegression(C=0.1)}

    def notes(y, metric):
        result = reseed.study(models, X, y, metric=metric, splits=2, seeds=1, progress=False)
        return [note for note in result.notes if "always predicting" in note]

    assert "an accuracy of 0.9." in notes(y, "accuracy")[0]
    assert not notes(y, "auc")
    assert not notes(np.arange(100) % 2 == 0, "accuracy")


@pytest.mark.parametrize("splits", [6, RepeatedKFold(n_splits=5, n_repeats=2, random_state=0)])
def test_interrupted_study_keeps_finished_trainings(splits, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Interrupted, "trainings", 0)
    models = {"forest": FOREST, "bayes": Interrupted()}
    with pytest.raises(KeyboardInterrupt) as caught:
        reseed.study(models, X, Y, splits=splits, seeds=2)
    error = caught.value
    # Both models on the first split, and the forest on the second, under two seeds each.
    assert len(error.trials) == 6
    (path,) = tmp_path.iterdir()
    assert str(path) in str(error)
    pd.testing.assert_frame_equal(pd.read_csv(path), error.trials)
    whole = reseed.study(MODELS, X, Y, splits=splits, seeds=2, keep=False).data.metrics
    forest = error.trials[error.trials["model"] == "forest"]
    assert forest["auc"].tolist() == whole.loc[whole["model"] == "forest", "auc"].tolist()[:4]


def test_call_that_an_interrupted_study_names_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Interrupted, "trainings", -8)
    models = {"forest": FOREST, "bayes": Interrupted()}
    with pytest.raises(KeyboardInterrupt) as caught:
        reseed.study(models, X, Y, splits=15, seeds=2)
    call = re.search(r"reseed\.compare\(.*?\)", str(caught.value)).group()
    result = eval(call)
    assert set(result.data.metrics["model"]) == {"forest", "bayes"}


def test_study_that_is_interrupted_at_once_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Interrupted, "trainings", 2)
    with pytest.raises(KeyboardInterrupt):
        reseed.study({"bayes": Interrupted(), "forest": FOREST}, X, Y, splits=2)
    assert not list(tmp_path.iterdir())


def test_errors_of_a_study_suggest_its_arguments(monkeypatch):
    def refuse(*_):
        raise ReseedError("Set `metric: auc`.")

    monkeypatch.setattr("reseed.session.study.read_models", refuse)
    with pytest.raises(ReseedError, match="Set `metric='auc'`"):
        reseed.study({"forest": FOREST}, X, Y)


def test_windows_of_time_are_one_score_a_seed():
    """Nothing is drawn, so no test or interval goes over windows."""
    when = np.arange(120)[::-1]
    made = [
        reseed.study(MODELS, X, Y, seeds=3, progress=False, **how)
        for how in (
            {"time": when},
            {"time": when, "splits": 3, "test": 0.5},
            {"splits": TimeSeriesSplit(4)},
        )
    ]
    for one, windows in zip(made, ("time-1", "time-3", "time-4"), strict=True):
        trials = one.data.metrics
        assert set(trials["scheme"]) == {windows}
        assert trials.groupby("arm").size().tolist() == [3] * len(MODELS)
        assert one.data.predictions is None
        assert "not for other times" in " ".join(str(one).split())
    for arguments, message in (
        ({"splits": range(3)}, "windows of time have no data seeds"),
        ({"test": (X, Y)}, "give `time` or a `test` set"),
        ({"splits": [(np.arange(60), np.arange(60, 120))]}, "trains on times of its test rows"),
    ):
        with pytest.raises(reseed.ReseedError, match=message):
            reseed.study(MODELS, X, Y, time=when, **arguments)


def test_a_frame_with_groups_or_dates_warns_once():
    """Rows of a patient share their numbers and the outcome."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(60), 6)
    frame = pd.DataFrame(rng.normal(size=(60, 3))[who] + 0.05 * rng.normal(size=(360, 3)))
    y = rng.integers(0, 2, 60)[who]
    frame = frame.set_axis(list("abc"), axis=1).assign(patient=rng.permutation(60)[who])
    study = {"seeds": 1, "keep": False, "progress": False}
    with pytest.warns(UserWarning, match="patient repeats, and .* give it as groups=") as caught:
        reseed.study({"bayes": GaussianNB()}, frame, y, splits=2, **study)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    days = pd.date_range("2024-01-01", periods=360)
    drop_day = FunctionTransformer(lambda X: X.drop(columns="day"))
    model = {"bayes": make_pipeline(drop_day, GaussianNB())}
    with pytest.warns(UserWarning, match="day holds dates, .* give it as time="):
        reseed.study(model, frame[["a", "b"]].assign(day=days), y, splits=2, **study)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reseed.study({"bayes": GaussianNB()}, frame, y, splits=2, groups=who, **study)
        reseed.study({"bayes": GaussianNB()}, frame, y, time=days, **study)
