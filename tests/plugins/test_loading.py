"""A module of the user's that cannot be imported: one sentence, with the place."""

import pytest
from reseed.core.errors import ReseedError
from reseed.plugins import kinds
from reseed.plugins.loading import load_object


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\nraise ValueError('no settings')", "ValueError: no settings.*one_own.py, line 2"),
        ("import sys\nsys.exit(3)", "SystemExit: 3.*one_own.py, line 2"),
        ("def make(:\n", "SyntaxError: .*one_own.py, line 1"),
        ("import not_installed_anywhere", "No module named 'not_installed_anywhere'.*PYTHONPATH"),
    ],
)
def test_import_errors_of_a_module_are_reported_with_location(text, message, tmp_path, monkeypatch):
    (tmp_path / "one_own.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ReseedError, match=f"factory 'one_own:make': .*{message}"):
        load_object("one_own:make", "factory")
    with pytest.raises(ReseedError, match=f"kind 'one_own:analyse': .*{message}"):
        kinds.load_kind(
            kinds.Kind("one_own:analyse", "one_own", "analyse", "metrics", None), tmp_path
        )
