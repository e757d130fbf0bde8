"""Folders of logs and result files: which of their runs are read, and what is left out."""

import json
import struct

import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from reseed.readers import import_results
from reseed.readers.sources import open_source
from study_import import read

EXPECTED = {(m, s): round(0.7 + 0.1 * i + s / 100, 3) for i, m in enumerate("ab") for s in range(4)}


def scores(metrics, metric):
    return {(r.model, r.init): getattr(r, metric) for r in metrics.itertuples()}


def lm_eval(folder, model, seed, subtasks=True):
    values = {"mmlu": 0.6, "mmlu_stem": 0.5 + seed / 100, "mmlu_law": 0.7, "arc": 0.4}
    entry = {
        "results": {task: {"acc,none": value} for task, value in values.items()},
        "groups": {"mmlu": {"acc,none": 0.6}},
        "config": {"fewshot_seed": seed},
        "model_name": model,
    }
    if subtasks:
        entry["group_subtasks"] = {"mmlu": ["mmlu_stem", "mmlu_law"], "arc": []}
    folder = folder / model
    folder.mkdir(exist_ok=True)
    (folder / f"results_{seed}.json").write_text(json.dumps(entry))


@pytest.mark.parametrize("subtasks", [True, False])
def test_task_groups_are_left_out_if_tasks_are_present(tmp_path, subtasks):
    for model in "ab":
        for seed in range(2):
            lm_eval(tmp_path, model, seed, subtasks)
    metrics, about = read([tmp_path / "a", tmp_path / "b"], metric="acc")
    assert set(metrics["dataset"]) == {"mmlu_stem", "mmlu_law", "arc"}
    assert any("mmlu" in note and "mean of its tasks" in note for note in about.notes)
    assert tmp_path.name in about.notes[0]


def lightning(folder, value, epochs=2):
    folder.mkdir(parents=True)
    log = [f"{e},{10 * e},0.{e + 1}," for e in range(epochs)]
    text = "\n".join(["epoch,step,train_loss,test_acc", *log, f"{epochs},{10 * epochs},,{value}"])
    (folder / "metrics.csv").write_text(text + "\n")


def test_log_rows_without_the_score_are_dropped(tmp_path):
    for (model, seed), value in EXPECTED.items():
        lightning(tmp_path / model / f"seed_{seed}" / "lightning_logs" / "version_0", value)
    metrics, about = read(tmp_path, metric="test_acc")
    assert scores(metrics, "test_acc") == EXPECTED
    assert any("16 rows of a log hold no score" in note for note in about.notes)


def trainer(folder, value, **more):
    """What Hugging Face's `Trainer` writes of a run."""
    folder.mkdir(parents=True)
    scored, trained = {"eval_accuracy": value, "eval_loss": 0.3}, {"train_loss": 0.1}
    files = {"eval": scored, "train": trained, "all": scored | trained | more}
    for name, content in files.items():
        (folder / f"{name}_results.json").write_text(json.dumps({"epoch": 3.0} | content))


def test_two_models_with_equal_perfect_scores_stay_two(tmp_path):
    for seed in range(3):
        folder = tmp_path / f"seed_{seed}"
        folder.mkdir()
        for model in ("rf", "svm"):
            (folder / f"{model}.json").write_text(json.dumps({"acc": 1.0}))
    assert set(read(tmp_path, metric="acc")[0]["model"]) == {"rf", "svm"}


def test_files_without_the_requested_metric_are_left_out(tmp_path):
    for (model, seed), value in EXPECTED.items():
        trainer(tmp_path / model / f"seed_{seed}", value)
        (tmp_path / model / f"seed_{seed}" / "all_results.json").unlink()
    metrics, _ = read(tmp_path, metric="eval_accuracy")
    assert scores(metrics, "eval_accuracy") == EXPECTED


def event_file(folder, tag, value):
    folder.mkdir(parents=True)
    scalar = b"\x15" + struct.pack("<f", value)
    entry = b"\x0a" + bytes([len(tag)]) + tag.encode() + scalar
    summary = b"\x0a" + bytes([len(entry)]) + entry
    event = b"\x10\x01\x2a" + bytes([len(summary)]) + summary
    path = folder / "events.out.tfevents.1.h"
    path.write_bytes(struct.pack("<QI", len(event), 0) + event + b"\0\0\0\0")
    return path


def test_keras_training_folder_is_not_a_second_model(tmp_path):
    files = []
    for (model, seed), value in EXPECTED.items():
        event_file(tmp_path / model / f"seed_{seed}" / "train", "epoch_acc", value + 0.1)
        place = tmp_path / model / f"seed_{seed}" / "validation"
        files.append(event_file(place, "epoch_acc", value))
    expected = pytest.approx(EXPECTED)
    with pytest.raises(ReseedError, match="holds parts of the data"):
        read(tmp_path, metric="epoch_acc")
    metrics, _ = read(tmp_path, metric="epoch_acc", keep={"part": "validation"})
    assert scores(metrics, "epoch_acc") == expected
    assert scores(read(files, metric="epoch_acc")[0], "epoch_acc") == expected
    folders = [tmp_path / "a", tmp_path / "b"]
    kept = read(folders, metric="epoch_acc", keep={"part": "validation"})[0]
    assert scores(kept, "epoch_acc") == expected
    assert scores(read(files[:4], metric="epoch_acc")[0], "epoch_acc") == pytest.approx(
        {run: value for run, value in EXPECTED.items() if run[0] == "a"}
    )


def test_number_inside_a_name_is_not_a_fold(tmp_path):
    for (model, seed), value in EXPECTED.items():
        event_file(tmp_path / f"alphafold{'ab'.index(model)}" / f"seed_{seed}", "acc", value)
    metrics, _ = read(tmp_path, metric="acc")
    assert set(metrics["model"]) == {"alphafold0", "alphafold1"}
    assert set(metrics["fold"]) == {0}


def _tables(folder, names, **columns):
    """A table of two folds in each file; a fold's score tells its file's number in `names`."""
    for i, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        table = pd.DataFrame({"fold": [0, 1], "acc": [0.5 + i / 100, 0.6 + i / 100]})
        table.assign(**columns).to_csv(path, index=False)
    return folder


@pytest.mark.parametrize(
    "names",
    [
        ["rf_seed0.csv", "rf_seed1.csv", "svm_seed0.csv", "svm_seed1.csv"],
        ["rf/seed_0.csv", "rf/seed_1.csv", "svm/seed_0.csv", "svm/seed_1.csv"],
        ["rf/seed=0/out.csv", "rf/seed=1/out.csv", "svm/seed=0/out.csv", "svm/seed=1/out.csv"],
    ],
)
def test_file_names_supply_model_and_seed(tmp_path, names):
    metrics, about = import_results(_tables(tmp_path, names), {}, {"name": "mine"})
    first = metrics[metrics["fold"] == 0].set_index(["model", "init"])["acc"]
    assert first.round(6).to_dict() == {
        ("rf", 0): 0.5, ("rf", 1): 0.51, ("svm", 0): 0.52, ("svm", 1): 0.53
    }  # fmt: skip
    assert "By the names of the files: seed, model." in about.notes


def test_error_names_the_file_that_is_not_json(tmp_path):
    for i, text in enumerate(['{"acc": 0.5}', "{broken"]):
        (tmp_path / f"seed{i}.json").write_text(text)
    with pytest.raises(ReseedError, match=r"seed1\.json: cannot be read as JSON"):
        import_results(tmp_path, {"metric": "acc"}, {"name": "mine"})


@pytest.mark.parametrize(("names", "left_out"), [("a.csv b.txt", "b.txt"), ("a.txt", "")])
def test_text_files_next_to_tables_are_left_out(tmp_path, names, left_out):
    for name in names.split():
        text = "model,seed,acc\na,1,0.5\na,2,0.6\nb,1,0.7\nb,2,0.8\n"
        (tmp_path / name).write_text(text if name[0] == "a" else "remarks\n")
    table = open_source(tmp_path)
    assert table.path == str(tmp_path / names.split()[0])
    noted = [note.partition("tables: ")[2] for note in table.notes]
    assert noted == ([f"{left_out}."] if left_out else [])


def test_a_folder_without_tables_is_named(tmp_path):
    (tmp_path / "plot.png").write_text("")
    with pytest.raises(ReseedError, match=f"^{tmp_path}: holds no table"):
        open_source(tmp_path)


def test_a_folder_of_too_many_files_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("reseed.readers.foreign_files.MOST_FILES", 3)
    (tmp_path / ".git").mkdir()
    for name in ("a.csv", "b.csv", "c.csv", ".git/1", ".git/2"):
        (tmp_path / name).write_text(f"seed,auc\n{ord(name[0])},0.5\n")
    open_source(tmp_path)
    (tmp_path / "d.csv").write_text("")
    with pytest.raises(ReseedError, match=r"holds more than 3 files.*Name the folder"):
        open_source(tmp_path)
