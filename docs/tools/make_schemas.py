"""Write the JSON schemas of the configuration files, and their reference page."""

import argparse
from pathlib import Path

from reference import reference
from reseed.core.atomic import write_json, write_text
from schemas import build_json_schemas

PAGE = Path("config/README.md")

if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    for name, schema in build_json_schemas().items():
        write_json(Path("config/schema") / f"{name}.json", schema)
    # The path where Snakemake's workflow catalog looks for a schema to display.
    write_json(Path("workflow/schemas/config.schema.json"), build_json_schemas()["config"])
    write_text(PAGE, reference(PAGE.read_text(encoding="utf-8")))
