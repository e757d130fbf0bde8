"""Decisions after rounds, and the records of trials that are not needed."""

from dataclasses import replace

import pytest
from reseed.cache.rounds import (
    Decision,
    Decisions,
    PairState,
    check_skipped,
    needed_only,
    skip_trials,
    write_decision,
)
from reseed.cache.trial_cache import has_failed
from reseed.cache.trial_records import read_trial, write_trial
from reseed.core.errors import Damaged, Stale
from reseed.planning.seed_grid import DecisionId
from reseed.planning.specs import SettingTrials, TrainSpec
from reseed.training.block import train_block
from test_trial_cache import caches, trained  # noqa: F401

ROUND = DecisionId("first", "models", 0)


def decide(results, *needed):
    pair = PairState("toy", "holdout", ("a", "b"), "open")
    write_decision(Decisions(results).path(ROUND), Decision((pair,), needed))


def part_of(cache, trial):
    return SettingTrials(cache.spec, (trial,), "", (ROUND,))


def test_a_decision_is_read_as_it_was_written(tmp_path):
    decide(tmp_path, "toy/holdout/forest/default")
    decision = Decisions(tmp_path).read(ROUND)
    assert decision.pairs == (PairState("toy", "holdout", ("a", "b"), "open"),)
    assert decision.needed == ("toy/holdout/forest/default",)
    path = Decisions(tmp_path).path(ROUND)
    path.write_text(path.read_text().replace('"open"', '"ajar"'))
    with pytest.raises(Damaged, match=r"round-0\.json"):
        Decisions(tmp_path).read(ROUND)


def test_trials_are_needed_where_any_decision_needs_them(trained, tmp_path):  # noqa: F811
    cache, trial = trained
    part, other = part_of(cache, trial), ROUND._replace(round=1)
    results = tmp_path / "results"
    decide(results)
    assert not Decisions(results).need(part)
    assert Decisions(results).need(replace(part, decisions=()))
    spec = TrainSpec(str(results), "report", False, None, (part, replace(part, decisions=())))
    assert needed_only(spec).settings == spec.settings[1:]
    path = Decisions(results).path(other)
    write_decision(path, Decision((), (cache.setting.folder,)))
    assert Decisions(results).need(replace(part, decisions=(ROUND, other)))


def test_a_skipped_trial_is_stale_for_whoever_needs_it(trained, tmp_path):  # noqa: F811
    cache, trial = trained
    path, record = cache.trial_path(trial), cache.read(trial)
    skip_trials(cache, part_of(cache, trial))
    found = read_trial(path)
    assert (found.status, found.error) == ("skipped", "not needed after first, models, round 0")
    assert not has_failed(path)
    assert path.stat().st_nlink == 2  # so that `prune` does not take it for a copy
    with pytest.raises(Stale):
        cache.read(trial)
    decide(tmp_path / "results", cache.setting.folder)
    spec = TrainSpec(str(tmp_path / "results"), "report", True, None, (part_of(cache, trial),))
    lines = []
    train_block(spec, "cpu", 1, lines.append)
    assert "1 trials are in the cache already" in lines[0]
    assert cache.read(trial).fingerprint == record.fingerprint


def test_altered_notes_of_skipped_trials_are_found(trained, tmp_path):  # noqa: F811
    cache, trial = trained
    path, results = cache.trial_path(trial), tmp_path / "results"
    decide(results)
    spec = TrainSpec(str(results), "report", False, None, (part_of(cache, trial),))
    (error,) = check_skipped(spec)  # the trial is there, though no decision needs it
    assert (error.path, error.cached) == (path, False)
    skip_trials(cache, spec.settings[0])
    assert not list(check_skipped(spec))
    record = read_trial(path)
    path.unlink()
    write_trial(path, replace(record, status="ok"))
    (error,) = check_skipped(spec)
    assert (error.path, error.cached) == (path, True)
    path.write_bytes(b"cut")
    assert [error.path for error in check_skipped(spec)] == [path]
