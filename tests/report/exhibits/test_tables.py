"""Tables: what they show, how they are written, and that nothing breaks on nothing."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from reseed.core.study_info import StudyInfo
from reseed.report.exhibits.spread_table import count_equal_decimals, count_score_decimals
from reseed.report.rendering import numbers
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.table_files import markdown, write_table
from reseed.report.rendering.tables import Table
from run_kinds import draw, is_table
from study_frames import amended

CONFIGURED = yaml.safe_load(Path("config/studies/inherent_randomness.yaml").read_text())["exhibits"]
TABLES = [name for name, entry in CONFIGURED.items() if is_table(entry["kind"])]


def make(exhibit, name, **changes):
    data, options = exhibit(name, **changes)
    return draw(data.kind, data, options)


def simple(**changes):
    data = ExhibitData(None, pd.DataFrame(), StudyInfo(scale="demo"))
    shown = pd.DataFrame({"A|b": ["x_1 & 50%", "y"], "n": ["1", "2"]})
    raw = pd.DataFrame({"value": [1 / 3, 2.0]})
    return Table(
        **({"data": data, "shown": shown, "raw": raw, "footnote": "Scale: demo."} | changes)
    )


@pytest.mark.parametrize("name", TABLES)
def test_each_table_is_written_in_every_form_and_twice_the_same(exhibit, written, tmp_path, name):
    table = make(exhibit, name)
    assert len(table.shown)
    assert "Scale: demo." in table.footnote
    write_table(table, tmp_path / name)
    first, again = (
        [(folder / f"{name}.{s}").read_bytes() for s in ("csv", "md", "tex", "json")]
        for folder in (written / "tables", tmp_path)
    )
    assert first == again
    sidecar = json.loads(first[3])
    assert sidecar["title"] == CONFIGURED[name]["title"]
    assert {len(level) for level in sidecar["headings"]} == {len(table.shown.columns)}
    assert all(len(cells) == len(table.shown.columns) for _, cells in sidecar["rows"])


@pytest.mark.parametrize("name", TABLES)
def test_nothing_run_is_said_plainly(exhibit, statistics, tmp_path, name):
    analysis = CONFIGURED[name].get("analysis")
    nothing = None if analysis is None else statistics[analysis].iloc[:0]
    table = make(exhibit, name, metrics=statistics["metrics"].iloc[:0], statistics=nothing)
    write_table(table, tmp_path / name)
    text = (tmp_path / f"{name}.md").read_text()
    assert "at this scale" in text or "No two models" in text or "No trial was" in text


def test_table_3_shows_what_was_measured(exhibit, statistics):
    table = make(exhibit, "table3")
    scores = statistics["metrics"].query(
        "experiment == 'model_seeds' and dataset == 'bike_sharing' and model == 'rf'"
    )["mse"]
    where = np.array([s.startswith("Bike") for s in table.sections]) & (
        table.shown["", "Algorithm"] == "RF"
    )
    row = table.shown[where].iloc[0]
    places = len(row["Model seeds varied", "Median"].split(".")[1])
    assert row["Model seeds varied", "Median"] == f"{np.median(scores):.{places}f}"
    assert row["Model seeds varied", "Range"] == f"{np.ptp(scores):.{places}f}"
    assert row["Model seeds varied", "Relative variation"] == (
        f"{np.ptp(scores) / np.median(scores):.3f}"
    )


def test_a_cell_that_failed_altogether_is_a_row_of_dashes(exhibit, statistics):
    spread = statistics["spread"].copy()
    lost = spread.index[(spread["experiment"] == "data_seeds") & (spread["model"] == "rf")]
    numbers_of = spread.select_dtypes("number").columns.drop(["n", "failed", "test_ratio", "level"])
    spread.loc[lost, numbers_of] = np.nan
    spread.loc[lost, "n"], spread.loc[lost, "failed"] = 0, 8
    table = make(exhibit, "table3", statistics=spread)
    row = table.shown[table.shown["", "Algorithm"] == "RF"].iloc[0]
    assert row["Data seeds varied", "n"] == "0 (8 failed)"
    assert row["Data seeds varied", "Median"] == numbers.NONE
    assert row["", "SD ratio"] == numbers.NONE


def test_table_5_sets_slices_beside_the_fixed_experiments(exhibit, statistics):
    table = make(exhibit, "table5")
    grid = statistics["metrics"].query("experiment == 'retuned' and model == 'xgb'")
    median = grid[grid["data_seed"] == 0]["auc"].median()
    row = table.shown[table.shown["", "Algorithm"] == "XGB"].iloc[0]
    places = len(row["Fixed", "Median"].split(".")[1])
    assert row["Tuned for each pair", "Median"] == f"{median:.{places}f}"
    assert (row["Fixed", "n"], row["Tuned for each pair", "n"]) == ("8", "4")


def test_published_table_holds_every_number_in_its_csv(exhibit, statistics, tmp_path):
    write_table(make(exhibit, "published"), tmp_path / "published")
    raw = pd.read_csv(tmp_path / "published.csv")
    assert len(raw) == len(statistics["published"]) == 288
    assert raw["measured"].isna().any()


def test_raw_numbers_survive_the_csv_bit_by_bit(tmp_path):
    write_table(simple(), tmp_path / "t")
    assert pd.read_csv(tmp_path / "t.csv")["value"].tolist() == [1 / 3, 2.0]


def test_grouped_headings_span_their_columns():
    columns = pd.MultiIndex.from_tuples([("", "Model"), ("G", "x"), ("G", "y")])
    shown = pd.DataFrame([["rf", "1", "2"]], columns=columns)
    assert "| Model | G: x | G: y |" in markdown(simple(shown=shown))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("77 % [70, 84], p < 0.001", "77 % [70, 84], p < 0.001"),
        ("[a](b), <b>", "\\[a](b), \\<b>"),
        ("[a][b]", "\\[a][b]"),
    ],
)
def test_markdown_escapes_only_links_and_tags(text, written):
    shown = pd.DataFrame({"Model": [text]})
    assert f"| {written} |" in markdown(simple(shown=shown))


@pytest.mark.parametrize(
    ("values", "places"), [([0.0012], 4), ([0.5, 0.00034], 5), ([], 2), ([0.0], 2), ([1e-9], 10)]
)
def test_decimals_show_two_digits_of_the_smallest(values, places):
    assert numbers.decimals(values) == places


def test_a_variant_is_marked_and_explained(statistics):
    info = StudyInfo(models={"ffnn~max_epochs=9": {"title": "FFNN"}}, scale="demo")
    data = ExhibitData(None, pd.DataFrame(), info)
    assert data.model("ffnn~max_epochs=9") == "FFNN†"
    assert data.recipes(["ffnn~max_epochs=9"]) == ["FFNN: max_epochs=9"]
    info = amended(info, models={"ffnn~max_epochs=5": {"title": "FFNN"}})
    data = ExhibitData(None, pd.DataFrame(), info)
    assert data.model("ffnn~max_epochs=9") == "FFNN, max_epochs=9"


def test_trials_of_two_environments_are_not_pooled_silently(exhibit, statistics):
    metrics = statistics["metrics"].assign(environment="one")
    data, options = exhibit("table3", metrics=metrics)
    assert "environments" not in table3(data, options)
    late = metrics["model"].eq("rf") & metrics["data_seed"].gt(2)
    data, options = exhibit("table3", metrics=metrics.assign(
        environment=metrics["environment"].where(~late, "two")))  # fmt: skip
    assert "Pooled over environments" in table3(data, options)


def table3(data, options) -> str:
    return draw(data.kind, data, options).note


def test_large_scores_keep_decimals_of_their_own():
    rows = pd.DataFrame(
        [{"dataset": d, "n": 6, "median": m, "iqr": s}
         for d, m, s in (("a", 0.9, 0.01), ("b", 0.8, 0.0002), ("c", 412.0, 30.0))]
    )  # fmt: skip
    places = count_equal_decimals(rows)
    assert places["a"] == places["b"] == count_score_decimals(rows[rows["dataset"] == "b"])
    assert places["c"] == 1
