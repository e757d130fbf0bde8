"""Count the pairs of a study that its rule (`until`) leaves open, from the study's tables."""

from pathlib import Path

from reseed.core.layout import StudyLayout


def count_pairs(study: StudyLayout, experiment: str) -> tuple[int, int]:
    """Number of open pairs of an experiment, and of all that were judged."""
    from reseed.core.checked_io import read_table
    from reseed.core.study_info import read_study_info
    from reseed.report.analyses.shared.settling import judge_experiment

    info = read_study_info(Path(study.about))
    rule = info.experiments[experiment].until
    assert rule is not None
    metrics = read_table(Path(study.metrics))
    runs = metrics[metrics["experiment"] == experiment]
    stops = [pair.stop.n for pair in judge_experiment(runs, experiment, rule, info.datasets)]
    return sum(n is None for n in stops), len(stops)
