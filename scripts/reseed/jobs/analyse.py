"""Run one statistical analysis of a study."""

from dataclasses import replace
from pathlib import Path

from reseed.core.layout import ResultsLayout
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.specs import AnalysisSpec


def run(spec: AnalysisSpec, granted: Granted) -> None:
    """Write the table of the analysis as Parquet and CSV."""
    import pandas as pd

    from reseed.analyses.shared.data import read_data
    from reseed.core.checked_io import read_table, write_table
    from reseed.core.csv_files import write_csv
    from reseed.core.source_guard import SourceGuard
    from reseed.plugins.kinds import find_kind, run_kind

    study = ResultsLayout(spec.results).study(spec.study)
    data = read_data(
        Path(study.folder),
        list(spec.experiments) if spec.experiments is not None else None,
        Path(spec.published),
        list(spec.collected),
    )
    kind = find_kind("analyses", spec.kind)
    if kind.reads == "repeats":
        data = replace(data, repeats=read_table(Path(study.repeated_fits)))
    if kind.reads in ("metrics", "repeats") or (kind.reads == "items" and not spec.is_imported):
        # Other files are no inputs of this job.
        data = replace(data, predictions=None)
    table = run_kind(kind, data, spec.options, pd.DataFrame)
    SourceGuard.read(spec.sources).refuse_edits()  # before anything is written
    write_table(Path(study.statistics(spec.name)), table)
    write_csv(table, study.statistics(spec.name, ".csv"))
    say(f"{spec.kind}: {len(table)} rows")


if __name__ == "__main__":
    run_job(run)
