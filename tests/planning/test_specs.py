"""Specs of jobs survive JSON unchanged, and keys ignore their paths."""

import dataclasses
import json

import pytest
from reseed.config.datasets import Dataset, Weights
from reseed.config.studies import Official, Results
from reseed.core.coordinates import Coordinates
from reseed.core.coverage import PaperExhibit
from reseed.core.statement import Statement
from reseed.planning import report_specs, specs
from reseed.planning.study_specs import build_study_spec, narrow_to_experiment
from reseed.planning.training_specs import build_train_spec
from toy_project import load_toy_project

HYPERPARAMETERS = {
    "n_estimators": 10,
    "rate": 0.1 + 0.2,
    "whole": 2.0,
    "flag": True,
    "list": [1, 1.0, "a", None],
    "text": "10",
}
SEARCHED = {
    "models/forest": {
        "search_space": {"max_depth": {"low": 1, "high": 4}, "max_features": ["sqrt", 0.1, None]},
        "hyperparameters": HYPERPARAMETERS,
        "stack": {"cpu": 4},
        "notes": ["one", "two"],
    },
    "studies/first": {
        "keep": ["test", "validation"],
        "citation": "Ü et al.",
        "splits": [{"kind": "kfold", "folds": 3}],
        "experiments": {
            "models": {"seeds": {"model": {"count": 3}}},
            "searched": {
                "seeds": {"data": [0, 4], "init": 2},
                "hyperparameters": {"mode": "tuned", "trials": 2},
            },
        },
    },
}
DATASET = Dataset(name="toy", title="Toy", task="binary", target="y", positive=1.5)
RESULTS = "/somewhere/results"
SOURCE = {"kind": "file", "path": "a {b}.csv"}


MORE = Statement(
    text="Seeds matter more.", exhibit="x", where={"arm": ["rf"]}, value="sd", scale="log",
    title="SD", above=1,
)  # fmt: skip


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    return load_toy_project(tmp_path_factory.mktemp("toy"), SEARCHED)


@pytest.fixture(scope="module")
def study(planned):
    return build_study_spec(*planned, "first")


@pytest.fixture(scope="module")
def training(planned):
    project, plan = planned
    return build_train_spec(project, plan.all_blocks()[:1], lambda stamps: "sources.json")


@pytest.fixture(scope="module")
def every_spec(study, training):
    setting, sources = study.settings[-1], "plan/ab/cd.json"
    exhibit = specs.ExhibitSpec(
        "x", "spread_table", True, "X", "", "a", {"level": 0.95}, ("in",), (".csv",), "key", sources
    )
    analysis = specs.AnalysisSpec(
        *(RESULTS, "first", "a", "spread", {"n": [1, {"b": None}]}, ("models",), ("models",)),
        *("published", sources),
    )
    step = specs.ReplayStep("draw", "ab/cd.json", ("metrics.parquet",), ("x.csv", "x.json"))
    return [
        specs.DataSpec(RESULTS, "toy~0a1b", DATASET, sources),
        specs.WeightsSpec(RESULTS, Weights(name="w", title="W", sources=[SOURCE | {"path": "w"}])),
        specs.SplitSpec(RESULTS, "toy", "official", Official(kind="official"), 20),
        specs.SearchSpec(RESULTS, "report", False, setting, Coordinates(0, 1, 2, 3, 4, 5), sources),
        specs.TrySpec(RESULTS, setting, {"max_depth": 1}, 60.0, sources),
        training,
        specs.VerifySpec(training, None, "first", (step,)),
        study,
        specs.ImportSpec(Results(path="runs.csv"), study, True),
        specs.ExportSpec(RESULTS, "first", "models", ("auc",), "runs.csv"),
        analysis,
        specs.DrawSpec(RESULTS, "first", exhibit),
        specs.JudgeSpec(RESULTS, "first", {"more": MORE}, {"more": "spread"}),
        report_specs.ReportSpec(
            RESULTS,
            "results",
            {"first": ("x",)},
            None,
            {"first": (PaperExhibit("Table 1", "made", ("x",)),)},
            "results/reference",
            {"second": ("Another study", "Somebody")},
            "demo",
        ),
        report_specs.ReferenceSpec(RESULTS, "first"),
    ]


def job_spec_classes():
    """Classes of specs that are no part of another spec."""
    modules = {**vars(specs), **vars(report_specs)}
    classes = [one for one in modules.values() if dataclasses.is_dataclass(one)]
    own = [one for one in classes if one.__module__ in (specs.__name__, report_specs.__name__)]
    parts = {name for one in own for f in dataclasses.fields(one) for name in str(f.type).split()}
    return {one.__name__ for one in own if not any(one.__name__ in part for part in parts)}


def test_every_spec_class_is_tested(every_spec):
    tested = {type(spec).__name__ for spec in every_spec}
    assert job_spec_classes() - tested == set()


def test_specs_are_unchanged_by_json(every_spec):
    for spec in every_spec:
        text = json.dumps(specs.to_json(spec), ensure_ascii=False)
        again = specs.from_json(type(spec), text)
        assert again == spec
        assert json.dumps(specs.to_json(again), ensure_ascii=False) == text


def test_hyperparameters_keep_their_types(study):
    text = json.dumps(specs.to_json(study))
    again = specs.from_json(specs.StudySpec, text).settings[0].model.hyperparameters
    assert {k: repr(v) for k, v in again.items()} == {
        k: repr(v) for k, v in HYPERPARAMETERS.items()
    }


@pytest.mark.parametrize("text", ["{}", "[]", '{"results": 1}', "{", '{"results": "r", "x": 1}'])
def test_text_without_a_spec_is_refused(text):
    with pytest.raises(ValueError, match="DataSpec"):
        specs.from_json(specs.DataSpec, text)


def test_form_for_keys_has_no_paths(every_spec, study):
    for spec in every_spec:
        text = json.dumps(specs.without_paths(spec))
        assert "plan/ab/cd.json" not in text, type(spec).__name__
        assert RESULTS not in text
        assert study.results not in text


def test_form_for_keys_ignores_paths_alone(study):
    moved = dataclasses.replace(study, results="/elsewhere", sources="/elsewhere/plan")
    assert specs.without_paths(moved) == specs.without_paths(study)
    imported = [specs.ImportSpec(Results(path="a"), one, False) for one in (study, moved)]
    first, second = map(specs.without_paths, imported)
    assert first == second
    other = dataclasses.replace(study, title="Other")
    assert specs.without_paths(other) != specs.without_paths(study)


def test_setting_key_covers_each_part_of_the_model(study):
    setting = study.settings[0]
    model = setting.model
    changes = {
        "factory": "other:make",
        "encoder": model.encoder.model_copy(update={"scaling": "none"}),
        "weights": "w",
        "hold_validation": not model.hold_validation,
        "compute": {"precision": "bf16"},
        "hyperparameters": {"n_estimators": 11},
        "stack": {"cpu": 8},
        "metric": "mine:cost",
        "device": "gpu",
    }
    assert changes.keys() == {field.name for field in dataclasses.fields(model)}
    keys = {
        dataclasses.replace(setting, model=dataclasses.replace(model, **{name: value})).key
        for name, value in changes.items()
    }
    assert len(keys | {setting.key}) == len(changes) + 1


def test_search_parts_ignore_stored_outputs(study):
    setting = study.settings[-1]
    fewer = dataclasses.replace(setting, keep=())
    assert fewer.search_parts == setting.search_parts
    assert fewer.key != setting.key
    assert dataclasses.replace(setting, search_code="x").search_parts != setting.search_parts


def test_narrowed_study_has_one_experiment_and_its_settings(study):
    narrow = narrow_to_experiment(study, "searched")
    assert [one.name for one in narrow.experiments] == ["searched"]
    (arm,) = narrow.experiments[0].arms
    (whole,) = study.experiments[1].arms
    assert narrow.settings == (study.settings[whole.setting_number],)
    assert narrow.settings[arm.setting_number] == study.settings[whole.setting_number]
    assert dataclasses.replace(arm, setting_number=whole.setting_number) == whole


def test_narrowed_study_keeps_used_texts_only(study):
    unused = {"texts": dataclasses.replace(study, models={}).datasets["toy"]}
    wide = dataclasses.replace(
        study,
        datasets=study.datasets | unused,
        variants={"toy": "rows=3", "other": "rows=9"},
        models=study.models | {"other": study.models["forest"]},
    )
    narrow = narrow_to_experiment(wide, "models")
    assert set(narrow.datasets) == {"toy"}
    assert set(narrow.models) == {"forest"}
    assert narrow.variants == {"toy": "rows=3"}
    assert (narrow.title, narrow.metrics, narrow.results) == (
        study.title,
        study.metrics,
        study.results,
    )
