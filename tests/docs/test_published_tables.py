"""What the pages say of the published tables, recomputed from the tables; links of all pages."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from papers.banerjee.trimming import PAPER_ITEMS
from reseed.stats.gaussian_range import gaussian_range_interval

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "config" / "published"
TEXT = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
STUDY = (ROOT / "config" / "studies" / "inherent_randomness.yaml").read_text(encoding="utf-8")


def test_published_extremes_are_those_of_gaussian_samples():
    rows = pd.read_csv(PUBLISHED / "picard_tables.csv")
    assert len(rows) == 5
    for row in rows.itertuples():
        low, high = gaussian_range_interval(row.seeds)
        assert low * row.std <= row.max - row.min <= high * row.std, (row.dataset, row.training)
    short = rows[rows["seeds"] == 10_000].iloc[0]
    assert f"{short['max'] - short['min']:.2f} points of 10,000 seeds" in TEXT
    assert "in all five columns" in TEXT


def test_two_tables_of_the_same_trials_differ():
    one, other = (pd.read_csv(PUBLISHED / f"raste_table{n}.csv") for n in (3, 4))
    place = "dataset == 'california_housing' and algorithm == 'ffnn' and test_ratio == 0.2"
    for seed, column in (("model", "median"), ("data", "range")):
        a, b = (
            t.query(f"{place} and varied_seed == '{seed}'")[column].item() for t in (one, other)
        )
        assert a != b
        assert re.search(rf"{a:.4f} in one and {b:.4f}", TEXT)


def ranges(number, column="range", **place):
    """A column of one of paper 1's tables, by what is not held at `place`."""
    table = pd.read_csv(PUBLISHED / f"raste_table{number}.csv")
    names = ["dataset", "algorithm", "varied_seed", "test_ratio", "hyperparameters"]
    for name, value in place.items():
        table = table[table[name] == value]
    left = [name for name in names if name not in place and table[name].nunique() > 1]
    return table.set_index(left)[column]


def test_paper_1_side_claims_match_its_tables():
    page = (ROOT / "docs" / "papers" / "inherent-randomness.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith("| ")][2:]
    networks, restricted, forest, data_seeds, model_seeds, tuned = (
        line.split(" | ")[1] for line in lines
    )
    by_set = ranges(3, varied_seed="model").unstack("algorithm")
    trees = by_set[["rf", "gbm", "xgb"]]
    assert (by_set[["ffnn", "ffnn_res"]].min(axis=1) > trees.max(axis=1)).all()
    assert "on all four" in networks
    assert (by_set["ffnn_res"] > by_set["ffnn"]).sum() == (trees.idxmin(axis=1) == "rf").sum() == 3
    assert "3 of 4" in restricted
    assert "3 of 4" in forest
    steps = ranges(4, varied_seed="data").unstack("test_ratio").diff(axis=1).stack()
    assert steps[steps > 0].index.tolist() == [("xgb", 0.4)]
    assert "but for XGB from 0.3 to 0.4" in data_seeds
    by_ratio = ranges(4, varied_seed="model").unstack("test_ratio")
    times = by_ratio.max(axis=1) / by_ratio.min(axis=1)
    assert times[["rf", "xgb"]].max() < 1.65 < 2 < times[["ffnn", "gbm"]].min()
    for number in (*by_ratio.loc["gbm", [0.1, 0.4]], *by_ratio.loc["ffnn", [0.1, 0.2]]):
        assert f"{number:.4f}" in model_seeds
    iqrs = ranges(5, "iqr").unstack("hyperparameters")
    grown = (iqrs["tuned"] / iqrs["fixed"]).unstack("varied_seed")
    for seed, quote in (("model", "1.3 to 2.0"), ("data", "0.7 to 0.8")):
        assert f"{grown[seed].min():.1f} to {grown[seed].max():.1f}" == quote
        assert quote in tuned
        assert quote in STUDY
    wide = ranges(3).unstack("varied_seed")
    ratio = (wide["data"] / wide["model"]).unstack("algorithm")
    for name, part in (("trees", ["rf", "gbm", "xgb"]), ("networks", ["ffnn", "ffnn_res"])):
        low, high = ratio[part].min(axis=None), ratio[part].max(axis=None)
        quote = f"range {low:.2g} to {high:.2g} times"
        assert quote in STUDY, name


def test_paper_1_has_a_variation_that_is_not_range_by_median():
    page = (ROOT / "docs" / "papers" / "inherent-randomness.md").read_text(encoding="utf-8")
    table = pd.read_csv(PUBLISHED / "raste_table3.csv")
    ratio = table["range"] / table["median"]
    off = table[(ratio - table["relative_variation"]).abs() > 0.0011]
    assert off[["dataset", "algorithm", "varied_seed"]].to_numpy().tolist() == [
        ["bike_sharing", "ffnn_res", "model"]
    ]
    quote = f"{off['relative_variation'].item():.3f}, range over median {ratio[off.index[0]]:.3f}"
    assert quote in re.sub(r"\s+", " ", page)


def test_a_row_of_the_table_is_the_majority_class():
    rows = pd.read_csv(PUBLISHED / "ir_table4_bootstrap.csv")
    row = rows.query("dataset == 'liar' and model == 'roberta'").iloc[0]
    share = row["accuracy_mean"]  # always the class of this share: macro averages of two classes
    expected = {"precision": share / 2, "recall": 0.5, "f1": share / (1 + share)}
    for name, value in expected.items():
        assert row[f"{name}_mean"] == pytest.approx(value, abs=0.006)
    assert f"(.67, .335, .50, {expected['f1']:.3f})".replace("0.", ".") in TEXT


def test_the_accuracies_of_paper_3_are_those_of_8018_items():
    """Its test set is not CIFAR-10's own, which holds 8,000 images of the eight classes."""
    ranges = pd.read_csv(PUBLISHED / "banerjee_table2_accuracy_ranges.csv")
    of_models = ranges[[name for name in ranges if "accuracy_m" in name]].to_numpy().ravel()
    models = pd.read_csv(PUBLISHED / "banerjee_table4_models.csv")["validation_accuracy"]
    printed = np.concatenate([of_models, models])

    def fits(items):
        return (np.abs(np.round(printed * items / 100) * 100 / items - printed) < 0.00051).all()

    assert [items for items in range(500, 16_000) if fits(items)] == [PAPER_ITEMS]
    page = (ROOT / "docs" / "papers" / "training-variability.md").read_text(encoding="utf-8")
    assert f"{PAPER_ITEMS:,}" in page


def anchors(text):
    """Anchors that GitHub creates for the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.S), flags=re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


PAGES = [
    *(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "examples"),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "config/README.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_have_targets(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for link, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?[^)]*\)", text):
        if "://" in link:
            continue
        target = page.parent / link if link else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{link}#{anchor}"
