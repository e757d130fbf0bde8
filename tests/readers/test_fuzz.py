"""Random and damaged sources: a reading or one `ReseedError`, never another exception.

`RESEED_FUZZ_SECONDS=600 pytest tests/readers/test_fuzz.py` tries new seeds for ten minutes.
"""

import json
import os
import random
import re
import shutil
import time
import traceback
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from reseed.comparison.reading import describe_reading
from reseed.core.errors import ReseedError
from reseed.readers.design import choose_design
from reseed.readers.options import ReadOptions
from reseed.readers.paper_tables import read_means
from reseed.readers.read import read_scores
from reseed.readers.sources import open_source
from reseed.readers.study_tables import tabulate_runs

HEADINGS = [
    *("model", "dataset", "seed", "fold", "repeat", "repetition", "data_seed", "metric", "value"),
    *("score", "accuracy", "auc", "rmse", "item", "cluster", "prompt", "y_true", "y_score"),
    *("y_pred", "status", "n_train", "n_test", "id", "id2", "epoch", "step", "fold 1", "fold 2"),
    *("seed_1", "seed_2", "rf~ROC", "svm~ROC", "split0_test_score", "mean_fit_time", "fit_time"),
    *("score_time", "test_score", "params", "metric_error", "framework", "task", "result", "Name"),
    *("", "Unnamed: 0", "a b", "µ", "x" * 300, "acc (%)", "1", "2", "sd", "acc_std", "mean", "n"),
    *("function", "flow_name", "data_name", "values", "version", "mode", "param_C", "log", "resps"),
    *("label", "gold", "pred_rf", "pred_svm", "svm_prob", "rf_seed1", "rf_seed2", "svm_seed1"),
    *("svm_seed2", "rf_acc", "svm_acc", "rf_f1", "svm_f1", "correct", "task_id", "subject", "tp"),
    *("accuracy ↑", "config/lr", "params.model", "metrics.auc", "_step", "state", "\x00z", "rank"),
]
CELLS = [
    *("", "nan", "0", "1", "2", "0.5", "0.91", "-3", "1e999", "1e-400", "9" * 400, "True"),
    *("C", "I"),
    *("a", "b", "rf", "svm", "mean", "std", "0,5", "1.234,5", "90.1 ± 0.4", "90.1 (0.4)", "[1, 2]"),
    *("80.1%", "79 %", "rf_seed1", "rf_seed2", "svm_seed1", "svm_seed2", "seed 1", "seed 2"),
    *("Fold01.Rep2", "Fold02.Rep1", "fold 1", "{'C': 1}", "train", "test", "\x00", "ü", "-", "inf"),
    *("2024-01-01", "finished", "failed", "\\textbf{1}", "|", '"', "x" * 500, "[", "{", "null"),
]
VALUES = [
    *(None, True, 0, 1, 0.5, -1.5, 10**400, float("nan"), float("inf"), "", "a", "rf", [], {}),
    *([1, 2], [[1], [2, 3]], {"model": "a"}, {"accuracy": 0.5}, ["a", None], "\ud800"),
]


def make_column(rng: random.Random, rows: int) -> list[str]:
    if rng.random() < 0.5:
        few = rng.sample(CELLS, rng.randint(1, 3))
        return [rng.choice(few) for _ in range(rows)]
    return [
        f"{rng.random():.3f}" if rng.random() < 0.97 else rng.choice(CELLS) for _ in range(rows)
    ]


def make_frame(rng: random.Random) -> pd.DataFrame:
    rows, names = rng.randint(0, 12), rng.sample(HEADINGS, rng.randint(1, 8))
    if rng.random() < 0.7:
        names = list(dict.fromkeys(["model", *names]))
    return pd.DataFrame({name: make_column(rng, rows) for name in names})


def make_grid(rng: random.Random) -> pd.DataFrame:
    """A plausible table: models × runs (× items), with some columns and cells of another kind."""
    factors = {"model": ["rf", "svm", "nb"][: rng.randint(1, 3)]}
    for name in rng.sample(["dataset", "seed", "fold", "repeat", "item", "prompt", "split"], 2):
        factors[name] = [
            f"{name} {i}" if rng.random() < 0.2 else i for i in range(rng.randint(1, 5))
        ]
    frame = pd.DataFrame(list(product(*factors.values())), columns=list(factors))
    for name in rng.sample(["accuracy", "auc", "rmse", "drift", "score", "value", "correct"], 2):
        frame[name] = [
            rng.choice([0, 1]) if name == "correct" else rng.random() for _ in frame.index
        ]
    frame = frame.astype(object)
    for name in rng.sample(HEADINGS, rng.randint(0, 2)):
        frame[name] = make_column(rng, len(frame))
    for _ in range(rng.randint(0, 2)):
        frame.iloc[rng.randrange(len(frame)), rng.randrange(frame.shape[1])] = rng.choice(CELLS)
    if rng.random() < 0.2:
        frame = frame.drop(frame.index[rng.randrange(len(frame))])
    if rng.random() < 0.2 and len(factors["model"]) > 1:
        rows, columns = rng.sample(list(factors), 2)
        frame = frame.pivot_table(
            index=rows, columns=columns, values=frame.columns[3], aggfunc="first"
        )
    return frame.reset_index(drop=rng.random() < 0.3)


def make_json(rng: random.Random, depth: int = 0):
    if depth > 3 or rng.random() < 0.3:
        return rng.choice(VALUES)
    if rng.random() < 0.5:
        return [make_json(rng, depth + 1) for _ in range(rng.randint(0, 4))]
    names = rng.sample([*HEADINGS, "results", "samples", "eval", "scores", "evaluation_results"], 3)
    return {name: make_json(rng, depth + 1) for name in names}


def make_object(rng: random.Random):
    """Something in memory: frames of unusual types, dicts by model, arrays."""
    frame = make_frame(rng)
    kind = rng.randrange(9)
    if kind == 0:
        frame = frame.apply(pd.to_numeric, errors="coerce") if len(frame) else frame
        return frame.assign(model=["a", "b"] * (len(frame) // 2) + ["a"] * (len(frame) % 2))
    if kind == 1:
        return frame.assign(when=pd.Timestamp("2024-01-01"), raw=b"\xff", many=[[1]] * len(frame))
    if kind == 2:
        return {name: [rng.choice(VALUES) for _ in range(3)] for name in rng.sample(HEADINGS, 3)}
    if kind == 3:
        return {m: np.array([rng.random() for _ in range(rng.randint(0, 5))]) for m in "abc"}
    if kind == 4:
        return np.full((rng.randint(0, 4), rng.randint(0, 3)), rng.choice([np.nan, 1.0, np.inf]))
    if kind > 6:
        return make_grid(rng)
    if kind == 5:
        return frame.astype("category").set_index(list(frame.columns[:1]))
    return [make_json(rng, 2) for _ in range(rng.randint(0, 4))]


def damage(rng: random.Random, content: bytes) -> bytes:
    data = bytearray(content or b" ")
    for _ in range(rng.randint(1, 2)):
        place = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[place] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[place : place + rng.randint(1, 30)]
        elif kind == 2:
            data[place:place] = rng.choice([b"\x00", b"\xed\xa0\x80", b'"', b"\n", b"\xff", b"{"])
        else:
            data = data[: place + 1]
        data = data or bytearray(b"x")
    return bytes(data)


def write_file(rng: random.Random, folder):
    """A path to a file of one of the formats, damaged in half of the cases."""
    frame = (make_grid if rng.random() < 0.7 else make_frame)(rng)
    kind = rng.choice(["csv", "csv", "tsv", "json", "jsonl", "parquet", "xlsx", "md", "tex", "txt"])
    path = folder / f"runs_{rng.choice(['seed_1', 'a', 'rf'])}.{kind}"
    if kind in ("csv", "txt", "tsv"):
        frame.to_csv(path, index=rng.random() < 0.3, sep="\t" if kind == "tsv" else ",")
    elif kind == "parquet":
        frame.to_parquet(path)
    elif kind == "xlsx":
        pytest.importorskip("openpyxl")
        clean = frame.replace(r"[\x00-\x1f]", "", regex=True)
        clean.rename(columns=lambda name: str(name).replace("\x00", "")).to_excel(path, index=False)
    elif kind in ("json", "jsonl"):
        content = make_json(rng) if rng.random() < 0.7 else frame.to_dict("records")
        lines = content if kind == "jsonl" and isinstance(content, list) else [content]
        path.write_text("\n".join(map(json.dumps, lines)))
    else:
        rows = [list(frame.columns), *frame.to_numpy().tolist()]
        mark, end = ("|", "|") if kind == "md" else ("&", r"\\")
        path.write_text("\n".join(mark.join(map(str, row)) + end for row in rows), "utf-8")
    if rng.random() < 0.2:
        path.write_bytes(damage(rng, path.read_bytes()))
    return path


def copy_logs(rng: random.Random, folder):
    """A copy of real logs or tables of tools, of which one file or more is damaged."""
    parent = Path(__file__).parent
    source = rng.choice(
        [*sorted((parent / "logs").iterdir()), *sorted((parent / "tables").iterdir())]
    )
    target = folder / "logs"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    if source.is_dir():
        shutil.copytree(source, target / source.name)
    else:
        shutil.copy(source, target / source.name)
    files = [path for path in target.rglob("*") if path.is_file()]
    for path in rng.sample(files, rng.randint(0, 2) % (len(files) + 1)):
        content = path.read_bytes()
        is_text = path.suffix in (".json", ".jsonl") and rng.random() < 0.5
        path.write_bytes(swap_values(rng, content) if is_text else damage(rng, content))
    return target if rng.random() < 0.7 else rng.choice(files)


def swap_values(rng: random.Random, content: bytes) -> bytes:
    """JSON with some value of another type."""
    new = json.dumps(rng.choice(VALUES)).encode()
    spans = [m.span(1) for m in re.finditer(rb": ?(\d+(?:\.\d+)?|\"[^\"]*\"|\{|\[)", content)]
    start, end = rng.choice(spans)
    if content[start:end] in (b"{", b"["):  # the name of the field changes instead
        return content[:start] + b'null, "other": ' + content[start:]
    return content[:start] + new + content[end:]


def make_options(rng: random.Random) -> ReadOptions:
    if rng.random() < 0.4:
        return ReadOptions(greater_is_better=rng.choice([None, True]))
    columns = {}
    if rng.random() < 0.3:
        role = rng.choice(["model", "seed", "fold", "item", "value", "dataset", "cluster", "zzz"])
        columns[role] = rng.choice([*HEADINGS, ["model", "seed"]])
    return ReadOptions(
        columns=columns,
        metric=rng.choice([None, None, "accuracy", "auc", ["auc", "rmse"], {"data": "auc"}, "zzz"]),
        greater_is_better=rng.choice([None, True, False, {"auc": False}]),
        headings=rng.choice(["", "", "fold", "seed", "model", "dataset"]),
        rows=rng.choice(["", "", "fold", "item", "dataset", "last", "mean", "repetition"]),
        leave_out=rng.choice([(), (), (), ["seed"], ["zzz"]]),
        keep=rng.choice([{}, {}, {}, {"model": "rf"}]),
        paths=rng.choice(["", "", "", "{model}_{seed}"]),
        format=rng.choice(["auto"] * 6 + ["csv", "lm_eval", "json"]),
        test_train_ratio=rng.choice([None, 0.25]),
        seed_draws=rng.choice([None, None, "split"]),
    )


def try_source(source, options: ReadOptions, rng: random.Random) -> None:
    if rng.random() < 0.15:
        read_means(open_source(source), runs=5)
        return
    required = rng.choice([("model",), ("model", "item"), ()])
    scores = read_scores(open_source(source, options), options, required)
    scores.source.raise_errors()
    if rng.random() < 0.3:
        list(describe_reading(source, options).lines())
    if len(set(scores.metrics.values())) == 1:
        scores.items()
    choose_design(scores).describe()
    tabulate_runs(scores, options, {"name": "fuzz"})


def run_seed(seed: int, folder) -> str:
    """What else than a reading or a ReseedError a seed gives; empty if nothing."""
    rng = random.Random(seed)
    try:
        is_file = rng.random() < 0.7
        make = rng.choice([write_file, write_file, copy_logs])
        source = make(rng, folder) if is_file else make_object(rng)
        options = make_options(rng)
    except (ValueError, TypeError, OverflowError, ImportError):
        return ""  # a writer that refuses what was made
    try:
        try_source(source, options, rng)
    except ReseedError as error:
        return "" if str(error).strip() else f"seed {seed}: an empty message"
    except Exception:
        return f"seed {seed}: {options}\n{traceback.format_exc()}"
    return ""


@pytest.mark.filterwarnings("ignore")
def test_random_sources_are_read_or_refused(tmp_path):
    seconds = float(os.environ.get("RESEED_FUZZ_SECONDS", "0"))
    end, seed, found = time.monotonic() + seconds, 0, []
    while seed < 150 or (time.monotonic() < end and len(found) < 20):
        found += [text for text in [run_seed(seed, tmp_path)] if text]
        seed += 1
    assert not found, "\n".join(found)
