"""Jobs from trials to pages: collect, import, export, analyse, draw, report."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from reseed.config import Results
from reseed.config.studies import Analysis, Exhibit
from reseed.core.code_hash import code_hash, digest
from reseed.core.coverage import PaperExhibit, read_coverage
from reseed.core.layout import PREDICTION_TABLES
from reseed.core.module_finder import PACKAGE
from reseed.core.titles import split_number
from reseed.pipeline.jobs import Context, Job, without_braces
from reseed.pipeline.labels import join_names
from reseed.planning.specs import (
    AnalysisSpec,
    DrawSpec,
    ExhibitSpec,
    ExportSpec,
    ImportSpec,
    ReportSpec,
    StudySpec,
    without_paths,
)
from reseed.planning.study_specs import build_study_spec, narrow_to_experiment
from reseed.plugins.kinds import Kind, find_kind

TABLE_SUFFIXES = (".csv", ".md", ".tex", ".json", ".rst")
FIGURE_SUFFIXES = (".png", ".pdf", ".csv", ".json", ".rst")
# Exhibits that one job draws: their libraries take longer to load than most take to draw.
EXHIBITS_PER_JOB = 8
# Modules whose code makes the tables of a study.
COLLECTING = tuple(
    f"reseed.jobs.{name}" for name in ("collect_trials", "collect_items", "import_results")
)
# The experiment of imported results.
IMPORTED_EXPERIMENT = "results"


class StudyJobs:
    """Builds the jobs of studies; specs of studies are built once."""

    def __init__(self, context: Context):
        self.context, self.layout = context, context.layout
        self._specs: dict[str, StudySpec] = {}

    def study_spec(self, study: str) -> StudySpec:
        """Spec of collecting or importing a study."""
        if study not in self._specs:
            spec = build_study_spec(self.context.project, self.context.plan, study)
            self._specs[study] = replace(spec, sources=self.context.sources_of(*COLLECTING))
        return self._specs[study]

    def collect_trials(self) -> Iterator[Job]:
        """Trial files → one table a study, and its description."""
        code = code_hash("reseed.jobs.collect_trials")
        for study in self.context.trained:
            paths, spec, plan = self.layout.study(study), self.study_spec(study), self.context.plan
            yield self._statistics_job(
                name=f"collect-{study}",
                label=f"collect the trials of {study}",
                inputs=[*plan.trial_files(study), *plan.decision_files(plan.decisions([study]))],
                outputs=[paths.metrics, paths.about],
                log=f"studies/{study}/metrics",
                key=digest(code, without_paths(spec)),
                spec=spec,
            )

    def collect_items(self, missing: dict[str, list[str]]) -> Iterator[Job]:
        """Trial files → tables of raw outputs, targets and curves of one experiment.

        missing: trial files by study that are missing although the table of trials exists.
        """
        code = code_hash("reseed.jobs.collect_items")
        plan = self.context.plan
        for study in self.context.trained:
            paths, decisions = (
                self.layout.study(study),
                plan.decision_files(plan.decisions([study])),
            )
            for experiment in plan.studies[study]:
                spec = narrow_to_experiment(self.study_spec(study), experiment)
                yield self._statistics_job(
                    name=f"collect-{study}-{experiment}",
                    label=f"collect the outputs of {study}, {experiment}",
                    inputs=[paths.metrics, *decisions, *missing[study]],
                    outputs=paths.prediction_tables(experiment),
                    log=f"studies/{study}/predictions-{experiment}",
                    key=digest(code, without_paths(spec)),
                    spec=spec,
                )

    def imports(self) -> Iterator[Job]:
        """The user's own results → the tables of a study without training."""
        code = code_hash("reseed.jobs.import_results")
        for study in self.context.imported:
            results, paths = self.imported_results(study), self.layout.study(study)
            items = paths.prediction_tables(IMPORTED_EXPERIMENT, ("scores", "targets"))
            stats = self.context.data_files.describe([] if results.made_from else [results.path])
            kinds = self.context.project.studies[study].analyses.values()
            needs_items = any(self._kind("analyses", k.kind).reads == "predictions" for k in kinds)
            for is_items, outputs in ((False, [paths.metrics, paths.about]), (True, items)):
                spec = ImportSpec(results, self.study_spec(study), is_items, needs_items)
                what = "predictions" if is_items else "metrics"
                yield self._statistics_job(
                    name=f"import-{study}-{what}",
                    label=f"import the {'items' if is_items else 'runs'} of {study}",
                    inputs=[
                        *without_braces([results.path]),
                        *self.context.force_if_untracked(outputs[:1]),
                    ],
                    outputs=outputs,
                    log=f"studies/{study}/{what}",
                    key=digest(code, without_paths(spec), stats),
                    spec=spec,
                )

    def exports(self) -> Iterator[Job]:
        """A study's scores → a table of runs: the example of imported results."""
        for study in self.context.imported:
            results = self.imported_results(study)
            if results.made_from:
                spec = ExportSpec(
                    self.context.results,
                    results.made_from,
                    "data_seeds",
                    ("mse", "auc"),
                    str(Path(results.path).absolute()),
                )
                yield self._statistics_job(
                    name=f"export-{study}",
                    label=f"export runs of {results.made_from}",
                    inputs=[self.layout.study(results.made_from).metrics],
                    outputs=[results.path],
                    log=f"examples/{study}",
                    key=digest(code_hash("reseed.jobs.export_runs"), spec.metrics),
                    spec=spec,
                )

    def imported_results(self, study: str) -> Results:
        """A study's `results:`; `{results}` in its path stands for the results folder."""
        results = self.context.project.studies[study].results
        assert results is not None
        path = results.path.replace("{results}", self.layout.root)
        return results.model_copy(update={"path": path})

    # --- statistics ------------------------------------------------------------------------------

    def analyses(self) -> Iterator[Job]:
        """Tables of a study → one table an analysis."""
        published = self.context.config / "published"
        for study, entry in self.context.project.studies.items():
            paths = self.layout.study(study)
            for name, analysis in entry.analyses.items():
                kind = self._kind("analyses", analysis.kind)
                files = [f"{published}/{one}.csv" for one in analysis.options.get("files") or []]
                spec = AnalysisSpec(
                    results=self.context.results,
                    study=study,
                    name=name,
                    kind=analysis.kind,
                    options=analysis.options,
                    experiments=_as_tuple(analysis.experiments),
                    collected=self._collected(study),
                    published=str(published.absolute()),
                    sources=self.context.sources_of("reseed.jobs.analyse", kind.module),
                    is_imported=not self.context.plan.studies[study],
                )
                yield self._statistics_job(
                    name=f"analyse-{study}-{name}",
                    label=f"analyse {study}: {name}",
                    inputs=[*self._analysis_tables(study, analysis, kind), *without_braces(files)],
                    outputs=[paths.statistics(name), paths.statistics(name, ".csv")],
                    log=f"studies/{study}/statistics-{name}",
                    key=digest(
                        self.context.code_key("reseed.jobs.analyse", kind.module),
                        analysis.model_dump(),
                        # Snakemake does not see that a file was replaced by an older one.
                        *(Path(file).read_text("utf-8", "replace") for file in files),
                    ),
                    spec=spec,
                )

    def _collected(self, study: str) -> tuple[str, ...]:
        return tuple(self.context.project.studies[study].experiments) or (IMPORTED_EXPERIMENT,)

    def _tables_of(self, study: str, analysis: Analysis) -> list[str]:
        return self._analysis_tables(study, analysis, self._kind("analyses", analysis.kind))

    def _analysis_tables(self, study: str, analysis: Analysis, kind: Kind) -> list[str]:
        paths = self.layout.study(study)
        tables = [paths.metrics, paths.about]
        is_trained = bool(self.context.plan.studies[study])
        if kind.reads not in ("metrics", "items") or (kind.reads == "items" and not is_trained):
            parts = PREDICTION_TABLES if is_trained else PREDICTION_TABLES[:2]
            for name in analysis.experiments or self._collected(study):
                tables += paths.prediction_tables(name, parts)
        return tables

    # --- exhibits and pages ----------------------------------------------------------------------

    def drawings(self) -> Iterator[Job]:
        """Statistics → tables and figures. A job links exhibits in the cache and draws the rest."""
        for study, entry in self.context.project.studies.items():
            names = list(entry.exhibits)
            for number, start in enumerate(range(0, len(names), EXHIBITS_PER_JOB), 1):
                chosen = names[start : start + EXHIBITS_PER_JOB]
                specs = tuple(self.exhibit_spec(study, name) for name in chosen)
                inputs = {file for name in chosen for file in self._exhibit_inputs(study, name)}
                files = {name: self.exhibit_files(study, name) for name in chosen}
                yield self._job(
                    name=f"draw-{study}-{number}",
                    label=f"draw {study}: {join_names(chosen)}",
                    inputs=sorted(inputs),
                    outputs=[file for name in chosen for file in files[name]],
                    log=f"studies/{study}/exhibits-{number}",
                    key=digest([spec.key for spec in specs], entry.title),
                    spec=DrawSpec(self.context.results, study, specs),
                    environment="exhibits",
                    exhibit_keys={
                        file: spec.key
                        for spec in specs
                        for file in files[spec.name]
                        if file.endswith(".json")
                    },
                    captions={
                        files[spec.name][0]: _report_labels(entry.title, spec) for spec in specs
                    },
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
            statements=tuple(entry.to_statement(scale) for entry in exhibit.statements),
        )

    def exhibit_files(self, study: str, name: str) -> list[str]:
        """Every file of an exhibit; the first is the one to look at."""
        is_table = self._kind("exhibits", self._exhibit(study, name).kind).function == "table"
        stem = self.layout.study(study).exhibit(name, is_table)
        return [stem + suffix for suffix in (TABLE_SUFFIXES if is_table else FIGURE_SUFFIXES)]

    def studies_with_repeats(self) -> list[str]:
        """Trained studies of which an exhibit shows repeated fits."""
        return [
            study
            for study in self.context.trained
            if any(self._shows_repeats(one) for one in self._exhibits(study).values())
        ]

    def _resolved(self, paths: list[str]) -> tuple[str, ...]:
        """Paths below the results folder with its resolved path, for specs."""
        root = self.layout.root
        return tuple(f"{self.context.results}{path.removeprefix(root)}" for path in paths)

    def _shows_repeats(self, exhibit: Exhibit) -> bool:
        return self._kind("exhibits", exhibit.kind).reads == "repeated_fits"

    def _exhibit_inputs(self, study: str, name: str) -> list[str]:
        paths, exhibit = self.layout.study(study), self._exhibit(study, name)
        inputs = [paths.metrics, paths.about]
        if self._shows_repeats(exhibit) and study in self.context.trained:
            inputs.append(paths.repeated_fits)
        if exhibit.analysis:
            inputs.append(paths.statistics(exhibit.analysis))
        return inputs

    def pages(self) -> Iterator[Job]:
        """A study's exhibits → its page."""
        for study, entry in self.context.project.studies.items():
            page = self.layout.study_page(study)
            caption = {"category": entry.title, "subcategory": "Page"}
            job = self._page_job([study], study)
            outputs = [page, self.layout.study_bundle(study)]
            yield self._job(**job, outputs=outputs, captions={page: caption})

    def index(self) -> Job:
        """All studies → the index of pages, in the order of their places in the report."""
        studies = self.context.project.studies
        last = max((entry.position or 0 for entry in studies.values()), default=0) + 1

        def rank(study: str) -> int:
            position = studies[study].position
            return last if position is None else position

        job = self._page_job(sorted(studies, key=rank), None)
        return self._job(**job, outputs=[self.layout.index_page])

    def _page_job(self, studies: list[str], page: str | None) -> dict[str, Any]:
        exhibits = {study: tuple(self._exhibits(study)) for study in studies}
        sources = self.context.sources_of("reseed.jobs.report")
        coverage = {study: self._coverage(study) for study in studies}
        results, shown = self.context.results, self.layout.root
        spec = ReportSpec(results, shown, exhibits, page, coverage, sources)
        templates = PACKAGE / "reporting" / "templates"
        texts = sorted(templates.iterdir())
        titles = [self.context.project.studies[study].title for study in studies]
        return {
            "name": f"report-{page}" if page else "report",
            "label": f"write the page of {page}" if page else "write the index page",
            "inputs": [
                file
                for study in studies
                for file in (
                    self.layout.study(study).about,
                    *(f for name in exhibits[study] for f in self.exhibit_files(study, name)),
                )
            ],
            "log": f"report/{page or 'index'}",
            "key": digest(
                code_hash("reseed.jobs.report"),
                [file.read_text(encoding="utf-8") for file in texts],
                without_paths(spec),
                titles,
            ),
            "spec": spec,
            "environment": "exhibits",
        }

    def _coverage(self, study: str) -> tuple[PaperExhibit, ...]:
        path = self.context.project.studies[study].coverage
        return () if path is None else read_coverage(self.context.config.resolve().parent / path)

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
        ]

    def _exhibits(self, study: str) -> dict[str, Exhibit]:
        return self.context.project.studies[study].exhibits

    def _exhibit(self, study: str, name: str) -> Exhibit:
        return self._exhibits(study)[name]

    def _kind(self, family: str, name: str) -> Kind:
        return find_kind(family, name, self.context.folder)

    def _statistics_job(self, **fields: Any) -> Job:
        return self._job(**fields, environment="statistics")

    def _job(self, *, log: str, spec: object, **fields: Any) -> Job:
        return Job(
            log=self.layout.log(log),
            spec=lambda: spec,
            priority=self.context.high_priority,
            **fields,
        )


def _report_labels(study: str, spec: ExhibitSpec) -> dict[str, Any]:
    """Category and labels of an exhibit in Snakemake's own report."""
    number, title = split_number(spec.title)
    return {
        "category": study,
        "subcategory": "Exhibits of the paper" if number else "Further exhibits",
        "labels": {
            "exhibit": number or "–",
            "title": title,
            "form": "table" if spec.is_table else "figure",
        },
    }


def _as_tuple(names: list[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)
