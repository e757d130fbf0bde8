"""Number of false claims that several families leave, against a simulation."""

import numpy as np
import pandas as pd
import pytest
import reseed
from reseed.verdicts.families import describe_families, expected_false_claims


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
    text = " ".join(str(found).split())
    assert text.startswith(
        "Over 6 datasets a has the best mean rank, 1.67: undecided against c and"
    )
    assert "On single datasets 0 of 18 tested pairs are decided" in text
    assert "hold for the pairs of each of 6 datasets" in text
    assert "up to 0.3 datasets, and somewhere in up to 26 % of such studies" in text
    whole = reseed.compare(
        pd.DataFrame(rows, columns=["model", "dataset", "seed", "accuracy"]), family="study"
    )
    assert "not over all" not in str(whole)
