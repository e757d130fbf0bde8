"""`SettledComparison`: what `reseed.study(until=…)` returns."""

from __future__ import annotations

from functools import cached_property

import pandas as pd

from reseed.comparison.claims.pair_row import PairRow
from reseed.comparison.claims.pair_verdicts import label_pair_outcome
from reseed.comparison.output import render_shown
from reseed.comparison.result import Comparison
from reseed.comparison.shown import Shown, build_pair_row
from reseed.report.rendering.numbers import counted

#: The analysis, and the table of it (`config.defaults.settled_analyses_and_exhibits`).
SETTLED = "settled"
_COLUMNS = [
    "dataset", "model_a", "model_b", "outcome", "winner", "difference", "low", "high", "stopped_at",
    "n", "skewness", "better_share", "better_low", "better_high", "verdict",
]  # fmt: skip


#: What no number of runs that stops early can show (docs/methods/stopping.md).
_UNSEEN = (
    "A difference is one of runs like those seen: n runs of a model without a collapse leave a "
    "rate of up to 3/n possible. Between models of equal means of which one collapses in 5 % of "
    "its runs, by 17 to 100 SDs, simulations claimed a difference in 31 to 76 % of cases."
)


class SettledComparison(Comparison):
    """Models compared by runs that were trained until every pair was settled.

    The verdicts are those of the confidence sequences at the stop of each pair. Tests for a fixed
    number of runs are not valid for such runs, so there are none.
    """

    main_table = SETTLED

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """One row a pair: difference and interval at its stop, or after all runs without one.

        `difference`, `low` and `high` are in units of the score and positive where `model_a` is
        better. `n`: runs that both have. `stopped_at`: NaN where the pair is open.
        """
        return self._at_stop.sort_index()[_COLUMNS].reset_index(drop=True)

    @cached_property
    def _at_stop(self) -> pd.DataFrame:
        rows = self.statistics(SETTLED).rename(columns={"mean": "difference"})
        at_stop = rows[rows["runs"] == rows["stopped_at"].fillna(rows["n"])]
        return at_stop.sort_values("stopped_at", kind="stable")

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row a model: runs that were `used`, the `maximum`, and those `saved`."""
        (experiment,) = self.data.info.experiments.values()
        assert experiment.until is not None
        most = experiment.until.maximum
        used = self.data.metrics.groupby("model", sort=False).size()
        return pd.DataFrame({"model": used.index, "used": used.to_numpy(), "maximum": most}).assign(
            saved=lambda table: table["maximum"] - table["used"]
        )

    @cached_property
    def possible_ranks(self) -> dict[str, tuple[int, int]]:
        """Empty: models are not ranked."""
        return {}

    @cached_property
    def shown(self) -> Shown:
        """What all outputs show: how many pairs are decided, by how many runs."""
        return Shown(
            title=self.data.info.title,
            answer=self._state_answer(),
            rows=[
                build_pair_row(row, {"Outcome": label_pair_outcome(row), "Settled after": runs})
                for row, runs in zip(
                    PairRow.read(self._at_stop),
                    self._at_stop["stopped_at"].map(_count_runs),
                    strict=True,
                )
            ],
            tables={"verdicts": self.ordered_verdicts(), "runs": self.runs},
            boards={"Runs": self.runs},
            notes=[*self.notes, _UNSEEN],
            figures={"sequences": "Difference of every pair by number of runs"},
        )

    def _state_answer(self) -> list[str]:
        pairs, runs = self.verdicts, self.runs
        if pairs.empty:
            return ["Nothing to compare: no two models have two runs with the same seeds."]
        decided = int(pairs["outcome"].isin(("difference", "equivalent")).sum())
        return [
            f"{decided} of {counted(len(pairs), 'pair')} decided on exactly this test set, which "
            f"did not vary, by {runs['used'].sum():,} of at most {runs['maximum'].sum():,} runs."
        ]

    def ordered_verdicts(self) -> pd.DataFrame:
        """Verdicts, the pairs that were settled first before the others."""
        return self.verdicts.sort_values("stopped_at", kind="stable")

    def render(self, width: int | None = None, color: bool = False) -> str:
        """The text of the result; see `Result.render`."""
        return render_shown(self.shown, width, color)


def _count_runs(stop: float) -> str:
    return f"{stop:.0f} runs" if stop == stop else "–"
