"""Jobs from exhibits to pages, and to reference results."""

import os
from collections.abc import Callable
from pathlib import Path

from reseed.core.code_hash import code_hash, digest
from reseed.core.coverage import PaperExhibit, read_coverage
from reseed.core.layout import REFERENCES, find_reference
from reseed.core.module_finder import PACKAGE
from reseed.pipeline.job import Context, Job
from reseed.planning.report_specs import ReferenceSpec, ReportSpec
from reseed.planning.specs import without_paths


class ReportJobs:
    """Builds the jobs that write pages. Each method has the name of its rule, and its wildcards.

    exhibit_files: every file of an exhibit of a study.
    """

    def __init__(self, context: Context, exhibit_files: Callable[[str, str], list[str]]):
        self.context, self.layout, self.exhibit_files = context, context.layout, exhibit_files
        self.studies = context.project.studies

    def page(self, study: str) -> Job:
        """A study's exhibits → its page, and an archive of them."""
        outputs = [self.layout.study_page(study), self.layout.study_bundle(study)]
        texts = {"category": self.studies[study].title, "subcategory": "Page"}
        return self._page_job([study], study, outputs, texts, {})

    def index(self) -> Job:
        """All studies → the index of pages, in the order of their places in the report."""
        studies = self.studies
        last = max((entry.position or 0 for entry in studies.values()), default=0) + 1

        def rank(study: str) -> int:
            position = studies[study].position
            return last if position is None else position

        project = self.context.project
        others = {} if project.main.scale == "smoke" else project.left_out
        left_out = {n: (one.title, one.citation) for n, one in others.items() if self._evidence(n)}
        outputs = [self.layout.index_page]
        return self._page_job(sorted(studies, key=rank), None, outputs, {}, left_out)

    def _evidence(self, study: str) -> Path | None:
        return find_reference(self.context.folder / REFERENCES, study)

    def _page_job(
        self,
        studies: list[str],
        page: str | None,
        outputs: list[str],
        texts: dict[str, str],
        left_out: dict[str, tuple[str, str]],
    ) -> Job:
        exhibits = {study: tuple(self.studies[study].exhibits) for study in studies}
        sources = self.context.sources_of("reseed.jobs.report")
        coverage = {study: self._coverage(study) for study in studies}
        results, shown = self.context.results, self.layout.root
        evidence = [path for one in [*studies, *left_out] if (path := self._evidence(one))]
        sums = [] if page else [path.with_name("SHA256SUMS") for path in evidence]
        evidence += [path for path in sums if path.is_file()]
        spec = ReportSpec(
            results, shown, exhibits, page, coverage, str(self.context.folder / REFERENCES),
            left_out, self.context.project.main.scale,
            tuple(one for one in studies if self.studies[one].statements), sources,
        )  # fmt: skip
        templates = sorted((PACKAGE / "report" / "pages" / "templates").iterdir())
        return Job(
            module="report",
            inputs=[file for study in studies for file in self._shown_files(study)]
            + [os.path.relpath(path) for path in evidence],
            outputs=outputs,
            key=digest(
                code_hash("reseed.jobs.report"),
                [file.read_text(encoding="utf-8") for file in templates],
                without_paths(spec),
                [self.studies[study].title for study in studies],
                [path.read_text(encoding="utf-8") for path in evidence],
            ),
            spec=lambda: spec,
            environment="exhibits",
            texts=texts,
        )

    def _coverage(self, study: str) -> tuple[PaperExhibit, ...]:
        path = self.studies[study].coverage
        return () if path is None else read_coverage(self.context.config.resolve().parent / path)

    def reference(self, study: str) -> Job:
        """Trials, evidence and raw outputs of a study → what `reseed reference` copies."""
        paths = self.layout.study(study)
        outputs = [
            file
            for name in (self.context.plan.studies[study] if self.studies[study].keep else ())
            for file in paths.prediction_tables(name, ("scores", "targets"))
        ]
        spec = ReferenceSpec(self.context.results, study)
        return Job(
            module="reference",
            inputs=[paths.about, paths.metrics, paths.evidence, *outputs],
            outputs=paths.reference,
            key=digest(code_hash("reseed.jobs.reference"), without_paths(spec)),
            spec=lambda: spec,
            environment="exhibits",
        )

    @property
    def references(self) -> list[str]:
        """The reference results of all studies that test statements."""
        stated = [study for study in self.context.trained if self.studies[study].statements]
        return [file for study in stated for file in self.layout.study(study).reference]

    def _shown_files(self, study: str) -> list[str]:
        """Facts and trials of a study, its evidence, and the files of its exhibits."""
        paths, exhibits = self.layout.study(study), self.studies[study].exhibits
        files = (file for name in exhibits for file in self.exhibit_files(study, name))
        stated = [paths.evidence] if self.studies[study].statements else []
        return [paths.about, paths.metrics, *stated, *files]
