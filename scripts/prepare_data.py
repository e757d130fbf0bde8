"""Fetch a data set from the first source that works and prepare its rows."""

import argparse
import json
import os
from pathlib import Path

from reseed.errors import ReseedError
from reseed.runtime import MIRROR_VARIABLE, limit_threads, run, say


def main() -> None:
    """Read the arguments, fetch, prepare, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", type=json.loads, required=True, help="dataset entry as JSON")
    mirror = os.environ.get(MIRROR_VARIABLE, "")
    parser.add_argument("--mirror", default=mirror, help="folder with local copies; empty: none")
    parser.add_argument("--downloads", type=Path, required=True, help="where downloads are kept")
    parser.add_argument("--rows", type=Path, required=True, help="output: rows.parquet")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.data.sources import fetch
    from reseed.data.store import write_prepared
    from reseed.data.tabular import prepare

    dataset = arguments.dataset
    mirror = Path(arguments.mirror) if arguments.mirror else None
    try:
        sources = dataset["sources"]
        fetched = fetch(sources, arguments.downloads, mirror, say) if sources else None
        prepared = write_prepared(arguments.rows.parent, prepare(dataset, fetched))
    except ReseedError as error:
        raise ReseedError(f"config/datasets/{dataset['name']}.yaml: {error}") from None
    meta = prepared.meta
    say(f"{dataset['name']}: {meta['rows']} rows, {len(meta['features'])} features")


if __name__ == "__main__":
    run(main)
