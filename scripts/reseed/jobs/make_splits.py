"""Draw the split of each data seed and persist its rows."""

import argparse
from pathlib import Path

from reseed.pipeline.runner import limit_threads, read_job, run, say


def main() -> None:
    """Read the job file (data, scheme, data_seeds, outputs), draw each split, write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="what to do, as a JSON file")
    job = read_job(parser.parse_args().job)
    limit_threads(1)
    from reseed.data.splits import make_split, write_split
    from reseed.data.store import read_meta, read_targets

    meta, targets = read_meta(Path(job["data"])), read_targets(Path(job["data"]))
    facts = {"scheme": job["scheme"], "targets_sha256": meta.targets_sha256}
    for seed, path in zip(job["data_seeds"], job["outputs"], strict=True):
        frame = make_split(job["scheme"], targets, meta.task, seed)
        write_split(Path(path), frame, {**facts, "data_seed": seed})
        say(f"{path}: {frame['part'].value_counts().to_dict()}")


if __name__ == "__main__":
    run(main)
