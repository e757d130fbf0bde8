"""Fixtures of the training tests."""

import numpy as np
import pytest
from reseed.coordinates import ROLES


@pytest.fixture
def split():
    rows = np.random.default_rng(1).permutation(400)
    return rows[:240], rows[240:320], rows[320:]


@pytest.fixture
def same_seeds():
    return lambda seed: dict.fromkeys(ROLES, seed)
