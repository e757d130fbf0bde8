"""pass@k and pass^k: against enumeration of subsets, Chen et al.'s code and known truth."""

from itertools import combinations

import numpy as np
import pytest
from reseed.stats.pass_at_k import pass_all_k, pass_at_k


@pytest.mark.parametrize("n", [1, 4, 7])
def test_equals_the_share_of_subsets(n):
    for c in range(n + 1):
        for k in range(1, n + 1):
            subsets = list(combinations([1] * c + [0] * (n - c), k))
            assert pass_at_k(n, c, k)[0] == pytest.approx(np.mean([any(s) for s in subsets]))
            assert pass_all_k(n, c, k)[0] == pytest.approx(np.mean([all(s) for s in subsets]))


def test_equals_the_published_code():
    """Chen et al. (2021), figure 3."""

    def published(n, c, k):
        if n - c < k:
            return 1.0
        return 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))

    for c in (0, 1, 20, 150, 199, 200):
        assert pass_at_k(200, c, 100)[0] == pytest.approx(published(200, c, 100), abs=1e-12)


@pytest.mark.parametrize(
    ("n", "c", "k"), [(3, 1, 4), (3, 4, 1), (3, -1, 1), (3.5, 1, 1), (3, 1, 0)]
)
def test_invalid_counts_are_refused(n, c, k):
    with pytest.raises(ValueError, match=r"k|whole|between"):
        pass_at_k(n, c, k)
