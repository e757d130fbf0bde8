"""Draw a table or figure of a study."""

from reseed.pipeline.runner import Granted, run_job, say
from reseed.planning.specs import DrawSpec


def run(spec: DrawSpec, granted: Granted) -> None:
    """Write every format of the exhibit."""
    from reseed.report.rendering.drawing import make_exhibit

    make_exhibit(spec)
    say(f"{spec.exhibit.name}: drawn")


if __name__ == "__main__":
    run_job(run)
