"""Options of analyses and exhibits: each kind declares exactly what its code reads."""

import ast
import inspect
from pathlib import Path

import pytest
import yaml
from reseed.config import SCALES
from reseed.config.defaults import add_default_analyses, default_analyses_and_exhibits
from reseed.core.code_hash import SCRIPTS
from reseed.core.errors import ReseedError
from reseed.pipeline.startup import read_plan
from reseed.planning.project import load, merge
from reseed.plugins import kinds

REPOSITORY = Path(__file__).parents[2]
KINDS = [(family, name) for family in kinds.ENTRY_POINTS for name in kinds.built_in_kinds(family)]
#: Read by the rule that runs the analysis: its inputs.
BY_THE_RULE = {"files"}
#: Read in a loop over their names.
IN_A_LOOP = {
    "trimming_information": {"epsilon", "n_bins"},
    "tuning_table": {"fixed", "tuned"},
}


def options_of(family, name):
    return kinds.load_kind(kinds.built_in_kinds(family)[name]).Options


def tree_of(module):
    return ast.parse(Path(SCRIPTS, *module.split(".")).with_suffix(".py").read_text())


def closure(module, family):
    """The module, and what it imports of its family and of what exhibits share."""
    found, wanted = [], [module]
    while wanted:
        name = wanted.pop()
        if name in found or not Path(SCRIPTS, *name.split(".")).with_suffix(".py").is_file():
            continue
        found.append(name)
        for node in ast.walk(tree_of(name)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("reseed."):
                whole = [f"{node.module}.{alias.name}" for alias in node.names]
                rooms = (f"reseed.{family}.", "reseed.rendering.")
                wanted += [n for n in (node.module, *whole) if n.startswith(rooms)]
    return found


def reads(module):
    """Names that a module reads of `options`, each with its default where that is a constant."""
    for node in ast.walk(tree_of(module)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="options"), attr="get"),
                args=[ast.Constant(value=str(name)), *rest],
            ):
                constant = bool(rest) and isinstance(rest[0], ast.Constant)
                yield name, (rest[0].value if constant else None)
            case ast.Subscript(value=ast.Name(id="options"), slice=ast.Constant(value=str(name))):
                yield name, None
            case ast.Compare(
                left=ast.Constant(value=str(name)), comparators=[ast.Name(id="options")]
            ):
                yield name, None


@pytest.mark.parametrize(("family", "name"), KINDS, ids=[name for _, name in KINDS])
def test_a_kind_declares_what_its_code_reads(family, name):
    module = kinds.built_in_kinds(family)[name].module
    fields = options_of(family, name).model_fields
    declared = {field.alias or key for key, field in fields.items()}
    own = dict(reads(module))
    assert set(own) <= declared
    anywhere = {name for part in closure(module, family) for name, _ in reads(part)}
    assert declared <= anywhere | IN_A_LOOP.get(name, set()) | BY_THE_RULE
    for key, default in own.items():
        if default is not None and fields[key].default is not None:
            assert fields[key].default == default, key


@pytest.mark.parametrize(("family", "name"), KINDS, ids=[name for _, name in KINDS])
def test_every_option_has_its_line(family, name):
    options = options_of(family, name)
    words = "\n".join(inspect.getdoc(cls) or "" for cls in options.__mro__)
    for key, field in options.model_fields.items():
        assert f"{field.alias or key}: " in words, key


def configured():
    """(study, family, name, entry) at every scale, and the standard set of given results."""
    for path in sorted((REPOSITORY / "config" / "studies").glob("*.yaml")):
        study = add_default_analyses(yaml.safe_load(path.read_text()))
        for scale in SCALES:
            whole = merge(study, (study.get("scales") or {}).get(scale) or {})
            for family in ("analyses", "exhibits"):
                for name, entry in whole[family].items():
                    yield f"{path.stem}/{scale}/{name}", family, entry
    for family, entries in default_analyses_and_exhibits(items=True).items():
        yield from ((f"standard/{name}", family, entry) for name, entry in entries.items())


def test_every_configured_option_is_one():
    for where, family, entry in configured():
        kind = kinds.find_kind(family, entry["kind"])
        options = entry.get("options") or {}
        assert kinds.read_options(kind, options) == options, where


def test_exhibits_name_analyses_that_they_draw():
    """Every analysis has an exhibit, and every exhibit that draws one says of which kind."""
    drawn = set()
    for kind in kinds.built_in_kinds("exhibits").values():
        assert set(kind.draws or ()) <= set(kinds.built_in_kinds("analyses"))
        drawn |= set(kind.draws or ())
        tree = tree_of(kind.module)
        calls = {n.func.attr for n in ast.walk(tree) if isinstance(n, ast.Call)
                 and isinstance(n.func, ast.Attribute)}  # fmt: skip
        assert kind.draws or "rows" not in calls, kind.name
    # The leaderboard's table draws `pairs`, and ranks the models itself.
    assert drawn | {"leaderboard"} == set(kinds.built_in_kinds("analyses"))


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
    ("kind", "options", "told"),
    [
        ("pairs", {"metric": "log_loss"}, "unknown option 'metric' of kind pairs. Allowed: alpha,"),
        ("spread", {"n_boots": 100}, "Did you mean 'n_boot'?"),
        ("leaderboard", {"metric": "auc"}, "Allowed: none."),
        ("pairs", {"alpha": 5}, "alpha: Input should be less than 1. Found: 5."),
        ("pairs", {"alpha": "0.05"}, "alpha: Input should be a valid number. Found: '0.05'."),
        ("pairs", {"min_runs": True}, "min_runs: Input should be a valid integer. Found: True."),
        ("pairs", {"baseline": "a", "pairs": [["a", "b"]]}, "either `baseline` or `pairs`"),
        ("published", {}, "files: Field required."),
        ("standing", {"scores": [{"arm": "a"}]}, "scores.0.score: Field required."),
        ("stopping", {"bounds": [0, 0]}, "bounds: both ends are the same."),
        ("ranking", {"levl": 0.9, "n_draws": 0}, "n_draws: Input should be greater than or equal"),
        ("ranking", {"levl": 0.9, "n_draws": 0}, "Did you mean 'level'?"),
    ],
)
def test_wrong_option_names_file_field_and_nearest_match(tmp_path, kind, options, told):
    config = study_with(tmp_path, {"first": {"kind": kind, "options": options}}, {})
    with pytest.raises(ReseedError) as caught:
        read_plan(config, {"results": str(tmp_path / "results")})
    text = str(caught.value)
    assert f"{config}/studies/first.yaml: analyses.first.options: " in text
    assert told in text


def test_a_wrong_option_of_an_exhibit_is_told_as_well(tmp_path):
    analyses = {"first": {"kind": "spread"}}
    entry = {"kind": "range_bars", "title": "T", "analysis": "first"}
    config = study_with(tmp_path, analyses, {"shown": entry | {"options": {"metric": "log_loss"}}})
    with pytest.raises(ReseedError) as caught:
        read_plan(config, {"results": str(tmp_path / "results")})
    lead = f"{config}/studies/first.yaml: exhibits.shown.options: "
    assert f"{lead}unknown option 'metric' of kind range_bars. Allowed: experiments." in str(
        caught.value
    )
    assert "experiments: Field required." in str(caught.value)


def test_null_means_default_and_only_set_options_are_passed():
    kind = kinds.find_kind("analyses", "pairs")
    assert kinds.read_options(kind, {"rope": None, "level": 0.9}) == {"level": 0.9}
    assert kinds.read_options(kind, {}) == {}


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
        load(study_with(folder, analyses, {"shown": entry}))
    return str(caught.value)


@pytest.mark.parametrize(
    ("exhibit", "told"),
    [
        ({"analysis": "b"}, "'b' is of the kind pairs. Of this study: a."),
        ({}, "draws analyses of the kind spread, and this exhibit names none. Of this study: a."),
    ],
)
def test_an_exhibit_refuses_an_analysis_that_it_cannot_draw(tmp_path, exhibit, told):
    text = refused(tmp_path, exhibit)
    assert f"{tmp_path}/config/studies/first.yaml: exhibits.shown.analysis: " in text
    assert told in text


def test_an_exhibit_draws_its_kinds_and_a_users_own():
    kind = kinds.find_kind("exhibits", "trimming_3d_figure")
    assert kind.draws == ("trimming", "trimming_ensembles")
    assert kind.can_draw("trimming")
    assert kind.can_draw("my_module:analyse")
    assert not kind.can_draw("spread")
    assert kinds.find_kind("exhibits", "histogram_figure").can_draw("extremes")


@pytest.mark.parametrize(
    ("draws", "told"),
    [('("spraed",)', "must be a tuple of kinds of analysis"), ("made()", "must be written out")],
)
def test_exhibit_inputs_are_a_tuple_of_existing_kinds(tmp_path, draws, told):
    assert told in refused(tmp_path, {"analysis": "a"}, draws)
