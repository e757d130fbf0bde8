"""Collect the raw outputs, targets and learning curves of one experiment's trials."""

from pathlib import Path

from reseed.core.layout import ResultsLayout
from reseed.pipeline.runner import Granted, run_job
from reseed.planning.specs import StudySpec


def run(spec: StudySpec, granted: Granted) -> None:
    """Write the three per-item tables. The spec holds one experiment alone."""
    from reseed.trials.collect_items import collect_items
    from reseed.trials.study import StudyTrials

    study, (experiment,) = ResultsLayout(spec.results).study(spec.study), spec.experiments
    scores, targets, curves = map(Path, study.prediction_tables(experiment.name))
    collect_items(StudyTrials(spec), scores, targets, curves)


if __name__ == "__main__":
    run_job(run)
