"""Blocks of trials: which seeds a training job trains, as a path that says so.

A block is a data-seed set × a fold set × a set of model seeds:

    data-seed-0/model-seeds-0-9
    data-seeds-0-1/folds-0-4/model-seeds-7+42+101-105
    data-seed-0/init-0-9-order-3-dropout-0-augment-0

`0-9` is a range, `+` joins. So any set of seeds has one name, and the name says which trials the
file holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from reseed.core.coordinates import ROLES, Coordinates

#: Length of the text of a seed set. A file system allows 255 bytes a name, suffix included.
LONGEST_SET = 45
#: Trials of a block. A plan names up to 10⁵.
MOST_TRIALS = 1_000_000
_SET = r"\d+(?:-\d+)?(?:\+\d+(?:-\d+)?)*"
_ROLES = "-".join(rf"{role}-(?P<{role}>{_SET})" for role in ROLES)
#: What the name of a block matches.
BLOCK_NAME = (
    rf"data-seeds?-(?P<data>{_SET})(?:/folds?-(?P<folds>{_SET}))?"
    rf"/(?:model-seeds?-(?P<model>{_SET})|{_ROLES})"
)


class SeedBlock(NamedTuple):
    """A block of trials of a setting.

    folds: None for a scheme without folds.
    roles: one set of seeds for all roles together, or a set for each role, which are crossed.
    """

    data: tuple[int, ...]
    folds: tuple[int, ...] | None
    roles: tuple[tuple[int, ...], ...]

    @property
    def name(self) -> str:
        """Path of the block below the folder of its setting, without suffix."""
        folds = () if self.folds is None else (_name("fold", self.folds),)
        if len(self.roles) == 1:
            model = _name("model-seed", self.roles[0])
        else:
            sets = zip(ROLES, self.roles, strict=True)
            model = "-".join(f"{role}-{format_set(seeds)}" for role, seeds in sets)
        return "/".join([_name("data-seed", self.data), *folds, model])

    def __len__(self) -> int:
        """Number of trials."""
        count = len(self.data) * (1 if self.folds is None else len(self.folds))
        for seeds in self.roles:
            count *= len(seeds)
        return count

    def trials(self) -> Iterator[Coordinates]:
        """Trials in the order of the rows of the block's file."""
        folds: Sequence[int | None] = (None,) if self.folds is None else self.folds
        seeds = (
            [(seed,) * len(ROLES) for seed in self.roles[0]]
            if len(self.roles) == 1
            else list(product(*self.roles))
        )
        for data_seed, fold in product(self.data, folds):
            for roles in seeds:
                yield Coordinates(data_seed, fold, *roles)


def parse_block(name: str) -> SeedBlock:
    """The block of a path below a setting's folder.

    Raises ValueError for another path, too many trials, and a name that the block does not have.
    """
    match = re.fullmatch(BLOCK_NAME, name)
    if match is None:
        raise ValueError(f"{name!r} names no seeds, as data-seed-0/model-seeds-0-9 does")
    parts = match.groupdict()
    roles = [parts["model"]] if parts["model"] else [parts[role] for role in ROLES]
    folds = parse_set(parts["folds"]) if parts["folds"] else None
    block = SeedBlock(parse_set(parts["data"]), folds, tuple(map(parse_set, roles)))
    if len(block) > MOST_TRIALS:
        raise ValueError(f"{name!r} names {len(block):,} seeds. Name {MOST_TRIALS:,} at most")
    if block.name != name:
        raise ValueError(f"{name!r}: these seeds are written {block.name}")
    return block


def block_of(trial: Coordinates) -> SeedBlock:
    """The block of one trial."""
    seeds = trial[2:]
    roles = (seeds[:1],) if len(set(seeds)) == 1 else tuple((seed,) for seed in seeds)
    return SeedBlock((trial.data_seed,), None if trial.fold is None else (trial.fold,), roles)


def trial_name(trial: Coordinates) -> str:
    """`data-seed-0/model-seed-7`."""
    return f"{trial.partition}/{trial.seed_name}"


def format_set(seeds: Iterable[int]) -> str:
    """`0-3+42`: ascending seeds, each once."""
    ranges: list[list[int]] = []
    for seed in sorted(set(seeds)):
        if ranges and seed == ranges[-1][1] + 1:
            ranges[-1][1] = seed
        else:
            ranges.append([seed, seed])
    return "+".join(str(low) if low == high else f"{low}-{high}" for low, high in ranges)


def parse_set(text: str) -> tuple[int, ...]:
    """Seeds of `0-3+42`. Raises ValueError for an empty range, and for too many seeds."""
    ranges = []
    for part in text.split("+"):
        low, _, high = part.partition("-")
        ranges.append((int(low), int(high or low)))
        if ranges[-1][0] > ranges[-1][1]:
            raise ValueError(f"{part!r}: the first seed is greater than the last")
    count = sum(high - low + 1 for low, high in ranges)  # `len` of a range has a limit
    if count > MOST_TRIALS:
        raise ValueError(f"{text!r} names {count:,} seeds. Name {MOST_TRIALS:,} at most")
    return tuple(sorted({seed for low, high in ranges for seed in range(low, high + 1)}))


def _name(noun: str, seeds: Sequence[int]) -> str:
    return f"{noun}{'s' if len(seeds) > 1 else ''}-{format_set(seeds)}"


def cover(trials: Iterable[Coordinates], size: int) -> list[SeedBlock]:
    """Disjoint blocks of at most `size` trials that together hold each of the trials once.

    The trials of one split with different model seeds are in one block; small splits with the same
    model seeds share a block.
    """
    seeds_of: dict[tuple[int, int | None], list[tuple[int, ...]]] = {}
    for trial in sorted(set(trials), key=lambda one: (one.data_seed, one.fold or 0, one[2:])):
        seeds_of.setdefault(trial[:2], []).append(trial[2:])
    return [
        SeedBlock(data, folds, roles)
        for data, folds, seeds in _merge_splits(seeds_of)
        for roles, count in _role_sets(seeds, max(1, size // _count(folds)))
        for data, folds in _cut_splits(data, folds, size // count)
    ]


_Split = tuple[int, int | None]
_Folds = tuple[int, ...] | None


def _count(folds: _Folds) -> int:
    return 1 if folds is None else len(folds)


def _merge_splits(
    seeds_of: dict[_Split, list[tuple[int, ...]]],
) -> Iterator[tuple[tuple[int, ...], _Folds, list[tuple[int, ...]]]]:
    """Data seeds and folds that have the same model seeds, with these."""
    folds_of: dict[tuple[int, tuple[tuple[int, ...], ...]], list[int | None]] = {}
    for (data_seed, fold), seeds in seeds_of.items():
        folds_of.setdefault((data_seed, tuple(seeds)), []).append(fold)
    data_of: dict[tuple[_Folds, tuple[tuple[int, ...], ...]], list[int]] = {}
    for (data_seed, same_seeds), folds in folds_of.items():
        named = None if folds == [None] else tuple(fold for fold in folds if fold is not None)
        data_of.setdefault((named, same_seeds), []).append(data_seed)
    for (named, same_seeds), data in data_of.items():
        yield tuple(data), named, list(same_seeds)


def _role_sets(
    seeds: list[tuple[int, ...]], size: int
) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """Sets of model seeds of at most `size`, with their numbers: of all roles, then of each."""
    equal_roles = [one[0] for one in seeds if len(set(one)) == 1]
    for part in cut_set(equal_roles, size):
        yield (part,), len(part)
    for varying, others, values in _rows_of_roles([one for one in seeds if len(set(one)) > 1]):
        fixed = [(seed,) for seed in others]
        for part in cut_set(values, size):
            yield (*fixed[:varying], part, *fixed[varying:]), len(part)


def _rows_of_roles(
    seeds: list[tuple[int, ...]],
) -> Iterator[tuple[int, tuple[int, ...], list[int]]]:
    """(role that varies, seeds of the others, seeds of the role): few rows that hold all seeds.

    Each combination is in the longest row through it. So an arm of one role stays whole where
    others vary other roles, or cross them.
    """

    def others(one: tuple[int, ...], role: int) -> tuple[int, ...]:
        return (*one[:role], *one[role + 1 :])

    rows = Counter((role, others(one, role)) for one in seeds for role in range(len(ROLES)))
    lines: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for one in seeds:
        role = max(range(len(ROLES)), key=lambda role: rows[role, others(one, role)])
        lines.setdefault((role, others(one, role)), []).append(one[role])
    for (role, fixed), values in lines.items():
        yield role, fixed, values


def _cut_splits(
    data: tuple[int, ...], folds: _Folds, splits: int
) -> Iterator[tuple[tuple[int, ...], _Folds]]:
    """Data seeds and folds of blocks with at most so many splits each."""
    if folds is None or splits >= len(folds):
        yield from ((part, folds) for part in cut_set(data, splits // _count(folds)))
        return
    for data_seed in data:
        yield from (((data_seed,), part) for part in cut_set(folds, max(1, splits)))


def cut_set(seeds: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Ascending parts of at most `size` seeds whose names are not too long."""
    part: list[int] = []
    length = 0
    for seed in sorted(seeds):
        if not (part and seed == part[-1] + 1):
            # A range adds its last seed, which has at most as many digits as the next seed.
            length += 2 * len(str(seed)) + 2
        if part and (len(part) >= size or length > LONGEST_SET):
            yield tuple(part)
            part, length = [], 2 * len(str(seed)) + 2
        part.append(seed)
    if part:
        yield tuple(part)
