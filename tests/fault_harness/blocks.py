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


def sound_trials(results: Path) -> set[str]:
    """Keys of the trials in the cache that finished and can be read."""
    records = (record for path in _cache_files(results) for record in _records(path))
    return {record.key for record in records if record.status == "ok"}


def forge_entries(results: Path, forged: TrialRecord) -> None:
    """Replace a trial in the cache by another record with the same key."""
    for path in _cache_files(results):
        records = _records(path)
        if forged.key not in [one.key for one in records]:
            continue
        path.chmod(0o644)
        if path.parent.parent.name == "store":
            write_trial(path, forged)
            continue
        seeds = BlockFile(path).seeds()
        changed = [forged if one.key == forged.key else one for one in records]
        write_block(path, zip(seeds, map(make_row, changed), strict=True))


def _cache_files(results: Path) -> list[Path]:
    files = [*results.glob("store/??/*.parquet"), *results.glob("store/??/*/[!.]*.parquet")]
    return [path for path in sorted(files) if not path.name.endswith(".search.parquet")]


def _records(path: Path) -> list[TrialRecord]:
    with suppress(Damaged):
        block = BlockFile(path, COLUMNS)
        return [block.record(row) for row in range(len(block))]
    return []
