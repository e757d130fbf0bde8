"""What a user says of a source of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from reseed.core.errors import ReseedError, suggest_name
from reseed.core.headings import HEADINGS, ROWS

#: Reseed's column name → the table's column, or several whose values are joined.
ColumnMap = Mapping[str, str | list[str]]
#: The metric to compare by; a list, of which each dataset uses the first it has; or by dataset.
RequestedMetrics = str | list[str] | dict[str, str] | None
#: Test rows over training rows: of all datasets, or by dataset.
Ratio = float | Mapping[str, float]
#: Every value of `format`; `reseed.config.studies.ResultsFormat` lists the same.
FORMATS = ("auto", "csv", "parquet", "json", "lm_eval", "tensorboard")
SeedDraws = Literal["split", "training", "both"]


def list_metrics(requested: RequestedMetrics, dataset: str = "") -> list[str]:
    """Every requested metric, of one dataset or of all, once, in order."""
    if isinstance(requested, dict):
        requested = [one for name, one in requested.items() if dataset in ("", name)]
    return list(dict.fromkeys([requested] if isinstance(requested, str) else requested or []))


def list_columns(column: str | Sequence[str]) -> list[str]:
    """The table's columns of one entry of a `ColumnMap`."""
    return [column] if isinstance(column, str) else list(column)


@dataclass(frozen=True)
class ReadOptions:
    """How results are read; the fields are those of `reseed.config.studies.Results`.

    columns: Reseed's column name → the table's. leave_out: columns that are not read. keep: column
    → the value of the rows that are read. paths: what the parts of the paths of files are, such as
    `{model}_x_{seed}`. headings, rows: what the headings of columns of scores are, and what a row
    is (`core.headings`).
    """

    format: str = "auto"
    columns: ColumnMap = field(default_factory=dict)
    leave_out: Sequence[str] = ()
    keep: Mapping[str, str] = field(default_factory=dict)
    paths: str = ""
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
        """Raise ReseedError for a value of `format`, `headings` or `rows` that is not known."""
        for name, known in (("format", FORMATS), ("headings", HEADINGS), ("rows", ROWS)):
            value = getattr(self, name)
            if value and value not in known:
                raise ReseedError(
                    f"`{name}` is {value!r}. Use {', '.join(known)}."
                    f"{suggest_name(value, list(known))}"
                )

    @property
    def metrics(self) -> list[str]:
        """Every requested metric, once, in order."""
        return list_metrics(self.metric)

    @property
    def row_role(self) -> str:
        """Reseed's column that the position of a row is, as the user says; else empty."""
        return "" if self.rows in ("last", "mean") else self.rows
