"""The error of `verify` states the number of wrong files in the right form."""

from pathlib import Path

import pytest
from reseed.core.errors import ReseedError
from reseed.pipeline.jobs.replay import Finding
from reseed.pipeline.jobs.verify import describe, run
from reseed.pipeline.runner import Granted
from reseed.planning.specs import ReplayStep, TrainSpec, VerifySpec


@pytest.mark.parametrize(
    ("count", "first"),
    [
        (1, "1 file differs from what made it:"),
        (2, "2 files differ from what made them:"),
    ],
)
def test_number_of_wrong_files_agrees_with_its_verb(count, first):
    paths = [Path(f"results/{number}.csv") for number in range(count)]
    lines = describe([Finding(path, "is wrong", (path,)) for path in paths]).splitlines()
    assert lines == [first, *(f"  {path}: is wrong" for path in paths)]


def test_nothing_to_verify_is_an_error(tmp_path):
    """A step without inputs is planned although none of its files exists."""
    training = TrainSpec(str(tmp_path), "report", False, None, ())
    step = ReplayStep("report", str(tmp_path / "spec.json"), (), ("report/index.html",))
    with pytest.raises(ReseedError, match="Nothing to verify"):
        run(VerifySpec(training, None, steps=(step,)), Granted(0))
