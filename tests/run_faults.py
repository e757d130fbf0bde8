"""Try every move, random sequences of them, or kills; exit status 1 after a violation.

`--folder` holds the outcomes in results.jsonl and the projects of violations. An interrupted series
goes on where it stopped.
"""

import argparse
import json
import random
from dataclasses import asdict
from pathlib import Path

from fault_harness.moves import ALL, MOVES
from fault_harness.workspace import Workspace
from fault_harness.world import Bench, Result, kill_repeatedly, run_sequence
from reseed.core.errors import ReseedError
from reseed.pipeline.runner import run, say


def main() -> None:
    """Try what the folder does not hold yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", action="store_true", help="try each move once")
    parser.add_argument("--sequences", type=int, default=0, help="number of random sequences")
    parser.add_argument("--first", type=int, default=0, help="seed of the first sequence")
    parser.add_argument("--kills", type=int, default=0, help="SIGKILLs of all studies at smoke")
    parser.add_argument("--folder", type=Path, required=True, help="state of the series")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / "results.jsonl"
    lines = record.read_text().splitlines() if record.exists() else []
    results = {name: Result(**one) for line in lines for name, one in json.loads(line).items()}

    def add(name: str, result: Result) -> None:
        results[name] = result
        with record.open("a") as stream:
            stream.write(json.dumps({name: asdict(result)}) + "\n")
        end = result.violation or result.skipped or "the files of a fresh run"
        say(f"{name}: {result.runs} runs, {result.kills} kills, {result.seconds:.0f} s: {end}")

    bench = Bench(folder)
    series = {one.__name__: (11, [one]) for one in ALL if options.each}
    for seed in range(options.first, options.first + options.sequences):
        draw = random.Random(seed)
        series[f"sequence {seed}"] = seed, draw.choices(MOVES, k=draw.randint(2, 4))
    for name, (seed, moves) in series.items():
        if name not in results:
            add(name, run_sequence(bench, seed, moves))
    if options.kills and "kills" not in results:
        scale = ("--config", "scale=smoke")
        add("kills", kill_repeatedly(Workspace.own, folder / "kills", options.kills, scale, say))
    runs, kills, hits, compared = (
        sum(getattr(one, name) for one in results.values())
        for name in ("runs", "kills", "hits", "compared")
    )
    say(
        f"{len(results)} series, {runs} runs, {kills} kills ({hits} while a job was running), "
        f"{compared} comparisons with a fresh run"
    )
    if violated := [name for name, one in results.items() if one.violation]:
        raise ReseedError(f"violations: {', '.join(violated)}: {folder}")


if __name__ == "__main__":
    run(main)
