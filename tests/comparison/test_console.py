"""What `reseed compare` prints: the answer first, in the width of the terminal; JSON; quiet."""

import json
import re
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from reseed import cli, compare
from reseed.comparison.console import render, state_answer
from reseed.comparison.steps import show_steps
from scipy import stats


@pytest.fixture(scope="module")
def board():
    """Five models on twelve datasets of five folds: `best` is ahead everywhere."""
    models = {"best": 0.06, "next": 0.03, "third": 0.02, "fourth": 0.01, "worst": 0.0}
    rows = pd.DataFrame(
        list(product(models, [f"data-{i:02d}" for i in range(12)], range(5))),
        columns=["model", "dataset", "fold"],
    )
    noise = np.random.default_rng(0).normal(0, 0.004, len(rows))
    return rows.assign(auc=0.7 + rows["model"].map(models) + noise)


@pytest.fixture(scope="module")
def compared(board):
    return compare(board)


def test_view_of_several_datasets(compared, snapshot):
    """The answer is over all datasets and first; columns of datasets are left out, not cut."""
    text = render(compared, 80)
    assert max(map(len, text.splitlines())) <= 80
    assert text == snapshot


@pytest.fixture(scope="module")
def ranked():
    """One test set with three models: `best` is ahead of two that differ by noise alone."""
    rows = pd.DataFrame(list(product(["best", "b", "c"], range(10))), columns=["model", "seed"])
    noise = np.random.default_rng(1).normal(0, 0.001, len(rows))
    return compare(rows.assign(auc=0.7 + 0.05 * (rows["model"] == "best") + noise))


@pytest.mark.parametrize("width", [80, None])
def test_view_of_one_test_set(ranked, width, snapshot):
    """The ranks are those that verdicts leave; columns that do not fit the width are left out."""
    assert (render(ranked, width) if width else render(ranked)) == snapshot


def test_a_pipe_gets_plain_text_of_any_width(compared, capsys, board, tmp_path):
    path = tmp_path / "runs.csv"
    board.to_csv(path, index=False)
    cli.main(["compare", str(path)])
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) > 100  # a note is one line
    assert "\x1b[1m" in render(compared, 80, color=True)


def test_json_and_quiet(tmp_path, capsys):
    path = tmp_path / "runs.csv"
    scores = np.linspace(0.7, 0.8, 12) + np.random.default_rng(0).normal(0, 0.001, 12)
    rows = list(product(["a", "b"], range(6)))
    frame = pd.DataFrame(rows, columns=["model", "seed"]).assign(accuracy=scores)
    frame.to_csv(path, index=False)
    cli.main(["compare", str(path), "--json"])
    content = json.loads(capsys.readouterr().out)
    assert [row["model"] for row in content["ranking"]] == ["b", "a"]
    assert content["verdicts"][0]["outcome"] == "difference"
    assert content["notes"]
    cli.main(["compare", str(path), "--quiet"])
    text = capsys.readouterr().out.splitlines()
    assert text == content["answer"]
    assert text[0].startswith("b is best by mean accuracy 0.77")
    assert text[0].endswith(
        "; significantly better than a (on one test set, assuming that the seeds drew no split)."
    )


def test_directions_by_metric(tmp_path, capsys):
    path = tmp_path / "runs.csv"
    rows = list(product(["a", "b"], ["x", "y"], range(6)))
    frame = pd.DataFrame(rows, columns=["model", "dataset", "seed"])
    number = np.arange(len(frame), dtype=float)
    is_x = frame["dataset"] == "x"
    frame = frame.assign(metric=np.where(is_x, "elo", "effort"), value=number)
    frame.to_csv(path, index=False)
    directions = ["--direction", "elo=greater", "--direction", "effort=less"]
    cli.main(["compare", str(path), "--json", *directions])
    ranking = pd.DataFrame(json.loads(capsys.readouterr().out)["ranking"])
    first = ranking[ranking["rank"] == 1].set_index("dataset")["model"]
    assert (first["x"], first["y"]) == ("b", "a")
    for wrong in (["--direction", "elo=up"], [*directions, "--lower-is-better"]):
        with pytest.raises(SystemExit, match="direction"):
            cli.main(["compare", str(path), *wrong])


def test_errors_suggest_only_options_that_the_command_has(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("one column\n1\n")
    for command, has_format in (("compare", True), ("means", False)):
        with pytest.raises(SystemExit) as end:
            cli.main([command, str(path)])
        assert ("--format" in end.value.code) is has_format


def test_an_interrupt_has_its_own_exit_status(monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("reseed.comparison.means.compare_means", interrupt)
    with pytest.raises(SystemExit) as end:
        cli.main(["means", "none.csv"])
    assert end.value.code == 130


def test_help_has_examples_and_exit_status(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    text = capsys.readouterr().out
    assert "reseed compare runs.csv" in text
    assert "exit status: 0" in text


def test_completion_of_shells(capsys):
    cli.main(["completion", "bash"])
    assert "--test-train-ratio" in capsys.readouterr().out


def test_columns_without_a_value_are_not_printed(snapshot):
    rows = pd.DataFrame(
        [(m, s, 0.5 + s / 90 + i / 70) for i, m in enumerate("abcd") for s in range(2)],
        columns=["model", "seed", "auc"],
    )
    text = render(compare(rows))
    assert all(not line.endswith("–") for line in text.splitlines())
    assert text == snapshot


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_scores_of_any_size_give_no_warning_of_numpy(size):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(list(product("abc", range(6))), columns=["model", "seed"])
    scores = rng.random(len(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = compare(rows.assign(loss=scores * size)).leaderboard
        render(compare(rows.assign(loss=scores * size)))
    expected = compare(rows.assign(loss=scores)).leaderboard
    np.testing.assert_allclose(found["sd"] / size, expected["sd"], rtol=1e-9)


def test_page_of_imported_results_states_no_unknown_facts(compared):
    page = compared.to_html()
    assert "No source, size or licence of the data is known" in page
    assert "not stated" not in page
    assert "(left out): 0 of 0" not in page


@pytest.fixture(scope="module")
def four(board):
    """Four datasets, each with one fixed test set: too few for a test over datasets."""
    few = board[board["dataset"].isin([f"data-{i:02d}" for i in range(4)])]
    few = few[few["model"].isin(["best", "next", "worst"])]
    return compare(few.rename(columns={"fold": "seed"}))


def test_the_answer_over_datasets_states_its_limits(four, snapshot):
    assert state_answer(four) == snapshot


def test_differences_that_do_not_vary_are_said_so(snapshot):
    scores = {"a": [0.80, 0.82, 0.81, 0.83, 0.84, 0.80]}
    scores["b"] = [score - 0.125 for score in scores["a"]]
    rows = [(m, i, one) for m, all_of in scores.items() for i, one in enumerate(all_of)]
    table = pd.DataFrame(rows, columns=["model", "seed", "accuracy"])
    assert state_answer(compare(table)) == snapshot


def test_progress_is_lines_where_there_is_no_terminal(capsys):
    assert list(show_steps(map(str, range(10)), "Writing", True)) == [str(i) for i in range(10)]
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"Writing: {i} of 10 done; {i}" for i in (0, 2, 4, 6, 8)]
    list(show_steps(["one"], "Writing", False))
    assert capsys.readouterr().err == ""


def test_every_answer_states_a_difference_by_one_correction():
    """A mean difference between the thresholds of both corrections: console, JSON, page, data."""
    d = np.resize([1.0, -1.0], 12)
    d = (d - d.mean()) / d.std(ddof=1)
    errors = [np.sqrt(1 / 12 + ratio) for ratio in (0.25, 0.375)]
    shift = stats.t.ppf(0.975, 11) * sum(errors) / 2
    x = 0.8 + 0.01 * (shift + d)
    rows = [("x", s, x[s]) for s in range(12)] + [("y", s, 0.8) for s in range(12)]
    found = compare(
        pd.DataFrame(rows, columns=["model", "split", "accuracy"]), test_train_ratio=0.25
    )
    qualifier = "by one correction only"
    assert f"{qualifier} significantly better than y" in found.answer[0]
    assert qualifier in json.loads(found.to_json())["answer"][0]
    (row,) = found.verdicts.itertuples()
    assert row.p_adjusted <= 0.05 < row.conservative_p_holm
    page = re.sub(r"<[^>]*>", "", found.to_html())
    headlines = re.findall(r"[^.;\n]*(?:is shown to be better|significantly better)[^.\n]*", page)
    assert headlines
    assert all(qualifier in one for one in headlines)


def test_single_datasets_without_a_test_are_not_counted():
    table = pd.DataFrame(
        [(f"d{i}", m, 0.5 + 0.01 * i + 0.02 * k + 0.001 * i * k)
         for i in range(6) for k, m in enumerate("ab")],
        columns=["dataset", "model", "accuracy"],
    )  # fmt: skip
    assert compare(table).answer[-1] == "On single datasets no pair can be tested."


def test_equal_differences_are_shown_without_an_interval():
    rows = [(m, s, 0.7 + s / 90 + (m == "a") / 8) for m in "ab" for s in range(6)]
    found = compare(pd.DataFrame(rows, columns=["model", "seed", "accuracy"]))
    assert found.verdicts["outcome"].item() == "no variation"
    assert found.shown.rows[0].estimate == "12.500 points"
    assert found.verdicts[["low", "high", "p", "p_adjusted"]].isna().all(axis=None)
    page = re.sub("<[^>]+>", "", found.to_html())
    assert found.answer[0] in page
