"""Labels of jobs: what a person reads while a job runs."""

from collections.abc import Collection, Iterable
from typing import Any

from reseed.core.blocks import SeedBlock, format_set
from reseed.core.titles import split_number
from reseed.planning.specs import ExhibitSpec

#: Names that a label lists before it counts the rest.
MOST_NAMES = 3


def label_trials(seeds: SeedBlock) -> str:
    """`data seed 3, 5 folds`, `seeds 0-2`."""
    folds = 1 if seeds.folds is None else len(seeds.folds)
    model = max(seeds.roles, key=len)
    texts = [
        *([label_seeds("data seed", seeds.data)] if len(seeds.data) > 1 or folds > 1 else []),
        *([f"{folds} folds"] if folds > 1 else []),
        *([label_seeds("seed", model)] if len(model) > 1 else []),
    ]
    both = f"{label_seeds('data seed', seeds.data)}, {label_seeds('seed', model)}"
    return ", ".join(texts) or both


def label_seeds(noun: str, seeds: Collection[int]) -> str:
    """`seed 3`, `seeds 0-2`."""
    return f"{noun}{'s' if len(seeds) > 1 else ''} {format_ranges(seeds)}"


def format_ranges(numbers: Iterable[int]) -> str:
    """`0-3, 7`: whole numbers as ranges; after three ranges only the last number is shown."""
    ranges = format_set(numbers).split("+")
    last = [f"… {ranges[-1].split('-')[-1]}"] if len(ranges) > MOST_NAMES else []
    return ", ".join([*ranges[:MOST_NAMES], *last])


def report_texts(study: str, spec: ExhibitSpec) -> dict[str, Any]:
    """Category and labels of an exhibit in Snakemake's own report."""
    number, title = split_number(spec.title)
    return {
        "category": study,
        "subcategory": "Exhibits of the paper" if number else "Further exhibits",
        "labels": {
            "exhibit": number or "–",
            "title": title,
            "form": "table" if spec.is_table else "figure",
        },
    }
