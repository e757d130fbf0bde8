"""The studies of the repository at scale smoke, on real data, from an empty results folder."""

import html
import json
import re

import pytest
import requests
from fault_harness.workspace import REPOSITORY, Workspace
from reseed.planning.read_plan import data_mirror

pytestmark = pytest.mark.workflow


def index_answers() -> bool:
    try:
        return requests.head("https://files.pythonhosted.org", timeout=10).status_code < 500
    except requests.RequestException:
        return False


@pytest.fixture
def own_studies(tmp_path, monkeypatch) -> Workspace:
    """A project with the configuration of the repository, without results."""
    monkeypatch.chdir(REPOSITORY)
    if not data_mirror(None) and not index_answers():
        pytest.skip("neither a data mirror nor the package index can be reached")
    return Workspace.own(tmp_path)


def test_every_study_from_raw_data_to_the_report(own_studies):
    text = own_studies.run("--config", "scale=smoke")
    results = own_studies.folder / "results"
    assert f"Report: {results / 'report' / 'index.html'}" in text
    index = html.unescape((results / "report" / "index.html").read_text())
    for study in ("inherent_randomness", "my_runs"):
        about = json.loads((results / "studies" / study / "about.json").read_text())
        page = html.unescape((results / "report" / f"{study}.html").read_text())
        assert about["title"] in index
        assert about["trials"]["failed"] == 0
        assert about["trials"]["ok"] > 0
        sidecars = list((results / "studies" / study).glob("*/*.json"))
        assert len(sidecars) >= 3
        for path in sidecars:
            exhibit = json.loads(path.read_text())
            assert exhibit["title"] in page
            assert all((path.parent / file).stat().st_size > 0 for file in exhibit["files"])
    assert not own_studies.planned("--config", "scale=smoke")
    targets = re.findall(
        r"Made by <code>snakemake --cores all ([^\s<]+)",
        "".join(page.read_text() for page in (results / "report").glob("*.html")),
    )
    assert len(targets) > 20
    assert not own_studies.planned(*targets, "--config", "scale=smoke")
