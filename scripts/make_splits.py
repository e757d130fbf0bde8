"""Draw the split of each data seed and persist its indices; splits that are there stay as is."""

import argparse
import json
import re
from pathlib import Path

from reseed.runtime import limit_threads, run, say


def main() -> None:
    """Read the arguments, draw each file's split, write those that are new or changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--meta", type=Path, required=True, help="the data set's meta.json")
    parser.add_argument("--scheme", type=json.loads, required=True, help="split scheme as JSON")
    parser.add_argument("files", type=Path, nargs="+", help="outputs: data-seed-N.parquet")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.data.store import read_prepared
    from reseed.splits import make_split, same_split, write_split

    data = read_prepared(arguments.meta.parent)
    official = data.meta.get("official_test_rows")
    for path in arguments.files:
        seed = int(re.search(r"data-seed-(\d+)\.parquet$", path.name).group(1))
        frame = make_split(
            arguments.scheme, data.target, data.groups, data.meta["task"], seed, official
        )
        if same_split(path, frame):
            say(f"{path}: unchanged")
        else:
            write_split(path, frame)
            say(f"{path}: {frame['part'].value_counts().to_dict()}")


if __name__ == "__main__":
    run(main)
