"""Which test decides a comparison: one table for the analyses, the verdicts and the documentation.

`METHODS` is a decision table: `choose_method` returns the first row whose condition the facts meet.
docs/methods/comparing.md contains it with the measured false claims (`docs/tools/make_designs.py`).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

#: Least share of each model's runs that needs a run of the other model with the same seed, for
#: pairing by seed. Pairing loses the other runs, which costs more power than it gains (simulated
#: in docs/methods).
SHARED_SEEDS = 0.8
#: Seed of the signs of datasets: all entry points draw the same ones.
SIGNS_SEED = 20_260_101
#: What may vary in scores of items, in the order in which texts name it.
SOURCES = ("seed", "prompt", "cluster", "item", "repeat")


@dataclass(frozen=True)
class DesignFacts:
    """The facts about a comparison that select its test; None: not known, or any.

    varied: what differs between the runs.
    shares_seeds: whether enough seeds are common (`match_seeds`).
    has_items: whether scores of the test items are known, of two runs or more of each model.
    has_runs: False for means and SDs alone.
    ranks_models: whether three models or more were run on all datasets and all pairs are compared.
    has_one_share: whether all datasets have one metric, which is a share.
    has_one_loss: whether all have one metric that is no share, of which less is better, and all
        means are positive.
    counts_items: whether items have scores of 0 and 1, no clusters, and one run of each model.
    are_few: whether there are too few datasets for a statement beyond them, and all have one metric
        and runs or items of each model.
    """

    varied: Literal["splits", "seeds", "items", "datasets"]
    shares_seeds: bool | None = None
    has_items: bool | None = None
    has_runs: bool | None = None
    ranks_models: bool | None = None
    has_one_share: bool | None = None
    has_one_loss: bool | None = None
    counts_items: bool | None = None
    are_few: bool | None = None

    def meets(self, condition: DesignFacts) -> bool:
        """Whether all facts that `condition` requires hold."""
        return all(
            required is None or getattr(self, name) == required
            for name, required in vars(condition).items()
        )


@dataclass(frozen=True)
class Method:
    """One row: a design, its test, and where the false claims of that test were measured.

    name: key of the row, also in the table of measurements.
    condition: the designs of the row, unless an earlier row has them.
    varied, shared: the same in words: what differs between the runs, and what the runs of two
        models have in common.
    test: its name.
    claim: what a verdict generalises to.
    design: value of the column `design` of the analysis `pairs`, if it has the row.
    scope: phrase in the first sentence of a verdict that holds for less than `claim`.
    unit: name of a run in sentences; empty where both models have their own runs.
    elsewhere: further tables in docs/methods/simulations in which its false claims were measured,
        and the values of their columns that select its rows.
    """

    name: str
    condition: DesignFacts
    varied: str
    shared: str
    test: str
    claim: str
    design: str = ""
    scope: str = ""
    unit: str = ""
    elsewhere: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)

    @property
    def measured(self) -> dict[str, Mapping[str, str]]:
        """All tables with its false claims: `elsewhere`, and its rows of `designs`."""
        return {**self.elsewhere, "designs": {"method": self.name}}


_FIXED_TEST_SET = "on exactly this test set, which did not vary"
#: The same where only an assumption says so: imported seeds without a column of the split.
ASSUMED_TEST_SET = "on one test set, assuming that the seeds drew no split"
SPLITS = Method(
    name="splits",
    condition=DesignFacts("splits"),
    varied="splits (and seeds)",
    shared="splits",
    test="corrected resampled t test",
    claim="new splits of the same data (and new seeds)",
    design="splits",
    unit="splits",
    elsewhere={"unstable_learners": {"method": "corrected t, 1.5 n_test/n_train"}},
)
SEEDS_AND_ITEMS = Method(
    name="seeds and items",
    condition=DesignFacts("seeds", has_items=True),
    varied="seeds, on one test set with scores of its items",
    shared="the test set (and seeds)",
    test="t test of crossed seeds and items",
    claim="new seeds and new items",
    design="seeds and items",
)
MEANS = Method(
    name="means",
    condition=DesignFacts("seeds", has_runs=False),
    varied="seeds, on one test set; means and SDs alone",
    shared="the test set",
    test="Welch's t test of means and SDs",
    claim="new seeds on exactly these items",
    design="means",
    scope=_FIXED_TEST_SET,
)
SEEDS = Method(
    name="seeds",
    condition=DesignFacts("seeds", shares_seeds=True),
    varied="seeds, on one test set",
    shared="four in five seeds or more, and the test set",
    test="paired t test",
    claim="new seeds on exactly these items",
    design="seeds",
    scope=_FIXED_TEST_SET,
    unit="model seeds",
)
UNPAIRED = Method(
    name="unpaired",
    condition=DesignFacts("seeds"),
    varied="seeds, on one test set",
    shared="the test set",
    test="Welch's t test",
    claim="new seeds on exactly these items",
    design="unpaired",
    scope=_FIXED_TEST_SET,
)
ITEM_COUNTS = Method(
    name="item counts",
    condition=DesignFacts("items", counts_items=True),
    varied="items with scores of 0 and 1; one run of each model",
    shared="items",
    test="McNemar's test (Tango's score test and interval)",
    claim="new items, for exactly these trained models",
    design="items",
)
ITEM_MODEL = Method(
    name="item model",
    condition=DesignFacts("items"),
    varied="items (in clusters), seeds, prompts, repeats",
    shared="items, prompts (and seeds)",
    test="t test",
    claim="new levels of all that varied",
    design="items",
    elsewhere={"item_false_claims": {}},
)
POOLED = Method(
    name="pooled",
    condition=DesignFacts("datasets", are_few=True),
    varied="seeds, splits or items, on each of fewer than six datasets with one metric",
    shared="the datasets",
    test="t test of the mean over these datasets",
    claim="new runs (and items) on exactly these datasets",
    design="datasets",
    scope="on exactly these datasets",
    unit="datasets",
)
_over_datasets = partial(
    Method,
    claim="datasets like these",
    design="datasets",
    scope="over datasets",
    unit="datasets",
)
SIGN_FLIPS = _over_datasets(
    name="sign flips",
    condition=DesignFacts("datasets", has_one_share=True),
    varied="datasets",
    shared="datasets with one share as their metric",
    test="sign-flip test",
)
RANK_FLIPS = _over_datasets(
    name="sign flips of ranks",
    condition=DesignFacts("datasets", ranks_models=True),
    varied="datasets; three models or more on all of them",
    shared="datasets with different metrics or losses",
    test="sign-flip test of ranks",
)
LOG_FLIPS = _over_datasets(
    name="sign flips of log ratios",
    condition=DesignFacts("datasets", has_one_loss=True),
    varied="datasets; two models or chosen pairs",
    shared="datasets with one positive loss",
    test="sign-flip test of log ratios",
)
SIGN = _over_datasets(
    name="sign",
    condition=DesignFacts("datasets"),
    varied="datasets; two models or chosen pairs",
    shared="datasets with different metrics, or with values that have no ratio",
    test="sign test",
)
METHODS = (
    SPLITS, SEEDS_AND_ITEMS, MEANS, SEEDS, UNPAIRED, ITEM_COUNTS, ITEM_MODEL,
    POOLED, SIGN_FLIPS, RANK_FLIPS, LOG_FLIPS, SIGN,
)  # fmt: skip
#: Designs of the analysis `pairs` whose verdict holds for the one test set at hand.
ONE_TEST_SET = (SEEDS.design, UNPAIRED.design)


def choose_method(facts: DesignFacts) -> Method:
    """The first row of `METHODS` whose condition the facts meet; one has no other than `varied`."""
    return next(one for one in METHODS if facts.meets(one.condition))


class SeedMatch(NamedTuple):
    """Positions of the runs of two models that are compared; in the same order if `is_shared`."""

    rows: tuple[list[int], list[int]]
    is_shared: bool


def match_seeds(a: Sequence[Hashable], b: Sequence[Hashable], own: bool = False) -> SeedMatch:
    """Pair the runs of two models by seed if enough are common; else all runs of both.

    Args:
        a, b: the seed of each run, each once.
        own: equal seeds share nothing.
    """
    rows = {seed: row for row, seed in enumerate(b)}
    common = [] if own else [(row, rows[seed]) for row, seed in enumerate(a) if seed in rows]
    if common and len(common) >= SHARED_SEEDS * max(len(a), len(b)):
        return SeedMatch(([row for row, _ in common], [row for _, row in common]), True)
    return SeedMatch(([*range(len(a))], [*range(len(b))]), False)
