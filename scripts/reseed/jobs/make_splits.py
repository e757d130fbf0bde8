"""Draw the splits of neighbouring data seeds and write their rows."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout, split_seeds
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.specs import SplitSpec

if TYPE_CHECKING:
    import pandas as pd


def run(spec: SplitSpec, granted: Granted) -> None:
    """Write one file with the splits of all data seeds of the job."""
    from reseed.data.splits import Scheme, make_split, write_splits
    from reseed.data.store import read_meta, read_targets

    layout = ResultsLayout(spec.results)
    scheme = cast(Scheme, spec.scheme.model_dump())
    folder = Path(layout.data(spec.dataset))
    meta, targets = read_meta(folder), read_targets(folder)
    path = Path(layout.splits(spec.dataset, spec.scheme_id, spec.first_data_seed))
    seeds = split_seeds(spec.first_data_seed)

    def draw(data_seed: int) -> "pd.DataFrame | ReseedError":
        try:
            return make_split(scheme, targets, meta.task, data_seed)
        except ReseedError as error:  # of a data seed that no study may need
            return error

    splits = ((seed, draw(seed)) for seed in seeds)
    write_splits(path, splits, {"scheme": scheme, "targets_sha256": meta.targets_sha256})
    say(f"{path}: splits of {len(seeds)} data seeds")


if __name__ == "__main__":
    run_job(run)
