"""Labels of jobs: what a person reads while a job runs."""

from collections.abc import Collection, Iterable

from reseed.planning.plan import Block

#: Names that a label lists before it counts the rest.
MOST_NAMES = 3


def label_block(block: Block) -> str:
    """`FFNN on Bike Sharing, seeds 0-2`; for several settings `RF, GBM on MAGIC, 12 trials`."""
    models = join_names(planned.model.title for planned, _ in block)
    datasets = join_names(planned.dataset.title for planned, _ in block)
    return f"{models} on {datasets}, {_label_trials(block)}"


def _label_trials(block: Block) -> str:
    trials = [trial for _, members in block for trial in members]
    if len(block) > 1:
        return f"{len(trials)} trials"
    data, model = {trial.data_seed for trial in trials}, {trial.init for trial in trials}
    if len(data) == 1 < len(model) == len(trials):
        return label_seeds("seed", model)
    if len(model) == 1 < len(data) == len(trials):
        return label_seeds("data seed", data)
    return f"{label_seeds('data seed', data)}, {label_seeds('seed', model)}"


def label_seeds(noun: str, seeds: Collection[int]) -> str:
    """`seed 3`, `seeds 0-2`."""
    return f"{noun}{'s' if len(seeds) > 1 else ''} {format_ranges(seeds)}"


def join_names(names: Iterable[str]) -> str:
    """`RF, GBM, XGB and 2 more`: each name once."""
    unique = list(dict.fromkeys(names))
    rest = len(unique) - MOST_NAMES
    text = ", ".join(unique[:MOST_NAMES])
    return f"{text} and {rest} more" if rest > 0 else text


def format_ranges(numbers: Iterable[int]) -> str:
    """`0-3, 7`: whole numbers as ranges; after three ranges only the last number is shown."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    shown = [_format_range(*ends) for ends in ranges[:MOST_NAMES]]
    if len(ranges) > MOST_NAMES:
        shown.append(f"… {ranges[-1][1]}")
    return ", ".join(shown)


def _format_range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"
