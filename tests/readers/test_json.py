"""JSON of training scripts, and tables without runs."""

import json

import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from study_import import read
from test_folders import EXPECTED, scores

RECORDS = [{"model": m, "seed": s, "acc": value} for (m, s), value in EXPECTED.items()]
NESTED = [
    {"config": {"model": m, "seed": s, "lr": 0.1}, "metrics": {"acc": value, "loss": 0.3}}
    for (m, s), value in EXPECTED.items()
]


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize("records", [RECORDS, NESTED])
def test_json_list_and_json_lines(tmp_path, records):
    lines = "\n".join(map(json.dumps, records)) + "\n\n"
    files = [write(tmp_path / "a.json", records), write(tmp_path / "b.jsonl", lines)]
    for source in (*files, records):
        metrics, _ = read(source, metric="acc")
        assert scores(metrics, "acc") == EXPECTED


def test_nested_keys_use_their_last_name_if_unique(tmp_path):
    records = [
        {"model": m, "seed": s, "train": {"acc": 1.0}, "test": {"acc": value}}
        for (m, s), value in EXPECTED.items()
    ]
    metrics, _ = read(write(tmp_path / "a.json", records), metric="test.acc")
    assert scores(metrics.rename(columns={"test.acc": "acc"}), "acc") == EXPECTED


def test_name_with_a_dot_is_kept():
    records = [{"model": m, "seed": s, "test.acc": v} for (m, s), v in EXPECTED.items()]
    metrics, _ = read(records, metric="test.acc")
    assert scores(metrics.rename(columns={"test.acc": "acc"}), "acc") == EXPECTED


def test_columns_and_scores_by_model(tmp_path):
    frame = pd.DataFrame(RECORDS)
    for orient in ("columns", "records", "list"):
        content = json.loads(frame.to_json(orient=orient)) if orient != "list" else (
            frame.to_dict("list"))  # fmt: skip
        metrics, _ = read(write(tmp_path / f"{orient}.json", content), metric="acc")
        assert scores(metrics, "acc") == EXPECTED
    by_model = {m: [EXPECTED[m, s] for s in range(4)] for m in "ab"}
    for content in (by_model, {m: {"acc": values} for m, values in by_model.items()}):
        metrics, about = read(write(tmp_path / "models.json", content), metric="acc")
        assert {(r.model, r.fold): r.acc for r in metrics.itertuples()} == EXPECTED
        assert any("score i" in note for note in about.notes)
    with pytest.raises(ReseedError, match="a has 4, b has 3"):
        read({"a": {"acc": [0.1] * 4}, "b": {"acc": [0.1] * 3}})


def test_one_file_a_run_is_named_by_its_path(tmp_path):
    for (model, seed), value in EXPECTED.items():
        folder = tmp_path / "runs" / model / f"seed_{seed}"
        write(folder / "metrics.json", {"metrics": {"acc": value}, "epoch": 10})
        write(folder / "config.json", {"lr": 0.1})
    metrics, _ = read(tmp_path / "runs", metric="acc")
    assert scores(metrics, "acc") == EXPECTED
    # What a file says goes before its path.
    for (model, seed), value in EXPECTED.items():
        write(tmp_path / "flat" / f"{model}_{seed}.json",
              {"arch": model, "seed": seed, "acc": value})  # fmt: skip
    assert scores(read(tmp_path / "flat")[0], "acc") == EXPECTED
    with pytest.raises(ReseedError, match="hold no score with the name of a known metric"):
        read(list(tmp_path.rglob("config.json")))


def test_index_levels_with_one_name():
    index = pd.MultiIndex.from_product([["a", "b"], [0, 1]], names=["model", "model"])
    with pytest.raises(ReseedError, match="'model' more than once"):
        read(pd.DataFrame({"acc": [0.1, 0.2, 0.3, 0.4]}, index=index))
