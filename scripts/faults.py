"""Try every fault and write docs/reliability.md; exit status 1 if one ends badly."""

import argparse
import datetime
import os
import platform
import sys
import tempfile
from pathlib import Path

from reseed.errors import ReseedError
from reseed.faults.kills import kill_often
from reseed.faults.outcome import CASES, Bench, load_cases
from reseed.faults.page import page
from reseed.faults.workspace import Workspace
from reseed.machine import cpu_name
from reseed.scripting import run, say


def main() -> None:
    """Kill, damage, feed; then write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="SIGKILLs (0: none)")
    parser.add_argument("--small", action="store_true", help="kill a small study, not scale smoke")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--case", action="append", help="only these cases")
    parser.add_argument("--output", type=Path, default=Path("docs/reliability.md"))
    arguments = parser.parse_args()
    load_cases()
    outcomes, kills = {}, None
    facts = {
        "command": " ".join(["python", "scripts/faults.py", *sys.argv[1:]]),
        "date": datetime.date.today().isoformat(),
        "system": f"{os.cpu_count()} cores, {cpu_name()}, Python {platform.python_version()}",
    }

    def tell() -> None:
        arguments.output.write_text(page(kills, outcomes, facts), encoding="utf-8")

    with tempfile.TemporaryDirectory(prefix="reseed-faults-") as folder:
        bench = Bench(Path(folder, "cases"))
        for name in arguments.case or CASES:
            outcomes[name] = bench.try_case(CASES[name])
            outcome, seconds = outcomes[name]
            say(f"{CASES[name].title}: {outcome.end}, {seconds:.0f} s. {outcome.message}")
            tell()
        if arguments.kills:
            make = Workspace.small if arguments.small else Workspace.own
            scale = () if arguments.small else ("--config", "scale=smoke")
            kills = kill_often(
                make, Path(folder, "kills"), arguments.kills, arguments.seed, scale, say
            )
            tell()
    bad = [name for name, (outcome, _) in outcomes.items() if not outcome.good]
    if bad or (kills and not kills.survived):
        raise ReseedError(f"not all ends well ({', '.join(bad) or 'kills'}): {arguments.output}")


if __name__ == "__main__":
    run(main)
