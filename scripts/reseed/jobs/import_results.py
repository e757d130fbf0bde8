"""Import the user's own results into the tables of a study, without training."""

from pathlib import Path
from typing import Any

from reseed.core.layout import ResultsLayout
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.specs import ImportSpec, to_json

Fields = dict[str, Any]


def run(spec: ImportSpec, granted: Granted) -> None:
    """Write the table of runs with its description, or the per-item tables."""
    layout = ResultsLayout(spec.study.results).study(spec.study.study)
    results, study = spec.imported.model_dump(), to_json(spec.study)
    if spec.items:
        paths = layout.prediction_tables("results", ("scores", "targets"))
        import_items(paths, results, study, spec.needs_items)
    else:
        import_runs(layout.metrics, layout.about, results, study)


def import_runs(metrics_path: str, about_path: str, results: Fields, study: Fields) -> None:
    """Write metrics.parquet and about.json."""
    from reseed.core.checked_io import write_table
    from reseed.core.study_info import write_study_info
    from reseed.readers import import_results

    metrics, info = import_results(results["path"], results, study)
    write_table(Path(metrics_path), metrics)
    write_study_info(Path(about_path), info)
    say(f"{info.study}: {info.trials.ok} runs, {info.trials.failed} failed")


def import_items(paths: list[str], results: Fields, study: Fields, required: bool) -> None:
    """Write the scores and targets of each item."""
    from pyarrow import parquet

    from reseed.core.atomic import replace_atomically
    from reseed.core.checked_io import with_key
    from reseed.readers.study_tables import import_predictions

    scores, targets = import_predictions(results["path"], results, study, required)
    for table, path in zip((scores, targets), paths, strict=True):
        with replace_atomically(path) as temporary:
            parquet.write_table(
                with_key(table), temporary, compression="zstd", write_page_checksum=True
            )
    say(f"scores of {len(scores)} runs on {len(targets)} test sets")


if __name__ == "__main__":
    run_job(run)
