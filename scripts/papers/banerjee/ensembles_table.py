"""Number of runs of a reliable ensemble [Banerjee et al., Table I]."""

from __future__ import annotations

import pandas as pd
from reseed.plugins.options import Arms, Share
from reseed.rendering import numbers
from reseed.rendering.data import ExhibitData, require_rows
from reseed.rendering.headlines import LEAST
from reseed.rendering.tables import Rows, Table
from reseed.stats.planning import ensemble_size

from papers.banerjee.trimming_text import NOTHING, cells, measured, note

DRAWS = ("papers.banerjee.trimming_ensembles:analyse",)


class Options(Arms):
    """share: of the ensembles that must have a low alpha-hat."""

    share: Share = 1.0


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each size, a section for each arm; `share` of the ensembles must have a low α̂."""
    rows = require_rows(measured(data, options), NOTHING)
    wanted, pool = options.share, int(rows["pool"].min())
    lines, raw, findings, enough = Rows(), [], [], []
    with_published = rows["published_share"].notna().any()
    for title, part in cells(data, rows):
        sizes = [int(size) for size in sorted(part["size"].unique())]
        threshold = part["threshold"].iloc[0]
        groups = [part[part["size"] == size] for size in sizes]
        found = ensemble_size(sizes, [g["alpha_hat"].to_numpy() for g in groups], threshold, wanted)
        for i, (size, group) in enumerate(zip(sizes, groups, strict=True)):
            line, numbers_of = _line(size, group, found, i, with_published)
            lines.add(line, title)
            raw.append({"cell": title, "size": size, **numbers_of})
        enough.append((title, found.size if found.size and found.size < sizes[-1] else None))
        phrase = "at no size below the whole pool"
        if enough[-1][1]:
            phrase = f"from {numbers.counted(found.size, 'run')} on"
        findings.append(
            f"{title}: {numbers.percent(wanted)} of the ensembles have α̂ ≤ {threshold:g} {phrase}"
            f" (a pool of {numbers.counted(sizes[-1], 'run')},"
            f" {numbers.counted(max(map(len, groups)), 'ensemble')} a size)."
        )
    return lines.table(
        data,
        pd.DataFrame(raw),
        note(
            data,
            rows,
            "Share: of ensembles with α̂ at or below the threshold, 95 % Clopper–Pearson interval"
            " as if ensembles were independent; they share members, more so the larger they are."
            " ±: SD over ensembles. Churn: against the ensemble of the whole pool.",
        ),
        findings=findings,
        headline=_headline(enough, pool, wanted) if pool >= LEAST else "",
    )


def _headline(enough: list[tuple[str, int | None]], pool: int, share: float) -> str:
    """Smallest size of reliable ensembles; the whole pool, a single ensemble, does not count."""
    sizes = [size for _, size in enough if size]
    every = "all ensembles" if share == 1 else f"{numbers.percent(share)} of the ensembles"
    if len(enough) > 1:
        return f"A size that gives {every} a low α̂: found in {len(sizes)} of {len(enough)} arms"
    if not sizes:
        return f"No size below the whole pool of {pool} runs gives {every} a low α̂"
    return f"From {numbers.counted(sizes[0], 'run')} on {every} have a low α̂"


def _line(size: int, group: pd.DataFrame, found, i: int, published: bool) -> tuple[dict, dict]:
    share, low, high = (float(x[i]) for x in (found.share, found.low, found.high))
    titles = {"accuracy": "Accuracy", "churn_ensemble": "Churn", "ece": "ECE"}
    means = {name: (group[name].mean(), group[name].std(ddof=1)) for name in titles}
    line = {
        "Runs": f"{size:,}",
        "Ensembles": f"{len(group):,}",
        "α̂ low enough": f"{numbers.percent(share, 1)} [{100 * low:.0f}, {100 * high:.0f}]",
    }
    if published:
        line["Paper"] = numbers.percent(group["published_share"].iloc[0], 1)
    line |= {title: numbers.plus_minus(*means[name], 4) for name, title in titles.items()}
    raw = {"ensembles": len(group), "share": share, "low": low, "high": high}
    raw |= {f"{name}_{word}": value for name, pair in means.items()
            for word, value in zip(("mean", "sd"), pair, strict=True)}  # fmt: skip
    return line, raw
