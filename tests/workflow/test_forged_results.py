"""Forged results are found by `verify`, named, deleted with their cache entries, and made again."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fault_harness.compare import hash_contents, list_differences
from reseed.cache.trial_records import read_trial, write_trial
from reseed.core import source_facts
from reseed.data.splits import read_split
from reseed.data.store import read_targets
from reseed.metrics.registry import evaluate

pytestmark = pytest.mark.workflow
STUDY = "results/studies/small"


def overwrite(path, write):
    """Change a file in place, so that its cache entry changes too."""
    path.chmod(0o644)
    write(path)


def perfect_outputs(project):
    """Rewrite the kept outputs of a trial to the truth, with the metrics that they give."""
    results = project.folder / "results"
    path = next(iter(sorted((results / "trials").rglob("forest/**/data-seed-1/*.parquet"))))
    record = read_trial(path, ["test", "curve"])
    rows = read_split(results / "splits/table/holdout-0.3/data-seed-1.parquet").test
    truth = read_targets(results / "data/table").target[rows]
    outputs = np.where(truth == 1, 9, -9).astype(record.test.dtype)
    forged = replace(record, test=outputs, metrics=evaluate("binary", truth, outputs))
    overwrite(path, lambda file: write_trial(file, forged))
    return [path]


def swapped_seeds(project):
    """Swap outputs and metrics between two seeds; keys and fingerprints stay."""
    folder = project.folder / "results/trials/table/holdout-0.3/forest"
    paths = sorted(folder.rglob("data-seed-0/*.parquet"))[:2]
    one, other = (read_trial(path, ["test", "curve"]) for path in paths)
    for path, kept, taken in ((paths[0], one, other), (paths[1], other, one)):
        forged = replace(kept, test=taken.test, metrics=taken.metrics)
        overwrite(path, lambda file, forged=forged: write_trial(file, forged))
    return paths


def forged_table(name, column):
    def forge(project):
        path = project.folder / STUDY / name
        frame = pd.read_parquet(path)
        frame[column] = frame[column] + 0.01
        overwrite(path, lambda file: frame.to_parquet(file, index=False))
        return [path]

    return forge


def forged_text(name, old, new):
    def forge(project):
        path = project.folder / STUDY / name
        text = path.read_text()
        assert old in text
        overwrite(path, lambda file: file.write_text(text.replace(old, new, 1)))
        return [path]

    return forge


def forged_facts(project):
    path = project.folder / STUDY / "about.json"
    facts = json.loads(path.read_text())
    facts["trials"]["ok"] += 1
    overwrite(path, lambda file: file.write_text(json.dumps(facts, indent=2)))
    return [path]


def forged_memory(project):
    """Change a line number among the remembered facts of a source file, with a valid checksum."""
    path = project.folder / "results/plan/sources.json"
    files = json.loads(path.read_text().partition("\n")[2])
    imports = next(facts[1] for _, facts in files.values() if facts[1])
    imports[0][0] += 1
    body = json.dumps(files)
    path.write_text(f"{source_facts._seal(body)}\n{body}")
    return [path]


FORGERIES = {
    "trials": (perfect_outputs, swapped_seeds),
    "tables": (
        forged_memory,
        forged_table("metrics.parquet", "auc"),
        forged_facts,
        forged_table("statistics/spread.parquet", "mean"),
        forged_text("statistics/spread.csv", "0.", "0.1"),
        forged_text("tables/scores.csv", "0.", "0.1"),
        forged_text("tables/scores.tex", "0.", "0.1"),
        forged_text("figures/bars.csv", "0.", "0.1"),
        forged_text("../../report/small.html", "A small study", "A big study"),
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_files_are_found_named_and_made_again(finished, name):
    results = finished.folder / "results"
    page = results / "report" / "small.html"
    expected, shown = hash_contents(results), page.read_bytes()
    paths = [path for forge in FORGERIES[name] for path in forge(finished)]
    text = finished.run("verify", fails=True)
    for path in paths:
        assert f"{path.resolve()}: " in text
        assert not path.exists()
    assert f"{len(paths)} files differ" in text, text
    finished.run()
    assert list_differences(expected, hash_contents(results)) == []
    assert page.read_bytes() == shown
    finished.run("verify")


def test_results_without_a_cache_describe_their_machine(finished):
    results = finished.folder / "results"
    about = results / "studies" / "small" / "about.json"
    expected = json.loads(about.read_text())["machines"]
    assert expected[0]["libraries"]
    shutil.rmtree(results / "store")
    finished.run("verify")
    about.unlink()
    finished.run()
    assert json.loads(about.read_text())["machines"] == expected
