"""Write the table of tests with their measured rates into docs/methods/comparing.md."""

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
    "What varied", "What both models share", "Test", "Claim for",
    "False claims at 5 %",
)  # fmt: skip
_TABLE = re.compile(rf"^\| {re.escape(_HEADER[0])} \|.*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


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
    """Ranges of false claims by label, and the tables of all cases."""
    tables = select_measured(method)
    rows = pd.concat([t if "label" in t else t.assign(label="") for t in tables.values()])
    ranges = [
        f"{label} {_format_range(part['false_claims'])}".strip()
        for label, part in rows.groupby("label", sort=False)
    ]
    links = ", ".join(f"[{name}](simulations/{name}.csv)" for name in tables)
    return f"{'; '.join(ranges)} ({links})"


def _format_range(values: pd.Series) -> str:
    ends = dict.fromkeys(map(_format_share, (values.min(), values.max())))
    return " to ".join(ends)


def _format_share(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def make_table() -> str:
    """`METHODS` as a Markdown table."""
    rows = [(m.varied, m.shared, m.test, m.claim, describe_measured(m)) for m in METHODS]
    lines = [_HEADER, ["---"] * len(_HEADER), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def with_table(page: str) -> str:
    """The page with the table of the code and of the measurements in place of its own."""
    return _TABLE.sub(lambda _: make_table(), page)


def main() -> None:
    """Write the tables."""
    write_text(PAGE, with_table(PAGE.read_text(encoding="utf-8")))
    say(f"Table of tests: {PAGE}")


if __name__ == "__main__":
    run(main)
