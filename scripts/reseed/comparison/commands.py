"""The commands that compare: `reseed compare` and `reseed gate`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from reseed.comparison.command_options import (
    ITEMS,
    MEANS,
    READING,
    add_flags,
    add_outputs,
    add_printed,
    check_figure,
    list_given,
    list_read_options,
    show,
    write_outputs,
)
from reseed.core.errors import ReseedError
from reseed.core.pair_tests import PAIR_TESTS

#: Options of `reseed compare`.
_COMPARE = (
    *READING, "baseline", "deterministic", "seed_draws", "test_train_ratio", *ITEMS, *MEANS,
    "title", *PAIR_TESTS, "pair", "rope",
)  # fmt: skip
#: Options of `reseed gate` beside those of reading.
_GATE = (*ITEMS, "alpha", "use", "seed_draws", "test_train_ratio", "min_runs", "seeds")


def add_comparing_commands(commands: Any) -> None:
    """Add the commands to the subparsers of `reseed`."""
    command = commands.add_parser(
        "compare",
        help="compare models by a table of their runs, of scores of items, or of means",
        description="Compare models by runs, scores of items or means ± SD: a verdict on each.",
        epilog="example: reseed compare runs.csv --metric ndcg --baseline bm25 --html report.html",
    )
    command.add_argument(
        "results", nargs="+", help="CSV, Parquet or JSON file(s), or a folder of them"
    )
    add_flags(command, *_COMPARE)
    add_outputs(command, "verdicts")
    add_printed(command)
    command.set_defaults(run=_run_compare)
    _add_gate(commands)


def _run_compare(options: argparse.Namespace) -> None:
    import pandas as pd

    from reseed.comparison.compare import compare

    # Texts as Python objects: reading single cells of Arrow takes longer.
    pd.set_option("mode.string_storage", "python")
    check_figure(options.figure)
    given = list_given(options, *_COMPARE) | list_read_options(options)
    for name in ("column", "direction"):
        given.pop(name, None)
    if "pair" in given:
        given["pairs"] = given.pop("pair")
    if "rope" in given:
        given["rope"] = _parse_rope(given["rope"])
    sources = options.results
    show(compare(sources[0] if len(sources) == 1 else sources, **given), options)


def _parse_rope(entries: list[str]) -> float | dict[str, float]:
    """A width for all metrics (`0.01`), or one by metric (`auc=0.01`)."""
    widths: dict[str, float] = {}
    for entry in entries:
        metric, _, width = entry.rpartition("=")
        try:
            widths[metric] = float(width)
        except ValueError:
            raise ReseedError(f"--rope {entry}: write WIDTH or METRIC=WIDTH, as 0.01.") from None
    return widths.pop("") if [*widths] == [""] else widths


def _add_gate(commands: Any) -> None:
    command = commands.add_parser(
        "gate",
        help="decide whether a candidate may replace a baseline (for CI)",
        description="Exit status 0: better, or not worse by the margin; 10: worse, and a loss of "
        "the margin is not excluded; 11: undecided; 1 or 2: an error.",
        epilog="example: reseed gate candidate.csv --baseline stored.csv --margin 0.01",
    )
    command.add_argument("candidate", type=Path, help="scores of one model: a file or a folder")
    add = command.add_argument
    add("--baseline", type=Path, required=True, help="those of the baseline")
    add("--margin", type=float, required=True, help="the loss that does not matter, score units")
    add_flags(command, *READING, *_GATE)
    add("--markdown", type=Path, metavar="FILE", help="write a comment for a pull request")
    add("--json", type=Path, metavar="FILE", help="write all numbers")
    add_outputs(command, "evidence", figure=False)
    command.set_defaults(run=_run_gate)


def _run_gate(options: argparse.Namespace) -> None:
    from reseed.comparison.gate import gate
    from reseed.core.atomic import write_text

    result = gate(
        options.candidate, options.baseline, options.margin, **list_read_options(options),
        **list_given(options, *_GATE),
    )  # fmt: skip
    print(result.sentence())
    for note in result.notes:
        print(f"Note: {options.speak(note)}")
    if options.markdown:
        write_text(options.markdown, result.to_markdown())
    if options.json:
        write_text(options.json, result.to_json())
    write_outputs(result, options)
    sys.exit(result.exit_code)
