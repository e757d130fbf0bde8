"""Tables of simulations are tidy, have Monte Carlo errors, and agree with the pages."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

METHODS = Path(__file__).parents[2] / "docs" / "methods"
#: Columns before the share, its standard error and the number of simulations.
TABLES = {
    "item_false_claims": [
        "seeds", "items", "clusters", "is_unequal", "seed_sd", "cluster_sd", "interaction_sd",
        "prompts", "prompt_sd", "score", "is_shared",
    ],
    "pairing": ["seeds", "correlation", "rule"],
    "designs": ["method", "label", "case"],
    "families": ["models", "runs", "truth", "rule"],
    "unstable_learners": ["method", "splits", "learner"],
    "spread_contrasts": ["scores", "datasets", "models", "correlation", "seeds"],
    "planned_power": ["case"],
    "losses_coverage": ["case"],
    "heavy_causes_coverage": ["case"],
}  # fmt: skip


def _read(name):
    return pd.read_csv(METHODS / "simulations" / f"{name}.csv", keep_default_na=False)


@pytest.mark.parametrize("name", TABLES)
def test_each_row_is_one_design_with_its_error(name):
    table, factors = _read(name), TABLES[name]
    assert list(table.columns[: len(factors)]) == factors
    share, error, count, *_ = table.columns[len(factors) :]
    assert share in ("false_claims", "coverage", "measured")
    assert error.startswith("se")
    assert count.startswith("simulations")
    assert not table.duplicated(factors).any()
    expected = np.sqrt(table[share] * (1 - table[share]) / table[count])
    np.testing.assert_allclose(table[error], expected, atol=5.1e-5)
    assert any(f"(simulations/{name}.csv)" in p.read_text("utf-8") for p in METHODS.glob("*.md"))


def test_the_one_test_keeps_its_level_and_most_of_the_power():
    table = _read("families")
    assert table["false_claims"].max() <= 0.055
    shown = table[table["truth"] != "equal"].set_index(["models", "runs", "truth", "rule"])
    power = shown["power"].astype(float).unstack()
    assert (power["Holm"] - power["Bonferroni"]).between(0, 0.1).all()


def _range(part, column="false_claims", decimals=3):
    low, high = part[column].min(), part[column].max()
    return " to ".join(f"{value:.{decimals}f}".removeprefix("0") for value in (low, high))


def _page(name):
    return " ".join((METHODS / f"{name}.md").read_text(encoding="utf-8").split())


def test_page_of_items_states_the_ranges():
    page, designs = _page("items"), _read("designs")
    assert f"Two equal models: {_range(_read('item_false_claims'))} false claims" in page
    skewed = designs[designs["label"] == "skewed losses"]["false_claims"].max()
    assert f"skewed losses of few items up to {skewed:.3f}".replace("0.", ".") in page
