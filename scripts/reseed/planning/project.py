"""Read a configuration folder, and report all its errors at once.

Each error names file, field, value, what is allowed, and the nearest allowed name.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from reseed.config.base import Strict
from reseed.config.datasets import Dataset, Weights
from reseed.config.models import Model
from reseed.config.studies import Main, Study
from reseed.config.validation_messages import format_validation_errors
from reseed.core.errors import ReseedError
from reseed.core.identifiers import SCALES
from reseed.core.layout import ResultsLayout
from reseed.core.source_facts import MEMORY
from reseed.planning import validation
from reseed.planning.yaml_limits import find_excess


class Project(BaseModel):
    """The whole configuration, checked. left_out: titles of studies that the scale leaves out."""

    model_config = ConfigDict(frozen=True)

    main: Main
    datasets: dict[str, Dataset]
    models: dict[str, Model]
    weights: dict[str, Weights]
    studies: dict[str, Study]
    left_out: dict[str, str] = {}


#: The loader in C, where the package has it, is ten times as fast.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_SafeLoader):
    """YAML in which a field may not be given twice: the last one would replace the others."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        self.flatten_mapping(node)
        seen = set()
        for key, _ in node.value:
            name = self.construct_object(key, deep=True)
            problem = None
            if not isinstance(name, Hashable):
                problem = f"{name!r} cannot be the name of a field; put braces in quotes"
            elif name in seen:
                problem = f"{name!r} is given twice; keep one"
            if problem:
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


#: Where values stand that replace those of `config.yaml`.
_COMMAND_LINE = "command line (--config)"


class _ConfigReader:
    """Reads files, collects their errors, and raises all errors as one."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def add(self, errors: Iterable[str], where: str = "") -> None:
        """Add errors that are not known yet. where: prefix that names the scale."""
        known = set(self.errors)
        self.errors += [where + text for text in dict.fromkeys(errors) if text not in known]

    def parse(
        self,
        file: str,
        cls: type[Strict],
        data: object,
        where: str = "",
        leads: Mapping[str, str] | None = None,
    ) -> Any:
        """The object of some data; None with errors. leads: as in `format_validation_errors`."""
        if not isinstance(data, dict):
            self.add([f"{file}: must hold fields (name: value), found {data!r:.60}."])
            return None
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            self.add(format_validation_errors(cls, error, f"{file}: ", leads), where)
            return None

    def read(self, path: Path) -> Any:
        try:
            data = yaml.load(path.read_text(encoding="utf-8"), _Loader) or {}
            excess = find_excess(data)
            if not excess:
                return data
            self.errors.append(f"{path}: {excess}")
        except UnicodeDecodeError as error:
            self.errors.append(f"{path}: not UTF-8 text ({error}). Save it as UTF-8.")
        except (OSError, yaml.YAMLError) as error:
            self.errors.append(f"{path}: cannot be read as YAML: {error}")
        except RecursionError:
            self.errors.append(f"{path}: is nested too deeply. Write it flat.")
        except ValueError as error:  # of a number or date that Python refuses
            self.errors.append(f"{path}: holds a value that cannot be read ({error}).")
        return None

    def folder(
        self,
        folder: Path,
        cls: type[Strict],
        variants: Callable[[Any], dict[str, Any]] = lambda data: {"": data},
    ) -> dict[str, dict[str, Any]]:
        """Entries of the valid files, by name and variant (an empty text: the variant to use)."""
        entries: dict[str, dict[str, Any]] = {}
        taken: dict[str, Path] = {}
        for path in sorted(folder.glob("*.y*ml")):
            data = self.read(path)
            if data is None:
                continue
            name = data.get("name") if isinstance(data, dict) else None
            if isinstance(name, str) and taken.setdefault(name, path) != path:
                self.errors.append(
                    f"{path}: name: {name!r} is already the name of {taken[name]}. "
                    "Give each file its own name."
                )
                continue
            parsed = {
                where: self.parse(str(path), cls, variant, where)
                for where, variant in variants(data).items()
            }
            if parsed[""] is not None:
                entries[str(name)] = {where: entry for where, entry in parsed.items() if entry}
                if name != path.stem:
                    self.errors.append(
                        f"{path}: name: {name!r} differs from the file's name. Call the "
                        f"file {name}.yaml, or the entry {path.stem}."
                    )
        return entries

    def finish(self) -> None:
        if self.errors:
            count = len(self.errors)
            head = "1 error" if count == 1 else f"{count} errors"
            lines = "\n".join(f"  {number}. {text}" for number, text in enumerate(self.errors, 1))
            raise ReseedError(f"The configuration has {head}:\n{lines}")


#: Folder of the configuration with the numbers of seeds that `reseed settle` wrote.
SEEDS_FOLDER = "seeds"


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


def load_project(
    folder: str | Path,
    overrides: dict[str, Any] | None = None,
    find_more: Callable[[Project], Iterable[str]] = lambda project: (),
) -> Project:
    """Read and check a configuration folder.

    Args:
        folder: holds `config.yaml`, `datasets/`, `models/`, `studies/`.
        overrides: values that replace those of `config.yaml` (the command line's).
        find_more: yields further errors of a project; some may be known already.

    Raises:
        ReseedError: with all errors, one a line.
    """
    folder = Path(folder)
    reader = _ConfigReader()
    overrides = overrides or {}
    main = _main(reader, folder / "config.yaml", overrides)
    if main is not None:
        MEMORY.load(Path(ResultsLayout(main.results).source_memory))
    scale = main.scale if main is not None else SCALES[-1]

    def with_seeds(data: Any, at: str) -> Any:
        """The study with the number of seeds that `reseed settle` wrote for a scale."""
        name = data.get("name") if isinstance(data, dict) else None
        path = folder / SEEDS_FOLDER / f"{name}.yaml"
        change = reader.read(path) if isinstance(name, str) and path.is_file() else None
        if not isinstance(change, dict) or change.get("scale") != at:
            return data
        merged = merge(data, {"experiments": change.get("experiments", {})})
        if _is_valid(Study, data) and not _is_valid(Study, merged):
            reader.add([f"{path}: does not fit its study. Delete it, or repeat `reseed settle`."])
            return data
        return merged

    def at_scales(data: Any) -> dict[str, Any]:
        """The study at every scale, so that no scale hides an error; the requested one first."""
        scales = data.get("scales") if isinstance(data, dict) else None
        if not isinstance(scales, dict):
            return {"": with_seeds(data, scale)}
        others = {f"at scale {name}: ": name for name in SCALES if name != scale}
        wanted = {"": scale} | others
        return {
            where: with_seeds(merge(data, scales.get(name) or {}), name)
            for where, name in wanted.items()
        }

    datasets = _only(reader.folder(folder / "datasets", Dataset))
    models = _only(reader.folder(folder / "models", Model))
    weights = _only(reader.folder(folder / "weights", Weights))
    scaled = reader.folder(folder / "studies", Study, at_scales)
    for name, dataset in datasets.items():
        reader.add(validation.check_dataset(folder / "datasets" / f"{name}.yaml", dataset))
    for name, model in models.items():
        reader.add(validation.check_model(folder / "models" / f"{name}.yaml", model, weights))
    known = validation.KnownNames(
        datasets=_stems(folder / "datasets"),
        models=_stems(folder / "models"),
        studies=_stems(folder / "studies"),
        metrics={name: dataset.metric for name, dataset in datasets.items()},
        tasks={name: dataset.task for name, dataset in datasets.items()},
        project=folder.absolute().parent,
    )
    for name, variants in scaled.items():
        for where, study in variants.items():
            file = str(folder / "studies" / f"{name}.yaml")
            reader.add(validation.check_study(file, study, known), where)
    stated = _COMMAND_LINE if "studies" in overrides else str(folder / "config.yaml")
    for name in main.studies if main is not None else ():
        reader.add(validation.check_name(f"{stated}: studies", name, known.studies, "study"))
    studies = _only(scaled)
    named = list(main.studies) if main is not None else []
    wanted = {
        name: f"{stated}: studies"
        for name in named or studies
        if name in studies and (named or studies[name].is_run_at(scale))
    }
    for name in list(wanted):  # with the studies from which results are exported
        results = studies[name].results
        if results and results.made_from in studies:
            asker = f"{folder / 'studies' / name}.yaml: results.made_from"
            wanted.setdefault(results.made_from, asker)
    for name, asker in wanted.items():
        if not studies[name].is_run_at(scale):
            others = [f"use scale {one}" for one in SCALES if studies[name].is_run_at(one)]
            fix = " or ".join([*others, f"delete `{scale}: null` under `scales` in its file"])
            reader.add([f"{asker}: {name} is not run at scale {scale}: {fix}."])
    rest = {name: one.title for name, one in studies.items() if name not in wanted}
    project = Project(
        main=main or Main(),
        datasets=datasets,
        models=models,
        weights=weights,
        studies={name: studies[name] for name in wanted},
        left_out={} if named else rest,
    )
    reader.add(find_more(project))
    reader.finish()
    return project


def _stems(folder: Path) -> list[str]:
    return [path.stem for path in folder.glob("*.y*ml")]


def _only(entries: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The variant to use of each entry."""
    return {name: variants[""] for name, variants in entries.items()}


def _main(reader: _ConfigReader, file: Path, overrides: dict[str, Any]) -> Main | None:
    data = reader.read(file) if file.exists() else {}
    if isinstance(data, dict):
        data = data | overrides
        if isinstance(data.get("studies"), str):  # from the command line
            data["studies"] = [name.strip() for name in data["studies"].split(",")]
    if data is None:
        return None
    leads = dict.fromkeys(overrides, f"{_COMMAND_LINE}: ")
    return reader.parse(str(file), Main, data, leads=leads)


def _is_valid(cls: type[Strict], data: object) -> bool:
    try:
        cls.model_validate(data)
    except ValidationError:
        return False
    return True
