"""A stack is arithmetic, not chance: the same trial gives the same bits beside any neighbours."""

from dataclasses import replace

import numpy as np
import pytest
from reseed.models.ffnn import FeedForward
from reseed.models.ffnn import Recipe as Network
from reseed.training.failures import InfrastructureError
from reseed.training.run import Recipe, Trial, run_trials
from synthetic_tables import Rows, problem, run_one, same_seeds, split, table, trial

# Sizes that lie crookedly in memory, rows that do not fill a batch, every penalty, dropout.
NETWORK = {"neurons_1": 13, "neurons_2": 7, "neurons_3": 0, "batch_size": 50, "max_epochs": 12}
NETWORK |= {"learning_rate": 0.02, "dropout": 0.2, "l1": 1e-4, "l2": 1e-3, "patience": 3}
RECIPE = Recipe("reseed.models.ffnn:ffnn", NETWORK, stack=4)


def prints(outcomes):
    return [outcome.fingerprint for outcome in outcomes]


@pytest.mark.parametrize("task", ["regression", "binary", "multiclass"])
def test_trial_bits_are_independent_of_other_lanes(task):
    data = problem(task)
    trials = [trial(seed, data_seed=1 + seed % 3) for seed in range(7)]
    outcomes = list(run_trials(data, RECIPE, trials))
    assert all(outcome.status == "ok" for outcome in outcomes)
    assert len({len(outcome.curve) for outcome in outcomes}) > 1  # some stop before others
    assert len(set(prints(outcomes))) == 7
    assert prints(run_trials(data, RECIPE, trials[::-1])) == prints(outcomes)[::-1]
    assert prints(run_trials(data, RECIPE, trials[3:4])) == prints(outcomes)[3:4]


@pytest.mark.parametrize("task", ["regression", "binary", "multiclass"])
def test_a_lane_agrees_with_a_network_trained_alone(task):
    short = Recipe(RECIPE.factory, NETWORK | {"max_epochs": 3}, stack=4)
    data, trials = problem(task), [trial(seed) for seed in range(4)]
    together = list(run_trials(data, short, trials))
    alone = list(run_trials(data, replace(short, stack=1), trials))
    for a, b in zip(together, alone, strict=True):
        assert a.outputs["test"] == pytest.approx(b.outputs["test"], rel=1e-4, abs=1e-4)
        for first, second in zip(a.curve, b.curve, strict=True):
            assert first == pytest.approx(second, rel=1e-4)


@pytest.mark.parametrize("role", ["init", "order", "dropout"])
def test_role_of_a_lane_changes_only_that_lane(role):
    data = problem("binary")
    trials = [trial(seed) for seed in range(4)]
    before = prints(run_trials(data, RECIPE, trials))
    trials[2] = trial(2, **{role: 99})
    after = prints(run_trials(data, RECIPE, trials))
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, True, False, True]


def test_divergence_fails_only_its_lane():
    data = problem("regression")
    poisoned = data.target.copy()
    sound, bad = split(1), split(2)
    # A value that overflows single precision when squared, among one trial's training rows only.
    row = np.setdiff1d(bad.train, sound.train)[0]
    poisoned[row] = np.inf
    keep = np.setdiff1d(np.arange(400), [row])
    rest = Rows(sound.train, np.intersect1d(sound.validation, keep), sound.test[:70])
    other = Rows(bad.train, bad.validation[: len(rest.validation)], bad.test[:70])
    rest = Rows(rest.train, rest.validation, np.intersect1d(rest.test, keep))
    data = replace(data, target=poisoned)
    trials = [Trial(rest, same_seeds(0)), Trial(other, same_seeds(1)), Trial(rest, same_seeds(2))]
    outcomes = list(run_trials(data, RECIPE, trials))
    assert [outcome.status for outcome in outcomes] == ["ok", "failed", "ok"]
    assert "diverged" in outcomes[1].error
    alone = list(run_trials(data, RECIPE, [trials[0], trials[2]]))
    assert prints(alone) == [outcomes[0].fingerprint, outcomes[2].fingerprint]


def test_trials_of_other_shapes_are_not_stacked_with_them():
    data = problem("binary")
    trials = [trial(0), Trial(Rows(*(p[:70] for p in split().__dict__.values())), same_seeds(1))]
    trials = [*trials, trial(2)]
    outcomes = list(run_trials(data, RECIPE, trials))
    assert all(outcome.status == "ok" for outcome in outcomes)
    assert len(outcomes[1].outputs["test"]) == 70
    assert prints(run_trials(data, RECIPE, trials[1:2])) == prints(outcomes)[1:2]


class OutOfMemoryError(RuntimeError):
    """As PyTorch's."""


def test_out_of_memory_suggests_a_fix_and_keeps_the_width(monkeypatch):
    data, trials = problem("multiclass"), [trial(seed) for seed in range(5)]
    expected = prints(run_trials(data, RECIPE, trials))
    widths, fit_many = [], FeedForward.fit_many.__func__

    def limited(cls, lanes, data, width):
        widths.append(width)
        order = sorted(fit_many(cls, lanes, data, width))
        yield from order[:2]
        raise OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(FeedForward, "fit_many", classmethod(limited))
    done = []
    with pytest.raises(InfrastructureError, match=r"out of memory.* stack: \{cpu: 2\}"):
        done.extend(outcome.fingerprint for outcome in run_trials(data, RECIPE, trials))
    assert widths == [4]
    assert done == expected[:2]  # what had ended is sound


def test_stacked_network_learns_and_reports_convergence():
    settled = NETWORK | {"max_epochs": 200, "patience": 10, "neurons_1": 16, "l1": 0.0}
    settled = run_one("regression", replace(RECIPE, hyperparameters=settled))
    assert settled.metrics["r2"] > 0.8
    assert settled.converged is True
    assert len(settled.curve) < 200
    cut = run_one("regression", replace(RECIPE, hyperparameters=NETWORK | {"patience": 100}))
    assert cut.converged is False
    # The kept outputs are those of the best epoch, whose loss the curve tells.
    best = min(entry["validation_loss"] for entry in cut.curve)
    assert cut.validation_metrics["mse"] == pytest.approx(best, rel=1e-4)


def test_validation_rows_are_needed():
    features, target, _, _ = table("binary")
    model = FeedForward("binary", 2, Network(), same_seeds(0))
    with pytest.raises(ValueError, match="early stopping needs validation rows"):
        model.fit(features.to_numpy(), target)
