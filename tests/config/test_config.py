"""The configuration: what is refused, the error messages, and the schemas."""

import copy
import json
import shutil
from pathlib import Path

import pytest
import yaml
from reseed.config.studies import Main
from reseed.core.errors import ReseedError
from reseed.planning.project import load_project, merge
from schemas import build_json_schemas
from toy_project import ENTRIES, write_entries

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def entries():
    return copy.deepcopy(ENTRIES)


def load_from(folder, entries, **overrides):
    write_entries(folder, entries)
    return load_project(folder, overrides)


def error_of(folder, entries, **overrides):
    with pytest.raises(ReseedError) as caught:
        load_from(folder, entries, **overrides)
    return str(caught.value)


def test_valid_configuration_is_read(tmp_path, entries):
    project = load_from(tmp_path, entries)
    assert list(project.studies) == ["first"]
    assert project.main.scale == "demo"


def test_results_may_be_a_path_alone(tmp_path, entries):
    entries["studies/mine"] = {"name": "mine", "title": "Mine", "results": "runs.csv"}
    study = load_from(tmp_path, entries).studies["mine"]
    assert (study.results.path, study.results.format) == ("runs.csv", "auto")
    assert {"pairs", "leaderboard"} <= study.analyses.keys()


def test_all_errors_are_reported_at_once(tmp_path, entries):
    entries["datasets/toy"]["task"] = "binry"
    entries["models/forest"]["titel"] = "x"
    entries["studies/first"]["splits"][0]["test"] = 1.5
    entries["studies/first"]["models"] = ["forrest"]
    text = error_of(tmp_path, entries)
    assert "forrest" not in text  # names in a refused study are not checked
    assert "datasets/toy.yaml: task: " in text
    assert "Did you mean 'binary'?" in text
    assert "models/forest.yaml: titel: unknown field 'titel'" in text
    assert "Did you mean 'title'?" in text
    assert "studies/first.yaml: splits.0.holdout.test: " in text
    assert "Found: 1.5" in text


def experiment(**fields):
    return {"experiments": {"e": {"seeds": {"model": 1}} | fields}}


def seeds(**roles):
    return experiment(seeds=roles)


def analysis(kind, **options):
    return {"analyses": {"a": {"kind": kind, "options": options}}}


def exhibit(kind, **options):
    return {"exhibits": {"x": {"kind": kind, "title": "X", "options": options}}}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"name": "second"}, "'second' differs from the file's name"),
        ({"titel": "x"}, "Allowed: analyses, citation"),
        ({"models": ["forrest"]}, "models.0: unknown model 'forrest'"),
        ({"models": ["forrest"]}, "Did you mean 'forest'?"),
        ({"datasets": [{"name": "toi"}]}, "datasets.0: unknown dataset 'toi'"),
        ({"coverage": "a.csv"}, "first.yaml: coverage: "),
        ({"experiments": {}}, "needs either experiments"),
        (experiment(arms={}), "experiments.e.arms: neither"),
        (experiment(datasets=[]), "experiments.e.datasets: neither"),
        (experiment(arms={"a": {"model": "oak"}}), "arms.a.model: unknown model 'oak'"),
        (seeds(model={"count": 0}), "experiments.e.seeds.model.count: "),
        (seeds(model={"count": 1000000000}), "less than or equal to 1000000"),
        (seeds(model={"count": 5, "start": 2**32 - 2}), "2**32"),
        (seeds(model=[]), "at least 1 item"),
        (seeds(model=[3, 3]), "seed 3 is listed twice"),
        (seeds(model=True), "seeds.model: Input should be a valid integer. Found: True."),
        ({"splits": [{"kind": "time"}]}, "needs `time:`, the column of times, in the file of"),
        (
            {"splits": [{"kind": "time"}]} | seeds(data={"count": 2}),
            "experiments.e.seeds.data: windows of time are not drawn",
        ),
        (
            {"splits": [{"kind": "time"}], "hyperparameters": {"mode": "fixed"}},
            "hyperparameters: the folds of a search are random",
        ),
        (seeds(modle=3), "Allowed: augment, data, dropout, init, model, order. Did you mean 'mod"),
        (seeds(model=1, init=2), "sets both model and init"),
        ({"scales": {"paper": {"keep": "all"}}}, "keep: "),
        ({"scales": {"paper": {"models": ["oak"]}}}, "at scale paper: "),
        (analysis("spred"), "Did you mean 'spread'?"),
        (analysis("pairs", baseline="forst"), "Did you mean 'forest'"),
        (
            analysis("seeds_needed", pairs=[["forest", "oak"]]),
            "analyses.a.options.pairs: unknown arm 'oak'. Allowed: forest.",
        ),
        (exhibit("score_strips", arms=["oak"]), "exhibits.x.options.arms: unknown arm 'oak'"),
        (
            exhibit("score_strips", experiments=["absent"]),
            "exhibits.x.options.experiments: unknown experiment 'absent'",
        ),
        ({"metric": "acu"}, "metric: unknown metric 'acu'"),
        ({"metric": "mine:cost"}, "keep: the metric mine:cost needs the raw outputs"),
        ({"metric": "pinball_90"}, "Set keep: [test]"),
        ({"metric": "mse"}, "metric: mse is for regression, the task is binary"),
        ({"hyperparameters": {"metric": "aucc"}}, "Did you mean 'auc'?"),
        (
            {"hyperparameters": {"mode": "fixed", "metric": "r2"}},
            "yaml: hyperparameters.metric: r2 is for regression, the task is binary",
        ),
        (
            experiment(hyperparameters={"mode": "fixed", "metric": "mea"}),
            "experiments.e.hyperparameters.metric: unknown metric 'mea'",
        ),
        (
            experiment(hyperparameters={"metric": "macro_auc"}),
            "experiments.e.hyperparameters.metric: macro_auc is for multiclass, the task is",
        ),
    ],
)
def test_errors_of_a_study_name_file_field_and_fix(tmp_path, entries, change, expected):
    entries["studies/first"] |= change
    text = error_of(tmp_path, entries)
    assert "studies/first.yaml" in text
    assert expected in text


@pytest.mark.parametrize(
    ("file", "change", "expected"),
    [
        ("config", {"block_seconds": float("inf")}, "block_seconds: "),
        ("config", {"results": "a{b}"}, "results: "),
        ("datasets/toy", {"metric": "acu"}, "toy.yaml: metric: unknown metric 'acu'"),
        ("datasets/toy", {"metric": "mse"}, "metric: mse is for regression, the task is binary"),
        ("datasets/toy", {"options": {"separator": ""}}, "separator"),
        ("datasets/toy", {"task": "multiclass", "positive": 1}, "positive: names one of two"),
        ("models/forest", {"factory": "forest"}, "factory: "),
        ("models/forest", {"environment": "nope"}, "there is no file envs/nope.yaml"),
        ("models/forest", {"weights": "nope"}, "weights: there is no "),
        ("models/forest", {"search_space": {"depth": []}}, "search_space.depth: "),
        ("models/forest", {"search_space": {"depth": {"low": 5, "high": 2}}}, "below low"),
    ],
)
def test_errors_of_other_files_name_field_and_fix(tmp_path, entries, file, change, expected):
    entries[file] = entries.get(file, {}) | change
    text = error_of(tmp_path, entries)
    assert f"{file}.yaml" in text
    assert expected in text


def test_custom_metric_of_stored_outputs_or_dataset_is_valid(tmp_path, entries):
    entries["studies/first"] |= {"metric": "mine:cost", "keep": ["test"]}
    assert load_from(tmp_path, entries).studies["first"].metric == "mine:cost"
    entries["studies/first"] |= {"keep": []}
    entries["datasets/toy"] |= {"metric": "mine:cost"}
    assert load_from(tmp_path, entries).datasets["toy"].metric == "mine:cost"


def test_name_of_another_study_is_refused(tmp_path, entries):
    entries["studies/second"] = entries["studies/first"]
    text = error_of(tmp_path, entries)
    assert "second.yaml: name: 'first' differs from the file's name" in text


def test_yaml_that_cannot_be_read(tmp_path, entries):
    entries["models/forest"] = "name: [unclosed"
    assert "models/forest.yaml: cannot be read as YAML" in error_of(tmp_path, entries)


def test_unknown_scale_and_study_on_the_command_line(tmp_path, entries):
    assert "Did you mean 'paper'?" in error_of(tmp_path, entries, scale="papr")
    assert "Did you mean 'first'?" in error_of(tmp_path, entries, studies="frist")


def test_a_scale_changes_what_it_names_and_nothing_else(tmp_path, entries):
    change = {"experiments": {"models": {"seeds": {"model": {"count": 2}}}}}
    entries["studies/first"]["scales"] = {"smoke": change}
    smoke = load_from(tmp_path, entries, scale="smoke").studies["first"]
    demo = load_from(tmp_path, entries, scale="demo").studies["first"]
    assert smoke.experiments["models"].seeds.model.count == 2
    assert demo.experiments["models"].seeds.model.count == 3
    assert smoke.splits == demo.splits


def test_an_exhibit_has_options_of_another_study(tmp_path, entries):
    table = {"kind": "table", "title": "T", "analysis": "a"}
    columns = {"columns": {"Model": "arm", "SD": "sd"}, "least": {"n": 3}}
    entries["studies/first"] |= analysis("spread") | {
        "exhibits": {"t": table | {"options": columns}}
    }
    own = {"least": None, "columns": {"SD": "sd * 2"}}
    second = {"name": "second", "exhibits": {"u": table | {"like": "first.t", "options": own}}}
    entries["studies/second"] = entries["studies/first"] | second
    found = load_from(tmp_path, entries).studies["second"].exhibits["u"].options
    assert found == {"columns": {"Model": "arm", "SD": "sd * 2"}}
    second["exhibits"]["u"] = table | {"like": "folds", "options": {"least_digits": 5}}
    found = load_from(tmp_path, entries).studies["second"].exhibits["u"].options
    assert (found["least_digits"], found["columns"]["Mean"]) == (5, "mean")
    for like in ("first.v", "absent.t", "first"):
        second["exhibits"]["u"]["like"] = like
        assert "second.yaml: exhibits.u.like: " in error_of(tmp_path, entries)


def test_a_scale_leaves_a_study_out(tmp_path, entries):
    entries["studies/first"]["scales"] = {"smoke": None, "demo": None}
    assert not load_from(tmp_path, entries, scale="smoke").studies
    assert "first" in load_from(tmp_path, entries, scale="cpu").studies
    told = error_of(tmp_path, entries, scale="smoke", studies="first")
    assert "first is not run at scale smoke" in told
    assert "use scale cpu or use scale paper or delete `smoke: null` under `scales`" in told
    entries["studies/importer"] = {
        "name": "importer",
        "title": "Runs of the first study",
        "results": {"path": "{results}/examples/importer.csv", "made_from": "first"},
    }
    told = error_of(tmp_path, entries, scale="smoke")
    assert "importer.yaml: results.made_from: first is not run at scale smoke" in told
    assert set(load_from(tmp_path, entries, scale="cpu").studies) == {"first", "importer"}


def test_merge_replaces_lists_and_removes_none():
    base = {"a": {"b": [1, 2], "c": 1}, "d": 1}
    assert merge(base, {"a": {"b": [3]}, "d": None}) == {"a": {"b": [3], "c": 1}}


def test_schemas_agree_with_the_classes():
    for name, schema in build_json_schemas().items():
        path = REPOSITORY / "config" / "schema" / f"{name}.json"
        assert json.loads(path.read_text()) == schema, "run: make schemas"
    displayed = REPOSITORY / "workflow" / "schemas" / "config.schema.json"
    assert json.loads(displayed.read_text()) == build_json_schemas()["config"]


@pytest.mark.parametrize("name", ["all", "index", "report", "verify"])
def test_study_name_must_not_be_a_rule_or_page(tmp_path, entries, name):
    entries[f"studies/{name}"] = entries.pop("studies/first") | {"name": name}
    assert "is the name of a rule or page of the pipeline" in error_of(tmp_path, entries)


def test_duplicate_field_is_refused(tmp_path, entries):
    text = yaml.safe_dump(entries["models/forest"])
    entries["models/forest"] = f"{text}title: Again\n"
    assert "'title' is given twice" in error_of(tmp_path, entries)


def test_text_that_is_not_utf8_is_refused(tmp_path, entries):
    load_from(tmp_path, entries)
    (tmp_path / "models" / "forest.yaml").write_bytes(b"title: caf\xe9\n")
    with pytest.raises(ReseedError, match=r"forest.yaml: not UTF-8 text"):
        load_project(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n", "config.yaml: must hold fields"),
        ("scale", "config.yaml: must hold fields"),
        ("results: {{x}}\n", "put braces in quotes"),
    ],
)
def test_file_of_another_form_is_refused(tmp_path, entries, text, expected):
    entries["config"] = text
    assert expected in error_of(tmp_path, entries)


def test_values_of_the_command_line_are_blamed_on_it(tmp_path, entries):
    entries["config"] = {"retry_failed": "maybe"}
    text = error_of(tmp_path, entries, scale="papier")
    assert text.count("retry_failed: ") == text.count("config.yaml: retry_failed: ") == 1
    assert text.count("scale: ") == text.count("command line (--config): scale: ") == 1
    entries["config"] = {}
    text = error_of(tmp_path, entries, studies="firts")
    assert "command line (--config): studies: unknown study 'firts'" in text


@pytest.mark.parametrize("name", [{}, {"name": ["x"]}])
def test_each_file_without_a_name_is_reported(tmp_path, entries, name):
    entries["models/a"] = entries["models/b"] = {"title": "A"} | name
    text = error_of(tmp_path, entries)
    assert all(f"models/{one}.yaml: name: " in text for one in "ab")


def test_arms_are_checked_among_those_of_the_analysis(tmp_path, entries):
    study = entries["studies/first"]
    study["experiments"] = {
        "a": {"seeds": {"model": 1}},
        "b": {"seeds": {"model": 1}, "arms": {"long": {"model": "forest"}}},
    }
    study["analyses"] = {"p": {"kind": "pairs", "options": {"baseline": "long"}}}
    load_from(tmp_path, entries)
    study["analyses"]["p"]["experiments"] = ["a"]
    assert "unknown arm 'long'. Allowed: forest." in error_of(tmp_path, entries)


def test_pattern_errors_are_explained(tmp_path):
    shutil.copytree(REPOSITORY / "config", tmp_path / "config")
    config = tmp_path / "config"
    (config / "models" / "mine.yaml").write_text(
        "name: mine-2\ntitle: Mine\nfactory: my_models.make\n"
    )
    (config / "studies" / "x.yaml").write_text(
        "name: x\ntitle: X\ndatasets: [digits]\nmodels: [pixel_trees]\n"
        "splits: [{kind: holdot, test: 0.2}]\nexperiments: {a: {seeds: {data: 0, model: 0}}}\n"
    )
    (config / "studies" / "y.yaml").write_text("name: y\ntitle: Y\n")
    with pytest.raises(ReseedError) as caught:
        load_project(config, {}, lambda read: [])
    text = str(caught.value)
    assert "mine.yaml: name: a name holds unaccented letters, digits" in text
    assert "mine.yaml: factory: give `module:name`, as in my_module:make." in text
    assert (
        "x.yaml: splits.0: unknown kind 'holdot'. Allowed: holdout, official, kfold, time. Did"
        in text
    )
    assert "y.yaml: needs either experiments" in text


@pytest.mark.parametrize(("scale", "seconds"), [("demo", 60), ("paper", 3600)])
def test_jobs_are_long_at_the_scale_of_clusters(scale, seconds):
    assert Main(scale=scale).block_seconds == seconds
    assert Main(scale=scale, block_seconds=5).block_seconds == 5


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("name: 2024_05", "name: Input should be a valid string. Found: 202405. YAML reads it as"),
        ("name: x\nsplits: [{kind: kfold, folds: 1000000000000000000}]", "less than or equal to"),
        ("name: x\nsplits: [{kind: holdout, test: 1e-320}]", "greater than or equal to 0.000001"),
    ],
)
def test_values_that_no_plan_can_hold_are_named(tmp_path, field, message):
    shutil.copytree(REPOSITORY / "config", tmp_path / "config")
    (tmp_path / "config" / "studies" / "x.yaml").write_text(
        f"{field}\ntitle: X\ndatasets: [digits]\nmodels: [pixel_trees]\n"
        "experiments: {a: {seeds: {data: 0, model: 0}}}\n"
    )
    with pytest.raises(ReseedError) as caught:
        load_project(tmp_path / "config", {}, lambda read: [])
    assert message in str(caught.value)


def test_a_wrong_scale_is_one_error(tmp_path):
    shutil.copytree(REPOSITORY / "config", tmp_path / "config")
    with pytest.raises(ReseedError, match="Did you mean 'paper'") as caught:
        load_project(tmp_path / "config", {"scale": "papier"}, lambda read: [])
    assert "block_seconds" not in str(caught.value)


def test_studies_with_errors_are_left_out_if_asked(tmp_path, entries):
    entries["studies/second"] = entries["studies/first"] | {"name": "second", "titel": "x"}
    results = {"path": "{results}/examples/third.csv", "made_from": "second"}
    entries["studies/third"] = {"name": "third", "title": "Third", "results": results}
    write_entries(tmp_path, entries)
    project = load_project(tmp_path, tolerant=True)
    assert list(project.studies) == ["first"]
    assert "second.yaml: titel: unknown field" in project.broken["second"][0]
    assert "imports the results of second" in project.broken["third"][0]
    for named in ("second", "first,third"):
        with pytest.raises(ReseedError, match="titel"):
            load_project(tmp_path, {"studies": named}, tolerant=True)
    assert load_project(tmp_path, {"studies": "first"}, tolerant=True).broken
    entries["models/forest"]["titel"] = "x"  # which no study can do without
    write_entries(tmp_path, entries)
    with pytest.raises(ReseedError, match="2 errors"):
        load_project(tmp_path, tolerant=True)
