"""`reseed.compare` and the command: verdicts, tables, a figure and a report of a table."""

import re
import subprocess
import sys
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed import cli
from reseed.config.defaults import default_analyses_and_exhibits
from reseed.core.errors import ReseedError
from reseed.core.pair_tests import PAIR_TESTS
from reseed.plugins.kinds import built_in_kinds
from scipy import stats

TABLES = Path(__file__).parents[1] / "readers" / "tables"


@pytest.fixture(scope="module")
def runs():
    """Three rankers on ten folds; `new` is better by two points, `same` is no better than `old`."""
    rng = np.random.default_rng(3)
    fold = rng.normal(0, 0.01, 10)
    levels = {"new": 0.82, "old": 0.80, "same": 0.80}
    rows = [
        (model, number, value)
        for model, level in levels.items()
        for number, value in enumerate(level + fold + rng.normal(0, 0.004, 10))
    ]
    return pd.DataFrame(rows, columns=["ranker", "fold", "ndcg"])


@pytest.fixture(scope="module")
def comparison(runs):
    return reseed.compare(runs)


def test_verdicts_are_those_of_the_corrected_test_by_hand(runs, comparison):
    wide = runs.pivot(index="fold", columns="ranker", values="ndcg")
    for row in comparison.verdicts.itertuples():
        d = wide[row.model_a] - wide[row.model_b]
        error = np.sqrt((1 / 10 + 1.5 / 9) * d.var(ddof=1))  # Nadeau and Bengio (2003), times 1.5
        p, half = 2 * stats.t.sf(abs(d.mean()) / error, 9), stats.t.ppf(1 - 0.025 / 3, 9) * error
        assert row.difference == pytest.approx(d.mean())
        assert (row.low, row.high) == pytest.approx((d.mean() - half, d.mean() + half))
        assert row.p == pytest.approx(p)
        assert row.p_adjusted == pytest.approx(min(1, 3 * p))
    shown = comparison.verdicts.set_index(["model_a", "model_b"])["outcome"]
    assert shown["new", "old"] == "better"


def test_leaderboard(runs, comparison):
    means = runs.groupby("ranker")["ndcg"].agg(["mean", "std"])
    board = comparison.leaderboard.set_index("model")
    assert board.loc[means.index, "mean"].to_numpy() == pytest.approx(means["mean"].to_numpy())
    assert board.loc[means.index, "sd"].to_numpy() == pytest.approx(means["std"].to_numpy())
    assert comparison.leaderboard["model"].iloc[0] == "new"


def test_comparison_has_all_results(comparison, tmp_path):
    text = str(comparison)
    assert "better than" in text
    assert "30 runs, 0 failed" in text
    assert comparison.plot().axes
    assert comparison.plot("ranks").axes
    assert comparison.to_latex().startswith("% Needs \\usepackage{array,booktabs")
    assert "| old |" in comparison.to_markdown()
    page = comparison.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == page
    assert page.count('class="score"') == 30  # every run is a dot
    assert "snakemake" not in page
    assert 'href="..' not in page
    html = comparison._repr_html_()
    assert html.index(comparison.answer[0]) < html.index("<table")
    assert all(escape(note) in html for note in comparison.notes)


def test_unknown_exhibit_is_refused(comparison):
    with pytest.raises(reseed.ReseedError, match="Did you mean 'differences'"):
        comparison.plot("diferences")
    with pytest.raises(reseed.ReseedError, match="no table"):
        comparison.table("differences")


def test_items_get_the_analyses_of_items():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 40)
    rows = [
        (model, seed, item, truth[item], score)
        for model in "ab"
        for seed in range(5)
        for item, score in enumerate(np.clip(rng.normal(0.25 + 0.5 * truth, 0.25), 0, 1))
    ]
    frame = pd.DataFrame(rows, columns=["model", "seed", "item", "y_true", "y_score"])
    found = reseed.compare(frame)
    assert "noise" in found.exhibits
    table = found.statistics("noise")
    assert set(table["model"]) == {"a", "b"}
    assert (table["items"] == 40).all()


def test_baseline_and_pairs_reach_the_analysis(runs):
    found = reseed.compare(runs, baseline="old")
    assert found.analyses["pairs"]["options"]["baseline"] == "old"
    found = reseed.compare(runs, pairs=[("new", "old")])
    assert found.analyses["pairs"]["options"]["pairs"] == [["new", "old"]]
    with pytest.raises(reseed.ReseedError, match="not both"):
        reseed.compare(runs, baseline="old", pairs=[("new", "old")])
    with pytest.raises(reseed.ReseedError, match="mean 'old'"):
        reseed.compare(runs, baseline="odl")


def test_a_region_makes_a_pair_equivalent(runs):
    same = [("old", "same")]
    assert reseed.compare(runs, pairs=same).verdicts["outcome"].item() != "equal"
    wide = reseed.compare(runs, pairs=same, rope=0.05).verdicts
    assert wide["outcome"].item() == "equal"
    with pytest.raises(ReseedError, match="half-width > 0"):
        reseed.compare(runs, rope=0)


def test_a_region_on_the_command_line(runs, tmp_path, capsys):
    runs.to_csv(tmp_path / "runs.csv", index=False)
    cli.main(["compare", str(tmp_path / "runs.csv"), "--pair", "old", "same", "--rope", "0.05"])
    assert "equal within ±5 points" in capsys.readouterr().out.lower()
    cli.main(["compare", str(tmp_path / "runs.csv"), "--pair", "old", "same",
              "--rope", "ndcg=0.05"])  # fmt: skip
    assert "equal within ±5 points" in capsys.readouterr().out.lower()
    with pytest.raises(SystemExit, match="write WIDTH or METRIC=WIDTH"):
        cli.main(["compare", str(tmp_path / "runs.csv"), "--rope", "ndcg=wide"])


def test_options_of_the_comparison(runs):
    found = reseed.compare(runs, rope=0.05, family="study", target_power=0.9, min_runs=11)
    assert found.analyses["pairs"]["options"] == {
        "rope": 0.05, "family": "study", "target_power": 0.9, "min_runs": 11,
    }  # fmt: skip
    assert set(found.verdicts["reason"]) == {"too few runs"}
    with pytest.raises(reseed.ReseedError, match="Did you mean 'family'"):
        reseed.compare(runs, famly="study")


def test_names_may_be_numbers(runs):
    numbered = runs.assign(ranker=runs["ranker"].map({"new": 1, "old": 2, "same": 3}))
    numbered = numbered.rename(columns={"ranker": 0})
    found = reseed.compare(numbered, columns={"model": 0}, baseline=1)
    assert set(found.verdicts["model_a"]) == {"1"}
    found = reseed.compare(numbered, columns={"model": 0}, pairs=((1, 2),))
    assert found.verdicts[["model_a", "model_b"]].to_numpy().tolist() == [["1", "2"]]
    trials = pd.DataFrame(
        {
            **{"number": range(30), "state": "COMPLETE", "datetime_start": "2026-01-01"},
            **{"values_0": runs["ndcg"], "values_1": 1.0},
            **{"user_attrs_model": runs["ranker"], "user_attrs_seed": runs["fold"]},
        }
    )
    told = {"greater_is_better": {0: True}, "seed_draws": "training"}
    found = reseed.compare(trials, metric=0, **told)
    assert found.leaderboard["model"].iloc[0] == "new"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"columns": "model"}, "`columns`: give a dict"),
        ({"columns": {"dataset": None}}, "'dataset' is mapped to None"),
        ({"greater_is_better": "yes"}, "not 'yes'"),
        ({"greater_is_better": {"ndcg": "yes"}}, "not 'yes'"),
        ({"pairs": ["new", "old"]}, "pairs of two different models"),
        ({"pairs": [("new", "new")]}, "pairs of two different models"),
        ({"pairs": "new"}, "pairs of two different models"),
        ({"test_train_ratio": -0.5}, "from 0"),
    ],
)
def test_arguments_of_another_kind(runs, given, words):
    with pytest.raises(ReseedError, match=words):
        reseed.compare(runs, **given)


def test_share_rounded_above_one_is_in_points(runs):
    rounded = runs.assign(ndcg=runs["ndcg"].where(runs.index > 0, 1.0000001))
    assert (reseed.compare(rounded).statistics("pairs")["factor"] == 100).all()


def test_import_is_light():
    code = (
        "import sys; sys.path.insert(0, 'scripts'); import reseed;"
        "print({'numpy', 'pandas', 'matplotlib'} & set(sys.modules), reseed.compare.__name__)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set() compare"


# --- the command ---------------------------------------------------------------------------------


def test_command(runs, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs[runs["ranker"] != "same"].to_csv("runs.csv", index=False)
    outputs = ["--folder", "all", "--latex", "t.tex", "--csv", "v.csv"]
    cli.main(["compare", "runs.csv", "--metric", "ndcg", *outputs])
    assert "better than old" in capsys.readouterr().out
    assert len(pd.read_csv("v.csv")) == 1
    assert "\\toprule" in Path("t.tex").read_text()
    # The folder is a study's: its trials, statistics, tables and figures.
    assert pd.read_csv("all/tables/leaderboard.csv")["model"].iloc[0] == "new"
    assert Path("all/figures/differences.pdf").read_bytes().startswith(b"%PDF")
    assert len(pd.read_parquet("all/metrics.parquet")) == 20


def test_the_command_takes_every_option_of_the_analysis(monkeypatch, runs, tmp_path):
    from reseed.analyses.pairs import Options

    taken = {}
    monkeypatch.setattr("reseed.comparison.compare.compare", lambda _, **given: taken.update(given))
    monkeypatch.setattr("reseed.comparison.commands.show", lambda *_: None)
    values = {"alpha": 0.01, "min_runs": 3, "target_power": 0.9, "family": "study",
              "seeds": "own", "rope": 0.01}  # fmt: skip
    assert {*values, "baseline", "pairs"} == set(Options.model_fields)
    given = [text for name, v in values.items() for text in (f"--{name.replace('_', '-')}", str(v))]
    cli.main(["compare", "runs.csv", *given])
    assert taken | values == taken
    taken.clear()
    cli.main(["compare", "runs.csv"])
    assert not {*values} - {"rope"} & {*taken}
    assert {*PAIR_TESTS} | {"rope", "baseline", "pairs"} == set(Options.model_fields)


def test_help_of_the_command_loads_no_library():
    code = (
        "import sys; sys.path.insert(0, 'scripts'); from reseed import cli\n"
        "try: cli.main(['compare', '--help'])\n"
        "except SystemExit: print({'numpy', 'pandas', 'pydantic'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip().endswith("set()")


def test_unknown_figure_format_is_refused_before_reading(tmp_path):
    with pytest.raises(SystemExit, match=r"--figure x\.xyz: end its name in one of .*pdf"):
        cli.main(["compare", str(tmp_path / "none.csv"), "--figure", "x.xyz"])


def test_figure_without_a_suffix_is_accepted(tmp_path):
    with pytest.raises(SystemExit, match=r"none\.csv"):
        cli.main(["compare", str(tmp_path / "none.csv"), "--figure", "figure"])


def test_command_writes_the_report_last(monkeypatch, capsys, runs, tmp_path):
    written = []
    monkeypatch.setattr(reseed.Comparison, "to_html", lambda self, path, **_: written.append(path))
    path = tmp_path / "runs.csv"
    runs.to_csv(path, index=False)
    cli.main(["compare", str(path), "--html", "report.html"])
    assert written == [Path("report.html")]
    assert capsys.readouterr().out.strip().endswith("Report: report.html")


def test_command_with_several_metrics_and_mapped_columns(tmp_path, capsys):
    arguments = ["compare", str(TABLES / "automl.csv"), "--metric", "auc", "--metric", "logloss"]
    cli.main([*arguments, "--column", "model=framework", "--pair", "TPOT", "H2OAutoML"])
    text = capsys.readouterr().out
    assert "H2OAutoML" in text
    assert "Mean rank" in text


def test_every_standard_exhibit_reads_a_standard_analysis():
    analyses, exhibits = map(built_in_kinds, ("analyses", "exhibits"))
    for items in (False, True):
        standard = default_analyses_and_exhibits(items)
        assert {entry["kind"] for entry in standard["analyses"].values()} <= analyses.keys()
        for entry in standard["exhibits"].values():
            assert entry["kind"] in exhibits
            assert entry["analysis"] in standard["analyses"]


def test_several_datasets_have_a_section_each():
    rng = np.random.default_rng(0)
    rows = [(m, d, s, 0.8 + 0.05 * (m == "b") + rng.normal(0, 0.004))
            for m in "ab" for d in ("adult", "wine") for s in range(8)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model", "dataset", "seed", "accuracy"])
    found = reseed.compare(frame)
    assert [row.dataset for row in found.shown.rows] == [
        "all datasets", "all datasets", "adult", "adult", "wine", "wine",
    ]  # fmt: skip
    assert found.answer[0].startswith("On exactly these 2 datasets b has the best mean accuracy")
    one = frame[frame["dataset"] == "wine"].drop(columns="dataset")
    assert len({row.dataset for row in reseed.compare(one).shown.rows}) == 1


def test_printed_means_are_read_where_their_runs_are_stated():
    printed = pd.DataFrame({"model": ["base", "ours"], "F1": ["88.1 ± 0.5", "90.4 ± 0.4"]})
    found = reseed.compare(printed, runs=5, spread="sd")
    assert found.answer[0].startswith("ours has the best mean F1, 90.4: better than base by")
    with pytest.raises(ReseedError, match="'rope': does not apply to printed means"):
        reseed.compare(printed, runs=5, rope=0.1)
    with pytest.raises(ReseedError, match="over how many runs"):
        reseed.compare(printed)


def test_unknown_argument_suggests_the_nearest():
    frame = pd.DataFrame({"model": ["a", "b"], "seed": [1, 1], "accuracy": [0.8, 0.9]})
    with pytest.raises(ReseedError, match=r"unknown argument 'metrc'. Did you mean 'metric'"):
        reseed.compare(frame, metrc="accuracy")


def test_a_tilde_in_a_models_name_stays():
    rng = np.random.default_rng(1)
    names = ["lora~r8", "lora~r16", "~f"]
    rows = [(m, s, 0.8 + 0.05 * i + rng.normal(0, 0.004))
            for i, m in enumerate(names) for s in range(6)]  # fmt: skip
    found = reseed.compare(pd.DataFrame(rows, columns=["model", "seed", "accuracy"]))
    assert set(found.table("leaderboard").shown["Model"]) == set(names)


def test_error_names_a_report_path_that_is_a_folder(runs, tmp_path):
    runs.to_csv(tmp_path / "runs.csv", index=False)
    with pytest.raises(SystemExit, match=f"Error: {re.escape(str(tmp_path))}: Is a directory"):
        cli.main(["compare", str(tmp_path / "runs.csv"), "--html", str(tmp_path)])


def test_files_are_written_if_nobody_reads_the_text(tmp_path):
    runs = Path(__file__).parents[2] / "docs" / "examples" / "runs.csv"
    table = tmp_path / "verdicts.csv"
    code = (
        "import sys; sys.path.insert(0, 'scripts'); from reseed import cli;"
        f"cli.main(['compare', {str(runs)!r}, '--csv', {str(table)!r}])"
    )
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    reader.wait()  # writing to its input raises BrokenPipeError
    run = subprocess.run([sys.executable, "-c", code], stdout=reader.stdin, stderr=subprocess.PIPE)
    assert (run.returncode, run.stderr) == (0, b"")
    assert len(pd.read_csv(table)) == 6
