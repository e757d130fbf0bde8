from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from papers.banerjee import ensembles


def brute_churn(labels):
    m = len(labels)
    return np.array([[sum(a != b for a, b in zip(labels[i], labels[j], strict=True))
                      for j in range(m)] for i in range(m)])  # fmt: skip


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(1, 12), st.integers(1, 5), st.integers(0, 9999))
def test_churn_equals_brute_force(models, items, classes, seed):
    labels = np.random.default_rng(seed).integers(classes, size=(models, items))
    expected = brute_churn(labels.tolist())
    np.testing.assert_array_equal(ensembles.pairwise_churn(labels), expected)
    np.testing.assert_array_equal(ensembles.churn_against(labels, labels[0]), expected[0])
    if models > 1:
        np.testing.assert_allclose(ensembles.model_churn(labels), expected.sum(1) / (models - 1))
        pairs = [expected[i, j] for i, j in combinations(range(models), 2)]
        assert ensembles.model_churn(labels).mean() == pytest.approx(np.mean(pairs))


def test_blocks_of_items_are_summed():
    labels = np.random.default_rng(0).integers(3, size=(5, 5000))  # several blocks
    expected = (labels[:, None] != labels[None]).sum(2)
    np.testing.assert_array_equal(ensembles.pairwise_churn(labels), expected)
    np.testing.assert_allclose(ensembles.model_churn(labels), expected.sum(1) / 4)


def test_members_are_uniform_subsets():
    members = ensembles.draw_members(5, 2, 20_000, np.random.default_rng(3))
    again = ensembles.draw_members(5, 2, 20_000, np.random.default_rng(3))
    np.testing.assert_array_equal(members, again)
    pairs = np.sort(members, axis=1)
    assert (pairs[:, 0] < pairs[:, 1]).all()
    counts = np.unique(pairs, axis=0, return_counts=True)[1]
    assert len(counts) == 10
    assert np.abs(counts - 2000).max() < 5 * np.sqrt(20_000 * 0.1 * 0.9)
    whole = ensembles.draw_members(4, 4, 3, np.random.default_rng(4))
    np.testing.assert_array_equal(np.sort(whole, axis=1), np.tile(range(4), (3, 1)))
    assert ensembles.draw_members(3, 1, 2, np.random.default_rng(5)).shape == (2, 1)


@pytest.mark.parametrize("shape", [(7, 11), (7, 11, 3)])
def test_ensemble_scores_are_means(shape):
    rng = np.random.default_rng(5)
    scores = rng.normal(size=shape)
    members = ensembles.draw_members(7, 3, 10, rng)
    expected = np.array([scores[m].mean(0) for m in members])
    np.testing.assert_allclose(ensembles.ensemble_scores(scores, members), expected)


def test_identical_and_single_models():
    assert ensembles.model_churn(np.ones((3, 4), dtype=int)).max() == 0
    np.testing.assert_array_equal(ensembles.pairwise_churn([[1, 0]]), [[0]])
    np.testing.assert_array_equal(ensembles.pairwise_churn([[True], [False]]), [[0, 1], [1, 0]])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64, bool])
def test_labels_of_every_integer_type_are_accepted(dtype):
    labels = np.array([[1, 0] * 2000, [1, 1] * 2000], dtype=dtype)
    np.testing.assert_array_equal(ensembles.model_churn(labels), [2000, 2000])
    np.testing.assert_array_equal(ensembles.pairwise_churn(labels), [[0, 2000], [2000, 0]])


@pytest.mark.parametrize(("call", "message"), [
    (lambda: ensembles.model_churn([[0, 1]]), "at least 2 model"),
    (lambda: ensembles.pairwise_churn(np.empty((2, 0), dtype=int)), "one item"),
    (lambda: ensembles.pairwise_churn([[0.0, np.nan]]), "integers"),
    (lambda: ensembles.pairwise_churn([[0, -1]]), "negative"),
    (lambda: ensembles.churn_against([[0, 1]], [0]), "items"),
    (lambda: ensembles.draw_members(3, 4, 1, np.random.default_rng()), "cannot draw"),
    (lambda: ensembles.ensemble_scores([[1.0], [np.nan]], [[0]]), "NaN"),
    (lambda: ensembles.ensemble_scores([[1.0], [2.0]], [[0, 0]]), "twice"),
    (lambda: ensembles.ensemble_scores([[1.0], [2.0]], [[2]]), "indices"),
    (lambda: ensembles.ensemble_scores([[1.0], [2.0]], [0]), "members must be"),
])  # fmt: skip
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_ensemble_size_rule():
    levels = [np.r_[np.zeros(7), np.ones(3)], np.zeros(10), np.r_[np.zeros(9), 1], np.zeros(10)]
    result = ensembles.ensemble_size([3, 5, 10, 20], levels, 0.01, 100, share=0.95)
    assert result.size == 20  # 5 passes, but 10 does not
    np.testing.assert_allclose(result.share, [0.7, 1, 0.9, 1])
    assert ensembles.ensemble_size([3, 5, 10, 20], levels, 0.01, 100, share=0.9).size == 5
    assert ensembles.ensemble_size([3], levels[:1], 0.01, 100).size is None
    np.testing.assert_allclose(1 / result.n, [k / 100 + (1 - k / 100) / 10 for k in (3, 5, 10, 20)])
    with pytest.raises(ValueError, match="share"):
        ensembles.ensemble_size([3], [[0.1]], 0.1, 9, share=1.5)
    with pytest.raises(ValueError, match="ascending"):
        ensembles.ensemble_size([3, 3], [[0.1], [0.1]], 0.1, 9)
    # Consecutive sizes are ascending.
    assert ensembles.ensemble_size([3, 4], [[0.0], [0.0]], 0.1, 9).size == 3
    with pytest.raises(ValueError, match="NaN"):
        ensembles.ensemble_size([3], [[np.nan]], 0.1, 9)
    with pytest.raises(ValueError, match="share"):
        ensembles.ensemble_size([3], [[0.1]], 0.1, 9, share=0)
