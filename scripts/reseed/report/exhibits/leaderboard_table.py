"""Models by mean score, or mean rank over datasets, with the ranks that verdicts leave possible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite, nan

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.comparison.claims.formatting import format_level
from reseed.comparison.claims.item_verdicts import name_units
from reseed.comparison.claims.pair_row import (
    PairRow,
    has_model,
    is_on_one_test_set,
    is_over_datasets,
)
from reseed.comparison.claims.pair_verdicts import BY_ONE_CORRECTION, find_conditional
from reseed.comparison.claims.possible_ranks import format_ranks
from reseed.comparison.claims.possible_ranks import rank_models as rank_by_verdicts
from reseed.comparison.claims.verdicts import ALL_DATASETS
from reseed.core.schemas import COMPARISON_COLUMNS, Row
from reseed.plugins.options import Experiments as Options
from reseed.plugins.options import NoOptions
from reseed.report.analyses.leaderboard import BoardRow
from reseed.report.analyses.leaderboard import analyse as rank_models
from reseed.report.analyses.shared.data import Data
from reseed.report.analyses.shared.keys import merge_keys
from reseed.report.exhibits.shared.leading_models import (
    count_best_means,
    is_above_all,
    name_model,
    name_models,
    rank_cell,
    rank_note,
    score_heading,
    select_best,
    state_mean_ranks,
)
from reseed.report.exhibits.shared.shown_pairs import list_others, share_shown
from reseed.report.exhibits.shared.single_model import describe_mean_over_items
from reseed.report.rendering.data import ExhibitData, require_rows
from reseed.report.rendering.numbers import (
    NONE,
    decimals,
    fixed,
    gaps,
    interval,
    interval_decimals,
    plus_minus,
    seeds,
)
from reseed.report.rendering.settings import (
    CROSS_DATASET_COLUMNS,
    describe_detectable,
    footnote_pairs,
    group_by_setting,
    group_over_datasets,
    join_titles,
    metric_title,
    pair_runs,
    run_ends,
    sample_of_ends,
)
from reseed.report.rendering.tables import Rows, Table

#: Most datasets whose means are shown; with more, the means are in the CSV only.
MOST_DATASETS = 6
#: With more datasets, the SDs are in the CSV only, so that the table fits a page.
_MOST_SPREADS = 3
_MEANS = "Means and SDs are over each model’s own finished runs."
_INTERVALS = (
    "Interval: of the mean, for {}. Models are compared on the same items, so intervals that "
    "overlap say nothing of a difference."
)
_RANKS = "Possible ranks: those that shown differences leave to a model, for all models at once."
DRAWS = ("pairs",)


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each model, best first.

    One dataset: mean, spread and runs. Several datasets: mean rank, and means of up to
    `MOST_DATASETS`. The analysis `pairs` gives possible ranks if it compared every pair.
    """
    pairs = data.rows(options.experiments)
    wanted = options.experiments or list(pairs.get("experiment", ())) or None
    board = require_rows(read_board(data, wanted), "No run has finished at this scale.")
    if pairs.empty:
        pairs = pd.DataFrame(
            columns=[
                *COMPARISON_COLUMNS, "model_a", "model_b", "outcome", "design",
                "critical_difference",
            ]
        )  # fmt: skip
    pairs, board = (rows.assign(place=_setting_key(rows)) for rows in (pairs, board))
    over_pairs, pairs = pairs[pairs["critical_difference"].notna()], pairs[~is_over_datasets(pairs)]
    is_over = BoardRow.where(board, lambda row: row.dataset == ALL_DATASETS)
    over, single = board[is_over], board[~is_over]
    groups = list(_boards(data, single, over, pairs))
    sections, lines = [], Rows()
    for title, part, ranks, compared in groups:
        if len(ranks):
            sections.append((title, _list_ranks(data, part, ranks, over_pairs)))
        else:
            sections += [
                (join_titles(title, t), _list_means(data, of, compared))
                for t, of in group_by_setting(data, part)
            ]
    for title, cells in sections:
        for line in cells:
            lines.add(line, title if len(sections) > 1 else "")
    has_ranks = any("Possible ranks" in line for _, cells in sections for line in cells)
    holds_for = sorted({row.holds_for for row in BoardRow.read(single)} - {""})
    notes = [_MEANS, _INTERVALS.format(" or ".join(holds_for)) if holds_for else ""]
    notes += [_RANKS] if has_ranks else []
    return lines.table(
        data,
        board.drop(columns="place"),
        footnote_pairs(data, single, per="model and dataset"),
        definitions=[text for text in (*notes, rank_note(over)) if text],
        claims=[
            *describe_mean_over_items(data, single),
            *(claim for group in groups for claim in _claims(data, *group, len(groups) == 1)),
        ],
    )


def read_board(data: ExhibitData, experiments: list[str] | None) -> pd.DataFrame:
    """The analysis `leaderboard` of these experiments (None: all)."""
    names = data.metrics["experiment"]
    is_chosen = names.isin(names if experiments is None else experiments)
    if data.leaderboard is not None and is_chosen.all():
        return data.leaderboard
    return rank_models(Data(data.metrics[is_chosen], data.info), NoOptions())


def _setting_key(rows: pd.DataFrame) -> pd.Series:
    """A text that identifies the setting of each row; NaN equals NaN."""
    names = rows[["dataset", *CROSS_DATASET_COLUMNS]].itertuples(index=False, name=None)
    keys = ["\x1f".join(map(str, key)) for key in names]
    return pd.Series(keys, rows.index, dtype="category")  # compared as numbers


def _boards(
    data: ExhibitData, single: pd.DataFrame, over: pd.DataFrame, pairs: pd.DataFrame
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame, pd.DataFrame]]:
    """(title, rows by setting, rows over datasets, pairs) of each comparison over datasets."""
    for title, part in group_over_datasets(data, single):
        key = _setting_key(pd.DataFrame([merge_keys(part) | {"dataset": ALL_DATASETS}]))
        ranks = over[over["place"].isin(key)]
        yield title, part, ranks, pairs[pairs["place"].isin(part["place"])]


def _list_means(data: ExhibitData, part: pd.DataFrame, pairs: pd.DataFrame) -> list[Row]:
    lines, places, rows = [], _count_decimals(part), BoardRow.read(part)
    possible = _possible_ranks(_setting_of(pairs, part))
    if bounds := [row for row in rows if isfinite(row.mean_low)]:
        ends = ((row.mean_low, row.mean_high) for row in bounds)
        places = max(places, interval_decimals(ends))
    for row in rows:
        line = {"Model": name_model(data, row), "Rank": rank_cell(row.rank)}
        if possible:
            line["Possible ranks"] = possible.get(row.model, NONE)
        line[f"Mean {score_heading(rows[0])}"] = fixed(row.mean, places)
        if bounds:
            heading = f"{format_level(bounds[0].level)} interval"
            line[heading] = interval(row.mean_low, row.mean_high, places) or NONE
        if max(one.n for one in rows) > 1:
            line["SD"] = fixed(row.sd, places)
        lines.append(line | {"Runs": seeds(int(row.n), int(row.failed))})
    return lines


def _list_ranks(
    data: ExhibitData, part: pd.DataFrame, ranks: pd.DataFrame, pairs: pd.DataFrame
) -> list[Row]:
    columns = group_by_setting(data, part)
    with_spread = len(columns) <= _MOST_SPREADS
    means = {
        f"{title}: {score_heading(BoardRow.read_first(of))}": _means(of, with_spread)
        for title, of in columns
    }
    lines, rows, possible = [], BoardRow.read(ranks), _possible_ranks(_setting_of(pairs, ranks))
    for row in rows:
        line = {"Model": name_model(data, row), "Mean rank": fixed(row.mean, 2)}
        if possible:
            line["Possible ranks"] = possible.get(row.model, NONE)
        if len(columns) <= MOST_DATASETS:
            line |= {title: of.get(row.model, NONE) for title, of in means.items()}
        else:
            line["First on"] = f"{row.firsts:.0f} of {row.n:.0f}"
        if any(one.failed for one in rows):
            line["Failed runs"] = f"{row.failed:.0f}"
        lines.append(line)
    return lines


def _possible_ranks(pairs: pd.DataFrame) -> dict[str, str]:
    """The ranks of each model, by the pairs of one setting; empty where models are not ranked."""
    board = rank_by_verdicts(pairs) if len(pairs) else pairs
    return {row.model: format_ranks(row.low, row.high) for row in board.itertuples()}


def _means(part: pd.DataFrame, with_spread: bool) -> dict[str, str]:
    """Mean and SD by model with a finished run."""
    places = _count_decimals(part)
    return {
        row.model: plus_minus(row.mean, row.sd if with_spread else nan, places)
        for row in BoardRow.read(part)
        if row.n
    }


def _count_decimals(part: pd.DataFrame) -> int:
    return decimals(part["sd"], 2, 1, otherwise=gaps(part["mean"]))


def _setting_of(pairs: pd.DataFrame, part: pd.DataFrame) -> pd.DataFrame:
    return pairs[pairs["place"] == part["place"].iloc[0]]


def _claims(
    data: ExhibitData,
    title: str,
    single: pd.DataFrame,
    over: pd.DataFrame,
    pairs: pd.DataFrame,
    is_alone: bool,
) -> list[Claim]:
    """Claims of one comparison over datasets. is_alone: it is the only one, and has a headline."""
    known = BoardRow.select(over, lambda row: row.n > 0)
    if len(known):
        claims = [
            state_mean_ranks(data, title, known),
            *_best_by_rank(data, title, single, known, pairs),
        ]
        if len(pairs):
            claims.append(
                Claim(
                    join_titles("shown_differences", title),
                    "a difference is shown for {shown}",
                    pairs,
                    {"shown": share_shown(pairs, "comparison")},
                    pair_runs(pairs),
                    subject=title,
                    null="no difference",
                    precision=describe_detectable(pairs),
                )
            )
    else:
        is_one = is_alone and single["dataset"].nunique() == 1
        claims = [
            _best_mean(
                data, join_titles(title, "" if name == "data" else name), part, pairs, is_one
            )
            for name, part in group_by_setting(data, single)
            if len(part) > 1 and len(select_best(part)) == 1
        ]
        if len(claims) > 1:  # the first sentence is about all datasets
            claims.insert(0, count_best_means(data, title, group_by_setting(data, single)))
    return claims if is_alone else [replace(claim, headline=False) for claim in claims]


def _best_by_rank(
    data: ExhibitData, title: str, single: pd.DataFrame, known: pd.DataFrame, pairs: pd.DataFrame
) -> Iterator[Claim]:
    """The model with the best mean rank, and the datasets on which it beats all others."""
    models = BoardRow.read(known)
    least = min(row.mean for row in models)
    best = [row for row in models if row.mean == least]
    model, name = best[0].model, join_titles("best_mean_rank", title)
    names = {"best": phrases.name(name_models(data, known, [row.model for row in best]))}
    parts = [part for _, part in group_by_setting(data, single)]
    others = [list_others(_setting_of(pairs, part))[model] for part in parts]
    # Options may leave out pairs.
    left_out = any(len(o) < len(part) - 1 for o, part in zip(others, parts, strict=True))
    if len(best) > 1 or left_out:
        verb, sample = "share" if len(best) > 1 else "has", Sample.of(known, "n", "dataset")
        finding = f"{{best}} {verb} the best mean rank over {{n}}"
        yield Claim(name, finding, known, names, sample, headline=True, subject=title)
        return
    alone = pd.DataFrame([run_ends(_setting_of(pairs, part)) for part in parts])
    boards = [[row for row in BoardRow.read(part) if row.n > 0] for part in parts]
    beats_all = [
        is_above_all(other, len(board)) and board[0].model == model
        for other, board in zip(others, boards, strict=True)
    ]
    names |= {"alone": phrases.share(alone, pd.Series(beats_all), "dataset")}
    over = ""
    if models[0].n < len(parts):  # ranks use datasets with a run of every model
        is_ranked = [{row.model for row in models} <= {row.model for row in of} for of in boards]
        over, names["ranked"] = (
            " over {ranked}",
            phrases.share(alone, pd.Series(is_ranked), "dataset"),
        )
    is_limited = is_on_one_test_set(pairs).all()
    yield Claim(
        name,
        f"{{best}} has the best mean rank{over}; shown to beat all others on {{alone}}",
        alone,
        names,
        sample_of_ends(alone, pairs),
        headline=True,
        subject=title,
        basis="on one test set each" if is_limited else "",
        null="no difference",
        precision=describe_detectable(pairs),
    )


def _best_mean(
    data: ExhibitData, where: str, part: pd.DataFrame, pairs: pd.DataFrame, is_one: bool
) -> Claim:
    """The model with the best mean, and what is shown of the others.

    A model without a finished run is named; it was not compared.
    """
    best, absent = select_best(part), [row.model for row in BoardRow.read(part) if not row.n]
    row, pairs = BoardRow.read_first(best), _setting_of(pairs, part)
    pairs = pairs[~has_model(pairs, *absent)]
    of_best = pairs[has_model(pairs, row.model)]
    others = list_others(pairs)[row.model]
    beats_all = is_above_all(others, len(part) - len(absent))
    names = {
        "best": phrases.name(name_model(data, row)),
        "metric": phrases.name(metric_title(row.metric)),
        "mean": phrases.single(best, "mean", lambda mean: fixed(mean, _count_decimals(part))),
        "absent": phrases.name(name_models(data, best, absent)),
        **{
            side: phrases.name(name_models(data, best, models))
            for side, models in vars(others).items()
        },
    }
    are = "is" if len(others.lost) == 1 else "are"
    tail, text = "", "{best} has the best mean, {metric} {mean} over {n}"
    if len(of_best) and is_on_one_test_set(of_best).all():
        text += " on this one split"
    if beats_all:
        text += ", and is significantly better than every other model"
        tail = " and is shown to differ from every other"
    elif others.lost:  # a mean uses all runs of a model, a comparison the shared ones
        text += f"; on shared runs {{lost}} {are} significantly better than it"
        tail = ", but not on the runs it shares with {lost}"
    if others.open and not beats_all:
        is_tested = not set(of_best["outcome"]) <= {"difference", "too few runs"}
        few = f"there are too few {name_units(PairRow.read(of_best))} to compare it with"
        lead = "inconclusive against" if is_tested else few
        text += f"; {lead} {{open}}"
    elif others.won and not others.lost and not beats_all:
        text += ", and is significantly better than {won}"
    if others.equal:
        text += "; equivalent to {equal}"
    weak = list_others(of_best[find_conditional(of_best)])[row.model]
    if weak:
        names["weak"] = phrases.name(name_models(data, best, weak.won + weak.lost))
        text += f" ({{weak}} {BY_ONE_CORRECTION})"
        tail += f", {BY_ONE_CORRECTION}" if beats_all else ""
    if absent:
        text += f"; {{absent}} {'has' if len(absent) == 1 else 'have'} no finished run"
    return Claim(
        join_titles("best_mean", where),
        text,
        best,
        names,
        Sample.of(best, "n", "run"),
        headline=f"{{best}} has the best mean{tail}" if is_one else "",
        subject=where,
    )
