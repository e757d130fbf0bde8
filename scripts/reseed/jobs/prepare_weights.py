"""Fetch the weights of a pretrained model from the first source that works."""

import os
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout
from reseed.data.kinds import MIRROR_VARIABLE
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.specs import WeightsSpec


def run(spec: WeightsSpec, granted: Granted) -> None:
    """Fetch, verify and store the files."""
    from reseed.data.sources import fetch
    from reseed.data.weights import prepare_weights

    layout, mirror = ResultsLayout(spec.results), os.environ.get(MIRROR_VARIABLE)
    entry = spec.weights
    try:
        downloads = Path(layout.downloads)
        files = fetch(entry.sources, downloads, Path(mirror) if mirror else None, say)
        meta = prepare_weights(Path(layout.weights(entry.name)), entry, files)
    except ReseedError as error:
        raise ReseedError(f"config/weights/{entry.name}.yaml: {error}") from None
    say(f"{entry.name}: {len(meta.files)} files, sha256 {meta.sha256}")


if __name__ == "__main__":
    run_job(run)
