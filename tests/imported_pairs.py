"""The pairs of a study with `results: {path: …}`, by the functions of its jobs."""

from pathlib import Path

import pandas as pd
from reseed.analyses import pairs
from reseed.analyses.shared.data import read_data
from reseed.jobs.import_results import import_items, import_runs


def import_as_study(path: Path, folder: Path, options: dict | None = None) -> pd.DataFrame:
    results, study = {"path": str(path), **(options or {})}, {"name": "mine"}
    import_runs(str(folder / "metrics.parquet"), str(folder / "about.json"), results, study)
    inner = folder / "predictions" / "results"
    inner.mkdir(parents=True)
    tables = [str(inner / f"{name}.parquet") for name in ("scores", "targets")]
    import_items(tables, results, study, False)
    data = read_data(folder, None, None, ["results"])
    return pairs.analyse(data, pairs.Options())
