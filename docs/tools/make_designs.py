"""Write tables of measured rates into docs/methods: of each test, and before and after changes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
from reseed.comparison.claims.designs import METHODS, Method
from reseed.core.atomic import write_text
from reseed.pipeline.runner import run, say

PAGE = Path(__file__).parents[1] / "methods" / "comparing.md"
SIMULATIONS = PAGE.with_name("simulations")
_HEADER = (
    "What varied", "What both models share", "Test", "Function of `reseed.stats`", "Claim for",
    "False claims at 5 % (simulations, largest SE)",
)  # fmt: skip
CHANGES_PAGE = PAGE.with_name("index.md")
_CHANGE_HEADER = ("Designs", "Measured", "Before", "After", "Simulations of each (largest SE)")
_CLAIMS, _POWER = "false claims", "power"
#: Table in docs/methods/simulations, pattern of the cases of a row, their name, what is measured.
_CHANGES = (
    ("gate", "^(?!equal)", "`gate` at a true loss of the margin", "passes"),
    ("gate", "^equal", "`gate` of an equal candidate", "passes"),
    ("changes", "^false claims, .*hold-outs", "seeds that drew a hold-out each", _CLAIMS),
    ("skewed_runs", "^Gaussian", "Gaussian runs", _CLAIMS),
    ("skewed_runs", "^exponential diff", "exponential differences, 5 to 50 runs", _CLAIMS),
    ("skewed_runs", "^exponential, .*own", "exponential runs of their own", _CLAIMS),
    ("skewed_runs", "^items, logn", "lognormal losses of 20 to 200 items", _CLAIMS),
    ("skewed_runs", r"collapse, \d+ runs$", "5 % of one model's runs collapse", _CLAIMS),
    ("pairing", "^false claims", "5 to 20 seeds that share nothing (`--seeds own`)", _CLAIMS),
    ("pairing", "^power", "the same, models that differ", _POWER),
    ("changes", "^false claims, .*clusters", "1,000 items in 8 to 50 clusters", _CLAIMS),
    ("changes", "^power, .*clusters", "the same, 3 SE better", _POWER),
    ("changes", "^any false .*models, .*(Gaussian|skewed)$", "3 to 10 models on 6 to 20 datasets",
     _CLAIMS),
    ("changes", "^power, .*datasets, (Gaussian|skewed)$", "the same, the best is 3 SE better",
     _POWER),
    ("changes", "^any false .*unequal", "the same, skewed scores of SDs 0.5 to 2", _CLAIMS),
    ("changes", "^power, .*unequal", "the same, the best is 3 SE better", _POWER),
    ("changes", "^false claims, .*(Gaussian|t₃) parts", "2 models on 8 to 50 datasets", _CLAIMS),
    ("changes", "^power, .*Gaussian parts", "the same, 3 SE better, Gaussian", _POWER),
    ("changes", "^power, .*t₃ parts", "the same, t₃", _POWER),
    ("changes", "^false claims, .*skewed parts", "the same, skewed", _CLAIMS),
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


def read_changes(name: str) -> pd.DataFrame:
    """`case`, `before`, `after`, the larger `se` and `simulations` of a table."""
    table = pd.read_csv(SIMULATIONS / f"{name}.csv", keep_default_na=False)
    if name == "skewed_runs":
        table[["side", "case"]] = table["case"].str.split(", ", n=1, expand=True)
        table = _join(table, "case", {"before": "before", "after": "after"}, "measured")
    elif name == "pairing":
        table = table[table["correlation"] == 0].rename(columns={"rule": "side"})
        kinds = [
            _join(table.assign(case=f"{kind}, " + table["seeds"].astype(str)), "case",
                  {"paired": "before", "Welch": "after"}, column)
            for kind, column in ((_CLAIMS, "false_claims"), (_POWER, "power"))
        ]  # fmt: skip
        table = pd.concat(kinds)
    else:
        known = table["design"] if name == "gate" else table["measure"] + ", " + table["case"]
        table = table.assign(case=known, se=table[["se_before", "se_after"]].max(axis=1))
    return table[["case", "before", "after", "se", "simulations"]]


def _join(table: pd.DataFrame, key: str, sides: dict[str, str], value: str) -> pd.DataFrame:
    """Rows of two sides of one case as one row."""
    parts = [
        table.loc[table["side"] == side, [key, value, "simulations"]].rename(columns={value: name})
        for side, name in sides.items()
    ]
    joined = parts[0].merge(parts[1].drop(columns="simulations"), on=key)
    shares = joined[["before", "after"]]
    return joined.assign(se=np.sqrt((shares * (1 - shares)).max(axis=1) / joined["simulations"]))


def make_changes() -> str:
    """`_CHANGES` as a Markdown table."""
    rows = []
    for name, pattern, designs, measured in _CHANGES:
        table = read_changes(name)
        part = table[[re.search(pattern, case) is not None for case in table["case"]]]
        if part.empty:
            raise ValueError(f"{name}: no case matches {pattern!r}")
        counts = " to ".join(f"{n:,}" for n in sorted(set(part["simulations"])))
        link = (
            f"[{len(part)} × {counts}](simulations/{name}.csv) ({_format_share(part['se'].max())})"
        )
        sides = (_format_range(part[side]) for side in ("before", "after"))
        rows.append((designs, measured, *sides, link))
    return _format_table(_CHANGE_HEADER, rows)


def _format_table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def with_tables(page: str) -> str:
    """The page with the tables of the code and of the measurements in place of its own."""
    page = _table_of(_HEADER).sub(lambda _: make_table(), page)
    return _table_of(_CHANGE_HEADER).sub(lambda _: make_changes(), page)


def main() -> None:
    """Write the tables."""
    for page in (PAGE, CHANGES_PAGE):
        write_text(page, with_tables(page.read_text(encoding="utf-8")))
        say(f"Tables of tests: {page}")


if __name__ == "__main__":
    run(main)
