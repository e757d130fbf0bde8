"""Names of scales; readable and unique identifiers of planned objects that are valid in paths."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from reseed.core.code_hash import digest

Scale = Literal["smoke", "demo", "cpu", "paper"]
SCALES: tuple[Scale, ...] = get_args(Scale)
#: Start of the identifier of every scheme of kind `time`.
TIME_PREFIX = "time-"


def scheme_id(scheme: Mapping[str, Any]) -> str:
    """Return the identifier of a split scheme: `holdout-0.2`, `kfold-5`, `time-5`, `official`.

    Options that differ from their defaults are appended.
    """
    kind = scheme["kind"]
    if kind == "holdout":
        name, default = f"holdout-{scheme['test']!r}", 0.2
    elif kind == "kfold":
        name, default = f"kfold-{scheme['folds']}", 0.1
    else:
        name, default = kind, 0.1
    if kind == "time":
        name = f"{TIME_PREFIX}{scheme['folds']}"
        name += "".join(f"-{f}-{scheme[f]!r}" for f in ("test", "gap", "train") if scheme[f])
    if scheme["validation"] != default:
        name += f"-validation-{scheme['validation']!r}"
    return name if scheme.get("stratify", True) else f"{name}-unstratified"


def hyperparameters_id(source: Mapping[str, Any]) -> str:
    """Return the identifier of a source of hyperparameters.

    Examples: `default`, `fixed-500`, `tuned-500-halving`, `fixed-500-by-log_loss`,
    `fixed-500-at-17-3` (a search at data seed 17 and model seed 3).
    """
    if source["mode"] == "default":
        return "default"
    name = f"{source['mode']}-{source['trials']}"
    if source["folds"] != 5:
        name += f"-{source['folds']}fold"
    if source["method"] != "random":
        name += f"-{source['method']}"
    at = (source["data_seed"], source["model_seed"])
    if source["mode"] == "fixed" and at != (0, 0):
        name += f"-at-{at[0]}-{at[1]}"
    return f"{name}-by-{source['metric'].replace(':', '.')}" if source["metric"] else name


def variant(name: str, changes: Mapping[str, Any]) -> tuple[str, str]:
    """Return the unique identifier and the description of an entry with changed fields."""
    if not changes:
        return name, ""
    words = ", ".join(f"{key}={value}" for key, value in sorted(changes.items()))
    return f"{name}~{digest(changes)[:8]}", words
