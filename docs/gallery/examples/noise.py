"""
Noise of the seed and of the test set
=====================================

Scores of items say how much of the spread over seeds would remain on an infinite test set.
"""

import numpy as np
import pandas as pd
import reseed

rng = np.random.default_rng(0)
difficulty = rng.normal(1, 1.5, 400)
rows = [
    (model, seed, item, rng.random() < 1 / (1 + np.exp(-difficulty[item] - shift - effect)))
    for model, shift, spread in (("stable", 0.0, 0.05), ("unstable", 0.1, 0.5))
    for seed, effect in enumerate(rng.normal(0, spread, 8))
    for item in range(400)
]
items = pd.DataFrame(rows, columns=["model", "seed", "item", "accuracy"])
items["accuracy"] = items["accuracy"].astype(int)
reseed.compare(items, metric="accuracy").plot("noise")
