"""Reading a configuration folder: every mistake of every file at once.

Each mistake is told with its file, field, found value, what is allowed and the nearest name.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from reseed import kinds
from reseed.config import SCALES, Dataset, Exhibit, Experiment, Main, Model, Strict, Study, Weights
from reseed.data import registry
from reseed.data.kinds import listed
from reseed.errors import ReseedError, nearest
from reseed.keys import SCRIPTS
from reseed.metric_names import TASKS_OF

# Rules that a study's own rule must not share its name with.
RESERVED = {"index", "all", "verify", "report", "tune", "analyse", "table", "figure"}
# Options of exhibits that name experiments.
NAMING_EXPERIMENTS = {"experiment", "experiments", "fixed", "tuned"}
# Tags of a value with several forms: part of pydantic's location, of no use to a reader.
_FORMS = ("plain", "list", "fields")


class Project(BaseModel):
    """The whole configuration, checked."""

    model_config = ConfigDict(frozen=True)

    main: Main
    datasets: dict[str, Dataset]
    models: dict[str, Model]
    weights: dict[str, Weights]
    studies: dict[str, Study]


def _class_at(cls: Any, location: tuple) -> type[BaseModel] | None:
    """The class of the object at `location` below `cls`.

    `location` mixes field names with list indices, mapping keys and union tags; a step that is
    no field of a candidate is one of those, and a tag narrows the candidates.
    """
    candidates = _classes(cls)
    for step in location:
        fields = [c.model_fields[step] for c in candidates if step in c.model_fields]
        if fields:
            candidates = [c for field in fields for c in _classes(field.annotation)]
        else:
            candidates = [c for c in candidates if _tag(c) == step] or candidates
    return candidates[0] if candidates else None


def _tag(cls: type[BaseModel]) -> str | None:
    kind = cls.model_fields.get("kind")
    return next(iter(get_args(kind.annotation)), None) if kind else None


def _classes(annotation: Any) -> list[type[BaseModel]]:
    """The pydantic classes inside an annotation: through unions, containers and Annotated."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [cls for inner in get_args(annotation) for cls in _classes(inner)]


def _describe(file: str, cls: type[BaseModel], error: dict) -> str:
    location = error["loc"]
    field = ".".join(str(step) for step in location if step not in _FORMS) or "(whole file)"
    if error["type"] == "extra_forbidden":
        parent = _class_at(cls, location[:-1])
        allowed = sorted(parent.model_fields) if parent else []
        hint = f" Allowed: {', '.join(allowed)}.{nearest(location[-1], allowed)}" if allowed else ""
        return f"{file}: {field}: unknown field {location[-1]!r}.{hint}"
    found = "" if error["type"] == "missing" else f" Found: {error['input']!r}."
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "literal_error":
        options = [
            part.strip("' ") for part in error["ctx"]["expected"].replace(" or ", ", ").split(",")
        ]
        found += nearest(error["input"], options)
    return f"{file}: {field}: {message}.{found}"


class _Loader(yaml.SafeLoader):
    """YAML in which no field may stand twice: the last would silently win."""

    def construct_mapping(self, node, deep=False):
        self.flatten_mapping(node)
        seen = set()
        for key, _ in node.value:
            name = self.construct_object(key, deep=True)
            if name in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{name!r} stands there twice; keep one", key.start_mark
                )
            seen.add(name)
        return super().construct_mapping(node, deep)


class _Checker:
    """Collects every mistake, then raises them as one error."""

    def __init__(self) -> None:
        self.mistakes: list[str] = []

    def parse(self, file: str, cls: type[Strict], data: object) -> Any:
        if not isinstance(data, dict):
            self.mistakes.append(f"{file}: must hold fields (name: value), found {data!r:.60}.")
            return None
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            described = [_describe(file, cls, e) for e in error.errors()]
            self.mistakes += [text for text in described if text not in self.mistakes]
            return None

    def read(self, path: Path) -> Any:
        try:
            return yaml.load(path.read_text(encoding="utf-8"), _Loader) or {}
        except UnicodeDecodeError as error:
            self.mistakes.append(f"{path}: not UTF-8 text ({error}). Save it as UTF-8.")
        except (OSError, yaml.YAMLError) as error:
            self.mistakes.append(f"{path}: cannot be read as YAML: {error}")
        return None

    def folder(self, folder: Path, cls: type[Strict], variants=lambda data: [data]) -> dict:
        entries: dict[str, Any] = {}
        taken: dict[str, Path] = {}
        for path in sorted(folder.glob("*.y*ml")):
            data = self.read(path)
            if data is None:
                continue
            name = data.get("name") if isinstance(data, dict) else None
            if name in taken:
                self.mistakes.append(
                    f"{path}: name: {name!r} is already the name of {taken[name]}. "
                    "Give each file its own name."
                )
                continue
            taken[name] = path
            for variant in variants(data):
                entry = self.parse(str(path), cls, variant)
            if entry is not None:
                entries[entry.name] = entry
                if entry.name != path.stem:
                    self.mistakes.append(
                        f"{path}: name: {entry.name!r} differs from the file's name. Call the "
                        f"file {entry.name}.yaml, or the entry {path.stem}."
                    )
        return entries

    def finish(self) -> None:
        if self.mistakes:
            count = len(self.mistakes)
            head = "1 mistake" if count == 1 else f"{count} mistakes"
            lines = "\n".join(f"  {number}. {text}" for number, text in enumerate(self.mistakes, 1))
            raise ReseedError(f"The configuration has {head}:\n{lines}")


def merge(base: Any, change: Any) -> Any:
    """Deep merge of mappings; any other value, a list too, is replaced. None removes a key."""
    if not (isinstance(base, dict) and isinstance(change, dict)):
        return change
    merged = dict(base)
    for key, value in change.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(base.get(key), value)
    return merged


def _references(
    study: Study, project_names: dict[str, list[str]], file: str, project: Path
) -> list[str]:
    """Mistakes in the names a study uses: datasets, models, experiments, analyses."""
    mistakes = []

    def check(field: str, name: str, allowed: list[str], noun: str) -> None:
        if name not in allowed:
            mistakes.append(
                f"{file}: {field}: unknown {noun} {name!r}. "
                f"Allowed: {', '.join(sorted(allowed))}.{nearest(name, allowed)}"
            )

    def check_kind(family: str, name: str, kind: str) -> kinds.Kind | None:
        try:
            return kinds.find(family, kind, project)
        except ReseedError as error:
            mistakes.append(f"{file}: {family}.{name}.kind: {error}")
        return None

    def check_all(prefix: str, part: Study | Experiment) -> None:
        for noun in ("dataset", "model"):
            for index, item in enumerate(getattr(part, f"{noun}s") or []):
                name = item if isinstance(item, str) else item.name
                check(f"{prefix}{noun}s.{index}", name, project_names[noun], noun)

    def check_metric(field: str, name: str | None) -> None:
        mistakes.extend(_unknown_metric(f"{file}: {field}", name))

    check_all("", study)
    check_metric("metric", study.metric)
    check_metric("hyperparameters.metric", study.hyperparameters.metric)
    for name, experiment in study.experiments.items():
        prefix = f"experiments.{name}."
        check_all(prefix, experiment)
        if experiment.hyperparameters is not None:
            check_metric(f"{prefix}hyperparameters.metric", experiment.hyperparameters.metric)
        for arm, entry in (experiment.arms or {}).items():
            used = entry.model if isinstance(entry.model, str) else entry.model.name
            check(f"{prefix}arms.{arm}.model", used, project_names["model"], "model")
        for field in ("datasets", "splits", *(() if experiment.arms else ("models",))):
            if not (getattr(experiment, field) or getattr(study, field)):
                mistakes.append(
                    f"{file}: {prefix}{field}: neither the experiment nor the study names any."
                )
    for name, analysis in study.analyses.items():
        check_kind("analyses", name, analysis.kind)
        for index, used in enumerate(analysis.experiments or []):
            field = f"analyses.{name}.experiments.{index}"
            check(field, used, list(study.experiments), "experiment")
    for name, exhibit in study.exhibits.items():
        kind = check_kind("exhibits", name, exhibit.kind)
        if exhibit.analysis is not None:
            allowed = list(study.analyses)
            check(f"exhibits.{name}.analysis", exhibit.analysis, allowed, "analysis")
        if kind is not None and kind.draws is not None:
            mistakes += _undrawable(study, f"{file}: exhibits.{name}.analysis", exhibit, kind)
        for option in NAMING_EXPERIMENTS & set(exhibit.options):
            for used in listed(exhibit.options[option]):
                field = f"exhibits.{name}.options.{option}"
                check(field, used, list(study.experiments) or ["results"], "experiment")
    if study.name in RESERVED:
        mistakes.append(
            f"{file}: name: {study.name!r} is what a rule of the pipeline is called. "
            "Give the study another name."
        )
    if study.results and study.results.made_from:
        check("results.made_from", study.results.made_from, project_names["study"], "study")
    return mistakes


def _unknown_metric(field: str, name: str | None) -> Iterator[str]:
    """What is wrong with the name of a built-in metric; one's own is looked up in its module."""
    if name and ":" not in name and name not in TASKS_OF:
        allowed = ", ".join(sorted(TASKS_OF))
        yield (
            f"{field}: unknown metric {name!r}. Allowed: {allowed}, or my_module:metric."
            f"{nearest(name, list(TASKS_OF))}"
        )


def _unmeasured(study: Study, datasets: dict[str, Dataset], file: str) -> Iterator[str]:
    """What an own metric lacks: it is measured once all is trained, on outputs that are kept."""
    parts = (study, *study.experiments.values())
    used = [item for part in parts for item in part.datasets or []]
    names = {item if isinstance(item, str) else item.name for item in used}
    # A dataset's own metric is measured as each of its trials is trained.
    late = [n for n in names if n in datasets and datasets[n].metric != study.metric]
    if late and ":" in (study.metric or "") and "test" not in study.keep:
        yield f"{file}: keep: metric {study.metric} is measured on kept outputs. Set keep: [test]."


def _undrawable(study: Study, field: str, exhibit: Exhibit, kind: kinds.Kind) -> Iterator[str]:
    """What is wrong with the analysis of an exhibit that draws certain kinds only."""
    fitting = [name for name, entry in study.analyses.items() if kind.can_draw(entry.kind)]
    hint = f" Of this study: {', '.join(fitting) or 'none, add one'}."
    wanted = f"{exhibit.kind} draws analyses of the kind {' or '.join(kind.draws)}"
    if exhibit.analysis is None:
        yield f"{field}: {wanted}, and this exhibit names none.{hint}"
    elif exhibit.analysis in study.analyses and exhibit.analysis not in fitting:
        other = study.analyses[exhibit.analysis].kind
        yield f"{field}: {wanted}, and {exhibit.analysis!r} is of the kind {other}.{hint}"


def load(folder: str | Path, overrides: dict | None = None) -> Project:
    """Read and check a configuration folder.

    Args:
        folder: holds `config.yaml`, `datasets/`, `models/`, `studies/`.
        overrides: values that replace those of `config.yaml` (the command line's).

    Raises:
        ReseedError: with every mistake found, one a line.
    """
    folder = Path(folder)
    checker = _Checker()
    main_file = folder / "config.yaml"
    main_data = checker.read(main_file) if main_file.exists() else {}
    main_data = {**(main_data or {}), **(overrides or {})}
    if isinstance(main_data.get("studies"), str):  # as it comes from the command line
        main_data["studies"] = main_data["studies"].split(",")
    main = checker.parse(str(main_file), Main, main_data)
    datasets = checker.folder(folder / "datasets", Dataset)
    for name, dataset in datasets.items():
        file = folder / "datasets" / f"{name}.yaml"
        checker.mistakes += [f"{file}: {text}" for text in registry.mistakes(dataset.model_dump())]
        checker.mistakes += _unknown_metric(f"{file}: metric", dataset.metric)
        tasks = TASKS_OF.get(dataset.metric or "")
        if tasks and dataset.task not in (None, *tasks):
            fitting = [name for name, of in TASKS_OF.items() if dataset.task in of]
            checker.mistakes.append(
                f"{file}: metric: {dataset.metric} is for {', '.join(tasks)}, the task is "
                f"{dataset.task}. Take one of {', '.join(fitting)}."
            )
    models = checker.folder(folder / "models", Model)
    weights = checker.folder(folder / "weights", Weights)

    scale = main.scale if main is not None else SCALES[-1]

    def at_scales(data: Any) -> list:
        """The study at every scale, so that no scale hides a mistake; the wanted one last."""
        scales = data.get("scales") if isinstance(data, dict) else None
        if not isinstance(scales, dict):
            return [data]
        ordered = sorted(SCALES, key=lambda name: name == scale)
        return [merge(data, scales.get(name) or {}) for name in ordered]

    studies = checker.folder(folder / "studies", Study, at_scales)
    names = {
        "dataset": [path.stem for path in (folder / "datasets").glob("*.y*ml")],
        "model": [path.stem for path in (folder / "models").glob("*.y*ml")],
        "study": [path.stem for path in (folder / "studies").glob("*.y*ml")],
    }
    for name, model in models.items():
        if model.weights is not None and model.weights not in weights:
            checker.mistakes.append(
                f"{folder / 'models' / name}.yaml: weights: there is no "
                f"{folder / 'weights' / model.weights}.yaml."
            )
        places = [folder.parent / "envs", SCRIPTS.parent / "envs"]
        if not any((place / f"{model.environment}.yaml").is_file() for place in places):
            checker.mistakes.append(
                f"{folder / 'models' / name}.yaml: environment: there is no file "
                f"envs/{model.environment}.yaml."
            )
    for name, study in studies.items():
        file = str(folder / "studies" / f"{name}.yaml")
        checker.mistakes += _references(study, names, file, folder.absolute().parent)
        checker.mistakes += _unmeasured(study, datasets, file)
    if main is not None:
        known = [path.stem for path in (folder / "studies").glob("*.y*ml")]
        for name in main.studies:
            if name not in known:
                checker.mistakes.append(
                    f"{main_file}: studies: unknown study {name!r}. "
                    f"Allowed: {', '.join(sorted(known))}.{nearest(name, known)}"
                )
    checker.finish()
    wanted = {name: studies[name] for name in (main.studies or studies)}
    for study in list(wanted.values()):  # what a study's results are made from comes along
        if study.results and study.results.made_from:
            wanted.setdefault(study.results.made_from, studies[study.results.made_from])
    return Project(main=main, datasets=datasets, models=models, weights=weights, studies=wanted)
