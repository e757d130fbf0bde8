"""Logs of lm-eval, Inspect and HELM, with the fields that these harnesses write."""

import json
import zipfile

import pytest
import reseed
from reseed import ReseedError, compare
from reseed.readers.converters.evaluation_logs import read_evaluation_logs
from reseed.readers.files import FileSet
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_scores
from reseed.readers.sources import open_source

_DATE = "2026-11-03T10-00-00.123456"


def _lm_eval(folder, model, right, doc_hash="h", seed=1234):
    """Results and samples with two filters, as lm-eval 0.4.13 writes them."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for filter_name, values in (("strict-match", right), ("flexible-extract", [1] * len(right))):
        for number, value in enumerate(values):
            sample = {
                "doc_id": number, "doc": {"question": f"q{number}", "subject": f"s{number // 2}"},
                "target": "4", "arguments": {"gen_args_0": {"arg_0": f"q{number}"}},
                "resps": [["4"]], "filtered_resps": ["4"], "filter": filter_name,
                "metrics": ["exact_match"], "doc_hash": f"{doc_hash}{number}",
                "prompt_hash": "p", "target_hash": "t", "exact_match": float(value),
            }  # fmt: skip
            lines.append(json.dumps(sample))
    (folder / f"samples_gsm8k_{_DATE}.jsonl").write_text("\n".join(lines) + "\n")
    results = {
        "results": {"gsm8k": {"exact_match,strict-match": sum(right) / len(right)}},
        "higher_is_better": {"gsm8k": {"exact_match": True}},
        "config": {"random_seed": 0, "numpy_seed": seed, "torch_seed": seed, "fewshot_seed": seed},
        "model_name": model,
    }
    (folder / f"results_{_DATE}.json").write_text(json.dumps(results))


def _inspect(path, model, values, status="success", failed=(), as_zip=False):
    """Two epochs a sample; `values` by sample and epoch."""
    samples = []
    for number, epochs in enumerate(values):
        for epoch, value in enumerate(epochs, 1):
            sample = {
                "id": f"q{number}", "epoch": epoch, "input": f"Question {number}",
                "target": str(number), "metadata": {"passage": f"p{number // 2}"},
                "scores": {"exact": {"value": value, "answer": "x", "history": []}},
            }  # fmt: skip
            if (number, epoch) in failed:
                sample |= {"scores": {}, "error": {"message": "broken", "traceback": ""}}
            samples.append(sample)
    header = {"version": 2, "status": status, "eval": {"task": "quiz", "model": model}}
    if not as_zip:
        path.write_text(json.dumps(header | {"samples": samples}))
        return
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": header["eval"]}))
        for one in samples:
            name = f"samples/{one['id']}_epoch_{one['epoch']}.json"
            archive.writestr(name, json.dumps(one))
        archive.writestr("header.json", json.dumps(header))


def _helm(folder, values, perturbed=False):
    """One run of HELM; `values` by trial and instance."""
    folder.mkdir(parents=True)
    instances = [
        {
            "instance_id": f"id{number}",
            "train_trial_index": trial,
            "stats": [
                {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": value,
                 "sum_squared": value, "min": value, "max": value, "mean": value, "variance": 0.0,
                 "stddev": 0.0},
            ],
        }
        for trial, row in enumerate(values)
        for number, value in enumerate(row)
    ]  # fmt: skip
    if perturbed:
        instances.append(instances[0] | {"perturbation": {"name": "typos", "robustness": True}})
    (folder / "per_instance_stats.json").write_text(json.dumps(instances))


def test_lm_eval_means_equal_the_results_file(tmp_path):
    right = {"org/a": [1, 0, 1, 1, 0, 1], "org/b": [0, 0, 1, 0, 0, 1]}
    for model, values in right.items():
        _lm_eval(tmp_path / model.replace("/", "__"), model, values)
    with pytest.raises(ReseedError, match=r"(?s)several metrics.*exact_match \(strict-match\)"):
        compare(tmp_path)
    result = compare(tmp_path, metric="exact_match (strict-match)")
    board = result.leaderboard.set_index("model")["mean"]
    for model in right:
        file = tmp_path / model.replace("/", "__") / f"results_{_DATE}.json"
        stated = json.loads(file.read_text())["results"]["gsm8k"]["exact_match,strict-match"]
        assert board[model] == stated


def test_compare_prefers_samples_and_knows_the_names_of_results(tmp_path):
    for model in "ab":
        _lm_eval(tmp_path / model, model, [1, 0, 1, 1, 0, 1] if model == "a" else [0] * 6)
    found = reseed.compare(tmp_path, metric="exact_match,strict-match")
    assert set(found.leaderboard["metric"]) == {"exact_match (strict-match)"}
    assert found.verdicts["test"].item().startswith("McNemar")


def test_lm_eval_cluster_is_a_field_of_the_document(tmp_path):
    for model in "ab":
        _lm_eval(tmp_path / model, model, [1, 0, 1, 1, 0, 1] if model == "a" else [0] * 6)
    metric = "exact_match (strict-match)"
    row = compare(tmp_path, metric=metric, cluster="subject").verdicts.iloc[0]
    assert "new clusters" in row["covers"]
    assert "cluster" not in compare(tmp_path, metric=metric).verdicts["covers"].iloc[0]
    with pytest.raises(ReseedError, match="item 0 has no field 'topic'; it has question, subject"):
        compare(tmp_path, metric=metric, cluster="topic")


def test_other_documents_under_the_same_number_are_refused(tmp_path):
    _lm_eval(tmp_path / "a", "a", [1, 0, 1])
    _lm_eval(tmp_path / "b", "b", [1, 0, 1], doc_hash="other")
    (file,) = (tmp_path / "b").glob("samples_*")
    file.write_text(file.read_text().replace("other2", "h2"))
    words = r"item 0 of gsm8k has another input in .*/a/samples.* than in .*/b/samples.* \(2 such"
    with pytest.raises(ReseedError, match=words):
        compare(tmp_path, metric="exact_match (strict-match)")


def test_samples_without_a_score_are_one_error(tmp_path):
    _lm_eval(tmp_path, "a", [1, 0])
    (file,) = tmp_path.glob("samples_*")
    file.write_text(file.read_text().replace('["exact_match"]', "[]"))
    with pytest.raises(ReseedError, match=f"{tmp_path}: the logs hold no sample with a score"):
        compare(tmp_path)


def test_truncated_samples_name_the_line(tmp_path):
    _lm_eval(tmp_path / "a", "a", [1, 0])
    (file,) = (tmp_path / "a").glob("samples_*")
    file.write_text(file.read_text()[:-40])
    with pytest.raises(ReseedError, match=r"lm-eval samples \(line 4: .*again with --log_samples"):
        compare(tmp_path)


@pytest.mark.parametrize("as_zip", [True, False])
def test_inspect_means_over_epochs_and_samples(tmp_path, as_zip):
    suffix = "eval" if as_zip else "json"
    values = [["C", "C"], ["C", "I"], ["P", "N"], ["I", "C"]]
    _inspect(tmp_path / f"1_quiz.{suffix}", "m/new", values, failed={(1, 2)}, as_zip=as_zip)
    _inspect(tmp_path / f"2_quiz.{suffix}", "m/old", [["I", "C"]] * 4, as_zip=as_zip)
    with pytest.raises(ReseedError, match=r"scores are missing \(m/new 1\)"):
        compare(tmp_path)
    result = compare(tmp_path, failed="repeats", cluster="passage")
    board = result.leaderboard.set_index("model")["mean"]
    # Inspect averages the epochs that were scored, then the samples: (1 + 1 + 0.25 + 0.5) / 4.
    assert board["m/new"] == (1 + 1 + 0.25 + 0.5) / 4
    assert board["m/old"] == 0.5
    assert "2 clusters" in " ".join(result.notes)


def test_unfinished_and_damaged_inspect_logs_are_refused(tmp_path):
    path = tmp_path / "log.json"
    _inspect(path, "m", [["C"]], status="error")
    with pytest.raises(ReseedError, match=r"status is 'error'.*inspect eval-retry log\.json"):
        compare(path)
    path = tmp_path / "log.eval"
    _inspect(path, "m", [["C"]], as_zip=True)
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(ReseedError, match=r"read as Inspect logs .*inspect log convert"):
        compare(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/q0_epoch_1.json", "{}")
    with pytest.raises(ReseedError, match=r"no header\.json: the evaluation did not finish"):
        compare(path)


def test_several_values_of_a_scorer_are_metrics(tmp_path):
    value = {"fluency": 3, "truth": True}
    _inspect(tmp_path / "log.json", "m", [[value], [value]])
    with pytest.raises(ReseedError, match=r"(?s)several metrics.*exact/fluency.*exact/truth"):
        compare(tmp_path)
    options = ReadOptions(metric="exact/fluency", greater_is_better=True)
    assert read_scores(open_source(tmp_path, options), options).items()["score"].tolist() == [3, 3]


def test_helm_trials_are_seeds(tmp_path):
    runs = tmp_path / "runs" / "v1"
    _helm(runs / "mmlu:subject=law,model=org_a", [[1, 0, 1, 1], [1, 1, 1, 0]], perturbed=True)
    _helm(runs / "mmlu:subject=law,model=org_b", [[0, 0, 1, 0], [1, 0, 0, 0]])
    result = compare(tmp_path)
    board = result.leaderboard.set_index("model")
    assert board["mean"].to_dict() == {"org_a": 0.75, "org_b": 0.25}
    assert board["dataset"].unique().tolist() == ["mmlu:subject=law"]
    assert board["n"].tolist() == [2, 2]
    (runs / "mmlu:subject=law,model=org_b" / "run_spec.json").write_text(
        json.dumps({"adapter_spec": {"model": "org/b"}})
    )
    assert "org/b" in compare(tmp_path).leaderboard["model"].tolist()
    with pytest.raises(ReseedError, match=r"no field .*; it has no metadata"):
        compare(tmp_path, cluster="subject")


def test_damaged_helm_stats_are_refused(tmp_path):
    folder = tmp_path / "mmlu:model=a"
    _helm(folder, [[1, 0]])
    (folder / "per_instance_stats.json").write_text("[{")
    with pytest.raises(ReseedError, match=r"read as HELM per-instance stats .*`helm-run` again"):
        compare(tmp_path)


def test_failed_instance_of_helm_has_no_score(tmp_path):
    """HELM leaves the mean out, with a count of 0."""
    for model in "ab":
        run = tmp_path / f"quiz:model={model}"
        _helm(run, [[1.0, 0.0, 1.0, 0.0]])
        path = run / "per_instance_stats.json"
        instances = json.loads(path.read_text())
        if model == "a":
            stat = instances[2]["stats"][0]
            instances[2]["stats"][0] = {"name": stat["name"], "count": 0, "sum": 0}
        path.write_text(json.dumps(instances))
    with pytest.raises(ReseedError, match=r"scores are missing \(a 1\)"):
        compare(tmp_path)
    board = compare(tmp_path, failed="drop").leaderboard.set_index("model")["mean"]
    assert board["a"] == pytest.approx(1 / 3)


def test_instances_of_helm_with_other_inputs_are_refused(tmp_path):
    for model in "ab":
        run = tmp_path / f"quiz:model={model}"
        _helm(run, [[1.0, 0.0]])
        instances = [
            {"input": {"text": f"question {number}"}, "id": f"id{number}", "split": "test",
             "references": [{"output": {"text": "yes"}, "tags": ["correct"]}]}
            for number in range(2)
        ]  # fmt: skip
        (run / "instances.json").write_text(json.dumps(instances))
    assert compare(tmp_path).leaderboard["mean"].tolist() == [0.5, 0.5]
    instances[1]["input"]["text"] = "another question"
    (run / "instances.json").write_text(json.dumps(instances))
    with pytest.raises(ReseedError, match="item id1 of quiz has another input"):
        compare(tmp_path)


def test_logs_of_several_harnesses_are_one_error(tmp_path):
    _lm_eval(tmp_path / "a", "a", [1, 0])
    _inspect(tmp_path / "quiz.json", "m", [["C"], ["I"]])
    _helm(tmp_path / "quiz:model=m", [[1, 0]])
    words = r"lm-eval samples \(1 files\), In.*; see \S*/samples_\S* and \S*/quiz.json\. Their"
    for call in (compare, reseed.compare):
        with pytest.raises(ReseedError, match=words):
            call(tmp_path)


def test_other_files_are_no_logs(tmp_path):
    (tmp_path / "scores.csv").write_text("model,item,score\n")
    (tmp_path / "all.json").write_text('{"accuracy": 0.5}')
    assert read_evaluation_logs(FileSet([tmp_path], ReadOptions())) is None
