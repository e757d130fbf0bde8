"""Draw tables and figures of a study."""

import traceback

from reseed.core.errors import Damaged, ManyDamaged, ReseedError
from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.specs import DrawSpec


def run(spec: DrawSpec, granted: Granted) -> None:
    """Write every format of the exhibits. An exhibit that fails does not stop the others."""
    from reseed.rendering.drawing import draw_all

    failed: list[str] = []
    damaged: list[Damaged] = []
    for name, outcome in draw_all(spec):
        if isinstance(outcome, str):
            say(f"{name}: {outcome}")
            continue
        failed.append(f"{name}: {str(outcome) or type(outcome).__name__}")
        if isinstance(outcome, ReseedError):
            damaged += outcome.damaged
        else:
            traceback.print_exception(outcome)
    if failed:
        raise ManyDamaged("not drawn:\n  " + "\n  ".join(failed), damaged)


if __name__ == "__main__":
    run_job(run, DrawSpec)
