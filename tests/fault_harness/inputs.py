"""Inputs of the study that random sequences of moves change, each with a few variants.

The variants in use identify the inputs, so that the results of a fresh run are needed once.
"""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml
from reseed.pipeline.data_files import HASHED_BYTES

from fault_harness.workspace import TABLE, copy_pipeline, write_entry

MODULE = '''"""Seeded classifiers of the study."""
import os
from pathlib import Path

import leaves
import solver
from sklearn.tree import DecisionTreeClassifier
from trouble import trouble

HERE = Path(__file__).parent


def tree(task, n_classes, hyperparameters, seeds, device, threads):
    trouble(seeds["init"])
    for line in (HERE / "variables.env").read_text().split():
        name, _, value = line.partition("=")
        os.environ[name] = value
    return DecisionTreeClassifier(
        max_depth=3,
        splitter=solver.SPLITTER,
        min_samples_leaf=leaves.LEAST + int(os.environ["MORE_ROWS"]),
        random_state=seeds["init"],
        **hyperparameters,
    )
'''
#: File outside the inputs, as a licence server is: code that trees execute, which knows their seed.
TROUBLE = "trouble.txt"
#: Folder of installed packages: one package, and an editable install of the folder `checkout`.
SITE = "lib/site-packages"
#: An installed package. Its version and its list of files follow its text.
PACKAGE = f"{SITE}/solver.py"
EDITABLE = "checkout/leaves.py"
# Of the installed package, whose code is not followed: a user's module may not execute a text.
TROUBLE_CODE = """import os, pathlib, resource, signal, sys, time
import numpy as np

def trouble(seed):
    exec((pathlib.Path(__file__).parents[2] / "trouble.txt").read_text())
"""
#: A file with variables for the model, named under `code:`.
NAMED = "variables.env"
TABLE_FILE = "table.csv"
SETTINGS = "config/config.yaml"
# In a process of its own, a job finds editable installs of `SITE` as those of its interpreter.
SITE_START = """import os
import site

site.addsitedir(os.path.dirname(__file__))
"""
# With these blank lines a file is too large to be hashed at every start.
PADDING = "\n" * (HASHED_BYTES + 1)
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
    },
    "analyses": {
        "spread": {"kind": "spread", "experiments": ["model_seeds", "data_seeds"]},
        "outputs": {"kind": "own_analysis:analyse"},
    },
    "exhibits": {
        "scores": {
            "kind": "spread_table",
            "title": "Scores",
            "analysis": "spread",
            "options": {"experiments": ["model_seeds", "data_seeds"]},
        }
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


def _pad(text: str) -> str:
    return text + PADDING


#: File → edits of its original text. Variant 0 is the original.
EDITS: dict[str, tuple[Callable[[str], str], ...]] = {
    "config/studies/small.yaml": (
        _change("experiments", "model_seeds", "seeds", "model", "count", value=4),
        _change("title", value="Another title"),
        _change("splits", value=[{"kind": "holdout", "test": 0.4}]),
        _change("exhibits", "scores", "title", value="Other scores"),
        _change("analyses", "outputs", "options", value={"scale": 2.0}),
        _change("models", value=["tree"]),
    ),
    "config/models/forest.yaml": (_change("hyperparameters", "max_depth", value=1),),
    # Each pair of variants has the same size.
    TABLE_FILE: (_flip_rows, _pad, lambda text: _pad(_flip_rows(text))),
    "own_models.py": (_replace("max_depth=3", "max_depth=2"), lambda text: text + "# A comment\n"),
    "own_analysis.py": (_replace(".mean())", ".std())"),),
    SETTINGS: (lambda text: text + "mixed: retrain\n",),
    NAMED: (_replace("0", "4"),),
    EDITABLE: (_replace("1", "8"),),
    PACKAGE: (_replace("random", "best"),),
    "scripts/reseed/models/forest.py": (_replace('seeds["init"]', 'seeds["init"] + 1'),),
    "scripts/reseed/report/exhibits/spread_table.py": (lambda text: text + "\nEDITED = 1\n",),
    "scripts/reseed/trials/collect_trials.py": (lambda text: text + "\nEDITED = 1\n",),
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
        (folder / TABLE_FILE).write_text("\n".join(["a,b,y", *lines, ""]))
        (folder / TROUBLE).write_text("")
        (folder / NAMED).write_text("MORE_ROWS=0\n")
        _write_packages(folder)
        write_entry(folder, "config", {"scale": "smoke", "block_seconds": 60, "verify_sample": 2})
        write_entry(folder, "datasets/table", TABLE)
        forest = {"n_estimators": 2, "max_depth": 2}
        for name, factory, hyperparameters in (
            ("tree", "own_models:tree", {}),
            ("forest", "reseed.models.forest:random_forest", forest),
        ):
            entry = {"name": name, "title": name.title(), "factory": factory}
            entry |= {"hyperparameters": hyperparameters, "seconds_per_trial": 0.1}
            if name == "tree":
                entry["code"] = [NAMED]
            write_entry(folder, f"models/{name}", entry)
        write_entry(folder, "studies/small", STUDY)
        return cls.read(folder)

    @classmethod
    def read(cls, folder: Path) -> Inputs:
        """The inputs of a folder in which nothing was edited yet."""
        return cls(folder, {file: (folder / file).read_text() for file in EDITS})

    @cached_property
    def variants(self) -> dict[str, list[str]]:
        """Every text of each file."""
        return {
            file: [text, *(edit(text) for edit in EDITS[file])]
            for file, text in self.originals.items()
        }

    def use(self, file: str, variant: int) -> None:
        """Write a variant of a file."""
        text = self.variants[file][variant]
        if file == PACKAGE:
            _install_package(self.folder, f"{variant + 1}.0", text)
        else:
            (self.folder / file).write_text(text)

    def used(self) -> tuple[int, ...]:
        """Number of the variant of each file."""
        return tuple(self.variants[file].index((self.folder / file).read_text()) for file in EDITS)

    def variant(self, file: str) -> int:
        """Number of the variant of a file."""
        return self.used()[list(EDITS).index(file)]

    def use_all(self, variants: tuple[int, ...]) -> None:
        """Write these variants of all files, where they differ from those on disk."""
        for file, new, old in zip(EDITS, variants, self.used(), strict=True):
            if new != old:
                self.use(file, new)


def _write_packages(folder: Path) -> None:
    """Write an installed package and an editable install."""
    checkout = folder / EDITABLE
    checkout.parent.mkdir()
    checkout.write_text("LEAST = 1\n")
    site = folder / SITE
    site.mkdir(parents=True)
    (site / "sitecustomize.py").write_text(SITE_START)
    (site / "__editable__.leaves.pth").write_text("../../checkout\n")
    (site / "trouble.py").write_text(TROUBLE_CODE)
    _install_package(folder, "1.0", 'SPLITTER = "random"\n')


def _install_package(folder: Path, version: str, text: str) -> None:
    """Install a version of the package, as pip does: module, metadata and list of files."""
    (folder / PACKAGE).write_text(text)
    for older in (folder / SITE).glob("solver-*"):
        shutil.rmtree(older)
    info = folder / SITE / f"solver-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: solver\nVersion: {version}\n")
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    (info / "RECORD").write_text(f"solver.py,sha256={sha256},{len(text)}\ntrouble.py,,\n")
