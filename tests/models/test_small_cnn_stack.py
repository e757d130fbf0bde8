"""Small CNNs side by side: the same training as one by one, and lanes that do not feel each other.

Widths are such that every lane's matrices begin at a multiple of 64 bytes.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from image_sets import blobs, seeds
from papers.banerjee.small_cnn import SmallCnn, StackedCnn, small_cnn
from reseed.training.run import Problem, Recipe
from reseed.training.tuning import Search

RECIPE = {"width_1": 16, "width_2": 16, "hidden": 16, "batch_size": 16, "epochs": 2,
          "dropout": 0.2, "crop": 1, "flip": True, "augment_block": 4}  # fmt: skip


def arrays(seed=0, n=40):
    images, y = blobs(n + 10, seed=seed)
    return SimpleNamespace(X_train=images[:n], y_train=y[:n], X_test=images[n:], y_test=y[n:])


SHARED = arrays()


def fitted(lane_seeds, width, data=None):
    data = data or [SHARED] * len(lane_seeds)
    lanes = [small_cnn("multiclass", 3, RECIPE, seeds(s)) for s in lane_seeds]
    found = list(SmallCnn.fit_many(lanes, [lambda d=d: d for d in data], width))
    assert sorted(number for number, _, _ in found) == list(range(len(lanes)))
    assert not any(error for *_, error in found)
    return lanes


def outputs(lane, data=SHARED):
    return lane.predict(data.X_test)


def test_a_stack_is_the_function_of_its_networks():
    lane = small_cnn("multiclass", 3, RECIPE | {"dropout": 0.0}, seeds())
    alone = [lane._build_network((3, 12, 12)).eval() for _ in range(3)]
    for k, network in enumerate(alone):
        for p in network.parameters():
            p.data.mul_(1 + k)
    stacked = StackedCnn(alone[0], 3).eval()
    for k, network in enumerate(alone):
        for mine, theirs in zip(stacked.stacked, network.parameters(), strict=True):
            mine.data[k] = theirs.data
    x = torch.randn(3, 5, 3, 12, 12, generator=torch.Generator().manual_seed(0))
    expected = torch.stack([network(x[k]) for k, network in enumerate(alone)])
    assert torch.allclose(stacked(x), expected, atol=1e-4)


def test_lanes_train_as_single_networks():
    lanes = fitted([1, 2, 3], 3)
    for seed, lane in zip([1, 2, 3], lanes, strict=True):
        alone = small_cnn("multiclass", 3, RECIPE, seeds(seed))
        alone.watch(SHARED.X_test, SHARED.y_test)
        alone.fit(SHARED.X_train, SHARED.y_train)
        assert outputs(lane) == pytest.approx(outputs(alone), abs=2e-3)
        for mine, theirs in zip(lane.curve_, alone.curve_, strict=True):
            assert mine == pytest.approx(theirs, abs=2e-3)


def test_lane_bits_are_independent_of_slot_and_other_lanes():
    first = fitted([5, 6, 7], 3)
    other = fitted([9, 5], 3)
    assert np.array_equal(outputs(first[0]), outputs(other[1]))
    queued = fitted([1, 2, 3, 4, 5], 3)  # takes a slot that another lane has left
    assert np.array_equal(outputs(first[0]), outputs(queued[4]))


def test_lanes_may_have_different_training_rows():
    other = arrays(seed=3)
    mixed = fitted([1, 1], 2, [SHARED, other])
    both = fitted([1, 1], 2, [other, SHARED])
    assert np.array_equal(outputs(mixed[0]), outputs(both[1]))
    assert np.array_equal(outputs(mixed[1]), outputs(both[0]))
    assert not np.array_equal(outputs(mixed[0]), outputs(mixed[1]))


def test_a_failure_ends_only_its_lane():
    lanes = [small_cnn("multiclass", 3, RECIPE, seeds(s)) for s in (1, 2, 3)]
    broken = SimpleNamespace(**vars(SHARED) | {"X_train": SHARED.X_train.astype(float)})
    data = [SHARED, broken, SHARED]
    found = {n: e for n, _, e in SmallCnn.fit_many(lanes, [lambda d=d: d for d in data], 2)}
    assert found[0] is None
    assert found[2] is None
    assert "kind: images" in str(found[1])
    assert np.array_equal(outputs(lanes[0]), outputs(fitted([1], 2)[0]))


class Images:
    """The smallest inputs of kind images."""

    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def take(self, rows):
        return self.images[rows]


@pytest.mark.parametrize("stack", [2, 8])
def test_a_search_stacks_folds_whose_test_rows_differ_in_number(stack, tmp_path):
    images, y = blobs(63)
    problem = Problem(Images(images), y, "multiclass", 3)
    recipe = Recipe("papers.banerjee.small_cnn:small_cnn", RECIPE | {"epochs": 1}, stack=stack)
    options = {"trials": 2, "seed": 0, "key": "data", "report": lambda text: None}
    found = Search(problem, recipe, {"hidden": [4, 8]}, np.arange(63), tmp_path, **options).run()
    assert found.log.status.tolist() == ["ok"] * 10, set(found.log.error)
