"""Learning curves over runs: mean, band of one SD, band of extremes [Picard, Figure 1]."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.plugins.options import Arms, Count
from reseed.report.rendering import style
from reseed.report.rendering.arms import cells, select_rows
from reseed.report.rendering.data import ExhibitData, footnote, metric_title, require_rows
from reseed.report.rendering.figures import FigureInfo
from reseed.report.rendering.least import LEAST, Least, with_least
from reseed.report.rendering.numbers import from_to, two_digits
from reseed.report.rendering.panels import line, name_omitted, panel_grid, set_title

NOTHING = "No training curves were collected at this scale."
# Fewest epochs of a curve that is drawn.
_DRAWN = Least(3, len, "epoch")
# The axis leaves out early values if all values span this many times the late ones.
_FLATTENED = 2.5
# Fewest epochs of a curve for comparing its spread halfway and at the end.
_EPOCHS = 4
_ENDED = {
    "drop": "Each epoch averages over the runs still training then.",
    "carry": "A run that has ended counts with its last value.",
    "cut": "Drawn up to the epoch at which the first run ended.",
}


def measure_title(measure: str) -> str:
    """`validation auc` → `Validation AUC`."""
    text = measure_in_text(measure)
    return text[0].upper() + text[1:]


def measure_in_text(measure: str) -> str:
    """`validation auc` → `validation AUC`."""
    return " ".join(metric_title(word) for word in measure.split(" "))


DRAWS = ("curves",)


class Options(Arms):
    """from_epoch: epochs before it are left out."""

    from_epoch: Count = 1


@style.styled
def figure(data: ExhibitData, options: Options) -> tuple[Figure, FigureInfo]:
    """A panel an arm."""
    rows = select_rows(data, options)
    rows = require_rows(rows if rows.empty else rows[rows["epoch"] >= options.from_epoch], NOTHING)
    panels, few = with_least(cells(data, rows), _DRAWN)
    rows = pd.concat([part for _, part in panels]).sort_index()
    canvas, axes = panel_grid([2.1] * len(panels), legend=0.6)
    cut = False
    for axis, (title, part) in zip(axes, panels, strict=False):
        cut = _panel(axis, part) or cut
        set_title(axis, f"{title} ({part['runs'].iloc[0]:,} runs)")
        axis.set_ylabel(measure_title(part["measure"].iloc[0]))
    handles = [
        line(style.RED, "Mean"),
        line(style.RED, "± SD, within the extremes", width=6),
        line(style.RED, "Minimum to maximum", width=6),
        line(style.GREY, "Runs still training", ":", 1.0),
    ]
    handles[1].set_alpha(0.45)
    handles[2].set_alpha(0.18)
    unequal = any(part["n"].nunique() > 1 for _, part in panels)
    canvas.legend(handles=handles[: 4 if unequal else 3], loc="outside lower center", ncols=4)
    left_out = int(rows.drop_duplicates([*_keys(rows)])["left_out"].sum())
    text = f"{left_out} runs without a usable curve left out." if left_out else ""
    note = footnote(
        data,
        rows.drop(columns="n"),  # counts runs that still train, one for each fold
        f"Runs per arm: {from_to(rows['runs'], to='–')}.",
        _ENDED[rows["ended"].iloc[0]] if unequal else "",
        "The vertical axis spans the second half of the epochs; earlier values may lie outside."
        if cut
        else "",
        text,
        few,
        name_omitted([title for title, _ in panels], axes),
    )
    return canvas, FigureInfo(
        rows,
        note,
        claims=_claims(panels),
        drawn=frozenset({"mean"}),
        alt=(f"{measure_title(rows['measure'].iloc[0])} against epochs: the mean over"
                      " runs, a band of one SD within a lighter one from least to most."),
    )  # fmt: skip


def _keys(rows: pd.DataFrame) -> list[str]:
    return [name for name in ("experiment", "dataset", "scheme", "arm") if name in rows]


def _panel(axis: Axes, part: pd.DataFrame) -> bool:
    """Draw the curves of an arm. Returns whether the vertical axis leaves out early values."""
    x = part["epoch"]
    axis.fill_between(x, part["min"], part["max"], color=style.RED, alpha=0.18, lw=0)
    low, high = (
        (part["mean"] + sign * part["sd"]).clip(part["min"], part["max"]) for sign in (-1, 1)
    )
    axis.fill_between(x, low, high, color=style.RED, alpha=0.35, lw=0)
    axis.plot(x, part["mean"], color=style.RED, lw=1.4)
    axis.set_xlabel("Epoch")
    axis.locator_params(axis="x", integer=True)
    limits = _late_limits(part)
    if limits:
        axis.set_ylim(*limits)
    if part["n"].nunique() > 1:
        low, high = axis.get_ylim()
        axis.plot(x, low + (high - low) * part["n"] / part["runs"], color=style.GREY, lw=1, ls=":")
        axis.set_ylim(low, high)
    return limits is not None


def _late_limits(part: pd.DataFrame) -> tuple[float, float] | None:
    """Vertical limits that show the spread of the second half of the epochs.

    The claims compare its spread. The first epochs span many times as much and would flatten it.
    None if they do not.
    """
    ordered = part.sort_values("epoch")
    late = ordered.iloc[len(ordered) // 2 :]
    low, high = late["min"].min(), late["max"].max()
    whole = ordered["max"].max() - ordered["min"].min()
    if not 0 < _FLATTENED * (high - low) < whole:
        return None
    margin = 0.15 * (high - low)
    return low - margin, high + margin


def _end(part: pd.DataFrame) -> tuple[pd.Series | None, pd.Series | None]:
    """Rows halfway and at the end of the epochs with half of the runs; None if too few."""
    whole = part[part["n"] >= max(LEAST, 0.5 * part["runs"].iloc[0])]
    if whole.empty:
        return None, None
    return whole.iloc[len(whole) // 2] if len(whole) >= _EPOCHS else None, whole.iloc[-1]


def _claims(panels: list) -> list[Claim]:
    """Whether the spread narrows over the arms, then the end of each curve."""
    ends = [(title, half, end) for title, part in panels for half, end in [_end(part)]]
    ends = [(title, half, end) for title, half, end in ends if end is not None]
    halves = [(half, end) for _, half, end in ends if half is not None]
    found = []
    if len(panels) > 1 and halves:
        last = pd.DataFrame([end for _, end in halves]).reset_index(drop=True)
        less = last["sd"] < [half["sd"] for half, _ in halves]
        finding = "the SD over runs is less at the end than halfway in {less}"
        names = {"less": phrases.share(last, less, "arm")}
        sample = Sample.of(last, "n", "run")
        found.append(Claim("narrows", finding, last, names, sample, headline=True))
    elif len(panels) > 1 and ends:
        found += _end_sds(pd.DataFrame([end for *_, end in ends]))
    return [*found, *(_end_claim(*cell, is_alone=len(panels) == 1) for cell in ends)]


def _end_sds(last: pd.DataFrame) -> Iterator[Claim]:
    """The SDs at the ends of the curves that vary."""
    last = last[~phrases.is_degenerate(last)].reset_index(drop=True)
    if last.empty:
        return
    by_measure = last.assign(metric=last["measure"])
    names = {
        "sd": phrases.extent(by_measure, "sd", two_digits, title=measure_in_text),
        "arms": phrases.count(last, "arm"),
    }
    finding, sample = "SD over runs at the end: {sd} in {arms}", Sample.of(last, "n", "run")
    yield Claim("end_sd", finding, last, names, sample, headline=True)


def _end_claim(title: str, half: pd.Series | None, end: pd.Series, is_alone: bool) -> Claim:
    """Mean and SD at the end of a curve, and the SD halfway."""
    rows = pd.DataFrame([end] if half is None else [half, end]).reset_index(drop=True)
    last, before = rows.tail(1), ""
    headline = "{title} {mean} ± {sd} after {epoch} epochs ({n})"
    names = {
        "title": phrases.name(measure_title(end["measure"])),
        "measure": phrases.name(measure_in_text(end["measure"])),
        "mean": phrases.single(last, "mean", "{:.3g}".format),
        "sd": phrases.single(last, "sd", two_digits),
        "epoch": phrases.single(last, "epoch", "{:,.0f}".format),
    }
    if half is not None:
        middle = rows.head(1)
        names["half_sd"] = phrases.single(middle, "sd", two_digits)
        names["half"] = phrases.single(middle, "epoch", "{:,.0f}".format)
        before = "{half_sd} at epoch {half} and "
        headline = "SD over {n}: {half_sd} at epoch {half}, {sd} at epoch {epoch}"
    return Claim(
        f"end: {title}",
        "{measure} averages {mean} at epoch {epoch}; its SD over {n} is "
        f"{before}{{sd}} at epoch {{epoch}}",
        rows,
        names,
        Sample.of(rows, "n", "run"),
        headline=headline if is_alone else "",
        subject=title,
        statistic="SD over runs",
    )
