"""What headings and labels say of runs: `fold_3`, `seed 7`, `Fold01.Rep2`, `fold0_acc`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import NamedTuple

import pandas as pd

#: Word before a number → Reseed's column; `run` is the common word for a repeated training.
_STEMS = {
    **dict.fromkeys(["fold", "folds", "cv", "kfold", "split"], "fold"),
    **dict.fromkeys(
        ["seed", "run", "trial", "random_state", "random_seed", "model_seed", "rng", "training"],
        "seed",
    ),
    **dict.fromkeys(["rep", "reps", "repeat", "replicate", "replication", "repl"], "repeat"),
    "repetition": "repetition",
    **dict.fromkeys(["resample", "partition", "bootstrap", "data_seed", "split_seed"], "data_seed"),
}
#: Letters that mean a repeat and a fold where both stand together: `r1f3`.
_LETTERS = {"r": "repeat", "f": "fold", "s": "seed"}
#: Words of headings that say that each is a dataset: `dataset1`, `task 2`.
_DATASET_STEMS = {"dataset", "data", "task", "problem", "env", "environment", "benchmark", "corpus"}
_WORDS = "|".join(
    sorted((word.replace("_", r"[\s_\-.]*") for word in _STEMS), key=len, reverse=True)
)
_PART = re.compile(
    rf"(?<![a-z])({_WORDS})s?[\s_\-.#=:(\[]*(\d+)(?:\.0+)?[)\]]?(?![a-z\d])(?!\.\d)", re.I
)
#: A number before its word (`1st fold`), or a letter after it (`fold A`).
_ORDINAL = re.compile(rf"(\d+)(?:st|nd|rd|th|\.)?[\s_\-]*({_WORDS})", re.I)
_LETTERED = re.compile(rf"({_WORDS})[\s_\-.]+([a-z])", re.I)
_SHORT = re.compile(r"([rfs])(\d+)[\s_\-.]*([rfs])(\d+)", re.I)
#: The end of a label from its last character on, which takes time in proportion to its length: a
#: number, and the letter of a run where it stands alone. `rf_1`, `rf1`, `mnli_s0`.
_END = re.compile(r"(\d{1,18})(?!\d)[\s_\-.]*(?:([sf])[\s_\-.]+)?", re.I)
_NAME = re.compile(r"\d*[^\W\d]")
#: What may stand beside the number of a run without naming a metric: a part of the data, a count.
_SAYS_NOTHING = re.compile(
    r"((test|val|valid|validation|dev|eval|evaluation)(ing)?|of[\s_]*\d+|x)?"
)
#: With more columns that differ only in a number, it need not count from 0 or 1.
_FEW = 3
_NUMBER = re.compile(r"\d+")
#: The assumption made where folds are numbered by position.
POSITION_NOTE = (
    "Folds were numbered by their position and taken as one cross-validation: for repeated or "
    "shuffled splits give `test_train_ratio` (0.25 for 5 folds or an 80/20 split)."
)


class RunColumn(NamedTuple):
    """What a heading says of the run in its column: numbers by column, and the metric or "".

    Where each of several stems has each run (`mnli_seed0`, `rte_seed0`), `metric` is the dataset.
    """

    numbers: dict[str, int]
    metric: str = ""


def parse_run(text: str) -> RunColumn | None:
    """The numbers in a heading or label, and what else it says; None if it names no run."""
    plain = text.strip()
    short = _SHORT.fullmatch(plain)
    if short and short[1].lower() != short[3].lower():
        pairs = ((short[1], short[2]), (short[3], short[4]))
        return RunColumn({_LETTERS[letter.lower()]: int(number) for letter, number in pairs})
    if ordinal := _ORDINAL.fullmatch(plain):
        return RunColumn({_find_kind(ordinal[2]): int(ordinal[1])})
    if lettered := _LETTERED.fullmatch(plain):
        return RunColumn({_find_kind(lettered[1]): ord(lettered[2].lower()) - ord("a")})
    numbers: dict[str, int] = {}
    for match in _PART.finditer(plain):
        kind = _find_kind(match[1])
        if kind in numbers:
            return None
        numbers[kind] = int(match[2])
    if "repetition" in numbers and "fold" in numbers and "repeat" not in numbers:
        numbers["repeat"] = numbers.pop("repetition")  # of a cross-validation
    if not numbers:
        return None
    rests = [part.strip(" _-.,;:/|()[]=~×@") for part in _PART.sub("\0", plain).split("\0")]
    rest = "_".join(filter(None, rests))
    return RunColumn(numbers, "" if _SAYS_NOTHING.fullmatch(rest.lower()) else rest)


def _find_kind(word: str) -> str:
    name = re.sub(r"[\s\-.]+", "_", word.lower())
    return _STEMS.get(name) or _STEMS[re.sub(r"_", "", name)] if name else "seed"


def find_numbered_columns(columns: Iterable[str]) -> dict[str, RunColumn]:
    """Columns named by the numbers of a run alone (`fold_3`, `Fold01.Rep2`, `4`), if several."""
    runs = {}
    for column in columns:
        run = parse_run(column)
        if run and not run.metric:
            runs[column] = run
        elif re.fullmatch(r"\d+", column.strip()):
            runs[column] = RunColumn({"fold": int(column)})
    kinds = {tuple(sorted(run.numbers)) for run in runs.values()}
    return runs if len(runs) > 1 and len(kinds) == 1 else {}


def find_crossed_columns(columns: Iterable[str]) -> dict[str, RunColumn]:
    """Columns of several stems, each of which has several runs: `mnli_s0`, `rte_s0`, …"""
    labels = [*columns]
    parsed = {column: run for column in labels if (run := parse_run(column)) and run.metric}
    return cross_runs(parsed | parse_endings(column for column in labels if column not in parsed))


def cross_runs(runs: dict[str, RunColumn], fewest: int = 2) -> dict[str, RunColumn]:
    """The runs, if each of several stems has so many, numbered by the same columns; else none."""
    counts = Counter(run.metric for run in runs.values())
    kinds = {tuple(run.numbers) for run in runs.values()}
    is_crossed = len(counts) > 1 and min(counts.values()) >= fewest and len(kinds) == 1
    return runs if is_crossed else {}


def parse_endings(labels: Iterable[str], counted: str = "") -> dict[str, RunColumn]:
    """Labels that end with the letter and number of a run, `bert-s0`, if the numbers count up.

    counted: what a number without a letter counts, `bert-0`, where it counts up for each name.
    """
    runs = {label: run for label in labels if (run := _parse_end(label.strip(), counted))}
    by_name: dict[str, set[int]] = {}
    for run in runs.values():
        by_name.setdefault(run.metric if counted else "", set()).update(run.numbers.values())
    return runs if all(map(count_up, by_name.values())) else {}


def _parse_end(label: str, counted: str) -> RunColumn | None:
    """The number at the end of a label and the name before it, as `parse_endings` reads them."""
    end = _END.match(label[::-1])
    if end is None or not (end[2] or counted):
        return None
    name = label[: len(label) - end.end()]
    kind = _LETTERS[end[2].lower()] if end[2] else counted
    is_name = name and _NAME.match(label[: len(name) + 1])  # `2_0` has one, `2.0` and `2-0` none
    return RunColumn({kind: int(end[1][::-1])}, name) if is_name else None


def count_up(numbers: Iterable[float]) -> bool:
    """Whether distinct numbers are 0, 1, 2, … or 1, 2, 3, … in any order."""
    ordered = sorted(numbers)
    return ordered in ([*range(len(ordered))], [*range(1, len(ordered) + 1)])


def find_family(columns: Sequence[str]) -> list[str]:
    """Columns that differ only in a number (`auc1`, `auc2`), if most are; of several stems too.

    Two or three count from 0 or 1. Nothing says what the number counts: not families of runs, nor
    of datasets by their name.
    """
    families: dict[str, dict[str, int]] = {}
    for column in columns:
        numbers = _NUMBER.findall(column)
        if len(numbers) == 1:
            families.setdefault(_NUMBER.sub("#", column.strip()), {})[column] = int(numbers[0])
    shared = [
        column
        for one, other in permutations(families.values(), 2)
        if len({*one.values()} & {*other.values()}) > 1
        for column in one
    ]
    if 2 * len({*shared}) > len(columns):  # `mnli_0`, `mnli_1`, `rte_0`, `rte_1`
        return [*dict.fromkeys(shared)]
    for pattern, members in families.items():
        stem = re.sub(r"[^a-z]+", "", pattern.lower())
        is_counted = count_up(members.values())
        is_most = len(members) > 1 and 2 * len(members) > len(columns)
        if (is_counted or len(members) > _FEW) and is_most and stem not in _DATASET_STEMS:
            return list(members)
    return []


def parse_run_labels(text: pd.Series) -> dict[str, dict[str, int]]:
    """The numbers in each label of a column by Reseed's column: `Fold01.Rep2` as fold and repeat.

    Empty unless all labels number the same columns, and say no more.
    """
    numbers: dict[str, dict[str, int]] = {}
    kinds: set[str] = set()
    for label in text.unique():
        run = parse_run(label)
        if run is None or run.metric or {*run.numbers} != (kinds or {*run.numbers}):
            return {}
        kinds, numbers[label] = {*run.numbers}, run.numbers
    return numbers


def number_labels(text: pd.Series) -> pd.Series | None:
    """Labels as whole numbers: `1`, `1.0`, `01`, `Fold01` and `fold 1` are all 1; else None.

    Labels with different words (`rep1`, `fold1`) stay different.
    """
    words = set()
    numbers = {}
    for label in text.unique():
        match = re.fullmatch(r"([^\d+\-.]*?)[\s_\-.#=]*(-?\d+)(?:\.0+)?", label.strip().lower())
        if not match or abs(int(match[2])) >= 2**53:
            return None
        words.add(match[1])
        numbers[label] = int(match[2])
    return text.map(numbers) if len(words - {""}) <= 1 else None
