"""Pictures of rows of a result."""

import numpy as np
import pytest
from reseed.report.pages.strips import draw_axis


@pytest.mark.parametrize("span", np.geomspace(1e-4, 1e4, 50))
def test_an_axis_of_any_length_has_a_few_round_numbers(span):
    assert 2 <= draw_axis((0.0, span)).count("<text") <= 8
