"""One score a seed where each trial is a window of time."""

import numpy as np
import pandas as pd
from reseed.core.schemas import CELL_COLUMNS, OUTCOME_COLUMNS, TRIAL_COLUMNS
from reseed.trials.windows import average_windows


def test_a_seed_has_the_mean_of_its_windows():
    rows = []
    for scheme in ("time-2", "kfold-2"):
        for seed in (0, 1):
            for fold in (0, 1):
                row = dict.fromkeys([*CELL_COLUMNS, *OUTCOME_COLUMNS], "x")
                row |= dict.fromkeys(TRIAL_COLUMNS, seed)
                row |= {"scheme": scheme, "fold": fold, "status": "ok", "error": None}
                row |= {"test_ratio": np.nan, "train_seconds": 1.5, "converged": fold == 0}
                rows.append(row | {"auc": seed + fold / 4, "study": "s"})
    rows[3] |= {"status": "failed", "error": "boom", "auc": np.nan, "fingerprint": None}
    found = average_windows(pd.DataFrame(rows))
    assert found["scheme"].tolist() == ["time-2"] * 2 + ["kfold-2"] * 4
    assert found["auc"].tolist()[0] == 0.125
    assert np.isnan(found["auc"][1])
    assert found["status"].tolist()[:3] == ["ok", "failed", "ok"]
    assert found["error"][1] == "boom"
    assert found.loc[:1, "train_seconds"].tolist() == [3, 3]
    assert found.loc[:1, "fold"].tolist() == [0, 0]
    assert not found["converged"][0]
    assert found["fingerprint"].isna().tolist() == [False, True, *[False] * 4]
    same = pd.DataFrame(rows[4:])
    assert average_windows(same) is same
