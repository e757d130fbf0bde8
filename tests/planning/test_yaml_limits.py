"""Files that would hang or break the checks have one error with file and field."""

import pytest
from reseed.core.errors import ReseedError
from reseed.planning.project import _ConfigReader
from reseed.planning.yaml_limits import find_excess

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 10)}]\n" for i in range(12)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "more than 200,000 values"),
        ("a: &a [*a]", "contains itself"),
        ("a: " + "[" * 60 + "]" * 60, "more than 50 levels"),
        ("a: " + "[" * 20000 + "]" * 20000, "nested"),
        ("options: {n: " + "9" * 5000 + "}", "cannot be read"),
        ("options: {n: " + "9" * 400 + "}", "options.n: a number of 400 digits is too large"),
        ("options: {day: 2024-05-01}", "options.day: 2024-05-01 is read as a date"),
        ("options: {day: 2024-13-41}", "cannot be read"),
        ("options: {raw: !!binary aGVsbG8=}", "options.raw: !!binary"),
        (r'name: "a\0b"', "name: .* contains a NUL"),
    ],
)
def test_excess_is_one_error(tmp_path, text, message):
    path = tmp_path / "study.yaml"
    path.write_text(text)
    reader = _ConfigReader()
    assert reader.read(path) is None
    (error,) = reader.errors
    with pytest.raises(ReseedError, match=message):
        raise ReseedError(error)
    assert error.startswith(str(path))
    assert len(error) < 500


def test_usual_files_are_read():
    shared = list(range(100))
    assert find_excess({"a": {"b": [1, 2.5, "x", None, True]}, "c": [shared] * 100}) == ""


MERGES = "a0: &a0 {k: 1}\n" + "".join(
    f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}], k{i}: 1}}\n" for i in range(1, 12)
)


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        ("b: &b {x: 1, y: 2}\nc: {<<: *b, x: 5}", "c", {"x": 5, "y": 2}),
        ("b: &b {x: 1}\nd: &d {x: 3, z: 1}\nc: {<<: [*b, *d]}", "c", {"x": 1, "z": 1}),
        (MERGES, "a11", {"k": 1} | {f"k{i}": 1 for i in range(1, 12)}),  # not in 9^11 steps
    ],
)
def test_a_field_replaces_what_is_merged(tmp_path, text, field, expected):
    path = tmp_path / "study.yaml"
    path.write_text(text)
    assert _ConfigReader().read(path)[field] == expected
