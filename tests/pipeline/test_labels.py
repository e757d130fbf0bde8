"""Labels of jobs in the progress lines."""

import pytest
from reseed.core.blocks import parse_block
from reseed.pipeline.labels import format_ranges, label_seeds, label_trials


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("data-seed-0/model-seed-3", "data seed 0, seed 3"),
        ("data-seed-0/model-seeds-0-2", "seeds 0-2"),
        ("data-seeds-0+2/model-seed-0", "data seeds 0, 2"),
        ("data-seeds-0-1/model-seeds-0-1", "data seeds 0-1, seeds 0-1"),
        ("data-seed-3/folds-0-4/model-seed-0", "data seed 3, 5 folds"),
        ("data-seed-0/init-0-order-4-6-dropout-0-augment-0", "seeds 4-6"),
    ],
)
def test_labels_of_blocks(name, label):
    assert label_trials(parse_block(name)) == label


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


def test_noun_agrees_with_the_number_of_seeds():
    assert label_seeds("seed", [3]) == "seed 3"
    assert label_seeds("seed", [3, 4]) == "seeds 3-4"
