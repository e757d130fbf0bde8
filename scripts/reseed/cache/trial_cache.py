"""A setting's files: where each trial stands, what it reads, and the key it must have.

Whoever makes, collects, analyses or verifies trials asks here, so all expect the same keys.
"""

import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from reseed.cache.entries import discard, place
from reseed.cache.trial_records import read_trial
from reseed.core.code_hash import digest, trial_key
from reseed.core.coordinates import (
    KEPT_PARTS,
    Coordinates,
    Setting,
    split_path,
    trial_path,
    tuning_stem,
    tuning_trial,
)
from reseed.core.errors import Damaged, ReseedError, Stale
from reseed.data.files import read_meta
from reseed.data.splits import read_split_hashes


def proof(key: str, best: dict) -> str:
    """Hash of what a search found, by which an altered winner is told."""
    return digest(key, best)


def read_winner(path: Path) -> dict:
    """What a search found (`training.search_job`).

    Raises ValueError, KeyError or TypeError for what it did not write; FileNotFoundError.
    """
    found = json.loads(path.read_text(encoding="utf-8"))
    told = proof(found["key"], found["best"])
    if found.get("proof", told) != told:  # earlier versions wrote no proof
        raise ValueError("its values are not those that were found")
    return found


class SettingFiles:
    """Files and keys of one setting.

    Args:
        results: the results folder.
        described: the setting as `plan.PlannedSetting.description` tells it.
    """

    def __init__(self, results: Path, described: dict):
        self.results, self.described = Path(results), described
        self.setting = Setting(*described["setting"])
        self.keep = tuple(described["keep"])
        self._rows: dict[int, dict[int, str]] = {}
        self._found: dict[Path, dict] = {}

    @property
    def data_folder(self) -> Path:
        """Folder of the prepared dataset."""
        return self.results / "data" / self.setting.dataset

    @property
    def weights_folder(self) -> Path | None:
        """Folder of the recipe's pretrained weights, if it has some."""
        name = self.described["recipe"]["weights"]
        return self.results / "weights" / name if name else None

    @cached_property
    def data(self) -> dict:
        """The dataset's meta."""
        return read_meta(self.data_folder)

    @cached_property
    def _weights(self) -> str | None:
        if self.weights_folder is None:
            return None
        return json.loads((self.weights_folder / "meta.json").read_text())["sha256"]

    def split(self, data_seed: int) -> Path:
        """File of the split that a data seed makes."""
        return Path(split_path(str(self.results), *self.setting[:2], data_seed))

    def target(self, trial: Coordinates) -> Path:
        """The trial's declared file."""
        return Path(trial_path(str(self.results), self.setting, trial))

    def rows(self, trial: Coordinates) -> str:
        """Hash of the rows the trial is given.

        A split that is damaged, or stands in another's place, is removed. Raises Damaged.
        """
        seed = trial.data_seed
        if seed not in self._rows:
            drawn_for = {
                "scheme": self.setting.scheme,
                "data_seed": seed,
                "targets_sha256": self.data["targets_sha256"],
            }
            try:
                self._rows[seed] = read_split_hashes(self.split(seed), drawn_for)
            except Damaged as error:
                discard(error.path)
                raise
        return self._rows[seed][trial.fold or 0]

    def search_key(self, trial: Coordinates) -> str:
        """Hash of everything that decides what a search at `trial` finds."""
        described = self.described
        return digest(
            *(described[name] for name in ("recipe", "search", "code", "search_code")),
            *(self.data["content_sha256"], self.rows(trial), self._weights, trial.seeds),
        )

    def search_files(self, trial: Coordinates) -> Path | None:
        """Winner of the search that `trial` uses (the log beside it); None where none is."""
        search = self.described["search"]
        stem = search and tuning_stem(self.setting, search["mode"], trial)
        return self.results / f"{stem}.json" if stem else None

    def winner(self, trial: Coordinates) -> dict | None:
        """What the trial's search found (`training.search_job`); None where none is made.

        Raises Damaged, and Stale.
        """
        path = self.search_files(trial)
        if path is None:
            return None
        if path not in self._found:
            try:
                self._found[path] = read_winner(path)
            except FileNotFoundError:
                raise Damaged(path, "is missing") from None
            except (ValueError, KeyError, TypeError) as error:
                discard(path, path.with_suffix(".parquet"))
                raise Damaged(path, f"damaged ({error})") from None
            searched = tuning_trial(self.described["search"]["mode"], trial)
            if self._found[path]["key"] != self.search_key(searched):
                discard(path, path.with_suffix(".parquet"))
                raise Stale(path, "found for other code, data, rows or search space")
        return self._found[path]

    def hyperparameters(self, trial: Coordinates) -> dict:
        """Given values, overlaid with the winner of the trial's search. Raises Stale."""
        winner = self.winner(trial) or {"best": {}}
        return self.described["recipe"]["hyperparameters"] | winner["best"]

    def key(self, trial: Coordinates) -> str:
        """The key that the trial's record must have."""
        return trial_key(
            self.described["code"],
            self.described["recipe"],
            self.hyperparameters(trial),
            self.data["content_sha256"],
            self.rows(trial),
            self._weights,
            trial.seeds,
        )

    def stored(self, key: str, environment: str = "") -> list[Path]:
        """Where the store may hold a trial that keeps what is asked for; the first is to write.

        More kept serves whoever asks for less. A second record of a key stands under the name of
        its environment (versions, device).
        """
        parts = [set(self.keep), *({part} for part in KEPT_PARTS), set(KEPT_PARTS), set()]
        serving = ["+".join(sorted(kept)) or "metrics" for kept in parts if set(self.keep) <= kept]
        store = self.results / "store"
        return [
            place(store, key, f".{kept}{suffix}.parquet")
            for suffix in ("", f".{environment}")
            for kept in dict.fromkeys(serving)
        ]

    def read(self, trial: Coordinates, columns: Iterable[str] = ()) -> dict:
        """The trial's record from its declared file, once its key is the expected one.

        What is damaged, missing or stale is removed from the results (and, where damaged, from
        the store), so that the next run makes or links it. Raises Damaged, Stale, ReseedError.
        """
        path = self.target(trial)
        try:
            key = self.key(trial)
        except Damaged:  # of its split or search, which are made anew for a trial that is not there
            discard(path)
            raise
        try:
            record = read_trial(path, columns)
        except FileNotFoundError:
            raise ReseedError(f"{path}: missing. Run snakemake again to make it.") from None
        except Damaged:
            discard(path, *self.stored(key))
            raise
        if record["key"] != key:
            discard(path)
            raise Stale(path, "made by other code, settings, data or rows than the project now has")
        return record
