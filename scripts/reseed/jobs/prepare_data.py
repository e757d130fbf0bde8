"""Fetch a dataset from the first source that works, and prepare its inputs and targets."""

import os
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout
from reseed.data.kinds import MIRROR_VARIABLE
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.specs import DataSpec


def run(spec: DataSpec, granted: Granted) -> None:
    """Write the prepared dataset."""
    from reseed.data.download import SourceError
    from reseed.data.prepare import prepare
    from reseed.data.sources import fetch
    from reseed.data.store import write_prepared

    layout, mirror = ResultsLayout(spec.results), os.environ.get(MIRROR_VARIABLE)
    try:
        sources, downloads = spec.dataset.sources, Path(layout.downloads)
        files = (
            fetch(sources, downloads, Path(mirror) if mirror else None, say) if sources else None
        )
        meta = write_prepared(Path(layout.data(spec.identifier)), prepare(spec.dataset, files))
    except SourceError as error:
        raise SourceError(f"config/datasets/{spec.dataset.name}.yaml: {error}") from None
    except ReseedError as error:
        raise ReseedError(f"config/datasets/{spec.dataset.name}.yaml: {error}") from None
    say(f"{spec.dataset.name}: {meta.rows} rows of kind {meta.kind}")


if __name__ == "__main__":
    run_job(run)
