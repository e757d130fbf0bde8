"""Tables of simulations are tidy, have Monte Carlo errors, and agree with the pages."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

METHODS = Path(__file__).parents[2] / "docs" / "methods"
#: Columns before the share, its standard error and the number of simulations; page that links.
TABLES = {
    "item_false_claims": ("items", ["seeds", "items", "seed_sd", "test"]),
    "cluster_false_claims": ("items", ["seeds", "items", "clusters", "sizes", "cluster_sd"]),
    "seeds_items_clusters": ("items", ["seeds", "items", "clusters", "sizes", "interaction"]),
    "unequal_runs_order": ("tasks", ["runs", "other_runs", "distribution", "resamples"]),
    "aggregates_coverage": ("tasks", ["tasks", "runs", "aggregate", "percentiles"]),
    "pairing": ("comparing", ["seeds", "correlation", "rule"]),
    "designs": ("comparing", ["method", "label", "case"]),
    "unstable_learners": ("comparing", ["method", "splits", "learner"]),
    "spread_contrasts": ("spread", ["scores", "datasets", "models", "correlation", "seeds"]),
    "rank_sets": ("tasks", ["models", "tasks", "scores", "sds", "method"]),
}


def _read(name):
    return pd.read_csv(METHODS / "simulations" / f"{name}.csv", keep_default_na=False)


@pytest.mark.parametrize("name", TABLES)
def test_each_row_is_one_design_with_its_error(name):
    table, (_, factors) = _read(name), TABLES[name]
    assert list(table.columns[: len(factors)]) == factors
    share, error, count, *_ = table.columns[len(factors) :]
    assert share in ("false_claims", "coverage")
    assert error.startswith("se")
    assert count.startswith("simulations")
    assert not table.duplicated(factors).any()
    expected = np.sqrt(table[share] * (1 - table[share]) / table[count])
    np.testing.assert_allclose(table[error], expected, atol=5.1e-5)


def test_changes_have_the_errors_of_both_methods():
    table = _read("changes")
    columns = ["methods", "measure", "case", "before", "se_before", "after", "se_after"]
    assert list(table) == [*columns, "simulations"]
    assert not table.duplicated(["measure", "case"]).any()
    shares = table[table["measure"] != "posterior mass of the 95 % interval"]
    for side in ("before", "after"):
        expected = np.sqrt(shares[side] * (1 - shares[side]) / shares["simulations"])
        np.testing.assert_allclose(shares[f"se_{side}"], expected, atol=1e-4)
    assert "(simulations/changes.csv)" in _page("index")


def test_false_claims_after_a_change_stay_near_the_level():
    table = _read("changes")
    claims = table[table["measure"].str.startswith(("any false claim", "false claims"))]
    assert len(claims) > 20
    is_skewed = claims["case"].str.contains("skewed")  # verdicts over datasets say so
    assert claims.loc[~is_skewed, "after"].max() <= 0.07


def _range(part, column="false_claims", decimals=3):
    low, high = part[column].min(), part[column].max()
    return " to ".join(f"{value:.{decimals}f}".removeprefix("0") for value in (low, high))


def _page(name):
    return " ".join((METHODS / f"{name}.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    "name", ["item_false_claims", "cluster_false_claims", "seeds_items_clusters"]
)
def test_page_of_items_states_the_range(name):
    (line,) = [line for line in (METHODS / "items.md").read_text().splitlines() if name in line]
    assert f"| {_range(_read(name))} |" in line


def test_page_of_tasks_states_the_ranges():
    page = _page("tasks")
    order = _read("unequal_runs_order").set_index("resamples")
    assert f"{_range(order.loc['smaller number'])} with [unequal numbers]" in page
    coverage = _read("aggregates_coverage").set_index("percentiles")
    assert f"[{_range(coverage.loc['expanded'], 'coverage', 2)}](simulations" in page
    assert f"published, {_range(coverage.loc['as published'], 'coverage', 2)};" in page


def test_page_of_tasks_states_the_errors_of_rank_sets():
    page, table = _page("tasks"), _read("rank_sets").set_index("method")
    signs = table.loc["signs of tasks"]
    is_skewed = signs["scores"].eq("exponential") & signs["sds"].ne("equal")
    assert f"new tasks {_range(signs[~is_skewed])} with" in page
    assert f"**{_range(signs[is_skewed])}** with" in page
    assert f"these tasks {_range(table.loc['tests of pairs'])} (300" in page
    assert f"A bootstrap-t over tasks {_range(table.loc['bootstrap-t'])}" in page
