"""Every pair of models with its verdict in plain words."""

from __future__ import annotations

import pandas as pd

from reseed.exhibits.data import ExhibitData
from reseed.exhibits.settings import metric_title, note, settings
from reseed.exhibits.tables import Table, empty_table
from reseed.verdicts import verdict

_SHORT = {
    "difference": "difference",
    "equivalent": "equivalent",
    "no difference shown": "not shown",
    "too few runs": "too few runs",
    "no variation": "no verdict",
    "not comparable": "not comparable",
}


def table(data: ExhibitData, options: dict) -> Table:
    """One row a pair, a section a dataset; `options["experiments"]` may restrict it."""
    rows = data.rows(options.get("experiments"))
    if rows.empty:
        return empty_table(data, "No two models were run on the same dataset.")
    shown, sections, raw, findings = [], [], [], []
    for title, part in settings(data, rows):
        part = part.sort_values("p_holm", kind="stable", na_position="last")
        part = part.sort_values("outcome", key=lambda o: o.map(list(_SHORT).index), kind="stable")
        for row in part.to_dict("records"):
            sentence = verdict(row | _titles(data, row))
            shown.append({"Outcome": _SHORT[row["outcome"]], "Verdict": sentence})
            sections.append(title)
        raw.append(part)
        findings.append(_finding(title, part))
    footnote = note(
        data,
        rows,
        _alpha(rows),
        "A difference on given splits says nothing of other data sets.",
    )
    return Table(
        data,
        pd.DataFrame(shown),
        pd.concat(raw, ignore_index=True),
        footnote,
        sections=sections,
        text_columns=2,
        paragraphs=[1],
        findings=findings,
    )


def _titles(data: ExhibitData, row: dict) -> dict:
    names = {name: data.model(row[name]) for name in ("model_a", "model_b")}
    return names | {"metric": metric_title(row["metric"])}


def _alpha(rows: pd.DataFrame) -> str:
    alpha = rows["alpha"].iloc[0]
    return (
        f"A difference is one whose p-value, adjusted over the pairs of its dataset, is at most "
        f"{alpha:g}. Each interval is for its pair alone."
    )


def _finding(title: str, part: pd.DataFrame) -> str:
    total = len(part)
    shown = int((part["outcome"] == "difference").sum())
    parts = [f"{title}: a difference is shown for {shown} of {total} pairs of models"]
    open_pairs = part[part["outcome"] != "difference"]["outcome"].value_counts()
    if shown and len(open_pairs):
        parts.append("; ".join(f"{name}: {count}" for name, count in open_pairs.items()))
    return "; ".join(parts) + "."
