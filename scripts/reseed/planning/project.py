"""Read a configuration folder, and report all its errors at once.

Each error names file, field, value, what is allowed, and the nearest allowed name.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from reseed.config.base import Strict
from reseed.config.datasets import Dataset, Weights
from reseed.config.defaults import default_analyses_and_exhibits
from reseed.config.models import Model
from reseed.config.studies import Main, Study
from reseed.config.validation_messages import format_validation_errors
from reseed.core.errors import ReseedError
from reseed.core.identifiers import SCALES, Scale
from reseed.core.layout import ResultsLayout
from reseed.core.source_facts import MEMORY
from reseed.planning import validation
from reseed.planning.yaml_limits import find_excess


class Project(BaseModel):
    """The whole configuration, checked.

    left_out: studies that the scale leaves out.
    broken: errors of each study that is left out because of them.
    without_papers: studies that need the package `papers`, which is not installed.
    """

    model_config = ConfigDict(frozen=True)

    main: Main
    datasets: dict[str, Dataset]
    models: dict[str, Model]
    weights: dict[str, Weights]
    studies: dict[str, Study]
    left_out: dict[str, Study] = {}
    broken: dict[str, list[str]] = {}
    without_papers: list[str] = []


#: The loader in C, where the package has it, is ten times as fast.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


_MERGE = "tag:yaml.org,2002:merge"


class _Loader(_SafeLoader):
    """YAML in which a field may not be given twice: the last one would replace the others."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Put what `<<` names into the mapping; a field of its own replaces it."""
        seen = set()
        for key, _ in node.value:
            if key.tag == _MERGE:
                continue
            name = self.construct_object(key, deep=True)
            problem = None
            if not isinstance(name, Hashable):
                problem = f"{name!r} cannot be the name of a field; put braces in quotes"
            elif name in seen:
                problem = f"{name!r} is given twice; keep one"
            if problem:
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(name)
        super().flatten_mapping(node)
        # Each field once: aliases of aliases would double what they hold.
        fields = {(key.tag, str(key.value)): (key, value) for key, value in node.value}
        node.value = list(fields.values())


#: Where values stand that replace those of `config.yaml`.
_COMMAND_LINE = "command line (--config)"


class _ConfigReader:
    """Reads files, collects their errors, and raises all errors as one."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.files: dict[Path, Any] = {}

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
        """The content of a file, which is read once; None with errors."""
        if path not in self.files:
            self.files[path] = self._read(path)
        return self.files[path]

    def _read(self, path: Path) -> Any:
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
        variants: Callable[[Any, Path], dict[str, Any]] = lambda data, path: {"": data},
    ) -> dict[str, dict[str, Any]]:
        """Entries of the valid files, by name and variant (an empty text: the variant to use)."""
        entries: dict[str, dict[str, Any]] = {}
        for path in sorted(folder.glob("*.y*ml")):
            data = self.read(path)
            if data is None:
                continue
            name = data.get("name") if isinstance(data, dict) else None
            parsed = {
                where: self.parse(str(path), cls, variant, where)
                for where, variant in variants(data, path).items()
            }
            if parsed[""] is None:
                continue
            if name != path.stem:
                self.errors.append(
                    f"{path}: name: {name!r} differs from the file's name. Call the "
                    f"file {name}.yaml, or the entry {path.stem}."
                )
            elif name in entries:
                self.errors.append(f"{path}: name: {name}.yaml has it already. Keep one file.")
            else:
                entries[name] = {where: entry for where, entry in parsed.items() if entry}
        return entries

    def finish(self) -> None:
        if self.errors:
            count = len(self.errors)
            head = "1 error" if count == 1 else f"{count} errors"
            lines = "\n".join(f"  {number}. {text}" for number, text in enumerate(self.errors, 1))
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


def load_project(
    folder: str | Path,
    overrides: dict[str, Any] | None = None,
    find_more: Callable[[Project], Iterable[str]] = lambda project: (),
    tolerant: bool = False,
) -> Project:
    """Read and check a configuration folder.

    Args:
        folder: holds `config.yaml`, `datasets/`, `models/`, `studies/`.
        overrides: values that replace those of `config.yaml` (the command line's).
        find_more: yields further errors of a project; some may be known already.
        tolerant: leave out studies whose own files have errors, unless they are named.

    Raises:
        ReseedError: with all errors, one a line.
    """
    folder, overrides = Path(folder), overrides or {}
    reader = _ConfigReader()
    main = _main(reader, folder / "config.yaml", overrides)
    if main is not None:
        MEMORY.load(Path(ResultsLayout(main.results).source_memory))
    scale = main.scale if main is not None else SCALES[-1]
    datasets = _only(reader.folder(folder / "datasets", Dataset))
    models = _only(reader.folder(folder / "models", Model))
    weights = _only(reader.folder(folder / "weights", Weights))
    read_study = partial(_at_every_scale, reader, scale)
    scaled = reader.folder(folder / "studies", Study, read_study)
    without_papers = [] if find_spec("papers") else _leave_papers_out(scaled, datasets, models)
    if without_papers and not scaled:
        scaled = reader.folder(folder / "starter", Study, read_study)
    _check_entries(reader, folder, datasets, models, weights)
    known = validation.KnownNames(
        datasets=_stems(folder / "datasets"),
        models=_stems(folder / "models"),
        studies=_stems(folder / "studies"),
        metrics={name: dataset.metric for name, dataset in datasets.items()},
        tasks={name: dataset.task for name, dataset in datasets.items()},
        timed={name for name, dataset in datasets.items() if dataset.time},
        project=folder.absolute().parent,
    )
    for name, variants in scaled.items():
        for where, study in variants.items():
            file = str(folder / "studies" / f"{name}.yaml")
            reader.add(validation.check_study(file, study, known), where)
    studies, named = _only(scaled), list(main.studies) if main is not None else []
    source = _COMMAND_LINE if "studies" in overrides else str(folder / "config.yaml")
    for name in named:
        reader.add(validation.check_name(f"{source}: studies", name, known.studies, "study"))
    chosen = _choose_studies(studies, named, scale, folder, f"{source}: studies")
    reader.add(_find_unfit_scales(studies, chosen, scale))
    rest = {name: one for name, one in studies.items() if name not in chosen}
    project = Project(
        main=main or Main(),
        datasets=datasets,
        models=models,
        weights=weights,
        studies={name: studies[name] for name in chosen},
        left_out={} if named else rest,
        without_papers=without_papers,
    )
    reader.add(find_more(project))
    if tolerant:
        studies_file = rf"(?:at scale \w+: )?{re.escape(str(folder / 'studies'))}/(\w+)\.ya?ml:"
        broken: dict[str, list[str]] = {}
        for error in reader.errors:
            if match := re.match(studies_file, error):
                broken.setdefault(match[1], []).append(error)
        if sum(map(len, broken.values())) == len(reader.errors):
            project = leave_out(project, broken) or project
            reader.errors = [] if project.broken else reader.errors
    reader.finish()
    return project


def leave_out(project: Project, broken: dict[str, list[str]]) -> Project | None:
    """The project without some studies; None if one of them is named, or if no other is left."""
    broken = project.broken | broken
    for name, study in project.studies.items():
        if study.results and (source := study.results.made_from) in broken and name not in broken:
            broken[name] = [f"{name}: imports the results of {source}, which is left out."]
    studies, rest = (
        {name: one for name, one in family.items() if name not in broken}
        for family in (project.studies, project.left_out)
    )
    if not studies or broken.keys() & set(project.main.studies):
        return None
    return project.model_copy(update={"studies": studies, "left_out": rest, "broken": broken})


def _leave_papers_out(studies: dict[str, dict[str, Study]], *families: dict[str, Any]) -> list[str]:
    """Remove what needs the package `papers`; return the names of the removed studies."""
    gone: list[str] = []
    for family in (*families, studies, studies):  # a study may import results of another one
        for name, entry in list(family.items()):
            text = "".join(
                one.model_dump_json()
                for one in (entry.values() if isinstance(entry, dict) else [entry])
            )
            if '"papers.' in text or any(f'"{one}"' in text for one in gone):
                del family[name]
                gone.append(name)
    return [name for name in gone if not any(name in family for family in families)]


def _share_options(reader: _ConfigReader, data: Any, path: Path) -> Any:
    """The study with the options that its exhibits share with those of other studies."""
    exhibits = data.get("exhibits") if isinstance(data, dict) else None
    if not isinstance(exhibits, dict):
        return data
    shared = dict(exhibits)
    for name, entry in exhibits.items():
        if isinstance(entry, dict) and "like" in entry:
            study, _, other = str(entry["like"]).rpartition(".")
            file = path.with_name(f"{study}.yaml")
            known: Any = reader.read(file) if file.is_file() else None
            known = known if study else default_analyses_and_exhibits(trained=True)
            try:
                options = known["exhibits"][other]["options"]
                shared[name] = entry | {"options": merge(options, entry.get("options", {}))}
            except (TypeError, KeyError):
                reader.add(
                    [f"{path}: exhibits.{name}.like: there are no options of {entry['like']}."]
                )
    return data | {"exhibits": shared}


def _at_every_scale(reader: _ConfigReader, scale: Scale, data: Any, path: Path) -> dict[str, Any]:
    """The study at every scale, so that no scale hides an error; the requested one first."""
    data = _share_options(reader, data, path)
    scales = data.get("scales") if isinstance(data, dict) else None
    if not isinstance(scales, dict):
        return {"": data}
    others = {f"at scale {name}: ": name for name in SCALES if name != scale}
    return {
        where: merge(data, scales.get(name) or {}) for where, name in ({"": scale} | others).items()
    }


def _check_entries(
    reader: _ConfigReader,
    folder: Path,
    datasets: dict[str, Dataset],
    models: dict[str, Model],
    weights: dict[str, Weights],
) -> None:
    """Add what types do not show of datasets and models."""
    for name, dataset in datasets.items():
        reader.add(validation.check_dataset(folder / "datasets" / f"{name}.yaml", dataset))
    for name, model in models.items():
        reader.add(validation.check_model(folder / "models" / f"{name}.yaml", model, weights))


def _choose_studies(
    studies: dict[str, Study], named: list[str], scale: Scale, folder: Path, source: str
) -> dict[str, str]:
    """Names of the studies to run, each with the field that asks for it.

    They are those that the user names, or all of the scale, with the studies of which they import
    results.
    """
    chosen = {
        name: source
        for name in named or studies
        if name in studies and (named or studies[name].is_run_at(scale))
    }
    for name in list(chosen):
        results = studies[name].results
        if results and results.made_from in studies:
            field = f"{folder / 'studies' / name}.yaml: results.made_from"
            chosen.setdefault(results.made_from, field)
    return chosen


def _find_unfit_scales(
    studies: dict[str, Study], chosen: dict[str, str], scale: Scale
) -> Iterator[str]:
    """Errors of chosen studies that are not run at the scale."""
    for name, field in chosen.items():
        if not studies[name].is_run_at(scale):
            others = [f"use scale {one}" for one in SCALES if studies[name].is_run_at(one)]
            fix = " or ".join([*others, f"delete `{scale}: null` under `scales` in its file"])
            yield f"{field}: {name} is not run at scale {scale}: {fix}."


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
