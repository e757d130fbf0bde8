"""Columns through which a random split leaks, on tables whose answer is known."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from reseed.data.leaks import find_leaks

VISITS = sorted((Path(__file__).parents[3] / "shared" / "public-cases").glob("97-*/visits.csv"))


def scores_of(text: str) -> tuple[float, ...]:
    return tuple(float(one) for one in re.findall(r"\b[01]\.\d\d\b", text))


@pytest.mark.parametrize("visits", [5, 20])
def test_labels_of_patients_are_guessed_on_new_ones(visits):
    """Coins of patients: known on random rows, a half on patients not seen; also of many rows."""
    random, patients = np.random.default_rng(0), 200
    coins = random.integers(0, 2, patients).repeat(visits)
    labs = random.normal(size=(patients, 3)).repeat(visits, axis=0)
    labs += random.normal(0, 0.05, labs.shape)
    table = pd.DataFrame(labs, columns=["a", "b", "c"])
    table.insert(0, "patient", np.arange(patients).repeat(visits))
    ((kind, column, text),) = find_leaks(table, pd.Series(coins), "binary")
    assert (kind, column) == ("group", "patient")
    on_rows, on_patients = scores_of(text)
    assert on_rows > 0.9
    assert abs(on_patients - 0.5) < 0.12


@pytest.mark.skipif(not VISITS, reason="needs ../shared/public-cases")
def test_scores_of_visits_by_patient_stay():
    table = pd.read_csv(VISITS[0])
    found = [*find_leaks(table.drop(columns="relapse"), table["relapse"], "binary")]
    assert [(one[0], one[1], scores_of(one[2])) for one in found] == [
        ("group", "patient", (0.91, 0.69))
    ]
