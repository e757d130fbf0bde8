"""Claims of an exhibit as the texts of its sidecar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reseed.claims.statements import judge_all
from reseed.rendering.data import ExhibitData

if TYPE_CHECKING:
    from reseed.rendering.figures import FigureInfo
    from reseed.rendering.tables import Table


def headline_of(exhibit: Table | FigureInfo) -> str:
    """The first headline of its claims, or else its own."""
    return next((c.heading for c in exhibit.claims if c.headline), exhibit.headline)


def claim_texts(data: ExhibitData, exhibit: Table | FigureInfo) -> dict[str, Any]:
    """Fields `headline`, `findings`, `claims` and `statements` of a sidecar."""
    return {
        "headline": headline_of(exhibit),
        "findings": [claim.text for claim in exhibit.claims] or list(exhibit.findings),
        "claims": [claim.record() for claim in exhibit.claims],
        "statements": judge_all(data.statements, exhibit.claims),
    }
