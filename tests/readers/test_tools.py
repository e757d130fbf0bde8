"""Exports of experiment trackers, searches and evaluation tools."""

import json
import struct
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from reseed.config.studies import ResultsFormat
from reseed.core.errors import ReseedError
from reseed.readers.options import ReadOptions
from reseed.readers.sources import FORMATS, read_source
from reseed.readers.tensorboard import read_scalars
from study_import import read

TABLES = Path(__file__).parent / "tables"
RUNS = [(model, seed, round(0.8 + 0.1 * i + seed / 100, 3)) for i, model in enumerate("ab")
        for seed in range(3)]  # fmt: skip


def scores(metrics, metric):
    return {(r.model, r.init): getattr(r, metric) for r in metrics.itertuples()}


def csv(tmp_path, rows, columns):
    path = tmp_path / "export.csv"
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    return path


EXPECTED = {(model, seed): value for model, seed, value in RUNS}


def test_the_configuration_knows_every_format():
    assert set(get_args(ResultsFormat)) == set(FORMATS)


@pytest.mark.parametrize(
    ("tool", "columns", "row", "metric"),
    [
        (
            "mlflow_ui",
            "Start Time,Duration,Run ID,Name,Source Type,Source Name,User,Status,model,seed,acc",
            lambda m, s, v: ("2024-01-01", "2s", f"{m}{s}", "", "", "", "", "FINISHED", m, s, v),
            "acc",
        ),
        (
            "wandb",
            "Name,State,Runtime,Sweep,model,seed,_step,test/acc",
            lambda m, s, v: (f"brisk-{m}-{s}", "finished", 12 + s, "", m, s, 90, v),
            "test/acc",
        ),
        (
            "clearml",
            "TYPE,NAME,TAGS,STATUS,PROJECT,USER,STARTED,UPDATED,ITERATION,Args/model,Args/seed,acc",
            lambda m, s, v: ("Training", f"t{s}", "", "Completed", "", "", "", "", 9, m, s, v),
            "acc",
        ),
        (
            "ray",
            "acc,timestamp,done,training_iteration,trial_id,time_total_s,config/model,config/seed",
            lambda m, s, v: (v, 1, True, 5, f"{m}{s}", 2.5 + s, m, s),
            "acc",
        ),
        (
            "mlflow",
            "run_id,status,params.model,params.seed,params.epochs,metrics.acc",
            lambda m, s, v: (f"{m}{s}", "FINISHED", m, s, 3, v),
            "acc",
        ),
    ],
)
def test_each_tracker_is_recognised(tmp_path, tool, columns, row, metric):
    path = csv(tmp_path, [row(*run) for run in RUNS], columns.split(","))
    assert read_source(path).layout.format == tool
    metrics, about = read(path, metric=metric)
    found = metrics.set_index(["model", "init"])[metric].to_dict()
    assert found == EXPECTED
    assert not any(note.startswith("Warning") for note in about.notes)


def test_lists_of_scores_stay_paired_by_position():
    by_dataset = {"cola": [0.5, 0.6, 0.7], "sst2": [0.8, 0.9, 0.7]}
    options = ReadOptions(metric="accuracy", headings="dataset")
    table = read_source({"a": by_dataset, "b": by_dataset}, options)
    assert table.layout.format == "datasets_in_columns"
    assert table.layout.is_positional


def test_sweep_gives_a_warning(tmp_path):
    columns = ["Name", "State", "Runtime", "model", "lr", "epoch", "acc"]
    rows = [(f"r{s}", "finished", s, m, 10.0**-s, s, v) for m, s, v in RUNS]
    path = csv(tmp_path, rows, columns)
    _, about = read(path)
    warning = next(note for note in about.notes if note.startswith("Warning"))
    assert "lr (3 values)" in warning
    assert "epoch" not in warning
    metrics, about = read(csv(tmp_path, rows * 2, columns), columns={"model": ["model", "lr"]})
    assert "a, lr=0.1" in set(metrics["model"])
    assert not any(note.startswith("Warning") for note in about.notes)


def test_an_optuna_study_names_its_settings():
    metrics, about = read(TABLES / "optuna.csv", metric="accuracy")
    assert sorted(metrics["accuracy"].dropna()) == [0.1, 0.1, 0.2, 0.3, 0.3]
    assert about.trials.failures[0].error == "status PRUNED"
    assert any("params_lr (3 values)" in n for n in about.notes if n.startswith("Warning"))
    without = pd.read_csv(TABLES / "optuna.csv").drop(columns="params_model")
    with pytest.raises(ReseedError, match=r"model: \[params_lr\]"):
        read(without, metric="accuracy")


def lm_eval(folder, model, seed, values):
    entry = {
        "results": {
            task: {"alias": task, "acc,none": value, "acc_stderr,none": 0.01,
                   "exact_match,strict-match": value / 2}
            for task, value in values.items()
        },
        "higher_is_better": {task: {"acc": True, "exact_match": True} for task in values},
        "config": {"model": "hf", "model_args": f"pretrained=org/{model},dtype=float16",
                   "random_seed": 0, "fewshot_seed": seed},
    }  # fmt: skip
    path = folder / f"results_{model}_{seed}.json"
    path.write_text(json.dumps(entry))
    return path


def test_lm_eval_results(tmp_path):
    for model, base in (("small", 0.5), ("large", 0.7)):
        for seed in range(3):
            lm_eval(tmp_path, model, seed, {"arc": base + seed / 100, "piqa": base})
    metrics, about = read(tmp_path, metric="acc")
    assert set(metrics["model"]) == {"org/small", "org/large"}
    arc = metrics[(metrics["dataset"] == "arc") & (metrics["model"] == "org/small")]
    assert dict(zip(arc["init"], arc["acc"], strict=True)) == {0: 0.5, 1: 0.51, 2: 0.52}
    assert "acc_stderr" not in metrics
    assert any("fewshot_seed" in note for note in about.notes)
    _, about = read(tmp_path, metric="exact_match (strict-match)")
    assert about.datasets["arc"].greater_is_better is True
    other = tmp_path / "results_other.json"
    other.write_text("{}")
    with pytest.raises(ReseedError, match=r"results_other.json.*no result file"):
        read(tmp_path, metric="acc")


def test_tensorboard_without_tensorboard():
    metrics, about = read(TABLES / "tensorboard", metric="val/accuracy")
    # As written by tensorboardX: 0.9 or 0.92, a hundredth a step of three, a thousandth a seed.
    expected = {("resnet", 0): 0.92, ("resnet", 1): 0.921, ("vit", 0): 0.94, ("vit", 1): 0.941}
    found = metrics.set_index(["model", "init"])["val/accuracy"].to_dict()
    assert found == pytest.approx(expected)
    assert any("last step" in note for note in about.notes)


def varint(value):
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def message(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def test_scalars_as_tensors(tmp_path):
    """The other encoding (TensorFlow 2): `Value.tensor`, a `TensorProto` of one float or double."""
    kinds = {"f": (1, struct.pack("<f", 0.25)), "d": (2, struct.pack("<d", 0.125))}
    events = b""
    for step, (tag, (code, content)) in enumerate(kinds.items(), 300):
        tensor = varint(1 << 3) + varint(code) + message(2, b"") + message(4, content)
        summary = message(1, message(1, tag.encode()) + message(8, tensor))
        record = varint(2 << 3) + varint(step) + message(5, summary)
        events += struct.pack("<QI", len(record), 0) + record + b"\0\0\0\0"
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(events)
    assert list(read_scalars(path)) == [(300, "f", 0.25), (301, "d", 0.125)]
    path.write_bytes(events[:-9])  # a run that was killed while it wrote
    assert list(read_scalars(path)) == [(300, "f", 0.25)]
    path.write_bytes(b"not an event file at all, but long enough to look at")
    with pytest.raises(ReseedError, match="read as a TensorBoard event file"):
        read_source(path)


def test_several_files_with_one_model_each(tmp_path):
    for model in "ab":
        rows = [(s, v) for m, s, v in RUNS if m == model]
        pd.DataFrame(rows, columns=["seed", "acc"]).to_csv(tmp_path / f"{model}.csv", index=False)
    metrics, _ = read([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert scores(metrics, "acc") == EXPECTED
    assert scores(read(tmp_path)[0], "acc") == EXPECTED
    (tmp_path / "b.csv").write_text("seed,acc\n0,x\n1,0.5\n")
    with pytest.raises(ReseedError, match=r"line 2 of b.csv"):
        read(tmp_path)


def test_public_benchmark_with_one_metric_for_each_dataset():
    """Runs, datasets and failures as counted in the file itself."""
    table = pd.read_csv(TABLES / "automl.csv")
    metrics, about = read(TABLES / "automl.csv", metric=["auc", "logloss"])
    assert len(metrics) == len(table)
    by_task = table.groupby("task")["auc"].apply(lambda auc: auc.notna().any())
    expected = {task: "auc" if has else "logloss" for task, has in by_task.items()}
    assert {d: e.metric for d, e in about.datasets.items()} == expected
    score = table["auc"].where(table["task"].map(expected) == "auc", table["logloss"])
    assert about.trials.failed == int(score.isna().sum())
    assert about.datasets["Shuttle"].greater_is_better is False
    metrics, about = read(TABLES / "automl.csv", metric="auc")
    assert set(metrics["dataset"]) == {task for task, has in by_task.items() if has}
    lost = table[table["task"].isin(set(metrics["dataset"]))]["auc"].isna().sum()
    assert about.trials.failed == int(lost)
    # Frameworks share folds, not seeds: nobody is said to lack seeds.
    assert not any("model seeds" in note for note in about.notes)
    assert np.isfinite(metrics.loc[metrics["status"] == "ok", "auc"]).all()


@pytest.mark.parametrize(("metric", "sign"), [("accuracy", 1), ("root_mean_squared_error", -1)])
def test_leaderboards_of_autogluon(tmp_path, metric, sign):
    """More of every score is better, so errors are negated; validation scores decide nothing."""
    rows = pd.DataFrame({
        "model": ["CatBoost", "LightGBM"] * 3, "seed": np.repeat(range(3), 2),
        "score_test": [sign * x for x in (0.9, 0.8, 0.91, 0.82, 0.92, 0.81)],
        "score_val": sign * 0.7,
        "eval_metric": metric, "pred_time_test": 0.1, "fit_time": [1.0, 2.0] * 3,
        "stack_level": 1, "can_infer": True, "fit_order": [1, 2] * 3,
    })  # fmt: skip
    rows.to_csv(tmp_path / "leaderboard.csv", index=False)
    metrics, about = read(tmp_path / "leaderboard.csv")
    assert list(metrics[metric]) == list(rows["score_test"])
    assert [one.greater_is_better for one in about.datasets.values()] == [True]
    rows = rows.drop(columns="score_test")
    rows.to_csv(tmp_path / "leaderboard.csv", index=False)
    metrics, _ = read(tmp_path / "leaderboard.csv")
    assert set(metrics[metric]) == {sign * 0.7}
