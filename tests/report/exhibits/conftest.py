"""A small study made once: trials, statistics and the exhibits of the paper's study."""

import sys
from pathlib import Path

import pandas as pd
import pytest

sys.path += [str(Path(__file__).parents[2] / name) for name in ("analyses", "papers/banerjee")]

from reseed.analyses.shared.data import Data
from reseed.core.study_info import write_study_info
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.figures import write_figure
from reseed.report.rendering.table_files import write_table
from run_kinds import draw, is_table, read_study, run_analysis
from study_frames import PUBLISHED, study

_OPTIONS = {"n_boot": 50, "n_sim": 50, "n_draws": 50}


@pytest.fixture(scope="session")
def configured():
    """The study of paper 1 as configured: its analyses and exhibits."""
    return read_study("inherent_randomness").model_dump()


@pytest.fixture(scope="session")
def statistics(configured):
    """Every analysis of trials, by name, with its trials and facts under `metrics`, `info`."""
    metrics, info = study()
    found = {"metrics": metrics, "info": info}
    for name, entry in configured["analyses"].items():
        chosen = entry.get("experiments")
        part = metrics if chosen is None else metrics[metrics["experiment"].isin(chosen)]
        data = Data(part.reset_index(drop=True), info, Path(PUBLISHED), repeats=_repeats(metrics))
        options = _OPTIONS | entry.get("options", {})
        if "baselines" in options:  # the trials are of three models
            options["baselines"] = [b for b in options["baselines"] if b in set(metrics["model"])]
        found[name] = run_analysis(entry["kind"], data, options)
    found["noise"] = _noise(found["noise"].columns)
    return found


def _repeats(metrics):
    """One trial of each model, of which one is another."""
    trials = metrics.drop_duplicates("model")[["dataset", "model"]]
    return trials.assign(same=trials["model"] != "ffnn", text="differs in metrics")


def _noise(columns):
    """Chosen noises of two datasets (the analysis itself is tested with predictions)."""
    rows = [
        {"experiment": "model_seeds", "scheme": "holdout-0.2",
         "hyperparameters_source": "fixed-500", "dataset": dataset, "model": model,
         "metric": metric, "primary": primary, "n": 8,
         "failed": 0, "data_seed": 0, "repeat": 0, "fold": 0, "items": 200, "level": 0.95,
         "mean": 0.9, "observed_sd": 0.01, "infinite_sd": infinite, "infinite_sd_low": low,
         "infinite_sd_high": high, "seed_share": share, "test_set_sd": 0.02, "reason": ""}
        for dataset, metric, primary, infinite, low, high, share in [
            ("bike_sharing", "mse", True, 0.0, 0.0, 0.004, 0.0),
            ("magic", "accuracy", False, 0.005, 0.002, 0.008, 0.25),
            ("magic", "auc", True, None, None, None, None),
        ]
        for model in ("ffnn", "rf", "xgb")
    ]  # fmt: skip
    return pd.DataFrame(rows).reindex(columns=columns)


@pytest.fixture(scope="session")
def exhibit(configured, statistics):
    """Make the data of a configured exhibit; its inputs can be replaced."""

    def make(name, **changes):
        entry = configured["exhibits"][name]
        inputs = {
            "statistics": statistics.get(entry.get("analysis")),
            "metrics": statistics["metrics"],
            "info": statistics["info"],
        } | changes
        data = ExhibitData(**inputs, kind=entry["kind"], title=entry["title"])
        return data, entry.get("options", {})

    return make


@pytest.fixture(scope="session")
def drawn(configured, exhibit):
    """Every exhibit of the paper's study, drawn once: name -> table, or (figure, description)."""
    made = {}
    for name in configured["exhibits"]:
        data, options = exhibit(name)
        made[name] = draw(data.kind, data, options)
    return made


@pytest.fixture(scope="session")
def written(tmp_path_factory, drawn, exhibit, statistics):
    """A study's folder with every exhibit of the paper."""
    study = tmp_path_factory.mktemp("results") / "studies" / "toy"
    for name, made in drawn.items():
        data, _ = exhibit(name)
        if is_table(data.kind):
            write_table(made, study / "tables" / name)
        else:  # another drawing: one that is written has a layout of its own
            write_figure(*draw(data.kind, *exhibit(name)), data, study / "figures" / name)
    write_study_info(study / "about.json", statistics["info"])
    return study
