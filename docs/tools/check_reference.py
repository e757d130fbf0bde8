"""Train a few trials of each reference result again, and compare what they score.

    python docs/tools/check_reference.py [STUDY ...] [--trials 5] [--tolerance 0.05]

Trials are trained at the reference's scale in a results folder of their own. The first trials are
of different models and datasets. Searched hyper-parameters would need the whole search, so trials
with them are left out; references of a GPU are checked if they are named. On the processor and the
versions that made a reference the scores have the same bits. Elsewhere they may differ in the last
ones, from which the training of a large network goes elsewhere. A difference of more than
`--tolerance` standard deviations, over the runs of that model on that dataset, gives exit status 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from reseed.core.blocks import block_of
from reseed.core.coordinates import Coordinates, Setting
from reseed.core.errors import ReseedError
from reseed.core.layout import REFERENCES, ResultsLayout
from reseed.data.meta import read_meta
from reseed.pipeline.runner import run, say
from reseed.trials.trial_records import BlockFile, TrialRecord

ROOT = Path(__file__).parents[2]
_SETTING = ["dataset", "scheme", "model", "hyperparameters_source"]


class Repeated(NamedTuple):
    """A trial of a reference.

    path: of the block file that has it alone. spread: SD of each column over its setting's runs.
    """

    study: str
    row: pd.Series
    path: Path
    spread: pd.Series


class Difference(NamedTuple):
    """Outputs of the same bits, or the greatest difference of a metric in SDs."""

    same: bool
    most: float


def draw(study: str, rows: pd.DataFrame, count: int, results: Path) -> list[Repeated]:
    """Trials of a study's table, each setting's once before any is drawn twice."""
    rows = rows[(rows["hyperparameters_source"] == "default") & (rows["status"] == "ok")]
    rows = rows.drop_duplicates([*_SETTING, *Coordinates._fields])
    shuffled = rows.sample(frac=1, random_state=0)
    turn = shuffled.groupby(_SETTING, sort=False).cumcount()
    drawn = shuffled.loc[turn.sort_values(kind="stable").index[:count]]
    spreads = rows.groupby(_SETTING).std(numeric_only=True)
    layout = ResultsLayout(str(results))
    return [
        Repeated(study, row, _path(layout, row), spreads.loc[tuple(row[_SETTING])])
        for _, row in drawn.iterrows()
    ]


def _path(layout: ResultsLayout, row: pd.Series) -> Path:
    trial = Coordinates(*(int(row[name]) for name in Coordinates._fields))
    if not row["scheme"].startswith("kfold"):
        trial = trial._replace(fold=None)
    return Path(layout.block(Setting(*row[_SETTING]), block_of(trial).name))


def compare(repeated: Repeated, record: TrialRecord) -> Difference:
    """What a trial scored then and now; a metric without a spread must be equal."""
    now = pd.Series(record.metrics, dtype=float)
    then = repeated.row[now.index].astype(float)
    gap = (now - then).abs()
    most = (gap / repeated.spread[now.index]).where(gap > 0, 0.0).max()
    return Difference(record.fingerprint == repeated.row["fingerprint"], float(most))


def _about(study: str) -> dict[str, Any]:
    return json.loads((ROOT / REFERENCES / study / "about.json").read_text(encoding="utf-8"))


def check(given: argparse.Namespace) -> bool:
    """Train, print one line a trial, and return whether all are within the tolerance."""
    tables = {
        path.parent.name: pd.read_parquet(path)
        for path in sorted((ROOT / REFERENCES).glob("*/trials.parquet"))
    }
    on_cpus = [
        name
        for name in tables
        if {machine["device"] for machine in _about(name)["machines"]} == {"cpu"}
    ]
    studies, results = given.studies or on_cpus, given.results
    if unknown := sorted(set(studies) - set(tables)):
        raise ReseedError(f"{unknown[0]}: no reference; there are {', '.join(tables)}.")
    chosen = [
        one
        for study, rows in tables.items()
        if study in studies
        for one in draw(study, rows, given.trials, results)
    ]
    if not chosen:
        raise ReseedError("These references have searched hyper-parameters only; none is trained.")
    files: dict[str, dict[str, None]] = {}
    for one in chosen:
        files.setdefault(_about(one.study)["scale"], {})[str(one.path)] = None
    for scale, paths in files.items():
        config = ["--config", f"scale={scale}", f"results={results}", *given.config]
        command = [sys.executable, "-m", "snakemake", *paths, "--cores", "1", *config]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            raise ReseedError("A trial could not be trained: see the messages above.")
    differences = [compare(one, BlockFile(ROOT / one.path).record(0)) for one in chosen]
    for line in _other_data(chosen, results):
        say(line)
    for one, (same, most) in zip(chosen, differences, strict=True):
        found = "the same bits" if same else f"differs by up to {most:.2g} SDs"
        say(f"{one.study}: {one.path.relative_to(results)}: {found}")
    return all(same or most <= given.tolerance for same, most in differences)


def _other_data(chosen: list[Repeated], results: Path) -> Iterator[str]:
    """A line for each dataset of which another edition was prepared here."""
    layout = ResultsLayout(str(results))
    for study, name in dict.fromkeys((one.study, one.row["dataset"]) for one in chosen):
        here = read_meta(ROOT / layout.data(name)).content_sha256
        if _about(study)["data"][name] != here:
            yield f"{study}: {name} has other content here, so other scores (another source of it?)"


def main() -> None:
    """Read the arguments; exit status 1 where a trial differs by more than the tolerance."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("studies", nargs="*", metavar="STUDY")
    parser.add_argument("--trials", type=int, default=5, help="a study (default 5)")
    parser.add_argument("--tolerance", type=float, default=0.05, help="SDs (default 0.05)")
    parser.add_argument("--results", type=Path, default=Path("build/check_reference"))
    parser.add_argument("--config", nargs="*", default=[], help="as of snakemake: data_mirror=PATH")
    given = parser.parse_args()
    if not check(given):
        raise ReseedError(
            f"A trial differs by more than {given.tolerance:g} SDs. On another processor large"
            " networks may; else make its reference again (snakemake references with its --config"
            " scale, then reseed reference)."
        )


if __name__ == "__main__":
    run(main)
