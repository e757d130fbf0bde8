"""A deleted file that trials were made from is made again."""

import pytest

pytestmark = pytest.mark.workflow


@pytest.mark.parametrize(
    "pattern",
    ["splits/**/*.parquet", pytest.param("data/*/targets.parquet", marks=pytest.mark.nightly)],
)
def test_a_deleted_input_of_trials_is_made_again(finished, pattern):
    file = next((finished.folder / "results").glob(pattern))
    content, before = file.read_bytes(), finished.trials()
    file.unlink()
    finished.run()
    assert file.read_bytes() == content
    assert finished.trials() == before
    assert "Nothing to be done" in finished.run("-n")
