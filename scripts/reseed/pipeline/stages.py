"""What a wildcard rule asks of the plan: one object a rule, whose methods Snakemake calls.

A rule names a file by its wildcards; the plan says what the file is made from, under which key, on
which device, in which environment. `plan.train.inputs` is a function of wildcards for `input:`,
`plan.train.key` one for `params:`, and so on. Snakemake looks at the names of their arguments.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reseed.core.coordinates import Setting
from reseed.pipeline.job import Job

#: Writes the spec of a job and returns the path of its file.
WriteSpec = Callable[[Job], str]
#: Versions whose change starts a job again.
Versions = Callable[[Job], dict[str, str] | None]


class Stage:
    """The jobs of one rule.

    Args:
        find: returns the job with these wildcards, given by name; those of a setting as one.
        write: see `WriteSpec`.
        versions: see `Versions`; None: no version starts the job again.
    """

    def __init__(
        self, find: Callable[..., Job], write: WriteSpec, versions: Versions | None = None
    ):
        self._find, self._write, self._versions = find, write, versions
        self._jobs: dict[tuple[tuple[str, str], ...], Job] = {}

    def job(self, wildcards: Any) -> Job:
        """The job with these wildcards."""
        names = tuple(wildcards.items())
        if names not in self._jobs:
            given = dict(names)
            if "hyperparameters" in given:
                given["setting"] = Setting(*(given.pop(name) for name in Setting._fields))
            self._jobs[names] = self._find(**given)
        return self._jobs[names]

    def inputs(self, wildcards: Any) -> list[str]:
        """Files that the job reads."""
        return self.job(wildcards).inputs

    def key(self, wildcards: Any) -> Any:
        """What must not change for the files of the job to be valid."""
        job = self.job(wildcards)
        versions = self._versions(job) if self._versions else None
        return [job.key, versions] if versions else job.key

    def spec(self, wildcards: Any, output: Any) -> str:
        """Path of the job's spec, written when Snakemake asks for it.

        A parameter that is a function of `output` starts no job again; the key does. So neither the
        place of the checkout nor a text starts a job again.
        """
        path = Path(self._write(self.job(wildcards)))
        folder = Path.cwd()
        return str(path.relative_to(folder) if path.is_relative_to(folder) else path)

    def model(self, wildcards: Any, output: Any) -> str:
        """Title of the model."""
        return self.job(wildcards).model

    def dataset(self, wildcards: Any, output: Any) -> str:
        """Title of the dataset."""
        return self.job(wildcards).dataset

    def seeds(self, wildcards: Any, output: Any) -> str:
        """The seeds, as a person reads them."""
        return self.job(wildcards).seeds

    def environment(self, wildcards: Any) -> str:
        """File of the conda environment, relative to the folder of the rules."""
        return f"../envs/{self.job(wildcards).environment}.yaml"

    def priority(self, wildcards: Any) -> float:
        """Greater runs earlier."""
        return self.job(wildcards).priority

    def gpus(self, wildcards: Any) -> int:
        """GPUs to request."""
        return self.job(wildcards).gpus

    def minutes(self, wildcards: Any, threads: int, attempt: int) -> int:
        """Minutes to request."""
        minutes = self.job(wildcards).minutes
        assert minutes is not None
        return minutes(threads, attempt)

    def memory_mb(self, wildcards: Any, threads: int, attempt: int) -> int:
        """Megabytes to request."""
        memory = self.job(wildcards).memory_mb
        assert memory is not None
        return memory(threads, attempt)

    def disk_mb(self, wildcards: Any, threads: int, attempt: int) -> int:
        """Megabytes of disk that the outputs take."""
        disk = self.job(wildcards).disk_mb
        assert disk is not None
        return disk(threads, attempt)

    # --- Snakemake's own report ------------------------------------------------------------------

    def caption(self, wildcards: Any, output: Any) -> str:
        """Caption of the first output: the text beside an exhibit, or the title of the study."""
        text = Path(output[0]).with_suffix(".rst")
        try:
            return text.read_text(encoding="utf-8")
        except OSError:
            return self.job(wildcards).texts["category"]

    def category(self, wildcards: Any) -> str:
        """Title of the study."""
        return _as_plain_text(self.job(wildcards).texts["category"])

    def subcategory(self, wildcards: Any) -> str:
        """Whether the paper has the exhibit."""
        return _as_plain_text(self.job(wildcards).texts["subcategory"])

    def labels(self, wildcards: Any) -> dict[str, str]:
        """Number, title and form of an exhibit, and whether it has nothing to show."""
        job = self.job(wildcards)
        labels = {name: _as_plain_text(text) for name, text in job.texts["labels"].items()}
        if _is_empty(Path(job.outputs[0]).with_suffix(".json")):
            labels["form"] += " (nothing to show)"
        return labels


def _is_empty(sidecar: Path) -> bool:
    """Whether an exhibit that was made has nothing to show."""
    try:
        return bool(json.loads(sidecar.read_bytes())["empty"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _as_plain_text(text: str) -> str:
    """A text in which Snakemake's report finds no wildcards.

    It takes `{name}` for a wildcard and has no escape. A space of no width after the brace prevents
    that.
    """
    return text.replace("{", "{\u200b")
