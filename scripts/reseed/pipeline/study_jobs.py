"""Jobs from trials to exhibits: collect, import, export, analyse, draw."""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from reseed.config.studies import Analysis, Exhibit, Results, Study
from reseed.core.code_hash import code_hash, digest
from reseed.core.layout import PREDICTION_TABLES
from reseed.pipeline.job import Context, Job, without_braces
from reseed.pipeline.labels import report_texts
from reseed.pipeline.report_jobs import ReportJobs
from reseed.planning.specs import (
    AnalysisSpec,
    DrawSpec,
    ExhibitSpec,
    ExportSpec,
    ImportSpec,
    JudgeSpec,
    StudySpec,
    without_paths,
)
from reseed.planning.study_specs import build_study_spec, narrow_to_experiment
from reseed.plugins.kinds import Kind, find_kind

TABLE_SUFFIXES = (".csv", ".md", ".tex", ".json", ".rst")
FIGURE_SUFFIXES = (".png", ".pdf", ".csv", ".json", ".rst")
# Modules whose code makes the tables of a study.
COLLECTING = tuple(
    f"reseed.jobs.{name}" for name in ("collect_trials", "collect_items", "import_results")
)
# The experiment of imported results.
IMPORTED_EXPERIMENT = "results"
ITEM_TABLES = ("scores", "targets")


class StudyJobs:
    """Builds the jobs after trials. Each method has the name of its rule, and its wildcards."""

    def __init__(self, context: Context):
        self.context, self.layout = context, context.layout
        self._specs: dict[str, StudySpec] = {}
        self._missing: dict[str, list[str]] = {}
        self.reports = ReportJobs(context, self.exhibit_files)

    def study_spec(self, study: str) -> StudySpec:
        """Spec of collecting or importing a study."""
        if study not in self._specs:
            context = self.context
            spec = build_study_spec(context.project, context.plan, study)
            self._specs[study] = replace(spec, sources=context.sources_of(*COLLECTING))
        return self._specs[study]

    # --- collecting ------------------------------------------------------------------------------

    def collect_trials(self, study: str) -> Job:
        """Trials → one table of the study, and its description."""
        paths, spec = self.layout.study(study), self.study_spec(study)
        blocks = self.context.plan.study_blocks(study)
        key = digest(code_hash("reseed.jobs.collect_trials"), without_paths(spec))
        return Job(
            module="collect_trials",
            inputs=[self.context.plan.block_file(block) for block in blocks],
            outputs=[paths.metrics, paths.about],
            key=key,
            table_key=digest(key),
            spec=lambda: spec,
            environment="statistics",
        )

    def collect_items(self, study: str, experiment: str) -> Job:
        """Trials → tables of raw outputs, targets and curves of one experiment."""
        paths = self.layout.study(study)
        spec = narrow_to_experiment(self.study_spec(study), experiment)
        key = digest(code_hash("reseed.jobs.collect_items"), without_paths(spec))
        return Job(
            module="collect_items",
            inputs=[paths.metrics, *self.missing_blocks(study)],
            outputs=paths.prediction_tables(experiment),
            key=key,
            table_key=digest(key),
            spec=lambda: spec,
            environment="statistics",
        )

    def missing_blocks(self, study: str) -> list[str]:
        """Blocks of trials that are missing although the study's table exists.

        Snakemake makes a missing file again only where a requested rule names it. Where the table
        is missing too, the table's rule names it.
        """
        if study not in self._missing:
            exists = os.path.exists(self.layout.study(study).metrics)
            blocks = self.context.plan.study_blocks(study) if exists else []
            files = map(self.context.plan.block_file, blocks)
            self._missing[study] = [file for file in files if not os.path.exists(file)]
        return self._missing[study]

    def import_runs(self, study: str) -> Job:
        """The user's own results → the tables of a study without training."""
        paths = self.layout.study(study)
        return self._import(study, False, [paths.metrics, paths.about])

    def import_items(self, study: str) -> Job:
        """The user's own results → the scores and targets of each item."""
        tables = self.layout.study(study).prediction_tables(IMPORTED_EXPERIMENT, ITEM_TABLES)
        return self._import(study, True, tables)

    def _import(self, study: str, is_items: bool, outputs: list[str]) -> Job:
        context, results = self.context, self.imported_results(study)
        paths = [] if results.made_from else [results.path]
        stats = context.data_files.describe(paths)
        kinds = [self._kind("analyses", one.kind) for one in self._study(study).analyses.values()]
        needs_items = any(kind.reads == "predictions" for kind in kinds)
        spec = ImportSpec(results, self.study_spec(study), is_items, needs_items)
        key = digest(code_hash("reseed.jobs.import_results"), without_paths(spec), stats)
        return Job(
            module="import_results",
            inputs=[
                *without_braces([results.path]),
                *context.force_if_untracked(outputs[:1]),
            ],
            outputs=outputs,
            key=key,
            table_key=digest(key),
            spec=lambda: replace(
                spec, sources=context.sources_of("reseed.jobs.import_results", data=paths)
            ),
            environment="statistics",
        )

    def export(self, study: str) -> Job:
        """A study's scores → a table of runs: the example of imported results."""
        results = self.imported_results(study)
        assert results.made_from is not None
        spec = ExportSpec(
            self.context.results,
            results.made_from,
            "data_seeds",
            ("mse", "auc"),
            str(Path(results.path).absolute()),
        )
        return Job(
            module="export_runs",
            inputs=[self.layout.study(results.made_from).metrics],
            outputs=[results.path],
            key=digest(code_hash("reseed.jobs.export_runs"), spec.metrics),
            spec=lambda: spec,
            environment="statistics",
        )

    def imported_results(self, study: str) -> Results:
        """A study's `results:`; `{results}` in its path stands for the results folder."""
        results = self.context.project.studies[study].results
        assert results is not None
        path = results.path.replace("{results}", self.layout.root)
        return results.model_copy(update={"path": path})

    # --- statistics ------------------------------------------------------------------------------

    def analyse(self, study: str, analysis: str) -> Job:
        """Tables of a study → the table of an analysis."""
        context, paths = self.context, self.layout.study(study)
        entry, published = self._study(study).analyses[analysis], self.context.config / "published"
        kind = self._kind("analyses", entry.kind)
        files = [f"{published}/{one}.csv" for one in entry.options.get("files") or []]
        key = digest(
            context.code_key("reseed.jobs.analyse", kind.module),
            entry.model_dump(),
            # Snakemake does not see that a file was replaced by an older one.
            *(Path(file).read_text("utf-8", "replace") for file in files),
        )
        return Job(
            module="analyse",
            inputs=[*self._analysis_tables(study, entry, kind), *without_braces(files)],
            outputs=[paths.statistics(analysis), paths.statistics(analysis, ".csv")],
            key=key,
            table_key=digest(key),
            spec=partial(
                AnalysisSpec,
                results=context.results,
                study=study,
                name=analysis,
                kind=entry.kind,
                options=entry.options,
                experiments=_as_tuple(entry.experiments),
                collected=self._collected(study),
                published=str(published.absolute()),
                sources=context.sources_of("reseed.jobs.analyse", kind.module),
                is_imported=not context.plan.studies[study],
            ),
            environment="statistics",
        )

    def _collected(self, study: str) -> tuple[str, ...]:
        return tuple(self.context.project.studies[study].experiments) or (IMPORTED_EXPERIMENT,)

    def _tables_of(self, study: str, analysis: Analysis) -> list[str]:
        return self._analysis_tables(study, analysis, self._kind("analyses", analysis.kind))

    def _analysis_tables(self, study: str, analysis: Analysis, kind: Kind) -> list[str]:
        paths = self.layout.study(study)
        tables = [paths.metrics, paths.about]
        is_trained = bool(self.context.plan.studies[study])
        if kind.reads == "repeats":
            return [*tables, paths.repeated_fits]
        if kind.reads not in ("metrics", "items") or (kind.reads == "items" and not is_trained):
            parts = PREDICTION_TABLES if is_trained else ITEM_TABLES
            for name in analysis.experiments or self._collected(study):
                tables += paths.prediction_tables(name, parts)
        return tables

    # --- exhibits and pages ----------------------------------------------------------------------

    def table(self, study: str, table: str) -> Job:
        """Statistics → a table."""
        return self._exhibit_job(study, table)

    def figure(self, study: str, figure: str) -> Job:
        """Statistics → a figure."""
        return self._exhibit_job(study, figure)

    def _exhibit_job(self, study: str, name: str) -> Job:
        spec, title = self.exhibit_spec(study, name), self._study(study).title
        return Job(
            module="draw",
            inputs=self._exhibit_inputs(study, name),
            outputs=self.exhibit_files(study, name),
            key=digest(spec.key, title),
            table_key=spec.key,
            spec=lambda: DrawSpec(self.context.results, study, spec),
            environment="exhibits",
            texts=report_texts(title, spec),
        )

    def exhibit_spec(self, study: str, name: str) -> ExhibitSpec:
        """Spec of one exhibit."""
        exhibit, scale = self._exhibit(study, name), self.context.project.main.scale
        kind = self._kind("exhibits", exhibit.kind)
        is_table = kind.function == "table"
        code = self.context.code_key("reseed.jobs.draw", kind.module)
        return ExhibitSpec(
            name=name,
            kind=exhibit.kind,
            is_table=is_table,
            title=exhibit.title,
            caption=exhibit.caption,
            analysis=exhibit.analysis,
            options=exhibit.options,
            inputs=self._resolved(self._exhibit_inputs(study, name)),
            suffixes=TABLE_SUFFIXES if is_table else FIGURE_SUFFIXES,
            key=digest(code, exhibit.model_dump(), scale),
            sources=self.context.sources_of("reseed.jobs.draw", kind.module),
        )

    def exhibit_files(self, study: str, name: str) -> list[str]:
        """Every file of an exhibit; the first is the one to look at."""
        is_table = self._kind("exhibits", self._exhibit(study, name).kind).function == "table"
        stem = self.layout.study(study).exhibit(name, is_table)
        return [stem + suffix for suffix in (TABLE_SUFFIXES if is_table else FIGURE_SUFFIXES)]

    def studies_with_repeats(self) -> list[str]:
        """Trained studies of which an analysis reads repeated fits."""
        return [
            study
            for study in self.context.trained
            if any(
                self._kind("analyses", one.kind).reads == "repeats"
                for one in self._study(study).analyses.values()
            )
        ]

    def _resolved(self, paths: list[str]) -> tuple[str, ...]:
        """Paths below the results folder with its resolved path, for specs."""
        root = self.layout.root
        return tuple(f"{self.context.results}{path.removeprefix(root)}" for path in paths)

    def _exhibit_inputs(self, study: str, name: str) -> list[str]:
        paths, exhibit = self.layout.study(study), self._exhibit(study, name)
        inputs = [paths.metrics, paths.about]
        if exhibit.analysis:
            inputs.append(paths.statistics(exhibit.analysis))
        return inputs

    def judge(self, study: str) -> Job:
        """Statistics → what they say about the statements of the study."""
        entry, paths = self._study(study), self.layout.study(study)
        analyses = {name: entry.analysis_of(name) for name in entry.statements}
        spec = JudgeSpec(self.context.results, study, entry.statements, analyses)
        return Job(
            module="judge",
            inputs=[
                paths.metrics,
                paths.about,
                *map(paths.statistics, dict.fromkeys(analyses.values())),
            ],
            outputs=[paths.evidence],
            key=digest(code_hash("reseed.jobs.judge"), without_paths(spec)),
            spec=lambda: spec,
            environment="exhibits",
        )

    # --- helpers ---------------------------------------------------------------------------------

    def study_files(self, study: str) -> list[str]:
        """Files that a study ends in, and those that they are made from: tables and exhibits."""
        entry, paths = self.context.project.studies[study], self.layout.study(study)
        read = [
            *(file for one in entry.analyses.values() for file in self._tables_of(study, one)),
            *(file for name in entry.exhibits for file in self._exhibit_inputs(study, name)),
        ]
        return [
            self.layout.study_page(study),
            self.layout.study_bundle(study),
            *dict.fromkeys([paths.metrics, paths.about, *read]),
            *(
                paths.statistics(analysis, suffix)
                for analysis in entry.analyses
                for suffix in (".parquet", ".csv")
                if paths.statistics(analysis, suffix) not in read
            ),
            *(file for name in entry.exhibits for file in self.exhibit_files(study, name)),
            *([paths.evidence] if entry.statements else []),
        ]

    def _study(self, study: str) -> Study:
        return self.context.project.studies[study]

    def _exhibit(self, study: str, name: str) -> Exhibit:
        return self._study(study).exhibits[name]

    def _kind(self, family: str, name: str) -> Kind:
        return find_kind(family, name, self.context.folder)

    # --- all jobs, in the order of the data ------------------------------------------------------

    def list_tables(self) -> Iterator[Job]:
        """Jobs that make tables of trials and items."""
        context = self.context
        for study in context.trained:
            yield self.collect_trials(study)
            yield from (self.collect_items(study, one) for one in context.plan.studies[study])
        for study in context.imported:
            if self.imported_results(study).made_from:
                yield self.export(study)
            yield self.import_runs(study)
            yield self.import_items(study)

    def list_exhibits(self) -> Iterator[Job]:
        """Jobs that analyse, draw and write pages."""
        studies = self.context.project.studies
        for study, entry in studies.items():
            yield from (self.analyse(study, name) for name in entry.analyses)
        for study, entry in studies.items():
            yield from (self._exhibit_job(study, name) for name in entry.exhibits)
            if entry.statements:
                yield from (self.judge(study), self.reports.reference(study))
        yield from map(self.reports.page, studies)
        yield self.reports.index()


def _as_tuple(names: list[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)
