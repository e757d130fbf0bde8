"""
Models that are not shown to differ
===================================

After Demšar's critical-difference diagram: models by their mean; a bar joins models that are not shown
to differ.
"""

import reseed

reseed.compare("../../examples/runs.csv").plot("groups")
