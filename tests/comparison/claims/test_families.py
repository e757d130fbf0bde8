"""Number of false claims that several families leave, against a simulation."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.comparison.claims.families import describe_families, expected_false_claims


def test_expected_false_claims_by_simulation():
    has_false_claim = np.random.default_rng(0).random((20_000, 10)) < 0.05
    count, anywhere = expected_false_claims(10, 0.05)
    assert count == pytest.approx(has_false_claim.sum(axis=1).mean(), abs=0.02)
    assert anywhere == pytest.approx(has_false_claim.any(axis=1).mean(), abs=0.02)
    assert describe_families(1, 0.05) == ""
    assert "`family: study` adjusts over all" in describe_families(2, 0.05)


def test_the_verdict_over_datasets_leads():
    rng = np.random.default_rng(1)
    rows = [
        (model, f"d{dataset}", seed, 0.8 + 0.01 * rng.normal())
        for model in "abc"
        for dataset in range(6)
        for seed in range(6)
    ]
    found = reseed.compare(pd.DataFrame(rows, columns=["model", "dataset", "seed", "accuracy"]))
    text = str(found)
    assert "adjusted over the pairs of each of 6 datasets" in text
    assert "up to 0.3 datasets" in text
    assert "up to 26 % of such studies" in " ".join(text.split())
    first_table = text[text.index("Comparison") :]
    assert "Mean difference" in first_table.splitlines()[0]
    assert first_table.index("Mean difference") < first_table.index("Pairs on single datasets")
    assert text.startswith("Over 6 datasets")
    whole = reseed.compare(
        pd.DataFrame(rows, columns=["model", "dataset", "seed", "accuracy"]), family="study"
    )
    assert "not over all" not in str(whole)
