"""Tables and figures of scores over seeds."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from output_frames import study_of, write_outputs
from papers.ir import seed_boxes, seed_scores
from reseed.core.errors import ReseedError
from reseed.plugins.kinds import find_kind, read_options
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.figures import write_figure
from reseed.report.rendering.table_files import write_table
from run_kinds import draw, run_analysis, table_options
from study_frames import about, frame, trial

SCORES, DEVIATIONS = (table_options("ir_consistency", name) for name in ("tables5to7", "table4"))


@pytest.fixture
def scores(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    runs = [np.clip(y * 0.4 + 0.3 + rng.normal(0, 0.3, 200), 0.01, 0.99) for _ in range(5)]
    arms = {
        ("magic", "rf"): (y, [*runs, np.full(200, 0.9), None]),
        ("magic", "xgb"): (y, [runs[0]] * 4),
    }
    data = study_of(write_outputs(tmp_path / "items", arms), arms)
    statistics = run_analysis(seed_scores, data, {"seed": 1})
    return ExhibitData(statistics, data.metrics, data.info, title="Scores")


def test_table_has_the_constant_prediction_and_run_counts(scores, tmp_path):
    table = draw("table", scores, SCORES)
    write_table(table, tmp_path / "t")
    text = (tmp_path / "t.md").read_text()
    assert "The commonest class, always" in text
    assert "F1 (macro)" in text
    line = next(line for line in text.splitlines() if line.startswith("| RF"))
    cells = [cell.strip() for cell in line.split("|")]
    assert cells[6:10] == ["6", "6", "1", "29 %"]


def test_table_of_deviations_shows_published_ones(scores, tmp_path):
    write_table(draw("table", scores, DEVIATIONS), tmp_path / "t")
    assert "F1 (macro): SD over seeds" in (tmp_path / "t.md").read_text()
    assert ", published" not in (tmp_path / "t.md").read_text()
    known = scores.statistics.assign(published_mean=0.9, published_bootstrap_sd=0.01)
    shown = ExhibitData(known, scores.metrics, scores.info)
    assert "0.90 ± 0.010" in draw("table", shown, DEVIATIONS).shown.to_string()


def test_boxes_print_outliers(scores, tmp_path):
    canvas, drawn = draw(seed_boxes, scores, {})
    write_figure(canvas, drawn, scores, tmp_path / "f")
    printed = [text.get_text() for axis in canvas.axes for text in axis.texts]
    f1 = scores.statistics.query("arm == 'rf' and metric == 'macro_f1'").iloc[0]
    assert json.loads(f1["outliers"])
    assert f"{json.loads(f1['outliers'])[0]:.3f}" in "".join(printed)
    assert len(canvas.axes) == 2


def test_scores_on_several_test_sets_are_distinguished():
    base = {
        "experiment": "model_seeds", "varied": "model", "dataset": "magic", "scheme": "kfold-3",
        "arm": "rf", "model": "rf", "hyperparameters_source": "d", "data_seed": 0, "repeat": 0,
        "n": 5, "failed": 0, "sd": 0.01, "bootstrap_sd": 0.02, "n_boot": 10, "majority": 0.5,
        "collapsed": 0, "distinct": 5, "diverged": 0.0, "seed": np.nan, "seed_percentile": np.nan,
        "published_bootstrap_sd": np.nan, "published_mean": np.nan, "ratio": 0.5,
        "ratio_low": 0.3, "ratio_high": 0.9,
        "sd_low": 0.006, "sd_high": 0.03, "level": 0.95,
    }  # fmt: skip
    rows = pd.DataFrame([
        base | {"fold": fold, "metric": metric, "mean": 0.7 + 0.1 * fold}
        for fold in range(3)
        for metric in seed_boxes.METRICS
    ])  # fmt: skip
    data = ExhibitData(
        rows, frame([trial(0.7, dataset="magic", metric="auc")]), about(("magic",), ("rf",))
    )
    for options in (SCORES, DEVIATIONS):
        names = draw("table", data, options).shown.iloc[:, 0]
        assert list(names)[:3] == [f"RF, fold {k}" for k in range(3)]


def test_boxes_refuse_a_metric_without_scores():
    with pytest.raises(ReseedError, match="no scores of 'auc' over seeds: use accuracy"):
        read_options(find_kind("exhibits", "papers.ir.seed_boxes:figure"), {"metrics": ["auc"]})


def test_no_scores_give_no_exhibit(scores):
    empty = replace(scores, statistics=None)
    assert list(draw("table", empty, SCORES).shown.columns) == ["Nothing to show"]
    assert "nothing_to_show" in draw(seed_boxes, empty, {})[1].frame
