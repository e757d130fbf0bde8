"""The configuration of a tiny project, by file."""

from pathlib import Path

import yaml

ENTRIES = {
    "datasets/toy": {"name": "toy", "title": "Toy", "task": "binary", "target": "y"}
    | {"sources": [{"kind": "file", "path": "toy.csv"}]},
    "models/forest": {
        "name": "forest",
        "title": "Forest",
        "factory": "reseed.models.forest:random_forest",
    },
    "studies/first": {
        "name": "first",
        "title": "First",
        "datasets": ["toy"],
        "models": ["forest"],
        "splits": [{"kind": "holdout", "test": 0.2}],
        "experiments": {"models": {"seeds": {"model": {"count": 3}}}},
    },
}


def write_entries(folder: Path, entries: dict) -> None:
    """Write each entry as `FOLDER/NAME.yaml`; a text is written as it is."""
    for name, entry in entries.items():
        path = Path(folder, f"{name}.yaml")
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(entry if isinstance(entry, str) else yaml.safe_dump(entry))
