"""Try random sequences of moves and print their summary; exit status 1 after a violation.

An interrupted series goes on where it stopped: `--folder` holds its state.
"""

import argparse
from pathlib import Path

from fault_harness.sequences import Bench, run_sequence
from fault_harness.series import add_result, read_results, summarise
from reseed.core.errors import ReseedError
from reseed.pipeline.runner import run, say


def main() -> None:
    """Try the sequences that the folder does not hold yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequences", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="seed of the first sequence")
    parser.add_argument("--folder", type=Path, required=True, help="state of the series")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    record = folder / "results.jsonl"
    bench = Bench(folder)
    done = {result.seed for result in read_results(record)}
    for seed in range(arguments.first, arguments.first + arguments.sequences):
        if seed not in done:
            result = run_sequence(bench, seed)
            add_result(record, result)
            end = f"VIOLATION {result.violation}" if result.violation else "the same files"
            say(f"{seed}: {len(result.moves)} steps, {result.seconds:.0f} s: {end}")
    results = read_results(record)
    say(summarise(results))
    violated = [str(result.seed) for result in results if result.violation]
    if violated:
        raise ReseedError(f"violations with the seeds {', '.join(violated)}: {folder}")


if __name__ == "__main__":
    run(main)
