"""Costs of a plan against sums by hand."""

import csv
import json

import pytest
from planned_settings import planned_setting
from reseed.config.datasets import Dataset
from reseed.config.studies import Seeds
from reseed.core.layout import ResultsLayout
from reseed.data.meta import DatasetMeta
from reseed.planning.costs import (
    Cost,
    Measured,
    cost_of,
    describe_gaps,
    format_models,
    format_page,
    hours,
    list_processors,
    measured_seconds,
    rows_of,
    seconds_of,
    size,
    study_costs,
    total,
)
from reseed.planning.plan import Plan, PlannedArm


def setting(model="forest", **fields):
    return planned_setting(model, rows=16_000, seconds_per_trial=3.0, **fields)


def plan_of(*settings, block_seconds=15, **studies):
    return Plan(
        layout=ResultsLayout("results"),
        datasets={"table": settings[0].dataset},
        models={},
        weights={},
        settings={one.setting: one for one in settings},
        studies=studies,
        variants={},
        left_out={},
        metric_code={},
        block_seconds=block_seconds,
    )


def cost_alone(planned, rows=16_000):
    return cost_of(plan_of(planned), planned.setting, {}, rows)


def test_hours_and_jobs_by_hand():
    cost = cost_alone(setting())
    # 20 trials of 3 s; one search of 10 candidates × 5 folds on 4/5 of the rows.
    assert cost.cpu_seconds == pytest.approx(20 * 3 + 10 * 5 * 3 * 0.8)
    assert cost.fits == 50
    # 120 s of fits in 8 shards of 6 or 7 fits (2.4 s each), then the job that chooses.
    assert cost.jobs == 4 + 8 + 1
    assert cost.longest == pytest.approx(7 * 2.4)
    assert cost.gpu_seconds == 0
    assert cost.seconds_by_source["the model's hint"] == pytest.approx(180)


@pytest.mark.parametrize(
    ("space", "fits"), [({"C": [1, 2, 3]}, 15), ({}, 0), ({"n": {"low": 2, "high": 3}}, 10)]
)
def test_search_tries_at_most_the_size_of_its_space(space, fits):
    cost = cost_alone(setting(space=space))
    assert cost.fits == fits
    assert cost.cpu_seconds == pytest.approx(20 * 3 + fits * 3 * 0.8)


def test_gpu_model_costs_gpu_hours():
    cost = cost_alone(setting(device="auto"), rows=100)
    assert cost.gpu_seconds == cost.cpu_seconds > 0


def test_disk_space_grows_with_stored_predictions():
    none, scores = (cost_alone(setting(keep=keep), 1000) for keep in ((), ("test",)))
    assert scores.disk_bytes - none.disk_bytes == pytest.approx(20 * 250 * 8)


def test_cost_prefers_measured_then_similar_then_hint():
    own = {"table/holdout-0.25/forest/fixed-10": Measured(7.0, 9)}
    near = {
        "table/holdout-0.5/forest/default": Measured(4.0, None),
        "table/holdout-0.1/forest/default": Measured(5.0, 16_000),
        "table/holdout-0.1/boost/default": Measured(90.0, 16_000),
        "table~0a1b2c3d/holdout-0.1/forest/default": Measured(90.0, None),
        "other/holdout-0.25/forest/fixed-10": Measured(90.0, 16_000),
    }
    assert seconds_of(setting(), near | own, 16_000) == (7.0, "its own setting")
    assert seconds_of(setting(), near, 16_000) == (4.5, "same data and model")
    assert seconds_of(setting(), {}, 16_000) == (3.0, "the model's hint")


def test_seconds_are_proportional_to_rows():
    fewer = {"table~0a1b2c3d/holdout-0.25/forest/fixed-10": Measured(0.5, 1_000)}
    assert seconds_of(setting(), fewer, 16_000) == (8.0, "same data and model")


def test_seconds_are_read_from_finished_studies(tmp_path):
    message = {
        "seconds_per_trial": {"d/s/m/h": 1.5, "e/s/m/h": 2.5},
        "datasets": {"d": {"rows": 40}},
        "machines": [{"cpu": "Old", "device": "cpu"}, {"cpu": "C", "device": "New GPU"}],
    }
    for study, text in {"a": json.dumps(message), "b": "{}", "c": "{"}.items():
        (tmp_path / "studies" / study).mkdir(parents=True)
        (tmp_path / "studies" / study / "about.json").write_text(text)
    found = measured_seconds([tmp_path, tmp_path / "nowhere"])
    assert found == {"d/s/m/h": (1.5, 40), "e/s/m/h": (2.5, None)}
    assert list_processors([tmp_path]) == ["New GPU", "Old"]
    assert rows_of([tmp_path], "d", Dataset(name="d", title="D", task="binary", target="y")) == 40
    assert measured_seconds([]) == {}


def test_study_counts_each_setting_once():
    one, two = setting(), setting(model="boost")
    first, second = (PlannedArm("", "", "", planned.setting, Seeds()) for planned in (one, two))
    plan = plan_of(one, two, s={"a": [first, second], "b": [first]}, given={})
    costs = study_costs(plan, {}, {"table": 16_000})
    assert total(costs["s"].values()).trials == 40
    assert costs["given"] == {}
    facts = {"scale": "demo", "command": "c", "cpu": "p", "block": "b", "gaps": " Missing: d."}
    text = format_page(costs, {"s": "S", "given": "G"}, facts)
    assert text.startswith("# What scale `demo` costs")
    assert "measured on: p. Missing: d." in text
    assert "| **all** | 40 | 2 | 100 |" in text
    assert "Nothing is trained" in text
    page = format_page(costs, {"s": "S", "given": "G"}, facts, "costs.csv")
    assert "| S | 40 | 2 | 100 |" in page
    assert "| G | 0 | 0 | 0 |" in page
    assert "(costs.csv)" in page
    header, *rows = csv.reader(format_models(costs).splitlines())
    assert [dict(zip(header, row, strict=True))["model"] for row in rows] == ["boost", "forest"]
    assert sum(int(row[header.index("trials")]) for row in rows) == 40


def test_formats_of_numbers():
    assert hours(3600 * 0.25) == "0.2"
    assert hours(3600 * 1234) == "1,234"
    assert size(1.3e9) == "1.3 GB"
    assert size(2e15) == "2e+03 TB"
    assert (Cost(trials=1, longest=5) + Cost(trials=2, longest=3)).longest == 5


def test_rows_are_configured_or_prepared(tmp_path):
    def configured(rows):
        return Dataset(name="d", title="D", task="binary", target="y", rows=rows)

    prepared = tmp_path / "b" / "data" / "table"
    prepared.mkdir(parents=True)
    hashes = dict.fromkeys(("inputs_sha256", "targets_sha256", "content_sha256"), "")
    facts = {"name": "table", "task": "binary", "target": "y", "kind": "table", "files": {}}
    DatasetMeta(rows=70, **facts, **hashes).write(prepared)
    folders = [tmp_path / "a", tmp_path / "b"]
    assert rows_of(folders, "table", configured(500)) == 500
    assert rows_of(folders, "table", configured(None)) == 70
    assert rows_of(folders, "other", configured(None)) is None


def test_datasets_without_costs_are_listed():
    assert describe_gaps(set(), []) == ""
    text = describe_gaps({"imagenet"}, ["imdb", "boolq"])
    assert "not counted: imagenet." in text
    assert "counted as 16,000 rows: boolq, imdb." in text
