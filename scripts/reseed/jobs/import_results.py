"""Read a user's own results into the tables of a study without training."""

import argparse
from pathlib import Path

from reseed.pipeline.runner import limit_threads, read_job, run, say


def main() -> None:
    """Read the arguments, import, write the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="entry and study, as JSON")
    parser.add_argument("--metrics", type=Path, help="output: metrics.parquet")
    parser.add_argument("--about", type=Path, help="output: about.json, with --metrics")
    parser.add_argument("--scores", type=Path, help="output: the per-item scores")
    parser.add_argument("--targets", type=Path, help="output: their targets, with --scores")
    arguments = parser.parse_args()
    for pair in (("metrics", "about"), ("scores", "targets")):
        if len({getattr(arguments, name) is None for name in pair}) > 1:
            parser.error(f"--{pair[0]} and --{pair[1]} go together")
    limit_threads(1)
    from reseed.core.atomic import replace_atomically
    from reseed.core.checked_io import write_table
    from reseed.core.study_info import write_study_info

    told = read_job(arguments.job)
    results, job = told["results"], told["study"]
    if arguments.metrics:
        from reseed.importers import import_results

        metrics, info = import_results(results["path"], results, job)
        write_table(arguments.metrics, metrics)
        write_study_info(arguments.about, info)
        say(f"{info.study}: {info.trials.ok} runs, {info.trials.failed} failed")
    if arguments.scores:
        from pyarrow import parquet

        from reseed.importers.predictions import import_predictions

        scores, targets = import_predictions(results["path"], results, job)
        for table, path in ((scores, arguments.scores), (targets, arguments.targets)):
            with replace_atomically(path) as temporary:
                parquet.write_table(table, temporary, compression="zstd", write_page_checksum=True)
        say(f"scores of {len(scores)} runs on {len(targets)} test sets")


if __name__ == "__main__":
    run(main)
