"""Sentences of reports that said more than their numbers: each has tests that fail with it.

`TESTS` lists the tests of each sentence, by file and name; those that no other file has are below.
"""

import ast
import csv
from pathlib import Path

import pytest
import yaml
from papers.banerjee import gap_distribution, gap_figure, trimming, trimming_summary, trimming_table
from reseed.report.exhibits import seed_choice_table
from run_kinds import draw
from test_seed_choice import data as seed_choices
from trimmed_study import make

FIXTURES = (make, seed_choices)
ROOT = Path(__file__).parents[2]
FOLDS = "report/exhibits/test_fold_exhibits.py"
CHOICE = "report/exhibits/test_seed_choice.py"
HERE = "papers/test_sentences_of_reports.py"
REFUSALS = "comparison/claims/test_claim_refusals.py"
CLAIMS = "comparison/claims/test_claims.py"
TRIMMING = "papers/banerjee/test_trimming_exhibits.py"
RANGES = "papers/raste/test_raste_exhibits.py"
TESTS = {
    "costs 56 to 70 times a single run": [
        (FOLDS, "test_costs_are_those_of_the_protocol_as_written"),
    ],
    "two error rates in one row, unexplained": [
        (FOLDS, "test_both_error_rates_are_explained"),
    ],
    "as far apart as Gaussian draws": [
        (REFUSALS, "test_equality_without_a_test_of_it_is_refused"),
        (
            "papers/picard/test_picard_exhibits.py",
            "test_a_range_not_shown_to_be_wide_states_power_and_test_set",
        ),
        (HERE, "test_the_question_on_pretraining_has_an_answer"),
    ],
    "SD is 4e-15, median of 5 pairs": [
        ("papers/ir/test_ir_exhibits.py", "test_scores_that_do_not_vary_enter_no_ratio"),
        (REFUSALS, "test_an_extent_is_of_one_metric_that_varies"),
        (CLAIMS, "test_degenerate_rows_are_not_pooled"),
    ],
    "24 seeds, of which 12 are used": [
        (HERE, "test_figures_and_tables_of_arms_have_one_n"),
        (REFUSALS, "test_an_n_of_other_rows_is_refused"),
        (TRIMMING, "test_measured_runs_are_told_from_references"),
    ],
    "41 of 60, best by test accuracy, 0.13 points worse, -0.00": [
        (CHOICE, "test_a_shared_best_accuracy_has_no_best_model"),
        (CHOICE, "test_a_small_negative_gain_is_not_printed_as_minus_zero"),
        (HERE, "test_the_cost_of_choosing_is_not_pooled_over_datasets"),
    ],
    "means said, medians drawn; arms and metrics pooled; pairs without spread": [
        (CLAIMS, "test_the_figure_draws_the_centre_that_its_claims_state"),
        ("papers/banerjee/test_pairwise_churn.py", "test_every_arm_of_figure_10_has_its_own_claim"),
        (RANGES, "test_published_medians_are_pooled_by_metric"),
        (RANGES, "test_the_claim_counts_the_rows_of_the_table"),
        ("report/exhibits/test_item_pairs_exhibits.py",
         "test_pairs_without_seed_spread_have_no_share_of_the_seeds"),
        (RANGES, "test_larger_ranges_come_with_the_intervals_of_sds"),
        (TRIMMING,
         "test_tried_sizes_are_named_where_none_is_reliable"),
    ],
    "exhibits omitted without a word": [
        (HERE, "test_omitted_exhibits_are_declared"),
        ("docs/test_paper_pages.py", "test_table_of_exhibits_is_that_of_the_coverage_file"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("sentence", TESTS)
def test_every_sentence_has_its_tests(sentence):
    for file, name in TESTS[sentence]:
        tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, name


def test_the_question_on_pretraining_has_an_answer():
    study = yaml.safe_load((ROOT / "config/studies/seed_3407.yaml").read_text(encoding="utf-8"))
    exhibit = study["exhibits"]["paper_size"]
    assert study["analyses"][exhibit["analysis"]]["options"] == {"test_items": 10_000}
    statement = exhibit["statements"][-1]
    assert statement["claim"] == "ratio_at_paper_size"
    assert statement["below"] == 1


def test_figures_and_tables_of_arms_have_one_n(make):
    """Every run counts, also those that are references of α̂ only."""
    gaps, arms = make(gap_distribution), make(trimming_summary)
    _, figure = draw(gap_figure, gaps, {})
    table = draw(trimming_table, arms, {})
    assert set(figure.frame["n"]) == set(table.raw["n"]) == {24}
    assert {claim.sample.text for claim in (*figure.claims, *table.claims)} == {"24 runs"}
    runs = make(trimming).statistics
    candidates = runs[runs["reason"] == ""].groupby("arm")["accuracy"]
    assert set(candidates.size()) == {12}
    sds = arms.statistics[arms.statistics["reason"] == ""].set_index("arm")["accuracy_sd"]
    assert (sds - candidates.std()).abs().min() > 1e-6


def test_the_cost_of_choosing_is_not_pooled_over_datasets(seed_choices):
    claims = {claim.name: claim for claim in draw(seed_choice_table, seed_choices, {}).claims}
    cost = claims["selection_optimism"]
    assert cost.statistics == frozenset()
    assert "median" not in cost.text + cost.heading
    ends = [f"{100 * value:.2f}" for value in (cost.rows["optimism"].agg(["min", "max"]))]
    assert f"{ends[0]} to {ends[1]} points" in cost.text.replace("−", "-")


@pytest.mark.parametrize(
    ("paper", "omitted"),
    [("picard", ["Table 2", "Figure 4", "Figure 5", "Figure 6"]), ("ir", ["BoolQ"])],
)
def test_omitted_exhibits_are_declared(paper, omitted):
    with (ROOT / "scripts/papers" / paper / "exhibits.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    for exhibit in omitted:
        found = [row for row in rows if exhibit in f"{row['exhibit']} {row['note']}"]
        assert found, exhibit
        assert all(row["note"] for row in found if row["status"] != "made")
