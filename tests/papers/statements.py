"""Statements of a configured study whose claims an exhibit makes."""

from pathlib import Path

import yaml

STUDIES = Path(__file__).parents[2] / "config" / "studies"


def unknown_claims(study, drawn):
    """(exhibit, claim) of each statement of `study` that names no claim of its exhibit.

    drawn: claims by kind of exhibit, of all exhibits with statements.
    """
    exhibits = yaml.safe_load((STUDIES / f"{study}.yaml").read_text("utf-8"))["exhibits"]
    stated = [
        (name, entry["kind"], statement["claim"])
        for name, entry in exhibits.items()
        for statement in entry.get("statements", ())
    ]
    assert len(stated) >= 3
    return [
        (name, claim)
        for name, kind, claim in stated
        if claim not in {made.name for made in drawn[kind]}
    ]
