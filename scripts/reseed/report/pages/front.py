"""The front page: how much of a score is luck, and which statements of papers hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from reseed.core.checked_io import read_table
from reseed.core.coordinates import base_name
from reseed.core.layout import find_reference
from reseed.report.pages.statements import StatementRow
from reseed.report.pages.strips import draw_axis, place, wrap_svg
from reseed.report.pages.studies import StudyReport
from reseed.report.rendering.data import title_of
from reseed.report.rendering.numbers import two_digits
from reseed.verdicts.evidence import VERDICTS, Verdict

#: Findings of the front page at most.
MOST_FINDINGS = 6
#: Sign of a square.
SIGNS: dict[Verdict, str] = {
    "supported": "✓", "contradicted": "✗", "mixed": "±", "not yet": "?", "not comparable": "",
    "not run": "",
}  # fmt: skip
_HEIGHT, _RADIUS = 26, 2.6
_LEAST_RUNS, _LEAST_MODELS = 10, 2


@dataclass(frozen=True)
class Front:
    """The scores of each model of a study over training seeds, and over splits.

    title: of the dataset and its score. seeds, splits: numbers of runs. rows: (model, picture and
    SD over seeds, picture and SD over splits), the best model first. axis: as SVG.
    """

    title: str
    study: str
    seeds: int
    splits: int
    rows: list[tuple[str, str, str, str, str]]
    axis: str


def draw_front(studies: Sequence[StudyReport], references: Path) -> Front | None:
    """The picture of the first study whose reference varies the training seed and the split apart.

    None where no study has such a reference.
    """
    for study in studies:
        evidence = find_reference(references, study.name)
        if evidence is None or not (path := evidence.with_name("trials.parquet")).is_file():
            continue
        trials = read_table(path)
        trials = trials[trials["status"] == "ok"].assign(data=trials["dataset"].map(base_name))
        for name, one in trials.groupby("data", sort=False):
            info = study.info.datasets.get(str(name))
            if info is not None and info.metric_is_share and info.stand_in is None:
                scores = one.dropna(subset=[info.metric])
                if front := _draw(study, str(name), info.metric, info.metric_title, scores):
                    return front
    return None


def _draw(
    study: StudyReport, dataset: str, metric: str, title: str | None, scores: pd.DataFrame
) -> Front | None:
    """Strips of the arms that both kinds of seeds are varied for, on one split scheme."""
    by_kind = {
        kind: part.groupby("arm", sort=False)[metric].apply(np.asarray).to_dict()
        for kind in ("model", "data")
        for _, part in [*scores[scores["varied"] == kind].groupby("experiment", sort=False)][:1]
    }
    if {*by_kind} != {"model", "data"}:
        return None
    arms = [arm for arm in by_kind["model"] if arm in by_kind["data"]]
    known = [by_kind[kind][arm] for kind in by_kind for arm in arms]
    if len(arms) < _LEAST_MODELS or min(map(len, known)) < _LEAST_RUNS:
        return None
    values = np.concatenate(known)
    ends = float(values.min()), float(values.max())
    arms.sort(key=lambda arm: -float(by_kind["data"][arm].mean()))
    rows = []
    models = {base_name(name): one for name, one in study.info.models.items()}
    for arm in arms:
        name, cells = title_of(models.get(base_name(arm)), base_name(arm)), []
        for kind, noun in (("model", "training seeds"), ("data", "random splits")):
            one = by_kind[kind][arm]
            cells += [_draw_dots(one, ends, kind, f"{name}: {len(one)} {noun}")]
            cells += [f"±{two_digits(float(one.std(ddof=1)))}"]
        rows.append((name, *cells))
    return Front(
        title=f"{title_of(study.info.datasets[dataset], dataset)}, test {title or metric}",
        study=study.name,
        seeds=max(len(by_kind["model"][arm]) for arm in arms),
        splits=max(len(by_kind["data"][arm]) for arm in arms),
        rows=rows,  # type: ignore[arg-type]
        axis=draw_axis(ends),
    )


def _draw_dots(values: np.ndarray, ends: tuple[float, float], kind: str, label: str) -> str:
    """One dot a score, and the mean; heights are spread so that dots do not hide each other."""
    spread = np.random.default_rng(0).uniform(6, _HEIGHT - 6, len(values))
    dots = [
        f'<circle class="{kind}" cx="{place(x, ends):.1f}" cy="{y:.1f}" r="{_RADIUS}">'
        f"<title>{x:.5g}</title></circle>"
        for x, y in zip(values, spread, strict=True)
    ]
    mean = place(float(values.mean()), ends)
    dots.append(f'<line class="mean" x1="{mean:.1f}" x2="{mean:.1f}" y1="3" y2="{_HEIGHT - 3}"/>')
    return wrap_svg(label, "".join(dots), _HEIGHT)


@dataclass(frozen=True)
class Paper:
    """A paper: title of its first study, link to that page, and its statements, decided first."""

    title: str
    link: str
    rows: list[StatementRow]


def group_papers(rows: Sequence[StatementRow], pages: Mapping[str, str]) -> list[Paper]:
    """Statements by paper, in the order of the studies."""
    grouped: dict[str, list[StatementRow]] = {}
    for row in rows:
        grouped.setdefault(row.info.citation or row.study, []).append(row)
    return [
        Paper(
            part[0].info.title,
            pages.get(part[0].study, ""),
            sorted(part, key=lambda row: row.order),
        )
        for part in grouped.values()
    ]


def list_findings(rows: Sequence[StatementRow]) -> list[dict[str, Any]]:
    """What the studies' files say of statements with this verdict, with its numbers."""
    found = []
    for row in rows:
        average, text = row.decisive.average, row.run.statement.finding.get(row.verdict)
        if text and average is not None:
            numbers = {"value": average.value, "low": average.low, "high": average.high}
            found.append({"row": row, "text": text.format(**numbers)})
    return found[:MOST_FINDINGS]


def count_squares(rows: Sequence[StatementRow]) -> list[tuple[Verdict, str, int]]:
    """(verdict, sign, number of statements), for a legend."""
    counts = {name: sum(row.verdict == name for row in rows) for name in VERDICTS}
    return [(name, SIGNS[name], count) for name, count in counts.items() if count]
