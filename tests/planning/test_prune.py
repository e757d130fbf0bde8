"""Pruning removes files that no plan names, and keeps files that exhibits use."""

import argparse
import io
import json
import os
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from reseed.cli.project_commands import _confirm, _prune
from reseed.core.blocks import block_of
from reseed.core.code_hash import digest
from reseed.core.coordinates import Coordinates, Setting
from reseed.core.errors import ReseedError
from reseed.core.layout import ResultsLayout
from reseed.core.run_token import start_run
from reseed.pipeline.snakemake_metadata import token_copy
from reseed.planning.prune import (
    _BLOCK,
    _ENTRY,
    _SEARCH,
    planned_blocks,
    planned_searches,
    unplanned,
)
from reseed.trials.entries import entry_path
from toy_project import load_toy_project

AT = "d/s/m/h/data-seed-0/model-seed-"


def write(path, text="x"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def trial(results, seed, setting=AT):
    return results / "trials" / f"{setting}{seed}.parquet"


def key_of(number):
    return f"ab{number:062x}"


def add_entry(results, number):
    return write(results / "store" / "ab" / f"{number:062x}.test.parquet")


def add_segment(results, name, *numbers):
    """A segment with trials of these numbers."""
    path = results / "store" / "ab" / f"{0:062x}.test" / f"{name * 64}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = [json.dumps({"key": key_of(number)}) for number in numbers]
    pd.DataFrame({"facts": facts}).to_parquet(path)
    return path


def test_a_segment_is_kept_while_one_of_its_trials_is_planned(tmp_path):
    kept, gone = add_segment(tmp_path, "a", 1, 2), add_segment(tmp_path, "b", 3, 4)
    damaged = add_segment(tmp_path, "c", 1)
    damaged.write_bytes(b"PAR1")
    assert list(unplanned(tmp_path, set(), {key_of(2)})) == [gone, damaged]
    assert kept.exists()


def add_link(results, number, target):
    """A cache entry, and the target that is a link to it."""
    path = add_entry(results, number)
    target.parent.mkdir(parents=True, exist_ok=True)
    os.link(path, target)
    return path, target


def add_record(path):
    """A copy of a trial's record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = ["data_seed", "init", "facts"]
    pd.DataFrame([dict.fromkeys(names, "x")]).to_parquet(path)
    return path


def test_unplanned_files_and_entries_are_listed(tmp_path):
    used, gone = add_entry(tmp_path, 1), add_entry(tmp_path, 2)
    target, other = add_record(trial(tmp_path, 0)), add_record(trial(tmp_path, 1))
    _, old = add_link(tmp_path, 4, trial(tmp_path, 5))  # of an earlier version
    search = write(tmp_path / "tuning" / f"{AT}0.json", '{"proof": "x"}')
    log = write(tmp_path / "tuning" / f"{AT}0.parquet")
    shard = write(tmp_path / "tuning" / f"{AT}0/rung-0/shard-1-of-2.json", '{"search": "x"}')
    drawn, _ = add_link(tmp_path, 3, tmp_path / "studies" / "s" / "figures" / "fig.png")
    split = write(tmp_path / "splits" / "b" / "0.parquet")
    listed = list(unplanned(tmp_path, {target}, {key_of(1), key_of(4)}))
    assert listed == [other, old, shard, search, log, gone]
    assert {used, target, drawn, split}.isdisjoint(listed)


def test_files_that_reseed_did_not_make_are_kept(tmp_path):
    """Other names, other contents, and whatever lies behind a link."""
    outside = tmp_path / "elsewhere"
    results = tmp_path / "results"
    _, target = add_link(results, 1, trial(results, 0))
    theirs = add_record(outside / "trials" / f"{AT}3.parquet")
    (results / "trials" / "link").symlink_to(outside / "trials" / "d")
    (results / "trials/d/s/m/h/data-seed-0/model-seed-9.parquet").symlink_to(theirs)
    (results / "tuning").symlink_to(outside)
    mine = [
        write(results / "trials" / "notes.txt"),
        write(results / "trials" / "a" / "0.parquet"),
        write(trial(results, 4), "no table"),
        write(results / "store" / "ab" / "thesis.pdf"),
        write(results / "download.part"),
        write(results / "mine" / ".thesis.tex.12.part"),
        write(results / "trials" / ".thesis.part"),
    ]
    assert list(unplanned(results, {target}, set())) == []
    assert all(path.exists() for path in (theirs, *mine))


def test_a_folder_that_another_project_wrote_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = tmp_path / "results"
    load_toy_project(tmp_path)
    options = argparse.Namespace(scale=["demo"], results=str(results), dry_run=False, yes=True)
    path = add_entry(results, 1)
    token = Path(ResultsLayout(str(results)).run_token)
    with pytest.raises(ReseedError, match="Run snakemake here first"):
        _prune(options)
    start_run(token, token_copy(str(results)), environment={})
    _prune(options)
    token.write_text("of another run")
    with pytest.raises(ReseedError, match="Run snakemake here first"):
        _prune(options)
    assert path.exists()  # nothing shows yet which entries are in use


def test_nothing_is_deleted_without_a_word(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("y"))
    with pytest.raises(ReseedError, match="Give --yes"):
        _confirm(3, 1000)


def test_partial_files_of_killed_jobs_are_listed_once(tmp_path):
    partial = {
        write(tmp_path / "trials" / "a" / ".0.parquet.12.part"),
        write(tmp_path / "data" / "t" / ".inputs.parquet.13.part"),
        write(tmp_path / "store" / "ab" / ".x.parquet.14.part"),
    }
    _, target = add_link(tmp_path, 1, trial(tmp_path, 0))
    listed = list(unplanned(tmp_path, {target}, set()))
    assert set(listed) == partial
    assert len(listed) == len(partial)


def test_a_copy_of_an_exhibit_or_search_keeps_the_cache(tmp_path):
    """As in a copied project: nothing shows which entries are in use."""
    for name in ("studies/s/tables/x.csv", f"tuning/{AT}0.json"):
        results = tmp_path / name.partition("/")[0]
        add_entry(results, 1)
        copy = write(results / name, '{"proof": "x"}')
        assert list(unplanned(results, {copy}, {key_of(2)})) == []


def test_nothing_is_known_without_a_planned_trial_or_file(tmp_path):
    add_entry(tmp_path, 1)
    assert list(unplanned(tmp_path, set(), set())) == []


def test_names_are_those_of_the_layout():
    layout, setting = ResultsLayout("results"), Setting("d~1", "cv-5", "m.x", "default")
    for at in (Coordinates(0, None, 1, 1, 1, 1), Coordinates(3, 2, 0, 1, 2, 3)):
        files = {
            _BLOCK: layout.block(setting, block_of(at).name),
            _SEARCH: layout.search(setting, at),
        }
        shard = layout.search_shard(setting, at, 1, 2, 3)
        for names, file in [*files.items(), (_SEARCH, shard)]:
            assert names.fullmatch(file.removeprefix("results/"))
    entry = entry_path(layout.cache, digest("key"), ".test+validation.parquet")
    assert _ENTRY.fullmatch(entry.as_posix().removeprefix("results/"))


def test_searches_and_blocks_of_every_study_are_planned():
    setting, at = Setting("d", "s", "m", "h"), Coordinates(0, None, 0, 0, 0, 0)
    plan = SimpleNamespace(
        layout=ResultsLayout("results"),
        all_blocks=lambda: ["one", "two"],
        block_file=lambda block: f"results/trials/{block}.parquet",
        settings={setting: SimpleNamespace(setting=setting, searches=lambda: [at])},
    )
    assert {path.as_posix() for path in planned_blocks(plan) | planned_searches(plan)} == {
        "results/trials/one.parquet",
        "results/trials/two.parquet",
        "results/tuning/d/s/m/h/data-seed-0/model-seed-0.json",
        "results/tuning/d/s/m/h/data-seed-0/model-seed-0.parquet",
    }
