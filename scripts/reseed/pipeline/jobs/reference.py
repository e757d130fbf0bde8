"""Write reference results of studies, to be committed."""

from pathlib import Path

from reseed.core.layout import ResultsLayout
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.report_specs import ReferenceSpec


def run(spec: ReferenceSpec, granted: Granted) -> None:
    """Write a folder for each study."""
    from reseed.report.pages.reference import write_references

    layout = ResultsLayout(spec.results)
    exhibits = {layout.study(name): list(names) for name, names in spec.exhibits.items()}
    for folder in write_references(exhibits, Path(spec.folder), spec.replace):
        say(f"Reference results: {folder}")


if __name__ == "__main__":
    run_job(run)
