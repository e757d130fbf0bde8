"""Tables of (input, command, what it answers): readings, answers, questions and refusals."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

HERE = Path(__file__).parent
CASES = [
    case
    for name in ("readings", "answers", "refusals")
    for case in yaml.safe_load((HERE / f"{name}.yaml").read_text(encoding="utf-8"))
]
ORDINARY = [case for case in CASES if case.get("ordinary")]
#: What an option asks for that a test cannot invent.
_OPEN = ("COLUMN", "…", "FILE", "--runs N")


def write_table(folder: Path, case: dict) -> list[str]:
    """The names of the case's files. In a table of one line ` / ` ends a line."""
    tables = case["files"] if "files" in case else {case.get("file", "t.csv"): case["table"]}
    for name, content in tables.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if "\n" in content else content.replace(" / ", "\n") + "\n"
        path.write_text(text, encoding=case.get("encoding", "utf-8"))
    return case.get("arguments") or ([case["folder"]] if "folder" in case else [*tables])


def list_options(error: str) -> list[list[str]]:
    """The options of each answer that an error prints, as typed."""
    answers = re.findall(r"`--[^`]+`(?: and `--[^`]+`)*", error)
    typed = [[o for o in re.findall(r"`(--[^`]+)`", one)] for one in answers]
    return [
        [word for option in one for word in shlex.split(option)]
        for one in typed
        if not any(text in option for option in one for text in _OPEN)
    ]


def check_holds(found: Any, expected: Any, where: str) -> None:
    """That a part of an answer is as expected; numbers to the digits that are written."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            check_holds(found[name], value, f"{where}.{name}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for number, pair in enumerate(zip(found, expected, strict=True)):
            check_holds(*pair, f"{where}[{number}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-5), where
    else:
        assert found == expected, where


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_door(run, tmp_path, case):
    files, verb = write_table(tmp_path, case), case.get("verb", "read")
    command = [verb, *files, *shlex.split(case.get("options", "")), "--json"]
    command += ["answer.json"] if verb == "gate" else []
    answer = run(*command)
    if "asks" in case or "fails" in case:
        assert answer.startswith("Error"), answer[:500]
        texts = case.get("asks") or case["fails"]
        for text in [texts] if isinstance(texts, str) else texts:
            assert text in answer, answer
        for text in case.get("never", []):
            assert text not in answer, answer
        for typed in list_options(answer) if "asks" in case else ():
            more = run(*command, *typed)
            assert not more.startswith("Error") or more != answer, (typed, more)
        return
    assert not answer.startswith("Error"), answer
    found = json.loads((tmp_path / "answer.json").read_text() if verb == "gate" else answer)
    reads = {**case.get("answers", {}), **case.get("reads", {})}
    if verb == "read":
        assert "`" not in found["asked"], found["asked"]  # too few runs are no question of reading
    notes = " ".join(found.get("notes", []))
    if "unused" in reads:
        assert f"Columns not used: {reads.pop('unused')}." in notes
    assert reads.pop("note", "") in notes
    check_holds(found, reads, "reads")


def test_ordinary_tables_ask_twice_at_most(run, tmp_path):
    asked = []
    for number, case in enumerate(ORDINARY):
        folder = tmp_path / str(number)
        files = [str(folder / name) for name in write_table(folder, case)]
        answer = run("read", *files)
        asked += [case["name"]] * answer.startswith("Error")
    assert len(ORDINARY) == 12
    assert len(asked) <= 2, asked
