"""Write tables of measured rates into docs/methods/comparing.md."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
from reseed.core.atomic import write_text
from reseed.pipeline.runner import run, say
from reseed.verdicts.designs import METHODS, Method

PAGE = Path(__file__).parents[1] / "methods" / "comparing.md"
SIMULATIONS = PAGE.with_name("simulations")
_HEADER = (
    "What varied", "What both models share", "Test", "Function of `reseed.stats`", "Claim for",
    "False claims at 5 % (simulations, largest SE)",
)  # fmt: skip
_FAMILY_HEADER = (
    "Models", "Runs", "Any false claim", "One better: Bonferroni", "Holm", "A ladder: Bonferroni",
    "Holm",
)  # fmt: skip


def _table_of(header: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"^\| {re.escape(header[0])} \|.*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


def select_measured(method: Method) -> dict[str, pd.DataFrame]:
    """The measurements of a method: rows of each table in which it was measured.

    Raises ValueError for a method without a measurement.
    """
    found = {}
    for name, values in method.measured.items():
        table = pd.read_csv(SIMULATIONS / f"{name}.csv", keep_default_na=False)
        for column, value in values.items():
            table = table[table[column] == value]
        found[name] = table.rename(columns={"learner": "label"})
    if not found or any(table.empty for table in found.values()):
        raise ValueError(f"{method.name}: no measured false claims")
    return found


def describe_measured(method: Method) -> str:
    """Ranges of false claims by label, with simulations of each case, largest SE and tables."""
    tables = select_measured(method)
    rows = pd.concat([t if "label" in t else t.assign(label="") for t in tables.values()])
    ranges = [
        f"{label} {_format_range(part['false_claims'])}".strip()
        for label, part in rows.groupby("label", sort=False)
    ]
    counts = sorted(rows["simulations"].unique())
    number = " to ".join(f"{count:,}" for count in dict.fromkeys((counts[0], counts[-1])))
    links = ", ".join(f"[{name}](simulations/{name}.csv)" for name in tables)
    return f"{'; '.join(ranges)} ({number}, {_format_share(rows['se'].max())}; {links})"


def _format_range(values: pd.Series) -> str:
    ends = dict.fromkeys(map(_format_share, (values.min(), values.max())))
    return " to ".join(ends)


def _format_share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def make_table() -> str:
    """`METHODS` as a Markdown table."""
    rows = [
        (m.varied, m.shared, m.test, f"`{m.function}`", m.claim, describe_measured(m))
        for m in METHODS
    ]
    return _format_table(_HEADER, rows)


def make_families() -> str:
    """False claims and power of Bonferroni and Holm as a Markdown table."""
    table = pd.read_csv(SIMULATIONS / "families.csv")
    rows = []
    for (models, runs), part in table.groupby(["models", "runs"]):
        by_truth = part.set_index(["truth", "rule"])
        power = [
            _format_share(by_truth.loc[(truth, rule), "power"])
            for truth in part["truth"].unique()[1:]
            for rule in part["rule"].unique()
        ]
        wrong = _format_share(by_truth.loc[("equal", "Bonferroni"), "false_claims"])
        rows.append((str(models), str(runs), wrong, *power))
    return _format_table(_FAMILY_HEADER, rows)


def _format_table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def with_tables(page: str) -> str:
    """The page with the tables of the code and of the measurements in place of its own."""
    page = _table_of(_HEADER).sub(lambda _: make_table(), page)
    return _table_of(_FAMILY_HEADER).sub(lambda _: make_families(), page)


def main() -> None:
    """Write the tables."""
    write_text(PAGE, with_tables(PAGE.read_text(encoding="utf-8")))
    say(f"Tables of tests: {PAGE}")


if __name__ == "__main__":
    run(main)
