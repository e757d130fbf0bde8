"""The front page: scores over seeds and splits, squares, findings, and links to rows."""

import numpy as np
import pandas as pd
import pytest
from reseed.core.study_info import DatasetInfo, ModelInfo
from reseed.report.pages.front import draw_front, group_papers, list_findings
from reseed.report.pages.strips import draw_axis
from reseed.report.pages.study_pages import build_index
from study_frames import frame, trial
from test_statements import RECORDS, record, rows_of, study

DATASET = DatasetInfo(
    metric="auc", greater_is_better=True, metric_title="AUC", metric_is_share=True, title="Magic"
)


def reference(folder, runs=12, arms=("rf~1a2b", "net"), kinds=("model", "data"), **changes):
    """A reference with the scores of each arm over model seeds, and over data seeds."""
    rng = np.random.default_rng(0)
    rows = [
        trial(score, seed=seed, arm=arm, experiment=f"{kind}_seeds", model=arm)
        | {"varied": kind, "dataset": "magic~rows", "auc": score}
        for kind in kinds
        for arm in arms
        for seed, score in enumerate(0.9 + rng.normal(size=runs) * 0.01 * (1 + (kind == "data")))
    ]
    (folder / "paper").mkdir()
    frame(rows).assign(**{"status": "ok"} | changes).to_parquet(folder / "paper" / "trials.parquet")
    (folder / "paper" / "evidence.json").write_text("{}")


def with_data(stand_in=None):
    info = study().info.model_copy(
        update={
            "datasets": {"magic": DATASET.model_copy(update={"stand_in": stand_in})},
            "models": {"rf": ModelInfo(title="Forest")},
        }
    )
    return study().__class__("paper", info, study().exhibits, evidence=RECORDS)


def test_scores_over_seeds_and_splits_are_drawn_for_each_model(tmp_path):
    reference(tmp_path)
    front = draw_front([with_data()], tmp_path)
    assert (front.title, front.seeds, front.splits) == ("Magic, test AUC", 12, 12)
    assert {name for name, *_ in front.rows} == {"Forest", "net"}
    scores = pd.read_parquet(tmp_path / "paper" / "trials.parquet").groupby(["varied", "arm"])[
        "auc"
    ]
    for name, seeds, seed_sd, splits, split_sd in front.rows:
        arm = "rf~1a2b" if name == "Forest" else name
        assert seeds.count('<circle class="model"') == splits.count('<circle class="data"') == 12
        for text, kind in ((seed_sd, "model"), (split_sd, "data")):
            assert float(text[1:]) == pytest.approx(scores.std()[kind, arm], rel=0.05)
        assert f'aria-label="{name}: 12 training seeds"' in seeds
    page = build_index([with_data()], ["paper.html"], front=front)
    assert "Magic, test AUC" in page


@pytest.mark.parametrize(
    "change", [{"runs": 5}, {"arms": ("net",)}, {"kinds": ("model",)}, {"status": "failed"}]
)
def test_nothing_is_drawn_of_too_little(tmp_path, change):
    reference(tmp_path, **change)
    assert draw_front([with_data()], tmp_path) is None


def test_simulated_data_is_not_drawn(tmp_path):
    assert draw_front([with_data()], tmp_path) is None
    reference(tmp_path)
    assert draw_front([with_data(stand_in="loans")], tmp_path) is None


def test_every_statement_is_a_square_that_leads_to_its_row():
    page = build_index([study()], ["paper.html"])
    rows = rows_of(RECORDS)
    for row in rows:
        assert f'href="#{row.identifier}"' in page
        assert f'<tr id="{row.identifier}"' in page
    [paper] = group_papers(rows, {"paper": "paper.html"})
    assert (paper.link, len(paper.rows)) == ("paper.html", len(RECORDS))
    assert [row.order for row in paper.rows] == sorted(row.order for row in rows)


def test_a_finding_is_shown_with_the_verdict_that_it_speaks_of():
    said = {"supported": "Splits: {value:.1f} times, at least {low:.1f}."}
    shown = rows_of([record((2.0, 3.0), finding=said), record((0.2, 0.4), finding=said)])
    [one] = list_findings(shown)
    assert one["text"] == "Splits: 2.5 times, at least 2.0."
    many = rows_of([record((2.0, 3.0), text=f"Statement {n}", finding=said) for n in range(9)])
    assert len(list_findings(many)) == 6


@pytest.mark.parametrize("span", np.geomspace(1e-4, 1e4, 50))
def test_an_axis_of_any_length_has_a_few_round_numbers(span):
    assert 2 <= draw_axis((0.0, span)).count("<text") <= 8
