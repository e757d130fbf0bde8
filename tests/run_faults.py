"""Try every fault; write build/reliability.md and its table. Exit status 1: a bad outcome."""

import argparse
import datetime
import os
import platform
import tempfile
from pathlib import Path

from fault_harness import load_cases
from fault_harness.kills import kill_repeatedly
from fault_harness.outcome import CASES, Bench
from fault_harness.page import page, table
from fault_harness.record import read_record
from fault_harness.workspace import Workspace
from reseed.core.environment import read_cpu_name
from reseed.core.errors import ReseedError
from reseed.pipeline.runner import run, say


def main() -> None:
    """Try the requested cases and kills; write the page after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="SIGKILLs (0: none)")
    parser.add_argument("--small", action="store_true", help="kill a small study, not scale smoke")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random moments")
    parser.add_argument("--case", action="append", help="cases to try (none: no case)")
    parser.add_argument("--record", type=Path, default=Path("results/faults.json"))
    parser.add_argument("--output", type=Path, default=Path("build/reliability.md"))
    arguments = parser.parse_args()
    load_cases()
    record = read_record(arguments.record)
    record.dates = sorted({*record.dates, datetime.date.today().isoformat()})
    system = f"{os.cpu_count()} cores, {read_cpu_name()}, Python {platform.python_version()}"

    def write_page() -> None:
        record.save(arguments.record)
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(page(record, system), encoding="utf-8")
        arguments.output.with_suffix(".csv").write_text(table(record), encoding="utf-8")

    with tempfile.TemporaryDirectory(prefix="reseed-faults-") as folder:
        bench = Bench(Path(folder, "cases"))
        requested = [name for name in arguments.case or CASES if name != "none"]
        for name in [name for name in requested if CASES[name].possible]:
            record.outcomes[name], seconds = bench.try_case(CASES[name])
            end, message = record.outcomes[name].end, record.outcomes[name].message
            say(f"{CASES[name].title}: {end}, {seconds:.0f} s. {message}")
            write_page()
        if arguments.kills:
            make = Workspace.small if arguments.small else Workspace.own
            scale = () if arguments.small else ("--config", "scale=smoke")
            kills_folder = Path(folder, "kills")
            record.kills = kill_repeatedly(
                make, kills_folder, arguments.kills, arguments.seed, scale, say
            )
            record.kills.what = "a small study (`--small`)" if arguments.small else "scale smoke"
    write_page()
    if record.bad:
        raise ReseedError(f"bad outcomes ({', '.join(record.bad)}): {arguments.output}")


if __name__ == "__main__":
    run(main)
