"""
Intervals of ranks
==================

Eight models on twelve tasks. The thin interval of a rank holds on new tasks, the thick one on exactly
these tasks; all intervals of a kind hold at once.
"""

import numpy as np
import pandas as pd
import reseed

rng = np.random.default_rng(1)
skill = np.linspace(0.75, 0.60, 8)
rows = [
    (f"model {1 + model}", f"task {task}", seed, skill[model] + effect + rng.normal(0, 0.01))
    for task in range(12)
    for model, effect in enumerate(rng.normal(0, 0.03, 8))
    for seed in range(3)
]
scores = pd.DataFrame(rows, columns=["model", "dataset", "seed", "accuracy"])
ranking = reseed.rank_models(scores)
ranking.plot()

# %%
print(ranking)
