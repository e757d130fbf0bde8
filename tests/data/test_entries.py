"""Entries of datasets and weights: what their classes refuse, and what is reachable here."""

from pathlib import Path

import pandas as pd
import pytest
from packing import dataset_of, prepare
from pydantic import ValidationError
from reseed.core.errors import ReseedError
from reseed.data.kinds import is_reachable
from reseed.data.official import assign_official_parts
from reseed.data.raw import Raw
from reseed.data.registry import find_entry_errors

SHA = "a" * 64


def dataset(*sources, **fields):
    return dataset_of(**{"sources": sources, **fields})


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"kind": "url", "url": "https://x/y.csv"}, "needs sha256 .* or members"),
        ({"kind": "mirror", "path": ["a", "b"], "sha256": SHA}, "must be a list of 2"),
        ({"kind": "mirror", "path": "a", "sha256": [SHA, SHA]}, "must be a list of 1"),
        ({"kind": "mirror", "path": ["a", "a"], "sha256": [SHA, SHA]}, "and each file once"),
        ({"kind": "mirror", "path": "a"}, "Field required"),
        ({"kind": "file", "path": []}, "at least one"),
        ({"kind": "file", "path": ["a", "b"], "members": {"c": SHA}}, "members needs one archive"),
        ({"kind": "url", "url": ["a", "b"], "members": {"c": SHA}}, "members needs one archive"),
        ({"kind": "file", "path": "a", "members": {}}, "at least 1 item"),
        ({"kind": "file", "path": "a", "members": {"c": "00"}}, "should match pattern"),
        ({"kind": "file", "path": "a", "member": "c"}, "Extra inputs are not permitted"),
        ({"kind": "ftp", "path": "a"}, "does not match any of the expected tags"),
    ],
)
def test_bad_sources(source, message):
    with pytest.raises(ValidationError, match=message):
        dataset(source)


@pytest.mark.parametrize(
    ("official", "message"),
    [
        ({"column": "part"}, "test"),
        ({"column": "part", "test": "rows.csv"}, "with column, test must be a list of its values"),
        ({"test": ["a"]}, "without column, test must be a file of row numbers"),
        ({"test": "t.csv", "validation": [1]}, "without column, validation must be a file"),
    ],
)
def test_bad_official_parts(official, message):
    with pytest.raises(ValidationError, match=message):
        dataset(official=official)


def test_a_value_is_of_one_official_part():
    raw = Raw(pd.DataFrame({"part": ["a", "b", "c"], "y": [0, 1, 0]}))
    official = {"column": "part", "validation": ["b"], "test": ["b", "c"]}
    with pytest.raises(ReseedError, match="'b' is named twice"):
        assign_official_parts("toy", dataset(official=official), raw, Path())


def test_readers_are_checked_before_anything_is_fetched():
    def stated(**fields):
        entry = dataset(**fields)
        return find_entry_errors(entry, has_files=bool(entry.sources))

    assert stated(sources=[{"kind": "file", "path": "a.csv"}]) == []
    assert stated(reader="home_mortgage_sim") == []
    assert stated(reader="my_module:read", kind="texts", text=["t"]) == []
    assert stated() == ["sources: missing, and this reader reads files"]
    (line,) = stated(reader="digitz", kind="images")
    assert line.endswith("Did you mean 'digits'?")
    (line,) = stated(reader="digits", kind="images", options={"sise": 3})
    assert line.startswith("options.sise: unknown field 'sise'. Allowed: classes, merge")
    (line,) = stated(reader="digits", kind="images", text=["t"])
    assert line == "text: is for kind: texts, found kind: images"
    assert len(stated(reader="liar", options={"duplicates": "some"})) == 3


def test_missing_sources_are_refused():
    with pytest.raises(ReseedError, match="dataset own: sources: missing"):
        prepare({})


def test_reachable_unless_only_the_mirror_has_it(tmp_path):
    Path(tmp_path, "a").touch()
    mirror = {"kind": "mirror", "path": "a", "sha256": SHA}
    both = {"kind": "mirror", "path": ["a", "b"], "sha256": [SHA, SHA]}
    other = {"kind": "url", "url": "u", "sha256": SHA}
    folder, absent = ({"kind": "file", "path": str(tmp_path / name)} for name in ("", "absent"))
    assert is_reachable(dataset(mirror), str(tmp_path))
    assert not is_reachable(dataset(mirror), "")
    assert not is_reachable(dataset(both), str(tmp_path))
    assert is_reachable(dataset(both, other), "")
    assert is_reachable(dataset(), "")
    assert is_reachable(dataset(folder), "")
    assert not is_reachable(dataset(absent), "")
