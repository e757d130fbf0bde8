"""Defaults of all public functions of statistics: levels, powers, numbers of draws."""

import importlib
import inspect
import math
import pkgutil

import pytest
import reseed.stats

#: Defaults by name of the parameter, the same in every function that has it.
COMMON = {
    "level": 0.95, "alpha": 0.05, "power": 0.8, "target_power": 0.8, "epsilon": 0.01,
    "n_bins": 15, "rope": 0.0, "seed": 0, "most_df": math.inf,
}  # fmt: skip
#: Other defaults, by function.
OWN = {
    "skewness_of_mean": {"share": 1.0},
    "test_set_bootstrap": {"n_boot": 1000},
    "bca_mean_interval": {"n_boot": 10_000},
    "compare_paired": {"n_boot": 10_000},
    "seed_item_bootstrap": {"n_boot": 1000},
    "seed_permutation_test": {"n_permutations": 10_000},
    "simulate_cv": {
        "n_models": 3, "n_samples": 200, "n_folds": 5, "n_repeats": 2, "n_features": 20,
        "separation": 1.5, "effect": 0.0,
    },
    "factorial_variance": {"n_draws": 10_000},
    "range_against_gaussian": {"n_sim": 4000},
    "gaussian_range_interval": {"df": math.inf},
    "tail_power": {"df": 3.0, "n_sim": 4000},
    "as_finite": {"min_size": 1},
    "item_difference": {"repeat_variance": 0.0},
    "item_mean": {"factors": (), "repeat_variance": 0.0},
    "distribution_wise_sd": {"at": math.inf},
    "ensemble_size": {"share": 1.0},
    "split_ks_distance": {"n_splits": 10},
    "heldout_information": {"n_halves": 20, "n_bootstrap": 10},
    "selection_optimism": {"n_halves": 1000},
    "spread": {"axis": -1},
    "spread_intervals": {"n_boot": 2000},
    "clip_logit_gap": {"bound": 15.0},
    "logit_gaps": {"bound": 15.0},
    "bootstrap_alpha_hat": {"n_bootstrap": 100},
    "swap_test": {"n_swaps": 10_000},
    "crossed_variance": {"n_draws": 10_000},
    "crossed_variance_unbalanced": {"n_draws": 10_000},
}  # fmt: skip
#: Statistics that only one paper's study uses.
OF_PAPERS = [
    *(f"papers.banerjee.{name}" for name in ("alpha_hat", "calibration", "ensembles",
      "item_variance", "ks", "logit_gaps", "representatives")),
    "papers.protocol.error_rates", "papers.protocol.signed_rank",
]  # fmt: skip
MODULES = [f"reseed.stats.{one.name}" for one in pkgutil.iter_modules(reseed.stats.__path__)]


@pytest.mark.parametrize("path", [*MODULES, *OF_PAPERS])
def test_defaults_are_the_documented_ones(path):
    for name, function in vars(importlib.import_module(path)).items():
        function = inspect.unwrap(function) if callable(function) else function
        is_own = inspect.isfunction(function) and function.__module__ == path
        if not is_own or name.startswith("_"):
            continue
        for parameter in inspect.signature(function).parameters.values():
            if type(parameter.default) in (int, float):
                expected = COMMON | OWN.get(name, {})
                assert parameter.default == expected[parameter.name], f"{name}: {parameter.name}"
