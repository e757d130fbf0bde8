"""Read and rewrite the trials in block files, as a fault or a forger does."""

from contextlib import suppress
from pathlib import Path

from reseed.core.blocks import parse_block, trial_name
from reseed.core.errors import Damaged
from reseed.trials.trial_records import (
    SCHEMA,
    BlockFile,
    TrialRecord,
    make_row,
    write_block,
    write_trial,
)

COLUMNS = SCHEMA.names[1:]


def list_blocks(results: Path) -> list[Path]:
    """Block files, the oldest first."""
    files = (results / "trials").rglob("*.parquet")
    return sorted(files, key=lambda path: (path.stat().st_mtime_ns, path))


def block_name(path: Path) -> str:
    """`data-seed-0/model-seeds-0-3` of a block file."""
    parts = path.with_suffix("").parts
    return "/".join(parts[parts.index("trials") + 5 :])


def read_records(path: Path, columns=()) -> dict[str, TrialRecord]:
    """Records of a block by the names of their trials."""
    block, trials = BlockFile(path, columns), parse_block(block_name(path)).trials()
    return {trial_name(trial): block.record(row) for row, trial in enumerate(trials)}


def read_all(results: Path, columns=()) -> dict[str, TrialRecord]:
    """Records of all blocks by `SETTING/TRIAL`; the newest block counts."""
    records = {}
    for path in list_blocks(results):
        setting = "/".join(path.relative_to(results / "trials").parts[:4])
        found = read_records(path, columns)
        records |= {f"{setting}/{name}": record for name, record in found.items()}
    return records


def forge_records(path: Path, records: dict[str, TrialRecord]) -> None:
    """Replace some trials of a block; the cache keeps what it holds."""
    forged = read_records(path, COLUMNS) | records
    trials = parse_block(block_name(path)).trials()
    write_block(path, ((trial, make_row(forged[trial_name(trial)])) for trial in trials))


def cached_trials(results: Path) -> dict[str, list[Path]]:
    """Files of the cache that hold each trial, by its key."""
    files: dict[str, list[Path]] = {}
    for pattern in ("??/*.parquet", "??/*/[!.]*.parquet"):
        for path in sorted((results / "store").glob(pattern)):
            if not path.name.endswith(".search.parquet"):
                for record in _records(path):
                    files.setdefault(record.key, []).append(path)
    return files


def _records(path: Path) -> list[TrialRecord]:
    with suppress(Damaged):
        block = BlockFile(path, COLUMNS)
        return [block.record(row) for row in range(len(block))]
    return []


def forge_entries(results: Path, records: dict[str, TrialRecord]) -> None:
    """Replace trials in the cache by other records with the same keys."""
    files = cached_trials(results)
    for record in records.values():
        for path in files.get(record.key, []):
            _replace(path, record.key, record)


def forget_trials(results: Path, records: dict[str, TrialRecord]) -> None:
    """Delete trials from the cache."""
    files = cached_trials(results)
    for record in records.values():
        for path in files.get(record.key, []):
            _replace(path, record.key, None)


def _replace(path: Path, key: str, record: TrialRecord | None) -> None:
    """Replace or delete a record of a cache file."""
    records = [record if one.key == key else one for one in _records(path)]
    path.chmod(0o644)
    if path.parent.parent.name == "store":
        write_trial(path, record) if record else path.unlink()
        return
    kept = zip(BlockFile(path).seeds(), records, strict=True)
    rows = [(trial, make_row(one)) for trial, one in kept if one is not None]
    write_block(path, rows) if rows else path.unlink()
