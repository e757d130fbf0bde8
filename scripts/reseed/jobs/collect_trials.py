"""Collect a study's trial files into one table, and describe what was run."""

from pathlib import Path

from reseed.core.layout import ResultsLayout
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.specs import StudySpec


def run(spec: StudySpec, granted: Granted) -> None:
    """Write metrics.parquet and about.json."""
    from reseed.core.checked_io import write_table
    from reseed.core.study_info import write_study_info
    from reseed.trials.about import describe_study
    from reseed.trials.collect_trials import collect_trials
    from reseed.trials.study import StudyTrials

    layout, study = ResultsLayout(spec.results).study(spec.study), StudyTrials(spec)
    frame = collect_trials(study)
    write_table(Path(layout.metrics), frame)
    info = describe_study(study, frame)
    write_study_info(Path(layout.about), info)
    say(f"{spec.study}: {info.trials.ok} trials, {info.trials.failed} failed")


if __name__ == "__main__":
    run_job(run)
