"""Whether greater is better: decided here alone, for every table of scores.

`names` holds the metrics that trainings know. Its code is in the key of every trial, so that a new
name there would retrain all of them; names that only tables use are added here.
"""

import re
from typing import NamedTuple

from reseed.metrics.names import (
    _DERIVED,
    _DERIVED_PHRASE,
    _DOWN,
    _MINUS,
    _NEGATION,
    _UP,
    _any,
    split_words,
)

# Names that say which way is better, but may be a dataset's too (`ADE`, `sens`, `kl`).
_MORE_UP = re.compile(
    "roc|sens|spec|ppv|npv|tpr|tnr|bacc|rsq|kap|ccc|gmean|youden|informedness|correct|passed|solved"
    "|resolved|success|win|wins|winrate|elo|comet|bertscore|bleurt|meteor|cider|spice|nmi|ari|ami|silhouette"
    "|concordance|cindex|pck|jga|pesq|stoi|sdr|sisdr|snr|mos|vmaf|throughput|speedup|faithfulness"
    "|helpfulness|groundedness|recall\\d+|hit|ppcr|sacrebleu|gleu|kendall|explainedvariance|rsquared"
    "|mota|hota|idf1|qwk|elbo|lddt|gdt|tmscore|sharpe|sortino|fbeta|fps|clipscore"
    "|inceptionscore|vmeasure|fowlkes|calinski|homogeneity|purity"
)
_MORE_DOWN = re.compile(
    "ter|der|mer|editdistance|levenshtein|toxicity|hallucinations?|mpjpe|pampjpe|mpvpe|ade|fde"
    "|minade|minfde|nrmse|nmae|wape|mdape|rae|rrse|kl|kld|divergence|jsd|bitsper|bpc|bpd|ce"
    "|crossentropy|fpr|fnr|hausdorff|hd95|chamfer|epe|absrel|sqrel|mindcf|dcf|cllr|kid|fvd"
    "|fad|mcd|mmd|wasserstein|emd|violations?|bbrier|mbrier|penalty|mce|winkler|intervalscore"
    "|hammingdistance|dtw|assd|daviesbouldin|aic|bic|makespan|ttft|rmsd|hter|frr|ergas|niqe"
    "|brisque|piqe|collisions?|missrate|fdr|falsediscovery"
)
# Better for one side and worse for the other.
_SIDED = re.compile(
    "attacks?|attackers?|adversary|jailbreaks?|backdoors?|trojans?|membership|mia|privacy|leakage"
    "|harmful|memori[sz]ation|unlearn(ing)?|forget(ting)?|forgotten|hacking"
)
# Words for a function of a metric, wherever they stand, and as the last word: `accuracy range`.
_CHANGED = re.compile("inverse|inverted|reciprocal|degradation|disparity|inequality|pvalues?|pval")
_LAST_CHANGED = re.compile(
    "change|shift|range|spread|iqr|cv|p|entropy|threshold|interval|bounds?|margin|decline|decrease"
    "|increase|uncertainty|instability|parity|imbalance|tokens|steps|length|tolerance|budget"
    "|scale|correction|detection|recovery"
)
_CHANGED_PHRASE = re.compile(
    r"\b(detection|correction|recovery|length) (rate|ratio)$|\b(tokens|steps) (per|to)\b"
    r"|\bcosts? (per )?(return|reward|pass|success|hit|win)"
    r"|\b(return|reward|pass|success|hit|win) costs?$"
    r"|\b1\s*/\s*[a-z]|\b100\s*[-\u2212\u2013]\s*[a-z]|\^\s*[-\u2212]"
)
# Relative to a reference, so that an error in the name is reversed: `Brier skill score`.
_SKILL = re.compile(r"\bskill( score)?$")
# Costs, if the name has no other metric: `latency_ms`, `cost_usd`.
_COST = re.compile("latency|costs?|price|runtime|emissions?|co2")
_NEGATED = re.compile(
    rf"\b(neg|negative)\b(?! class).*\b({_DOWN.pattern}|{_MORE_DOWN.pattern}|likelihood)\b"
)
# What a heading itself says: an arrow, or words.
_UP_ARROW = re.compile(r"[↑⬆▲🔼🡅]|\\uparrow|\b(higher|greater|more|larger) is better\b", re.I)
_DOWN_ARROW = re.compile(r"[↓⬇▼🔽🡇]|\\downarrow|\b(lower|less|smaller) is better\b", re.I)
_STATEMENT = re.compile(
    rf"\s*[(\[$]*\s*({_UP_ARROW.pattern}|{_DOWN_ARROW.pattern})\ufe0f?\s*[)\]$]*", re.I
)
_MORE_PHRASES = [
    (re.compile(pattern, re.IGNORECASE), word)
    for pattern, word in (
        (r"edit[\W_]*distance", "editdistance"),
        (r"\bp[\W_]*values?\b", "pvalue"),
        (r"self[\W_]*bleu", "selfbleu"),
        (r"\b(?-i:ERR)@", "expectedrr@"),
        (r"bits[\W_]*per[\W_]*\w+", "bitsper"),
        (r"cross[\W_]*entropy", "crossentropy"),
        (r"abs(olute)?[\W_]*rel(ative)?\b", "absrel"),
        (r"si[\W_]*sdr", "sisdr"),
        (r"c[\W_]*index", "cindex"),
        (r"explained[\W_]*variance", "explainedvariance"),
        (r"\br[\W_]*squared\b", "rsquared"),
        (r"\b(clip|inception|tm|interval)[\W_]*score\b", r"\1score"),
        (r"\bv[\W_]*measure\b", "vmeasure"),
        (r"hamming[\W_]*distance", "hammingdistance"),
        (r"davies[\W_]*bouldin", "daviesbouldin"),
        (r"\bmiss[\W_]*rate\b", "missrate"),
        (r"false[\W_]*discovery", "falsediscovery"),
        (
            r"\b(fit|train(ing)?|inference|scor(e|ing)|run|wall|response|execution)[\W_]*time\b",
            "runtime",
        ),
    )
]


def _in_words(name: str) -> str:
    """A name in which a metric of several words is one word."""
    for phrase, word in _MORE_PHRASES:
        name = phrase.sub(word, name)
    return name


def infer_direction(metric: str) -> bool | None:
    """Return True if greater is better, False if less is better, None if the name is unclear."""
    name = _read_name(metric)
    if name is None:
        return None
    if _SKILL.search(_join_words(name)):
        return True
    up = _any(_UP, name) or _any(_MORE_UP, name)
    down = _any(_DOWN, name) or _any(_MORE_DOWN, name)
    if not (up or down):
        if _any(_COST, name):
            return None if _any(_NEGATION, name) or _MINUS.search(name) else False
        return None
    return _judge(name, up, down)


def _read_name(heading: str) -> str | None:
    """A heading with each metric as one word; None for a function of a metric, or a sided one."""
    name = _in_words(strip_direction(heading))
    return None if _any(_SIDED, name) or _is_changed(name) else name


def _join_words(name: str) -> str:
    """The words of a name in lower case and in order."""
    return " ".join(re.findall(r"[a-z0-9]+", name.lower()))


def _is_changed(name: str) -> bool:
    """Whether a name is that of a function of a metric: `inverse MSE`, `accuracy range`."""
    words = _join_words(name)
    is_last = _LAST_CHANGED.fullmatch(words.rpartition(" ")[2]) and " " in words
    is_phrase = _CHANGED_PHRASE.search(words) or _CHANGED_PHRASE.search(name.lower())
    return bool(is_last or is_phrase or _any(_CHANGED, name))


def is_metric_name(column: str) -> bool:
    """Whether a heading is the name of a metric beyond doubt, so that its column holds scores.

    Fewer names than `infer_direction` knows: `ADE`, `kl` or `score` may be anything.
    """
    name = _read_name(column)
    return name is not None and _judge(name, _any(_UP, name), _any(_DOWN, name)) is not None


def _judge(name: str, up: bool, down: bool) -> bool | None:
    """The direction of a name with words of metrics; None if other words change the meaning."""
    if up == down or _MINUS.search(name) or _any(_DERIVED, name):
        return None
    if _DERIVED_PHRASE.search(" ".join(split_words(name))):
        return None
    if not _any(_NEGATION, name):
        return up
    return down if _NEGATED.search(" ".join(split_words(name))) else None


def read_stated_direction(heading: str) -> bool | None:
    """What a heading itself states: `RMSE ↓`, `Acc (higher is better)`; None if nothing."""
    up, down = _UP_ARROW.search(heading), _DOWN_ARROW.search(heading)
    return None if bool(up) == bool(down) else bool(up)


def strip_direction(heading: str) -> str:
    """A heading without an arrow or the words of a direction."""
    return _STATEMENT.sub(" ", heading).strip() or heading


class Direction(NamedTuple):
    """Whether greater is better (None: not known), and what a reader must know about it."""

    greater: bool | None
    warning: str = ""


#: First words of a warning that a direction contradicts the name of its metric.
AGAINST = "Against its name"


def resolve_direction(
    metric: str,
    requested: bool | None = None,
    stated: bool | None = None,
    fallback: bool | None = None,
) -> Direction:
    """Decide whether greater is better: the only place where this is done.

    The order: what the heading itself states (an arrow) or the source (`stated`, a log's own
    field); what the user requests for this metric; the name; the `fallback` of the tool that wrote
    the table.
    """
    written = read_stated_direction(metric)
    written = stated if written is None else written
    known = infer_direction(metric)
    words = {True: "more", False: "less", None: ""}
    if written is not None:
        if requested in (None, written):
            return Direction(written)
        return Direction(
            written,
            f"{AGAINST}: the source states that {words[written]} of {metric!r} is better, so the "
            "request for the opposite is not used.",
        )
    if requested is not None:
        if known in (None, requested):
            return Direction(requested)
        return Direction(
            requested,
            f"{AGAINST}, {words[requested]} of {metric!r} is taken as better, as requested: by the "
            f"name {words[known]} would be.",
        )
    return Direction(fallback if known is None else known)
