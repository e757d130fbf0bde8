"""What a user says of a source of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from reseed.readers.column_spec import RequestedMetrics
from reseed.readers.columns import ColumnMap
from reseed.readers.metrics_schema import Ratio
from reseed.readers.seed_draws import SeedDraws


@dataclass(frozen=True)
class ReadOptions:
    """How results are read; the fields are those of `reseed.config.studies.Results`."""

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
