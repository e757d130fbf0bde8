"""Every cell's spread with its uncertainty, and whether a Gaussian would spread as far."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.data import VARIED, ExhibitData, footnote
from reseed.exhibits.spread_table import COVERAGE, score_places, section, together
from reseed.exhibits.tables import Table, empty_table


def table(data: ExhibitData, options: dict) -> Table:
    """One row a cell of `options["experiments"]`: estimates with intervals over seeds."""
    rows = data.rows(options["experiments"])
    if rows.empty:
        return empty_table(data, "None of this table's experiments was run at this scale.")
    rows = rows[rows["held"] == ""]
    rows = together(rows)
    places = {d: score_places(part) for d, part in rows.groupby("dataset")}
    shown = pd.DataFrame([_line(data, row, places[row["dataset"]]) for _, row in rows.iterrows()])
    level = f"{rows['level'].max():.0%}".replace("%", " %")
    return Table(
        data,
        shown,
        rows,
        footnote(
            data,
            rows,
            f"Brackets: {level} intervals over seeds. {COVERAGE}",
            f"Next range: where the range of as many new seeds falls ({level}) if scores are"
            " Gaussian (studentised range).",
            "Range / Gaussian: observed range over that expected of a Gaussian sample of that size"
            " and SD. Tail: from the excess kurtosis at the 5 % level, one test a row; with many"
            " rows some are off by chance, and with few seeds little can be seen.",
        ),
        sections=[
            section(data, rows, *key)
            for key in rows[["dataset", "scheme", "hyperparameters_source"]].itertuples(
                index=False, name=None
            )
        ],
        text_columns=2,
        findings=_findings(rows),
    )


def _line(data: ExhibitData, row: pd.Series, places: int) -> dict:
    def bracketed(name: str) -> str:
        return numbers.with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"], places)

    return {
        "Algorithm": data.model(row["model"]),
        "Varied": VARIED.get(row["varied"], row["varied"]),
        "n": numbers.seeds(int(row["n"]), int(row["failed"])),
        "Median": bracketed("median"),
        "IQR": bracketed("iqr"),
        "SD": bracketed("sd"),
        "Range": numbers.fixed(row["range"], places),
        "Next range": numbers.interval(row["range_next_low"], row["range_next_high"], places),
        "Range / Gaussian": numbers.ratio(row["range_ratio_to_gaussian"]),
        "Tail": row["tail"] or numbers.NONE,
    }


def _findings(rows: pd.DataFrame) -> list[str]:
    tested = rows[rows["tail"] != ""]
    if tested.empty:
        return []
    larger = int(((tested["range_p_value"] < 0.05) & (tested["range_ratio_to_gaussian"] > 1)).sum())
    ratio = tested["range_ratio_to_gaussian"].median()
    return [
        f"In {larger} of {len(tested)} cells the range is larger than Gaussian scores of the same"
        f" SD would give (5 % level, two-sided; about {0.025 * len(tested):.0f} of {len(tested)}"
        f" would be by chance alone); the median range is {numbers.ratio(ratio)} times the"
        " Gaussian one."
    ]
