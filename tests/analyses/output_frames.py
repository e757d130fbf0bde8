"""Per-item outputs of several arms, written as the pipeline writes them."""

from item_files import write_items
from reseed.analyses.shared.data import Data
from study_frames import about, frame, trial

write_outputs = write_items


def study_of(predictions, arms, facts=None):
    """The data an analysis reads: no scores but the outputs, and a trial for each run."""
    datasets = tuple(dict.fromkeys(dataset for dataset, _ in arms))
    models = tuple(dict.fromkeys(arm.partition(":")[0] for _, arm in arms))
    rows = [
        trial(None if run is None else 0.9, metric="auc", dataset=dataset, seed=seed,
              model=arm.partition(":")[0], hyperparameters_source="default", arm=arm)
        for (dataset, arm), (_, runs) in arms.items()
        for seed, run in enumerate(runs)
    ]  # fmt: skip
    return Data(frame(rows), facts or about(datasets, models), None, predictions)
