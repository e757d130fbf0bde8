"""Specs for another results folder name the same files below it, and nothing else changes."""

from dataclasses import replace

from reseed.planning.relocation import relocate
from reseed.planning.specs import DrawSpec, ExhibitSpec, ExportSpec, VerifySpec
from reseed.planning.training_specs import build_train_spec
from toy_project import load_toy_project

EXHIBIT = ExhibitSpec(
    "x", "spread_table", True, "/old/title", "", "a", {}, ("/old/m", "/older/m"), (".csv",), "k", ""
)


def test_paths_of_nested_specs_are_replaced():
    spec = DrawSpec("/old", "s", EXHIBIT)
    moved = replace(EXHIBIT, inputs=("/new/m", "/older/m"))
    assert relocate(spec, "/old", "/new") == DrawSpec("/new", "s", moved)


def test_user_paths_outside_the_results_are_kept():
    inside = ExportSpec("/old", "s", "e", ("auc",), "/old/examples/x.csv")
    outside = replace(inside, path="/data/x.csv")
    assert relocate(inside, "/old", "/new").path == "/new/examples/x.csv"
    assert relocate(outside, "/old", "/new").path == "/data/x.csv"


def test_settings_and_trials_are_kept(tmp_path):
    (tmp_path / "toy.csv").write_text("y,x\n")
    project, plan = load_toy_project(tmp_path)
    training = build_train_spec(project, plan.all_blocks(), lambda stamps: "sources")
    moved = relocate(VerifySpec(training, 3), training.results, "/new")
    assert moved.training.results == "/new"
    assert moved.training.settings == training.settings
