"""Title, direction and range of a metric, inferred from its name.

Names are read word by word, so `test_accuracy`, `eval/f1-score` and `mean_squared_error` are known.
A name is unknown if its words are contradictory or neutral (`accuracy_loss`, `score`), or if they
describe a function of a metric (`1 - AUC`, `accuracy_drop`, `auc_rank`).
"""

import re
import unicodedata

#: Largest share, which is 1, with rounding in single precision.
MAX_ROUNDED_SHARE = 1 + 1e-6

# Means of per-item hits, and areas under curves: within [0, 1], reported in points (× 100).
_SHARE = re.compile(
    "accuracy|acc|auc|auroc|aupr|auprc|rocauc|prauc|f1|f1score|precision|recall|sensitivity|specificity"
    r"|m?ap(\d\d)?|dice|m?iou|jaccard|top1|top5|ndcg|mrr|bpref|rprec|em|pass|hits"
)
_ROC_AUC = re.compile("auc|auroc|rocauc")
_UP = re.compile(
    rf"{_SHARE.pattern}|r2|bleu\d?|chrf|rouge(\d|l|lsum)?|kappa|mcc|likelihood|reward|return|psnr"
    "|ssim|pearson|spearman"
)
# Errors are never negative; other losses (of a log-likelihood or a bound) may be.
_ERROR = re.compile(
    "mse|mae|rmse|rmsle|mape|smape|mase|pinball|crps|logloss|err|error|misclassification|brier|ece"
    "|wer|cer|eer|perplexity|ppl"
)
_DOWN = re.compile(f"{_ERROR.pattern}|loss|nll|regret|deviance|fid|lpips|bpb")
# scikit-learn's scorers negate losses; `f1_negative` is the F1 of the negative class.
_NEGATION = re.compile("neg|negative")
_NEGATED = re.compile(rf"\b(neg|negative)\b(?! class).*\b({_DOWN.pattern}|likelihood)\b")
# Words for a function of a metric: its complement, its spread, its change, its part, its cost.
_DERIVED = re.compile(
    "minus|false|free|rank|gap|delta|diff|difference|drop|reduction|gain|improvement|ci|sd|std"
    "|stdev|stderr|se|sem|var|variance|weight|times?|runtime|duration|seconds|latency"
)
_DERIVED_PHRASE = re.compile(
    r"\b(standard error|error bars?|(epochs|steps|iterations|rounds) to)\b"
)
# `1 - AUC`, but not the hyphen of `1-shot accuracy`.
_MINUS = re.compile(
    r"(^|/)\s*(1|one)?\s*[-\u2212\u2013](?!(shot|nn|best|step|hop|vs|gram|hour|day)(?![a-z]))",
    re.IGNORECASE,
)
# Metrics of several words, which may contain a word of `_DERIVED`.
_PHRASES = [
    (re.compile(pattern, re.IGNORECASE), word)
    for pattern, word in (
        (r"spearman('s)?[\W_]*rank", "spearman"),
        (r"recip(rocal)?[\W_]*rank", "mrr"),
        (r"exact[\W_]*match", "em"),
        (r"\b(p@|(?-i:P)_)(?=\d)", "precision "),  # trec_eval writes P_10
        (r"\br@(?=\d)", "recall "),
    )
]
_LOGARITHM = re.compile("log|log2|log10|ln|db")


def split_words(metric: str) -> list[str]:
    """Split a name into words in lower case: `val loss` for `valLoss`.

    A word with capitals inside (`nDCG`) is also added as a whole.
    """
    plain = metric
    for phrase, word in _PHRASES:
        plain = phrase.sub(word, plain)
    plain = unicodedata.normalize("NFKC", plain).replace("^", "")
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", plain)
    words, whole = (re.findall(r"[a-z0-9]+", text.lower()) for text in (spaced, plain))
    return words + [word for word in whole if word not in words]


def _any(pattern: re.Pattern, metric: str) -> bool:
    return any(pattern.fullmatch(word) for word in split_words(metric))


def infer_direction(metric: str) -> bool | None:
    """Return True if greater is better, False if less is better, None if the name is unclear."""
    up, down = _any(_UP, metric), _any(_DOWN, metric)
    if up == down or _MINUS.search(metric) or _any(_DERIVED, metric):
        return None
    if _DERIVED_PHRASE.search(" ".join(split_words(metric))):
        return None
    if not _any(_NEGATION, metric):
        return up
    return down if _NEGATED.search(" ".join(split_words(metric))) else None


def has_metric_name(column: str) -> bool:
    """Whether the name contains a metric, also as part of another quantity (`acc_std`)."""
    return _any(_UP, column) or _any(_DOWN, column)


def is_share(metric: str) -> bool:
    """Whether the metric is known to be within [0, 1], with greater values better."""
    return _any(_SHARE, metric) and infer_direction(metric) is True


def is_roc_auc(metric: str) -> bool:
    """Whether the metric is the area under the ROC curve, of which 0.5 is guessing."""
    words = split_words(metric)
    is_other = {"pr", "prc", "precision", "recall", "lift", "learning"} & set(words)
    return any(_ROC_AUC.fullmatch(word) for word in words) and not is_other


def is_error(metric: str) -> bool:
    """Whether the metric, or its negation, is known to be at least 0, with 0 best."""
    plain = re.sub("log loss|squared log error", "logloss", " ".join(split_words(metric)))
    known = _any(_ERROR, plain) and not _any(_LOGARITHM, plain)
    return known and infer_direction(metric) is not None


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
_PERCENTS = (5, 10, 25, 50, 75, 90, 95)
#: Metrics from counts of hits; for one class, and as the mean over classes.
COUNT_METRICS = ("precision", "recall", "f1")
_AVERAGED = [f"macro_{name}" for name in COUNT_METRICS]
#: Built-in metric → tasks for which it is defined.
TASKS_BY_METRIC = {
    **dict.fromkeys(["mse", "rmse", "mae", "r2"], ("regression",)),
    **{f"pinball_{percent:02d}": ("regression",) for percent in _PERCENTS},
    **dict.fromkeys(["auc", "average_precision", *COUNT_METRICS], ("binary",)),
    **dict.fromkeys(
        ["accuracy", "balanced_accuracy", "log_loss", "brier", "ece", "mcc", *_AVERAGED],
        ("binary", "multiclass"),
    ),
    **dict.fromkeys(["quadratic_kappa", "macro_auc"], ("multiclass",)),
}

#: Built-in metrics that are computed only if a dataset names them.
ON_REQUEST = frozenset(filter(_PINBALL.fullmatch, TASKS_BY_METRIC))


def metric_title(metric: str) -> str:
    """Return the title of a metric; the title of a custom metric is its name."""
    pinball = _PINBALL.fullmatch(metric)
    if pinball:
        return f"Pinball loss at {int(pinball[1]) / 100:g}"
    return _TITLES.get(metric, metric)


def metric_title_in_text(metric: str) -> str:
    """Return the title for use in a sentence: `log loss`, but `AUC`, `Brier score`, `my_Metric`."""
    text = metric_title(metric)
    first = text.split()[0]
    is_word = len(first) > 2 and first[1:].islower() and first not in ("Brier", "Matthews")
    return text[0].lower() + text[1:] if is_word and text != metric else text
