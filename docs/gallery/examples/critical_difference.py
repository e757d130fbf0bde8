"""
A critical-difference diagram
=============================

After Demšar: models by their mean; a bar joins models that are not shown to differ.
"""

import reseed

reseed.compare("../../examples/runs.csv").plot("ranks")
