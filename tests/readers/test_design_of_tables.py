"""What varied in a table decides what is compared, and what a verdict covers."""

import pandas as pd
import pytest
from reseed.readers.design import choose_design
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_scores


def cross(**levels) -> pd.DataFrame:
    names = list(levels)
    index = pd.MultiIndex.from_product([range(count) for count in levels.values()], names=names)
    frame = index.to_frame(index=False)
    return frame.assign(
        model=frame["model"].map("abc".__getitem__), accuracy=(frame.sum(axis=1) * 0.37) % 1
    )


@pytest.mark.parametrize(
    ("levels", "unit", "claim"),
    [
        ({"seed": 5}, "runs", "new seeds on exactly these items"),
        ({"fold": 5}, "runs", "new splits of the same data (and new seeds)"),
        ({"seed": 3, "item": 9}, "runs", "new seeds and new items"),
        ({"fold": 3, "item": 9}, "runs", "new splits of the same data (and new seeds)"),
        ({"item": 9}, "items", "new levels of all that varied"),
        ({"seed": 3, "prompt": 2, "item": 9}, "items", "new levels of all that varied"),
        ({"repetition": 2, "item": 9}, "items", "new levels of all that varied"),
        ({"dataset": 3, "item": 9}, "items", "new levels of all that varied"),
        ({"dataset": 6, "item": 9}, "items", "new levels of all that varied"),
        ({"dataset": 6}, "runs", "datasets like these"),
    ],
)
def test_design_of_a_table(levels, unit, claim):
    scores, _ = read_scores(cross(model=2, **levels), ReadOptions())
    design = choose_design(scores)
    assert (design.unit, design.method.claim, design.levels) == (unit, claim, levels)
    assert design.describe().endswith(f" cover {claim}.")


def test_counts_of_one_run_and_a_request_for_items():
    counts, _ = read_scores(cross(model=2, item=9).assign(accuracy=1), ReadOptions())
    assert choose_design(counts).method.claim == "new items, for exactly these trained models"
    runs, _ = read_scores(cross(model=2, seed=3, item=9), ReadOptions())
    assert choose_design(runs, asks_items=True).unit == "items"
