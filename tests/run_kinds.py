"""Run the functions of kinds in tests, with options by keyword."""

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pandas as pd
from reseed.analyses.shared.data import Data


def run_analysis(
    module: ModuleType, data: Data, small: Mapping[str, Any] | None = None, **options: Any
) -> pd.DataFrame:
    """The table of an analysis.

    small: numbers that make many analyses fast. Those that `module` does not have are left out.
    """
    known = module.Options.model_fields
    used = {name: value for name, value in (small or {}).items() if name in known}
    return module.analyse(data, module.Options(**used | options))
