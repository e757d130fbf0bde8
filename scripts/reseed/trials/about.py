"""The facts of a study that are shown beside its numbers (`about.json`)."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pandas as pd

from reseed.core.code_hash import digest
from reseed.core.identifiers import TIME_PREFIX
from reseed.core.schemas import SETTING_COLUMNS, SPLIT_COLUMNS, TRIAL_COLUMNS
from reseed.core.study_info import (
    DatasetInfo,
    ExperimentInfo,
    MachineInfo,
    ModelInfo,
    RepeatedOutputs,
    SplitDigest,
    StudyInfo,
    build_study_info,
)
from reseed.metrics import registry as metrics
from reseed.planning.seed_grid import varied_seeds
from reseed.planning.specs import DatasetText, ExperimentSpec, to_json
from reseed.trials.collect_trials import read_environments
from reseed.trials.study import StudyTrials
from reseed.trials.windows import NOTE


def describe_study(study: StudyTrials, frame: pd.DataFrame) -> StudyInfo:
    """Facts of a study: texts, datasets, models, failures, machines and run times.

    frame: the table of `collect_trials`.
    """
    spec = study.spec
    trials = frame.drop_duplicates([*SETTING_COLUMNS, *TRIAL_COLUMNS])
    folders = trials["dataset"].str.cat(trials[SETTING_COLUMNS[1:]], sep="/")
    return build_study_info(
        {one.name: describe_experiment(one) for one in spec.experiments},
        describe_datasets(study),
        trials,
        folders,
        same_outputs=find_repeated_outputs(trials),
        study=spec.study,
        title=spec.title,
        question=spec.question,
        citation=spec.citation,
        scale=spec.scale,
        reduced=spec.reduced,
        notes=[*spec.notes, *([NOTE] if frame["scheme"].str.startswith(TIME_PREFIX).any() else [])],
        left_out=list(spec.left_out),
        models={name: ModelInfo(**to_json(text)) for name, text in spec.models.items()},
        variants=spec.variants,
        splits=digest_splits(study),
        machines=_describe_machines(study, trials),
        commits=sorted(trials["commit"].dropna().unique()),
    )


def describe_datasets(study: StudyTrials) -> dict[str, DatasetInfo]:
    """Facts of the datasets of a study, by name."""
    spec = study.spec
    return {
        cache.setting.dataset: describe_dataset(
            with_texts(cache.data.to_json(), spec.datasets[cache.setting.dataset]), spec.metric
        )
        for cache in study.one_cache_per_dataset()
    }


def describe_experiment(experiment: ExperimentSpec) -> ExperimentInfo:
    """Titles and seeds of an experiment."""
    arms = experiment.arms
    titles = {arm.name: arm.title for arm in arms}
    if not arms:
        return ExperimentInfo(title=experiment.title, arms=titles)
    seeds = arms[0].seeds
    return ExperimentInfo(
        title=experiment.title,
        arms=titles,
        varied=varied_seeds(seeds),
        seeds=seeds.model_dump(exclude_none=True),
    )


def digest_splits(study: StudyTrials) -> list[SplitDigest]:
    """Number of splits of each dataset and scheme, and one hash of all their rows."""
    used: dict[tuple[str, str], set[tuple[int, int, str]]] = defaultdict(set)
    for one in study.trials():
        split = (one.trial.data_seed, one.trial.fold or 0, one.cache.rows_hash(one.trial))
        used[one.cache.setting[:2]].add(split)
    return [
        SplitDigest(
            dataset=dataset, scheme=scheme, splits=len(splits), sha256=digest(*sorted(splits))
        )
        for (dataset, scheme), splits in used.items()
    ]


def find_repeated_outputs(trials: pd.DataFrame) -> list[RepeatedOutputs]:
    """Models whose trials with different seeds gave the same bits on one split.

    There the seed has no effect, or the model does not use it.
    """
    known = trials[trials["fingerprint"].notna()]
    splits = known.groupby([*SETTING_COLUMNS, *SPLIT_COLUMNS], sort=False)["fingerprint"]
    counts = splits.agg(trials="size", distinct="nunique").reset_index()
    models = counts.groupby(["dataset", "model"], sort=False)[["trials", "distinct"]].sum()
    models["repeats"] = models["trials"] - models.pop("distinct")
    rows = models[models["repeats"] > 0].reset_index().to_dict("records")
    return [RepeatedOutputs.model_validate(row) for row in rows]


def _describe_machines(study: StudyTrials, trials: pd.DataFrame) -> list[MachineInfo]:
    """Each environment of the trials with their number; the most frequent first."""
    counts = Counter(trials["environment"])
    facts = read_environments(study, counts)
    return [
        MachineInfo(**facts[identifier] | {"environment": identifier, "trials": count})
        for identifier, count in counts.most_common()
    ]


def with_texts(meta: dict[str, Any], text: DatasetText) -> dict[str, Any]:
    """A prepared dataset's description with the current texts of its configuration file."""
    texts = to_json(text)
    return meta | texts | {"notes": [*text.notes, *(meta.get("notes") or [])]}


def describe_dataset(meta: dict[str, Any], metric: str | None = None) -> DatasetInfo:
    """Facts of a dataset; its models are compared on `metric`, or on the default of its task."""
    name = metrics.first_applicable(meta["task"], filter(None, [metric, meta.get("metric")]))
    chosen = metrics.get_metric(name) if name else metrics.default_metric(meta["task"])
    facts = {
        "metric": chosen.name,
        "metric_title": chosen.title,
        "greater_is_better": chosen.greater_is_better,
        "metric_is_share": chosen.share,
    }
    return DatasetInfo(**{"features": [], "class_counts": None} | meta | facts)
