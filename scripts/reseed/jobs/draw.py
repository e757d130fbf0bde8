"""Draw tables and figures of a study."""

import argparse
import traceback
from pathlib import Path

from reseed.core.errors import Damaged, ReseedError
from reseed.pipeline.runner import forget, limit_threads, read_job, run, say


def main() -> None:
    """Read the arguments and write every format of the exhibits; fail once all were tried."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="the exhibits, as a JSON file")
    job = read_job(parser.parse_args().job)
    limit_threads(1)
    from reseed.rendering.drawing import draw_all

    failed = []
    for name, outcome in draw_all(job["exhibits"], Path(job["results"])):
        if isinstance(outcome, str):
            say(f"{name}: {outcome}")
            continue
        failed.append(f"{name}: {str(outcome) or type(outcome).__name__}")
        if isinstance(outcome, Damaged):
            forget(outcome)
        if not isinstance(outcome, ReseedError):
            traceback.print_exception(outcome)
    if failed:
        raise ReseedError("not drawn:\n  " + "\n  ".join(failed))


if __name__ == "__main__":
    run(main)
