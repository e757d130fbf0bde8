"""Tables, what a user says of them, and their reading, or the question that they ask."""

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

CASES = yaml.safe_load(Path(__file__).with_name("readings.yaml").read_text(encoding="utf-8"))
ORDINARY = [case for case in CASES if case.get("ordinary")]
#: What an option asks for that a test cannot invent.
_OPEN = ("COLUMN", "…", "FILE", "--runs N")


def write_table(folder: Path, case: dict) -> list[str]:
    """The names of the case's files."""
    tables = case.get("files") or {case.get("file", "t.csv"): case["table"]}
    for name, content in tables.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding=case.get("encoding", "utf-8"))
    return [case["folder"]] if "folder" in case else [*tables]


def list_options(error: str) -> list[list[str]]:
    """The options of each answer that an error prints, as typed."""
    answers = re.findall(r"`--[^`]+`(?: and `--[^`]+`)*", error)
    typed = [[o for o in re.findall(r"`(--[^`]+)`", one)] for one in answers]
    return [
        [word for option in one for word in shlex.split(option)]
        for one in typed
        if not any(text in option for option in one for text in _OPEN)
    ]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_reading(run, tmp_path, case):
    files = write_table(tmp_path, case)
    options = shlex.split(case.get("options", ""))
    answer = run(case.get("verb", "read"), *files, *options, "--json")
    if "asks" in case or "fails" in case:
        assert answer.startswith("Error"), answer[:500]
        for text in case.get("asks", [case.get("fails")]):
            assert text in answer, answer
        for text in case.get("never", []):
            assert text not in answer, answer
        for typed in list_options(answer) if "asks" in case else ():
            more = run(case.get("verb", "read"), *files, *options, *typed, "--json")
            leads_on = not more.startswith("Error") or more != answer
            assert leads_on, (typed, more)
        return
    assert not answer.startswith("Error"), answer
    found = json.loads(answer)
    assert "`" not in found["asked"], found["asked"]  # too few runs are no question of reading
    notes = " ".join(found["notes"])
    for field, expected in case["reads"].items():
        if field == "unused":
            assert f"Columns not used: {expected}." in notes
        elif field == "note":
            assert expected in notes
        elif field == "columns":
            assert {name: found["columns"][name] for name in expected} == expected
        else:
            assert found[field] == expected, field


def test_ordinary_tables_ask_twice_at_most(run, tmp_path):
    asked = []
    for number, case in enumerate(ORDINARY):
        folder = tmp_path / str(number)
        files = [str(folder / name) for name in write_table(folder, case)]
        answer = run("read", *files)
        asked += [case["name"]] * answer.startswith("Error")
    assert len(ORDINARY) == 12
    assert len(asked) <= 2, asked
