"""Reading a configuration folder: every mistake of every file at once.

Each mistake is told with its file, field, found value, what is allowed and the nearest name.
"""

from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from reseed.config import SCALES, Dataset, Main, Model, Strict, Study, Weights
from reseed.config.validation_messages import format_validation_errors
from reseed.core.errors import ReseedError
from reseed.planning import checks


class Project(BaseModel):
    """The whole configuration, checked."""

    model_config = ConfigDict(frozen=True)

    main: Main
    datasets: dict[str, Dataset]
    models: dict[str, Model]
    weights: dict[str, Weights]
    studies: dict[str, Study]


class _Loader(yaml.SafeLoader):
    """YAML in which no field may stand twice: the last would silently win."""

    def construct_mapping(self, node, deep=False):
        self.flatten_mapping(node)
        seen = set()
        for key, _ in node.value:
            name = self.construct_object(key, deep=True)
            problem = None
            if not isinstance(name, Hashable):
                problem = f"{name!r} cannot be the name of a field; put braces in quotes"
            elif name in seen:
                problem = f"{name!r} stands there twice; keep one"
            if problem:
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


class _Checker:
    """Collects every mistake, then raises them as one error."""

    def __init__(self) -> None:
        self.mistakes: list[str] = []

    def add(self, mistakes: Iterable[str], where: str = "") -> None:
        """Take in mistakes that were not told before; `where` says of what they are."""
        known = set(self.mistakes)
        self.mistakes += [where + text for text in dict.fromkeys(mistakes) if text not in known]

    def parse(self, file: str, cls: type[Strict], data: object, where: str = "") -> Any:
        if not isinstance(data, dict):
            self.add([f"{file}: must hold fields (name: value), found {data!r:.60}."])
            return None
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            self.add(format_validation_errors(cls, error, f"{file}: "), where)
            return None

    def read(self, path: Path) -> Any:
        try:
            return yaml.load(path.read_text(encoding="utf-8"), _Loader) or {}
        except UnicodeDecodeError as error:
            self.mistakes.append(f"{path}: not UTF-8 text ({error}). Save it as UTF-8.")
        except (OSError, yaml.YAMLError) as error:
            self.mistakes.append(f"{path}: cannot be read as YAML: {error}")
        return None

    def folder(
        self, folder: Path, cls: type[Strict], variants=lambda data: {"": data}
    ) -> dict[str, dict[str, Any]]:
        """Name → where (an empty text: as it is used) → the entry of each sound file."""
        entries: dict[str, dict[str, Any]] = {}
        taken: dict[str, Path] = {}
        for path in sorted(folder.glob("*.y*ml")):
            data = self.read(path)
            if data is None:
                continue
            name = data.get("name") if isinstance(data, dict) else None
            if isinstance(name, str) and taken.setdefault(name, path) != path:
                self.mistakes.append(
                    f"{path}: name: {name!r} is already the name of {taken[name]}. "
                    "Give each file its own name."
                )
                continue
            made = {
                where: self.parse(str(path), cls, variant, where)
                for where, variant in variants(data).items()
            }
            if made[""] is not None:
                entries[name] = {where: entry for where, entry in made.items() if entry}
                if name != path.stem:
                    self.mistakes.append(
                        f"{path}: name: {name!r} differs from the file's name. Call the "
                        f"file {name}.yaml, or the entry {path.stem}."
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


def load(
    folder: str | Path,
    overrides: dict | None = None,
    further: Callable[[Project], Iterable[str]] = lambda project: (),
) -> Project:
    """Read and check a configuration folder.

    Args:
        folder: holds `config.yaml`, `datasets/`, `models/`, `studies/`.
        overrides: values that replace those of `config.yaml` (the command line's).
        further: what else is wrong with a project, of which mistakes may already be known.

    Raises:
        ReseedError: with every mistake found, one a line.
    """
    folder = Path(folder)
    checker = _Checker()
    main = _main(checker, folder / "config.yaml", overrides or {})
    scale = main.scale if main is not None else SCALES[-1]

    def at_scales(data: Any) -> dict[str, Any]:
        """The study at every scale, so that no scale hides a mistake; the wanted one first."""
        scales = data.get("scales") if isinstance(data, dict) else None
        if not isinstance(scales, dict):
            return {"": data}
        others = {f"at scale {name}: ": name for name in SCALES if name != scale}
        wanted = {"": scale} | others
        return {where: merge(data, scales.get(name) or {}) for where, name in wanted.items()}

    datasets = _only(checker.folder(folder / "datasets", Dataset))
    models = _only(checker.folder(folder / "models", Model))
    weights = _only(checker.folder(folder / "weights", Weights))
    scaled = checker.folder(folder / "studies", Study, at_scales)
    for name, dataset in datasets.items():
        checker.add(checks.of_dataset(folder / "datasets" / f"{name}.yaml", dataset))
    for name, model in models.items():
        checker.add(checks.of_model(folder / "models" / f"{name}.yaml", model, weights))
    names = {
        noun: [path.stem for path in (folder / f"{noun}s").glob("*.y*ml")]
        for noun in ("dataset", "model")
    }
    known = checks.Known(
        **names,
        study=[path.stem for path in (folder / "studies").glob("*.y*ml")],
        metric_of={name: dataset.metric for name, dataset in datasets.items()},
        task_of={name: dataset.task for name, dataset in datasets.items()},
        project=folder.absolute().parent,
    )
    for name, variants in scaled.items():
        for where, study in variants.items():
            file = str(folder / "studies" / f"{name}.yaml")
            checker.add(checks.of_study(file, study, known), where)
    for name in main.studies if main is not None else ():
        checker.add(
            checks.unknown(f"{folder / 'config.yaml'}: studies", name, known.study, "study")
        )
    studies = _only(scaled)
    wanted = {}
    for name in (main and main.studies) or studies:
        if name in studies:
            wanted[name] = studies[name]
    for study in list(wanted.values()):  # what a study's results are made from comes along
        origin = study.results and study.results.made_from
        if origin in studies:
            wanted.setdefault(origin, studies[origin])
    project = Project(
        main=main or Main(), datasets=datasets, models=models, weights=weights, studies=wanted
    )
    checker.add(further(project))
    checker.finish()
    return project


def _only(entries: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Entries as they are used."""
    return {name: variants[""] for name, variants in entries.items()}


def _main(checker: _Checker, file: Path, overrides: dict) -> Main | None:
    data = checker.read(file) if file.exists() else {}
    if isinstance(data, dict):
        data = data | overrides
        if isinstance(data.get("studies"), str):  # as it comes from the command line
            data["studies"] = [name.strip() for name in data["studies"].split(",")]
    return None if data is None else checker.parse(str(file), Main, data)
