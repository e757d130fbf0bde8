"""Pruning removes files that no plan names, and keeps files that exhibits use."""

import argparse
import io
import json
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
from reseed.core.ownership import BLOCK, ENTRY, SEARCH
from reseed.core.run_token import start_run
from reseed.pipeline.snakemake_metadata import token_copy
from reseed.planning.prune import (
    find_unplanned,
    find_unused_entries,
    planned_blocks,
    planned_searches,
)
from reseed.trials.entries import entry_path
from reseed.trials.trial_cache import TrialCache
from reseed.trials.trial_records import TrialRecord, make_row, write_block
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
    assert find_unused_entries(tmp_path, {key_of(2)}) == [gone, damaged]
    assert kept.exists()


def add_record(path):
    """A copy of a trial's record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = ["data_seed", "init", "facts"]
    pd.DataFrame([dict.fromkeys(names, "x")]).to_parquet(path)
    return path


def test_unplanned_files_and_entries_are_listed(tmp_path):
    used, gone = add_entry(tmp_path, 1), add_entry(tmp_path, 2)
    target, other = add_record(trial(tmp_path, 0)), add_record(trial(tmp_path, 1))
    search = write(tmp_path / "tuning" / f"{AT}0.json", '{"proof": "x"}')
    log = write(tmp_path / "tuning" / f"{AT}0.parquet")
    shard = write(tmp_path / "tuning" / f"{AT}0/rung-0/shard-1-of-2.json", '{"search": "x"}')
    drawn = write(tmp_path / "studies" / "s" / "figures" / "fig.png")
    split = write(tmp_path / "splits" / "b" / "0.parquet")
    found = find_unplanned(tmp_path, {target}, set())
    assert found == ([other, shard, search, log], [])
    assert find_unplanned(tmp_path, {target}, {"d/s/m/h"}) == ([], found.files)
    assert find_unused_entries(tmp_path, {key_of(1)}) == [gone]
    assert {used, target, drawn, split}.isdisjoint(found.files)


def test_files_that_reseed_did_not_make_are_kept(tmp_path):
    """Other names, other contents, and whatever lies behind a link."""
    outside = tmp_path / "elsewhere"
    results = tmp_path / "results"
    target = add_record(trial(results, 0))
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
    assert find_unplanned(results, {target}, set()) == ([], [])
    assert find_unused_entries(results, set()) == []
    assert all(path.exists() for path in (theirs, *mine))


def test_a_folder_that_another_project_wrote_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = tmp_path / "results"
    load_toy_project(tmp_path)
    options = argparse.Namespace(
        scale=["demo"], results=str(results), dry_run=False, yes=True, seeds=False
    )
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


@pytest.fixture
def pruned(tmp_path, monkeypatch, capsys):
    """Prunes a project that ran here last; returns what is printed."""
    monkeypatch.chdir(tmp_path)
    load_toy_project(tmp_path)
    results = tmp_path / "results"
    start_run(Path(ResultsLayout(str(results)).run_token), token_copy(str(results)), environment={})

    def run(**options):
        given = {"scale": ["demo"], "dry_run": False, "yes": True, "seeds": False}
        _prune(argparse.Namespace(results=str(results), **given | options))
        return capsys.readouterr().out

    return run


def write_block_of(path, *trials):
    """A block whose trials have keys from 1."""
    known = {"hyperparameters": "{}", "status": "ok", "environment": "here", "commit": ""}
    records = [
        TrialRecord(key=key_of(number + 1), seeds=trial.seeds, **known)
        for number, trial in enumerate(trials)
    ]
    write_block(path, zip(trials, map(make_row, records), strict=True))


def test_the_cache_is_kept_where_keys_are_not_known(pruned, tmp_path):
    """As after a copy of a project without its prepared data, whose trials have one key here."""
    path = add_entry(tmp_path / "results", 7)
    plan = load_toy_project(tmp_path)[1]
    block = plan.all_blocks()[0]
    write_block_of(Path(plan.block_file(block)), *block.seeds.trials())
    for scale in (None, ["demo"]):
        text = pruned(scale=scale)
        assert "is kept, because the keys of" in text
        assert "data/toy/meta.json: is missing" in text
        assert path.exists()


def test_seeds_that_were_requested_are_listed_apart(pruned, tmp_path, monkeypatch):
    results = tmp_path / "results"
    asked = trial(results, 77, "toy/holdout-0.2/forest/default/data-seed-7/model-seed-")
    other = add_record(trial(results, 0))
    write_block_of(asked, Coordinates(7, None, 77, 77, 77, 77))
    used, unused = add_entry(results, 1), add_entry(results, 2)
    monkeypatch.setattr(TrialCache, "key", lambda self, trial: key_of(9))
    text = pruned()
    assert "requested by path or of an earlier plan, are kept" in text
    assert [one.exists() for one in (asked, used, other, unused)] == [True, True, False, False]
    pruned(seeds=True)
    assert not asked.exists()
    assert not used.exists()


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
    listed = find_unplanned(tmp_path, {add_record(trial(tmp_path, 0))}, set()).files
    assert sorted(listed) == sorted(partial)


def test_names_are_those_of_the_layout():
    layout, setting = ResultsLayout("results"), Setting("d~1", "cv-5", "m.x", "default")
    for at in (Coordinates(0, None, 1, 1, 1, 1), Coordinates(3, 2, 0, 1, 2, 3)):
        files = {
            BLOCK: layout.block(setting, block_of(at).name),
            SEARCH: layout.search(setting, at),
        }
        shard = layout.search_shard(setting, at, 1, 2, 3)
        for names, file in [*files.items(), (SEARCH, shard)]:
            assert names.fullmatch(file.removeprefix("results/"))
    entry = entry_path(layout.cache, digest("key"), ".test+validation.parquet")
    assert ENTRY.fullmatch(entry.as_posix().removeprefix("results/"))


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
