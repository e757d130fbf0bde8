"""The jobs that `verify` runs again: every deterministic job."""

import os
from collections.abc import Callable, Iterable, Iterator

from reseed.core.layout import ResultsLayout
from reseed.pipeline.job import Job
from reseed.planning.specs import ReplayStep


def list_steps(
    jobs: Iterable[Job],
    layout: ResultsLayout,
    write: Callable[[Job], str],
    finished_only: bool = False,
) -> Iterator[ReplayStep]:
    """Steps of all jobs whose files are below the results folder.

    Args:
        jobs: in the order of the data.
        layout: paths below the results folder, as the jobs name them.
        write: writes the spec of a job and returns its file.
        finished_only: leave out jobs with a missing input, and jobs that depend on them.
    """
    made: set[str] = set()
    left_out: set[str] = set()
    for job in jobs:
        is_inside = all(file.startswith(f"{layout.root}/") for file in job.outputs)
        unfinished = finished_only and any(
            file in left_out or (file not in made and not os.path.exists(file))
            for file in job.inputs
        )
        if unfinished or not is_inside:
            left_out.update(job.outputs)
            continue
        inputs = tuple(_inside(layout, file) for file in job.inputs if file in made)
        made.update(job.outputs)
        outputs = tuple(_inside(layout, file) for file in job.outputs)
        yield ReplayStep(job.module, write(job), inputs, outputs)


def _inside(layout: ResultsLayout, file: str) -> str:
    return file.removeprefix(f"{layout.root}/")
