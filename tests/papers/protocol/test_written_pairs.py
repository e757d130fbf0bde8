"""The paper's tests of each pair of models, recomputed with SciPy and statsmodels."""

import numpy as np
import pytest
from pair_frames import data, frame
from papers.protocol import written_pairs
from run_kinds import run_analysis
from scipy import stats
from statsmodels.stats.multitest import multipletests

SCORES = {
    model: center + 0.01 * np.random.default_rng(number).normal(size=(2, 5))
    for number, (model, center) in enumerate({"a": 0.80, "b": 0.81, "c": 0.84}.items())
}


def test_tests_and_intervals_are_those_of_scipy():
    rows = [
        ("d", model, 10 * repeat + fold, fold, 0, scores[repeat, fold])
        for model, scores in SCORES.items()
        for repeat in range(2)
        for fold in range(5)
    ]
    table = run_analysis(written_pairs, data(frame(rows)), n_boot=20_000)
    assert len(table) == 3
    p_values = []
    for row in table.to_dict("records"):
        d = (SCORES[row["arm"]] - SCORES[row["other"]]).ravel()
        assert row["difference"] == pytest.approx(d.mean())
        assert d.mean() > 0
        p_values.append(stats.wilcoxon(d).pvalue)
        expected = stats.bootstrap(
            (d,), np.mean, n_resamples=20_000, rng=np.random.default_rng(0)
        ).confidence_interval
        assert (row["low"], row["high"]) == pytest.approx(tuple(expected), abs=d.std() / 30)
        assert row["instability"] == pytest.approx((d < 0).mean())
        assert row["n"] == 10
    assert table["p"].tolist() == pytest.approx(p_values)
    holm = multipletests(p_values, method="holm")[1]
    assert table["p_holm"].tolist() == pytest.approx(list(holm))
