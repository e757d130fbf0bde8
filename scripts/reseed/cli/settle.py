"""`reseed settle`: add seeds to a study and run it again, until every pair of models is decided."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from reseed.config.studies import Seeds, Study
from reseed.core.atomic import write_text
from reseed.core.coordinates import ROLES
from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout
from reseed.planning.project import SEEDS_FOLDER, load_project
from reseed.planning.seed_grid import seed_values

Run = Callable[[list[str]], int]


def run_snakemake(words: list[str]) -> int:
    """Run Snakemake and return its exit status."""
    return subprocess.run([sys.executable, "-m", "snakemake", *words], check=False).returncode


def settle(
    config: Path, study: str, most: int | None, arguments: list[str], run: Run
) -> dict[str, int]:
    """Run a study with more and more seeds; returns the number of seeds by experiment.

    Args:
        config: the configuration folder.
        study: the study, of which an experiment has `until`.
        most: most seeds of a model; None: as many as the study names.
        arguments: of Snakemake, for all runs.
        run: runs Snakemake with arguments and returns its exit status.

    Raises:
        ReseedError: for an unknown study, one without `until`, or a run that fails.
    """
    overrides = dict(_overrides(arguments))
    overlay = config / SEEDS_FOLDER / f"{study}.yaml"
    overlay.unlink(missing_ok=True)
    project = load_project(config, overrides)
    if study not in project.studies:
        there = f"Studies: {', '.join(project.studies)}" if project.studies else "It has none"
        raise ReseedError(f"{config}: there is no study {study!r}. {there}.")
    entry, scale = project.studies[study], project.main.scale
    rules = {name: one.until for name, one in entry.experiments.items() if one.until}
    if not rules:
        raise ReseedError(
            f"{config / 'studies' / study}.yaml: no experiment has `until`. Set until: settled in "
            "the experiment whose seeds are to be added."
        )
    limits = {name: most or _count(entry, name) for name in rules}
    counts = {name: min(rule.first, limits[name]) for name, rule in rules.items()}
    tables = ResultsLayout(project.main.results).study(study)
    while True:
        changes = {name: {"seeds": _seeds(entry, name, n)} for name, n in counts.items()}
        text = yaml.safe_dump({"scale": scale, "experiments": changes})
        write_text(overlay, f"# Written by `reseed settle`. Delete it to train all seeds.\n{text}")
        _check(run([tables.metrics, tables.about, *arguments]), study)
        counts = _add_seeds(tables, rules, counts, limits)
        if not any(_is_more(changes, name, n, entry) for name, n in counts.items()):
            break
    _check(run([study, *arguments]), study)
    return counts


def _add_seeds(tables: Any, rules: Any, counts: dict[str, int], limits: Any) -> dict[str, int]:
    """The next number of seeds of each experiment with open pairs."""
    from reseed.pipeline.jobs.settle import count_pairs

    following = {}
    for name, count in counts.items():
        still_open, pairs = count_pairs(tables, name)
        print(f"{name}: {still_open} of {pairs} pairs are open after {count} seeds", flush=True)
        more = min(count + rules[name].batch, limits[name])
        following[name] = more if still_open else count
    return following


def _is_more(changes: dict[str, Any], name: str, count: int, entry: Study) -> bool:
    return changes[name]["seeds"] != _seeds(entry, name, count)


def _varied(seeds: Seeds) -> str:
    """The one seed that varies (`planning.until` checks it)."""
    names = ("model", *ROLES)
    return next(name for name in names if len(seed_values(getattr(seeds, name))) > 1)


def _count(entry: Study, experiment: str) -> int:
    seeds = entry.experiments[experiment].seeds
    assert seeds is not None
    return len(seed_values(getattr(seeds, _varied(seeds))))


def _seeds(entry: Study, experiment: str, count: int) -> dict[str, Any]:
    """The first `count` seeds of an experiment; a range goes on after its end."""
    seeds = entry.experiments[experiment].seeds
    assert seeds is not None
    values = getattr(seeds, _varied(seeds))
    if isinstance(values, list):
        return {_varied(seeds): values[:count]}
    return {_varied(seeds): {"start": values.start, "count": count}}


def _overrides(arguments: list[str]) -> Iterator[tuple[str, Any]]:
    """Values after `--config` in the arguments of Snakemake."""
    is_config = False
    for word in arguments:
        if word.startswith("-"):
            is_config = word in ("--config", "-C")
        elif is_config and "=" in word:
            name, _, value = word.partition("=")
            yield name, yaml.safe_load(value)


def _check(status: int, study: str) -> None:
    if status:
        raise ReseedError(
            f"snakemake failed on {study}. Finished trials are kept: correct what it reports, and "
            "run the command again."
        )
