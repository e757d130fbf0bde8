"""Trials in the cache: short ones share a file, nothing waits long, no file harms another."""

import errno
from dataclasses import replace

import pytest
from reseed.core.coordinates import Coordinates
from reseed.core.errors import Damaged, ReseedError
from reseed.core.source_guard import SourceGuard
from reseed.trials import cached_trials, trial_records
from reseed.trials.cached_trials import CachedTrials, TrialWriter
from reseed.trials.trial_cache import TrialCache
from reseed.trials.trial_records import TrialRecord, write_trial
from toy_project import load_toy_project

TRIALS = [Coordinates(0, None, *[seed] * 4) for seed in range(3)]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A setting whose data and splits are known; no file exists."""
    planned = next(iter(load_toy_project(tmp_path)[1].settings.values()))
    cache = TrialCache(tmp_path / "results", planned.spec)
    monkeypatch.setattr(TrialCache, "key", lambda self, trial: self.rows + f"{trial.init:062x}")
    monkeypatch.setattr(TrialCache, "_segment_parts", ("segments",))
    cache.rows = "aa"
    return cache


def record(cache, trial, **fields):
    facts = {"seeds": trial.seeds, "hyperparameters": "{}", "commit": "", "environment": "here"}
    return TrialRecord(key=cache.key(trial), **facts | {"status": "ok"} | fields)


def write(cache, trials, environment="here", **fields):
    with TrialWriter(cache, environment, SourceGuard({})) as writer:
        for trial in trials:
            writer.add(trial, record(cache, trial, environment=environment, **fields))
    return writer.places


def files(cache):
    return {place.path for trial in TRIALS for place in CachedTrials(cache).places(trial)}


def test_short_trials_share_a_file_and_long_ones_do_not(cache):
    write(cache, TRIALS)
    assert len(files(cache)) == 1
    cache.rows = "bb"
    write(cache, TRIALS, train_seconds=1.0)
    assert len(files(cache)) == 4


def test_a_trial_waits_two_seconds_at_most(cache, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(cached_trials.time, "monotonic", lambda: now[0])
    with TrialWriter(cache, "here", SourceGuard({})) as writer:
        for trial in TRIALS:
            writer.add(trial, record(cache, trial))
            assert len(files(cache)) == (trial.init == 2)
            now[0] += 1.0


def test_trials_before_an_error_are_written(cache):
    with pytest.raises(AttributeError):
        write(cache, [TRIALS[0], None])
    assert CachedTrials(cache).find(TRIALS[0])


def test_trials_after_an_edit_are_not_written(cache):
    def edit():
        raise ReseedError("edited")

    writer = TrialWriter(cache, "here", SourceGuard({}))
    writer.add(TRIALS[0], record(cache, TRIALS[0]))
    writer.guard.refuse_edits = edit
    with pytest.raises(ReseedError):
        writer.flush()
    assert not files(cache)


@pytest.mark.parametrize("part", [0.0, 0.02, 0.1, 0.3, 0.6, 0.9, 0.999])
def test_a_damaged_segment_costs_its_own_trials_alone(cache, part):
    write(cache, TRIALS[:2])
    write(cache, TRIALS[2:])
    path = write(cache, TRIALS[:2])[TRIALS[0]].path
    data = bytearray(path.read_bytes())
    data[int(part * len(data))] ^= 0x10
    path.chmod(0o644)
    path.write_bytes(data)
    found = CachedTrials(cache).find(TRIALS[0])
    assert path.exists() == (found is not None)  # not every byte means something
    assert CachedTrials(cache).find(TRIALS[2])


def test_other_rows_with_the_same_seeds_are_passed_over(cache):
    write(cache, TRIALS)
    cache.rows = "bb"
    assert CachedTrials(cache).find(TRIALS[0]) is None
    write(cache, TRIALS)
    cached = CachedTrials(cache)
    assert cached.read(TRIALS[1], cached.find(TRIALS[1])).key == cache.key(TRIALS[1])
    assert len(list(cached.files(TRIALS[1]))) == 1


def test_an_entry_of_an_older_version_is_read(cache):
    path = cache.entry_paths(cache.key(TRIALS[0]))[0]
    path.parent.mkdir(parents=True)
    write_trial(path, record(cache, TRIALS[0]))
    assert CachedTrials(cache).find(TRIALS[0]).path == path
    path.chmod(0o644)
    write_trial(path, replace(record(cache, TRIALS[0]), key="0" * 64))
    assert CachedTrials(cache).find(TRIALS[0]) is None
    assert not path.exists()


def test_records_of_two_environments_are_apart(cache):
    write(cache, TRIALS)
    assert CachedTrials(cache, "there").find(TRIALS[0])
    assert CachedTrials(cache, "there").find(TRIALS[0], anywhere=False) is None
    write(cache, TRIALS, "there")
    for name in ("here", "there"):
        cached = CachedTrials(cache, name)
        assert cached.read(TRIALS[0], cached.find(TRIALS[0], anywhere=False)).environment == name


def test_a_failure_is_forgotten_on_request(cache):
    write(cache, TRIALS[:2])
    write(cache, TRIALS[2:], status="failed", error="no")
    assert CachedTrials(cache).find(TRIALS[2])
    cached = CachedTrials(cache)
    assert cached.find(TRIALS[2], retry_failed=True) is None
    assert len(files(cache)) == 1
    [place] = write(cache, TRIALS[2:]).values()  # the same file
    assert '"ok"' in cached.row(place)["facts"][0].as_py()


def test_a_segment_without_readable_seeds_is_damaged(cache):
    path = write(cache, TRIALS)[TRIALS[0]].path
    path.chmod(0o644)
    path.write_bytes(b"PAR1")
    [place] = CachedTrials(cache).places(TRIALS[0])
    with pytest.raises(Damaged, match="damaged"):
        CachedTrials(cache).read(TRIALS[0], place)


def test_an_error_of_the_file_system_deletes_nothing(cache, monkeypatch):
    """As of a network file system that is away for a second: the job fails."""
    write(cache, TRIALS)
    before = files(cache)

    def fail(*_, **__):
        raise OSError(errno.ESTALE, "Stale file handle")

    with monkeypatch.context() as patch:
        patch.setattr(trial_records.pq, "ParquetFile", fail)
        with pytest.raises(OSError, match="Stale file handle"):
            CachedTrials(cache).find(TRIALS[0])
    assert files(cache) == before
    assert CachedTrials(cache).find(TRIALS[0])


def test_bytes_that_are_wrong_once_delete_nothing(cache, monkeypatch):
    write(cache, TRIALS)
    reads = []
    opened = trial_records.pq.ParquetFile

    def fail_first(*arguments, **options):
        reads.append(1)
        if len(reads) == 1:
            raise OSError("CRC checksum verification failed")
        return opened(*arguments, **options)

    monkeypatch.setattr(trial_records.pq, "ParquetFile", fail_first)
    assert CachedTrials(cache).find(TRIALS[0])


def test_every_flipped_bit_of_a_footer_is_damage_or_harmless(cache):
    """Some bits name a type or codec that pyarrow does not implement."""
    [path] = {place.path for place in write(cache, TRIALS[:1], train_seconds=2.0).values()}
    whole, count = path.read_bytes(), 0
    path.chmod(0o644)
    start = len(whole) - 8 - trial_records.pq.read_metadata(path).serialized_size
    for place in range(start, len(whole), 3):
        for bit in range(8):
            data = bytearray(whole)
            data[place] ^= 1 << bit
            path.write_bytes(data)
            try:
                CachedTrials(cache).read(TRIALS[0], cached_trials.Place(path))
            except Damaged:
                count += 1
    assert count > 100
