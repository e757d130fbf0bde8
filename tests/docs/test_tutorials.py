"""Tutorials and the examples of the gallery run, and show what their text says."""

import runpy
from pathlib import Path

import matplotlib.figure
import pandas as pd
import pytest
from make_runs import compute_runs
from reseed import Comparison

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = sorted((DOCS / "gallery" / "examples").glob("*.py"))


def run(path: Path, monkeypatch) -> dict:
    """Run a script in its folder, as the site's build does."""
    monkeypatch.chdir(path.parent)
    return runpy.run_path(str(path))


@pytest.fixture
def figures(monkeypatch):
    """Figures that a script returns as last lines: all that Reseed draws."""
    drawn = []
    plot = Comparison.plot
    monkeypatch.setattr(Comparison, "plot", lambda *a, **k: drawn.append(plot(*a, **k)))
    return drawn


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_gallery_examples_draw(path, monkeypatch, figures):
    values = run(path, monkeypatch)
    if "ranking" in values:
        figures.append(values["ranking"].plot())
    assert figures
    assert all(isinstance(one, matplotlib.figure.Figure) and one.axes for one in figures)


def test_model_tutorial_shows_that_single_scores_disagree(monkeypatch):
    values = run(DOCS / "tutorials" / "1_is_my_model_better.py", monkeypatch)
    found = values["found"]
    assert len(found.data.metrics) == 60
    assert (found.data.metrics["status"] == "ok").all()
    winners = [
        max(values["forests"], key=lambda name: values["score"](values["forests"][name], seed))
        for seed in range(1, 6)
    ]
    assert len(set(winners)) == 2


def test_tracker_tutorial_leaves_out_the_failed_run(monkeypatch, capsys):
    values = run(DOCS / "tutorials" / "2_scores_from_a_tracker.py", monkeypatch)
    assert values["found"].data.info.trials.failed == 1
    assert list(values["again"].leaderboard["model"]) == list(values["found"].leaderboard["model"])
    assert "nothing says what is compared" in capsys.readouterr().out


def test_paper_tutorial_claims_one_difference(monkeypatch):
    pairs = run(DOCS / "tutorials" / "3_a_papers_table.py", monkeypatch)["pairs"]
    assert list(pairs.verdicts["outcome"] == "better") == [True, False, False]


@pytest.mark.nightly
@pytest.mark.workflow
def test_study_tutorial_runs_the_study(monkeypatch):
    pairs = run(DOCS / "tutorials" / "4_my_own_study_on_a_cluster.py", monkeypatch)["pairs"]
    assert pairs["outcome"].notna().all()


@pytest.mark.nightly
def test_evaluation_tutorial_makes_fewer_false_claims(monkeypatch, capsys):
    values = run(DOCS / "tutorials" / "5_an_evaluation_with_clustered_questions.py", monkeypatch)
    assert values["wrong"]["passages"] <= 10 < values["wrong"]["items only"]
    assert "BETTER" in capsys.readouterr().out


def test_table_of_the_first_steps_is_what_its_script_computes():
    stored = pd.read_csv(DOCS / "examples" / "runs.csv")
    computed = compute_runs()
    keys = ["model", "repeat", "fold"]
    assert stored[keys].equals(computed[keys])
    # Versions of scikit-learn may differ by a test row.
    assert (stored["accuracy"] - computed["accuracy"]).abs().max() < 0.02
