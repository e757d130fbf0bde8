"""
Scores from a tracker
=====================

Your runs are finished, and a tracker has their scores. This page compares them without training
anything. It takes five minutes.
"""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd
import reseed

# %%
# The export
# ----------
# ``mlflow.search_runs()`` returns one row a run, with columns ``params.…`` and ``metrics.…``. The CSV
# files of MLflow, Weights & Biases, ClearML, Optuna and Ray Tune look alike. Here is such a table of
# three recipes and eight seeds; its scores are drawn at random around 0.90, 0.90 and 0.87.

rng = np.random.default_rng(0)
runs = pd.DataFrame(
    [
        {
            "run_id": f"{recipe}-{seed}",
            "status": "FINISHED",
            "params.model": recipe,
            "params.seed": str(seed),
            "metrics.val_auc": mean + rng.normal(0, 0.008),
            "metrics.epoch_seconds": rng.gamma(4, 3),
        }
        for recipe, mean in {"baseline": 0.90, "wider": 0.90, "no augmentation": 0.87}.items()
        for seed in range(8)
    ]
)
runs.loc[5, "status"] = "FAILED"
runs.head(3)

# %%
# Compare
# -------
# The last part of a heading counts: ``params.model`` names the model. The failed run is counted, not used.

found = reseed.compare(runs, metric="val_auc", baseline="baseline")
print(found)

# %%
found.plot()

# %%
# From the command line the same comparison is one line:
#
# .. code-block:: sh
#
#     reseed compare runs.csv --metric val_auc --baseline baseline --html report.html

# %%
# Which runs belong together
# --------------------------
# If all models used the same seeds on one split, their runs are paired by seed, as above. A column
# ``fold`` or ``split`` pairs them by split, and the test is corrected for shared training rows. The
# notes under every comparison state how each column was read: check them once.

found.notes

# %%
# When no name says it
# --------------------
# One question holds what is open, with the argument of each answer.

folder = Path(mkdtemp())
renamed = runs.rename(columns={"params.model": "recipe", "params.seed": "start"})
renamed.drop(columns="run_id").to_csv(folder / "runs.csv", index=False)
try:
    reseed.compare(folder / "runs.csv", metric="metrics.val_auc")
except reseed.ReseedError as error:
    print(str(error).replace(f"{folder}/", ""))

# %%
columns = {"model": "recipe", "seed": "start"}
again = reseed.compare(
    folder / "runs.csv", metric="metrics.val_auc", columns=columns,
)  # fmt: skip
again.leaderboard

# %%
# One file for each run
# ---------------------
# A folder of JSON files works too: the names of its folders say which model and seed each file is.

for run in runs.to_dict("records"):
    path = folder / "logs" / run["params.model"] / f"seed_{run['params.seed']}" / "metrics.json"
    path.parent.mkdir(parents=True)
    path.write_text(f'{{"auc": {run["metrics.val_auc"]:.4f}}}')
reseed.compare(folder / "logs", metric="auc").leaderboard

# %%
# All formats, settings and messages: :doc:`/your-results`.
