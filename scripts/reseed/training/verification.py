"""The repeated-fit check: the same seeds, trained again, give bitwise the same predictions.

Raste et al., Section 4.1, did this for one dataset; here it runs on any sample of stored trials.
"""

import json
import random
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from reseed.coordinates import parse_trial_path
from reseed.errors import ReseedError
from reseed.training.job import Bench
from reseed.trials import made_by, read_trial


@dataclass(frozen=True)
class Check:
    """Whether a retrained trial equals its record, and one line that says so."""

    same: bool
    text: str


def sample_trials(results: Path, count: int, seed: int) -> list[Path]:
    """Draw trials of all settings in turn, so that every setting comes before any comes twice."""
    trials = results / "trials"
    settings: dict[Path, list[Path]] = {}
    for path in sorted(trials.glob("*/*/*/*/**/*.parquet")):
        settings.setdefault(trials.joinpath(*path.relative_to(trials).parts[:4]), []).append(path)
    if not settings:
        raise ReseedError(f"{trials}: holds no trials to verify. Run snakemake first.")
    draw = random.Random(seed)
    shuffled = [draw.sample(files, len(files)) for files in settings.values()]
    draw.shuffle(shuffled)
    turns = (path for turn in zip_longest(*shuffled) for path in turn if path is not None)
    return [path for path, _ in zip(turns, range(count), strict=False)]


def retrain(results: Path, path: Path) -> Check:
    """Train a stored trial again from scratch, as its own metadata says, and compare."""
    facts = made_by(path)
    if facts is None:
        return Check(False, "cannot be read as a trial")
    record = read_trial(path, ["status", "error", "fingerprint", "hyperparameters"])
    bench = Bench(results, facts["job"], facts["key"], facts["device"], facts["threads"])
    outcome = bench.train(parse_trial_path(str(path)), json.loads(record["hyperparameters"]))
    found = (outcome.status, outcome.fingerprint)
    expected = (record["status"], record["fingerprint"])
    if found == expected:
        return Check(True, f"same ({outcome.status}, {str(outcome.fingerprint)[:12]})")
    return Check(False, f"differs: expected {expected}, found {found} {outcome.error or ''}")
