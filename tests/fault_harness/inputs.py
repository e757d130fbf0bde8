"""Inputs of the study that random sequences of moves change, each with a few variants.

The variants in use identify the inputs, so that the results of a fresh run are needed once.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

from fault_harness.workspace import TABLE, copy_pipeline, write_entry

MODULE = '''"""Seeded classifiers of the study."""
from sklearn.tree import DecisionTreeClassifier


def tree(task, n_classes, hyperparameters, seeds, device, threads):
    return DecisionTreeClassifier(
        max_depth=3, splitter="random", random_state=seeds["init"], **hyperparameters
    )
'''
ANALYSIS = '''"""An analysis of the user, with the raw outputs."""
import pandas as pd
from reseed.plugins.options import Strict

READS = "predictions"
SEQUENTIAL = True


class Options(Strict):
    scale: float = 1.0


def analyse(data, options):
    rows = [
        {"experiment": group.key["experiment"], "mean": options.scale * float(group.scores.mean())}
        for group in data.predictions.read_groups()
    ]
    return pd.DataFrame(rows)
'''
STUDY = {
    "name": "small",
    "title": "A small study",
    "keep": ["test"],
    "datasets": ["table"],
    "models": ["tree", "forest"],
    "splits": [{"kind": "holdout", "test": 0.3}],
    "experiments": {
        "model_seeds": {"seeds": {"model": {"count": 3}}},
        "data_seeds": {"seeds": {"data": {"count": 2}, "model": 0}},
        # It shares trials with the first one. At this level pairs are settled by few runs.
        "rounds": {
            "models": ["tree", "forest"],
            "seeds": {"model": {"count": 5}},
            "until": {"first": 2, "batch": 1, "alpha": 0.9},
        },
    },
    "analyses": {
        "spread": {"kind": "spread", "experiments": ["model_seeds", "data_seeds"]},
        "outputs": {"kind": "own_analysis:analyse"},
        "settled": {"kind": "stopping", "experiments": ["rounds"]},
    },
    "exhibits": {
        "scores": {
            "kind": "spread_table",
            "title": "Scores",
            "analysis": "spread",
            "options": {"experiments": ["model_seeds", "data_seeds"]},
        },
    },
}


def _change(*path: str, value: object) -> Callable[[str], str]:
    """A change of one field of a YAML text."""

    def edit(text: str) -> str:
        entry = yaml.safe_load(text)
        part = entry
        for name in path[:-1]:
            part = part[name]
        part[path[-1]] = value
        return yaml.safe_dump(entry)

    return edit


def _replace(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return edit


def _flip_rows(text: str) -> str:
    head, *rows = text.splitlines()
    return "\n".join([head, *reversed(rows)]) + "\n"


#: File → edits of its original text. Variant 0 is the original.
EDITS: dict[str, tuple[Callable[[str], str], ...]] = {
    "config/studies/small.yaml": (
        _change("experiments", "model_seeds", "seeds", "model", "count", value=4),
        _change("title", value="Another title"),
        _change("splits", value=[{"kind": "holdout", "test": 0.4}]),
        _change("exhibits", "scores", "title", value="Other scores"),
        _change("analyses", "outputs", "options", value={"scale": 2.0}),
        _change("models", value=["tree"]),
        _change("experiments", "rounds", "until", "alpha", value=1e-6),
    ),
    "config/models/forest.yaml": (_change("hyperparameters", "max_depth", value=1),),
    "table.csv": (_flip_rows,),
    "own_models.py": (_replace("max_depth=3", "max_depth=2"), lambda text: text + "# A comment\n"),
    "own_analysis.py": (_replace(".mean())", ".std())"),),
    "scripts/reseed/models/forest.py": (_replace('seeds["init"]', 'seeds["init"] + 1'),),
    "scripts/reseed/exhibits/spread_table.py": (lambda text: text + "\nEDITED = 1\n",),
    "scripts/reseed/collection/trials.py": (lambda text: text + "\nEDITED = 1\n",),
}


@dataclass(frozen=True)
class Inputs:
    """The inputs of a project folder. Their variants are those of the files on disk."""

    folder: Path
    originals: dict[str, str]

    @classmethod
    def write(cls, folder: Path) -> Inputs:
        """Write a project with the original inputs."""
        folder.mkdir(parents=True)
        copy_pipeline(folder)
        (folder / "own_models.py").write_text(MODULE)
        (folder / "own_analysis.py").write_text(ANALYSIS)
        draw = random.Random(0)
        points = [(draw.gauss(0, 1), draw.gauss(0, 1), draw.gauss(0, 1)) for _ in range(80)]
        lines = [f"{a:.4f},{b:.4f},{'yes' if a + noise > 0 else 'no'}" for a, b, noise in points]
        (folder / "table.csv").write_text("\n".join(["a,b,y", *lines, ""]))
        write_entry(folder, "config", {"scale": "smoke", "block_seconds": 60, "verify_sample": 2})
        write_entry(folder, "datasets/table", TABLE)
        forest = {"n_estimators": 2, "max_depth": 2}
        for name, factory, hyperparameters in (
            ("tree", "own_models:tree", {}),
            ("forest", "reseed.models.forest:random_forest", forest),
        ):
            entry = {"name": name, "title": name.title(), "factory": factory}
            entry |= {"hyperparameters": hyperparameters, "seconds_per_trial": 0.1}
            write_entry(folder, f"models/{name}", entry)
        write_entry(folder, "studies/small", STUDY)
        return cls.read(folder)

    @classmethod
    def read(cls, folder: Path) -> Inputs:
        """The inputs of a folder in which nothing was edited yet."""
        return cls(folder, {file: (folder / file).read_text() for file in EDITS})

    def variants(self, file: str) -> list[str]:
        """Every text of a file."""
        original = self.originals[file]
        return [original, *(edit(original) for edit in EDITS[file])]

    def use(self, file: str, variant: int) -> None:
        """Write a variant of a file."""
        (self.folder / file).write_text(self.variants(file)[variant])

    def used(self) -> tuple[int, ...]:
        """Number of the variant of each file."""
        return tuple(self.variants(file).index((self.folder / file).read_text()) for file in EDITS)

    def use_all(self, variants: tuple[int, ...]) -> None:
        """Write these variants of all files, where they differ from those on disk."""
        for file, new, old in zip(EDITS, variants, self.used(), strict=True):
            if new != old:
                self.use(file, new)
