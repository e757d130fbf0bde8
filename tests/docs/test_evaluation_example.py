"""The worked example of an evaluation: its page shows what the code gives, and the truth."""

import re
import runpy
from pathlib import Path

import pytest
from reseed import compare

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "gallery" / "evaluation.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(DOCS / "examples" / "evaluation.py"))


@pytest.fixture(scope="module")
def comparison(example):
    return compare(example["simulate"](), cluster="passage")


def test_page_shows_the_output(comparison):
    printed = [line.split() for line in comparison.render().splitlines()]
    [shown] = re.findall(r"```text\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(shown.splitlines()) == 9
    for line in shown.splitlines():
        assert line.split() in printed, line


def test_page_states_what_would_be_found(comparison):
    row = comparison.verdicts.set_index(["model_a", "model_b"]).loc[("large", "base")]
    text = f"`detectable` of `large` and `base` is {100 * row['detectable']:.1f} points"
    assert text in " ".join(PAGE.split())
    shares = {name: int(one) for name, one in re.findall(r"(\w+) (\d+)%", row["error_shares"])}
    assert max(shares, key=lambda name: shares[name]) == "seed"
    assert shares["item"] < 20


def test_no_verdict_is_false(example, comparison):
    skill, rows = example["SKILL"], comparison.verdicts
    better = rows[rows["outcome"] == "better"]
    assert len(better) > 3
    for row in better.itertuples():
        assert skill[row.model_a] > skill[row.model_b]
