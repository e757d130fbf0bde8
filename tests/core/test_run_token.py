"""A job of an earlier run replaces no file."""

import pytest
from reseed.core.atomic import write_text
from reseed.core.errors import ReseedError
from reseed.core.run_token import VARIABLE, join_run, read_token, start_run
from reseed.trials.entries import copy_entry


@pytest.fixture
def token(tmp_path):
    return tmp_path / "plan" / "run"


def test_current_run_replaces_files(tmp_path, token, monkeypatch):
    environment = {}
    start_run(token, tmp_path / "copy", environment=environment)
    assert environment[VARIABLE] == f"{read_token(token)} {token}"
    assert read_token(tmp_path / "copy") == read_token(token)
    monkeypatch.setenv(VARIABLE, environment[VARIABLE])
    write_text(tmp_path / "table", "new")
    assert (tmp_path / "table").read_text() == "new"


@pytest.mark.parametrize("how", ["newer run", "moved results"])
def test_earlier_run_leaves_files_as_they_are(tmp_path, token, monkeypatch, how):
    write_text(tmp_path / "table", "newer")
    entry = tmp_path / "entry"
    entry.write_text("older")
    environment = {}
    start_run(token, environment=environment)
    monkeypatch.setenv(VARIABLE, environment[VARIABLE])
    if how == "newer run":
        start_run(token, environment={})
    else:
        token.parent.rename(tmp_path / "away")
    for replace in (write_text, lambda path, _: copy_entry(entry, path)):
        with pytest.raises(ReseedError, match=r"table: is left as it is.*earlier run"):
            replace(tmp_path / "table", "older")
    assert (tmp_path / "table").read_text() == "newer"
    assert sorted(path.name for path in tmp_path.glob("*.part")) == []


def test_process_on_a_node_keeps_the_token_of_its_run(token):
    start_run(token, environment={})
    first, none = {}, {}
    join_run(token, first)
    start_run(token, environment={})
    kept = dict(first)
    join_run(token, first)
    assert first == kept
    join_run(token.with_name("absent"), none)
    assert none == {}
