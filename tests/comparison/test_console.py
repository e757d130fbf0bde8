"""What `reseed compare` prints: the answer first, in the width of the terminal; JSON; quiet."""

import json
import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
from reseed import cli, compare


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
    """The answer is over all datasets and first."""
    text = compared.render(80)
    assert max(map(len, text.splitlines())) <= 80
    assert text == snapshot


@pytest.fixture(scope="module")
def ranked():
    """One test set: `best` is ahead of two that differ by noise alone; one model has two runs."""
    rows = list(product(["best", "b", "a model with a long name"], range(10)))
    rows += [("few", 0), ("few", 1)]
    frame = pd.DataFrame(rows, columns=["model", "seed"])
    noise = np.random.default_rng(1).normal(0, 0.001, len(frame))
    return compare(frame.assign(auc=0.7 + 0.05 * (frame["model"] == "best") + noise))


def test_view_of_one_test_set(ranked, snapshot):
    assert ranked.render() == snapshot


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("pairs", [False, True])
def test_no_word_of_a_verdict_is_cut(ranked, compared, width, pairs):
    """Columns go before a word does; a verdict may be broken between lines, never within."""
    for found in (ranked, compared):
        text = found.render(width, pairs=pairs)
        assert max(map(len, text.splitlines())) <= width
        first = found.shown.rows[0].dataset
        shown = [row for row in found.shown.rows if pairs or row.dataset == first][:12]
        words = {word for row in shown for word in row.verdict.split()}
        words |= {word for row in found.shown.pairs for word in row.verdict.split() if pairs}
        assert words <= set(text.split())


def test_a_pipe_gets_plain_text_of_any_width(compared, capsys, board, tmp_path):
    path = tmp_path / "runs.csv"
    board.to_csv(path, index=False)
    cli.main(["compare", str(path)])
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) > 100  # a note is one line
    assert "\x1b[1m" in compared.render(80, color=True)


def test_json_and_quiet(tmp_path, capsys):
    path = tmp_path / "runs.csv"
    scores = np.linspace(0.7, 0.8, 12) + np.random.default_rng(0).normal(0, 0.001, 12)
    rows = list(product(["a", "b"], range(6)))
    frame = pd.DataFrame(rows, columns=["model", "seed"]).assign(accuracy=scores)
    frame.to_csv(path, index=False)
    draws = ["--seed-draws", "training"]
    cli.main(["compare", str(path), "--json", *draws])
    content = json.loads(capsys.readouterr().out)
    assert [row["model"] for row in content["ranking"]] == ["b", "a"]
    assert content["verdicts"][0]["outcome"] == "better"
    assert content["notes"]
    cli.main(["compare", str(path), "--quiet", *draws])
    text = capsys.readouterr().out.splitlines()
    assert text == content["answer"]
    assert text[0].startswith("b has the best mean accuracy, 0.77")
    assert text[0].endswith("] (on exactly this test set, which did not vary).")


def test_pairs_are_listed_where_they_are_asked_for(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [(m, s, 0.8 + 0.02 * k + 0.002 * rng.normal())
            for k, m in enumerate("abc") for s in range(8)]  # fmt: skip
    path = tmp_path / "runs.csv"
    pd.DataFrame(rows, columns=["model", "seed", "accuracy"]).to_csv(path, index=False)
    cli.main(["compare", str(path)])
    assert "b – a" not in capsys.readouterr().out
    cli.main(["compare", str(path), "--pairs"])
    text = capsys.readouterr().out
    assert all(pair in text for pair in ("c – b", "c – a", "b – a"))


def test_equal_models_are_in_the_answer():
    noise = np.random.default_rng(1).normal(0, 0.002, 20)
    rows = [(m, s, 0.8 + noise[10 * k + s]) for k, m in enumerate("ab") for s in range(10)]
    found = compare(pd.DataFrame(rows, columns=["model", "seed", "accuracy"]), rope=0.01)
    assert "equal within ±1 point to " in found.answer[0]


def test_losses_have_literal_signs(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [(m, s, x + 0.003 * rng.normal()) for m, x in (("rf", 0.166), ("xgb", 0.108))
            for s in range(8)]  # fmt: skip
    found = compare(pd.DataFrame(rows, columns=["model", "seed", "mse"]))
    assert found.verdicts["difference"].item() < 0
    assert found.answer[0].startswith("xgb has the best mean MSE, 0.10")
    assert "better than rf by 0.06" in found.answer[0]
    worse = found.shown.rows[1]
    assert (worse.name, worse.verdict) == ("rf", "worse")
    assert 0 < worse.low < worse.value < worse.high  # rf − xgb
    assert "Mean MSE ↓" in str(found)


def test_directions_by_metric(tmp_path, capsys):
    path = tmp_path / "runs.csv"
    rows = list(product(["a", "b"], ["x", "y"], range(6)))
    frame = pd.DataFrame(rows, columns=["model", "dataset", "seed"])
    number = np.arange(len(frame), dtype=float)
    is_x = frame["dataset"] == "x"
    frame = frame.assign(metric=np.where(is_x, "elo", "effort"), value=number)
    frame.to_csv(path, index=False)
    directions = ["--direction", "elo=greater", "--direction", "effort=less"]
    draws = ["--seed-draws", "training"]
    cli.main(["compare", str(path), "--json", *directions, *draws])
    ranking = pd.DataFrame(json.loads(capsys.readouterr().out)["ranking"])
    first = ranking[ranking["rank"] == 1].set_index("dataset")["model"]
    assert (first["x"], first["y"]) == ("b", "a")
    for wrong in (["--direction", "elo=up"], [*directions, "--lower-is-better"]):
        with pytest.raises(SystemExit, match="direction"):
            cli.main(["compare", str(path), *wrong])


def test_an_interrupt_has_its_own_exit_status(monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("reseed.comparison.compare.compare", interrupt)
    with pytest.raises(SystemExit) as end:
        cli.main(["compare", "none.csv"])
    assert end.value.code == 130


def test_help_has_examples_and_exit_status(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    text = capsys.readouterr().out
    assert "reseed compare runs.csv" in text
    assert "exit status: 0" in text


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_scores_of_any_size_give_no_warning_of_numpy(size):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(list(product("abc", range(6))), columns=["model", "seed"])
    scores = rng.random(len(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = compare(rows.assign(loss=scores * size))
        found.render()
        found.to_html()
    expected = compare(rows.assign(loss=scores)).leaderboard
    np.testing.assert_allclose(found.leaderboard["sd"] / size, expected["sd"], rtol=1e-9)


def test_single_datasets_without_a_test_are_not_counted():
    table = pd.DataFrame(
        [(f"d{i}", m, 0.5 + 0.01 * i + 0.02 * k + 0.001 * i * k)
         for i in range(6) for k, m in enumerate("ab")],
        columns=["dataset", "model", "accuracy"],
    )  # fmt: skip
    assert compare(table).answer[-1] == "On single datasets no pair can be tested."


def test_equal_differences_are_shown_without_an_interval():
    rows = [(m, s, 0.7 + s / 90 + (m == "a") / 8) for m in "ab" for s in range(6)]
    table = pd.DataFrame(rows, columns=["model", "seed", "accuracy"])
    found = compare(table, seed_draws="training")
    assert found.verdicts["reason"].item() == "no variation"
    assert found.shown.rows[1].estimate == "−12.500 points"
    assert found.verdicts[["low", "high", "p", "p_adjusted"]].isna().all(axis=None)
    assert "not tested: no variation" in found.to_html()
