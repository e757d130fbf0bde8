"""Fetch the weights of a pretrained model from the first source that works."""

import argparse
import os
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.pipeline.runner import MIRROR_VARIABLE, limit_threads, read_job, run, say


def main() -> None:
    """Read the job file (weights: entry, results: folder), fetch, verify, put in place."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="what to do, as a JSON file")
    job = read_job(parser.parse_args().job)
    limit_threads(1)
    from reseed.data.sources import fetch
    from reseed.data.weights import prepare_weights

    entry, results = job["weights"], Path(job["results"])
    mirror = os.environ.get(MIRROR_VARIABLE)
    try:
        where = results / "downloads"
        fetched = fetch(entry["sources"], where, Path(mirror) if mirror else None, say)
        meta = prepare_weights(results / "weights" / entry["name"], entry, fetched)
    except ReseedError as error:
        raise ReseedError(f"config/weights/{entry['name']}.yaml: {error}") from None
    say(f"{entry['name']}: {len(meta.files)} files, sha256 {meta.sha256}")


if __name__ == "__main__":
    run(main)
