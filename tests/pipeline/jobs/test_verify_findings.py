"""The error of `verify` states the number of wrong files in the right form."""

from pathlib import Path

import pytest
from reseed.core.errors import Damaged, ManyDamaged, ReseedError
from reseed.pipeline.jobs.replay import Finding
from reseed.pipeline.jobs.verify import _raise, run
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
    findings = [Finding(path, "is wrong", (Damaged(path, "is wrong"),)) for path in paths]
    with pytest.raises(ManyDamaged) as caught:
        _raise(findings)
    lines = str(caught.value).splitlines()
    assert lines[0] == first
    assert lines[1:-1] == [f"  {path}: is wrong" for path in paths]
    assert [one.path for one in caught.value.damaged] == paths


def test_nothing_to_verify_is_an_error(tmp_path):
    """A step without inputs is planned although none of its files exists."""
    training = TrainSpec(str(tmp_path), "report", False, None, ())
    step = ReplayStep("report", str(tmp_path / "spec.json"), (), ("report/index.html",))
    with pytest.raises(ReseedError, match="Nothing to verify"):
        run(VerifySpec(training, None, steps=(step,)), Granted(0))
