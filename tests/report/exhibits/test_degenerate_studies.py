"""Every exhibit of a study in which little or nothing went right: it is made all the same."""

from pathlib import Path

import numpy as np
import pytest
from reseed.analyses.shared.data import Data
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.figures import write_figure
from reseed.report.rendering.table_files import write_table
from run_kinds import draw, is_table, run_analysis, table_options
from study_frames import PUBLISHED, about, frame, study, trial

FAST = {"n_boot": 20, "n_sim": 20, "n_draws": 20}


def all_failed():
    metrics, facts = study(n=3, grid=2)
    return metrics.assign(status="failed", error="out of memory", mse=np.nan, auc=np.nan), facts


def one_seed():
    return study(n=1, grid=1)


def only_a_stand_in():
    name = "home_mortgage_sim~rows=500"
    rows = [
        trial(0.8 + 0.01 * seed, seed=seed, dataset=name, model="rf", metric="auc")
        for seed in range(4)
    ]
    return frame(rows), about((name,), ("rf",))


def constant_scores_and_a_failed_model():
    metrics, facts = study(n=5, grid=3)
    metrics = metrics.assign(mse=metrics["mse"].where(metrics["mse"].isna(), 0.5))
    lost = metrics["model"] == "rf"
    metrics.loc[lost, "status"] = "failed"
    metrics.loc[lost, ["mse", "auc"]] = np.nan
    return metrics, facts


each_study = pytest.mark.parametrize(
    "make",
    [all_failed, one_seed, only_a_stand_in, constant_scores_and_a_failed_model],
    ids=lambda make: make.__name__,
)


@each_study
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_every_exhibit_is_made(make, configured, tmp_path):
    metrics, facts = make()
    found = {None: None}
    for name, entry in configured["analyses"].items():
        chosen = entry.get("experiments")
        part = metrics if chosen is None else metrics[metrics["experiment"].isin(chosen)]
        data = Data(part.reset_index(drop=True), facts, Path(PUBLISHED))
        found[name] = run_analysis(entry["kind"], data, FAST | entry.get("options", {}))
        found[name].to_parquet(tmp_path / f"{name}.parquet")
    for name, entry in configured["exhibits"].items():
        data = ExhibitData(
            found[entry.get("analysis")], metrics, facts, kind=entry["kind"], title=entry["title"]
        )
        drawn = draw(entry["kind"], data, entry.get("options"))
        if is_table(entry["kind"]):
            write_table(drawn, tmp_path / name)
        else:
            write_figure(*drawn, data, tmp_path / name, formats=("csv",))
            drawn[0].draw_without_rendering()
        text = (tmp_path / f"{name}.json").read_text()
        assert "nan" not in text.replace("Finance", "").lower().split()


OTHERS = {
    "papers.picard.extremes:analyse": [
        ("seed_3407", "table1"),
        "papers.picard.histogram_figure:figure",
    ],
    "papers.picard.range_growth:analyse": ["papers.picard.range_growth_figure:figure"],
    "curves": ["curves_figure"],
    "papers.picard.convergence:analyse": [
        "papers.picard.convergence_figure:figure",
        ("seed_3407", "reach"),
    ],
    "item_pairs": ["item_pairs_table"],
}
OPTIONS = {
    "n_boot": 20, "n_sim": 20, "up_to": 100, "points": 4,
    "scores": [{"arm": "rf", "score": 0.9}],
}  # fmt: skip


@each_study
@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_kinds_of_no_configured_study_are_made(make, kind, tmp_path):
    metrics, facts = make()
    data = Data(metrics, facts, Path(PUBLISHED))
    table = run_analysis(kind, data, OPTIONS)
    table.to_parquet(tmp_path / "t.parquet")
    for name in OTHERS[kind]:
        options = {}
        if isinstance(name, tuple):
            options = table_options(*name) | {"where": {}, "below": {}}
            name = "table"
        shown = ExhibitData(table, metrics, facts, kind=name, title="Title")
        if is_table(name):
            made = draw(name, shown, options)
            write_table(made, tmp_path / "t")
            assert not (made.shown.astype(str) == "nan").any(axis=None)
        else:
            _, drawn = draw(name, shown)
            assert drawn.footnote.startswith("Scale")
