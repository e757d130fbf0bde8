"""Identifiers of what is planned: fit for a path, readable, never shared by two things."""

from reseed.core.code_hash import digest


def scheme_id(scheme: dict) -> str:
    """`holdout-0.2`, `kfold-5`, `official`; settings off their defaults are appended."""
    kind = scheme["kind"]
    if kind == "holdout":
        name, usual = f"holdout-{scheme['test']!r}", 0.2
    elif kind == "kfold":
        name, usual = f"kfold-{scheme['folds']}", 0.1
    else:
        name, usual = kind, 0.1
    if scheme["validation"] != usual:
        name += f"-validation-{scheme['validation']!r}"
    return name if scheme["stratify"] else f"{name}-unstratified"


def hyperparameters_id(source: dict) -> str:
    """`default`, `fixed-500`, `tuned-500-halving`, `fixed-500-by-log_loss`."""
    if source["mode"] == "default":
        return "default"
    name = f"{source['mode']}-{source['trials']}"
    if source["folds"] != 5:
        name += f"-{source['folds']}fold"
    if source["method"] != "random":
        name += f"-{source['method']}"
    return f"{name}-by-{source['metric'].replace(':', '.')}" if source["metric"] else name


def variant(name: str, changes: dict) -> tuple[str, str]:
    """Identifier and description of an entry with something changed; two never share one."""
    if not changes:
        return name, ""
    words = ", ".join(f"{key}={value}" for key, value in sorted(changes.items()))
    return f"{name}~{digest(changes)[:8]}", words


def job_name(stage: str, *parts: str) -> str:
    """A unique rule name: the stage, readable parts, and a hash of the parts.

    The hyphen after the stage cannot be in the name of a study, which is a rule too.
    """
    text = "_".join(parts)
    safe = "".join(letter if letter.isalnum() else "_" for letter in text)
    return f"{stage}-{safe}-{digest(text)[:8]}"
