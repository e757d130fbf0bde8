"""Draw the split of each data seed and write its rows."""

from pathlib import Path
from typing import cast

from reseed.core.layout import ResultsLayout
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.specs import SplitSpec


def run(spec: SplitSpec, granted: Granted) -> None:
    """Write one file a data seed."""
    from reseed.data.splits import Scheme, make_split, write_split
    from reseed.data.store import read_meta, read_targets

    layout = ResultsLayout(spec.results)
    scheme = cast(Scheme, spec.scheme.model_dump())
    folder = Path(layout.data(spec.dataset))
    meta, targets = read_meta(folder), read_targets(folder)
    facts = {"scheme": scheme, "targets_sha256": meta.targets_sha256}
    for seed in spec.data_seeds:
        path = Path(layout.split(spec.dataset, spec.scheme_id, seed))
        frame = make_split(scheme, targets, meta.task, seed)
        write_split(path, frame, {**facts, "data_seed": seed})
        say(f"{path}: {frame['part'].value_counts().to_dict()}")


if __name__ == "__main__":
    run_job(run, SplitSpec)
