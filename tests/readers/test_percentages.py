"""Scores that are written with a sign of percent."""

import pandas as pd
import pytest
from reseed.core.errors import ReseedError
from study_import import read

SCORES = {(m, s): round(0.7 + 0.1 * i + s / 1000, 4) for i, m in enumerate("ab") for s in range(4)}


def table(sign, heading="acc"):
    rows = [(m, s, f"{100 * v:.10g}{sign}") for (m, s), v in SCORES.items()]
    return pd.DataFrame(rows, columns=["model", "seed", heading])


def read_scores(frame, metric="acc"):
    return {(r["model"], r["init"]): r[metric] for _, r in read(frame)[0].iterrows()}


@pytest.mark.parametrize("sign", ["%", " %"])
def test_percentages_are_shares(sign):
    assert read_scores(table(sign)) == SCORES


def test_a_heading_with_the_sign_keeps_the_numbers_as_written():
    found = read_scores(table("%", "acc (%)"), "acc (%)")
    assert found == {run: pytest.approx(100 * share) for run, share in SCORES.items()}


def test_an_empty_cell_is_a_failed_run():
    frame = table("%")
    frame.loc[0, "acc"] = ""
    metrics, _ = read(frame)
    assert metrics["acc"].isna().sum() == 1


def test_a_plain_number_among_percentages_is_refused():
    frame = table("%")
    frame.loc[0, "acc"] = "0.7"
    with pytest.raises(ReseedError, match=r"'acc' holds '70\.1%', which is not a number"):
        read(frame)
