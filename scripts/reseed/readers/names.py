"""The one list of names: headings that say what a column is, and metrics with a direction.

A name is compared as a whole, in lower case with `_` for other signs; `X_name` and `X_id` count as
X where they have one meaning. Parts of names decide nothing. A role by name holds only if the
values fit (`roles`). Everything else is asked.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from reseed.metrics.names import TASKS_BY_METRIC

_NAMES = {
    "model": "model algorithm algo alg method classifier learner estimator system pipeline "
    "approach agent flow wflow framework architecture arch network regressor ranker retriever "
    "recommender forecaster llm",
    "dataset": "dataset data_set task tasks benchmark env environment data",
    "seed": "seed random_seed train_seed training_seed model_seed random_state",
    "data_seed": "data_seed split_seed split",
    "fold": "fold cv_fold resample",
    "repeat": "repeat",
    "repetition": "repetition rep replicate run trial attempt rollout sample_index sample_idx",
    "item": "item sample_id example instance question query qid topic row case document",
    "prompt": "prompt template",
    "cluster": "cluster",
    "people": "human people human_score human_label human_rating",
    "metric": "metric measure function",
    "value": "value score estimate result",
    "status": "status state",
    "n_train": "n_train train_rows train_size",
    "n_test": "n_test test_rows test_size",
    "mean": "mean",
    "sd": "sd std stdev std_dev",
    "se": "se sem stderr std_err std_error standard_error",
    "n": "n n_runs runs count seeds n_seeds",
    "y_true": "y_true y target label truth ground_truth actual gold",
    "y_score": "y_score y_prob probability prob",
    "y_pred": "y_pred prediction predicted pred",
    "step": "step steps epoch timestep timesteps global_step",
}
#: Reseed's name of a column → headings that say it.
NAMES = {role: tuple(names.split()) for role, names in _NAMES.items()}
#: Roles whose names also count with `_id`, but for names with two meanings: `task_id` names
#: datasets in OpenML and items in HumanEval.
_WITH_ID = {"model", "dataset", "item", "fold", "repeat", "prompt", "cluster"}
_TWO_MEANINGS = {"task", "data", "sample"}
#: Roles whose names also count with `_name`: the name of a run is no run column.
_WITH_NAME = {"model", "dataset", "metric", "item", "prompt", "cluster"}
#: Roles that the last part of a heading does not name: `acc.test.mean` is an accuracy.
_WHOLE = {"mean", "sd", "se", "n"}
#: Columns that identify the runs of one model on one dataset.
RUN_COLUMNS = ["data_seed", "repeat", "fold", "seed"]
#: Those, and evaluations of one trained model, which are averaged or are runs of their own.
ALL_RUN_COLUMNS = [*RUN_COLUMNS, "repetition"]
#: Columns of the long table that a user may name.
COLUMNS = [
    "model", "dataset", *ALL_RUN_COLUMNS, "metric", "value", "status", "n_train", "n_test", "item",
    "prompt", "cluster", "people", "y_true", "y_score", "y_pred", "mean", "sd", "se", "n", "step",
]  # fmt: skip
#: Values of a column, or last words of headings, that name parts of the data; they only ask.
PARTS = {"train", "training", "test", "val", "valid", "validation", "dev", "eval"}

_UP = (
    "accuracy acc auc roc roc_auc auroc auc_roc pr_auc auprc average_precision ap f1 f1_score "
    "precision recall sensitivity sens specificity spec mcc kappa quadratic_kappa "
    "balanced_accuracy bal_accuracy r2 r2_score rsq r_squared explained_variance bleu sacrebleu "
    "rouge rouge1 rouge2 rougel chrf meteor map ndcg mrr dice iou miou jaccard correct is_correct "
    "passed hit hits win_rate success_rate exact_match em pass_rate pass acc_norm psnr ssim "
    "return reward likelihood pearson spearman predictive_accuracy main_score"
)
_DOWN = (
    "rmse mse mae mape smape mase rmsle loss log_loss logloss cross_entropy nll deviance regret "
    "perplexity ppl brier brier_score brier_class error err error_rate wer cer ter ece crps fid "
    "lpips pinball mean_squared_error root_mean_squared_error mean_absolute_error "
    "median_absolute_error mean_absolute_percentage_error"
)
#: Metric → whether greater is better.
METRICS = dict.fromkeys(_UP.split(), True) | dict.fromkeys(_DOWN.split(), False)
#: Words around the name of a metric that change nothing: `test_acc`, `val/f1`, `acc_mean`.
_AROUND = PARTS | set(
    ["mean", "median", "max", "best", "final", "epoch", "macro", "micro", "weighted", "score"]
)
_UP_ARROW = r"[↑⬆▲🔼🡅]|\\uparrow|\b(?:higher|greater|more|larger) is better\b"
_DOWN_ARROW = r"[↓⬇▼🔽🡇]|\\downarrow|\b(?:lower|less|smaller) is better\b"
_OPTUNA = re.compile(r"^(params|user_attrs)_")
_STATEMENT = re.compile(rf"\s*[(\[$]*\s*(?:{_UP_ARROW}|{_DOWN_ARROW})\ufe0f?\s*[)\]$]*", re.I)
#: First words of a warning that a direction contradicts the name of its metric.
AGAINST = "Against its name"


@lru_cache(maxsize=65_536)
def normalize_name(heading: str) -> str:
    """A heading in lower case, its words joined by `_`; no arrow."""
    text = _STATEMENT.sub(" ", str(heading)).replace("²", "2")
    text = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", "_", text)
    return re.sub(r"[^\w@]+|_+", "_", text.lower()).strip("_")


def list_variants(heading: str) -> list[str]:
    """The heading whole, then as trackers write it: the part after `/`, `:`, `.` or `params_`."""
    text = str(heading).strip()
    tail = re.split(r"[/:]", text)[-1]
    parts = [text, tail, *([tail.rsplit(".", 1)[-1]] if "." in tail else [])]
    parts.append(_OPTUNA.sub("", text))
    return list(dict.fromkeys(filter(None, map(normalize_name, parts))))


def find_role(heading: object) -> str:
    """Reseed's name of a column; empty if its heading is no name."""
    return rank_role(str(heading))[0]


@lru_cache(maxsize=65_536)
def rank_role(heading: str) -> tuple[str, float]:
    """As `find_role`, and the rank among the names of it."""
    for text in list_variants(heading):
        for role, names in NAMES.items():
            if role in _WHOLE and text != normalize_name(heading):
                continue
            for rank, name in enumerate(names):
                has_id = text == f"{name}_id" and role in _WITH_ID and name not in _TWO_MEANINGS
                has_name = text == f"{name}_name" and role in _WITH_NAME
                if text == name or has_id or has_name:
                    return role, rank + 0.5 * has_id
    return "", 0.0


def read_arrow(heading: str) -> bool | None:
    """What a heading itself states: `RMSE ↓`, `Acc (higher is better)`; None if nothing."""
    up, down = (re.search(one, str(heading), re.I) for one in (_UP_ARROW, _DOWN_ARROW))
    return None if bool(up) == bool(down) else bool(up)


def strip_arrow(heading: str) -> str:
    """A heading without an arrow or the words of a direction."""
    return _STATEMENT.sub(" ", heading).strip() or heading


class Known(NamedTuple):
    """A metric of the list, and whether greater of this heading is better."""

    name: str
    greater: bool


@lru_cache(maxsize=65_536)
def find_metric(heading: str) -> Known | None:
    """The metric that a heading names as a whole; `neg_` turns it. None if it is on no list."""
    for whole in list_variants(heading):
        plain = re.sub(r"(^|_)top_?\d+(?=_|$)", "", whole) or "accuracy"  # `top-1`, `top5_error`
        words = re.sub(r"@.*", "", plain).strip("_").split("_")
        turned = words[0] in ("neg", "negative") and len(words) > 1
        words = words[turned:]
        while len(words) > 1 and words[0] in _AROUND:
            words = words[1:]
        while len(words) > 1 and "_".join(words) not in METRICS:
            if not (words[-1] in _AROUND or words[-1].isdigit()):
                break
            words = words[:-1]
        name = "_".join(words)
        if name in METRICS:
            return Known(name, METRICS[name] != turned)
    return None


def choose_direction(
    metric: str, requested: bool | None = None, stated: bool | None = None
) -> tuple[bool | None, str]:
    """Whether greater is better: the option, the heading's arrow or what a log states, the list.

    And what a reader must know about it. Raises ValueError if the option contradicts an arrow or a
    log.
    """
    arrow, known = read_arrow(metric), find_metric(metric)
    arrow = stated if arrow is None else arrow
    words = {True: "more", False: "less"}
    if arrow is not None:
        if requested not in (None, arrow):
            raise ValueError(
                f"the source states that {words[arrow]} of {metric!r} is better, and the opposite "
                "is requested"
            )
        return arrow, ""
    if known is None or requested in (None, known.greater):
        return requested if known is None else known.greater, ""
    return requested, (
        f"{AGAINST}, {words[not known.greater]} of {metric!r} is taken as better, as requested: by "
        f"the name {words[known.greater]} would be."
    )


def name_filtered(name: str) -> str:
    """A metric and filter of lm-eval: `acc` of `acc,none`, else `exact_match (strict-match)`."""
    metric, _, filter_name = name.partition(",")
    return metric if filter_name in ("", "none") else f"{metric} ({filter_name})"


#: Word before a number in a label → Reseed's column.
_RUN_WORDS = {name: role for role in ALL_RUN_COLUMNS for name in NAMES[role]}
_RUN_WORDS |= {"version": "repetition", "resample": "data_seed", "bootstrap": "data_seed"}
_WORDS = "|".join(sorted((w.replace("_", "[ _-]") for w in _RUN_WORDS), key=len, reverse=True))
_RUN = re.compile(rf"(?<![A-Za-z])({_WORDS})[ _.#:=(\-]*(\d+)\)?(?![A-Za-z\d])(?!\.\d)", re.I)
_PAIR = re.compile(r"([A-Za-z_.]+)=([^,/\s]+)")
_SIGNS = " _-.,;:/|()[]#=~@"


class Label(NamedTuple):
    """What a label says: the numbers of runs and other pairs, and the rest of it."""

    runs: dict[str, str]
    rest: str


def parse_label(text: str) -> Label:
    """`bert_seed3` as run seed 3 of `bert`; `Fold01.Rep2`, `model=vit,lr=0.1`, `version_0`."""
    runs: dict[str, str] = {}

    def take(match: re.Match[str]) -> str:
        runs.setdefault(find_role(match[1]) or match[1], match[2])
        return ""

    def number(match: re.Match[str]) -> str:
        runs.setdefault(_RUN_WORDS[re.sub("[ -]", "_", match[1].lower())], str(int(match[2])))
        return "\0"

    rest = _RUN.sub(number, _PAIR.sub(take, text.strip()))
    parts = filter(None, (part.strip(_SIGNS) for part in rest.split("\0")))
    if "fold" in runs and "repetition" in runs and "repeat" not in runs:
        runs["repeat"] = runs.pop("repetition")
    return Label(runs, "_".join(parts))


def is_of_numbers(metric: str) -> bool:
    """Whether a metric is computed of predicted numbers, not of classes."""
    known = find_metric(metric)
    return known is not None and "regression" in TASKS_BY_METRIC.get(known.name, ())
