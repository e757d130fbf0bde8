"""Instability, wins, family-wise error and cost of each decision rule (protocol, Table 3)."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from reseed.claims import phrases
from reseed.claims.claim import Claim, Estimate, Sample
from reseed.claims.phrases import Phrase
from reseed.plugins.options import Experiments as Options
from reseed.rendering import numbers
from reseed.rendering.data import ExhibitData, footnote
from reseed.rendering.settings import settings
from reseed.rendering.tables import Rows, Table

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
    known = data.require_rows(
        data.no_pairs("No two models share folds and seeds at this scale."),
        options.experiments,
        keep=lambda rows: rows["reason"] == "",
    )
    titles = TITLES if data.info.is_reproduction else TITLES | _TESTS
    lines = Rows()
    for title, part in settings(data, known):
        for _, row in part.iterrows():
            lines.add({"Way of deciding": titles[row["setting"]]} | _line(row), title)
    note = footnote(
        data,
        known,
        f"Level {known['alpha'].iloc[0]:g}. Instability: share of evaluations whose order of two"
        " models is not that of all trials' means (of the tests: means over all folds, a seed drawn"
        " for each). Error: share of experiments with equal models in which any is called better."
        " A/A: seeds of one model pose as models on these very rows. Simulated: equally good models"
        f" split likewise on fresh samples of {numbers.from_to(known['items'])} rows. A/A models"
        " differ by the seed only, which is new in each fold; simulated models also differ in what"
        " they learn from training rows, which folds share. In brackets:"
        " 95 % intervals. Cost: training time by that of one run of each model.",
    )
    return lines.table(
        data,
        data.rows(options.experiments),
        note,
        claims=_claims(data, known),
    )


def _line(row: pd.Series) -> dict:
    return {
        "Instability": numbers.percent(row["instability"], 1),
        "Wins": f"{row['wins']:.1f} / {row['pairs']:.0f}",
        "Error, A/A": numbers.percent(row["aa"], 1),
        "Error, simulated": f"{numbers.percent(row['simulated'], 1)}"
        f" [{100 * row['simulated_low']:.1f}, {100 * row['simulated_high']:.1f}]",
        "Runs a model": f"{row['runs']:,.0f}",
        "Cost": f"{row['overhead']:.1f} ×" if pd.notna(row["overhead"]) else numbers.NONE,
    }


def _claims(data: ExhibitData, rows: pd.DataFrame) -> list[Claim]:
    """Error rates of both tests under both nulls, then the instability of single runs."""
    single, written, corrected = (rows[rows["setting"] == name] for name in TITLES)
    titles = [title for title, _ in settings(data, rows)]
    where = phrases.name(f"on {titles[0]}" if len(titles) == 1 else f"in {len(titles)} settings")
    both = pd.concat([written, corrected])
    names = {
        "where": where,
        "level": phrases.setting(rows["alpha"].iloc[0], numbers.percent),
        "written": phrases.extent(written, "simulated", _share),
        "corrected": phrases.extent(corrected, "simulated", _share),
        "short_written": phrases.extent(written, "simulated", numbers.percent),
        "short_corrected": phrases.extent(corrected, "simulated", numbers.percent),
    }
    test = "the protocol as written" if data.info.is_reproduction else "the uncorrected test"
    found = [
        Claim(
            "error_rates",
            f"On equally good simulated models {test} calls one better in {{written}} of {{n}}"
            " {where} (promised: {level}), the corrected one in {corrected}.",
            both,
            names,
            Sample.of(both, "simulations", "simulated experiment"),
            headline=_headline(data, written),
        ),
        _error_rate("written_error", f"{test[0].upper()}{test[1:]}", data, written),
        _error_rate("corrected_error", "The corrected test", data, corrected),
    ]
    if both["aa"].notna().all():
        found.append(_same_models(test, where, written, corrected))
    return [*found, *_instability(where, single, written)]


def _error_rate(name: str, test: str, data: ExhibitData, rows: pd.DataFrame) -> Claim:
    """The simulated error rate of one test, with its interval."""
    estimates = [
        Estimate.truncated(
            title, row["simulated"], (row["simulated_low"], row["simulated_high"]), 0.95, (0.0, 1.0)
        )
        for title, part in settings(data, rows)
        for row in part.to_dict("records")
    ]
    return Claim(
        name,
        f"{test} errs in {{share}} of {{n}} with equally good models.",
        rows,
        {"share": phrases.extent(rows, "simulated", _share)},
        Sample.of(rows, "simulations", "simulated experiment"),
        statistic="share of experiments with a false difference",
        null="error rate at the level of the test",
        estimates=estimates,
    )


def _same_models(test: str, where: Phrase, written: pd.DataFrame, corrected: pd.DataFrame) -> Claim:
    """Error rates where seeds of one model pose as models, and why they are lower."""
    both = pd.concat([written, corrected])
    return Claim(
        "error_rates_of_seeds",
        f"Where seeds of one model stand for models, {test} calls one better in {{written}} of"
        " {n} {where}, the corrected one in {corrected}: these differ by the seed only, not in what"
        " they learn from the training rows that folds share.",
        both,
        {
            "where": where,
            "written": phrases.extent(written, "aa", _share),
            "corrected": phrases.extent(corrected, "aa", _share),
        },
        Sample.of(both, "aa_experiments", "A/A experiment"),
        statistic="share of experiments with a false difference",
    )


def _instability(where: Phrase, single: pd.DataFrame, written: pd.DataFrame) -> Iterator[Claim]:
    """How often single runs, and means over all folds, order two models otherwise."""
    runs = Sample.of(written, "runs", "run")
    if single["instability"].notna().all():
        names = {"where": where, "share": phrases.extent(single, "instability", _share)}
        yield Claim(
            "single_run_instability",
            "With one run, {share} of evaluations order two models otherwise than the means of all"
            " runs do ({where}, {n} of each model).",
            single,
            names,
            runs,
        )
    if written["instability"].notna().all():  # several seeds
        names = {"where": where, "share": phrases.extent(written, "instability", _share)}
        yield Claim(
            "protocol_instability",
            "With all folds and one seed for each, {share} of evaluations order two models"
            " otherwise than the means of all runs do ({where}, {n} of each model).",
            written,
            names,
            runs,
        )


def _headline(data: ExhibitData, written: pd.DataFrame) -> str:
    if written["simulations"].min() < _LEAST:
        return ""
    if not data.info.is_reproduction:
        return (
            "On equally good models: uncorrected wrong in {short_written}, corrected in"
            " {short_corrected}"
        )
    return (
        "Promised to err in {level}: as written in {short_written}, corrected in {short_corrected}"
    )


def _share(share: float) -> str:
    return numbers.percent(share, 1)
