"""Columns of an arm as a whole, repeated on its rows, on which statements are judged."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import pandas as pd
from reseed.core.schemas import ARM_OUTPUT_COLUMNS, Row
from reseed.stats.shares import share_interval

from papers.association import partial_rank_correlation
from papers.banerjee.ensembles import ensemble_size


def _with(table: pd.DataFrame, columns: Callable[[pd.DataFrame], Row]) -> pd.DataFrame:
    """The table with `columns` of the measured rows of each arm."""
    measured = table[
        table["reason"].eq("") & ~table.get("published", pd.Series(False, table.index))
    ]
    parts = [
        pd.DataFrame(columns(part), index=part.index)
        for _, part in measured.groupby(list(ARM_OUTPUT_COLUMNS), dropna=False, sort=False)
    ]
    return table.join(pd.concat(parts)) if parts else table


def _share(name: str, count: int, of: int) -> Row:
    low, high = share_interval(count, of) if of else (nan, nan)
    share = count / of if of else nan
    return {f"{name}_of": of, name: share, f"{name}_low": low, f"{name}_high": high}


def with_hidden(runs: pd.DataFrame) -> pd.DataFrame:
    """`hidden`: share of runs with a greater α̂ whose accuracy representative runs have, too.

    `place`: of each run by accuracy, from 1.
    """

    def columns(part: pd.DataFrame) -> Row:
        is_low = part["admitted"].astype(bool)
        low, others = part.loc[is_low, "accuracy"], part.loc[~is_low, "accuracy"]
        of = len(others) if len(low) else 0
        count = int(others.between(low.min(), low.max()).sum()) if of else 0
        best = part.sort_values(["accuracy", "alpha_hat"], ascending=[False, True], kind="stable")
        place = pd.Series(range(1, len(part) + 1), best.index)
        return {"place": place, **_share("hidden", count, of)}

    return _with(runs, columns)


def with_above(bins: pd.DataFrame) -> pd.DataFrame:
    """`above`: share of runs with more small gaps than their ensemble."""
    return _with(
        bins, lambda part: _share("above", int(part["runs_above"].iloc[0]), int(part["n"].iloc[0]))
    )


def with_shares(ensembles: pd.DataFrame) -> pd.DataFrame:
    """`low_alpha`: share of ensembles of a size with a low α̂; its interval is one of `independent`.

    `within`: share with a KS distance to the reference of at most δ. `beyond`: share of runs with a
    greater KS distance than the largest ensemble. `is_ensemble`: whether the size is neither one
    run nor the whole pool. `ensembles`, `accuracy_mean`, `accuracy_sd`, … are of a size.
    """

    def columns(part: pd.DataFrame) -> Row:
        sizes = sorted(part["size"].unique())
        of_size, pool = part.groupby("size"), int(part["pool"].iloc[0])
        found = {
            name: ensemble_size(sizes, of_size[column].agg(list), part[most].iloc[0], pool)
            for name, column, most in (
                ("low_alpha", "alpha_hat", "threshold"),
                ("within", "ks", "delta"),
            )
        }
        place = part["size"].map({size: i for i, size in enumerate(sizes)})
        ks, runs = part.loc[part["size"] == sizes[-1], "ks"], part.loc[part["size"] == 1, "ks"]
        of = len(runs) if len(sizes) > 1 else 0
        return {
            "ensembles": of_size["alpha_hat"].transform("size"),
            **{
                f"{name}_{word}": of_size[name].transform(function)
                for name in ("accuracy", "churn_ensemble", "ece")
                for word, function in (("mean", "mean"), ("sd", "std"))
            },
            **{
                f"{name}{end}": values[place]
                for name, one in found.items()
                for end, values in (("", one.share), ("_low", one.low), ("_high", one.high))
            },
            "independent": found["low_alpha"].n[place],
            "is_ensemble": (part["size"] > 1) & (part["size"] < part["pool"]),
            **_share("beyond", int((runs > ks.iloc[0]).sum()), of),
        }

    return _with(ensembles, columns)


def with_correlation(pairs: pd.DataFrame) -> pd.DataFrame:
    """`rho`: rank correlation over `runs` of α̂ with the mean churn against all other runs."""

    def columns(part: pd.DataFrame) -> Row:
        sides = [
            part[[f"seed_{s}", f"alpha_{s}", "churn"]].set_axis(["seed", "alpha", "churn"], axis=1)
            for s in "ab"
        ]
        runs = (
            pd.concat(sides).groupby("seed").agg(alpha=("alpha", "first"), churn=("churn", "mean"))
        )
        found = partial_rank_correlation(runs["alpha"], runs["churn"])
        return {"runs": len(runs), "rho": found.r, "rho_low": found.low, "rho_high": found.high}

    return _with(pairs, columns)
