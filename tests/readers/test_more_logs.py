"""Every Eval Ever, trec_eval, TREC runs, Zstandard, trainer states and reports of skore."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import reseed
from reseed import ReseedError, compare
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_scores
from reseed.readers.sources import open_source

LOGS = Path(__file__).parent / "logs"


def _sample(number, score, model="org/a", run="quiz/a/1", **changes):
    """A sample as the converters of Every Eval Ever 0.2 write it."""
    return {
        "schema_version": "0.2.1", "evaluation_id": run, "model_id": model,
        "evaluation_name": "quiz", "sample_id": f"id{number}", "sample_hash": f"h{number}",
        "interaction_type": "single_turn",
        "input": {"raw": f"Question {number}", "formatted": None, "reference": ["x"],
                  "choices": None},
        "output": {"raw": [" D"], "reasoning_trace": []}, "messages": None,
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score > 0, "num_turns": None,
                       "tool_calls_count": None},
        "token_usage": None, "performance": None, "error": None,
        "metadata": {"stop_reason": "stop", "epoch": "1", "passage": f"p{number // 2}"},
    } | changes  # fmt: skip


def _write(path, samples):
    path.write_text("\n".join(json.dumps(one) for one in samples) + "\n")


def _every_eval_ever(folder):
    scores = {"org/a": [1.0, 0.0, 1.0, 1.0], "org/b": [0.0, 0.0, 1.0, 0.0]}
    for model, values in scores.items():
        stem = model[-1]
        samples = [_sample(n, v, model, f"quiz/{stem}/1") for n, v in enumerate(values)]
        _write(folder / f"{stem}_samples.jsonl", samples)
        result = {"evaluation_name": "quiz", "metric_config": {"lower_is_better": False},
                  "score_details": {"score": sum(values) / 4}}  # fmt: skip
        aggregate = {"schema_version": "0.2.1", "evaluation_results": [result]}
        (folder / f"{stem}.json").write_text(json.dumps(aggregate))
    return scores


def test_every_eval_ever_means_equal_the_aggregate(tmp_path):
    _every_eval_ever(tmp_path)
    found = reseed.compare(tmp_path)
    board = found.leaderboard.set_index("model")["mean"]
    for stem in "ab":
        stated = json.loads((tmp_path / f"{stem}.json").read_text())["evaluation_results"][0]
        assert board[f"org/{stem}"] == stated["score_details"]["score"]
    (metric,) = set(found.leaderboard["metric"])
    assert open_source(tmp_path).layout.directions == {metric: True}
    assert "Read as Every Eval Ever samples: 2 file(s)." in found.notes
    clustered = reseed.compare(tmp_path, cluster="passage")
    assert "2 clusters" in " ".join(clustered.notes)
    assert "cluster" not in " ".join(found.notes)


def test_every_eval_ever_epochs_errors_and_inputs(tmp_path):
    rows = []
    for model, values in {"org/a": [1.0, 0.0], "org/b": [0.5, 0.0]}.items():
        for epoch in ("1", "2"):
            rows += [
                _sample(n, v, model, model, metadata={"epoch": epoch}) for n, v in enumerate(values)
            ]
    path = tmp_path / "log.jsonl"
    _write(path, rows)
    table = open_source(path).frame
    assert sorted(table["repetition"].unique()) == ["1", "2"]
    _write(path, [*rows[:-1], rows[-1] | {"error": "timeout"}])
    with pytest.raises(ReseedError, match=r"scores are missing \(org/b 1\)"):
        compare(path, greater_is_better=True)
    assert compare(path, failed="repeats", greater_is_better=True).leaderboard["mean"].tolist() == [
        0.5,
        0.25,
    ]
    _write(path, [*rows[:-1], rows[-1] | {"sample_hash": "other"}])
    with pytest.raises(ReseedError, match="item id1 of quiz has another input"):
        compare(path)
    path.write_text(path.read_text()[:-30])
    with pytest.raises(ReseedError, match=r"Every Eval Ever samples \(line 8: .*convert"):
        compare(path)


def test_every_eval_ever_results_are_metrics(tmp_path):
    rows = [_sample(n, 1.0, evaluation_result_id=name) for n in (1, 2) for name in ("em", "f1")]
    _write(tmp_path / "a.jsonl", rows)
    with pytest.raises(ReseedError, match=r"(?s)several metrics.*em.*f1"):
        compare(tmp_path)
    assert read_scores(tmp_path, ReadOptions(metric="f1"))[0].metric == "f1"


def _trec_eval(path, tag, values):
    """Output of `trec_eval -q -m map -m num_ret`: names padded to 22 characters."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for query, value in values.items():
        lines += [f"{'num_ret':22s}\t{query}\t100", f"{'map':22s}\t{query}\t{value:.4f}"]
    mean = np.mean(list(values.values()))
    lines += [f"{'runid':22s}\tall\t{tag}", f"{'num_q':22s}\tall\t{len(values)}",
              f"{'map':22s}\tall\t{mean:.4f}"]  # fmt: skip
    path.write_text("\n".join(lines) + "\n")


def test_output_of_trec_eval(tmp_path):
    rng = np.random.default_rng(0)
    values = {
        (tag, seed): {f"{q}": round(rng.random(), 4) for q in range(301, 311)}
        for tag in ("bm25", "dense")
        for seed in (1, 2, 3)
    }
    for (tag, seed), one in values.items():
        _trec_eval(tmp_path / tag / f"seed_{seed}" / "eval.txt", tag, one)
    found = reseed.compare(tmp_path)
    assert found.leaderboard["n"].tolist() == [3, 3]
    for tag, mean in found.leaderboard.set_index("model")["mean"].items():
        runs = [np.mean(list(one.values())) for (name, _), one in values.items() if name == tag]
        assert mean == pytest.approx(np.mean(runs), abs=1e-12)
    assert set(found.leaderboard["metric"]) == {"map"}
    assert found.verdicts["covers"].item() == "new seeds and new items"


def test_damaged_output_of_trec_eval_is_refused(tmp_path):
    path = tmp_path / "run" / "eval.txt"
    _trec_eval(path, "bm25", {"1": 0.5, "2": 0.25})
    whole = path.read_text()
    path.write_text(whole[: whole.index("runid")])
    with pytest.raises(ReseedError, match="has no line `runid`"):
        open_source(path)
    path.write_text("map                   \tall\t0.5\n")
    with pytest.raises(ReseedError, match=r"holds no scores of queries. Run `trec_eval -q`"):
        open_source(path)
    path.write_text(whole + "map\t3\n")
    with pytest.raises(ReseedError, match=r"trec_eval -q \(line 8: .*Run `trec_eval -q` again"):
        open_source(path)


def _trec_run(path, tag, rng, queries=8):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for query in range(1, queries):  # the last query has no results
        for rank, document in enumerate(rng.permutation(20)[:10]):
            lines.append(f"q{query} Q0 d{document} {rank + 1} {10 - rank:.2f} {tag}")
    path.write_text("\n".join(lines) + "\n")


def test_trec_runs_are_scored_by_the_library(tmp_path):
    ir_measures = pytest.importorskip("ir_measures")
    rng = np.random.default_rng(1)
    qrels = tmp_path / "qrels.txt"
    judged = [f"q{q} 0 d{d} {rng.integers(0, 3)}" for q in range(1, 9) for d in range(0, 20, 2)]
    qrels.write_text("\n".join(judged) + "\n")
    for tag in ("bm25", "dense"):
        for seed in (1, 2):
            _trec_run(tmp_path / tag / f"seed_{seed}" / "top.run", tag, rng)
    with pytest.raises(ReseedError, match=r"(?s)several metrics.*nDCG@10.*AP.*RR"):
        reseed.compare(tmp_path)
    for name in ("nDCG@10", "AP", "ndcg_cut_10"):
        table = open_source(tmp_path, ReadOptions(metric=name)).frame
        measure = ir_measures.nDCG @ 10 if name != "AP" else ir_measures.AP
        for (tag, seed), rows in table.groupby(["model", "seed"]):
            run = tmp_path / tag / f"seed_{seed}" / "top.run"
            expected = ir_measures.calc_aggregate(
                [measure], list(ir_measures.read_trec_qrels(str(qrels))),
                list(ir_measures.read_trec_run(str(run))),
            )  # fmt: skip
            assert len(rows) == 8
            assert rows["value"].mean() == pytest.approx(expected[measure], abs=1e-15)
    assert reseed.compare(tmp_path, metric="AP").leaderboard["n"].tolist() == [2, 2]
    with pytest.raises(ReseedError, match="'best' is no measure of ir_measures"):
        open_source(tmp_path, ReadOptions(metric="best"))


def test_trec_runs_need_one_file_of_judgements(tmp_path):
    _trec_run(tmp_path / "bm25" / "top.run", "bm25", np.random.default_rng(1))
    with pytest.raises(ReseedError, match=r"0 files of judgements \(qrels\) beside TREC runs"):
        open_source(tmp_path)


def test_logs_of_inspect_compressed_with_zstandard(tmp_path):
    """The file was written with zipfile-zstd, as Inspect writes it with INSPECT_USE_ZSTD."""
    path = tmp_path / "log.eval"
    shutil.copy(LOGS / "zstandard.eval", path)
    table = open_source(path)
    assert table.frame["value"].tolist() == [1, 0, 1, 1]
    assert table.frame["model"].unique().tolist() == ["m/zstd"]
    content = bytearray(path.read_bytes())
    content[200] ^= 255  # in a sample
    path.write_bytes(bytes(content))
    with pytest.raises(ReseedError, match="cannot be read as Inspect logs"):
        open_source(path)


def _trainer_state(folder, accuracy, steps=(100, 200)):
    """A state as the Trainer of transformers 5 writes it."""
    folder.mkdir(parents=True)
    history = []
    for number, step in enumerate(steps):
        history.append({"epoch": number + 1.0, "grad_norm": 1.0, "learning_rate": 1e-5,
                        "loss": 0.7, "step": step})  # fmt: skip
        history.append({"epoch": number + 1.0, "eval_accuracy": accuracy - 0.1 * (len(steps) - 1
                        - number), "eval_loss": 0.5, "eval_runtime": 1.2,
                        "eval_samples_per_second": 99.0, "step": step})  # fmt: skip
    state = {
        "best_global_step": None, "best_metric": None, "best_model_checkpoint": None,
        "epoch": 2.0, "eval_steps": 500, "global_step": steps[-1],
        "is_hyper_param_search": False, "is_local_process_zero": True,
        "is_world_process_zero": True, "log_history": history, "logging_steps": 100,
        "max_steps": steps[-1], "num_train_epochs": 2, "save_steps": 500, "trial_name": None,
        "trial_params": None,
    }  # fmt: skip
    (folder / "trainer_state.json").write_text(json.dumps(state))
