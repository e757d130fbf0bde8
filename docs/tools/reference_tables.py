"""The tables of docs/measured.md, from the trials in results/reference."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pandas as pd
from reseed.core.coordinates import base_name
from reseed.core.layout import REFERENCES
from reseed.planning.project import Project, load_project
from reseed.report.pages.reference import format_hours

ROOT = Path(__file__).parents[2]
_HEAD = ("data", "model", "varied", "runs", "metric", "mean", "SD", "worst to best", "s a run")
_CELL = ["experiment", "dataset", "test_ratio", "hyperparameters_source", "varied", "arm"]
#: Metrics of a table, the first that a dataset has, unless the study names one.
_METRICS = ("mse", "auc", "accuracy")


def _tabulate(trials: pd.DataFrame, study: str, project: Project) -> list[str]:
    """One line a cell of the study: what varied, the scores over runs, the cost of one."""
    found = project.studies[study]
    lines, empty = [], pd.Series(dtype=float)
    for key, part in trials.groupby(_CELL, sort=False, dropna=False):
        experiment, dataset, ratio, source, varied, arm = key
        metric = found.metric or next(
            name for name in _METRICS if part.get(name, empty).notna().any()
        )
        x = part[metric].dropna()
        ends = (x.max(), x.min()) if metric == "mse" else (x.min(), x.max())
        arms = found.experiments[experiment].arms or {}
        titles = project.models | arms
        data = project.datasets[base_name(dataset)].title + "*" * ("~" in dataset)
        data += f", test part {ratio:g}" if "ratios" in experiment else ""
        model = titles[base_name(arm)].title or arm
        model += ", tuned" * (source != "default") + "†" * ("~" in arm)
        cells = [
            data, model, varied.replace("+", " and "), f"{len(x)}", metric, f"{x.mean():.4g}",
            f"{x.std():.2g}", " to ".join(f"{end:.4g}" for end in ends),
            f"{part['train_seconds'].mean():.2g}",
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def render_tables(root: Path = ROOT) -> str:
    """A section for each study with reference results."""
    project = cache(lambda scale: load_project(root / "config", {"scale": scale}))
    parts = []
    for folder in sorted((root / REFERENCES).glob("*/")):
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        trials = pd.read_parquet(folder / "trials.parquet")
        machine = about["machines"][0]
        facts = (
            f"{about['trials']:,} trials, {about['failed']} failed, {format_hours(about)},"
            f" {about['date']}, Python {machine['python']},"
            f" commit {', '.join(one[:8] for one in about['commits'])}."
        )
        scale = about["scale"]
        rows = _tabulate(trials, folder.name, project(scale))
        head = [f"| {' | '.join(_HEAD)} |", "| --- " * len(_HEAD) + "|"]
        parts.append(
            "\n".join(
                [f"### {project(scale).studies[folder.name].title}", "", facts, "", "<details>",
                 f"<summary>{len(rows)} rows</summary>", "", *head, *rows, "", "</details>", ""]
            )
        )  # fmt: skip
    return "\n".join(parts)
