"""`snakemake --touch` would mark stale files as current, so it is refused."""

import pytest
from projects import FOREST

pytestmark = pytest.mark.workflow


def test_touch_after_an_edit_is_refused(finished):
    finished.write("models/forest", FOREST | {"hyperparameters": {"max_depth": 1}})
    planned = finished.planned()
    assert planned
    trials = finished.trials()
    for arguments in (["--touch"], ["--touch", "--forceall"], ["-t", "small"]):
        text = finished.run(*arguments, fails=True)
        assert "--touch would mark files as current" in text
        assert "Traceback" not in text
    assert finished.planned() == planned
    assert finished.trials() == trials
