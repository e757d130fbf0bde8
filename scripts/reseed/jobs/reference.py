"""Gather what a study's runs say about its statements, to be committed by `reseed reference`."""

from reseed.core.layout import ResultsLayout
from reseed.pipeline.runner import Granted, run_job
from reseed.planning.report_specs import ReferenceSpec


def run(spec: ReferenceSpec, granted: Granted) -> None:
    """Write the folder."""
    from reseed.report.pages.reference import write_reference

    write_reference(ResultsLayout(spec.results).study(spec.study))


if __name__ == "__main__":
    run_job(run)
