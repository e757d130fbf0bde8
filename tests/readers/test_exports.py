"""Logs of epochs, charts, DVC, lists of names, votes, and kinds of files that are not read."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_scores


def grid(score="accuracy", **values):
    rows = pd.DataFrame([*itertools.product(*values.values())], columns=[*values])
    return rows.assign(**{score: np.linspace(0.5, 0.9, len(rows)).round(4)})


def read(source, **options):
    return read_scores(source, ReadOptions(**options))[0]


EPOCHS = grid(model=["cnn", "vit"], seed=range(3), epoch=range(4))


def test_the_last_step_of_each_run_is_read():
    scores = read(EPOCHS.sample(frac=1, random_state=0), rows="step")
    last = EPOCHS[EPOCHS["epoch"] == 3]
    assert sorted(scores.frame["value"]) == sorted(last["accuracy"])
    assert any("no best step was chosen" in note for note in scores.notes)


@pytest.mark.parametrize("table", [EPOCHS, EPOCHS.assign(loss=0.1)])
def test_a_log_of_epochs_proposes_it(table):
    with pytest.raises(ReseedError, match="rows='step'"):
        reseed.compare(table, metric="accuracy")


def test_steps_need_a_column_that_counts_them():
    with pytest.raises(ReseedError, match="no column counts steps"):
        read(EPOCHS.drop(columns="epoch").drop_duplicates(["model", "seed"]), rows="step")


def test_the_last_score_that_a_log_holds_is_read():
    log = EPOCHS.assign(accuracy=EPOCHS["accuracy"].where(EPOCHS["epoch"] < 3).astype(object))
    scores = read(log.fillna(""), rows="step")
    assert sorted(scores.frame["value"]) == sorted(EPOCHS[EPOCHS["epoch"] == 2]["accuracy"])


def test_lines_of_a_chart_are_runs():
    lines = [f"{model}-s{seed} - val_acc" for model in ("cnn", "vit") for seed in range(2)]
    chart = {"Step": [1, 2, 3]}
    for n, line in enumerate(lines):
        chart |= {line: [0.1, 0.5 + n / 10, ""], f"{line}__MIN": 0, f"{line}__MAX": 1}
    frame = read(pd.DataFrame(chart)).frame
    assert frame["model"].tolist() == ["cnn", "cnn", "vit", "vit"]
    assert frame["seed"].tolist() == [0, 1, 0, 1]
    assert frame["value"].tolist() == pytest.approx([0.5, 0.6, 0.7, 0.8])


def test_a_chart_of_other_names_is_refused_with_a_way():
    chart = pd.DataFrame({"Step": [1, 2], "run-1 - val_acc": 0.5, "run-2 - val_acc": 0.6})
    with pytest.raises(ReseedError, match="Export the table of runs instead"):
        read(chart)


def test_experiments_of_dvc():
    table = pd.DataFrame({
        "Experiment": [*"abcd"], "rev": [*"efgh"], "typ": "baseline", "Created": "2024",
        "dvclive/metrics.json:acc": [0.7, 0.8, 0.9, 0.6], "params.yaml:model": ["x", "y"] * 2,
        "params.yaml:seed": [0, 0, 1, 1], "params.yaml:lr": 0.1,
    })  # fmt: skip
    scores = read(table)
    assert scores.source.layout.format == "dvc"
    assert [*scores.metrics.values()] == ["acc"]
    assert scores.models == ["x", "y"]


def test_lists_of_names_are_no_scores(tmp_path):
    path = tmp_path / "report.json"
    for content in ({"gpt": {"resolved": ["a"]}}, {"resolved_ids": ["a"], "total": 3}):
        path.write_text(json.dumps(content))
        with pytest.raises(ReseedError, match=r"holds names \(a, …\).*1 where it is named"):
            read(path)


def test_words_at_both_levels_of_a_dict_are_asked():
    given = {d: {m: [0.7, 0.8, n / 10] for n, m in enumerate("xy")} for d in ("iris", "wine")}
    with pytest.raises(ReseedError, match="Where each is a model: `headings: model`"):
        read(given)
    scores = read(given, headings="model", metric="accuracy")
    assert scores.models == ["x", "y"]
    assert [*scores.metrics] == ["iris", "wine"]


@pytest.mark.parametrize("suffix", ["npy", "yaml", "html", "docx", "pkl", "ods", "gz", "db"])
def test_other_kinds_of_files_are_named(tmp_path, suffix):
    path = tmp_path / f"results.{suffix}"
    path.write_bytes(b"\x93NUMPY")
    with pytest.raises(ReseedError, match=r"Files that are read: CSV"):
        read(path)


def test_cases_of_several_organs_are_items_of_datasets():
    table = grid("dice", method=["a", "b"], case=range(12), organ=["liver", "spleen"])
    with pytest.raises(ReseedError, match="'case' names test cases, and 'organ'"):
        reseed.compare(table)


def test_predictions_of_tidymodels():
    table = grid(".p", model=["a", "b"], **{".row": range(10)}).drop(columns=".p")
    table = table.assign(id="Fold1", truth="yes", **{".pred_class": ["yes", "no"] * 10})
    scores = read(table.assign(truth=["yes", "yes", "no", "no", "yes"] * 4))
    assert len(scores.predictions) == 1


def test_settings_of_hydra_and_swe_bench():
    hydra = grid("acc", **{"cfg.model": ["a", "b"], "cfg.seed": range(3)})
    assert read(hydra).models == ["a", "b"]
    swe = grid("x", model_name_or_path=["a", "b"], instance_id=range(9)).drop(columns="x")
    assert read(swe.assign(resolved=[True, False, True] * 6)).has_items


def test_a_vote_between_two_models_is_no_score():
    votes = pd.DataFrame({"model_a": "x", "model_b": "y", "winner": ["model_a", "tie"]})
    with pytest.raises(ReseedError, match="a vote between two models"):
        read(votes)


def test_a_comment_of_a_monitor_is_no_heading(tmp_path):
    path = tmp_path / "x_seed0.csv"
    path.write_text('#{"t": 1, "env_id": "Pole"}\nmodel,seed,reward\na,0,1.5\nb,0,2\n')
    assert read(path).models == ["a", "b"]


def test_two_lines_of_headings_of_words_are_asked(tmp_path):
    path = tmp_path / "dice.csv"
    rows = "\n".join(f"p{n},0.9{n},0.8{n},0.7{n},0.6{n}" for n in range(6))
    path.write_text(f",Liver,,Spleen,\nCase,nnUNet,UNETR,nnUNet,UNETR\n{rows}\n")
    with pytest.raises(ReseedError, match=r"\(Liver, Spleen\) and \(UNETR, nnUNet\)"):
        read(path)
    assert len(read(path, headings="model", metric="accuracy").models) == 4


def test_a_metric_named_as_a_dataset_may_be_is_asked():
    table = grid("BLEU", system=["a", "b"], seed=range(5)).assign(COMET=0.8, latency_ms=3.0)
    with pytest.raises(ReseedError, match=r"may be the score: BLEU, COMET\."):
        read(table)


def test_columns_of_signs_without_a_name_are_left_out(tmp_path):
    path = tmp_path / "t.md"
    rows = ["|model|seed|acc| | |", "|--|--|--|--|--|", "|a|0|0.7|\u2191|±|", "|b|0|0.8|\u2191|±|"]
    path.write_text("\n".join(rows))
    assert read(path).models == ["a", "b"]
