"""Forged results are found by `verify`, named, and on request deleted with their cache entries."""

import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fault_harness.blocks import COLUMNS, read_all
from fault_harness.compare import hash_contents, list_differences
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
    records = read_all(results, COLUMNS)
    name = next(one for one in records if "/forest/" in one and "data-seed-1/" in one)
    rows = read_split(results / "splits/table/holdout-0.3/data-seeds-0-19.parquet", 1).test
    truth = read_targets(results / "data/table").target[rows]
    outputs = np.where(truth == 1, 9, -9).astype(records[name].test.dtype)
    forged = replace(records[name], test=outputs, metrics=evaluate("binary", truth, outputs))
    return project.forge({name: forged})


def swapped_seeds(project):
    """Swap outputs and metrics between two seeds; keys and fingerprints stay."""
    records = read_all(project.folder / "results", COLUMNS)
    names = [one for one in records if "/forest/" in one and "data-seed-0/" in one][:2]
    kept, taken = (records[name] for name in names), (records[name] for name in names[::-1])
    forged = [
        replace(one, test=other.test, metrics=other.metrics)
        for one, other in zip(kept, taken, strict=True)
    ]
    return project.forge(dict(zip(names, forged, strict=True)))


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
    imports = next(facts[2] for _, facts in files.values() if facts[2])
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


def page_without_times(page):
    """Trials that were forged are trained again, in other times."""
    return re.sub(r"[\d,]+ seconds in all", "", page.read_text())


@pytest.mark.parametrize("name", [pytest.param("trials", marks=pytest.mark.nightly), "tables"])
def test_forged_files_are_found_named_and_made_again(finished, name):
    results = finished.folder / "results"
    page = results / "report" / "small.html"
    expected, shown = hash_contents(results), page_without_times(page)
    paths = [path for forge in FORGERIES[name] for path in forge(finished)]
    text = finished.run("verify", fails=True)
    for path in paths:
        assert f"{path.resolve()}: " in text
        assert path.exists()
    assert " differ" in text
    finished.delete_wrong()
    assert not any(path.exists() for path in paths)
    finished.run()
    assert list_differences(expected, hash_contents(results)) == []
    assert page_without_times(page) == shown
    finished.run("verify")


@pytest.mark.nightly
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
