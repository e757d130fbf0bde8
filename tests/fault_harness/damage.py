"""Damage of files: truncated, flipped, exchanged. A damaged file keeps its times."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from fault_harness.blocks import list_blocks
from fault_harness.compare import content_hash

if TYPE_CHECKING:
    from fault_harness.world import World


def rewrite(path: Path, data: bytes) -> None:
    """Overwrite a file in place, and keep its times."""
    before = path.stat()
    path.chmod(before.st_mode | stat.S_IWUSR)
    with open(path, "r+b") as stream:
        stream.write(data)
        stream.truncate()
    path.chmod(before.st_mode)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def cut(*paths: Path) -> None:
    """Truncate files to their first halves."""
    for path in paths:
        rewrite(path, path.read_bytes()[: path.stat().st_size // 2])


def empty(*paths: Path) -> None:
    """Truncate files to zero bytes."""
    for path in paths:
        rewrite(path, b"")


def flip(path: Path, part: float) -> None:
    """Flip one bit at a part of the file's length."""
    data = bytearray(path.read_bytes())
    data[int(part * len(data))] ^= 0x10
    rewrite(path, bytes(data))


def flip_inside(*paths: Path, start: float = 1 / 3) -> None:
    """In each file, flip the first bit after a share of it that changes its content."""
    for path in paths:
        before, whole = content_hash(path), path.read_bytes()
        for position in range(int(start * len(whole)), len(whole)):
            flip(path, (position + 0.5) / len(whole))
            if content_hash(path) != before:
                break
            rewrite(path, whole)
        else:
            raise RuntimeError(f"no bit of {path} changes its content")


def flip_early(*paths: Path) -> None:
    """The same near the start: a split file holds twenty seeds, of which the first are read."""
    flip_inside(*paths, start=1 / 40)


def exchange(first: Path, second: Path) -> None:
    """Exchange the contents of two files."""
    one, other = first.read_bytes(), second.read_bytes()
    rewrite(first, other)
    rewrite(second, one)


def put_a_row_in_two_parts(path: Path) -> None:
    """A split with a valid form, of which a test row is a row of training too."""
    stored, file = pq.read_table(path), pq.ParquetFile(path)
    rows, part = stored["row"].to_pylist(), stored["part"].to_pylist()
    rows[part.index("test")] = rows[part.index("train")]
    column = stored.schema.get_field_index("row")
    forged = stored.set_column(column, "row", pa.array(rows, pa.int64()))
    forged = forged.replace_schema_metadata(file.metadata.metadata)
    pq.write_table(forged, path, row_group_size=file.metadata.row_group(0).num_rows)


class Damage(NamedTuple):
    """find: the files. dependent: results that are removed, so that the files are read again."""

    find: Callable[[World], list[Path]]
    how: Callable[..., None]
    dependent: tuple[str, ...]


def _glob(pattern: str, last: int | None = 1) -> Callable[[World], list[Path]]:
    return lambda world: sorted(world.results.glob(pattern))[:last]


def _blocks(world: World) -> list[Path]:
    return list_blocks(world.results)[:1]


_STUDY = "studies/small"
_TRIALS, _TABLES = ("trials", "store"), ("studies", "report")
_SPLIT, _PAGE = _glob("splits/*/*/*.parquet"), ("report/small.html",)
_NOT_THEIRS = "[0-9a-f]" * 62  # beside files of the user

DAMAGE = {
    "trials_cut": Damage(_blocks, cut, _TABLES),
    "trials_flipped": Damage(_blocks, flip_inside, _TABLES),
    "trials_flipped_in_the_footer": Damage(_blocks, lambda path: flip(path, 0.9), _TABLES),
    "trials_exchanged": Damage(lambda world: list_blocks(world.results)[:2], exchange, _TABLES),
    "segments_cut": Damage(_glob("store/??/*/*.parquet", None), cut, ("trials",)),
    "segment_flipped": Damage(_glob("store/??/*/*.parquet"), flip_inside, ("trials",)),
    "entry_emptied": Damage(_glob(f"store/??/{_NOT_THEIRS}.*.parquet"), empty, ("trials",)),
    "split_cut": Damage(_SPLIT, cut, _TRIALS),
    "split_flipped": Damage(_SPLIT, flip_early, _TRIALS),
    "split_with_a_row_in_two_parts": Damage(_SPLIT, put_a_row_in_two_parts, _TRIALS),
    "data_cut": Damage(_glob("data/table/inputs.*"), cut, _TRIALS),
    "data_flipped": Damage(_glob("data/table/inputs.*"), flip_inside, _TRIALS),
    "targets_cut": Damage(_glob("data/table/targets.parquet"), cut, _TRIALS),
    "meta_cut": Damage(_glob("data/table/meta.json"), cut, _TRIALS),
    "specs_flipped": Damage(_glob("plan/??/*.json", None), flip_inside, _TABLES),
    "metrics_cut": Damage(
        _glob(f"{_STUDY}/metrics.parquet"), cut, (f"{_STUDY}/statistics/spread.parquet",)
    ),
    "metrics_flipped": Damage(
        _glob(f"{_STUDY}/metrics.parquet"), flip_inside, (f"{_STUDY}/statistics/spread.parquet",)
    ),
    "scores_cut": Damage(
        _glob(f"{_STUDY}/predictions/model_seeds/scores.parquet"),
        cut,
        (f"{_STUDY}/statistics/outputs.parquet",),
    ),
    "statistics_cut": Damage(
        _glob(f"{_STUDY}/statistics/spread.parquet"), cut, (f"{_STUDY}/tables/scores.md",)
    ),
    "facts_emptied": Damage(_glob(f"{_STUDY}/about.json"), empty, _PAGE),
    "exhibit_cut": Damage(_glob(f"{_STUDY}/tables/scores.json"), cut, _PAGE),
}
