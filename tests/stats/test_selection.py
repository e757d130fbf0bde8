import numpy as np
import pytest
from reseed.stats import selection
from reseed.stats.gaussian_range import expected_gaussian_range
from reseed.stats.selection import selection_optimism


def test_error_of_two_splits_is_half_their_distance():
    scores = np.random.default_rng(2).random((3, 7))
    result = selection_optimism(scores, 2, rng=np.random.default_rng(3))
    side = np.tile([1, 1, 1, -1, -1, -1, 0], (2, 1))
    optimism, gain = [], []
    for one in np.random.default_rng(3).permuted(side, axis=1):
        first, second = (scores[:, one == sign].mean(axis=1) for sign in (1, -1))
        pairs = [(x, y, x.argmax()) for x, y in ((first, second), (second, first))]
        optimism.append(np.mean([x[top] - y[top] for x, y, top in pairs]))
        gain.append(np.mean([y[top] - y.mean() for _, y, top in pairs]))
    assert (result.optimism, result.gain) == pytest.approx((np.mean(optimism), np.mean(gain)))
    assert result.optimism_mc_se == pytest.approx(abs(np.diff(optimism)[0]) / 2)
    assert result.gain_mc_se == pytest.approx(abs(np.diff(gain)[0]) / 2)


def test_blocks_of_splits_do_not_change_the_result(monkeypatch):
    scores = np.random.default_rng(4).random((3, 7))
    whole = selection_optimism(scores, 11, rng=np.random.default_rng(5))
    monkeypatch.setattr(selection, "_CHUNK", 4 * 13)  # blocks of 4, 4 and 3 splits
    assert selection_optimism(scores, 11, rng=np.random.default_rng(5)) == whole


def test_optimism_of_equal_seeds_is_expected_gaussian_maximum():
    # 50 seeds of true accuracy 0.8 with independent errors: the lead of the winner is noise.
    rng = np.random.default_rng(2)
    models, items, optimism, gain = 50, 400, [], []
    for _ in range(40):
        scores = rng.random((models, items)) < 0.8
        result = selection_optimism(scores, 20, rng=rng)
        optimism.append(result.optimism)
        gain.append(result.gain)
    lead = float(expected_gaussian_range(models)) / 2 * np.sqrt(0.8 * 0.2 / (items / 2))
    error = np.std(optimism) / np.sqrt(40)
    assert np.mean(optimism) == pytest.approx(lead, abs=4 * error + 0.03 * lead)
    assert np.mean(gain) == pytest.approx(0, abs=4 * np.std(gain) / np.sqrt(40))


def test_true_differences_are_gain():
    scores = np.zeros((3, 200))
    scores[1] = 1.0
    result = selection_optimism(scores, 50, rng=np.random.default_rng(3))
    assert result.optimism == pytest.approx(0)
    assert result.gain == pytest.approx(2 / 3)


def test_identical_models_and_one_model():
    row = (np.random.default_rng(4).random(101) < 0.7).astype(float)
    for scores in (row[None], np.tile(row, (5, 1))):
        result = selection_optimism(scores, 200, rng=np.random.default_rng(5))
        assert result.optimism == pytest.approx(0, abs=1e-12)  # the two directions cancel
        assert result.gain == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("call", "message"), [
    (lambda r: selection_optimism([[1.0]], rng=r), "at least 2"),
    (lambda r: selection_optimism([[1.0, np.nan]], rng=r), "NaN"),
    (lambda r: selection_optimism([[1.0, 0.0]], 1, rng=r), "n_halves"),
])  # fmt: skip
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(0))
