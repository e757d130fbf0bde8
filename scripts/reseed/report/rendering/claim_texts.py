"""Claims of an exhibit as the texts of its sidecar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.evidence import judge_all
from reseed.report.rendering.data import ExhibitData


class WithClaims:
    """Headline and findings of an exhibit, from its claims."""

    claims: Sequence[Claim]

    @property
    def headline(self) -> str:
        """The first headline of a claim; empty without one."""
        return next((claim.heading for claim in self.claims if claim.headline), "")

    @property
    def findings(self) -> list[str]:
        """The sentences of the claims."""
        return [claim.text for claim in self.claims]


def claim_texts(data: ExhibitData, exhibit: WithClaims) -> dict[str, Any]:
    """Fields `headline`, `findings`, `claims` and `statements` of a sidecar."""
    return {
        "headline": exhibit.headline,
        "findings": exhibit.findings,
        "claims": [claim.record() for claim in exhibit.claims],
        "statements": judge_all(data.statements, exhibit.claims),
    }
