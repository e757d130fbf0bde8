"""What is said of pairs that were settled early: who won then, and which pairs were."""

import numpy as np
import pytest
from reseed.report.analyses import stopping
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import stopping_figure, stopping_table
from reseed.report.rendering.data import ExhibitData
from run_kinds import claims_of, draw, run_analysis
from study_frames import about, frame, trial

MODELS = ("rf", "xgb")


def exhibit(rows, models=MODELS, **options):
    metrics, facts = frame(rows), about(("magic",), models)
    found = run_analysis(stopping, Data(metrics, facts), options)
    return ExhibitData(found, metrics, facts, "k", "T")


def seeds(differences, **place):
    """Trials in which RF scores so much more than XGB, seed by seed."""
    return [
        trial(0.8 + gain * (model == "rf"), seed=s, dataset="magic", metric="auc", model=model,
              **place)
        for s, gain in enumerate(differences)
        for model in MODELS
    ]  # fmt: skip


def test_the_winner_is_that_at_the_stopping_time():
    """RF leads for twelve seeds, by which the sequence settles; after sixty XGB does."""
    noise = np.random.default_rng(0).normal(0, 0.001, 60)
    data = exhibit(seeds(np.where(np.arange(60) < 12, 0.01, -0.02) + noise))
    table = draw(stopping_table, data, {})
    assert table.shown["Pair"].tolist() == ["XGB – RF"]
    said = claims_of(table)["settled_pair_1"]
    assert said.startswith("Magic: stopped at run ")
    assert said.endswith(
        "the comparison says: RF beats XGB; at the last run the interval says the opposite."
    )
    assert table.shown["Outcome"].tolist() == ["RF beats XGB"]


def test_a_later_interval_that_includes_zero_is_stated():
    noise = np.random.default_rng(0).normal(0, 0.001, 60)
    found = exhibit(seeds(np.where(np.arange(60) < 12, 0.01, -0.0025) + noise))
    said = claims_of(draw(stopping_table, found, {}))["settled_pair_1"]
    assert said.endswith("RF beats XGB; at the last run the interval includes zero again.")
    found = exhibit(seeds(0.01 + noise))
    said = claims_of(draw(stopping_table, found, {}))["settled_pair_1"]
    assert said.endswith(": RF beats XGB.")


def test_a_narrow_interval_settles_no_pair():
    noise = np.random.default_rng(0).normal(0, 0.001, 40)
    data = exhibit(seeds(noise - noise.mean()), half_width=0.002)
    assert set(data.statistics["reason"]) == {"precise enough"}
    table = draw(stopping_table, data, {})
    assert table.headline == "40 model seeds of each settle no pair"
    assert claims_of(table) == {"settled": "40 model seeds of each settle no pair."}
    assert table.shown["Settled, Gaussian"].tolist() == ["not yet"]
    assert table.shown["Outcome"].iloc[0].startswith("no difference shown, precise enough at ")
    figure, _ = draw(stopping_figure, data, {})
    assert all(line.get_linestyle() != ":" for line in figure.axes[0].lines)


def test_equivalent_models_are_called_equivalent():
    noise = np.random.default_rng(0).normal(0, 0.001, 60)
    table = draw(stopping_table, exhibit(seeds(noise - noise.mean()), rope=0.005), {})
    said = claims_of(table)["settled_pair_1"]
    assert said.endswith(("RF and XGB are equivalent.", "XGB and RF are equivalent."))


def test_each_test_ratio_counts():
    noise = np.random.default_rng(0).normal(0, 0.001, 12)
    rows = [
        row
        for ratio, gain in ((0.1, 0.0), (0.4, 0.02))
        for row in seeds(gain + noise, scheme=f"holdout-{ratio}", test_ratio=ratio)
    ]
    assert draw(stopping_table, exhibit(rows), {}).headline.endswith(" 1 of the 2 pairs")


@pytest.mark.parametrize("module", [stopping_figure])
def test_pairs_without_a_panel_are_named(module):
    models = tuple(f"m{i}" for i in range(7))
    rng = np.random.default_rng(0)
    rows = [
        trial(0.8 + 0.01 * i + rng.normal(0, 0.001), seed=s, dataset="magic", metric="auc", model=m)
        for i, m in enumerate(models)
        for s in range(5)
    ]
    figure, drawn = draw(module, exhibit(rows, models), {})
    panels = sum(axis.get_visible() for axis in figure.axes)
    assert panels < 21
    assert f"{21 - panels} more panels" in figure.get_suptitle()
    assert "Not drawn for want of room" in drawn.footnote
