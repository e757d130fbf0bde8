"""The files and keys of one setting's trials and searches.

Training, collecting and verifying all read keys here, so that they expect the same ones. Reading
never deletes: `Damaged` and `Stale` name the files to make again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from reseed.core.blocks import parse_block, trial_name
from reseed.core.code_hash import digest
from reseed.core.coordinates import KEPT_PARTS, Coordinates
from reseed.core.errors import Damaged, ReseedError, Stale
from reseed.core.layout import ResultsLayout
from reseed.core.ownership import read_twice
from reseed.data.files import read_weights_meta
from reseed.data.meta import DatasetMeta, read_meta
from reseed.data.splits import read_split_hashes
from reseed.planning.specs import SettingSpec, to_json
from reseed.trials.entries import entry_path
from reseed.trials.trial_records import BlockFile, TrialRecord

#: Data seeds, and model seeds, whose trials share a folder of segments.
NEIGHBOURS = 100


@dataclass(frozen=True)
class SearchWinner:
    """The result of a hyper-parameter search.

    best: the chosen values.
    fits, failed_fits: trained, and without a score.
    relative_work: against fits on all rows.
    fit_seconds, wall_seconds: of all fits, and of the search. checksum: of `key` and `best`.
    environment, environment_facts: see `TrialRecord`.
    """

    key: str
    best: dict[str, Any]
    best_score: float
    fits: int
    failed_fits: int
    relative_work: float
    fit_seconds: float
    wall_seconds: float
    environment: str
    environment_facts: dict[str, Any] = field(default_factory=dict)

    @property
    def checksum(self) -> str:
        """Hash by which an altered winner is found."""
        return digest(self.key, self.best)

    def as_json(self) -> dict[str, Any]:
        """The fields as the file holds them."""
        return {**vars(self), "proof": self.checksum}


def read_winner(path: Path) -> SearchWinner:
    """Read the winner of a search. Raises FileNotFoundError, and Damaged for an altered file."""

    def read() -> SearchWinner:
        fields = json.loads(path.read_text(encoding="utf-8"))
        checksum = fields.pop("proof")
        winner = SearchWinner(**fields)
        if checksum != winner.checksum:
            raise ValueError("its values do not match their checksum")
        return winner

    return read_twice(path, read, path.with_suffix(".parquet"), optional=True)


def has_failed(path: str | Path) -> bool:
    """Whether a file holds a failed trial, or a search with failed fits; False for no such file."""
    path = Path(path)
    try:
        if path.suffix == ".json":
            return read_winner(path).failed_fits > 0
        block = BlockFile(path)
        return any(block.record(row).status == "failed" for row in range(len(block)))
    except (FileNotFoundError, Damaged):
        return False


def trial_key(
    code: str,
    model: dict[str, Any],
    hyperparameters: dict[str, Any],
    data: str,
    rows: str,
    weights: str | None,
    seeds: dict[str, int],
) -> str:
    """Hash of everything that decides a trial's numbers, and of nothing else.

    Args:
        code: hash of the code of the model's family.
        model: JSON form of `ModelSpec`; its own hyper-parameters do not count.
        hyperparameters: the values trained with, the winner of a search included.
        data: content hash of the dataset, its task included.
        rows: hash of the split's row numbers.
        weights: hash of the pretrained weights, if the model has any.
        seeds: seed by role.
    """
    model = {name: value for name, value in model.items() if name != "hyperparameters"}
    return digest(code, model, hyperparameters, data, rows, weights, seeds)


class TrialCache:
    """Files and keys of one setting.

    Args:
        results: the results folder.
        spec: the setting.
        blocks: names of the blocks whose files hold its trials (`reseed.core.blocks`).
    """

    def __init__(self, results: str | Path, spec: SettingSpec, blocks: Iterable[str] = ()):
        self.layout, self.spec = ResultsLayout(str(results)), spec
        self.setting = spec.setting
        self.blocks = tuple(blocks)
        self._files: dict[tuple[str, ...], tuple[object, BlockFile]] = {}
        self._rows: dict[int, dict[int, str]] = {}
        self._winners: dict[Path, SearchWinner] = {}
        self._folders: dict[tuple[int, int], list[Path]] = {}
        self._hyperparameters: dict[Coordinates | None, dict[str, Any]] = {}

    @property
    def data_folder(self) -> Path:
        """Folder of the prepared dataset."""
        return Path(self.layout.data(self.setting.dataset))

    @property
    def weights_folder(self) -> Path | None:
        """Folder of the model's pretrained weights, if it has any."""
        name = self.spec.model.weights
        return Path(self.layout.weights(name)) if name else None

    @cached_property
    def data(self) -> DatasetMeta:
        """Description of the prepared dataset."""
        return read_meta(self.data_folder)

    @cached_property
    def _weights(self) -> str | None:
        folder = self.weights_folder
        return None if folder is None else read_weights_meta(folder).sha256

    @cached_property
    def _model(self) -> dict[str, Any]:
        return to_json(self.spec.model)

    def split_path(self, data_seed: int) -> Path:
        """File of the splits of a data seed and its neighbours."""
        return Path(self.layout.splits(*self.setting[:2], data_seed))

    def block_path(self, block: str) -> Path:
        """File of a block of trials."""
        return Path(self.layout.block(self.setting, block))

    @cached_property
    def _places(self) -> dict[Coordinates, tuple[str, int]]:
        """Block and row of each trial."""
        return {
            trial: (name, row)
            for name in self.blocks
            for row, trial in enumerate(parse_block(name).trials())
        }

    def trial_path(self, trial: Coordinates) -> Path:
        """The block file that holds the trial."""
        return self.block_path(self._places[trial][0])

    def rows_hash(self, trial: Coordinates) -> str:
        """Hash of the rows that the trial uses. Raises Damaged for a wrong or damaged split."""
        seed = trial.data_seed
        if seed not in self._rows:
            expected = {
                "scheme": self.setting.scheme,
                "targets_sha256": self.data.targets_sha256,
            }
            self._rows[seed] = read_split_hashes(self.split_path(seed), seed, expected)
        return self._rows[seed][trial.fold or 0]

    # --- searches --------------------------------------------------------------------------------

    def search_key(self, at: Coordinates) -> str:
        """Hash of everything that decides the result of a search at these coordinates."""
        data, rows = self.data.content_sha256, self.rows_hash(at)
        return digest(*self.spec.search_parts, data, rows, self._weights, at.seeds)

    def fits_key(self, at: Coordinates) -> str:
        """Hash of what the fits of a search share: code, model, data, rows and weights.

        It has neither the search space nor the number of configurations, so that searches which
        overlap share fits.
        """
        model = {k: v for k, v in self._model.items() if k != "hyperparameters"}
        data, rows = self.data.content_sha256, self.rows_hash(at)
        return digest(model, self.spec.code, self.spec.search_code, data, rows, self._weights)

    def winner_path(self, trial: Coordinates) -> Path | None:
        """Winner of the search that `trial` uses; None where there is no search."""
        at = self.spec.search_at(trial)
        return None if at is None else Path(self.layout.search(self.setting, at))

    def winner(self, trial: Coordinates) -> SearchWinner | None:
        """Result of the search that `trial` uses; None where there is no search.

        Raises Damaged or Stale.
        """
        path, at = self.winner_path(trial), self.spec.search_at(trial)
        if path is None or at is None:
            return None
        if path not in self._winners:
            try:
                winner = read_winner(path)
            except FileNotFoundError:
                raise Damaged(path, "is missing") from None
            if winner.key != self.search_key(at):
                log = path.with_suffix(".parquet")
                raise Stale(path, "found for other code, data, rows or search space", log)
            self._winners[path] = winner
        return self._winners[path]

    # --- trials ----------------------------------------------------------------------------------

    def hyperparameters(self, trial: Coordinates) -> dict[str, Any]:
        """Given values, overlaid with the winner of the trial's search. Raises Damaged or Stale."""
        at = self.spec.search_at(trial)
        if at not in self._hyperparameters:
            winner = self.winner(trial)
            best = winner.best if winner else {}
            self._hyperparameters[at] = self._model["hyperparameters"] | best
        return self._hyperparameters[at]

    def key(self, trial: Coordinates) -> str:
        """The key that the trial's record must have. Raises Damaged or Stale."""
        return trial_key(
            self.spec.code,
            self._model,
            self.hyperparameters(trial),
            self.data.content_sha256,
            self.rows_hash(trial),
            self._weights,
            trial.seeds,
        )

    def entry_paths(self, key: str, environment: str = "") -> list[Path]:
        """Cache entries that may hold a trial with the outputs to keep; the first is to be written.

        An entry that keeps more outputs serves too. A second record of a key has the identifier of
        its environment in its name.
        """
        return [
            entry_path(self.layout.cache, key, f".{kept}{suffix}.parquet")
            for suffix in ("", f".{environment}")
            for kept in self._serving
        ]

    @cached_property
    def _serving(self) -> list[str]:
        """Names of the outputs to keep, and of more."""
        keep = set(self.spec.keep)
        parts = [keep, *({part} for part in KEPT_PARTS), set(KEPT_PARTS), set()]
        serving = ("+".join(sorted(kept)) or "metrics" for kept in parts if keep <= kept)
        return list(dict.fromkeys(serving))

    def segment_folders(self, trial: Coordinates) -> list[Path]:
        """Folders of the segments that may hold a trial; the first is to be written.

        Trials with neighbouring seeds share one, whatever their rows and hyper-parameters.
        """
        near = trial.data_seed // NEIGHBOURS, trial.init // NEIGHBOURS
        if near not in self._folders:
            key = digest(*self._segment_parts, *near)
            self._folders[near] = [
                entry_path(self.layout.cache, key, f".{kept}") for kept in self._serving
            ]
        return self._folders[near]

    @cached_property
    def _segment_parts(self) -> tuple[Any, ...]:
        model = {name: value for name, value in self._model.items() if name != "hyperparameters"}
        return "segments", self.spec.code, model, self.data.content_sha256, self._weights

    def read(self, trial: Coordinates, columns: Iterable[str] = ()) -> TrialRecord:
        """The trial's record from its block file, checked against the expected key.

        Raises Damaged or Stale, which name the files to delete, and ReseedError for a missing file.
        """
        block, row = self._places[trial]
        path = self.block_path(block)
        try:
            key = self.key(trial)
        except Damaged as error:
            # Snakemake makes a split or a search again only for a block that is missing.
            error.files += (path,)
            raise
        try:
            record = self._open(block, tuple(columns)).record(row)
        except FileNotFoundError:
            raise ReseedError(f"{path}: missing. Run snakemake again to make it.") from None
        if record.key != key:
            raise Stale(
                path,
                f"{trial_name(trial)} was made by other code, settings, data or rows than the "
                "project has now",
            )
        return record

    def _open(self, block: str, columns: tuple[str, ...]) -> BlockFile:
        """The file of a block. The last one for these columns stays open until it is replaced."""
        path = self.block_path(block)
        facts = path.stat()
        stamp = (path, facts.st_ino, facts.st_mtime_ns, facts.st_size)
        known, file = self._files.get(columns, (None, None))
        if file is None or known != stamp:
            file = BlockFile(path, columns)
            if file.seeds() != list(parse_block(block).trials()):
                raise Stale(path, "it holds other seeds than its name says")
            self._files[columns] = stamp, file
        return file
