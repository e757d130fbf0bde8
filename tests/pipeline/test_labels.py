"""Labels of jobs in the progress lines."""

from types import SimpleNamespace

import pytest
from reseed.core.coordinates import Coordinates
from reseed.pipeline.labels import format_ranges, join_names, label_block, label_seeds


def part(model, *trials, dataset="MAGIC"):
    """A setting with trials of (data seed, model seed)."""
    planned = SimpleNamespace(
        model=SimpleNamespace(title=model), dataset=SimpleNamespace(title=dataset)
    )
    return planned, [Coordinates(data, None, *[seed] * 4) for data, seed in trials]


@pytest.mark.parametrize(
    ("block", "label"),
    [
        ([part("RF", (0, 3))], "RF on MAGIC, data seed 0, seed 3"),
        ([part("RF", (0, 0), (0, 1), (0, 2))], "RF on MAGIC, seeds 0-2"),
        ([part("RF", (0, 0), (2, 0))], "RF on MAGIC, data seeds 0, 2"),
        ([part("RF", (0, 0), (1, 1))], "RF on MAGIC, data seeds 0-1, seeds 0-1"),
        ([part("RF", (0, 0)), part("GBM", (0, 0), (0, 1))], "RF, GBM on MAGIC, 3 trials"),
        ([part("RF", (0, 0)), part("RF", (0, 1), dataset="Bike")], "RF on MAGIC, Bike, 2 trials"),
    ],
)
def test_labels_of_blocks(block, label):
    assert label_block(block) == label


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([4], "4"),
        ([3, 1, 2, 7], "1-3, 7"),
        ([0, 2, 4], "0, 2, 4"),
        ([0, 2, 4, 6, 8], "0, 2, 4, … 8"),
        (range(1000), "0-999"),
    ],
)
def test_ranges_of_numbers(numbers, text):
    assert format_ranges(numbers) == text


def test_long_lists_of_names_are_counted():
    assert join_names(["a", "b", "a"]) == "a, b"
    assert join_names("abcde") == "a, b, c and 2 more"


def test_noun_agrees_with_the_number_of_seeds():
    assert label_seeds("seed", [3]) == "seed 3"
    assert label_seeds("seed", [3, 4]) == "seeds 3-4"
