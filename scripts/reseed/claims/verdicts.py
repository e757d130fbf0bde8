"""What a comparison of two models says in plain words, and no more than its numbers carry."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

#: In place of a dataset's name: a comparison over all of them.
ALL_DATASETS = "all datasets"
OUTCOMES = (
    "difference",
    "equivalent",
    "no difference shown",
    "too few runs",
    "no variation",
    "not comparable",
)
_UNIT = {"splits": "splits", "seeds": "model seeds", "unpaired": "runs", "datasets": "datasets"}


def outcome(row: Mapping) -> str:
    """One of `OUTCOMES` for a row of the analysis `pairs`.

    A difference that is shown is one, however small; `equivalent` is what no difference was shown
    for and two one-sided tests put within ±`rope`.
    """
    if row["design"] == "different splits" and row["n"] > 0:
        return "not comparable"
    if row["n"] < row["min_runs"]:
        return "too few runs"
    if row["design"] != "datasets" and row["low"] == row["high"]:
        return "no variation"
    gate = row["friedman_p"] if _by_rank(row) else 0.0
    if max(row["p_holm"], gate) <= row["alpha"] and row["difference"] > 0:
        return "difference"
    return "equivalent" if _within_rope(row) else "no difference shown"


def _by_rank(row: Mapping) -> bool:
    return row["design"] == "datasets" and row["test"].startswith("Nemenyi")


def _within_rope(row: Mapping) -> bool:
    return row.get("equivalence_p_holm", math.nan) <= row["alpha"]


def verdict(row: Mapping) -> str:
    """The row of a pair as one or a few sentences.

    It names the test, the runs behind it and whether they are paired; says "on this one split"
    where the data never varied; and takes no test without a result for equality.
    """
    if row["design"] == "datasets":
        return _over_datasets(row)
    a, b = row["model_a"], row["model_b"]
    found = outcome(row)
    one_split = " on this one split" if row["design"] in ("seeds", "unpaired") else ""
    if found == "not comparable":
        return (
            f"{a} and {b} cannot be compared: they were run on different splits of the data. "
            "Run both on the same splits."
        )
    if row["n"] == 0:
        return f"Too few runs to tell {a} from {b}: one of them has no finished run."
    if found == "too few runs":
        return (
            f"Too few runs to tell {a} from {b}{one_split}: {_difference(row)} over "
            f"{_count(row)}; a verdict needs at least {row['min_runs']:.0f}.{_left_out(row)}"
        )
    if found == "no variation":
        if row["difference"] == 0:
            return f"No verdict on {a} and {b}{one_split}: every run gives them the same score."
        return (
            f"No verdict on {a} and {b}{one_split}: every run gives the same "
            f"{_difference(row)}, so {_count(row)} say no more than one. Vary the data split."
        )
    numbers = f"{_difference(row)}, {_interval(row)}, {adjusted_p(row)}{_flips(row)}"
    if found == "difference":
        head, tail = f"{a} beats {b}{one_split}: {numbers}.", _small(row)
    elif found == "equivalent":
        head = f"{a} and {b} are equivalent within {_rope(row)}{one_split}: {numbers}."
        tail = _one_sided(row)
    else:
        head = f"No difference shown between {a} and {b}{one_split}: {numbers}."
        tail = f" This does not show that they are equal.{_detectable(row)}"
    return f"{head}{tail} {_basis(row)}{_left_out(row)}"


def _small(row: Mapping) -> str:
    if not _within_rope(row):
        return ""
    return f" It is smaller than {_rope(row)}, the region of practical equivalence."


def _one_sided(row: Mapping) -> str:
    return f" Two one-sided tests: {adjusted_p(row, 'equivalence_p_holm')}."


def _rope(row: Mapping) -> str:
    return f"±{row['rope'] * row['factor']:.3g}{_unit(row)}"


def _detectable(row: Mapping) -> str:
    """The smallest difference that the design could have found, if that is known."""
    size, power = row.get("detectable", math.nan), row.get("target_power", math.nan)
    if not math.isfinite(size):
        return ""
    value = number(size * row["factor"], _places(row))
    return f" A true difference of {value}{_unit(row)} would be found in {100 * power:.0f} %."


def _unit(row: Mapping) -> str:
    return f" {row['unit']}" if row["unit"] else ""


def _over_datasets(row: Mapping) -> str:
    a, b, found = row["model_a"], row["model_b"], outcome(row)
    if row["n"] == 0:
        return f"{a} and {b} cannot be compared over datasets: on none have both comparable runs."
    if found == "too few runs":
        head = (
            f"Too few datasets to tell {a} from {b} beyond them: {_wins(row)}; at least "
            f"{row['min_runs']:.0f} are needed."
        )
        return head + _missing(row) + _left_out(row)
    if _by_rank(row):
        numbers = (
            f"average rank {row['mean_a']:.2f} against {row['mean_b']:.2f} over {row['n']:.0f} "
            f"datasets, Nemenyi's p {p_text(row['p_holm'])} (for all pairs at once), Friedman's p "
            f"{p_text(row['friedman_p'])}; order flips on {share_text(row['instability'])} of "
            "datasets"
        )
    else:
        middle = "" if row["test"] == "sign test" else f", typical {_difference(row)}"
        numbers = f"{_wins(row)}{middle}, {row['test']}, {adjusted_p(row)}"
    if found == "difference":
        head = f"{a} ranks better than {b}" if _by_rank(row) else f"{a} beats {b} over datasets"
        return f"{head}: {numbers}.{_small(row)}{_missing(row)}{_left_out(row)}"
    if found == "equivalent":
        head = f"{a} and {b} are equivalent over datasets within {_rope(row)}"
        return f"{head}: {numbers}.{_one_sided(row)}{_missing(row)}{_left_out(row)}"
    least = row.get("p_least", math.nan)
    floor = (
        f" No outcome of {row['n']:.0f} datasets gives this test a p below {p_text(least)}."
        if least > row["alpha"]
        else ""
    )
    return (
        f"No difference shown between {a} and {b} over datasets: {numbers}. This does not show "
        f"that they are equal.{floor}{_missing(row)}{_left_out(row)}"
    )


def _wins(row: Mapping) -> str:
    n, wins, losses = (int(row[name]) for name in ("n", "wins", "losses"))
    tied = n - wins - losses
    ties = f", {tied} tie{'s' if tied > 1 else ''}" if tied else ""
    return f"{row['model_a']} is ahead on {wins} of {n} datasets{ties}"


def _missing(row: Mapping) -> str:
    return (
        f" Left out, as not both have comparable runs: {row['missing']}." if row["missing"] else ""
    )


def _difference(row: Mapping) -> str:
    places = _places(row)
    unit = _unit(row)
    better = "" if row["greater_is_better"] else ", lower is better"
    value = number(row["difference"] * row["factor"], places)
    return f"difference {value}{unit} ({row['metric']}{better})"


def _interval(row: Mapping) -> str:
    low, high = (number(row[end] * row["factor"], _places(row)) for end in ("low", "high"))
    alone = row["low"] > 0 and outcome(row) != "difference"
    note = " for this pair alone" if alone else ""
    return f"{100 * row['level']:g} % interval {low} to {high}{note}"


def adjusted_p(row: Mapping, name: str = "p_holm") -> str:
    """`Holm-adjusted p 0.013`; `p 0.013` of the only pair."""
    adjusted = "Holm-adjusted p" if row["pairs"] > 1 else "p"
    return f"{adjusted} {p_text(row[name])}"


def _flips(row: Mapping) -> str:
    tied = row.get("ties", 0.0)
    ties = f" ({share_text(tied)} tie; a tie counts half)" if tied > 0 else ""
    return f", order flips in {share_text(row['instability'])} of single runs{ties}"


def _count(row: Mapping) -> str:
    if row["design"] == "unpaired":
        return f"{row['n_a']:.0f} and {row['n_b']:.0f} runs"
    noun = _UNIT[row["design"]]
    return f"1 {noun[:-1]}" if row["n"] == 1 else f"{row['n']:.0f} {noun}"


def _basis(row: Mapping) -> str:
    """Test, number of runs, paired or not, and what did not vary."""
    test = row["test"][0].upper() + row["test"][1:]
    if row["design"] == "splits":
        ratio = ""
        if str(row.get("scheme", "")).startswith("kfold"):
            ratio = f", test rows {row['test_train_ratio']:.3g} of the training rows"
        return f"{test}, paired over {_count(row)}{ratio}."
    shared = f"over {row['n']:.0f} shared model seeds"
    if row["design"] == "unpaired":
        shared = f"on {_count(row)}, not paired, as too few model seeds are shared"
    return (
        f"{test} {shared}; the data never varied, so other splits or test sets may say otherwise."
    )


def _left_out(row: Mapping) -> str:
    if not row["left_out"]:
        return ""
    runs = f"{row['left_out']:.0f} run{'s' if row['left_out'] > 1 else ''}"
    failed = row.get("failed", 0)
    return f" {runs} without a counterpart left out{f' ({failed:.0f} failed)' if failed else ''}."


def _places(row: Mapping) -> int:
    """Decimals that show the interval (or the difference) to two digits."""
    ends = [row[name] * row["factor"] for name in ("low", "high")]
    half = (ends[1] - ends[0]) / 2
    tested = math.isfinite(half) and half > 0 and outcome(row) != "too few runs"
    size = half if tested else abs(row["difference"] * row["factor"])
    if not math.isfinite(size) or size == 0:
        return 0
    places = 1 - math.floor(math.log10(size))
    return max(0, told_places(ends, places) if tested else places)


def told_places(bounds: Iterable[float], places: int) -> int:
    """`places`, or up to two more where a bound that is not 0 would be printed as 0."""
    known = [abs(bound) for bound in bounds if math.isfinite(bound) and bound != 0]
    needed = -math.floor(math.log10(min(known))) if known else places
    return max(places, min(needed, places + 2))


def interval_places(low: float, high: float) -> int:
    """Decimals of an interval, its half-width told to two digits; 2 where it has none."""
    half = (high - low) / 2
    if not math.isfinite(half) or half <= 0:
        return 2
    return max(0, told_places((low, high), 1 - math.floor(math.log10(half))))


def number(value: float, places: int) -> str:
    """Fixed decimals (an exponent in place of more than 8), a true minus sign, never `-0`."""
    if places > 8 and value:
        text = f"{value:.{max(0, places + math.floor(math.log10(abs(value))))}e}"
    else:
        text = f"{value:.{min(places, 8)}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def p_text(p: float) -> str:
    """`below 0.001`, `0.013`, `0.24`; beside the usual level of 0.05 as many digits as tell it."""
    if p < 0.001:
        return "below 0.001"
    if 0.045 <= p < 0.055:
        texts = (f"{p:.{digits}g}" for digits in range(3, 18))
        return next(text for text in texts if float(text) != 0.05 or p == 0.05)
    return f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def share_text(share: float, places: int = 0) -> str:
    """`4 %`; `below 1 %` and `over 99 %` where rounding would say never or always."""
    percent, least = 100 * share, 10.0**-places
    text = f"{percent:.{places}f}"
    if float(text) == 0 < percent:
        text = f"below {least:.{places}f}"
    elif float(text) == 100 > percent:
        text = f"over {100 - least:.{places}f}"
    return f"{text} %"
