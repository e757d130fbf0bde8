"""The worked example of an evaluation: its page shows what the code gives, and the truth."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from reseed import compare, rank_models

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "gallery" / "evaluation.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(DOCS / "examples" / "evaluation.py"))


@pytest.fixture(scope="module")
def scores(example):
    return example["simulate"]()


@pytest.fixture(scope="module")
def comparison(scores):
    return compare(scores, cluster="passage")


def _rows():
    """Cells of the page's table of pairs, by pair of models."""
    lines = re.findall(r"^\| (\w+) – (\w+) \| (.*) \|$", PAGE, flags=re.MULTILINE)
    return {(a, b): [cell.strip() for cell in rest.split("|")] for a, b, rest in lines}


def _points(text):
    return [float(part.replace("−", "-")) for part in re.findall(r"[−-]?\d+\.?\d*", text)]


@pytest.mark.parametrize("pair", _rows(), ids="-".join)
def test_page_shows_the_pairs_of_the_example(comparison, pair):
    table = comparison.verdicts.set_index(["model_a", "model_b"])
    a, b = pair
    sign = 1 if pair in table.index else -1
    row = table.loc[pair if sign == 1 else (b, a)]
    ends = sorted(100 * sign * row[name] for name in ("low", "high"))
    difference, interval, p, outcome, found, step = _rows()[pair]
    assert _points(difference) == pytest.approx([100 * sign * row["difference"]], abs=0.0501)
    assert _points(interval) == pytest.approx(ends, abs=0.0501)
    assert float(p) == pytest.approx(row["p_adjusted"], rel=0.02, abs=0.0005)
    assert outcome == row["outcome"]
    assert _points(found) == pytest.approx([100 * row["detectable"]], abs=0.0501)
    is_shown = row["outcome"] == "difference"
    expected = [] if is_shown else [100 * row["detectable_2x_seed"]]
    assert _points(step) == pytest.approx(expected, abs=0.0501)


def test_page_shows_three_pairs_and_the_first_sentence(comparison):
    assert len(_rows()) == 3
    quoted = " ".join(re.findall(r"^> (.*)$", PAGE, flags=re.MULTILINE))
    assert quoted.startswith("large is best by mean correct 0.7495 over 5 runs of 200 items;")
    assert quoted in " ".join(str(comparison).split())


def test_intervals_of_ranks_hold_the_true_ranks(example, scores):
    """`base` and `tuned` are equal: each true rank is 2 and 3."""
    skill = example["SKILL"]
    truth = np.array(list(skill.values()))
    best = dict(zip(skill, 1 + (truth[None] > truth[:, None]).sum(axis=1), strict=True))
    worst = dict(zip(skill, len(skill) - (truth[None] < truth[:, None]).sum(axis=1), strict=True))
    table = rank_models(scores, cluster="passage").table
    assert set(table["model"]) == set(skill)
    for row in table.itertuples():
        assert row.low_these <= best[row.model]
        assert worst[row.model] <= row.high_these
