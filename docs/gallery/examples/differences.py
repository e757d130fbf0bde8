"""
Differences with their intervals
================================

Every pair of models, on the same splits. Where an interval excludes 0, a difference is shown; the
p-values behind the marks are adjusted for the number of pairs.
"""

import reseed

comparison = reseed.compare("../../examples/runs.csv")
comparison.plot("differences")

# %%
print(comparison)
