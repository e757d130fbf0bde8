"""
How often the order of models changes
=====================================

Draw one run of each model: how often does it rank two models the other way round?
"""

import reseed

reseed.compare("../../examples/runs.csv").plot("order")
