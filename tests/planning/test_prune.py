"""Pruning removes files that no plan names, and keeps files that exhibits use."""

import os
from types import SimpleNamespace

from reseed.core.coordinates import Coordinates, Setting
from reseed.core.layout import ResultsLayout
from reseed.planning.prune import planned_files, unplanned


def write(path, text="x"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def add_link(results, name, target):
    """A cache entry, and the target that is a link to it."""
    path = write(results / "store" / "ab" / name)
    target.parent.mkdir(parents=True, exist_ok=True)
    os.link(path, target)
    return path, target


def test_unplanned_files_and_their_entries_are_listed(tmp_path):
    used, target = add_link(tmp_path, "one.parquet", tmp_path / "trials" / "a" / "0.parquet")
    gone, other = add_link(tmp_path, "two.parquet", tmp_path / "trials" / "b" / "0.parquet")
    search = write(tmp_path / "tuning" / "b" / "0.json")
    drawn, _ = add_link(tmp_path, "fig.png", tmp_path / "studies" / "s" / "figures" / "fig.png")
    split = write(tmp_path / "splits" / "b" / "0.parquet")
    listed = list(unplanned(tmp_path, {target}))
    assert listed == [other, search, gone]  # the cache entry after its target
    assert {used, target, drawn, split}.isdisjoint(listed)


def test_partial_files_of_killed_jobs_are_listed_once(tmp_path):
    partial = {
        write(tmp_path / "trials" / "a" / ".0.parquet.12.part"),
        write(tmp_path / "data" / "t" / ".inputs.parquet.13.part"),
        write(tmp_path / "store" / "ab" / ".x.parquet.14.part"),
    }
    _, target = add_link(tmp_path, "one.parquet", tmp_path / "trials" / "a" / "0.parquet")
    listed = list(unplanned(tmp_path, {target}))
    assert set(listed) == partial
    assert len(listed) == len(partial)


def test_copies_instead_of_links_keep_the_cache(tmp_path):
    target = write(tmp_path / "trials" / "a" / "0.parquet")
    write(tmp_path / "store" / "ab" / "one.parquet")
    assert list(unplanned(tmp_path, {target})) == []


def test_one_copy_among_links_keeps_the_cache(tmp_path):
    """As in a copied project of which one study was run since."""
    _, linked = add_link(tmp_path, "one.parquet", tmp_path / "trials" / "a" / "0.parquet")
    copy = write(tmp_path / "trials" / "b" / "0.parquet")
    write(tmp_path / "store" / "ab" / "two.parquet")
    assert list(unplanned(tmp_path, {linked, copy})) == []


def test_searches_and_trials_of_every_study_are_planned():
    setting, at = Setting("d", "s", "m", "h"), Coordinates(0, None, 0, 0, 0, 0)
    plan = SimpleNamespace(
        layout=ResultsLayout("results"),
        studies={"one": {}, "two": {}},
        trial_files=lambda study: [f"results/trials/{study}.parquet"],
        settings={setting: SimpleNamespace(setting=setting, searches=lambda: [at])},
    )
    assert {path.as_posix() for path in planned_files(plan)} == {
        "results/trials/one.parquet",
        "results/trials/two.parquet",
        "results/tuning/d/s/m/h/data-seed-0/model-seed-0.json",
        "results/tuning/d/s/m/h/data-seed-0/model-seed-0.parquet",
    }
