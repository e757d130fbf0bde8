"""What a comparison prints: the answer, the ranking, the pairs that matter, where the rest is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from reseed.comparison.baseline_answer import (
    answer_baseline,
    find_baseline,
    offer_deterministic,
)
from reseed.comparison.claims.designs import (
    ASSUMED_TEST_SET,
    ITEM_MODEL,
    MEANS,
    ONE_TEST_SET,
    SEEDS,
    SIGN,
)
from reseed.comparison.claims.families import describe_families
from reseed.comparison.claims.formatting import format_level, format_p, format_share
from reseed.comparison.claims.item_verdicts import name_generality, name_units
from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.pair_verdicts import (
    BY_ONE_CORRECTION,
    find_conditional,
    label_pair_outcome,
    label_pair_outcomes,
)
from reseed.comparison.claims.skewed import decisive_p
from reseed.comparison.claims.verdicts import ALL_DATASETS, BOTH_DIRECTIONS, TESTED
from reseed.comparison.output import UNLIMITED, build_table, open_console, read_console
from reseed.comparison.shown import (
    MOST_SENTENCES,
    ResultRow,
    build_pair_row,
    note_two_procedures,
)
from reseed.core.schemas import COMPARISON_COLUMNS
from reseed.metrics.directions import AGAINST
from reseed.report.analyses.leaderboard import BoardRow
from reseed.report.rendering.numbers import counted, several

if TYPE_CHECKING:
    from reseed.comparison.result import Comparison

#: Pairs that are printed; `verdicts` has all.
_MOST_PAIRS = 12
#: Models of the ranking that are printed.
_MOST_MODELS = 20
#: Names that a sentence lists.
_MOST_NAMES = 5
#: The models that share the best score, in what is said of them.
_EACH_OTHER = "each other"
#: Widest ranking.
_WIDEST = 120
#: Designs without a spread over runs.
_WITHOUT_RUNS = (ITEM_MODEL.design, MEANS.design)
_UNTESTED = ": the datasets are too few, or models lack runs."
_REST = (
    "More: --html FILE writes the page with figures, --csv FILE all verdicts, --folder DIR every "
    "table. In Python: `to_html`, `verdicts`, `save`."
)


def state_answer(comparison: Comparison) -> list[str]:
    """The answer over everything in at most two sentences, after a direction against a name."""
    against = [note for note in comparison.notes if note.startswith(AGAINST)]
    return [*against, *_state_answer(comparison)]


def _state_answer(comparison: Comparison) -> list[str]:
    table, pairs = comparison.statistics("pairs"), comparison.pair_rows
    if not pairs:
        return ["Nothing to compare: no two models have runs on the same data."]
    over = [row for row in pairs if row.dataset == ALL_DATASETS and isfinite(row.p_adjusted)]
    single = [row for row in pairs if row.dataset != ALL_DATASETS]
    datasets, lines = len({row.dataset for row in single}), offer_deterministic(comparison)
    board = BoardRow.read(comparison.leaderboard)
    if datasets < 2:
        if baseline := find_baseline(comparison):
            answers = answer_baseline(comparison, baseline)
            answers[-1] = f"{answers[-1].removesuffix('.')}{_describe_scope(single)}."
            return [*lines, *answers]
        means = [row for row in board if row.dataset != ALL_DATASETS]
        return [*lines, _describe_best(means, single)]
    ranks = [row for row in board if row.dataset == ALL_DATASETS]
    if over and ranks:
        lines.append(_describe_best(ranks, over, over_datasets=datasets))
    elif ranks:
        listed = [f"{row.model} {row.mean:.2f}" for row in ranks[:3]]
        has_means = any(row.design == MEANS.design for row in single)
        lines.append(
            f"Best mean ranks over {datasets} datasets: {several(listed)}. They are not tested"
            + ("." if has_means else _UNTESTED)
        )
    outcomes, weak = Counter(row.outcome for row in single), int(find_conditional(table).sum())
    equal, tested = outcomes["equivalent"], sum(isfinite(row.p_adjusted) for row in single)
    also = f" ({weak:,} of them {BY_ONE_CORRECTION})" if weak else ""
    also += f", equivalence for {equal:,}" if equal else ""
    shown = f"{outcomes['difference']:,} of {counted(tested, 'tested pair')}{also}"
    scope = _describe_scope(single)
    lines.append(
        f"On single datasets a difference is shown for {shown}{scope}."
        if tested
        else "On single datasets no pair can be tested."
    )
    return lines


def _describe_best(board: list[BoardRow], pairs: list[PairRow], over_datasets: int = 0) -> str:
    """The best model of a ranking, and what is shown of the others.

    over_datasets: the number of datasets, of which `mean` is the mean rank; 0 for one dataset.
    """
    ranked = [row for row in board if isfinite(row.mean)]
    if not ranked:
        return "No model has a finished run."

    def place(row: BoardRow) -> float:
        return row.mean if over_datasets else row.rank

    best = min(ranked, key=place)
    tied = [row.model for row in ranked if np.isclose(place(row), place(best))]
    compared = [row for row in pairs if best.model in (row.model_a, row.model_b)]
    others: dict[str, list[str]] = {}
    for row in compared:
        is_ahead, label = row.model_a == best.model, label_pair_outcome(row)
        side = label.removeprefix("difference")
        side = side if side == label else f"{'better' if is_ahead else 'worse'}{side}"
        other = row.model_b if is_ahead else row.model_a
        names = others.setdefault(side, [])
        if other not in tied:
            names.append(other)
        elif _EACH_OTHER not in names:
            names.insert(0, _EACH_OTHER)
    if over_datasets:
        where, score = f"Over {over_datasets} datasets ", f"mean rank {best.mean:.2f}"
    else:
        where = ""
        score = f"mean {best.metric} {best.mean:.4g} over {_count_runs(best.n, compared)}"
    lead = f"{where}{best.model} is best by {score}"
    if len(tied) > 1:
        lead = f"{where}{_list(tied)} share the best {score}"
    words = {
        "better": "significantly better than",
        "worse": "significantly worse than",
        "equivalent": "equivalent to",
        "no difference shown": "not significantly different from",
        "too few runs": f"too few {name_units(compared)} to compare with",
        "no variation": "their differences do not vary between runs, so no test against",
        "not comparable": "not comparable with",
    }
    parts = [
        f"{side.removeprefix(word).lstrip(', ')} {text} {_list(others[side], len(compared))}"
        for word, text in words.items()
        for side in others
        if side == word or side.startswith(f"{word}, ")
    ]
    scope = "" if over_datasets else _describe_scope(pairs)
    return f"{'; '.join([lead, *(part.lstrip() for part in parts)])}{scope}."


def _count_runs(n: float, pairs: list[PairRow]) -> str:
    """`5 runs`; of scores of items `60 items`, or `5 runs of 60 items`."""
    if name_units(pairs) == "runs":
        return f"{n:.0f} runs"
    items = [row.levels["item"] for row in pairs if isfinite(row.levels["item"])]
    count = counted(int(max(items)), "item")
    return count if n == 1 else f"{n:.0f} runs of {count}"


def _list(models: Iterable[str], of: int = 0) -> str:
    names = list(models)
    if len(names) == of > 2:
        return f"all {of} others"
    if len(names) > _MOST_NAMES:
        return f"{len(names)} others"
    return several(names)


def _describe_scope(pairs: list[PairRow]) -> str:
    """What all pairs hold for: one test set, or new levels of what varied with the items."""
    tested = [row for row in pairs if row.outcome in TESTED]
    if tested and all(row.design == ITEM_MODEL.design for row in tested):
        general = name_generality(tested)
        return f" (for {general})" if general else ""
    if not pairs or any(row.design not in (*ONE_TEST_SET, MEANS.design) for row in pairs):
        return ""
    if len({row.dataset for row in pairs}) > 1:
        return " (each on one fixed test set)"
    is_assumed = any(row.is_split_assumed is True for row in pairs)
    return f" ({ASSUMED_TEST_SET if is_assumed else SEEDS.scope})"


def render(comparison: Comparison, width: int | None = None, color: bool = False) -> str:
    """The text of `reseed compare`.

    Args:
        width: columns of the terminal, to which tables are fitted; None for no limit.
        color: whether to use terminal colors.
    """
    console = open_console(width, color)
    for sentence in state_answer(comparison):
        console.print(sentence, style="bold")
    console.print()
    _print_ranking(console, comparison)
    _print_pairs(console, comparison)
    console.print()
    for note in list_notes(comparison):
        console.print(f"Note: {note}")
    console.print(_REST)
    return read_console(console)


def _print_ranking(console: Any, comparison: Comparison) -> None:
    """The ranking, without less important columns if it does not fit."""
    board = comparison.table("leaderboard").with_sections
    shown = board.head(_MOST_MODELS)
    of_datasets = [c for c in shown if "Mean rank" in shown and str(c).endswith(("↑", "↓"))]
    width, unlimited = min(console.width, _WIDEST), console.options.update(width=UNLIMITED)
    for dropped in ((), of_datasets, ("SD",)):
        shown = shown.drop(columns=list(dropped), errors="ignore")
        table = build_table(shown)
        if console.measure(table, options=unlimited).maximum <= width:
            break
    console.print(table)
    if len(board) > len(shown):
        console.print(f"… and {len(board) - len(shown)} more models.")


def _print_pairs(console: Any, comparison: Comparison) -> None:
    rows = comparison.ordered_verdicts()
    if rows.empty:
        return
    console.print()
    several_datasets = rows["dataset"].nunique() > 1
    if len(rows) <= MOST_SENTENCES:
        for dataset, verdict in rows[["dataset", "verdict"]].itertuples(index=False):
            console.print(f"- {dataset}: {verdict}" if several_datasets else f"- {verdict}")
        return
    over = rows[(rows["dataset"] == ALL_DATASETS) & rows["p_adjusted"].notna()]
    first = over if several_datasets else rows
    if len(first):
        if several_datasets:
            console.print("Pairs over all datasets:", style="bold")
        _print_differences(console, comparison, first)
    single = rows[rows["dataset"] != ALL_DATASETS]
    if several_datasets and len(single):
        if len(over):
            console.print()
        if len(single) <= _MOST_PAIRS:
            console.print("Pairs on single datasets:", style="bold")
            _print_differences(console, comparison, single)
            return
        console.print("Pairs on single datasets, number of datasets by outcome:", style="bold")
        counts = _count_outcomes(single)
        console.print(build_table(counts.head(_MOST_PAIRS)))
        _print_more(console, len(counts))


def _print_differences(console: Any, comparison: Comparison, rows: pd.DataFrame) -> None:
    """One line a pair, grouped by outcome."""
    order = list(dict.fromkeys(rows["outcome"]))
    grouped = rows.sort_values("outcome", key=lambda o: o.map(order.index), kind="stable")
    shown = list_rows(comparison, grouped.head(_MOST_PAIRS))
    heading = _name_differences(comparison.statistics("pairs").loc[grouped.index])
    is_one = rows["dataset"].nunique() == 1
    table = pd.DataFrame(
        ({} if is_one else {"Dataset": row.dataset})
        | {"Comparison": row.name, heading: row.estimate, **row.cells}
        for row in shown
    )
    console.print(build_table(table, 1 if is_one else 2))
    _print_more(console, len(rows))


def _print_more(console: Any, number: int) -> None:
    if number > _MOST_PAIRS:
        console.print(f"… and {number - _MOST_PAIRS} more pairs.")


def _count_outcomes(single: pd.DataFrame) -> pd.DataFrame:
    """One row a pair, in the order of its first row: datasets on which each is better."""
    pairs: dict[frozenset[str], dict[str, int]] = {}
    names: dict[frozenset[str], tuple[str, str]] = {}
    for a, b, outcome in single[["model_a", "model_b", "outcome"]].itertuples(index=False):
        key = frozenset((a, b))
        first = names.setdefault(key, (a, b))[0]
        side = outcome if outcome != "difference" else "first" if a == first else "second"
        counts = pairs.setdefault(key, {})
        counts[side] = counts.get(side, 0) + 1
    headings = {
        "first": "First better",
        "second": "Second better",
        "equivalent": "Equivalent",
        "no difference shown": "Not shown",
        "too few runs": "Too few runs",
        "no variation": "No variation",
        "not comparable": "Not comparable",
    }
    used = [side for side in headings if any(side in counts for counts in pairs.values())]
    table = [
        {"Pair": " – ".join(names[key])} | {headings[side]: counts.get(side, 0) for side in used}
        for key, counts in pairs.items()
    ]
    frame = pd.DataFrame(table)
    decided = sum((frame[h] for h in ("First better", "Second better") if h in frame), start=0)
    order = pd.Series(decided, frame.index).sort_values(ascending=False, kind="stable").index
    return frame.loc[order]


def list_notes(comparison: Comparison) -> list[str]:
    """How the table was read, and limits of the comparison."""
    trials, pairs = comparison.data.info.trials, comparison.statistics("pairs")
    tested = pairs[(pairs["family"] == "dataset") & (pairs["design"] != "datasets")]
    families = tested.groupby([*COMPARISON_COLUMNS], dropna=False).ngroups
    has_choice = not tested["design"].isin(_WITHOUT_RUNS).any()
    text = describe_families(families, pairs["alpha"].iloc[0], has_choice) if len(pairs) else ""
    runs = counted(trials.ok, "run")
    notes = [f"{runs}, {trials.failed:,} failed and left out.", *comparison.notes]
    notes += note_two_procedures(pairs)
    if comparison.possible_ranks:
        level = format_level(1 - pairs["alpha"].iloc[0])
        notes.append(f"Possible ranks hold for all models at once, at a level of {level}.")
    return [*notes, *([text] if text else []), *_note_incomplete_ranks(comparison)]


def list_rows(comparison: Comparison, verdicts: pd.DataFrame) -> list[ResultRow]:
    """One row a comparison: difference with its interval, p, flips, outcome."""
    pairs = comparison.statistics("pairs")
    rows = dict(zip(pairs.index, comparison.pair_rows, strict=True))
    labels = label_pair_outcomes(pairs.loc[verdicts.index])
    heading = _name_p(pairs.loc[verdicts.index])
    return [_build_row(rows[number], label, heading) for number, label in labels.items()]


def _build_row(row: PairRow, label: str, heading: str) -> ResultRow:
    cells = {
        heading: format_p(decisive_p(row)) if isfinite(row.p_adjusted) else "–",
        "Flips": format_share(row.instability) if isfinite(row.instability) else "–",
        "Outcome": label,
    }
    return build_pair_row(row, cells)


def _name_p(rows: pd.DataFrame) -> str:
    """Heading of the p-values that decide: the name of their adjustment."""
    is_over = rows["design"] == "datasets"
    if is_over.all():
        return "p (all pairs at once)"
    return "p, adjusted" if is_over.any() else BOTH_DIRECTIONS


def _name_differences(rows: pd.DataFrame) -> str:
    """Heading of what `show_difference` shows of the rows."""
    if (rows["metric"] == "rank").all():
        return "Mean ranks"
    if (rows["test"] == SIGN.test).all():
        return "Ahead on"
    is_over = (rows["design"] == "datasets").all()
    return "Mean difference" if is_over else "Difference [interval]"


def _note_incomplete_ranks(comparison: Comparison) -> Iterable[str]:
    """Note which datasets the mean ranks leave out, if models lack datasets."""
    rows = comparison.statistics("leaderboard")
    rows = rows[rows["dataset"] == ALL_DATASETS]
    if rows.empty or rows["n"].iloc[0] == rows["datasets"].iloc[0]:
        return []
    return [
        f"Mean ranks are over the {rows['n'].iloc[0]:.0f} of {rows['datasets'].iloc[0]:.0f} "
        "datasets on which every model has a finished run."
    ]
