"""Tests of the papers share the helpers of the tests of analyses and exhibits."""

import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent
sys.path += [str(TESTS / folder) for folder in ("analyses", "report/exhibits", "papers")]
