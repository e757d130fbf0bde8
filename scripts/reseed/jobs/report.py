"""Write a study's page, or the index of all pages."""

from pathlib import Path

from reseed.core.layout import ResultsLayout, find_reference
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.report_specs import ReportSpec


def run(spec: ReportSpec, granted: Granted) -> None:
    """Write the page."""
    from reseed.core.atomic import write_text
    from reseed.report.pages.bundle import write_bundle
    from reseed.report.pages.front import draw_front
    from reseed.report.pages.studies import read_left_out, read_study
    from reseed.report.pages.study_pages import build_index, build_study_page

    layout, references = ResultsLayout(spec.results), Path(spec.references)
    page = Path(layout.study_page(spec.page) if spec.page else layout.index_page)

    def as_shown(path: Path) -> Path:
        return Path(spec.shown, path.relative_to(spec.results))

    studies = [
        read_study(
            Path(layout.study(name).folder),
            list(exhibits),
            page,
            coverage=spec.coverage[name],
            as_shown=as_shown,
            reference=find_reference(references, name),
            stated=name in spec.stated,
        )
        for name, exhibits in spec.exhibits.items()
    ]
    if spec.page:
        bundle = Path(layout.study_bundle(spec.page))
        write_bundle(studies[0], layout.study(spec.page).folder, bundle)
        text = build_study_page(studies[0], Path(layout.index_page).name, bundle.name)
    else:
        left_out = [
            row
            for name, (title, citation) in spec.left_out.items()
            if (evidence := find_reference(references, name))
            for row in read_left_out(evidence, name, title, citation, spec.scale)
        ]
        links = [f"{study.name}.html" for study in studies]
        text = build_index(studies, links, left_out, draw_front(studies, references))
    write_text(page, text)
    say(f"Report: {as_shown(page)}")


if __name__ == "__main__":
    run_job(run)
