"""`reseed.compare` with evaluations: it uses the model of items, and ranks three models."""

import json

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed import ReseedError
from reseed.cli import main


def _scores(models="abc", seeds=3, items=60, gap=0.0, rng_seed=0):
    """Binary scores of items in clusters of four."""
    rng = np.random.default_rng(rng_seed)
    shape = (len(models), seeds, items)
    latent = rng.normal(size=items) + gap * np.arange(len(models))[::-1].reshape(-1, 1, 1)
    right = latent + rng.normal(size=shape) > 0
    model, seed, item = (axis.ravel() for axis in np.indices(shape))
    return pd.DataFrame(
        {
            "model": np.array(list(models))[model],
            "seed": seed,
            "question": item,
            "cluster": item // 4,
            "correct": right.ravel().astype(int),
        }
    )


def test_a_table_with_clusters_uses_the_model_of_items():
    table = _scores("ab")
    found = reseed.compare(table)
    assert "15 clusters" in " ".join(found.notes)
    note = "Design of each model: 3 seeds × 60 items, crossed; items nested in 15 clusters."
    assert note in found.notes


def test_one_run_of_each_is_compared_over_items():
    found = reseed.compare(_scores("ab", seeds=1).drop(columns=["cluster", "seed"]))
    assert found.verdicts["test"].item().startswith("McNemar")


def test_three_models_are_ranked_by_the_verdicts():
    found = reseed.compare(_scores(gap=1.0, items=400))
    assert found.possible_ranks == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
    assert found.answer[0].startswith("a has the best mean correct, 0.9217: better than b and c")
    assert found.figures == ["differences", "ranks"]
    assert not reseed.compare(_scores(), baseline="b").possible_ranks


def test_errors_rank_the_lowest_first():
    table = _scores(gap=1.0, items=400).rename(columns={"correct": "error"})
    found = reseed.compare(table)
    assert found.leaderboard["model"].tolist() == ["c", "b", "a"]
    assert list(found.possible_ranks) == ["c", "b", "a"]


def test_several_datasets_are_ranked_over_all():
    parts = [
        _scores(gap=2.0, items=80, rng_seed=task).assign(dataset=f"t{task}") for task in range(7)
    ]
    table = pd.concat(parts)
    found = reseed.compare(table)
    assert found.possible_ranks == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
    over = found.verdicts[found.verdicts["dataset"] == "all datasets"]
    assert set(over["test"]) == {"sign-flip test of ranks"}
    means = table.groupby(["dataset", "model"], as_index=False)["correct"].mean()
    by_mean = reseed.compare(means, metric="correct", greater_is_better=True).verdicts
    by_mean = by_mean[by_mean["dataset"] == "all datasets"]
    assert over["p_adjusted"].tolist() == pytest.approx(by_mean["p_adjusted"].tolist())


def test_the_command_writes_every_output(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    _scores(gap=1.0).to_csv(path, index=False)
    files = {name: tmp_path / f"out.{name}" for name in ("html", "latex", "csv")}
    options = [part for name, file in files.items() for part in (f"--{name}", str(file))]
    figure, folder = tmp_path / "differences.svg", tmp_path / "all"
    main(["compare", str(path), *options, "--figure", str(figure), "--folder", str(folder)])
    assert "better than b and c (for new seeds and new" in capsys.readouterr().out
    main(["compare", str(path), "--json"])
    content = json.loads(capsys.readouterr().out)
    assert (len(content["ranking"]), len(content["verdicts"])) == (3, 3)
    main(["compare", str(path), "--quiet"])
    assert capsys.readouterr().out == "\n".join(content["answer"]) + "\n"
    page = files["html"].read_text()
    assert "better than b and c" in page
    assert "http" not in page.replace("http-equiv", "")
    assert "booktabs" in files["latex"].read_text()
    assert len(pd.read_csv(files["csv"])) == 3
    assert figure.stat().st_size > 1000
    written = {one.name for one in folder.rglob("*")}
    assert {"differences.pdf", "leaderboard.csv", "pairs.csv"} <= written


def test_logs_of_a_harness_are_compared_by_items(tmp_path, capsys):
    for model, values in {"a": "CCCICC", "b": "CIIICI"}.items():
        samples = [
            {"id": number, "epoch": 1, "input": f"q{number}", "target": "t",
             "scores": {"match": {"value": value}}}
            for number, value in enumerate(values)
        ]  # fmt: skip
        log = {"version": 2, "status": "success", "eval": {"task": "quiz", "model": model}}
        (tmp_path / f"{model}.json").write_text(json.dumps(log | {"samples": samples}))
    main(["compare", str(tmp_path)])
    text = capsys.readouterr().out
    assert "Read as Inspect logs: 2 file(s)." in text
    assert "McNemar" in text


def test_options_of_runs_are_refused_for_items():
    with pytest.raises(ReseedError, match="'min_runs': does not apply to scores of items"):
        reseed.compare(_scores(), min_runs=3)
    with pytest.raises(ReseedError, match="pairs: no model is called 'z'"):
        reseed.compare(_scores(), pairs=[("a", "z")])


def test_the_text_of_a_prompt_is_no_factor():
    table = _scores("ab").assign(prompt=lambda t: "What is " + t["question"].astype(str))
    found = reseed.compare(table)
    assert "prompt" not in found.verdicts["covers"].iloc[0]
    assert any("no factor" in note for note in found.notes)
