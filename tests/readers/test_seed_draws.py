"""What a seed drew: the sentence is an assumption without proof, and correlated scores ask."""

import re

import numpy as np
import pandas as pd
import pytest
from reseed import ReseedError, compare
from reseed.config.studies import Results
from reseed.readers import import_results
from reseed.readers.seeds import find_common_seed
from scipy import stats

ASSUMED = "assuming that the seeds drew no split"


def _runs(shared_sd, models=3, seeds=8, rng_seed=0):
    """Scores over seeds; what all models have in common has the SD `shared_sd`."""
    rng = np.random.default_rng(rng_seed)
    common = rng.normal(0, shared_sd, seeds)
    return pd.DataFrame(
        [
            {"model": f"m{m}", "seed": s, "auc": 0.8 + common[s] + rng.normal(0, 0.01)}
            for m in range(models)
            for s in range(seeds)
        ]
    )


def test_without_proof_the_sentence_is_an_assumption():
    found = compare(_runs(0.0))
    assert ASSUMED in found.answer[0]
    assert "did not vary" not in found.to_json()


@pytest.mark.parametrize("proof", ["split", "word"])
def test_with_proof_it_is_a_fact(proof):
    runs = _runs(0.0)
    told = {"seed_draws": "training"} if proof == "word" else {}
    found = compare(runs if told else runs.assign(split=0), **told)
    assert "on exactly this test set, which did not vary" in found.answer[0]
    assert ASSUMED not in found.to_json()


def test_correlated_scores_raise_the_question():
    with pytest.raises(ReseedError, match="move together over 'seed'"):
        compare(_runs(0.05))
    assert len(compare(_runs(0.0, seeds=40)).verdicts) == 3
    assert len(compare(_runs(0.05), seed_draws="training").verdicts) == 3


def test_a_random_state_is_asked_about():
    named = _runs(0.0).rename(columns={"seed": "random_state"})
    with pytest.raises(ReseedError) as asked:
        compare(named)
    for option in re.findall(r"`([^`]+)` and `([^`]+)`|`([^`]+)`", str(asked.value)):
        given = eval(f"dict({', '.join(filter(None, option))})")
        assert len(compare(named, **given).verdicts) == 3


@pytest.mark.parametrize(("models", "seeds"), [(2, 3), (2, 10), (5, 10)])
def test_independent_seeds_are_seldom_asked_about(models, seeds):
    rng = np.random.default_rng(models)
    tables = rng.normal(size=(400, models, seeds))
    model, seed = np.indices((models, seeds)).reshape(2, -1)
    p = [
        find_common_seed(pd.DataFrame({"model": model, "seed": seed, "s": one.ravel()}), "s")
        for one in tables
    ]
    assert 0.01 < np.mean(np.array(p) <= 0.05) < 0.09


def test_the_test_of_two_models_is_that_of_their_correlation():
    x = np.random.default_rng(0).normal(size=(12, 2))
    table = pd.DataFrame(x, columns=["a", "b"]).rename_axis(index="seed", columns="model")
    p = find_common_seed(table.stack().rename("s").reset_index(), "s")
    assert p == pytest.approx(stats.pearsonr(*x.T, alternative="greater").pvalue)


@pytest.mark.parametrize("draws", ["split", "both"])
def test_seeds_that_drew_splits_take_the_corrected_test(draws):
    runs = _runs(0.05)
    with pytest.raises(ReseedError, match="test_train_ratio"):
        compare(runs, seed_draws=draws)
    found = compare(runs, seed_draws=draws, test_train_ratio=0.25)
    known = compare(runs.rename(columns={"seed": "data_seed"}), test_train_ratio=0.25)
    for name in ("difference", "low", "high", "p"):
        np.testing.assert_allclose(found.verdicts[name], known.verdicts[name])
    assert set(found.statistics("pairs")["design"]) == {"splits"}
    with pytest.raises(ReseedError, match="names the split"):
        compare(runs.assign(fold=runs["seed"] % 4), seed_draws=draws)


def test_a_study_asks_and_answers_too():
    results = Results(path="runs.csv").model_dump()
    with pytest.raises(ReseedError, match="`seed_draws: split`"):
        import_results(_runs(0.05), results, {"name": "s"})
    _, info = import_results(_runs(0.0), results, {"name": "s"})
    (dataset,) = info.datasets.values()
    assert dataset.is_split_assumed
    told = Results(path="runs.csv", seed_draws="both", test_train_ratio=0.25).model_dump()
    metrics, info = import_results(_runs(0.05), told, {"name": "s"})
    assert metrics["data_seed"].nunique() == metrics["init"].nunique() == 8


def test_an_unknown_word_is_refused():
    with pytest.raises(ReseedError, match="`seed_draws` is split, training, both"):
        compare(_runs(0.0), seed_draws="data")


@pytest.mark.nightly
def test_false_claims_fall_where_the_seed_drew_the_split():
    """Equal models on shared hold-outs of 200 rows: 200 simulations (SE .02)."""
    wrong = {"training": 0, "both": 0}
    for number in range(60):
        rng = np.random.default_rng([4, number])
        base = rng.normal(size=(2, 250))  # the errors of two fixed predictors on all rows
        rows = []
        for seed in range(10):
            test = rng.permutation(250)[:50]
            rows += [(f"m{m}", seed, base[m][test].mean()) for m in range(2)]
        table = pd.DataFrame(rows, columns=["model", "seed", "loss"])
        for draws in wrong:
            ratio = {"test_train_ratio": 0.25} if draws == "both" else {}
            found = compare(table, seed_draws=draws, greater_is_better=False, **ratio)
            wrong[draws] += found.verdicts["outcome"].iloc[0] == "better"
    assert wrong["both"] < wrong["training"] / 2
