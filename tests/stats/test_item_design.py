"""Predicted designs of evaluations: against closed forms with Student quantiles of SciPy."""

import numpy as np
import pytest
from reseed.stats.item_design import predict_design
from reseed.stats.item_model import Contribution, ItemDifference
from scipy import stats


def evaluation(levels, variances, cluster_df=None):
    """A finished evaluation: levels by source, and parts of the squared error by sources."""
    contributions = tuple(Contribution(sources, v) for sources, v in variances.items())
    se = float(np.sqrt(sum(variances.values())))
    return ItemDifference(
        0.1, se, 0.0, 0.2, 0.05, 0.95, "t", (), levels, contributions,
        cluster_df=cluster_df if cluster_df else levels.get("cluster", levels["item"]) - 1.0,
    )  # fmt: skip


def expected_detectable(parts, alpha, power):
    """The quantiles of each part, weighted by its variance, times the standard error."""
    total = sum(variance for variance, _ in parts)

    def quantile(tail):
        return sum(variance * stats.t.isf(tail, df) for variance, df in parts) / total

    reach = quantile(alpha / 2) + (quantile(1 - power) if power > 0.5 else 0)
    return reach * np.sqrt(total)


@pytest.mark.parametrize("power", [0.8, 0.5, 0.3])
def test_items_alone_have_one_degree_less_than_items(power):
    result = evaluation({"item": 6}, {("item",): 0.04})
    design = predict_design(result, {}, 0.05, power)
    assert design.levels == {"item": 6}
    assert design.se == pytest.approx(0.2)
    assert design.detectable == pytest.approx(expected_detectable([(0.04, 5)], 0.05, power))


def test_seeds_and_items_have_their_own_degrees_of_freedom():
    result = evaluation(
        {"seed": 3, "item": 9}, {("seed",): 0.02, ("item",): 0.05, ("seed", "item"): 0.01}
    )
    design = predict_design(result, {}, 0.1)
    # The interaction has no test of its own: it counts with the items.
    parts = [(0.02, 2), (0.06, 8)]
    assert design.detectable == pytest.approx(expected_detectable(parts, 0.1, 0.8))


def test_each_part_shrinks_with_the_levels_of_its_sources():
    result = evaluation(
        {"seed": 3, "item": 9}, {("seed",): 0.02, ("item",): 0.05, ("seed", "item"): 0.01}
    )
    design = predict_design(result, {"seed": 2, "item": 4}, 0.05)
    assert design.levels == {"seed": 6, "item": 36}
    parts = [(0.02 / 2, 5), (0.05 / 4 + 0.01 / 8, 35)]
    assert design.se == pytest.approx(np.sqrt(sum(variance for variance, _ in parts)))
    assert design.detectable == pytest.approx(expected_detectable(parts, 0.05, 0.8))


def test_a_set_of_factors_has_the_degrees_of_its_smallest():
    result = evaluation({"seed": 4, "prompt": 3, "item": 9}, {("seed", "prompt"): 0.03})
    design = predict_design(result, {}, 0.05)
    assert design.detectable == pytest.approx(expected_detectable([(0.03, 2)], 0.05, 0.8))


def test_more_clusters_bring_their_items():
    result = evaluation({"cluster": 5, "item": 40}, {("cluster",): 0.03, ("item",): 0.02})
    design = predict_design(result, {"cluster": 2, "item": 3}, 0.05)
    assert design.levels == {"cluster": 10, "item": 240}
    parts = [(0.03 / 2 + 0.02 / 6, 9)]
    assert design.detectable == pytest.approx(expected_detectable(parts, 0.05, 0.8))


def test_unequal_clusters_have_the_df_of_the_test():
    """Eight clusters that count as three: the size for equal clusters is found in .16, not .80."""
    parts = {("cluster",): 0.03, ("item",): 0.02}
    result = evaluation({"cluster": 8, "item": 40}, parts, cluster_df=2.0)
    now, more = (predict_design(result, {"cluster": k}, 0.05) for k in (1, 2))
    assert now.detectable == pytest.approx(expected_detectable([(0.05, 2)], 0.05, 0.8))
    assert more.detectable == pytest.approx(expected_detectable([(0.025, 5)], 0.05, 0.8))


def test_repeats_shrink_their_own_part():
    result = evaluation({"item": 7}, {("item",): 0.03, ("repeat",): 0.02})
    design = predict_design(result, {"repeat": 4}, 0.05)
    parts = [(0.03 + 0.02 / 4, 6)]
    assert design.detectable == pytest.approx(expected_detectable(parts, 0.05, 0.8))


def test_scores_of_any_size_and_no_variance():
    for scale in (1e-300, 1e150):
        result = evaluation({"item": 6}, {("item",): scale})
        expected = expected_detectable([(1.0, 5)], 0.05, 0.8) * np.sqrt(scale)
        assert predict_design(result, {}, 0.05).detectable == pytest.approx(expected)
    design = predict_design(evaluation({"item": 6}, {("item",): 0.0}), {}, 0.05)
    assert (design.se, design.detectable) == (0, 0)


@pytest.mark.parametrize(("alpha", "power"), [(0.0, 0.8), (1.0, 0.8), (0.05, 1.0)])
def test_bad_levels_are_refused(alpha, power):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        predict_design(evaluation({"item": 6}, {("item",): 0.1}), {}, alpha, power)
