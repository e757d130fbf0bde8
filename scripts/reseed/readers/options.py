"""What a user says of a source of scores, and which columns that leaves free."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from reseed.core.errors import ReseedError, suggest_name
from reseed.core.headings import HEADINGS, ROWS
from reseed.metrics.directions import is_metric_name
from reseed.readers.columns import ColumnMap, find_standard_name, list_columns, normalize_name
from reseed.readers.run_columns import (
    RunColumn,
    find_crossed_columns,
    find_family,
    find_numbered_columns,
    parse_run,
)
from reseed.readers.source_table import SourceTable

#: The metric to compare by; a list, of which each dataset uses the first it has; or by dataset.
RequestedMetrics = str | list[str] | dict[str, str] | None
#: Test rows over training rows: of all datasets, or by dataset.
Ratio = float | Mapping[str, float]
SeedDraws = Literal["split", "training", "both"]


def list_requested_metrics(requested: RequestedMetrics) -> list[str]:
    """Every requested metric, once, in order."""
    if requested is None:
        return []
    if isinstance(requested, str):
        return [requested]
    return list(dict.fromkeys(requested.values() if isinstance(requested, dict) else requested))


def list_metrics_for(requested: RequestedMetrics, dataset: str) -> list[str]:
    """The metrics requested for one dataset, in order."""
    here = requested.get(dataset) if isinstance(requested, dict) else requested
    return list_requested_metrics(here)


@dataclass(frozen=True)
class ReadOptions:
    """How results are read; the fields are those of `reseed.config.studies.Results`.

    columns: Reseed's column name → the table's. headings, rows: what the headings of columns of
    scores are, and what a row is, where names do not say (`core.headings`).
    """

    format: str = "auto"
    columns: ColumnMap = field(default_factory=dict)
    headings: str = ""
    rows: str = ""
    metric: RequestedMetrics = None
    greater_is_better: bool | dict[str, bool] | None = None
    test_train_ratio: Ratio | None = None
    unit: str = ""
    baseline: str | None = None
    pairs: Sequence[Sequence[str]] = ()
    deterministic: Sequence[str] = ()
    seed_draws: SeedDraws | None = None

    @classmethod
    def from_results(cls, results: Mapping[str, Any]) -> ReadOptions:
        """The options of a study's `results` entry; absent and empty fields have their default."""
        names = [one.name for one in fields(cls)]
        return cls(**{name: results[name] for name in names if results.get(name) is not None})

    def check(self) -> None:
        """Raise ReseedError for a value of `headings` or `rows` that is not known."""
        for name, value, known in (
            ("headings", self.headings, HEADINGS), ("rows", self.rows, ROWS),
        ):  # fmt: skip
            if value and value not in known:
                raise ReseedError(
                    f"`{name}` is {value!r}. Use {', '.join(known)}."
                    f"{suggest_name(value, list(known))}"
                )

    @property
    def metrics(self) -> list[str]:
        """Every requested metric, once, in order."""
        return list_requested_metrics(self.metric)

    @property
    def reads_steps(self) -> bool:
        """Whether rows are steps of trainings, of which the last is read."""
        return self.rows == "step"

    @property
    def named_row(self) -> str:
        """Reseed's column that a row's position is, where each column is a model."""
        return "" if self.reads_steps else self.rows

    @property
    def by_dataset(self) -> Mapping[str, str]:
        """The metric of each dataset, if they differ."""
        return self.metric if isinstance(self.metric, dict) else {}

    def find_standard_name(self, column: str) -> str | None:
        """Reseed's name of a column: as mapped, else by its common name."""
        names = (name for name, mapped in self.columns.items() if column in list_columns(mapped))
        return next(names, find_standard_name(column))

    def list_standard_names(self, table: SourceTable) -> set[str | None]:
        """Reseed's names of the table's columns, and those mapped; None if a column has none."""
        return {self.find_standard_name(column) for column in table.columns} | set(self.columns)

    def is_metric(self, column: str) -> bool:
        """Whether a column holds a metric: a requested one, or one by its name."""
        is_requested = normalize_name(column) in map(normalize_name, self.metrics)
        return is_requested or is_metric_name(column)

    def find_run_columns(self, table: SourceTable) -> dict[str, RunColumn]:
        """Columns that hold one run each and have no other known meaning."""
        if self.headings in ("model", "dataset", "item"):
            return {}
        unknown = [c for c in table.columns if self.find_standard_name(c) is None]
        if self.headings:
            return self._number_headings(table)
        parsed = {c: run for c in unknown if (run := parse_run(c)) and run.metric}
        measured = {}
        for column, run in parsed.items():
            # `split0_test_score` is a run's score, of a metric that the heading does not name.
            if find_standard_name(run.metric) == "value":
                measured[column] = run._replace(metric="")
            elif self.is_metric(run.metric):
                measured[column] = run
        if len(measured) > 1:
            return measured
        if len(parsed) > 1 and len({run.metric for run in parsed.values()}) == 1:
            return {column: run._replace(metric="") for column, run in parsed.items()}
        crossed = find_crossed_columns(unknown)
        return crossed or find_numbered_columns(c for c in unknown if not self.is_metric(c))

    def _number_headings(self, table: SourceTable) -> dict[str, RunColumn]:
        """Every free column of numbers as a run: by the number of a family, else by position."""
        free = self.find_free_numeric_columns(table)
        family = find_family(free)
        numbers = [re.findall(r"\d+", column)[-1] for column in family] or range(len(free))
        stems = [re.sub(r"[\s_\-.]*([\s_\-.][a-z])?\d+\D*$", "", column) for column in family]
        if len({*stems}) < 2:
            stems = [""] * len(numbers)
        return {
            column: RunColumn({self.headings: int(number)}, stem)
            for column, number, stem in zip(family or free, numbers, stems, strict=True)
        }

    def find_free_numeric_columns(self, table: SourceTable) -> list[str]:
        """Columns of numbers that have no known meaning."""
        return [c for c in self.find_free_columns(table) if table.is_numeric(c, lenient=True)]

    def find_free_columns(self, table: SourceTable) -> list[str]:
        """Columns with a name that has no known meaning."""
        unnamed = {*table.unnamed}
        named = [c for c in table.columns if c.strip() and c not in unnamed]
        return [c for c in named if self.find_standard_name(c) is None]
