"""What the name of a metric says: its title, its direction, whether it is a share (in points).

Names are read word by word, so `test_accuracy`, `eval/f1-score` and `mean_squared_error` are
known; a name that says both or nothing (`accuracy_loss`, `score`) is not.
"""

import re

# Means of per-item hits and areas below curves: within [0, 1], read in points (× 100).
_SHARE = re.compile(
    "accuracy|acc|auc|auroc|auprc|f1|precision|recall|sensitivity|specificity|ap|map|dice|iou"
    "|miou|jaccard|top1|top5|ndcg|mrr|em|pass|hits"
)
_UP = re.compile(
    f"{_SHARE.pattern}|r2|bleu|chrf|rouge|kappa|mcc|likelihood|reward|return|psnr|ssim|pearson"
    "|spearman"
)
_DOWN = re.compile(
    "mse|mae|rmse|rmsle|mape|pinball|loss|logloss|error|misclassification|brier|ece|perplexity|ppl|nll"
    "|wer|cer|eer|regret|deviance|pinball|smape|mase|crps|fid|bpb"
)
_NEGATED = re.compile("neg|negative")


def _words(metric: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", metric)
    return re.split(r"[^a-z0-9]+", spaced.lower())


def _any(pattern: re.Pattern, metric: str) -> bool:
    return any(pattern.fullmatch(word) for word in _words(metric))


def direction(metric: str) -> bool | None:
    """True where greater is better, False where less is, None where the name does not say."""
    up, down = _any(_UP, metric), _any(_DOWN, metric)
    return None if up == down else up != _any(_NEGATED, metric)


def is_share(metric: str) -> bool:
    """Whether the metric is known to lie within [0, 1] and to be better the greater it is."""
    return _any(_SHARE, metric) and not _any(_DOWN, metric) and not _any(_NEGATED, metric)


_TITLES = {
    "macro_precision": "Precision, mean over classes",
    "macro_recall": "Recall, mean over classes",
    "macro_f1": "F1, mean over classes",
    "mse": "MSE",
    "rmse": "RMSE",
    "mae": "MAE",
    "r2": "R²",
    "auc": "AUC",
    "average_precision": "Average precision",
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "log_loss": "Log loss",
    "brier": "Brier score",
    "ece": "Expected calibration error",
    "mcc": "Matthews correlation",
    "quadratic_kappa": "Quadratic kappa",
    "macro_auc": "AUC, mean over classes",
}
_PINBALL = re.compile(r"pinball_(\d\d)")


def title(metric: str) -> str:
    """A metric's title; that of a metric of the user's own is its name."""
    pinball = _PINBALL.fullmatch(metric)
    if pinball:
        return f"Pinball loss at {int(pinball[1]) / 100:g}"
    return _TITLES.get(metric, metric)


def title_in_text(metric: str) -> str:
    """The title within a sentence: `log loss`, but `AUC`, `Brier score`, and a user's own name."""
    found = title(metric)
    first = found.split()[0]
    lowered = len(first) > 2 and first[1:].islower() and first not in ("Brier", "Matthews")
    return found[0].lower() + found[1:] if lowered and found != metric else found
