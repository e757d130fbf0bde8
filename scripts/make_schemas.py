"""Write the JSON schemas of the configuration files, for editors that check YAML as you type."""

from pathlib import Path

from reseed.atomic import write_json
from reseed.config import schemas

if __name__ == "__main__":
    for name, schema in schemas().items():
        write_json(Path("config/schema") / f"{name}.json", schema)
