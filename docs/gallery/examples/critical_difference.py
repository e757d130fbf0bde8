"""
A critical-difference diagram
=============================

After Demšar: models by their mean; a bar joins models whose difference is undecided.
"""

import reseed

reseed.compare("../../examples/runs.csv").plot("ranks")
