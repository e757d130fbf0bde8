"""Draw one table or figure of a study."""

import argparse
from pathlib import Path

from reseed.scripting import limit_threads, read_job, run


def main() -> None:
    """Read the arguments and write every format of the exhibit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", type=Path, required=True, help="the exhibit, as a JSON file")
    job = read_job(parser.parse_args().job)
    limit_threads(1)
    from reseed.exhibits.data import read_exhibit_data
    from reseed.kinds import checked_options, find, load

    stem = Path(job["stem"])
    kind = find("exhibits", job["kind"])
    module, options = load(kind), checked_options(kind, job["options"])
    data = read_exhibit_data(Path(job["study"]), job)
    if kind.function == "table":
        from reseed.exhibits.tables import write_table

        write_table(module.table(data, options), stem)
    else:
        from reseed.exhibits.figures import write_figure

        write_figure(*module.figure(data, options), data, stem)


if __name__ == "__main__":
    run(main)
