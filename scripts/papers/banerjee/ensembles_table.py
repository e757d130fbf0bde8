"""Number of runs of a reliable ensemble [Banerjee et al., Table I]."""

from __future__ import annotations

import pandas as pd
from reseed.core.schemas import Row
from reseed.plugins.options import Arms, Share
from reseed.report.rendering import numbers
from reseed.report.rendering.data import AS_PUBLISHED, ExhibitData, require_rows
from reseed.report.rendering.tables import Rows, Table, TableRow
from reseed.stats.planning import EnsembleSize, ensemble_size

from papers.banerjee.trimming_text import NOTHING, footnote_trimming, group_by_arm, select_measured

DRAWS = ("papers.banerjee.trimming_ensembles:analyse",)


class Options(Arms):
    """share: of the ensembles that must have a low alpha-hat."""

    share: Share = 1.0


def table(data: ExhibitData, options: Options) -> Table:
    """One row for each size, a section for each arm; `share` of the ensembles must have a low α̂."""
    rows = require_rows(select_measured(data, options), NOTHING)
    wanted = options.share
    lines, raw = Rows(), []
    with_published = rows["published_share"].notna().any()
    for title, part in group_by_arm(data, rows):
        sizes = [int(size) for size in sorted(part["size"].unique())]
        threshold = part["threshold"].iloc[0]
        groups = [part[part["size"] == size] for size in sizes]
        alpha_hats = [group["alpha_hat"].to_numpy() for group in groups]
        pool = int(part["pool"].iloc[0])
        reliable = ensemble_size(sizes, alpha_hats, threshold, pool, wanted)
        for i, (size, group) in enumerate(zip(sizes, groups, strict=True)):
            line, numbers_of = _line(size, group, reliable, i, with_published)
            lines.add(line, title)
            raw.append({"cell": title, "size": size, **numbers_of})
    return lines.table(
        data,
        pd.DataFrame(raw),
        footnote_trimming(
            data,
            rows,
            "Share: of ensembles with α̂ at or below the threshold. Its 95 % interval allows for the"
            " members that ensembles of one pool share, more so the larger they are; the reference"
            " runs count as fixed. Independent: number of ensembles without a common member that"
            " would have such an interval."
            " ±: SD over ensembles; of single runs over those of the pool, so not that of an arm"
            " with other seeds. Churn: against the ensemble of the whole pool.",
            AS_PUBLISHED.replace("As published", "Paper") if with_published else "",
        ),
    )


def _line(
    size: int, group: pd.DataFrame, reliable: EnsembleSize, i: int, published: bool
) -> tuple[TableRow, Row]:
    columns = (reliable.share, reliable.low, reliable.high, reliable.n)
    share, low, high, n = (float(column[i]) for column in columns)
    titles = {"accuracy": "Accuracy", "churn_ensemble": "Churn", "ece": "ECE"}
    means = {name: (group[name].mean(), group[name].std(ddof=1)) for name in titles}
    line = {
        "Runs": f"{size:,}",
        "Ensembles": f"{len(group):,}",
        "Independent": f"{n:.3g}",
        "α̂ low enough": f"{numbers.percent(share, 1)} [{100 * low:.0f}, {100 * high:.0f}]",
    }
    if published:
        line["Paper"] = numbers.percent(group["published_share"].iloc[0], 1)
    line |= {title: numbers.plus_minus(*means[name], 4) for name, title in titles.items()}
    raw = {"ensembles": len(group), "independent": n, "share": share, "low": low, "high": high}
    raw |= {f"{name}_{word}": value for name, pair in means.items()
            for word, value in zip(("mean", "sd"), pair, strict=True)}  # fmt: skip
    return line, raw
