"""Judge the statements of a study."""

from pathlib import Path

from reseed.core.layout import ResultsLayout
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.specs import JudgeSpec


def run(spec: JudgeSpec, granted: Granted) -> None:
    """Write what the runs say about each statement."""
    from reseed.core.checked_io import read_table, write_json
    from reseed.core.study_info import read_study_info
    from reseed.report.rendering.data import ExhibitData
    from reseed.report.rendering.judged import judge_statement

    study = ResultsLayout(spec.results).study(spec.study)
    rows = {
        name: read_table(Path(study.statistics(name)))
        for name in dict.fromkeys(spec.analyses.values())
    }
    metrics, info = read_table(Path(study.metrics)), read_study_info(Path(study.about))
    records = [
        {
            "name": name,
            "evidence": judge_statement(
                ExhibitData(rows[spec.analyses[name]], metrics, info), one
            ).record(),
        }
        for name, one in spec.statements.items()
    ]
    write_json(Path(study.evidence), {"statements": records})
    say(f"{len(records)} statements")


if __name__ == "__main__":
    run_job(run)
