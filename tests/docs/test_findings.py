"""Claims of docs/findings.md about published tables, recomputed from the tables."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from finding_values import ValuesFile
from findings import read_findings, render_page
from papers.banerjee.trimming import PAPER_ITEMS
from pydantic import ValidationError
from reseed.stats.extremes import gaussian_range_interval
from scipy import stats

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "config" / "published"
TEXT = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
MEASURED = (ROOT / "docs" / "measured.md").read_text(encoding="utf-8")
SOURCE = ROOT / "docs" / "findings"
FINDINGS = {finding.record.name: finding for finding in read_findings(SOURCE)}


def values(name):
    """Values of a finding's estimates."""
    return [estimate.value for estimate in FINDINGS[name].claim.estimates]


def test_page_equals_its_source():
    assert render_page(SOURCE) == TEXT


def test_findings_name_existing_exhibits():
    studies = [
        path.read_text(encoding="utf-8") for path in (ROOT / "config/studies").glob("*.yaml")
    ]
    for name, finding in FINDINGS.items():
        assert any(f"\n  {finding.record.exhibit}:" in study for study in studies), name


def test_verdicts_follow_from_the_intervals():
    verdicts = {name: finding.evidence.verdict for name, finding in FINDINGS.items()}
    assert verdicts["splits_over_seeds_trees"] == "supported"
    networks = FINDINGS["splits_over_seeds_networks"].evidence
    assert (len(networks.settings), networks.inside, networks.outside) == (10, 7, 0)
    assert verdicts["protocol_error"] == "contradicted"
    assert verdicts["corrected_error"] == "supported"
    assert verdicts["protocol_order"] == "not yet"
    for name in ("pretraining", "seed_over_test_set_transformers"):
        assert verdicts[name] == "not comparable"
        assert FINDINGS[name].limits


def test_intervals_of_sd_ratios_are_those_of_the_f_test():
    finding = FINDINGS["tuning"]
    for estimate in finding.claim.estimates:
        f = (estimate.value / np.array([estimate.high, estimate.low])) ** 2
        assert stats.f.cdf(f, 9, 49) == pytest.approx([0.025, 0.975], abs=1e-6)


def measured(name):
    """A table of docs/measured."""
    return pd.read_csv(ROOT / "docs" / "measured" / f"{name}.csv", dtype=str)


def sds():
    """Measured SDs by dataset, model and varied seed, from an SD or an expected range."""
    found, quantile = {}, stats.studentized_range.ppf(0.975, 50, 49)
    for row in measured("smaller_searches").itertuples():
        found[row.dataset.partition(", ")[0], row.model, row.seed_varied] = float(row.sd)
    for row in measured("xgb_500_candidates").itertuples():
        high = float(row.range_expected_95.split(" to ")[1])
        found[row.dataset.partition(", ")[0], "XGB", row.seed_varied] = high / quantile
    return found


def test_sd_ratios_agree_with_the_measurements():
    known, compared = sds(), 0
    table = pd.read_csv(SOURCE / "sd_ratios.csv")
    for row in table.itertuples():
        place = row.dataset.replace("9573", "9,573")
        if (place, row.model, "data") in known:
            ratio = known[place, row.model, "data"] / known[place, row.model, "model"]
            assert row.ratio == pytest.approx(ratio, rel=0.08), (row.dataset, row.model)
            compared += 1
    assert compared >= 18


def test_published_extremes_are_those_of_gaussian_samples():
    rows = pd.read_csv(PUBLISHED / "picard_tables.csv")
    assert len(rows) == 5
    for row in rows.itertuples():
        low, high = gaussian_range_interval(row.seeds)
        assert low * row.std <= row.max - row.min <= high * row.std, (row.dataset, row.training)
    short = rows[rows["seeds"] == 10_000].iloc[0]
    assert f"{short['max'] - short['min']:.2f} points of 10,000 seeds" in TEXT
    for estimate in FINDINGS["black_swans_published"].claim.estimates:
        assert estimate.low < 1 < estimate.high


def test_two_tables_of_the_same_trials_differ():
    one, other = (pd.read_csv(PUBLISHED / f"raste_table{n}.csv") for n in (3, 4))
    place = "dataset == 'california_housing' and algorithm == 'ffnn' and test_ratio == 0.2"
    for seed, column in (("model", "median"), ("data", "range")):
        a, b = (
            t.query(f"{place} and varied_seed == '{seed}'")[column].item() for t in (one, other)
        )
        assert a != b
        assert re.search(rf"{a:.4f}(?: in one)? and {b:.4f}", TEXT)


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
    lines = [line for line in page.splitlines() if line.startswith("| ") and line.count("|") == 4]
    networks, restricted, forest, data_seeds, model_seeds, tuned = (
        line.split(" | ")[1] for line in lines[2:] if not line.startswith("| ---")
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
        assert quote in FINDINGS["tuning"].record.published
    wide = ranges(3).unstack("varied_seed")
    ratio = (wide["data"] / wide["model"]).unstack("algorithm")
    for name, part in (("trees", ["rf", "gbm", "xgb"]), ("networks", ["ffnn", "ffnn_res"])):
        low, high = ratio[part].min(axis=None), ratio[part].max(axis=None)
        quote = f"range {low:.2g} to {high:.2g} times"
        assert quote in FINDINGS[f"splits_over_seeds_{name}"].record.published


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
    churn = pd.read_csv(PUBLISHED / "banerjee_table3_pairwise_churn.csv")
    for low, high in (churn[["churn_min", "churn_max"]] / PAPER_ITEMS).to_numpy():
        assert f"| {low:.3f}–{high:.3f} |" in MEASURED


def test_statements_of_paper_5_on_transformers_are_not_decided():
    """Its statement is that their seed outweighs the test set; only classical models were run."""
    page = (ROOT / "docs" / "papers" / "ir-consistency.md").read_text(encoding="utf-8")
    transformers = FINDINGS["seed_over_test_set_transformers"]
    for text in (page, transformers.record.published, MEASURED):
        assert "over 0.075 in 9 of 11" in re.sub(r"\s+", " ", text)
    part = MEASURED.split("## Paper 5")[1].split("\n## ")[0]
    rows = [line.split("|") for line in part.splitlines() if re.match(r"\| .*\| \d+ \|", line)]
    ratios = [float(cells[5]) / float(cells[6]) for cells in rows]
    assert len(ratios) == 9
    assert max(ratios) < 1
    found = values("seed_over_test_set_transformers") + values("seed_over_test_set_classical")
    assert sorted(found) == pytest.approx(sorted(ratio for ratio in ratios if ratio))
    assert "8 of 8 cells" in page


def test_remaining_spread_is_quoted_with_its_interval():
    """An estimate of 32 % of a variance, whose interval as an SD holds the observed one."""
    part = MEASURED.split("## Paper 2")[1].split("\n## ")[0]
    entries = FINDINGS["pretraining"].claim.estimates
    for start, entry in zip(("| ResNet-9", "| Head on"), entries, strict=True):
        line = next(line for line in part.splitlines() if line.startswith(start))
        numbers = re.findall(r"[\d.]+", line.strip("| ").split(" | ")[-1])
        assert [float(n) for n in numbers] == [entry.value, entry.low, entry.high]


def test_findings_quote_the_measurements():
    for row in measured("images").itertuples():
        assert f"| {row.what} | {row.seeds} |" in MEASURED
        assert f"| {row.range_in_sd} |" in MEASURED
    cells = [[cell.strip() for cell in line.split("|")] for line in MEASURED.splitlines()]
    for row in measured("texts").itertuples():
        shown = [row.model, row.seeds, row.f1_mean, row.sd, row.bootstrap_sd, row.distinct]
        assert shown in [line[2:8] for line in cells]


def inside(name, is_network=None):
    """(published ranges in their expected interval, published ranges) of a table."""
    rows = measured(name).dropna(subset="range_published")
    if is_network is not None:
        rows = rows[rows["model"].str.startswith("FFNN") == is_network]
    ends = rows["range_expected_95"].str.split(" to ", expand=True).astype(float)
    return rows["range_published"].astype(float).between(ends[0], ends[1]).sum(), len(rows)


def test_published_ranges_are_counted_from_the_tables():
    groups = measured("published_ranges").set_index("group").astype(int)
    counts = dict(zip(groups.index, groups[["inside", "ranges"]].to_numpy().tolist(), strict=True))
    assert counts["RF and GBM, 500 candidates"] == list(inside("trees_500_candidates"))
    assert counts["untuned networks"] == list(inside("smaller_searches", is_network=True))
    reduced = measured("reduced_search")["inside"] == "yes"
    assert counts["RF, GBM and XGB, 25 candidates"] == [reduced.sum(), len(reduced)]
    count, n = inside("xgb_500_candidates")  # the others are the ratios 0.1, 0.3 and 0.4
    others = (measured("xgb_test_ratios")["test_ratio"] != "0.2").sum() * 2
    assert counts["XGB, 500 candidates"] == [count + others, n + others]
    total = groups.iloc[:2][["inside", "ranges"]].sum()
    assert f"{total['inside']} of {total['ranges']} published ranges" in MEASURED


def test_alpha_information_has_the_n_and_power_of_its_design():
    """Each run is measured against all others, so n is the number of runs of an arm."""
    study = yaml.safe_load((ROOT / "docs/gallery/training_variability_cpu.yaml").read_text("utf-8"))
    arms = study["experiments"]["arms"]["arms"].values()
    counts = {seeds["count"] for arm in arms for seeds in arm["seeds"].values()}
    finding = FINDINGS["alpha_information"]
    assert counts == set(finding.claim.rows["n"]) == {30}
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)  # of Fisher's z, three controls
    found = f"{np.tanh(z / np.sqrt(30 - 3 - 3)):.2f}"
    page = (ROOT / "docs" / "papers" / "training-variability.md").read_text(encoding="utf-8")
    assert f"{found} would be found with a power of 80 %" in re.sub(r"\s+", " ", page)


def test_estimates_of_findings_come_from_files():
    """No estimate is written beside a statement, and each has an n and an interval or a reason."""
    records = yaml.safe_load((SOURCE / "records.yaml").read_text("utf-8"))["records"]
    for record in records:
        assert "estimates" not in record
        assert all(str(values["name"]).endswith(".csv") for values in record["values"])
    for name, finding in FINDINGS.items():
        assert (finding.claim.rows["n"] >= 1).all()
        known = [estimate.has_interval for estimate in finding.claim.estimates]
        assert all(known) or "no interval" in finding.limits, name


def test_values_of_findings_need_what_their_method_reads():
    fields = {"name": "a.csv", "subject": "a", "value": "x", "n": 5}
    for method, missing in (("ratio", "low, high"), ("correlation", "controls")):
        with pytest.raises(ValidationError, match=f"needs {missing}"):
            ValuesFile(**fields, method=method)
    with pytest.raises(ValidationError, match="Extra inputs"):
        ValuesFile(**fields, method="share", lows="low")


def test_undecided_findings_say_what_would_decide_them():
    """A number in a sentence is computed; only words remain in notes and limits."""
    for name, finding in FINDINGS.items():
        decided = finding.evidence.verdict in ("supported", "contradicted", "mixed")
        assert decided or finding.limits, name
        for field in ("note", "limits", "cannot_tell"):
            assert not re.search(r"\d", getattr(finding.record, field)), (name, field)


def test_statements_are_those_of_the_studies():
    """A record that tests a statement of a study has its wording and limits."""
    loose = {"splits_over_seeds_trees", "splits_over_seeds_networks", "tuning"}  # parts of one
    for name, finding in FINDINGS.items():
        for place in finding.record.study:
            study, exhibit, claim = place.split("/")
            config = yaml.safe_load((ROOT / f"config/studies/{study}.yaml").read_text("utf-8"))
            found = config["exhibits"][exhibit]["statements"]
            statement = next(one for one in found if one["claim"] == claim)
            for end in ("above", "below"):
                assert getattr(finding.record, end) == statement.get(end), (name, end)
            if name not in loose:
                assert finding.record.statement == statement["text"], name


def test_findings_agree_with_the_protocol_page():
    page = (ROOT / "docs" / "papers" / "deterministic-protocol.md").read_text(encoding="utf-8")
    lines = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("|")]
    table = [[cell.strip() for cell in line] for line in lines if len(line) == 7][2:]
    bbc, digits = ({row[1]: row[2:] for row in part} for part in (table[:3], table[3:]))
    one, written, corrected = bbc
    for name, rule in (("protocol_error", written), ("corrected_error", corrected)):
        for entry, rows in zip(FINDINGS[name].claim.estimates, (bbc, digits), strict=True):
            percents = [float(n) for n in re.findall(r"[\d.]+", rows[rule][3])]
            known = [100 * end for end in (entry.value, entry.low, entry.high)]
            assert percents == pytest.approx(known, abs=0.051)
    for name, rule in (("protocol_order", written), ("single_run_order", one)):
        shares = [float(rows[rule][0].split(" ")[0]) for rows in (bbc, digits)]
        assert shares == pytest.approx([100 * value for value in values(name)])
    [cost] = values("protocol_cost")
    assert {rows[written][4] for rows in (bbc, digits)} == {f"{cost:g}"}


def anchors(text):
    """Anchors that GitHub creates for the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.S), flags=re.M)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


PAGES = [
    *(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "examples"),
    *(ROOT / "scripts" / "papers").glob("*/README.md"),
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
