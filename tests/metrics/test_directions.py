"""Directions of metrics that only tables have; those of trainings are in `test_metrics`."""

import pytest
from reseed.metrics.directions import infer_direction, is_metric_name

UP = (
    "Brier skill score|RMSE skill|mse_skill_score|object detection mAP|change detection F1|"
    "covariate shift accuracy|5-fold accuracy|10-shot acc|P@5|token accuracy|hit ratio|"
    "length-controlled win rate|negative loss|neg_mean_squared_error"
)
UP += "|resolved|resolved rate"
DOWN = "err@1|margin loss|cross_entropy|entropy loss|cost per query|total cost|train cost|mse_train"
#: Functions of a metric, or better for one side only: the user says which way is better.
UNKNOWN = (
    "inverse accuracy|accuracy degradation|accuracy decline|forget accuracy|reward hacking rate|"
    "accuracy disparity|AUC inequality|accuracy range|accuracy spread|accuracy iqr|"
    "accuracy p-value|pearson_pvalue|spearman_p|bleu length ratio|accuracy change|"
    "accuracy shift|accuracy threshold|"
    "acc lower bound|regret bound|reward cost|cost return|pass cost|tokens per pass|error budget|"
    "error tolerance|loss_scale|error detection rate|error correction rate|inverse MSE|1/MSE|"
    "100-accuracy|accuracy^-1|membership inference accuracy|MIA AUC|backdoor accuracy|self-BLEU|"
    "ERR@20|unlearning accuracy"
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, True) for name in UP.split("|")),
        *((name, False) for name in DOWN.split("|")),
        *((name, None) for name in UNKNOWN.split("|")),
    ],
)
def test_direction(name, expected):
    assert infer_direction(name) is expected


@pytest.mark.parametrize("name", UNKNOWN.split("|"))
def test_a_function_of_a_metric_is_no_name_of_a_metric(name):
    assert not is_metric_name(name)
