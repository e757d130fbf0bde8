"""Columns of another kind than scores, in tables with one column a model."""

import pytest
import reseed
from reseed import ReseedError


def _write(path, sizes):
    rows = [f"d{i},{size},{0.7 + i / 100},{0.75 + i / 90:.4f}" for i, size in enumerate(sizes)]
    path.write_text("\n".join(["dataset,n,rf,xgb", *rows]) + "\n")
    return path


def test_sizes_beside_scores_are_no_model(tmp_path):
    table = _write(tmp_path / "scores.csv", [150, 1000, 210, 90, 400, 3200, 77])
    with pytest.raises(ReseedError, match=r"n holds whole numbers.*`headings='model'`"):
        reseed.compare(table, greater_is_better=True)
    found = reseed.compare(table, greater_is_better=True, headings="model")
    assert found.answer[0].startswith("Over 7 datasets n has the best mean rank")


def test_perfect_scores_are_a_model(tmp_path):
    table = _write(tmp_path / "scores.csv", [100] * 7)
    found = reseed.compare(table, greater_is_better=True)
    assert {"n", "rf", "xgb"} == {*found.leaderboard["model"]}
