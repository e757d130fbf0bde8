"""Reading trials and searches: errors name the files to delete, and nothing is deleted."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from reseed.config.datasets import Weights
from reseed.core.coordinates import Coordinates
from reseed.core.errors import Damaged, ReseedError, Stale
from reseed.data.sources import Fetched
from reseed.data.weights import prepare_weights
from reseed.jobs import make_splits, prepare_data, train
from reseed.pipeline.runner import Granted
from reseed.pipeline.spec_files import SpecFiles
from reseed.planning.specs import DataSpec, SplitSpec
from reseed.planning.training_specs import build_train_spec
from reseed.trials import trial_records
from reseed.trials.cached_trials import CachedTrials
from reseed.trials.trial_cache import SearchWinner, TrialCache, read_winner
from reseed.trials.trial_records import BlockFile, make_row, read_trial, write_block, write_trial
from toy_project import load_toy_project

CHANGES = {
    "models/forest": {
        "hyperparameters": {"n_estimators": 2, "max_depth": 2},
        "search_space": {"max_depth": [2, 3]},
    },
    "studies/first": {
        "keep": ["test"],
        "experiments": {
            "models": {"seeds": {"model": {"count": 2}}},
            "searched": {"hyperparameters": {"mode": "fixed", "trials": 2}, "seeds": {"model": 0}},
        },
    },
}


@pytest.fixture
def caches(tmp_path, monkeypatch):
    """Caches of the setting without and with a search; data and splits exist."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{'no' if n % 3 else 'yes'},{n * 7 % 11},{n * 5 % 13}" for n in range(60)]
    Path("toy.csv").write_text("\n".join(["y,a,b", *rows]) + "\n")
    plan = load_toy_project(tmp_path, CHANGES)[1]
    results = str(tmp_path / "results")
    prepare_data.run(DataSpec(results, "toy", plan.datasets["toy"]), Granted())
    [(scheme_id, scheme)] = plan.schemes().items()
    make_splits.run(SplitSpec(results, "toy", scheme_id, scheme, 0), Granted())
    return [cache_of(results, planned.spec) for planned in plan.settings.values()]


def cache_of(results, spec):
    """The cache of a setting whose trials are in one block."""
    trials = "model-seeds-0-1" if spec.search is None else "model-seed-0"
    return TrialCache(results, spec, [f"data-seed-0/{trials}"])


@pytest.fixture
def trained(caches, tmp_path):
    """The cache of the setting without a search, and its first trial, which is trained."""
    project, plan = load_toy_project(tmp_path, CHANGES)
    block = next(one for one in plan.all_blocks() if not one.planned.spec.search)
    write_sources = SpecFiles(plan.layout).write_sources
    train.run(build_train_spec(project, [block], write_sources), Granted())
    return caches[0], next(block.seeds.trials())


def all_files(cache):
    return sorted(p for p in Path(cache.layout.root).rglob("*") if p.is_file())


def read_error(cache, trial, error=Damaged, columns=()):
    """The error of reading a trial; checks that no file is deleted."""
    before = all_files(cache)
    with pytest.raises(error) as caught:
        cache_of(cache.layout.root, cache.spec).read(trial, columns)
    assert all_files(cache) == before
    return caught.value


def rewrite(path, data):
    """Replace the content of a file and of its links."""
    path.chmod(0o644)
    path.write_bytes(data)


def test_trained_trial_is_read_from_its_block(trained):
    cache, trial = trained
    record = cache.read(trial, ["test"])
    assert (record.status, record.seeds) == ("ok", trial.seeds)
    assert record.test.shape == (12,)
    assert record.key == cache.key(trial)
    cached = CachedTrials(cache)
    entry = cached.read(trial, cached.find(trial))
    assert entry.test.tobytes() == record.test.tobytes()
    assert replace(entry, test=None, curve=None).__dict__ == replace(record, test=None).__dict__


def test_a_block_is_a_table_with_one_row_a_trial(trained):
    cache, trial = trained
    table = pd.read_parquet(cache.trial_path(trial))
    assert table["init"].tolist() == table["augment"].tolist() == [0, 1]
    assert table["data_seed"].tolist() == [0, 0]
    assert table["fold"].isna().all()
    assert json.loads(table["facts"][1])["status"] == "ok"


def test_rows_of_a_block_are_read_in_groups_of_bounded_size(trained, monkeypatch):
    cache, trial = trained
    other = trial._replace(init=1, order=1, dropout=1, augment=1)
    records = {one: cache.read(one, ["test"]) for one in (trial, other)}
    monkeypatch.setattr(trial_records, "GROUP_BYTES", 1)
    write_block(cache.trial_path(trial), ((one, make_row(records[one])) for one in records))
    assert pq.read_metadata(cache.trial_path(trial)).num_row_groups == 2
    for one in (other, trial, other):
        assert cache.read(one, ["test"]).test.tobytes() == records[one].test.tobytes()


def test_outputs_of_two_types_are_refused(trained, tmp_path):
    cache, trial = trained
    record = cache.read(trial, ["test"])
    rows = [
        (trial, make_row(replace(record, test=record.test.astype(kind))))
        for kind in (np.float32, np.float64)
    ]
    failed = make_row(replace(record, test=None, status="failed"))
    write_block(tmp_path / "block.parquet", [(trial, failed), rows[1]])
    assert BlockFile(tmp_path / "block.parquet", ["test"]).record(1).test.dtype == np.float64
    with pytest.raises(ReseedError, match="outputs of its trials have two types"):
        write_block(tmp_path / "block.parquet", rows)


def test_damaged_block_names_its_file_and_no_entry(trained):
    cache, trial = trained
    path = cache.trial_path(trial)
    rewrite(path, path.read_bytes()[:300])
    error = read_error(cache, trial)
    assert not isinstance(error, Stale)
    assert error.files == (path,)


def test_damaged_split_names_itself_and_the_trial(trained):
    cache, trial = trained
    split = cache.split_path(trial.data_seed)
    rewrite(split, b"")
    assert read_error(cache, trial).files == (split, cache.trial_path(trial))


def test_trial_of_other_hyperparameters_is_stale(trained):
    cache, trial = trained
    model = replace(cache.spec.model, hyperparameters={"n_estimators": 3, "max_depth": 2})
    changed = cache_of(cache.layout.root, replace(cache.spec, model=model))
    error = read_error(changed, trial, Stale)
    assert error.files == (cache.trial_path(trial),)


def test_exchanged_rows_are_stale(trained):
    cache, trial = trained
    other = trial._replace(init=1, order=1, dropout=1, augment=1)
    rows = [make_row(cache.read(one, ["test"])) for one in (other, trial)]
    path = cache.trial_path(trial)
    write_block(path, zip((trial, other), rows, strict=True))
    error = read_error(cache, trial, Stale)
    assert error.files == (path,)  # not those of the cache, which are valid under their own keys


def test_missing_trial_is_an_error_without_files(trained):
    cache, trial = trained
    cache.trial_path(trial).unlink()
    error = read_error(cache, trial, ReseedError)
    assert error.files == ()


def test_record_survives_a_rewrite_bit_by_bit(trained, tmp_path):
    cache, trial = trained
    columns = ["test", "validation", "curve"]
    record = cache.read(trial, columns)
    write_trial(tmp_path / "copy.parquet", record)
    again = read_trial(tmp_path / "copy.parquet", columns)
    assert again.test.tobytes() == record.test.tobytes()
    assert again.test.dtype == record.test.dtype
    assert replace(again, test=None).__dict__ == replace(record, test=None).__dict__


def test_entry_with_more_outputs_serves_too(caches):
    cache = caches[0]
    names = [path.name for path in cache.entry_paths("ab" + "0" * 62, "env")]
    assert [name.split(".")[1] for name in names[: len(names) // 2]] == ["test", "test+validation"]
    assert all(".env." in name for name in names[len(names) // 2 :])
    bare = TrialCache(cache.layout.root, replace(cache.spec, keep=()))
    assert bare.entry_paths("ab" + "0" * 62)[0].name.split(".")[1] == "metrics"
    assert set(cache.entry_paths("ab" + "0" * 62)) < set(bare.entry_paths("ab" + "0" * 62))


# --- searches --------------------------------------------------------------------------------


@pytest.fixture
def searched(caches):
    """The cache of the setting with a search, a trial, and the valid winner of its search."""
    (cache,) = [one for one in caches if one.spec.search]
    trial = Coordinates(0, None, 0, 0, 0, 0)
    at = cache.spec.search_at(trial)
    winner = SearchWinner(cache.search_key(at), {"max_depth": 3}, 0.5, 4, 0, 1.0, 0.1, 0.1, "env")
    write_winner(cache.winner_path(trial), winner.as_json())
    return cache, trial, winner


def write_winner(path, fields):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(fields))


def winner_error(cache, trial, error=Damaged):
    before = all_files(cache)
    with pytest.raises(error) as caught:
        cache.hyperparameters(trial)
    assert all_files(cache) == before
    return caught.value


def test_winner_overlays_the_hyperparameters(searched):
    cache, trial, winner = searched
    assert cache.winner(trial) == winner == read_winner(cache.winner_path(trial))
    assert cache.hyperparameters(trial) == {"n_estimators": 2, "max_depth": 3}
    other = replace(winner, best={"max_depth": 2})
    write_winner(cache.winner_path(trial), other.as_json())
    assert cache_of(cache.layout.root, cache.spec).key(trial) != cache.key(trial)


def test_altered_winner_names_itself_and_its_log(searched):
    cache, trial, winner = searched
    path = cache.winner_path(trial)
    write_winner(path, winner.as_json() | {"best": {"max_depth": 2}})
    error = winner_error(cache, trial)
    assert not isinstance(error, Stale)
    assert "do not match their checksum" in str(error)
    assert error.files == (path, path.with_suffix(".parquet"))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"proof": 1}'])
def test_unreadable_winner_is_damaged(searched, text):
    cache, trial, _ = searched
    cache.winner_path(trial).write_text(text)
    assert not isinstance(winner_error(cache, trial), Stale)


def test_winner_of_another_search_is_stale(searched):
    cache, trial, winner = searched
    path = cache.winner_path(trial)
    write_winner(path, replace(winner, key="0" * 64).as_json())
    error = winner_error(cache, trial, Stale)
    assert error.files == (path, path.with_suffix(".parquet"))


def test_missing_winner_is_damaged_with_its_trial(searched):
    cache, trial, _ = searched
    cache.winner_path(trial).unlink()
    error = read_error(cache, trial)
    assert error.files == (cache.winner_path(trial), cache.trial_path(trial))


def test_damaged_weights_are_found_before_training(trained):
    cache, trial = trained
    model = replace(cache.spec.model, weights="tiny")
    other = TrialCache(cache.layout.root, replace(cache.spec, model=model))
    source = Path("model.bin")
    source.write_bytes(b"weights")
    fetched = Fetched({"model": source}, {"kind": "file"}, [])
    sources = [{"kind": "file", "path": "model.bin"}]
    weights_entry = Weights(name="tiny", title="Tiny", sources=sources)
    prepare_weights(other.weights_folder, weights_entry, fetched)
    assert other.key(trial) != cache.key(trial)
    (other.weights_folder / "model").write_bytes(b"weightz")
    again = TrialCache(cache.layout.root, other.spec)
    with pytest.raises(Damaged, match="tiny/model: cannot be read"):
        again.key(trial)
