"""What the Snakefile needs: the project, its jobs by stage, and the files that a run ends in."""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import Any

from reseed.core.atomic import write_text
from reseed.core.distributions import read_package_versions
from reseed.core.environment import read_library_versions
from reseed.core.file_keys import FileKeys
from reseed.core.garbage import collect_rarely
from reseed.core.layout import ResultsLayout
from reseed.core.module_finder import SCRIPTS
from reseed.core.run_token import VARIABLE, join_run, start_run
from reseed.core.source_facts import MEMORY
from reseed.pipeline.data_files import DataFiles
from reseed.pipeline.job import Context, Job
from reseed.pipeline.names import Names, list_names
from reseed.pipeline.replay_steps import list_steps
from reseed.pipeline.snakemake_metadata import (
    forget_foreign_records,
    list_untracked,
    token_copy,
)
from reseed.pipeline.spec_files import SpecFiles
from reseed.pipeline.stages import Stage
from reseed.pipeline.startup import (
    check_folders,
    check_writable,
    job_prefix,
    prepare_jobs,
    undo_future_times,
)
from reseed.pipeline.study_jobs import StudyJobs
from reseed.pipeline.training_jobs import TrainingJobs
from reseed.planning.read_plan import read_plan
from reseed.planning.specs import ReplayStep
from reseed.planning.validation import RESERVED

logger = logging.getLogger("snakemake.reseed")
#: How a list of pages begins.
_LIST = """<!DOCTYPE html>
<meta charset="utf-8"><title>Studies</title>
<h1>Studies</h1>
<p><code>snakemake</code> without the name of a study makes the whole index.</p>
<ul>"""


@dataclass(frozen=True)
class RunMode:
    """How Snakemake was started.

    dry: nothing is made.
    is_main: this process schedules; a job's own process parses the Snakefile too.
    has_records: Snakemake's records of outputs are files in `.snakemake`.
    """

    dry: bool
    is_main: bool
    has_records: bool

    @property
    def writes(self) -> bool:
        """Whether this process may write below the results folder."""
        return self.is_main and not self.dry


def find_config(repository: Path) -> Path:
    """Configuration folder: the project's own, else that of the workflow's checkout."""
    if Path("config", "studies").is_dir() or not (repository / "config").is_dir():
        return Path("config")
    return repository / "config"


class Workflow:
    """A planned project.

    Args:
        config: the configuration folder.
        overrides: values of `config/config.yaml` that the command line replaces.
        mode: how Snakemake was started.
        warn: receives warnings.

    Raises:
        ReseedError: for every error in the configuration, and for an unusable results folder.
    """

    def __init__(
        self,
        config: Path,
        overrides: Mapping[str, Any],
        mode: RunMode,
        warn: Any = logger.warning,
    ):
        collect_rarely()
        check_folders(Path.cwd(), SCRIPTS.parent)
        self.mode, self.warn = mode, warn
        if mode.is_main:  # a run that was started by a job of another one is a run of its own
            os.environ.pop(VARIABLE, None)
        self.project, self.plan, self.mirror = read_plan(config, dict(overrides), tolerant=True)
        check_writable(self.project.main.results)
        if mode.writes and mode.has_records and forget_foreign_records(self.layout.root):
            warn(
                f"{self.layout.root} is not the folder that the last run wrote, so Snakemake's "
                "records do not describe it: all but the cached trials is made again."
            )
        if mode.writes:
            count = undo_future_times(self.layout.root)
            if count:
                warn(f"The clock was wrong: {count} files had times in the future.")
        if mode.is_main:
            self._warn_left_out()
        prepare_jobs(self.mirror, config.resolve().parent, self.layout)
        if not mode.is_main:  # a job's own process on a node
            join_run(Path(self.layout.run_token))
        self.specs = SpecFiles(self.layout, dry=mode.dry)
        self.context = Context(
            self.project,
            self.plan,
            config,
            Path.cwd(),
            self.force_if_untracked,
            self.force_if_failed,
            self.specs.write_sources,
            DataFiles(Path(self.layout.data_hashes), self.project.main.check_data, mode.writes),
            mode.dry,
        )
        self.training, self.studies = TrainingJobs(self.context), StudyJobs(self.context)
        self._add_stages()

    def _warn_left_out(self) -> None:
        """Name the studies that need `papers`, and optional datasets that have no source here."""
        if without := self.project.without_papers:
            self.warn(
                f"Left out, because a clone alone has the package papers: {', '.join(without)}."
            )
        studies = [study for study, names in self.plan.left_out.items() if names]
        names = sorted({name for study in studies for name in self.plan.left_out[study]})
        if names:
            self.warn(
                f"Left out of {', '.join(studies)}: {', '.join(names)}, without a source here. "
                "config/datasets/NAME.yaml names the files; a mirror's belong below data_mirror."
            )

    def _add_stages(self) -> None:
        """What each rule asks (`reseed.pipeline.stages`)."""

        def stage(find: Callable[..., Job]) -> Stage:
            return Stage(find, self.write_spec)

        def trains(find: Callable[..., Job]) -> Stage:
            return Stage(find, self.write_spec, self.trigger_versions)

        training, studies = self.training, self.studies
        self.prepare_table = self.prepare_images = stage(training.prepare)
        self.weights, self.split = stage(training.weights), stage(training.split)
        self.shard, self.search = trains(training.shard), trains(training.search)
        self.train, self.repeat = trains(training.train), stage(training.repeat)
        self.try_model = trains(training.try_model)
        self.verify = stage(partial(training.verify, self.list_steps))
        self.collect_trials = stage(studies.collect_trials)
        self.collect_items = stage(studies.collect_items)
        self.import_runs = stage(studies.import_runs)
        self.import_items = stage(studies.import_items)
        self.export, self.analyse = stage(studies.export), stage(studies.analyse)
        self.table, self.figure = stage(studies.table), stage(studies.figure)
        self.judge = stage(studies.judge)
        reports = studies.reports
        self.page, self.index = stage(reports.page), stage(reports.index)
        self.reference, self.references = stage(reports.reference), reports.references

    @cached_property
    def names(self) -> Names:
        """What the wildcards of the rules match."""
        return list_names(self.context)

    def check_targets(self, targets: Iterable[str]) -> None:
        """Raise ReseedError for requested trials that cannot be trained.

        targets: the command line; Snakemake has not read it when it reads the rules.
        """
        targets = list(targets)
        for target in targets:
            self.training.check_target(str(target))
        if self.mode.writes and not set(targets) & set(self.project.studies):
            self.list_pages(write=False)

    @property
    def layout(self) -> ResultsLayout:
        """Paths below the results folder."""
        return self.plan.layout

    def list_pages(self, write: bool = True) -> None:
        """Write a list of pages where no run of all studies made the index, to which they link.

        write: False deletes it, so that Snakemake makes the index where it is requested.
        """
        index = Path(self.layout.index_page)
        if index.exists() and not index.read_text(encoding="utf-8").startswith(_LIST):
            return
        index.unlink(missing_ok=True)
        names = sorted(path.stem for path in index.parent.glob("*.html"))
        titles = {name: one.title for name, one in self.project.studies.items()}
        lines = [f'<li><a href="{n}.html">{escape(titles.get(n, n))}</a></li>' for n in names]
        if write and names:
            write_text(index, "\n".join([_LIST, *lines, "</ul>"]))

    def start(self) -> None:
        """Make this run the current one of its results folder."""
        if self.mode.writes:
            start_run(Path(self.layout.run_token), token_copy(self.layout.root))

    def remember_sources(self) -> None:
        """Write what the plan read of source files, so that the next start need not parse them.

        A dry run does so too, as it records checked options (`planning.read_plan`).
        """
        if self.mode.is_main:
            MEMORY.save(Path(self.layout.source_memory))

    @property
    def shell_prefix(self) -> str:
        """Shell commands at the start of every job."""
        return job_prefix()

    def trigger_versions(self, job: Job) -> dict[str, str] | None:
        """Versions whose change starts a job again: with `mixed: retrain` alone."""
        if self.project.main.mixed != "retrain":
            return None
        return self._library_versions | read_package_versions(job.packages)

    @cached_property
    def _library_versions(self) -> dict[str, str]:
        return read_library_versions()

    def write_spec(self, job: Job) -> str:
        """Write the spec of a job, with the keys of the tables that it writes and reads."""
        root, results = self.layout.root, self.context.results
        reads = {
            f"{results}{file.removeprefix(root)}": self._file_keys[file]
            for file in job.inputs
            if file in self._file_keys
        }
        return self.specs.write(job.spec(), FileKeys(job.table_key, reads))

    @cached_property
    def _file_keys(self) -> dict[str, str]:
        """Key of each table that carries one, by its path."""
        return {file: key for job in self._list_jobs() for file, key in job.file_keys.items()}

    # --- outputs without a record ----------------------------------------------------------------

    def force_if_untracked(self, outputs: Iterable[str]) -> list[str]:
        """A new input, for outputs that exist but of which Snakemake has no record.

        Without a record Snakemake takes them as up to date, whatever has changed. The new input
        makes them again, and everything that follows from them.
        """
        if self.mode.has_records and list_untracked(outputs):
            return [self._untracked_marker]
        return []

    @cached_property
    def _untracked_marker(self) -> str:
        if self.mode.is_main:
            self.warn(
                f"Snakemake has no record of how files in {self.layout.root} were made (they were "
                "copied, or .snakemake was deleted): they are made again. Cached trials are linked."
            )
        return self._touched_marker

    def force_if_failed(self, outputs: Iterable[str]) -> list[str]:
        """A new input, for failed trials and searches that `retry_failed` makes again."""
        if self.project.main.retry_failed:
            from reseed.trials.trial_cache import has_failed

            if any(map(has_failed, outputs)):
                return [self._touched_marker]
        return []

    @cached_property
    def _touched_marker(self) -> str:
        """A file that is newer than all outputs. As an input it makes them again."""
        path = Path(self.layout.touched_marker)
        if self.mode.is_main:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        return str(path)

    def missing_files(self, study: str) -> list[str]:
        """Trials, and files that they read, that are missing although the study's table exists.

        Snakemake makes a missing file again only where a requested rule names it. Where the table
        is missing too, the table's rule names it.
        """
        if not os.path.exists(self.layout.study(study).metrics):
            return []
        return [
            *(f for f in self._training_inputs(study) if not os.path.exists(f)),
            *self.studies.missing_blocks(study),
        ]

    def _training_inputs(self, study: str) -> list[str]:
        blocks = self.plan.study_blocks(study)
        inputs = (file for block in blocks for file in self.training.training_inputs(block))
        return list(dict.fromkeys(inputs))

    # --- jobs ------------------------------------------------------------------------------------

    def _list_jobs(self) -> Iterator[Job]:
        """Every deterministic job, in the order of the data."""
        yield from map(self.training.prepare, self.plan.datasets)
        yield from self.training.list_splits()
        yield from map(self.training.repeat, self.studies.studies_with_repeats())
        yield from self.studies.list_tables()
        yield from self.studies.list_exhibits()

    def list_steps(self, finished_only: bool = False) -> Iterator[ReplayStep]:
        """The jobs that a check runs again (`reseed.pipeline.replay_steps`)."""
        return list_steps(self._list_jobs(), self.layout, self.write_spec, finished_only)

    # --- targets ---------------------------------------------------------------------------------

    def study_files(self, study: str) -> list[str]:
        """Files that a study ends in, and its missing trials and their inputs."""
        return [*self.studies.study_files(study), *self.missing_files(study)]

    def all_files(self) -> list[str]:
        """Files of the default target: the index page and what each study ends in.

        Exhibits and missing trials are among them, because Snakemake notices a missing file only
        where a target names it.
        """
        studies = self.project.studies
        return [
            self.layout.index_page,
            *(file for study in studies for file in self.study_files(study)),
            *map(self.broken_file, self.broken),
        ]

    @property
    def broken(self) -> list[str]:
        """Studies that were left out because of errors, and whose rules fail."""
        return [name for name in self.project.broken if name not in RESERVED]

    def broken_file(self, study: str) -> str:
        """What the rule of such a study never makes."""
        return f"{self.layout.root}/plan/broken/{study}"

    def describe_broken(self) -> list[str]:
        """The last lines of a run: studies that were left out, with their errors."""
        broken = self.project.broken
        errors = [f"  {error}" for errors in broken.values() for error in errors]
        return [f"Left out, because of errors: {', '.join(broken)}.", *errors] if broken else []

    def requested_targets(self, targets: Iterable[str]) -> tuple[list[str], list[str]]:
        """Studies that a run requests by name, and the pages it made; without names: all."""
        named = set(targets)
        studies = [study for study in self.project.studies if study in named]
        pages = [self.layout.study_page(study) for study in studies]
        if not named or named & {"all", "report", self.layout.index_page}:
            studies, pages = list(self.project.studies), [*pages, self.layout.index_page]
        return studies, [page for page in pages if os.path.exists(page)]
