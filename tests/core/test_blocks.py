"""Names of blocks, and covers of trials by blocks."""

import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reseed.core.blocks import (
    LONGEST_SET,
    SeedBlock,
    block_of,
    cover,
    cut_set,
    format_set,
    parse_block,
    parse_set,
    trial_name,
)
from reseed.core.coordinates import ROLES, Coordinates

SEEDS = st.sets(st.one_of(st.integers(0, 30), st.integers(0, 2**32 - 1)), min_size=1, max_size=40)


def together(data_seed, seed, fold=None):
    return Coordinates(data_seed, fold, *(seed,) * len(ROLES))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("data-seed-0/model-seeds-0-9", 10),
        ("data-seed-0/model-seed-7", 1),
        ("data-seeds-0-1/folds-0-4/model-seeds-7+42+101-105", 2 * 5 * 7),
        ("data-seed-3/init-0-9-order-3-dropout-0-augment-0", 10),
        ("data-seed-3/init-0-1-order-3+5-dropout-0-augment-0", 4),
    ],
)
def test_a_name_says_which_trials_a_block_holds(name, count):
    block = parse_block(name)
    assert block.name == name
    assert len(set(block.trials())) == len(list(block.trials())) == len(block) == count


@pytest.mark.parametrize(
    ("seeds", "canonical"),
    [
        ("data-seed-0/model-seeds-42+7", "data-seed-0/model-seeds-7+42"),
        ("data-seed-0/model-seed-07", "data-seed-0/model-seed-7"),
        ("data-seed-0/model-seed-7-7", "data-seed-0/model-seed-7"),
        ("data-seed-0/model-seeds-0-1+2", "data-seed-0/model-seeds-0-2"),
        ("data-seed-0/model-seeds-1+1", "data-seed-0/model-seed-1"),
        ("data-seeds-0/model-seeds-7", "data-seed-0/model-seed-7"),
        ("data-seed-٣/model-seed-7", "data-seed-3/model-seed-7"),
    ],
)
def test_a_set_of_seeds_has_one_name(seeds, canonical):
    with pytest.raises(ValueError, match="seed") as caught:
        parse_block(seeds)
    assert str(caught.value).endswith(f"these seeds are written {canonical}")


@pytest.mark.parametrize(
    "name",
    [
        "data-seed-0/model-seeds-0-999999999",
        "data-seed-0/model-seeds-0-99999999999999999999999999",
        "data-seeds-0-9999/model-seeds-0-9999",
        "data-seed-0/init-0-999-order-0-999-dropout-0-999-augment-0",
        "data-seed-0/model-seeds-0-999999+0-999999",
    ],
)
def test_too_many_seeds_are_counted_and_not_listed(name):
    started = time.process_time()
    with pytest.raises(ValueError, match="at most"):
        parse_block(name)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "name",
    ["", "data-seed-0", "data-seed-/model-seed-0", "data-seed-0/model-seeds-5-1",
     "data-seed-0/model-seed-1+", "data-seed-0/model-seed--1", "data-seed-0/init-0-order-1",
     "data-seed-0/model-seed-0/x", "x/data-seed-0/model-seed-0"],
)  # fmt: skip
def test_other_paths_name_no_block(name):
    with pytest.raises(ValueError, match="seed"):
        parse_block(name)


@given(SEEDS)
def test_a_set_is_read_as_it_is_written(seeds):
    assert set(parse_set(format_set(seeds))) == seeds


@given(SEEDS, st.integers(1, 50))
def test_parts_of_a_set_are_disjoint_and_have_short_names(seeds, size):
    parts = list(cut_set(sorted(seeds), size))
    assert sorted(seed for part in parts for seed in part) == sorted(seeds)
    assert all(len(part) <= size for part in parts)
    assert all(len(format_set(part)) <= LONGEST_SET for part in parts)


TRIALS = st.sets(
    st.one_of(
        st.builds(together, st.integers(0, 5), st.integers(0, 12)),
        st.builds(
            Coordinates,
            st.integers(0, 3),
            st.none(),
            *(st.integers(0, 3) for _ in range(len(ROLES))),
        ),
    ),
    min_size=1,
    max_size=80,
)
WITH_FOLDS = st.sets(
    st.builds(together, st.integers(0, 3), st.integers(0, 8), st.integers(0, 4)),
    min_size=1,
    max_size=80,
)


@given(st.one_of(TRIALS, WITH_FOLDS), st.integers(1, 30))
def test_a_cover_holds_each_trial_once_in_small_blocks(trials, size):
    blocks = cover(trials, size)
    held = [trial for block in blocks for trial in block.trials()]
    assert len(held) == len(set(held))
    assert set(held) == trials
    assert all(len(block) <= size for block in blocks)
    assert [parse_block(block.name) for block in blocks] == blocks
    assert all(len(part) < 250 for block in blocks for part in block.name.split("/"))


def test_crossed_seeds_share_blocks():
    """Ten model seeds on one split and ten splits of one model seed, which share a trial."""
    trials = {together(0, seed) for seed in range(10)} | {together(seed, 0) for seed in range(10)}
    assert [block.name for block in cover(trials, 10)] == [
        "data-seed-0/model-seeds-0-9",
        "data-seeds-1-9/model-seed-0",
    ]


def test_folds_and_data_seeds_share_a_block():
    trials = [together(*one) for one in product(range(4), [0], range(5))]
    assert [block.name for block in cover(trials, 10)] == [
        "data-seeds-0-1/folds-0-4/model-seed-0",
        "data-seeds-2-3/folds-0-4/model-seed-0",
    ]
    assert [block.name for block in cover(trials, 4)][:2] == [
        "data-seed-0/folds-0-3/model-seed-0",
        "data-seed-0/fold-4/model-seed-0",
    ]


def test_crossed_roles_have_a_set_for_each():
    trials = [Coordinates(0, None, init, 5, 0, 0) for init in range(3)]
    assert [block.name for block in cover(trials, 10)] == [
        "data-seed-0/init-0-2-order-5-dropout-0-augment-0"
    ]


@given(st.integers(0, 99), st.one_of(st.none(), st.integers(0, 9)), *(st.integers(0, 2),) * 4)
def test_the_block_of_a_trial_has_its_name(data_seed, fold, init, order, dropout, augment):
    trial = Coordinates(data_seed, fold, init, order, dropout, augment)
    block = block_of(trial)
    assert trial.seeds == {"init": init, "order": order, "dropout": dropout, "augment": augment}
    assert list(block.trials()) == [trial]
    assert block.name == trial_name(trial)
    assert isinstance(parse_block(trial_name(trial)), SeedBlock)


def test_an_arm_of_one_role_stays_whole_beside_others():
    """Rows and columns through a corner, a small square there, and all roles together."""
    arms = [[Coordinates(0, None, *(i if role == k else 0 for role in range(4))) for i in range(60)]
            for k in range(2)]  # fmt: skip
    square = [Coordinates(0, None, i, j, 0, 0) for i in range(4) for j in range(4)]
    together = [Coordinates(0, None, i, i, i, i) for i in range(60)]
    wanted = {*arms[0], *arms[1], *square, *together}
    blocks = cover(wanted, 40)
    assert sorted(trial for block in blocks for trial in block.trials()) == sorted(wanted)
    assert len(blocks) == 2 + 2 + 2 + 3
