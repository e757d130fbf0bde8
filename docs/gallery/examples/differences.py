"""
Differences with their intervals
================================

Every pair of models, on the same splits. The intervals hold for all pairs at once: one that excludes 0
says that a model is better.
"""

import reseed

comparison = reseed.compare("../../examples/runs.csv")
comparison.plot("differences")

# %%
print(comparison)
