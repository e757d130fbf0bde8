"""Per-item tables of an experiment: raw outputs, targets and learning curves."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reseed.core.atomic import replace_atomically
from reseed.core.checked_io import with_key
from reseed.core.identifiers import TIME_PREFIX
from reseed.core.schemas import CURVES, SCORES, TARGET_COLUMNS, TARGETS
from reseed.data.splits import read_split
from reseed.data.store import read_targets
from reseed.trials.study import StudyTrial, StudyTrials, TrialReader

BATCH = 200


class _Writer:
    """A Parquet file of many rows, written in batches, in one step."""

    def __init__(self, path: Path, schema: pa.Schema):
        self.schema = with_key(schema)
        self._batch: list[dict[str, Any]] = []
        self._context = replace_atomically(path)
        self._writer = pq.ParquetWriter(
            self._context.__enter__(), self.schema, compression="zstd", write_page_checksum=True
        )

    def add(self, row: dict[str, Any]) -> None:
        self._batch.append(row)
        if len(self._batch) >= BATCH:
            self.flush()

    def flush(self) -> None:
        if self._batch:
            self._writer.write_table(pa.Table.from_pylist(self._batch, schema=self.schema))
            self._batch = []

    def __enter__(self) -> _Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            self.flush()
        self._writer.close()
        self._context.__exit__(kind, error, traceback)


def collect_items(study: StudyTrials, scores: Path, targets: Path, curves: Path) -> None:
    """Write the raw outputs, targets and learning curves of the study's experiments.

    Memory is bounded: trials are read and written in batches. Raises ManyDamaged for everything
    that must be made again.
    """
    reader = TrialReader(["test", "validation", "curve"], remember=False)
    partitions: dict[tuple[Any, ...], StudyTrial] = {}
    with _Writer(scores, SCORES) as items, _Writer(curves, CURVES) as epochs:
        for one in study.trials():
            if one.identity["scheme"].startswith(TIME_PREFIX):
                continue  # neighbours in time resemble each other, so its rows are no sample
            record = reader.read(one)
            if record is None:
                continue
            columns, trial = one.columns(), one.trial
            outputs = {
                "test": None if record.test is None else record.test.ravel(),
                "validation": None if record.validation is None else record.validation.ravel(),
            }
            items.add(columns | {"status": record.status, "classes": record.classes} | outputs)
            for point in record.curve or []:
                epochs.add(columns | point)
            partition = (*one.cache.setting[:2], trial.data_seed, 0, trial.fold or 0)
            partitions.setdefault(partition, one)
        reader.raise_damaged()
    with _Writer(targets, TARGETS) as truths:
        for partition, one in sorted(partitions.items(), key=lambda item: item[0]):
            split = read_split(
                one.cache.split_path(one.trial.data_seed), one.trial.data_seed, one.trial.fold or 0
            )
            target = read_targets(one.cache.data_folder).target.astype(np.float64)
            truths.add(
                dict(zip(TARGET_COLUMNS, partition, strict=True))
                | {part: target[getattr(split, part)] for part in ("test", "validation")}
            )
