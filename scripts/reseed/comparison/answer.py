"""The sentences of a comparison, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from reseed.comparison.standings import Section, measure_gap
from reseed.core.study_info import DatasetInfo
from reseed.metrics.names import is_share, metric_title_in_text
from reseed.readers.names import AGAINST
from reseed.readers.seeds import list_single_runs
from reseed.stats.spread import next_difference_limit
from reseed.verdicts.decide import ALL_DATASETS, TESTED, label_outcome
from reseed.verdicts.designs import (
    ASSUMED_TEST_SET,
    ITEM_MODEL,
    MEANS,
    ONE_TEST_SET,
    POOLED,
    SEEDS,
    SIGN,
)
from reseed.verdicts.families import describe_families
from reseed.verdicts.formatting import (
    count_noun,
    format_number,
    format_share,
    join_names,
    two_digits,
)
from reseed.verdicts.pair import Pair
from reseed.verdicts.shown import format_estimate

if TYPE_CHECKING:
    from reseed.comparison.result import Comparison

#: Names that a sentence lists.
_MOST_NAMES = 5
#: Datasets of one model that have a sentence each; runs from which a spread is one.
_MOST_DATASETS, _LEAST_RUNS = 3, 3
_PERCENT = 100.0


def state_answer(comparison: Comparison) -> list[str]:
    """The answer over everything, after a direction against a name."""
    against = [note for note in comparison.notes if note.startswith(AGAINST)]
    if not comparison.pair_rows:
        return [*against, "Nothing to compare: no two models have runs on the same data."]
    sections = comparison.sections
    if not sections:
        return [*against, "No model has a finished run."]
    single = [row for row in comparison.pair_rows if row.dataset != ALL_DATASETS]
    datasets = len({row.dataset for row in single}) or comparison.data.metrics["dataset"].nunique()
    first, scope = sections[0], _describe_scope(single, comparison.data.info.datasets)
    if datasets < 2:
        if first.reference != first.board[0].model or len(first.pairs) < len(first.board) - 1:
            return [*against, *_answer_pairs(first, scope)]
        return [*against, f"{_state_leader(first)}{scope}."]
    lines = []
    if first.dataset == ALL_DATASETS:
        few = any(pair.test == POOLED.test for pair in first.pairs.values())
        where = f"On exactly these {datasets} datasets" if few else f"Over {datasets} datasets"
        lines.append(f"{where} {_state_leader(first)}.")
    tested = [row for row in single if row.outcome in TESTED]
    decided = sum(row.outcome in ("better", "equal") for row in tested)
    lines.append(
        f"On single datasets {decided:,} of {len(tested):,} tested pairs are decided{scope}."
        if tested
        else "On single datasets no pair can be tested."
    )
    return [*against, *lines]


def _state_leader(section: Section) -> str:
    """`a has the best mean accuracy, 0.97: better than b by 3 points; undecided against c`."""
    best = section.board[0]
    is_over = best.metric == "rank"
    tied = [row.model for row in section.board if np.isclose(row.mean, best.mean, 1e-12, 0)]
    what = "mean rank" if is_over else f"mean {metric_title_in_text(best.metric)}"
    value = f"{best.mean:.2f}" if is_over else f"{best.mean:.4g}"
    verb = "has" if len(tied) == 1 else "share"
    by_label: dict[str, list[Pair]] = {}
    for row in section.board[1:]:
        if row.model not in tied and (pair := section.find(row.model, best.model)):
            by_label.setdefault(label_outcome(pair, best.model), []).append(pair)
    parts = []
    words = ("better", "worse", "equal", "undecided", "not tested")
    for label, pairs in sorted(
        by_label.items(), key=lambda one: [one[0].startswith(word) for word in words].index(True)
    ):
        word, _, reason = label.partition(": ")
        others = [row.model_b if row.model_a == best.model else row.model_a for row in pairs]
        has_size = word == "better" and len(pairs) == 1 and is_over == (pairs[0].metric == "rank")
        size = f" by {_format_size(pairs[0])}" if has_size else ""
        link = {"better": "than", "worse": "than", "undecided": "against", "not tested": "against"}
        parts.append(
            f"{word} {link.get(word, 'to')} {_list(others, len(section.board) - 1)}{size}"
            + (f" ({reason})" if reason else "")
        )
    lead = f"{_list(tied)} {verb} the best {what}, {value}"
    return f"{lead}: {'; '.join(parts)}" if parts else lead


def _answer_pairs(section: Section, scope: str) -> list[str]:
    """One sentence a pair, about the model that is compared with the baseline."""
    sentences = []
    for pair in section.pairs.values():
        is_against = section.reference in (pair.model_a, pair.model_b)
        other = section.reference if is_against else pair.model_b
        model = pair.model_a if other == pair.model_b else pair.model_b
        word, size = label_outcome(pair, model).partition(": ")[0], _format_size(pair)
        gap = f"{model} – {other} is {format_estimate(*measure_gap(pair, model), pair.unit)}"
        yes = {"better": "Yes", "worse": "No"}.get(word, word.capitalize())
        text = {
            "better": f"{model} is better than {other} by {size}",
            "worse": f"{model} is worse than {other} by {size}",
            "not tested": f"{model} against {other}, {pair.reason}",
        }.get(word, gap)
        sentences.append(f"{yes}: {text}{scope}.")
    return sentences


def _format_size(pair: Pair) -> str:
    """How much the better model is ahead, as a positive number."""
    if pair.metric == "rank":
        return f"{pair.difference:.2f} in mean rank"
    if pair.test == SIGN.test:
        return f"{pair.wins:.0f} of {pair.n:.0f} datasets"
    return format_estimate(*pair.shown_difference, pair.unit)


def _list(models: Iterable[str], of: int = 0) -> str:
    names = list(models)
    if len(names) == of > 2:
        return f"all {of} others"
    return join_names(names) if len(names) <= _MOST_NAMES else f"{len(names)} others"


def _describe_scope(pairs: list[Pair], facts: Mapping[str, DatasetInfo]) -> str:
    """What all pairs hold for: one test set, or new levels of what varied with the items."""
    tested = [row for row in pairs if row.outcome in TESTED]
    if tested and all(row.design == ITEM_MODEL.design for row in tested):
        covers = {row.covers for row in tested}
        return f" (for {covers.pop()})" if len(covers) == 1 else ""
    if not pairs or any(row.design not in (*ONE_TEST_SET, MEANS.design) for row in pairs):
        return ""
    if len({row.dataset for row in pairs}) > 1:
        return " (each on one fixed test set)"
    is_assumed = any(facts[row.dataset].is_split_assumed for row in pairs)
    return f" ({ASSUMED_TEST_SET if is_assumed else SEEDS.scope})"


def list_notes(comparison: Comparison) -> list[str]:
    """How the table was read, what was tested, and limits of the comparison."""
    trials, rows = comparison.data.info.trials, comparison.pair_rows
    runs = comparison.data.metrics
    lost = (runs["status"] != "ok").groupby(runs["model"], sort=False).agg(["sum", "size"])
    failed = [f"{row.Index} {row.sum:,} of {row.size:,}" for row in lost.itertuples() if row.sum]
    notes = [
        f"{count_noun(trials.ok, 'run')}, {trials.failed:,} failed and left out"
        + (f" ({join_names(failed)}): verdicts are on the others." if failed else ".")
    ]
    notes += comparison.notes
    tests = list(dict.fromkeys(row.test for row in rows if row.outcome in TESTED))
    if tests:
        notes.append(f"Tested by: {'; '.join(tests)}.")
    if any(row.pairs > 1 for row in rows):
        notes.append(
            "Intervals and p hold for all pairs at once: p is that of a pair times their number."
        )
    seeded = [row.n for row in rows if row.outcome in TESTED and row.design in ONE_TEST_SET]
    if seeded:
        unseen = 1 - 0.05 ** (1 / min(seeded))
        notes.append(
            f"{min(seeded):.0f} runs may miss (in 5 %) what {unseen:.0%} of runs do, such as a "
            "collapse: the test then claims too much."
        )
    if left_out := sum(row.left_out for row in rows if row.left_out > 0):
        notes.append(f"{left_out:,.0f} runs without a counterpart are left out, over all pairs.")
    facts = comparison.data.info.datasets
    if any(facts[row.dataset].is_split_assumed for row in rows if row.dataset in facts):
        notes.append(
            "That all runs share one split is an assumption (`seed_draws`): if the seeds drew "
            "splits, the test claims too much."
        )
    families = {row.dataset for row in rows if row.family == "dataset"}
    if len(families) > 1:
        has_choice = rows[0].design not in (MEANS.design, ITEM_MODEL.design)
        notes.append(describe_families(len(families), rows[0].alpha, has_choice))
    board = comparison.statistics("leaderboard")
    over = board[board["dataset"] == ALL_DATASETS]
    if len(over) and over["n"].iloc[0] < over["datasets"].iloc[0]:
        notes.append(
            f"Mean ranks are over the {over['n'].iloc[0]:.0f} of {over['datasets'].iloc[0]:.0f} "
            "datasets on which every model has a finished run."
        )
    return notes


def list_next_steps(comparison: Comparison) -> dict[str, str]:
    """At most three steps by their title: each is a choice, a number of runs, or an option."""
    sections = comparison.sections
    if len(sections) != 1:
        return {}
    (section,) = sections
    best = section.board[0].model
    steps = {}
    known = [(row.model, section.find(row.model, best)) for row in section.board[1:]]
    undecided = [(model, pair) for model, pair in known if pair and pair.outcome == "undecided"]
    few = [row for row in comparison.pair_rows if row.reason == "too few runs"]
    named = {model for row in few for model in (row.model_a, row.model_b)}
    if single := [one for one in list_single_runs(comparison.data.metrics) if one in named]:
        steps[f"If {join_names(single)} has no randomness"] = (
            f"Its one run is a fixed score: {' '.join(f'--deterministic {one}' for one in single)}"
        )
    if not undecided:
        return steps
    model, pair = undecided[0]
    flips = ""
    if isfinite(pair.instability) and pair.instability > 0:
        flips = f", and {format_share(pair.instability)} of single runs order them otherwise"
    gap = format_estimate(pair.shown_difference[0], np.nan, np.nan, pair.unit)
    steps["To choose now"] = f"Take {best} or {model}: the gap is {gap}{flips}."
    steps |= _plan_runs(comparison, best, dict(undecided))
    if not pair.rope > 0:
        width = "0.01" if pair.unit == "points" else "WIDTH"
        steps["To say that two are equal"] = (
            f"State the largest difference that does not matter: --rope {width}"
        )
    return steps


def _plan_runs(comparison: Comparison, best: str, pairs: dict[str, Pair]) -> dict[str, str]:
    """The undecided pair with the leader that fewest more runs would decide."""
    if "seeds_needed" not in comparison.analyses:
        return {}
    # Of pairs with the leader alone, at the size that the tests of all pairs have.
    size = max(pair.alpha / pair.pairs for pair in pairs.values())
    table = comparison.statistics(
        "seeds_needed", baseline=best, pairs=None, adjust=False, alpha=size
    )
    others = {(pair.model_a, pair.model_b): other for other, pair in pairs.items()}
    plans = [
        (row.runs_for_power, others[row.model_a, row.model_b])
        for row in table.drop_duplicates(["model_a", "model_b"]).itertuples()
        if (row.model_a, row.model_b) in others and isfinite(row.runs_for_power)
    ]
    if not plans:
        return {}
    runs, other = min(plans)
    now, unit = pairs[other].n, "splits" if pairs[other].design == "splits" else "seeds"
    return {
        f"To separate {best} from {other}": f"About {runs:,.0f} {unit} in place of {now:.0f}, if "
        "the difference is as large as seen."
    }


def state_one_model(comparison: Comparison) -> list[str]:
    """How much the score of one model varies, and with what; a sentence on each dataset."""
    board = comparison.statistics("leaderboard")
    has_items = "mean_low" in board
    boards = list(board.itertuples())
    if len(boards) > _MOST_DATASETS:
        return [f"One model on {len(boards)} datasets: the table has its scores."]
    lines = []
    for row in boards:
        where = f" on {row.dataset}" if len(boards) > 1 else ""
        lead = f"{row.model}{where}: mean {metric_title_in_text(row.metric)}"
        if has_items and isfinite(row.mean_low):
            interval = format_estimate(row.mean, row.mean_low, row.mean_high)
            scope = row.holds_for.replace("these trained models", "this trained model")
            lines.append(f"{lead} {interval} over {row.items:,.0f} items (for {scope}).")
        lines += [
            f"{lead} {_with_spread(one)} over {one.n:,} model seeds{_limit_next(comparison, one)}."
            for one in _read(comparison, "spread", row.dataset)
            if one.n >= _LEAST_RUNS and row.splits < 2
        ]
        for one in _read(comparison, "folds", row.dataset):
            seeds = f", over seeds within a split {two_digits(one.sd_seeds)}"
            ends = one.low, one.high
            if is_share(row.metric) and 0 <= one.mean <= _PERCENT:
                ends = max(one.low, 0), min(one.high, 1 if one.mean <= 1 else _PERCENT)
            limit = (
                " Two new runs, each with a split and seed of its own, differ by less than "
                f"{two_digits(one.limit)} in {format_share(one.level)} of cases, for Gaussian "
                "scores."
            )
            lines.append(
                f"{lead} {format_estimate(one.mean, *ends)} over {one.folds:,} splits, "
                f"SD {two_digits(one.sd_folds)}{seeds if one.sd_seeds > 0 else ''}."
                + (limit if one.limit > 0 else "")
            )
        lines += _state_shares(comparison, row.dataset)
    return lines or ["Too few runs show how much the score varies."]


def _read(comparison: Comparison, analysis: str, dataset: str) -> list[Any]:
    if analysis not in comparison.exhibits:
        return []
    rows = comparison.statistics(analysis)
    return list(rows[rows["dataset"] == dataset].itertuples())


def _with_spread(row: Any) -> str:
    decimals = 3 if abs(row.mean) < 10 else 1
    low, high = row.sd_low, row.sd_high
    ends = f" [{two_digits(low)}, {two_digits(high)}]" if isfinite(low) and row.sd > 0 else ""
    return f"{format_number(row.mean, decimals)}, SD {two_digits(row.sd)}{ends}"


def _limit_next(comparison: Comparison, row: Any) -> str:
    """How far two new runs lie apart by chance, for Gaussian scores on this test set."""
    if not row.sd > 0:
        return ""
    limit = two_digits(next_difference_limit(row.sd, row.n, row.level))
    is_assumed = comparison.data.info.datasets[row.dataset].is_split_assumed
    scope = ASSUMED_TEST_SET if is_assumed else SEEDS.scope
    return (
        f", if scores are near Gaussian. Then two new runs differ by less than {limit} in "
        f"{format_share(row.level)} of cases, {scope}"
    )


def _state_shares(comparison: Comparison, dataset: str) -> list[str]:
    """Shares of the variance of a score over both kinds of seeds."""
    if "variance" not in comparison.exhibits:
        return []
    rows = comparison.statistics("variance")
    rows = rows[(rows["dataset"] == dataset) & rows["component"].isin(["data_seed", "model_seed"])]
    if rows["component"].nunique() < 2:
        return []
    names = {"data_seed": "split", "model_seed": "model seed"}
    parts = [
        f"the {names[row.component]} {100 * row.share:.0f} %"
        + (
            f" [{100 * row.share_low:.0f}, {100 * row.share_high:.0f}]"
            if isfinite(row.share_low)
            else ""
        )
        for row in rows.itertuples()
    ]
    return [f"Of the variance of a score {join_names(parts)}; the rest is both together."]
