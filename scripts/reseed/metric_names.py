"""What the name of a metric says: its direction, and whether it is a share that reads in points.

Names are read word by word, so `test_accuracy`, `eval/f1-score` and `mean_squared_error` are
known; a name that says both or nothing (`accuracy_loss`, `score`) is not.
"""

import re

_UP = set(
    "accuracy acc auc auroc auprc f1 precision recall sensitivity specificity ap map r2 bleu "
    "rouge dice iou jaccard kappa mcc top1 top5 ndcg mrr likelihood reward winrate".split()
)
_DOWN = set(
    "mse mae rmse mape loss logloss error brier ece perplexity ppl nll wer cer regret "
    "misclassification deviance rmsle".split()
)
#: Means of per-item hits and areas below curves: within [0, 1], read in points (× 100).
_SHARES = set(
    "accuracy acc auc auroc auprc f1 precision recall sensitivity specificity ap map dice iou "
    "jaccard top1 top5 ndcg mrr".split()
)


def _words(metric: str) -> set[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", metric)
    return set(re.split(r"[^a-z0-9]+", spaced.lower()))


def direction(metric: str) -> bool | None:
    """True where greater is better, False where less is, None where the name does not say."""
    words = _words(metric)
    up, down = bool(words & _UP), bool(words & _DOWN)
    if up == down:
        return None
    return up != bool(words & {"neg", "negative"})


def is_share(metric: str) -> bool:
    """Whether the metric is known to lie within [0, 1]."""
    words = _words(metric)
    return bool(words & _SHARES) and not words & (_DOWN | {"neg", "negative"})
