"""Jobs as their rules declare them, by stage, for a checked and planned project."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from reseed.core.code_hash import code_hash, digest, imported_packages
from reseed.core.distributions import read_package_versions
from reseed.core.layout import ResultsLayout
from reseed.core.source_guard import stamp_sources
from reseed.pipeline.data_files import DataFiles
from reseed.planning.costs import measured_seconds
from reseed.planning.job_sizes import JobSizes
from reseed.planning.plan import Plan
from reseed.planning.project import Project
from reseed.planning.training_specs import WriteSources

#: (threads, attempt) → minutes, or megabytes.
Size = Callable[[int, int], int]

#: Formats of the tables and facts that can carry the key of their job.
_KEYED_SUFFIXES = (".parquet", ".json")


@dataclass(frozen=True)
class Job:
    """One job.

    module: of its body, in `reseed.jobs`.
    key: what must not change for its outputs to be valid.
    spec: builds the spec.
    environment: file in `envs/`.
    priority: 0 for all jobs but trainings, which wait for them, or which they end.
    model, dataset, seeds: what is trained, as a person reads it.
    packages: top-level names of installed packages that the user's code imports.
    minutes, memory_mb, disk_mb: what to request.
    table_key: the key that the job's tables carry, if any.
    texts: category, subcategory and labels in Snakemake's own report.
    """

    module: str
    inputs: list[str]
    outputs: list[str]
    key: Any
    spec: Callable[[], Any]
    environment: str
    priority: float = 0.0
    model: str = ""
    dataset: str = ""
    seeds: str = ""
    gpus: int = 0
    minutes: Size | None = None
    memory_mb: Size | None = None
    disk_mb: Size | None = None
    packages: frozenset[str] = frozenset()
    table_key: str = ""
    texts: dict[str, Any] = field(default_factory=dict)

    @property
    def file_keys(self) -> dict[str, str]:
        """Key of each output that carries one: the tables and facts that other jobs read."""
        files = [file for file in self.outputs if file.endswith(_KEYED_SUFFIXES)]
        return dict.fromkeys(files, self.table_key) if self.table_key else {}


@dataclass(frozen=True)
class Context:
    """What all builders of jobs need.

    config: the configuration folder.
    folder: the project's folder.
    force_if_untracked: returns further inputs for outputs of which Snakemake has no record;
        force_if_failed, for failed trials and searches that a run repeats.
    write_sources: writes stamps of source files and returns the path.
    data_files: describes the user's data files.
    dry: nothing is made.
    """

    project: Project
    plan: Plan
    config: Path
    folder: Path
    force_if_untracked: Callable[[Iterable[str]], list[str]]
    force_if_failed: Callable[[Iterable[str]], list[str]]
    write_sources: WriteSources
    data_files: DataFiles = field(default_factory=DataFiles)
    dry: bool = False

    @property
    def layout(self) -> ResultsLayout:
        """Paths below the results folder."""
        return self.plan.layout

    @property
    def results(self) -> str:
        """Absolute path of the results folder, for specs."""
        return str(Path(self.layout.root).resolve())

    @property
    def trained(self) -> list[str]:
        """Studies that train."""
        return [name for name in self.project.studies if self.plan.studies[name]]

    @property
    def imported(self) -> list[str]:
        """Studies of imported results."""
        return [name for name in self.project.studies if not self.plan.studies[name]]

    def sources_of(self, *modules: str, data: Iterable[str] = ()) -> str:
        """File with the stamps of the source files that modules reach, and of data files."""
        stamps, of_data = stamp_sources(modules, (), self.folder), self.data_files.stamp(data)
        return self.write_sources(stamps | of_data if of_data else stamps)

    def code_key(self, job: str, module: str) -> str:
        """Hash of a job's code, of a module that may be the user's, and of packages it imports."""
        packages = imported_packages((module,), (), self.folder)
        code = code_hash(job, module, project=self.folder)
        return digest(code, read_package_versions(packages)) if packages else code

    @cached_property
    def job_sizes(self) -> JobSizes:
        """Sizes of jobs, by the measured seconds of earlier runs."""
        measured = measured_seconds([Path(self.layout.root)])
        return JobSizes(self.layout, measured, self.dry)


def without_braces(paths: Iterable[str]) -> list[str]:
    """Paths of the user's files that Snakemake can take as inputs.

    Snakemake takes braces for wildcards and has no escape. The keys of the jobs that read other
    files hold their sizes, times or contents, so that an edit starts them again.
    """
    return [path for path in paths if not {"{", "}"} & set(path)]
