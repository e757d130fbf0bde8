"""Judge the statements of committed reference results again, from their trials alone."""

import json
from collections.abc import Collection, Iterator
from functools import cache
from math import isclose
from pathlib import Path
from typing import Any

import pandas as pd

from reseed.analyses.shared.data import Data
from reseed.config.studies import Study
from reseed.core.checked_io import read_json, read_table
from reseed.core.layout import EVIDENCE
from reseed.core.study_info import read_study_info
from reseed.planning.project import load_project
from reseed.plugins.kinds import find_kind, run_kind
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.judged import judge_statement


def judge_again(folder: Path, study: Study, published: Path) -> Iterator[dict[str, Any]]:
    """Records of the statements on which the trials of a reference decide, without its outputs.

    folder: of the reference results. study: at their scale. published: folder of papers' numbers.
    """
    metrics, info = read_table(folder / "trials.parquet"), read_study_info(folder / "study.json")

    @cache
    def analyse(name: str) -> pd.DataFrame | None:
        entry = study.analyses[name]
        kind = find_kind("analyses", entry.kind)
        if kind.reads not in ("metrics", "items"):
            return None
        chosen = metrics["experiment"].isin(entry.experiments or metrics["experiment"].unique())
        data = Data(metrics[chosen].reset_index(drop=True), info, published)
        return run_kind(kind, data, entry.options, pd.DataFrame)

    for name, one in study.statements.items():
        rows = analyse(study.analysis_of(name))
        if rows is not None:
            evidence = judge_statement(ExhibitData(rows, metrics, info), one)
            yield {"name": name, "evidence": json.loads(json.dumps(evidence.record()))}


def judge_references(
    root: Path, config: Path, names: Collection[str] = ()
) -> Iterator[tuple[Path, Study, list[dict[str, Any]]]]:
    """Of each reference with facts of its study: its file, the study, and records judged again.

    names: of studies; none for all.
    """

    @cache
    def read_studies(scale: str) -> dict[str, Study]:
        return load_project(config, {"scale": scale}).studies

    for path in sorted(root.glob(f"*/{EVIDENCE}")):
        folder = path.parent
        if not (folder / "study.json").exists() or (names and folder.name not in names):
            continue
        if study := read_studies(read_json(folder / "about.json")["scale"]).get(folder.name):
            yield path, study, [*judge_again(folder, study, config / "published")]


def is_same(one: Any, other: Any) -> bool:
    """Whether two records agree, numbers but for what another processor may round otherwise."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-6)
    return bool(one == other)
