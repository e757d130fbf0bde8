"""What varied in a table decides what is compared, and what a verdict covers."""

import numpy as np
import pandas as pd
import pytest
import reseed
import scipy.stats
from reseed import ReseedError
from reseed.comparison.reading import describe_reading
from reseed.readers.design import choose_design
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_scores
from reseed.readers.sources import open_source


def cross(**levels) -> pd.DataFrame:
    names = list(levels)
    index = pd.MultiIndex.from_product([range(count) for count in levels.values()], names=names)
    frame = index.to_frame(index=False)
    return frame.assign(
        model=frame["model"].map("abc".__getitem__), accuracy=(frame.sum(axis=1) * 0.37) % 1
    )


@pytest.mark.parametrize(
    ("levels", "unit", "claim"),
    [
        ({"seed": 5}, "runs", "new seeds on exactly these items"),
        ({"fold": 5}, "runs", "new splits of the same data (and new seeds)"),
        ({"seed": 3, "item": 9}, "runs", "new seeds and new items"),
        ({"fold": 3, "item": 9}, "runs", "new splits of the same data (and new seeds)"),
        ({"item": 9}, "items", "new levels of all that varied"),
        ({"seed": 3, "prompt": 2, "item": 9}, "items", "new levels of all that varied"),
        ({"repetition": 2, "item": 9}, "items", "new levels of all that varied"),
        ({"dataset": 3, "item": 9}, "items", "new levels of all that varied"),
        ({"dataset": 6, "item": 9}, "items", "new levels of all that varied"),
        ({"dataset": 6}, "runs", "datasets like these"),
    ],
)
def test_design_of_a_table(levels, unit, claim):
    scores = read_scores(open_source(cross(model=2, **levels)), ReadOptions())
    design = choose_design(scores)
    assert (design.unit, design.method.claim, design.levels) == (unit, claim, levels)
    assert design.describe().endswith(f" cover {claim}.")


def test_counts_of_one_run_and_a_request_for_items():
    counts = read_scores(open_source(cross(model=2, item=9).assign(accuracy=1)), ReadOptions())
    assert choose_design(counts).method.claim == "new items, for exactly these trained models"
    runs = read_scores(open_source(cross(model=2, seed=3, item=9)), ReadOptions())
    assert choose_design(runs, asks_items=True).unit == "items"


def test_items_on_several_splits_have_no_other_test():
    table = cross(model=2, fold=3, item=9)
    assert reseed.compare(table).verdicts["test"].item() == "corrected resampled t test"
    for asked in ({"repeats": "factor"}, {"failed": "drop"}):
        with pytest.raises(ReseedError, match="no single trained model made their scores"):
            reseed.compare(table, **asked)
    one = table[table["fold"] == 0]
    assert choose_design(read_scores(open_source(one), ReadOptions())).unit == "items"


@pytest.mark.parametrize("names", [["date"], ["item", "date"], ["week"], ["item"]])
def test_points_in_time_are_asked_about(names):
    days = pd.date_range("2026-01-01", periods=9)
    table = cross(model=2, item=9)
    table = table.assign(date=days[table["item"]].strftime("%Y-%m-%d"), week=table["item"])
    if names == ["item"]:
        assert len(reseed.compare(table[["model", "item", "accuracy"]]).verdicts) == 1
        return
    table, columns = table[["model", *names, "accuracy"]], {"item": names[0]}
    with pytest.raises(ReseedError, match="points in time") as asked:
        reseed.compare(table, columns=columns)
    told = f"`columns={{'item': '{names[0]}'}}` and `columns={{'cluster': '{names[-1]}'}}`"
    assert told in str(asked.value)
    assert "points in time" in describe_reading(table, ReadOptions(columns=columns)).asked
    single = reseed.compare(table, columns=columns | {"cluster": names[-1]}).verdicts
    plain = reseed.compare(cross(model=2, item=9)).verdicts
    assert single["p"].item() == pytest.approx(plain["p"].item())


@pytest.mark.parametrize(("shift", "is_asked"), [(0.0, False), (0.05, True)])
def test_items_whose_differences_are_correlated_are_asked_about(shift, is_asked):
    """Levels of an unused column that stand together; the same test by SciPy on differences."""
    random = np.random.default_rng(5)
    patient = np.repeat(np.arange(25), 4)
    gap = random.normal(0, 0.05, 100) + shift * random.normal(size=25)[patient]
    by_patient = [gap[patient == one] for one in range(25)]
    assert (scipy.stats.f_oneway(*by_patient).pvalue <= 0.001) == is_asked
    table = pd.DataFrame({"patient": patient, "item": range(100), "a": 0.7, "b": 0.7 + gap})
    long = table.melt(["patient", "item"], var_name="model", value_name="score")
    options = {"greater_is_better": True}
    if not is_asked:
        assert "Columns not used: patient." in reseed.compare(long, **options).notes
        return
    with pytest.raises(ReseedError, match="are correlated within 'patient'") as found:
        reseed.compare(long, **options)
    assert "`columns={'cluster': 'patient'}`" in str(found.value)
    assert "`leave_out='patient'`" in str(found.value)
    by_item = reseed.compare(long, **options, leave_out="patient").pair_rows[0]
    by_cluster = reseed.compare(long, **options, cluster="patient").pair_rows[0]
    assert by_cluster.high - by_cluster.low > 1.5 * (by_item.high - by_item.low)
