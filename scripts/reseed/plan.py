"""From checked configuration to work: studies → settings → trials → blocks → paths (no I/O)."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from reseed.config import (
    Dataset,
    DatasetReference,
    Experiment,
    Hyperparameters,
    Model,
    ModelReference,
    Study,
)
from reseed.coordinates import (
    Coordinates,
    Setting,
    expand,
    strongest,
    trial_path,
    tuning_path,
    tuning_trial,
)
from reseed.project import Project
from reseed.provenance import digest

# One shell argument holds a block's paths; the system's limit is 128 KiB.
MAX_BLOCK = 500
# A model's `seconds_per_trial` is measured on about this many rows.
HINT_ROWS = 16_000


@dataclass
class Work:
    """All that the studies want of one setting."""

    setting: Setting
    dataset: dict
    scheme: dict
    model: dict
    hyperparameters: dict
    trials: list[Coordinates] = field(default_factory=list)
    keep: str = "none"

    @property
    def seconds_per_trial(self) -> float:
        """The model's cost hint, in proportion to the rows where the study says how many."""
        return self.model["seconds_per_trial"] * (self.dataset["rows"] or HINT_ROWS) / HINT_ROWS

    def searches(self) -> list[Coordinates]:
        """Where hyper-parameters are searched for these trials."""
        found = (tuning_trial(self.hyperparameters["mode"], trial) for trial in self.trials)
        return list(dict.fromkeys(search for search in found if search))

    def tuning_files(self, results: str, trials: list[Coordinates]) -> list[str]:
        """The search winners that some of the trials use."""
        mode = self.hyperparameters["mode"]
        found = (tuning_path(results, self.setting, mode, trial) for trial in trials)
        return list(dict.fromkeys(path.as_posix() for path in found if path))

    def job(self) -> dict:
        """What a training or tuning job is told of this setting; it decides what comes out."""
        return {
            "dataset": self.setting.dataset,
            "scheme": self.setting.scheme,
            "model": self.setting.model,
            "hyperparameters": self.setting.hyperparameters,
            "mode": self.hyperparameters["mode"],
            "recipe": {
                name: self.model[name]
                for name in ("factory", "scaling", "hyperparameters", "search_space")
            },
            "search": {name: self.hyperparameters[name] for name in ("trials", "folds", "method")},
        }


@dataclass(frozen=True)
class Plan:
    """The work behind a set of studies."""

    results: str
    datasets: dict[str, dict]
    works: dict[Setting, Work]
    # study → experiment → settings, in the order of the configuration
    studies: dict[str, dict[str, list[Setting]]]
    experiments: dict[str, dict[str, Experiment]]
    # study → optional datasets that cannot be had here
    left_out: dict[str, list[str]]

    def trials(self, study: str) -> Iterator[tuple[str, Setting, Coordinates]]:
        """Every (experiment, setting, coordinates) of a study; a shared trial comes twice."""
        for name, settings in self.studies[study].items():
            seeds = seeds_of(self.experiments[study][name])
            for setting in settings:
                for trial in expand(seeds, self.works[setting].scheme):
                    yield name, setting, trial

    def trial_files(self, study: str, experiments: list[str] | None = None) -> list[str]:
        """Paths of a study's trials, each once."""
        files = (
            trial_path(self.results, setting, trial)
            for name, setting, trial in self.trials(study)
            if experiments is None or name in experiments
        )
        return list(dict.fromkeys(files))

    def data_seeds(self) -> dict[tuple[str, str], list[int]]:
        """(dataset, scheme) → the data seeds whose splits are needed."""
        seeds: dict[tuple[str, str], set[int]] = {}
        for work in self.works.values():
            wanted = seeds.setdefault((work.setting.dataset, work.setting.scheme), set())
            wanted |= {trial.data_seed for trial in work.trials}
            wanted |= {search.data_seed for search in work.searches()}
        return {key: sorted(wanted) for key, wanted in seeds.items()}

    def schemes(self) -> dict[str, dict]:
        """Split schemes by identifier."""
        return {work.setting.scheme: work.scheme for work in self.works.values()}

    def experiment_job(self, study: str, experiments: list[str] | None = None) -> list[dict]:
        """Compact description of a study's trials, for the job that collects them."""
        return [
            {
                "experiment": name,
                "seeds": seeds_of(self.experiments[study][name]),
                "settings": [vars(setting) for setting in settings],
                "schemes": [self.works[setting].scheme for setting in settings],
            }
            for name, settings in self.studies[study].items()
            if experiments is None or name in experiments
        ]


def seeds_of(experiment: Experiment) -> dict:
    """Seed specification with what is unset left out (`coordinates.expand` reads it)."""
    return experiment.seeds.model_dump(exclude_none=True)


def scheme_id(scheme: dict) -> str:
    """`holdout-0.2`, `kfold-5x2`, `official`; settings off their defaults are appended."""
    kind = scheme["kind"]
    if kind == "holdout":
        name, usual = f"holdout-{scheme['test']:g}", 0.2
    elif kind == "kfold":
        name, usual = f"kfold-{scheme['folds']}x{scheme['repeats']}", 0.1
    else:
        name, usual = kind, 0.1
    if scheme["validation"] != usual:
        name += f"-validation-{scheme['validation']:g}"
    return name if scheme["stratify"] else f"{name}-unstratified"


def hyperparameters_id(source: Hyperparameters) -> str:
    """`default`, `fixed-500`, `tuned-500-halving`."""
    if source.mode == "default":
        return source.mode
    name = f"{source.mode}-{source.trials}"
    if source.folds != 5:
        name += f"-{source.folds}fold"
    return name if source.method == "random" else f"{name}-{source.method}"


def _variant(name: str, changes: dict) -> str:
    if not changes:
        return name
    return f"{name}~{','.join(f'{key}={value}' for key, value in sorted(changes.items()))}"


def _dataset(reference: str | DatasetReference, datasets: dict[str, Dataset]) -> tuple[str, dict]:
    if isinstance(reference, str):
        reference = DatasetReference(name=reference)
    entry = datasets[reference.name].model_dump()
    changes = {} if reference.rows is None else {"rows": reference.rows}
    return _variant(reference.name, changes), entry | changes


def _model(reference: str | ModelReference, models: dict[str, Model]) -> tuple[str, dict]:
    if isinstance(reference, str):
        reference = ModelReference(name=reference)
    entry = models[reference.name].model_dump()
    held = reference.hyperparameters
    entry["hyperparameters"] |= held
    entry["search_space"] = {k: v for k, v in entry["search_space"].items() if k not in held}
    entry["seconds_per_trial"] = reference.seconds_per_trial or entry["seconds_per_trial"]
    changes = dict(held)
    if reference.scaling is not None and reference.scaling != entry["scaling"]:
        entry["scaling"] = changes["scaling"] = reference.scaling
    return _variant(reference.name, changes), entry


def _of(study: Study, experiment: Experiment, name: str):
    """A field of an experiment, or the study's where the experiment has none."""
    own = getattr(experiment, name)
    return getattr(study, name) if own is None else own


def _optional(study: Study, experiment: Experiment) -> set[str]:
    references = _of(study, experiment, "datasets")
    return {r.name for r in references if isinstance(r, DatasetReference) and r.optional}


def _settings(
    study: Study, experiment: Experiment, project: Project, absent: Collection[str]
) -> Iterator[Work]:
    def of(name: str):
        return _of(study, experiment, name)

    source = of("hyperparameters")
    left_out = _optional(study, experiment) & set(absent)
    for dataset_reference in of("datasets"):
        if getattr(dataset_reference, "name", dataset_reference) in left_out:
            continue
        dataset_id, dataset = _dataset(dataset_reference, project.datasets)
        for split in of("splits"):
            scheme = split.model_dump()
            for model_reference in of("models"):
                model_id, model = _model(model_reference, project.models)
                setting = Setting(
                    dataset_id, scheme_id(scheme), model_id, hyperparameters_id(source)
                )
                yield Work(setting, dataset, scheme, model, source.model_dump())


def make_plan(project: Project, absent: Collection[str] = ()) -> Plan:
    """Work out every trial the project's studies need; shared ones are planned once.

    `absent` names the datasets that cannot be had here: where optional, they are left out.
    """
    works: dict[Setting, Work] = {}
    wanted: dict[Setting, set[Coordinates]] = {}
    studies: dict[str, dict[str, list[Setting]]] = {}
    left_out: dict[str, list[str]] = {}
    for study in project.studies.values():
        studies[study.name] = {}
        for name, experiment in study.experiments.items():
            settings = studies[study.name].setdefault(name, [])
            missing = _optional(study, experiment) & set(absent)
            left_out[study.name] = sorted({*left_out.get(study.name, ()), *missing})
            for candidate in _settings(study, experiment, project, absent):
                work = works.setdefault(candidate.setting, candidate)
                settings.append(work.setting)
                wanted.setdefault(work.setting, set()).update(
                    expand(seeds_of(experiment), work.scheme)
                )
                work.keep = strongest(work.keep, study.keep)
    for setting, trials in wanted.items():
        works[setting].trials = sorted(trials)
    return Plan(
        results=project.main.results,
        datasets={work.setting.dataset: work.dataset for work in works.values()},
        works=works,
        studies=studies,
        experiments={name: dict(study.experiments) for name, study in project.studies.items()},
        left_out=left_out,
    )


def blocks(
    work: Work, seconds_per_trial: float, block_seconds: float, seeds_per_job: int | None = None
) -> list[list[Coordinates]]:
    """A setting's trials in contiguous blocks of about `block_seconds` each.

    Where a block ends does not enter any key: another block size retrains nothing.
    """
    size = seeds_per_job or max(1, round(block_seconds / max(seconds_per_trial, 1e-6)))
    size = min(size, MAX_BLOCK)
    return [work.trials[start : start + size] for start in range(0, len(work.trials), size)]


def job_name(*parts: str) -> str:
    """A rule name from path-like parts: readable, unique, only word characters."""
    text = "_".join(parts)
    safe = "".join(letter if letter.isalnum() else "_" for letter in text)
    return f"{safe}_{digest(text)[:6]}"


def describe_study(project: Project, plan: Plan, name: str) -> dict:
    """What a study is, for the job that collects its trials: texts, experiments, models."""
    study = project.studies[name]
    used = {s for settings in plan.studies[name].values() for s in settings}
    models = {setting.model: plan.works[setting].model for setting in sorted(used)}
    return {
        "study": name,
        "scale": project.main.scale,
        **{field: getattr(study, field) for field in ("title", "question", "citation")},
        "notes": [
            *study.notes,
            *(
                f"{project.datasets[dataset].title} is left out: its files are not in a local "
                "data mirror, and it has no other source."
                for dataset in plan.left_out.get(name, ())
            ),
        ],
        "experiments": plan.experiment_job(name),
        "experiment_titles": {key: value.title for key, value in study.experiments.items()},
        "models": {
            key: {
                field: model[field]
                for field in ("title", "hyperparameters", "search_space", "notes")
            }
            for key, model in models.items()
        },
    }
