"""Kinds that no configured study uses yet, on studies in which little or nothing went right."""

from pathlib import Path

import pytest
from reseed.report.analyses.shared.data import Data
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.table_files import write_table
from run_kinds import draw, is_table, run_analysis
from study_frames import PUBLISHED
from test_degenerate_studies import (
    all_failed,
    constant_scores,
    one_model_failed,
    one_seed,
    only_a_stand_in,
    two_seeds,
)

EXHIBITS = {
    "papers.picard.extremes:analyse": [
        "papers.picard.extremes_table:table",
        "papers.picard.histogram_figure:figure",
    ],
    "papers.picard.range_growth:analyse": ["papers.picard.range_growth_figure:figure"],
    "standing": ["standing_table"],
    "aggregates": ["aggregates_figure", "improvement_table"],
    "stochastic_order": ["stochastic_order_table"],
    "stopping": ["stopping_table", "stopping_figure"],
    "over_datasets": ["over_datasets_table"],
    "papers.protocol.training_time:analyse": ["papers.protocol.training_time_table:table"],
    "curves": ["curves_figure"],
    "papers.picard.convergence:analyse": [
        "papers.picard.convergence_figure:figure",
        "papers.picard.reach_table:table",
    ],
    "item_pairs": ["item_pairs_table"],
}
OPTIONS = {
    "n_boot": 20, "n_sim": 20, "up_to": 100, "points": 4,
    "scores": [{"arm": "rf", "score": 0.9}],
}  # fmt: skip


@pytest.mark.parametrize(
    "make",
    [all_failed, one_seed, two_seeds, constant_scores, only_a_stand_in, one_model_failed],
    ids=lambda make: make.__name__,
)
@pytest.mark.parametrize("kind", EXHIBITS)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_every_exhibit_is_made(make, kind, tmp_path):
    metrics, facts = make()
    data = Data(metrics, facts, Path(PUBLISHED))
    table = run_analysis(kind, data, OPTIONS)
    table.to_parquet(tmp_path / "t.parquet")
    for name in EXHIBITS[kind]:
        shown = ExhibitData(table, metrics, facts, kind=name, title="Title")
        if is_table(name):
            made = draw(name, shown)
            write_table(made, tmp_path / "t")
            assert not (made.shown.astype(str) == "nan").any(axis=None)
        else:
            _, drawn = draw(name, shown)
            assert drawn.footnote.startswith("Scale")
