"""Options of analyses and exhibits: each kind declares exactly what its code reads."""

import ast
import inspect
from functools import cache
from pathlib import Path

import pytest
import yaml
from reseed.config.defaults import add_default_analyses, default_analyses_and_exhibits
from reseed.core.errors import ReseedError
from reseed.core.identifiers import SCALES
from reseed.core.module_finder import SCRIPTS
from reseed.planning.project import load_project
from reseed.planning.read_plan import read_plan
from reseed.plugins import kinds
from reseed.plugins.options import NoOptions

REPOSITORY = Path(__file__).parents[2]
#: Options that planning reads: files that are inputs of the job.
READ_BY_PLANNING = {"files"}
#: Options that are read in a loop over their names.
READ_IN_A_LOOP = {"pairs": {"level", "alpha", "min_runs", "target_power"}}


def kinds_of_papers(family):
    for path in sorted((SCRIPTS / "papers").glob("*/*.py")):
        functions = {n.name for n in ast.parse(path.read_text()).body if hasattr(n, "name")}
        for function in functions & set(kinds.ENTRY_POINTS[family]):
            yield f"papers.{path.parent.name}.{path.stem}:{function}"


KINDS = [
    kinds.find_kind(family, name)
    for family in kinds.ENTRY_POINTS
    for name in (*kinds.built_in_kinds(family), *kinds_of_papers(family))
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])


def options_of(kind):
    return getattr(kinds.load_kind(kind), "Options", NoOptions)


@cache
def tree_of(module):
    return ast.parse(Path(SCRIPTS, *module.split(".")).with_suffix(".py").read_text())


@cache
def imported_modules(module):
    """The module, and the modules of kinds and of rendering that it imports, directly or not."""
    modules, waiting = [], [module]
    while waiting:
        name = waiting.pop()
        if name in modules or not Path(SCRIPTS, *name.split(".")).with_suffix(".py").is_file():
            continue
        modules.append(name)
        for node in ast.walk(tree_of(name)):
            if isinstance(node, ast.ImportFrom):
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
                packages = ("reseed.analyses.", "reseed.report.", "papers.")
                waiting += [name for name in names if name.startswith(packages)]
    return modules


@cache
def options_read(module):
    """Names of the attributes and keys that a module reads of an object named `options`."""
    names = set()
    for node in ast.walk(tree_of(module)):
        match node:
            case ast.Attribute(value=ast.Name(id="options"), attr=name):
                names.add(name)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="options")),
                args=[ast.Constant(value=str(name)), *_],
            ):
                names.add(name)
            case ast.Subscript(value=ast.Name(id="options"), slice=ast.Constant(value=str(name))):
                names.add(name)
    return names


@every_kind
def test_every_declared_option_is_read(kind):
    read = {name for module in imported_modules(kind.module) for name in options_read(module)}
    read |= READ_IN_A_LOOP.get(kind.name, set()) | READ_BY_PLANNING
    for name, field in options_of(kind).model_fields.items():
        assert {name, field.alias} & read, name


@every_kind
def test_every_option_has_its_line(kind):
    options = options_of(kind)
    words = "\n".join(inspect.getdoc(cls) or "" for cls in options.__mro__)
    fields = options.model_fields.items()
    words += "".join(
        f"\n{name}: {field.description}" for name, field in fields if field.description
    )
    for key, field in options.model_fields.items():
        assert f"{field.alias or key}: " in words, key


def configured():
    """(study, family, entry) at every scale, and the standard set of given results."""
    for scale in SCALES:
        project = load_project(REPOSITORY / "config", {"scale": scale})
        for study, one in (project.studies | project.left_out).items():
            for family in ("analyses", "exhibits"):
                for name, entry in getattr(one, family).items():
                    yield f"{study}/{scale}/{name}", family, entry.kind, entry.options
    for family, entries in default_analyses_and_exhibits(items=True).items():
        for name, entry in entries.items():
            yield f"standard/{name}", family, entry["kind"], entry.get("options") or {}


def test_every_configured_option_is_one():
    for where, family, name, options in configured():
        kind = kinds.find_kind(family, name)
        assert kinds.read_options(kind, options).explicit() == options, where


def test_exhibits_name_analyses_that_they_draw():
    """Every analysis has an exhibit or a statement; an exhibit says which kinds it draws."""
    drawn, analyses = set(), {kind.name for kind in KINDS if kind.function == "analyse"}
    for kind in (kind for kind in KINDS if kind.function != "analyse"):
        assert set(kind.draws or ()) <= analyses
        drawn |= set(kind.draws or ())
        tree = tree_of(kind.module)
        calls = {n.func.attr for n in ast.walk(tree) if isinstance(n, ast.Call)
                 and isinstance(n.func, ast.Attribute)}  # fmt: skip
        assert kind.draws or "rows" not in calls or kind.name == "table", kind.name
    for path in (REPOSITORY / "config" / "studies").glob("*.yaml"):  # tables, and statements
        study = add_default_analyses(yaml.safe_load(path.read_text()))
        used = [one for one in study["exhibits"].values() if one["kind"] == "table"]
        names = [one.get("analysis", "") for one in [*used, *study.get("statements", {}).values()]]
        drawn |= {study["analyses"][name]["kind"] for name in names if name}
    # The leaderboard's table draws `pairs`, and ranks the models itself; the answer to a baseline
    # reads `seeds_needed`.
    assert drawn | {"leaderboard", "seeds_needed"} == analyses


STUDY = {
    "name": "first",
    "title": "First",
    "results": {"path": "runs.csv", "test_train_ratio": 0.25},
}


def study_with(folder, analyses, exhibits):
    (folder / "config" / "studies").mkdir(parents=True, exist_ok=True)
    path = folder / "config" / "studies" / "first.yaml"
    path.write_text(yaml.safe_dump(STUDY | {"analyses": analyses, "exhibits": exhibits}))
    return folder / "config"


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("pairs", {"metric": "log_loss"}, "unknown option 'metric' of kind pairs. Allowed: alpha,"),
        ("spread", {"n_boots": 100}, "Did you mean 'n_boot'?"),
        ("leaderboard", {"metric": "auc"}, "Allowed: none."),
        ("pairs", {"alpha": 5}, "alpha: Input should be less than 1. Found: 5."),
        ("pairs", {"alpha": "0.05"}, "alpha: Input should be a valid number. Found: '0.05'."),
        ("pairs", {"min_runs": True}, "min_runs: Input should be a valid integer. Found: True."),
        ("pairs", {"baseline": "a", "pairs": [["a", "b"]]}, "either `baseline` or `pairs`"),
        ("papers.raste.published:analyse", {}, "files: Field required."),
        ("spread", {"levl": 0.9, "n_boot": 0}, "n_boot: Input should be greater than or equal"),
        ("spread", {"levl": 0.9, "n_boot": 0}, "Did you mean 'level'?"),
    ],
)
def test_wrong_option_names_file_field_and_nearest_match(tmp_path, kind, options, message):
    config = study_with(tmp_path, {"first": {"kind": kind, "options": options}}, {})
    with pytest.raises(ReseedError) as caught:
        read_plan(config, {"results": str(tmp_path / "results")})
    text = str(caught.value)
    assert f"{config}/studies/first.yaml: analyses.first.options: " in text
    assert message in text


def test_a_wrong_option_of_an_exhibit_is_told_as_well(tmp_path):
    analyses = {"first": {"kind": "spread"}}
    entry = {"kind": "papers.raste.range_bars:figure", "title": "T", "analysis": "first"}
    config = study_with(tmp_path, analyses, {"shown": entry | {"options": {"metric": "log_loss"}}})
    with pytest.raises(ReseedError) as caught:
        read_plan(config, {"results": str(tmp_path / "results")})
    lead = f"{config}/studies/first.yaml: exhibits.shown.options: "
    unknown = "unknown option 'metric' of kind papers.raste.range_bars:figure."
    assert f"{lead}{unknown} Allowed: experiments." in str(caught.value)
    assert "experiments: Field required." in str(caught.value)


def test_null_stands_for_the_default():
    kind = kinds.find_kind("analyses", "pairs")
    options = kinds.read_options(kind, {"rope": None, "target_power": 0.9})
    assert options.explicit() == {"target_power": 0.9}
    assert (options.rope, options.target_power, options.alpha) == (None, 0.9, 0.05)


def test_a_users_own_kind_without_options_takes_none(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "own_kind_without.py").write_text("def analyse(data, options):\n    pass\n")
    kind = kinds.find_kind("analyses", "own_kind_without:analyse", tmp_path)
    with pytest.raises(ReseedError, match=r"unknown option 'x'.*Allowed: none"):
        kinds.read_options(kind, {"x": 1}, tmp_path)


def refused(folder, exhibit, draws='("spread",)'):
    (folder / "own_kind_drawing.py").write_text(
        f"DRAWS = {draws}\n\n\ndef table(data, options):\n    raise AssertionError\n"
    )
    analyses = {"a": {"kind": "spread"}, "b": {"kind": "pairs"}}
    entry = {"kind": "own_kind_drawing:table", "title": "T"} | exhibit
    with pytest.raises(ReseedError) as caught:
        load_project(study_with(folder, analyses, {"shown": entry}))
    return str(caught.value)


@pytest.mark.parametrize(
    ("exhibit", "message"),
    [
        ({"analysis": "b"}, "'b' is of the kind pairs. Of this study: a."),
        ({}, "draws analyses of the kind spread, and this exhibit names none. Of this study: a."),
    ],
)
def test_an_exhibit_refuses_an_analysis_that_it_cannot_draw(tmp_path, exhibit, message):
    text = refused(tmp_path, exhibit)
    assert f"{tmp_path}/config/studies/first.yaml: exhibits.shown.analysis: " in text
    assert message in text


def test_an_exhibit_draws_its_kinds_and_a_users_own():
    kind = kinds.find_kind("exhibits", "papers.banerjee.pairs_plot_figure:figure")
    runs, ensembles = (f"papers.banerjee.{n}:analyse" for n in ("trimming", "trimming_ensembles"))
    assert kind.draws == (runs, ensembles)
    assert kind.can_draw(runs)
    assert kind.can_draw("my_module:analyse")
    assert not kind.can_draw("spread")


@pytest.mark.parametrize(
    ("draws", "message"),
    [('("spraed",)', "must be a tuple of kinds of analysis"), ("made()", "must be a literal")],
)
def test_exhibit_inputs_are_a_tuple_of_existing_kinds(tmp_path, draws, message):
    assert message in refused(tmp_path, {"analysis": "a"}, draws)


def test_options_of_another_class_are_one_clear_error(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    code = "class Options:\n    x = 1\n\ndef analyse(data, options):\n    pass\n"
    (tmp_path / "own_kind_plain.py").write_text(code)
    kind = kinds.find_kind("analyses", "own_kind_plain:analyse", tmp_path)
    with pytest.raises(ReseedError, match=r"must be a subclass of reseed.plugins.options.Strict"):
        kinds.read_options(kind, {}, tmp_path)
