"""Write a study's scores as a table of runs, as a user would bring them from elsewhere."""

from pathlib import Path

from reseed.core.layout import ResultsLayout
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.specs import ExportSpec


def run(spec: ExportSpec, granted: Granted) -> None:
    """Write model, dataset, data_seed, seed, metric, value."""
    from reseed.core.checked_io import read_table
    from reseed.core.coordinates import base_name
    from reseed.core.csv_files import write_csv
    from reseed.core.errors import ReseedError

    source = ResultsLayout(spec.results).study(spec.study).metrics
    trials = read_table(Path(source))
    trials = trials[trials["experiment"] == spec.experiment].rename(columns={"init": "seed"})
    if trials.empty:
        raise ReseedError(f"{source}: no experiment {spec.experiment!r}")
    for column in ("model", "dataset"):  # a variant needs its mark only beside another variant
        short = trials[column].map(base_name)
        if short.nunique() == trials[column].nunique():
            trials[column] = short
    missing = sorted(set(spec.metrics) - set(trials))
    if missing:
        raise ReseedError(f"{source}: no metric {', '.join(missing)}")
    parts = [name for name in ("repeat", "fold") if trials[name].nunique() > 1]
    columns = ["model", "dataset", "data_seed", *parts, "seed"]
    long = trials.melt(columns, list(spec.metrics), var_name="metric", value_name="value")
    # A dataset without any value of a metric does not have it; one empty value is a failed trial.
    long = long[long.groupby(["dataset", "metric"])["value"].transform("count") > 0]
    write_csv(long, spec.path)
    say(f"{spec.path}: {len(long)} rows")


if __name__ == "__main__":
    run_job(run)
