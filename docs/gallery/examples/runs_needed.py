"""
Runs needed to find a difference
================================

The runs at hand are a pilot. For splits that share training rows there is a limit that more splits do
not pass.
"""

import reseed

reseed.compare("../../examples/runs.csv").plot("runs_needed")
