"""Contributions of items to metrics that are no means over items, and to corrected means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseed.analyses.shared.item_scores import ItemScores
from reseed.core.errors import ReseedError
from reseed.stats.crossed_comparison import item_values
from reseed.stats.judge import LEAST_LABELS, correct_judge, labels_to_halve

NOTE = (
    "{metric} is computed from the predictions of a run. The test is over the contributions of "
    "items to it (DeLong's components of the AUC, jackknife pseudo-values of other metrics)."
)


def compute_contributions(scores: ItemScores, metric: str) -> ItemScores:
    """Scores of which the mean over items is the metric of the predictions in `scores`.

    Predictions of a single item stay as they are.
    """
    if not scores.has_verdict:
        return scores
    models, targets = {}, scores.targets
    assert targets is not None
    for name, one in scores.models.items():
        flat = one.values.reshape(-1, one.values.shape[-1])
        values = item_values(
            metric,
            targets if metric in ("mse", "mae") else targets.astype(np.int64),
            flat if metric in ("mse", "mae", "auc") else flat.astype(np.int64),
        )
        models[name] = replace(one, values=values.reshape(one.values.shape))
    return replace(scores, models=models, metric=metric)


def correct_by_people(scores: ItemScores) -> ItemScores:
    """Scores of a judge corrected by people's scores of some items; without any, as they are.

    What people correct is averaged over the seeds and prompts of an item.
    """
    models, where = scores.models, f"dataset {scores.dataset!r}: " if scores.dataset else ""
    if all(one.people is None or np.isnan(one.people).all() for one in models.values()):
        return scores
    people: list[np.ndarray] = []
    judge: list[np.ndarray] = []
    for name, one in models.items():
        assert one.people is not None
        has = np.isfinite(one.people)
        if (labels := int(has.any(axis=(0, 1)).sum())) < LEAST_LABELS:
            raise ReseedError(
                f"{where}people scored {labels} items of model {name}; {LEAST_LABELS} are needed "
                "to correct the judge. To compare by the judge alone, leave their column out: "
                "`leave_out`."
            )
        for values, sides in ((one.people, people), (one.values, judge)):
            sides.append(np.ma.array(values, mask=~has).mean(axis=(0, 1)).filled(np.nan))
    labelled = np.isfinite(people)
    every = np.array([one.values.mean(axis=(0, 1)) for one in models.values()])
    found = correct_judge(np.where(labelled, judge, every), people)
    changes = found.values - found.weight * every
    corrected = {
        name: replace(one, values=found.weight * one.values + change)
        for (name, one), change in zip(models.items(), changes, strict=True)
    }
    note = (
        f"{where}The judge's scores are corrected by people's, of {found.labels:,} of "
        f"{len(scores.items):,} items (weight of the judge {found.weight:.2f}); these items are "
        "assumed to be drawn at random."
    )
    if len(models) == 2:
        needed = labels_to_halve(found.values[0], found.values[1], labelled.all(axis=0))
        note += (
            f" With about {needed:,.0f} such items the interval is half as wide."
            if np.isfinite(needed)
            else " No number of them makes the interval half as wide: more items do."
        )
    return replace(
        scores, models=corrected, labels=found.labels, metric="people", notes=(*scores.notes, note)
    )
