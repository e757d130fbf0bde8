"""Fetch a data set from the first source that works and prepare its inputs and targets."""

import argparse
import os
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.pipeline.runner import MIRROR_VARIABLE, limit_threads, read_job, run, say


def main() -> None:
    """Read the job file (dataset: entry, results: folder), fetch, prepare, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="what to do, as a JSON file")
    job = read_job(parser.parse_args().job)
    limit_threads(1)
    from reseed.data.prepare import prepare
    from reseed.data.sources import fetch
    from reseed.data.store import write_prepared

    dataset, results = job["dataset"], Path(job["results"])
    mirror = os.environ.get(MIRROR_VARIABLE)
    try:
        sources = dataset.get("sources")
        where = results / "downloads"
        fetched = fetch(sources, where, Path(mirror) if mirror else None, say) if sources else None
        folder = results / "data" / job.get("folder", dataset["name"])
        meta = write_prepared(folder, prepare(dataset, fetched))
    except ReseedError as error:
        raise ReseedError(f"config/datasets/{dataset['name']}.yaml: {error}") from None
    say(f"{dataset['name']}: {meta.rows} rows of kind {meta.kind}")


if __name__ == "__main__":
    run(main)
