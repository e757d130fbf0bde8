"""Read and rewrite the trials in block files, as a fault or a forger does."""

import tempfile
from pathlib import Path

from reseed.core.blocks import parse_block, trial_name
from reseed.trials.trial_records import SCHEMA, BlockFile, TrialRecord, write_block, write_trial

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
    with tempfile.TemporaryDirectory() as folder:
        entries = []
        for number, trial in enumerate(parse_block(block_name(path)).trials()):
            entry = Path(folder, f"{number}.parquet")
            write_trial(entry, forged[trial_name(trial)])
            entries.append((trial, entry))
        write_block(path, entries)


def forge_entries(results: Path, records: dict[str, TrialRecord]) -> None:
    """Replace the cache entries of trials by other records with the same keys."""
    for record in records.values():
        for entry in (results / "store" / record.key[:2]).glob(f"{record.key[2:]}.*.parquet"):
            entry.chmod(0o644)
            write_trial(entry, record)


def forget_trials(results: Path, records: dict[str, TrialRecord]) -> None:
    """Delete the cache entries of trials."""
    for record in records.values():
        for entry in (results / "store" / record.key[:2]).glob(f"{record.key[2:]}.*.parquet"):
            entry.unlink()
