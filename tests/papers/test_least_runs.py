"""A figure of too few runs yields to one line of text."""

import pandas as pd
import pytest
from papers.banerjee import (
    gap_distribution,
    gap_figure,
    pairs_plot_figure,
    trimming,
    trimming_ensembles,
    trimming_pairs,
    trimming_pairs_figure,
)
from papers.ir import seed_boxes
from papers.picard import convergence_figure, histogram_figure, range_growth_figure
from reseed.report.exhibits import curves_figure
from reseed.report.rendering.data import NothingToShow
from reseed.report.rendering.least import LEAST, Least, with_least
from run_kinds import draw, exhibit_kinds, is_table
from test_ir_exhibits import scores
from trimmed_study import make

FIXTURES = (make, scores)
FEW = LEAST - 1


def few_seeds(rows):
    seeds = pd.concat([rows["seed_a"], rows["seed_b"]]).unique()[:FEW]
    return rows[rows["seed_a"].isin(seeds) & rows["seed_b"].isin(seeds)]


def first_runs(rows):
    return rows.groupby("arm").head(FEW)


CASES = {
    "gap_figure": (gap_figure, gap_distribution, lambda rows: rows.assign(n=FEW), {}),
    "trimming_pairs_figure": (trimming_pairs_figure, trimming_pairs, few_seeds, {}),
    "pairs_plot_figure, runs": (pairs_plot_figure, trimming, first_runs, {}),
    "pairs_plot_figure, ensembles": (
        pairs_plot_figure, trimming_ensembles, lambda rows: rows.assign(pool=FEW),
        {"colour": "size"},
    ),
}  # fmt: skip
# Tested with their exhibits: each has a least number of its own.
OTHERS = {
    module.__name__.rpartition(".")[2]
    for module in (convergence_figure, histogram_figure, range_growth_figure, curves_figure,
                   seed_boxes)
}  # fmt: skip
# Kinds that show single runs, or the verdict on pairs, which says where runs are too few.
WITHOUT = {
    "critical_difference_figure": "verdicts",
    "ensembles_figure": "a dot an ensemble",
    "heat_maps": "a cell a run",
    "pairs_figure": "verdicts",
    "range_bars": "needs three seeds; a range is of single runs",
    "same_splits": "a dot a run",
    "score_strips": "a dot a run",
    "seed_noise": "intervals; none with few seeds",
    "trimming_figure": "a dot a run",
}


def is_text(drawn):
    """Whether a figure is one line of text that names the least number of runs."""
    figure, info = drawn
    return info.empty and f"fewer than {LEAST} " in info.empty and not figure.axes


@pytest.mark.parametrize("case", CASES)
def test_figures_of_outputs_need_runs(case, make):
    kind, analysis, cut, options = CASES[case]
    data = make(analysis)
    assert not draw(kind, data, options)[1].empty
    few = cut(data.statistics[data.statistics["reason"] == ""])
    assert is_text(draw(kind, _with(data, few), options))


def test_boxes_need_seeds(scores):
    assert is_text(draw(seed_boxes, _with(scores, scores.statistics.assign(n=FEW)), {}))
    rows = scores.statistics
    one = _with(scores, rows.assign(n=rows["n"].where(rows["arm"] == "rf", FEW)))
    _, info = draw(seed_boxes, one, {})
    assert set(info.frame["arm"]) == {"rf"}
    assert f"Not drawn, fewer than {LEAST} seeds: " in info.footnote


def test_parts_with_few_runs_are_named():
    rows = pd.DataFrame({"x": range(3)})
    panels = [("RF", rows), ("XGB", rows.head(2))]
    enough, left_out = with_least(panels, Least(3, len, "seed"))
    assert [title for title, _ in enough] == ["RF"]
    assert left_out == "Not drawn, fewer than 3 seeds: XGB (2)."
    with pytest.raises(NothingToShow, match=r"fewer than 4 runs: RF \(3\) and XGB \(2\)"):
        with_least(panels, Least(4, len))


def test_several_least_numbers_are_stated_together():
    rows = pd.DataFrame({"epoch": [1, 1, 2, 3]})
    rules = Least(3, len), Least(2, lambda part: part["epoch"].nunique(), "epoch")
    enough, left_out = with_least([("RF", rows), ("XGB", rows.head(1))], *rules)
    assert [title for title, _ in enough] == ["RF"]
    assert left_out == "Not drawn, fewer than 3 runs or 2 epochs: XGB (1 run, 1 epoch)."
    _, described = with_least([("RF", rows), ("XGB", rows.head(1))], *rules, describe=str)
    assert "XGB (   epoch" in described
    with pytest.raises(NothingToShow, match=r"fewer than 9 runs: RF \(4\)\. Same scores: XGB\."):
        with_least([("RF", rows)], Least(9, len), also="Same scores: XGB.")


def test_every_figure_has_a_least_number_or_a_reason():
    figures = {
        kind.partition(":")[0].rpartition(".")[2] for kind in exhibit_kinds() if not is_table(kind)
    }
    assert figures == {name.partition(",")[0] for name in CASES} | OTHERS | set(WITHOUT)


def _with(data, rows):
    return type(data)(rows, data.metrics, data.info, data.kind, data.title)
