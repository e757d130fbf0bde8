"""Run one statistical analysis of a study."""

import argparse
from pathlib import Path

from reseed.pipeline.runner import limit_threads, read_job, run, say


def main() -> None:
    """Read the arguments, analyse, write the table as Parquet and CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="the analysis, as a JSON file")
    parser.add_argument("--table", type=Path, required=True, help="output: Parquet (CSV beside it)")
    arguments = parser.parse_args()
    limit_threads(1)
    import pandas as pd

    from reseed.analyses.shared.data import read_data
    from reseed.core.atomic import replace_atomically
    from reseed.core.checked_io import write_table
    from reseed.core.code_hash import Watched
    from reseed.plugins.kinds import find_kind, run_kind

    job = read_job(arguments.job)
    kind = find_kind("analyses", job["kind"])
    data = read_data(Path(job["study"]), job["experiments"], Path(job["published"]), job["trained"])
    table = run_kind(kind, data, job["options"], pd.DataFrame)
    Watched(job["own_files"]).refuse_edits()
    write_table(arguments.table, table)
    with replace_atomically(arguments.table.with_suffix(".csv")) as temporary:
        table.to_csv(temporary, index=False)
    say(f"{job['kind']}: {len(table)} rows")


if __name__ == "__main__":
    run(main)
