"""Messages on tables of newcomers propose commands; each proposed command is run."""

import json
import re
import shlex
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from reseed.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run `reseed` in an empty folder; the output, or the text of its error."""
    monkeypatch.chdir(tmp_path)

    def run(command):
        try:
            main(shlex.split(command))
        except SystemExit as end:
            return str(end.code)
        return capsys.readouterr().out

    return run


def grid(**columns):
    return pd.DataFrame(list(product(*columns.values())), columns=list(columns))


def write_errors():
    table = grid(model=["rf", "xgb"], seed=range(8))
    noise = np.random.default_rng(0).normal(0, 0.01, len(table))
    table = table.assign(error=table["model"].map({"rf": 0.1, "xgb": 0.2}) + noise)
    table.to_csv("runs.csv", index=False)


def test_a_column_of_errors_is_a_score_if_it_is_named(run):
    write_errors()
    refused = run("compare runs.csv")
    assert "'error' may hold messages or exit codes" in refused
    (proposed,) = re.findall(r"`(--metric [^`]+)`", refused)
    for options in (proposed, "--column value=error"):
        answer = run(f"compare runs.csv {options} --quiet")
        assert answer.startswith("rf has the best mean error_score, 0.1")


def test_errors_of_a_metric_are_one_error(run):
    write_errors()
    pd.read_csv("runs.csv").assign(metric="roc_auc").to_csv("runs.csv", index=False)
    refused = run("compare runs.csv --column value=error")
    assert "seems to hold errors" in refused
    assert "guessing" not in refused
    answer = run("compare runs.csv --column value=error --lower-is-better --quiet")
    assert "rf has the best" in answer


def test_means_have_one_option(run, tmp_path):
    table = "Method,CoLA,SST-2\nBERT,52.1 ± 0.9,93.5 ± 0.3\nOurs,54.0 ± 1.1,93.9 ± 0.2\n"
    (tmp_path / "table.csv").write_text(table, encoding="utf-8")
    refused = run("compare table.csv")
    (proposed,) = re.findall("number of runs: `(.+?)`", refused)
    answer = run(f"compare table.csv {proposed} 5 --metric accuracy --json")
    assert [row["outcome"] for row in json.loads(answer)["verdicts"]] == ["undecided"] * 2


def write_samples(path, wrong):
    fields = {"target": "A", "resps": [["A"]], "doc_hash": "x"}
    rows = [
        fields | {"doc_id": i, "doc": {"q": f"q{i}"}, "acc": float(i % wrong > 0), "acc_norm": 1.0}
        for i in range(60)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def test_the_command_for_samples_works(run, tmp_path):
    write_samples(tmp_path / "samples_a.jsonl", 2)
    write_samples(tmp_path / "OTHER.jsonl", 20)
    refused = run("compare samples_a.jsonl")
    proposed = re.findall(r"`reseed ([^`]+)`", refused)[0]
    assert proposed == "compare samples_a.jsonl OTHER.jsonl --metric acc"
    assert "better than samples_a by 45 points" in run(proposed)


def test_the_answer_offers_a_deterministic_baseline(run):
    dense = [0.43, 0.44, 0.45, 0.44, 0.435, 0.445]
    rows = [("bm25", 0, 0.41), *(("dense", seed, score) for seed, score in enumerate(dense))]
    pd.DataFrame(rows, columns=["model", "seed", "ndcg"]).to_csv("runs.csv", index=False)
    first = run("compare runs.csv --baseline bm25")
    assert first.startswith("Not tested: dense against bm25, too few runs")
    proposed, *_ = re.findall(r"--deterministic \w+", first)
    answer = run(f"compare runs.csv --baseline bm25 {proposed} --quiet")
    assert answer.startswith("Yes: dense is better than bm25 by 3.")
    assert "by your word" not in run(f"compare runs.csv {proposed}")


def write_states():
    noise = np.random.default_rng(0)
    for model, seed in product(["bert", "roberta"], range(6)):
        entry = {"eval_loss": 0.5 + noise.normal(0, 0.01), "eval_runtime": 1.0, "step": 9}
        entry["eval_accuracy"] = 0.8 + 0.1 * (model == "bert") + noise.normal(0, 0.01)
        folder = Path(f"runs/{model}/seed_{seed}")
        folder.mkdir(parents=True)
        (folder / "trainer_state.json").write_text(json.dumps({"log_history": [entry]}))


@pytest.mark.parametrize("options", ["", "--metric eval_accuracy"])
def test_one_trainer_state_is_one_run(run, options):
    write_states()
    refused = run(f"compare runs/bert/seed_0/trainer_state.json {options}")
    assert "is one run of one model" in refused
    (proposed,) = re.findall(r"`reseed ([^`]+)`", refused)
    assert run(f"{proposed} --quiet").startswith("bert has the best mean eval_accuracy")


def test_a_loss_is_not_the_first_proposal(run):
    write_states()
    assert "`--metric eval_accuracy`" in run("compare runs")
    assert run("compare runs --metric eval_loss --quiet").count("best mean eval_loss")


def test_grades_of_inspect_are_scores(run):
    table = grid(model=["gpt", "llama"], id=range(40), epoch=[1, 2])
    share = table["model"].map({"gpt": 0.9, "llama": 0.3})
    right = np.random.default_rng(0).random(len(table)) < share
    table.assign(score=np.where(right, "C", "I")).to_csv("inspect.csv", index=False)
    refused = run("compare inspect.csv")
    assert "not a number" not in refused
    assert "errors:" not in refused
    (proposed,) = re.findall(r"`(--column [^`]+)`", refused)
    text = run(f"compare inspect.csv {proposed}")
    assert "Column 'score' was read as grades: C is 1, I is 0." in text
    assert f"{right[:80].mean():.4g}" in text
    assert "better than llama" in text


def test_letters_of_answers_are_not_grades(run):
    table = grid(model=["a", "b"], item=range(40))
    table.assign(score=np.resize(["A", "B", "C"], 80)).to_csv("answers.csv", index=False)
    assert "'A', which is not a number" in run("compare answers.csv")


def test_two_lines_of_headings_keep_every_name(run, tmp_path):
    rows = [f"{m},{s},0.9{s},0.8{s},0.7{s},0.6{s}" for m in "ab" for s in range(6)]
    head = [",,digits,digits,wine,wine", "model,seed,acc,f1,acc,f1"]
    (tmp_path / "two.csv").write_text("\n".join([*head, *rows]))
    assert "Choose one: `--metric digits_acc`" in run("compare two.csv")
    text = run("compare two.csv --metric digits_acc")
    assert "Two lines of headings were joined: seed, digits_acc, digits_f1, wine_acc," in text
    assert json.loads(run("compare two.csv --metric digits_acc --json"))["ranking"][0]["n"] == 6


def test_two_lines_of_headings_of_pandas_and_spreadsheets(run, tmp_path):
    columns = pd.MultiIndex.from_product([["rf", "gbm"], ["accuracy", "f1"]], names=["m", "k"])
    index = pd.Index(range(6), name="seed")
    scores = np.arange(24).reshape(6, 4) % 5 / 10
    pd.DataFrame(scores, index, columns).to_csv("pandas.csv")
    head = [",rf,,gbm,", "seed,accuracy,f1,accuracy,f1"]
    rows = [f"{s},{','.join(map(str, row))}" for s, row in enumerate(scores)]
    (tmp_path / "merged.csv").write_text("\n".join([*head, *rows]))
    read = [
        run(f"compare {name}.csv --headings model --metric f1") for name in ("pandas", "merged")
    ]
    assert read[0].replace("pandas.csv", "merged.csv") == read[1]
    assert "gbm has the best mean F1, 0.2167" in read[0]


def test_a_second_line_of_numbers_is_a_run(run, tmp_path):
    (tmp_path / "two.csv").write_text("seed,rf,rf\n1,0.5,0.6\n2,0.5,0.6")
    assert "has the column 'rf' more than once" in run("compare two.csv")


def test_flags_of_test_cases_are_no_models(run):
    table = pd.DataFrame({"id": range(60), "gpt": [1, 0] * 30, "pi": [1, 0, 0] * 20})
    table = table.assign(is_long=[0, 1] * 30, has_image=[1, 1, 0] * 20)
    table.to_csv("flags.csv", index=False)
    assert "Read 2 columns (gpt, pi) as one model each." in run("compare flags.csv")
    table.rename(columns={"gpt": "correct", "pi": "easy"}).to_csv("one.csv", index=False)
    assert "has no column that names the model" in run("compare one.csv")


def test_attempts_next_to_columns_of_hits_are_read(run):
    table = pd.DataFrame({"task_id": np.repeat(range(20), 3), "attempt": [*range(3)] * 20})
    table.assign(gpt=[1, 1, 1, 0] * 15, pi=[1, 0, 0] * 20).to_csv("attempts.csv", index=False)
    assert "20 items; 3 repeats nested in each" in run("compare attempts.csv")


def test_columns_of_hits_are_models(run):
    table = pd.DataFrame({"task_id": [f"HumanEval/{i}" for i in range(60)]})
    table = table.assign(gpt=np.resize([1, 1, 1, 0], 60), llama=np.resize([1, 0, 0], 60))
    table.to_csv("hits.csv", index=False)
    text = run("compare hits.csv")
    assert "Read 2 columns (gpt, llama) as one model each." in text
    assert "better than llama by 42 points" in text  # 45 of 60 against 20 of 60
