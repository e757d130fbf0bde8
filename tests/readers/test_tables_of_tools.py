"""Tables and folders that tools write: one right reading each."""

import json

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_scores
from scipy import stats
from two_models import corrected_t, make_folds


def test_resamples_of_caret(run, tmp_path):
    rng = np.random.default_rng(6)
    level = rng.normal(0.85, 0.03, 30)
    roc = {
        m: level - g + rng.normal(0, 0.01, 30) for m, g in (("rf", 0), ("svm", 0.0), ("glm", 0.1))
    }
    labels = [f"Fold{f:02d}.Rep{r}" for f in range(1, 11) for r in range(1, 4)]
    table = pd.DataFrame({"Resample": labels})
    for model, values in roc.items():
        table[f"{model}~ROC"], table[f"{model}~Sens"] = values, 0.8
    table.to_csv(tmp_path / "values.csv", index=False)
    answer = json.loads(run("compare", "values.csv", "--metric", "ROC", "--json"))
    row = next(v for v in answer["verdicts"] if {v["model_a"], v["model_b"]} == {"rf", "glm"})
    assert row["p"] == pytest.approx(corrected_t(roc["rf"] - roc["glm"], 1 / 9), rel=1e-6)
    assert row["n"] == 30


@pytest.mark.parametrize("with_seeds", [True, False])
def test_versions_of_lightning(run, tmp_path, with_seeds):
    scores = make_folds(("resnet", "vit"), folds=6)
    for model, values in scores.items():
        for number, value in enumerate(values):
            folder = tmp_path / "logs" / model / f"version_{number}"
            folder.mkdir(parents=True)
            lines = f"epoch,step,val_acc,test_acc\n0,9,0.5,\n1,19,0.6,\n,20,,{value}\n"
            (folder / "metrics.csv").write_text(lines)
            if with_seeds:
                (folder / "hparams.yaml").write_text(f"lr: 0.1\nseed: {number}\n")
    (row,) = json.loads(run("compare", "logs", "--metric", "test_acc", "--json"))["verdicts"]
    test = stats.ttest_rel(*scores.values())
    if not with_seeds:
        test = stats.ttest_ind(*scores.values(), equal_var=False)
    assert row["p"] == pytest.approx(test.pvalue, rel=1e-6)


def test_workflows_of_tidymodels(run, tmp_path):
    table = "wflow_id,.config,.metric,mean,std_err,n,model,rank\n"
    for name, model, mean in (("basic_rf", "rf", 0.88), ("norm_rf", "rf", 0.80)):
        table += f"{name},P1,roc_auc,{mean},0.005,10,{model},1\n"
        table += f"{name},P1,rmse,{1 - mean},0.005,10,{model},1\n"
    (tmp_path / "r.csv").write_text(table)
    answer = json.loads(run("compare", "r.csv", "--runs", "10", "--json"))["verdicts"]
    assert {(row["outcome"], row["model_a"]) for row in answer} == {("better", "basic_rf")}
    assert [row["dataset"] for row in answer] == ["roc_auc", "rmse"]
    rows = [(w, f"Repeat{r}", f"Fold{f}", "rmse", x) for w, k in (("a", 0), ("b", 1))
            for r in (1, 2) for f in range(1, 6) for x in [1 + k / 9 + r * f / 50]]  # fmt: skip
    columns = ["wflow_id", "id", "id2", ".metric", ".estimate"]
    found = reseed.compare(pd.DataFrame(rows, columns=columns)).verdicts.iloc[0]
    assert (found["model_a"], found["n"]) == ("a", 10)


def test_evaluations_of_openml(run, tmp_path):
    rows = [(d, 100 + d, f"data{d}", f"flow{m}", "predictive_accuracy", 0.9 - m / 50)
            for d in range(6) for m in range(2)]  # fmt: skip
    names = ["run_id", "task_id", "data_name", "flow_name", "function", "value"]
    table = pd.DataFrame(rows, columns=names)
    table.head(6).to_csv(tmp_path / "few.csv", index=False)
    assert "3 datasets, which are too few" in run("compare", "few.csv")
    table.to_csv(tmp_path / "all.csv", index=False)
    assert "Over 6 datasets flow0 has the best" in run("compare", "all.csv")
    folds = [str([0.9 - m / 50 + f * (m + 1) / 400 for f in range(10)]) for d in range(6)
             for m in range(2)]  # fmt: skip
    found = reseed.compare(table.assign(value=None, values=folds)).verdicts
    assert set(found.loc[found["dataset"] == "data0", "n"]) == {10}


def test_a_column_that_names_datasets_is_proposed_as_such(run, tmp_path):
    rng = np.random.default_rng(58)
    rows = [(m, t, f, 0.8 + t / 99 - k / 50 + rng.normal(0, 0.01))
            for k, m in enumerate(["rf", "svm"])
            for t in (3, 6, 11, 12, 14, 15) for f in range(10)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["model", "task_id", "fold", "predictive_accuracy"])
    table.to_csv(tmp_path / "t.csv", index=False)
    error = run("compare", "t.csv")
    assert "--column dataset=task_id" in error
    assert "item=task_id" not in error
    assert "Over 6 datasets" in run("compare", "t.csv", "--column", "dataset=task_id")


def test_marks_of_latex_are_no_part_of_names(run, tmp_path):
    (tmp_path / "t.tex").write_text(
        r"""\caption{Test accuracy (\%), mean $\pm$ std. $\ddagger$: ours.}
\begin{tabular}{lcc} \toprule
Method & CoLA & SST-2 \\ \midrule
Old$^{\ddagger}$ & 50.1$\pm$0.9 & 90.5$\pm$0.3 \\
Mid~\citep{smith} & \underline{54.0}$\pm$1.1 & 93.9$\pm$0.2 \\
\rowcolor{gray!20} New\footnotemark[1] & \textbf{59.8}$_{\pm 0.8}$ & $\mathbf{97.6}_{\pm 0.2}$ \\
\bottomrule \end{tabular}""",
        encoding="utf-8",
    )
    answer = json.loads(run("compare", "t.tex", "--runs", "5", "--spread", "sd", "--json"))
    assert {row["model"] for row in answer["ranking"]} == {"Old", "Mid", "New"}


def test_arrays_of_runs_and_tasks():
    rng = np.random.default_rng(11)
    scores = {"dqn": rng.normal(1, 0.1, (5, 6)), "ppo": rng.normal(2, 0.1, (5, 6))}
    with pytest.raises(ReseedError, match="nothing says what they are") as asked:
        reseed.compare(scores, metric="reward")
    for rows, columns in (("seed", "dataset"), ("seed", "fold"), ("repeat", "fold")):
        assert f"{rows}s × {columns}s: `columns={{'{rows}': 'axis_0'}}`" in str(asked.value)
        named = {rows: "axis_0", columns: "axis_1"}
        assert len(reseed.compare(scores, metric="reward", columns=named).verdicts)
    told = {"columns": {"seed": "axis_0", "dataset": "axis_1"}, "seeds": "own"}
    verdicts = reseed.compare(scores, metric="reward", **told).verdicts
    expected = stats.ttest_ind(scores["ppo"][:, 0], scores["dqn"][:, 0], equal_var=False)
    assert verdicts.set_index("dataset").loc["0", "p"] == pytest.approx(expected.pvalue)


def test_runs_of_sacred_and_results_of_mteb(run, tmp_path):
    for number in range(12):
        folder = tmp_path / "sacred" / str(number)
        folder.mkdir(parents=True)
        model = "a" if number < 6 else "b"
        config = {"model": model, "seed": number % 6, "lr": 0.1}
        (folder / "config.json").write_text(json.dumps(config))
        (folder / "run.json").write_text(json.dumps({"status": "COMPLETED"}))
        values = {"steps": [0, 1], "values": [0.1, 0.8 + number % 6 / 50 + (model == "a") / 20]}
        (folder / "metrics.json").write_text(json.dumps({"accuracy": values}))
    assert "a has the best mean accuracy" in run("compare", "sacred")
    for model, gap in (("x", 0.0), ("y", 0.1)):
        for task in range(6):
            folder = tmp_path / "mteb" / model / "rev1"
            folder.mkdir(parents=True, exist_ok=True)
            score = [{"main_score": 0.5 + task / 20 + gap, "hf_subset": "default"}]
            content = {"task_name": f"Task{task}", "mteb_version": "1.0", "scores": {"test": score}}
            (folder / f"Task{task}.json").write_text(json.dumps(content))
    assert "Over 6 datasets y has the best" in run("compare", "mteb")


def test_the_summary_of_opencompass(run, tmp_path):
    lines = ["dataset,version,metric,mode,m1,m2"]
    lines += [f"task{t},abc,accuracy,gen,{50 + t}.0,{40 + t}.5" for t in range(6)]
    (tmp_path / "summary.csv").write_text("\n".join([*lines, "average,-,-,-,-,-"]))
    assert "Over 6 datasets m1 has the best" in run("compare", "summary.csv")


def test_data_frame_of_inspects_evaluations():
    rows = [(f"{model}{i}", "gsm8k", model, "hub/g", "success", "match", "accuracy", value + i / 99)
            for model, value in (("gpt", 0.8), ("pi", 0.5)) for i in range(4)]  # fmt: skip
    names = "eval_id task_name model dataset_name status score_headline_name score_headline_metric"
    table = pd.DataFrame(rows, columns=[*names.split(), "score_headline_value"])
    scores, reading = read_scores(table.assign(score_match_stderr=0.01), ReadOptions())
    assert reading.datasets == ["gsm8k"]
    assert scores.metrics == {"gsm8k": "accuracy"}
    assert reseed.compare(table).verdicts.iloc[0]["n"] == 4
    old = table.drop(columns="score_headline_metric")
    assert read_scores(old, ReadOptions(greater_is_better=True))[0].metrics == {"gsm8k": "match"}


def test_data_frame_of_inspects_samples():
    rows = [(f"s{n}", model, task, f"{i}", epoch, "2+2", "4", "CI"[(i + n) % 2], "it is 4")
            for n, model in enumerate(("gpt", "pi")) for task in ("gsm8k", "mmlu")
            for i in range(9) for epoch in (1, 2)]  # fmt: skip
    names = "sample_id model task_name id epoch input target score_match score_match_explanation"
    table = pd.DataFrame(rows, columns=names.split())
    scores, reading = read_scores(table, ReadOptions())
    assert reading.levels["item"] == 9
    assert reading.levels["repetition"] == 2
    assert scores.metrics == {"gsm8k": "match", "mmlu": "match"}
    with pytest.raises(ReseedError, match="Choose one: `metric: match` or `metric: rubric`"):
        read_scores(table.assign(log="a.eval", score_rubric=3), ReadOptions())


@pytest.mark.parametrize("metric", [None, "score", "fluency"])
def test_statuses_and_scores_of_promptfoo(tmp_path, metric):
    prompts = ["[openai:gpt] Say {{q}}", "[pi] Say {{q}}"]
    headings = "Status,Score,Named Scores,Metric: fluency,Grader Reason,Comment"
    lines = ["q," + ",".join(f"{prompt},{headings}" for prompt in prompts)]
    cells = ["x,PASS,0.90,,0.70,ok,", "x,FAIL,0.20,,0.10,no,", "x,ERROR,0.00,,,,"]
    for question in range(6):  # each twice
        lines += [f"q{question},{cells[0]},{cells[n]}" for n in (question % 3, 1)]
    (tmp_path / "results.csv").write_text("\n".join(lines))
    scores, reading = read_scores(tmp_path / "results.csv", ReadOptions(metric=metric))
    assert scores.models == prompts
    assert scores.metrics == {"data": metric or "passed"}
    assert reading.levels["item"] == 6
    assert reading.levels["repetition"] == 2
    assert scores.frame["value"].isna().sum() == 2
    first = scores.frame[scores.frame["model"] == prompts[0]]["value"]
    assert set(first) == {{None: 1.0, "score": 0.9, "fluency": 0.7}[metric]}


def test_results_of_one_prompt_of_promptfoo(tmp_path):
    headings = "q,[pi] Say {{q}},Status,Score,Named Scores,Grader Reason,Comment"
    (tmp_path / "one.csv").write_text(f"{headings}\n1,x,PASS,1,,ok,\n2,x,FAIL,0,,no,")
    scores, _ = read_scores(tmp_path / "one.csv", ReadOptions())
    assert scores.models == ["[pi] Say {{q}}"]
    assert scores.items()["score"].tolist() == [1, 0]
