"""Pruning removes what no plan names, and nothing that a plan or an exhibit needs."""

import os
from types import SimpleNamespace

from reseed.planning.prune import planned_files, unplanned


def write(path, text="x"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def stored(results, name, target):
    """A store file, and the target that is a link to it."""
    path = write(results / "store" / "ab" / name)
    target.parent.mkdir(parents=True, exist_ok=True)
    os.link(path, target)
    return path, target


def test_what_no_plan_names_goes_and_its_store_files(tmp_path):
    kept, target = stored(tmp_path, "one.parquet", tmp_path / "trials" / "a" / "0.parquet")
    gone, other = stored(tmp_path, "two.parquet", tmp_path / "trials" / "b" / "0.parquet")
    search = write(tmp_path / "tuning" / "b" / "0.json")
    drawn, _ = stored(tmp_path, "fig.png", tmp_path / "studies" / "s" / "figures" / "fig.png")
    split = write(tmp_path / "splits" / "b" / "0.parquet")
    found = list(unplanned(tmp_path, {target}))
    assert found == [other, search, gone]  # the store's file after its target
    assert {kept, target, drawn, split}.isdisjoint(found)


def test_what_a_killed_job_left_goes_once(tmp_path):
    halves = {
        write(tmp_path / "trials" / "a" / ".0.parquet.12.part"),
        write(tmp_path / "data" / "t" / ".inputs.parquet.13.part"),
        write(tmp_path / "store" / "ab" / ".x.parquet.14.part"),
    }
    _, target = stored(tmp_path, "one.parquet", tmp_path / "trials" / "a" / "0.parquet")
    found = list(unplanned(tmp_path, {target}))
    assert set(found) == halves
    assert len(found) == len(halves)


def test_copies_in_place_of_links_keep_the_store(tmp_path):
    target = write(tmp_path / "trials" / "a" / "0.parquet")
    write(tmp_path / "store" / "ab" / "one.parquet")
    assert list(unplanned(tmp_path, {target})) == []


def test_one_copy_among_links_keeps_the_store(tmp_path):
    """As in a copied project, of which one study was asked for since."""
    _, linked = stored(tmp_path, "one.parquet", tmp_path / "trials" / "a" / "0.parquet")
    copy = write(tmp_path / "trials" / "b" / "0.parquet")
    write(tmp_path / "store" / "ab" / "two.parquet")
    assert list(unplanned(tmp_path, {linked, copy})) == []


def test_searches_and_trials_of_every_study_are_planned():
    plan = SimpleNamespace(
        results="results",
        studies={"one": {}, "two": {}},
        trial_files=lambda study: [f"results/trials/{study}.parquet"],
        settings={"x": SimpleNamespace(searches=lambda: ["tuning/x"])},
    )
    found = {path.as_posix() for path in planned_files(plan)}
    assert found == {
        "results/trials/one.parquet",
        "results/trials/two.parquet",
        "results/tuning/x.json",
        "results/tuning/x.parquet",
    }
