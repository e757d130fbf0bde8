"""Table 3: median, IQR, range and relative variation, one seed varied at a time."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseed.exhibits import numbers
from reseed.exhibits.data import METRICS, ExhibitData, footnote
from reseed.exhibits.tables import Table, empty_table
from reseed.stats.spread import expected_gaussian_range

#: What tells the rows of the table apart, beside the dataset.
ROW = ["dataset", "scheme", "hyperparameters_source", "model"]
# Seeds from which on intervals of two SDs are narrow enough to be set side by side.
_ENOUGH = 40


def table(data: ExhibitData, options: dict) -> Table:
    """One row a dataset and model; a group of columns each of `options["experiments"]`."""
    experiments = options["experiments"]
    rows = data.rows(experiments)
    if rows.empty:
        return empty_table(data, "None of this table's experiments was run at this scale.")
    rows = rows[rows["held"] == ""]
    places = {d: score_places(part) for d, part in rows.groupby("dataset")}
    shown, sections = [], []
    rows = together(rows)
    for (dataset, scheme, source, model), part in rows.groupby(ROW, sort=False):
        cell = part.set_index("experiment")
        line = {("", "Algorithm"): data.model(model)}
        for name in experiments:
            entry = cell.loc[name] if name in cell.index else None
            line |= _group(data.experiment(name), entry, places[dataset])
        pair = [cell.loc[name, "sd"] if name in cell.index else np.nan for name in experiments]
        if len(experiments) == 2:
            line["", "SD ratio"] = numbers.ratio(_divide(*pair))
        shown.append(line)
        sections.append(section(data, rows, dataset, scheme, source))
    frame = pd.DataFrame(shown)
    frame.columns = pd.MultiIndex.from_tuples(frame.columns)
    first = [data.experiment(name) for name in experiments]
    about_ratio = (
        f"SD ratio: SD with {first[0].lower()} over SD with {first[1].lower()}."
        if len(first) == 2
        else ""
    )
    return Table(
        data,
        frame,
        rows,
        footnote(data, rows, "Relative variation = range / median.", about_ratio, UNCERTAIN),
        sections=sections,
        findings=findings(data, rows),
    )


UNCERTAIN = (
    "A range grows with the number of seeds: compare ranges at equal numbers only, SD otherwise."
)


#: What the intervals over seeds are, and where there is none (simulated: docs/methods.md).
COVERAGE = (
    "Median: order statistics (at least 6 seeds). SD: χ² with degrees of freedom lowered for heavy"
    " tails (at least 5; holds for Gaussian scores, covers about 0.9 with heavier tails). IQR:"
    " bootstrap (at least 10). No interval where there are fewer seeds."
)


def fewer_seeds(rows: pd.DataFrame, published: int = 50) -> str:
    """How much of a gap to a published range comes from having fewer seeds; empty if none does."""
    few = 0 if rows.empty else int(rows["n"].min())
    if not 1 < few < published:
        return ""
    share = expected_gaussian_range(few) / expected_gaussian_range(published)
    return (
        f"The paper took {published} seeds: a range over {few} Gaussian seeds is on average"
        f" {share:.2f} times one over {published}."
    )


def score_places(rows: pd.DataFrame) -> int:
    """Decimals for scores and their spreads in one dataset."""
    return numbers.decimals(rows["iqr"], least=4)


def together(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with those of a dataset together, datasets in order of appearance."""
    order = {name: i for i, name in enumerate(dict.fromkeys(rows["dataset"]))}
    return rows.sort_values("dataset", key=lambda s: s.map(order), kind="stable")


def section(data: ExhibitData, rows: pd.DataFrame, dataset: str, scheme: str, source: str) -> str:
    """Heading of a dataset's rows; the split and the hyper-parameters only where they differ."""
    parts = [f"{data.dataset(dataset)}, {METRICS[data.metric(dataset)]}"]
    parts += [scheme] if rows["scheme"].nunique() > 1 else []
    parts += [source] if rows["hyperparameters_source"].nunique() > 1 else []
    return ", ".join(parts)


def _group(title: str, entry: pd.Series | None, places: int) -> dict:
    if entry is None:
        values = ["not run", *[numbers.NONE] * 4]
    else:
        values = [
            numbers.seeds(int(entry["n"]), int(entry["failed"])),
            *[numbers.fixed(entry[name], places) for name in ("median", "iqr", "range")],
            numbers.fixed(entry["relative_variation"], 3),
        ]
    names = ["n", "Median", "IQR", "Range", "Relative variation"]
    return {(title, name): value for name, value in zip(names, values, strict=True)}


def _divide(a: float, b: float) -> float:
    return a / b if b and np.isfinite(a) and np.isfinite(b) else np.nan


def findings(data: ExhibitData, rows: pd.DataFrame) -> list[str]:
    """Which seed moves the score more, and which model least and most: counts and ratios only."""
    usable = rows[(rows["n"] > 1) & rows["sd"].notna()]
    data_seeds, model_seeds = (
        usable[usable["varied"] == name].set_index(ROW) for name in ("data", "model")
    )
    both = data_seeds.merge(
        model_seeds, left_index=True, right_index=True, suffixes=("_data", "_model")
    )
    both = both[both["sd_model"] > 0]
    found = []
    if len(both):
        ratio = both["sd_data"] / both["sd_model"]
        text = (
            f"The SD over data seeds is larger than that over model seeds in"
            f" {int((ratio > 1).sum())} of {len(both)} pairs of dataset and algorithm (median"
            f" ratio {numbers.ratio(ratio.median())}, from {numbers.ratio(ratio.min())} to"
            f" {numbers.ratio(ratio.max())})"
        )
        if both[["n_data", "n_model"]].min(axis=None) >= _ENOUGH:
            clear = int((both["sd_low_data"] > both["sd_high_model"]).sum())
            level = f"{rows['level'].max():.0%}".replace("%", " %")
            text += f"; in {clear} of them the {level} intervals of the two do not overlap"
        found.append(f"{text}.")
    model_only = usable[usable["varied"] == "model"]
    if model_only["model"].nunique() > 1:
        ranked = model_only.assign(rank=model_only.groupby("dataset")["sd"].rank())
        for word, pick in (("smallest", "idxmin"), ("largest", "idxmax")):
            chosen = model_only.loc[getattr(ranked.groupby("dataset")["sd"], pick)(), "model"]
            counts = chosen.value_counts()
            named = [f"{data.model(m)} ({n} of {len(chosen)} datasets)" for m, n in counts.items()]
            found.append(f"The SD over model seeds is {word} for {numbers.several(named)}.")
    return found
