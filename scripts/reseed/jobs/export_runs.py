"""Write a study's scores as a tidy table, as a user would bring them from elsewhere."""

import argparse
from pathlib import Path

from reseed.pipeline.runner import run, say


def main() -> None:
    """Read the arguments and write model, dataset, data_seed, seed, metric, value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metrics", type=Path, required=True, help="a study's metrics.parquet")
    parser.add_argument("--experiment", required=True, help="the experiment whose trials to write")
    parser.add_argument("--metric", action="append", required=True, help="may be repeated")
    parser.add_argument("--output", type=Path, required=True, help="the CSV to write")
    arguments = parser.parse_args()
    from reseed.core.atomic import replace_atomically
    from reseed.core.checked_io import read_table
    from reseed.core.coordinates import base_name
    from reseed.core.errors import ReseedError

    trials = read_table(arguments.metrics)
    trials = trials[trials["experiment"] == arguments.experiment].rename(columns={"init": "seed"})
    if trials.empty:
        raise ReseedError(f"{arguments.metrics}: no experiment {arguments.experiment!r}")
    for column in ("model", "dataset"):  # as a user would call it: a variant alone needs no mark
        short = trials[column].map(base_name)
        if short.nunique() == trials[column].nunique():
            trials[column] = short
    absent = sorted(set(arguments.metric) - set(trials))
    if absent:
        raise ReseedError(f"{arguments.metrics}: no metric {', '.join(absent)}")
    parts = [name for name in ("repeat", "fold") if trials[name].nunique() > 1]
    place = ["model", "dataset", "data_seed", *parts, "seed"]
    long = trials.melt(place, arguments.metric, var_name="metric", value_name="value")
    # A metric that a dataset never has is none of its own; an empty value is a failed trial.
    long = long[long.groupby(["dataset", "metric"])["value"].transform("count") > 0]
    with replace_atomically(arguments.output) as temporary:
        long.to_csv(temporary, index=False, lineterminator="\n")
    say(f"{arguments.output}: {len(long)} rows")


if __name__ == "__main__":
    run(main)
