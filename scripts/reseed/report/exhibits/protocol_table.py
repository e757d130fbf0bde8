"""Instability, wins, family-wise error and cost of each decision rule (protocol, Table 3)."""

from __future__ import annotations

import math

import pandas as pd

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import NO_NULL, Estimate, Sample
from reseed.plugins.options import Experiments as Options
from reseed.report.analyses.protocol import SETTINGS, RuleRow
from reseed.report.rendering import numbers
from reseed.report.rendering.data import ExhibitData, footnote, require_rows
from reseed.report.rendering.settings import group_by_setting
from reseed.report.rendering.tables import Rows, Table, TableRow

TITLES = {
    "single": "One run, the higher wins",
    "written": "Protocol as written",
    "corrected": "Corrected protocol",
}
#: Names of the tests for studies that reproduce no paper.
_TESTS = {
    "written": "Uncorrected (Wilcoxon, Holm)",
    "corrected": "Corrected resampled t, Holm",
}

DRAWS = ("protocol",)

# Fewest simulated experiments for an error rate in the heading.
_LEAST = 100


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each decision rule and setting."""
    reason = data.no_pairs("No two models share folds and seeds at this scale.")
    known = require_rows(data.measured(options.experiments), reason)
    titles = TITLES if data.info.is_reproduction else TITLES | _TESTS
    lines = Rows()
    for title, part in group_by_setting(data, known):
        for row in RuleRow.read(part):
            lines.add({"Way of deciding": titles[row.setting]} | _line(row), title)
    note = footnote(
        data,
        known,
        f"Level {RuleRow.read_first(known).alpha:g}. An evaluation by a test has one seed for each"
        f" fold, drawn at random; {_folds(known)}. Instability: share of evaluations whose order of"
        " two models is not that of all trials' means. Wins: pairs decided, mean over evaluations."
        " Error: share of experiments with equal models in which any is called better, of two"
        " kinds. Same rows: seeds of one model stand for models on the rows of this study, so only"
        " the seeds differ. New samples: equally good models are simulated on fresh samples of"
        f" {numbers.from_to(known['items'])} rows, so the rows that a model happens to get right"
        " differ as well. In brackets: 95 % intervals. Runs: trainings of each model in an"
        " evaluation.",
    )
    return lines.table(data, data.rows(options.experiments), note, claims=_claims(data, known))


def _line(row: RuleRow) -> TableRow:
    return {
        "Instability": _bracketed(row.instability, row.instability_low, row.instability_high),
        "Wins": f"{row.wins:.1f} / {row.pairs:.0f}",
        "Error, same rows": _percent(row.aa),
        "Error, new samples": _bracketed(row.simulated, row.simulated_low, row.simulated_high),
        "Runs a model": f"{row.runs:,.0f}",
    }


def _bracketed(share: float, low: float, high: float) -> str:
    ends = "" if math.isnan(low) else f" [{100 * low:.1f}, {100 * high:.1f}]"
    return _percent(share) + ends


def _has_own_folds(rows: pd.DataFrame) -> bool:
    return not any(math.isnan(row.instability_low) for row in RuleRow.read(rows))


def _folds(rows: pd.DataFrame) -> str:
    return "no two evaluations share folds" if _has_own_folds(rows) else "the folds are fixed"


def _percent(share: float) -> str:
    return numbers.percent(share, 1)


def _claims(data: ExhibitData, rows: pd.DataFrame) -> list[Claim]:
    names = {row: title for title, part in group_by_setting(data, rows) for row in part.index}
    rows = rows.assign(title=rows.index.map(names))
    single, written, corrected = (rows[rows["setting"] == name] for name in SETTINGS)
    if _has_own_folds(written):  # the error is that of the table with the same folds
        return _instability(single, written)
    cites = data.info.is_reproduction
    test = "The protocol as written" if cites else "The uncorrected test"
    claims = [_error(test, written, corrected, cites)]
    if not any(math.isnan(row.aa) for row in RuleRow.read(written)):
        claims.append(_error_on_same_rows(test, written))
    if not any(math.isnan(row.instability) for row in RuleRow.read(rows)):
        claims += _instability(single, written)
    if cites:
        claims.append(_cost(written))
    return claims


def _error(test: str, written: pd.DataFrame, corrected: pd.DataFrame, cites: bool) -> Claim:
    both = pd.concat([written, corrected])
    rules = RuleRow.read(both)
    which = "as written" if cites else "uncorrected"
    headline = f"Error rate at level {{level}}: {which} {{written}}, corrected {{corrected}}"
    return Claim(
        name="error_as_written",
        finding=f"{test} calls one of several models better although none is, in {{written}} of"
        " simulated experiments on new samples; corrected for overlapping folds, it does so in"
        " {corrected}",
        headline=headline if min(row.simulations for row in rules) >= _LEAST else "",
        basis="{n} in each of {settings}, level {level}",
        rows=both,
        phrases={
            "written": phrases.extent(written, "simulated", _percent, which, is_comparable=True),
            "corrected": phrases.extent(
                corrected, "simulated", _percent, "corrected", is_comparable=True
            ),
            "level": phrases.setting(rules[0].alpha, numbers.percent),
            "settings": phrases.distinct(both, "title", "setting"),
        },
        sample=Sample.of(both, "simulations", "experiment"),
        statistic="family-wise error rate",
        estimates=_shares(written, "simulated"),
        null="an error rate of the level",
    )


def _error_on_same_rows(test: str, rows: pd.DataFrame) -> Claim:
    is_smaller = all(row.aa < row.simulated_low for row in RuleRow.read(rows))
    return Claim(
        name="error_on_same_rows",
        finding="if seeds of one model stand for several models on the rows of this study, so that"
        f" only seeds differ, {test[0].lower()}{test[1:]} calls one better in {{error}} of {{n}} in"
        " each of {settings}",
        note="This is less than on new samples, where the choice of rows adds to the error."
        * is_smaller,
        rows=rows,
        phrases={
            "error": phrases.extent(rows, "aa", _percent, is_comparable=True),
            "settings": phrases.count(rows, "setting"),
        },
        sample=Sample.of(rows, "aa_experiments", "experiment"),
        statistic="share of experiments",
        estimates=_shares(rows, "aa"),
        null=NO_NULL,
        precision="no interval: all experiments share the same trials",
    )


def _shares(rows: pd.DataFrame, column: str) -> list[Estimate]:
    """Estimates, with the interval of the columns `{column}_low` and `{column}_high` if known."""
    ends = rows.reindex(columns=[f"{column}_low", f"{column}_high"]).itertuples(index=False)
    return [
        Estimate(title, share, low, high, 0.95 if low == low else math.nan, (0.0, 1.0))
        for title, share, (low, high) in zip(rows["title"], rows[column], ends, strict=True)
    ]


def _instability(single: pd.DataFrame, written: pd.DataFrame) -> list[Claim]:
    own_folds = _has_own_folds(written)
    return [
        Claim(
            name=name,
            finding=f"{evaluation} orders two models against the means of all trials in {{share}}"
            " of cases",
            basis="each on folds of its own, {n} in each of {settings}"
            if own_folds
            else "one set of folds throughout, {n} of each model in an evaluation, {settings}",
            rows=rows,
            phrases={
                "share": phrases.extent(rows, "instability", _percent, is_comparable=True),
                "settings": phrases.count(rows, "setting"),
            },
            sample=Sample.of(rows, "evaluations", "evaluation")
            if own_folds
            else Sample.of(rows, "runs", "run"),
            statistic="share of evaluations",
            estimates=_shares(rows, "instability"),
            null="no reversed order" if own_folds else NO_NULL,
            precision="" if own_folds else "no interval: all evaluations share the same trials",
        )
        for name, evaluation, rows in (
            ("instability_of_one_run", "one run of each model", single),
            ("instability_as_written", "a mean over all folds, with one seed for each,", written),
        )
    ]


def _cost(rows: pd.DataFrame) -> Claim:
    return Claim(
        name="cost",
        finding="The protocol as written trains each model once in each fold: {n}, where one run"
        " of each model needs one",
        rows=rows,
        phrases={},
        sample=Sample.of(rows, "runs", "training"),
        statistic="trainings of an evaluation over those of one run",
        estimates=[
            Estimate(title, float(runs), float(runs), float(runs), 1.0, (1.0, float("inf")))
            for title, runs in rows[["title", "runs"]].itertuples(index=False)
        ],
        null="the trainings of one run",
        precision="counted, without error",
    )
