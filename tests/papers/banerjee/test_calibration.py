import numpy as np
import pytest
from papers.banerjee import calibration
from scipy.special import softmax


def loop_ece(confidence, correct, n_bins):
    total, n = 0.0, len(confidence)
    for b in range(n_bins):
        low, high = b / n_bins, (b + 1) / n_bins
        inside = [i for i in range(n) if low < confidence[i] <= high or (b == 0 == confidence[i])]
        if inside:
            accuracy = sum(correct[i] for i in inside) / len(inside)
            mean = sum(confidence[i] for i in inside) / len(inside)
            total += len(inside) / n * abs(accuracy - mean)
    return total


@pytest.mark.parametrize("n_bins", [1, 7, 15])
def test_ece_equals_a_loop_and_is_vectorised_over_models(n_bins):
    rng = np.random.default_rng(0)
    proba = softmax(rng.normal(size=(3, 200, 4)) * 2, axis=-1)
    y = rng.integers(4, size=200)
    label, confidence = proba.argmax(axis=-1), proba.max(axis=-1)
    curve = calibration.reliability_curve(confidence, label == y, n_bins)
    for m in range(3):
        expected = loop_ece(confidence[m], (label == y)[m], n_bins)
        assert curve.ece[m] == pytest.approx(expected)
        alone = calibration.expected_calibration_error(confidence[m], (label == y)[m], n_bins)
        assert alone == pytest.approx(expected)
    assert curve.count.sum() == 600
    np.testing.assert_allclose(
        np.nansum(curve.accuracy * curve.count, -1) / 200, (label == y).mean(-1)
    )
    assert np.isnan(curve.accuracy[curve.count == 0]).all()


def test_hand_computed_ece_differs_from_positive_class_bins():
    # Two confident negatives, one of them wrong: confidence 0.9, accuracy 0.5.
    p1, y = np.array([0.1, 0.1]), np.array([0, 1])
    label, confidence = p1 > 0.5, np.maximum(p1, 1 - p1)
    assert calibration.expected_calibration_error(confidence, label == y) == pytest.approx(0.4)
    # Confidence 0.8 for both classes, 6 and 10 of 10 correct: accuracy 0.8 in the only bin of
    # the predicted class. Binning P(y=1) instead would report 0.2.
    p1 = np.repeat([0.2, 0.8], 10)
    y = np.r_[np.zeros(6), np.ones(4), np.ones(10)]
    label, confidence = p1 > 0.5, np.maximum(p1, 1 - p1)
    assert calibration.expected_calibration_error(confidence, label == y, 10) == pytest.approx(0)
    assert calibration.reliability_curve(p1, y, 10).ece == pytest.approx(0.2)


def test_ece_is_small_when_calibrated_and_known_otherwise():
    rng = np.random.default_rng(2)
    confidence = rng.uniform(0.5, 1, size=400_000)
    u = rng.random(confidence.size)
    assert calibration.expected_calibration_error(confidence, u < confidence) < 0.005
    over = calibration.expected_calibration_error(confidence, u < confidence - 0.1)
    assert over == pytest.approx(0.1, abs=0.003)


def test_bin_edges_are_closed_on_the_right():
    curve = calibration.reliability_curve([0.0, 0.5, 0.50001, 1.0], [0, 1, 1, 1], 2)
    np.testing.assert_array_equal(curve.count, [2, 2])


def test_single_items_and_constant_confidence():
    assert calibration.expected_calibration_error([1.0], [1]) == 0
    assert calibration.expected_calibration_error([0.7] * 4, [0] * 4) == pytest.approx(0.7)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: calibration.expected_calibration_error([], []), "confidence"),
    (lambda: calibration.expected_calibration_error([np.nan], [1]), "NaN"),
    (lambda: calibration.expected_calibration_error([1.2], [1]), "softmax"),
    (lambda: calibration.expected_calibration_error([0.5], [0.5]), "0 and 1"),
    (lambda: calibration.expected_calibration_error([0.5, 0.6], [1]), "differ"),
    (lambda: calibration.reliability_curve([0.5], [1], 0), "n_bins"),
])  # fmt: skip
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
