"""Profiles, as Snakemake reads them: each beside the default one, which wins where both speak."""

import re
from pathlib import Path

import pytest
import yaml

PROFILES = Path(__file__).parents[2] / "profiles"


def profile(name: str) -> dict:
    return yaml.safe_load((PROFILES / name / "config.yaml").read_text())


@pytest.mark.parametrize("name", ["gpu", "slurm"])
def test_default_profile_overrides_no_other_profile(name):
    assert not profile("default").keys() & profile(name).keys()


def test_default_profile_does_not_mention_devices():
    assert "resources" not in profile("default")
    assert "gpu" not in str(profile("default"))


def test_slurm_profile_requests_more_with_each_attempt():
    entry = profile("slurm")
    assert entry["retries"] >= 1
    for name in ("mem_mb", "runtime"):
        expression = entry["default-resources"][name]
        assert eval(expression, {"attempt": 2}) > eval(expression, {"attempt": 1})


def test_one_version_of_the_slurm_plugin_is_named_everywhere():
    files = ("profiles/slurm/config.yaml", "docs/cluster.md", "tests/cluster/conftest.py")
    found = {
        name: set(re.findall(r"plugin-slurm==([\d.]+)", (PROFILES.parent / name).read_text()))
        for name in files
    }
    assert all(found.values()), found
    assert len(set.union(*found.values())) == 1, found
