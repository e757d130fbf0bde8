"""Jobs from raw data to trials: prepare, weights, split, try, search, train, repeat, verify."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from reseed.config.datasets import TEXT_FIELDS, Dataset
from reseed.config.models import Range
from reseed.core.blocks import SeedBlock, block_of, parse_block
from reseed.core.code_hash import code_hash, digest
from reseed.core.coordinates import Coordinates, Setting
from reseed.core.errors import ReseedError, suggest_name
from reseed.core.halving import SearchShard
from reseed.core.layout import REFERENCES, split_seeds, splits_name
from reseed.core.module_finder import is_library_name
from reseed.data.kinds import INPUTS_FILE, META, list_local_files
from reseed.data.registry import find_reader
from reseed.pipeline.job import Context, Job, without_braces
from reseed.pipeline.labels import label_trials
from reseed.planning.plan import Block, PlannedSetting
from reseed.planning.search_shards import fits_shares, plan_shards
from reseed.planning.specs import (
    DataSpec,
    ReplayStep,
    SearchSpec,
    SplitSpec,
    TrySpec,
    VerifySpec,
    WeightsSpec,
)
from reseed.planning.training_specs import build_train_spec, build_verify_spec

_MOST_SEED = 2**32 - 1
#: Seconds in which a user's model must train on a few rows, without `trial_seconds`.
_TRY_SECONDS = 600


def data_code(context: Context, dataset: Dataset) -> str:
    """Hash of the code that prepares a dataset, with the module of its reader."""
    return context.code_key("reseed.jobs.prepare_data", _reader_module(dataset))


def _reader_module(dataset: Dataset) -> str:
    return find_reader(dataset).module


class TrainingJobs:
    """Builds the jobs up to trials. Each method has the name of its rule, and its wildcards."""

    def __init__(self, context: Context):
        self.context, self.layout, self.plan = context, context.layout, context.plan
        self._rungs: dict[Setting, tuple[list[list[tuple[int, int]]], list[float]]] = {}

    # --- data ------------------------------------------------------------------------------------

    def data_files(self, dataset: str) -> list[str]:
        """Files of a prepared dataset: inputs, targets, description."""
        folder = self.layout.data(dataset)
        inputs = INPUTS_FILE[self.plan.datasets[dataset].kind]
        return [f"{folder}/{name}" for name in (inputs, "targets.parquet", META)]

    def prepare(self, dataset: str) -> Job:
        """Raw sources → prepared inputs and targets."""
        context, entry = self.context, self.plan.datasets[dataset]
        outputs, local = self.data_files(dataset), list_local_files(entry)
        present = [file for file in local if os.path.exists(file)]
        return Job(
            module="prepare_data",
            inputs=[*without_braces(present), *context.force_if_untracked(outputs)],
            outputs=outputs,
            key=digest(
                data_code(context, entry),
                entry.model_dump(mode="json", exclude=set(TEXT_FIELDS)),
                context.data_files.describe(local),
            ),
            spec=lambda: DataSpec(
                context.results,
                dataset,
                entry,
                context.sources_of(
                    *("reseed.jobs.prepare_data", _reader_module(entry)),
                    data=local,
                ),
            ),
            environment="data",
        )

    @property
    def weights_files(self) -> dict[str, list[str]]:
        """Names of the files of each entry of weights."""
        return {name: [*one.file_names, META] for name, one in self.plan.weights.items()}

    def _weights(self, weights: str) -> list[str]:
        folder = self.layout.weights(weights)
        return [f"{folder}/{name}" for name in self.weights_files[weights]]

    def weights(self, weights: str) -> Job:
        """Sources of pretrained weights → their files."""
        context, entry = self.context, self.plan.weights[weights]
        local, outputs = list_local_files(entry), self._weights(weights)
        modules = [
            "reseed.jobs.prepare_weights",
            *([entry.converter.partition(":")[0]] if entry.converter else []),
        ]
        return Job(
            module="prepare_weights",
            inputs=[*without_braces(local), *context.force_if_untracked(outputs)],
            outputs=outputs,
            key=digest(
                code_hash(*modules, project=context.folder),
                entry.model_dump(mode="json", include={"sources", "converter", "files"}),
                context.data_files.describe(local),
            ),
            spec=lambda: WeightsSpec(
                context.results,
                entry,
                context.sources_of(*modules, data=local),
            ),
            environment="data",
        )

    def split(self, dataset: str, scheme: str, data_seeds: str) -> Job:
        """Targets → train, validation and test rows of neighbouring data seeds.

        data_seeds: `20-39`.
        """
        context, drawn = self.context, self.plan.schemes()[scheme]
        seeds = split_seeds(int(data_seeds.partition("-")[0]))
        return Job(
            module="make_splits",
            inputs=self.data_files(dataset)[1:],
            outputs=[self.layout.splits(dataset, scheme, seeds[0])],
            key=digest(code_hash("reseed.jobs.make_splits"), drawn.model_dump(mode="json")),
            spec=partial(
                SplitSpec,
                *(context.results, dataset, scheme, drawn, seeds[0]),
                context.sources_of("reseed.jobs.make_splits"),
            ),
            environment="data",
        )

    def list_splits(self) -> Iterator[Job]:
        """The splits that the studies need."""
        needed: dict[tuple[str, str, str], None] = {}
        for setting, blocks in self.plan.blocks.items():
            searched = {at.data_seed for at in self.plan.settings[setting].searches()}
            for seed in sorted(searched.union(*(block.seeds.data for block in blocks))):
                seeds = split_seeds(seed)
                needed[*setting[:2], f"{seeds[0]}-{seeds[-1]}"] = None
        yield from (self.split(*one) for one in needed)

    # --- searches --------------------------------------------------------------------------------

    def search(self, setting: Setting, at: str) -> Job:
        """Training rows, and the fits of shards → the best hyper-parameters of a search."""
        planned, trial = self._search(setting, at)
        layout, (rungs, shares) = self.layout, self._shards(planned)
        winner = layout.search(planned.setting, trial)
        return self._search_job(
            planned,
            trial,
            [
                *self._rows(planned, trial),
                *self._rung_before(planned, trial, len(rungs)),
                *self.context.force_if_failed([winner]),
            ],
            [winner, layout.search(planned.setting, trial, ".parquet")],
            sum(shares[len(rungs) :]),
        )

    def shard(self, setting: Setting, at: str, rung: str, shard: str) -> Job:
        """Training rows, and the rung before → some fits of a search. shard: `1-of-3`."""
        planned, trial = self._search(setting, at)
        rungs, shares = self._shards(planned)
        number, level = int(shard.partition("-")[0]), int(rung)
        start, stop = rungs[level][number]
        total = rungs[level][-1][1]
        files = self._shard_files(planned, trial, level)
        return self._search_job(
            planned,
            trial,
            [*self._rows(planned, trial), *self._rung_before(planned, trial, level)],
            [files[number]],
            shares[level] * (stop - start) / total,
            SearchShard(level, start, stop, files[number]),
        )

    def _search(self, setting: Setting, at: str) -> tuple[PlannedSetting, Coordinates]:
        planned = self.find_setting(setting)
        [trial] = self._find_block(planned, at).trials()
        return planned, trial

    def _shards(self, planned: PlannedSetting) -> tuple[list[list[tuple[int, int]]], list[float]]:
        """Shards of each rung of a setting's searches, and the share of each rung."""
        if planned.setting not in self._rungs:
            rungs = plan_shards(planned, self.context.project.main.block_seconds)
            self._rungs[planned.setting] = rungs, fits_shares(planned)
        return self._rungs[planned.setting]

    def _shard_files(self, planned: PlannedSetting, at: Coordinates, rung: int) -> tuple[str, ...]:
        count = len(self._shards(planned)[0][rung])
        return tuple(
            self.layout.search_shard(planned.setting, at, rung, number, count)
            for number in range(count)
        )

    def _rung_before(self, planned: PlannedSetting, at: Coordinates, rung: int) -> tuple[str, ...]:
        """Files of the rung before."""
        return self._shard_files(planned, at, rung - 1) if rung else ()

    def _search_job(
        self,
        planned: PlannedSetting,
        at: Coordinates,
        inputs: list[str],
        outputs: list[str],
        share: float,
        shard: SearchShard | None = None,
    ) -> Job:
        """A job that makes a share of the fits; without a shard it chooses the winner, too."""
        context, sizes = self.context, self.context.job_sizes
        main = context.project.main
        return Job(
            module="search",
            **_facts(planned, block_of(at)),
            inputs=inputs,
            outputs=outputs,
            key=digest(*planned.spec.search_parts, shard and [shard.rung, shard.start, shard.stop]),
            spec=partial(
                SearchSpec,
                *(context.results, main.mixed, main.retry_failed, planned.spec, at),
                context.write_sources(planned.sources),
                shard,
            ),
            environment=_environment(planned.model.environment, planned.gpus),
            gpus=planned.gpus,
            packages=frozenset(planned.packages),
            minutes=partial(sizes.search_minutes, planned, share),
            memory_mb=partial(sizes.search_memory, planned),
        )

    # --- trials ----------------------------------------------------------------------------------

    def find_setting(self, setting: Setting) -> PlannedSetting:
        """A setting that a study plans. Raises ReseedError."""
        if setting not in self.plan.settings:
            planned = [one.folder for one in self.plan.settings]
            raise ReseedError(
                f"trials/{setting.folder}: no study trains this model so."
                f"{suggest_name(setting.folder, planned)} Name a dataset, split, model and source "
                "of hyper-parameters of a study; the seeds are free."
            )
        return self.plan.settings[setting]

    def _find_block(self, planned: PlannedSetting, name: str) -> SeedBlock:
        """The seeds that a path names. Raises ReseedError."""
        where, scheme = f"{planned.setting.folder}/{name}", planned.scheme
        folds = scheme.folds if scheme.kind in ("kfold", "time") else 0
        try:
            seeds = parse_block(name)
        except ValueError as error:
            raise ReseedError(f"{where}: {error}") from None
        if bool(folds) != (seeds.folds is not None):
            raise ReseedError(
                f"{where}: name folds, as in data-seed-0/folds-0-4, for a scheme with folds alone"
            )
        if seeds.folds is not None and max(seeds.folds) >= folds:
            raise ReseedError(f"{where}: the folds are 0 to {folds - 1}")
        if max(*seeds.data, *(seed for role in seeds.roles for seed in role)) > _MOST_SEED:
            raise ReseedError(f"{where}: a seed is at most {_MOST_SEED}")
        return seeds

    def train(self, setting: Setting, block: str) -> Job:
        """Splits and hyper-parameters → the trials of a block, which no study need plan."""
        context, sizes = self.context, self.context.job_sizes
        planned = self.find_setting(setting)
        seeds = self._find_block(planned, block)
        one = Block(planned, seeds, tuple(planned.studies))
        output = self.layout.block(planned.setting, block)
        return Job(
            module="train",
            **_facts(planned, seeds),
            inputs=[*self.training_inputs(one), *context.force_if_failed([output])],
            outputs=[output],
            key=planned.spec.key,
            spec=partial(build_train_spec, context.project, [one], context.write_sources),
            environment=_environment(planned.model.environment, planned.gpus),
            priority=self._priority(one),
            gpus=planned.gpus,
            packages=frozenset(planned.packages),
            minutes=partial(sizes.block_minutes, one),
            memory_mb=partial(sizes.block_memory, one),
            disk_mb=partial(sizes.block_disk, one),
        )

    def try_model(self, dataset: str, model: str) -> Job:
        """A prepared dataset → proof that a user's own model trains on a few of its rows."""
        context, main = self.context, self.context.project.main
        settings = self.plan.settings.values()
        planned = next(one for one in settings if one.setting[::2] == (dataset, model))
        seeds = block_of(planned.trials[0])
        space = planned.model.search_space.items()
        first = {name: one.low if isinstance(one, Range) else one[0] for name, one in space}
        hyperparameters = first | planned.model.hyperparameters
        return Job(
            module="try_model",
            **_facts(planned, seeds),
            inputs=self._data(planned),
            outputs=[self.layout.tried(dataset, model)],
            key=digest(code_hash("reseed.jobs.try_model"), planned.spec.key, hyperparameters),
            spec=lambda: TrySpec(
                *(context.results, planned.spec, hyperparameters),
                main.trial_seconds or _TRY_SECONDS,
                context.write_sources(planned.sources),
            ),
            environment=_environment(planned.model.environment, planned.gpus),
            gpus=planned.gpus,
            packages=frozenset(planned.packages),
            minutes=partial(context.job_sizes.block_minutes, Block(planned, seeds, ())),
            memory_mb=partial(context.job_sizes.block_memory, Block(planned, seeds, ())),
        )

    def check_target(self, target: str) -> None:
        """Raise ReseedError for a requested block, search or split whose name names none.

        Snakemake shows an error of a function of wildcards with its whole traceback.
        """
        name = target.removeprefix(f"{self.layout.root}/")
        if match := re.fullmatch(r"(?:trials|tuning)/((?:[^/]+/){4})(.+)\.(?:parquet|json)", name):
            planned = self.find_setting(Setting(*match[1].split("/")[:4]))
            at = re.sub(r"/rung-\d+/shard-\d+-of-\d+$", "", match[2])
            seeds = self._find_block(planned, at)
            if name.startswith("tuning/") and len(seeds) > 1:
                raise ReseedError(f"{target}: a search has one seed of each kind")
        elif match := re.fullmatch(r"splits/[^/]+/[^/]+/data-seeds-(\d+)-\d+\.parquet", name):
            if int(match[1]) > _MOST_SEED:
                raise ReseedError(f"{target}: a seed is at most {_MOST_SEED}")
            if (file := splits_name(int(match[1]))) != Path(name).stem:
                raise ReseedError(f"{target}: these splits are in {file}.parquet")

    def _data(self, planned: PlannedSetting) -> list[str]:
        """Data and weights that fits of a setting read."""
        name = planned.model.weights
        weights = self._weights(name) if name else []
        return [*self.data_files(planned.setting.dataset), *weights]

    def _rows(self, planned: PlannedSetting, *trials: Coordinates) -> list[str]:
        """Data, weights and splits that fits of a setting read; of a user's model, its try."""
        dataset, scheme, model, _ = planned.setting
        splits = (self.layout.splits(dataset, scheme, trial.data_seed) for trial in trials)
        is_own = not is_library_name(planned.model.factory.partition(":")[0])
        tried = [self.layout.tried(dataset, model)] if is_own else []
        return [*self._data(planned), *dict.fromkeys(splits), *tried]

    def training_inputs(self, block: Block) -> list[str]:
        """Files that training a block reads: data, splits, weights, winners of searches."""
        planned = block.planned
        first = {seed: Coordinates(seed, None, 0, 0, 0, 0) for seed in block.seeds.data}
        searched = block.seeds.trials() if planned.mode != "default" else ()
        winners = planned.searches_of(list(searched))
        return [
            *self._rows(planned, *first.values()),
            *(self.layout.search(planned.setting, at) for at in winners),
        ]

    def _priority(self, block: Block) -> float:
        """Priority of a training job: study after study, so that the first pages come early.

        Within a study the longest job comes first, so that no long job runs alone at the end; of
        equally long ones that of the lowest seeds, so that models take turns and their times are
        measured under like load. It is less than that of other jobs.
        """
        trained, seeds = self.context.trained, block.seeds
        rank = max(len(trained) - trained.index(study) - 1 for study in block.studies)
        turn = 1e-13 * min(seeds.data[0] + sum(role[0] for role in seeds.roles), 1e5)
        return (rank + block.seconds / (block.seconds + 1) - turn) / len(trained) - 1

    # --- checks of trials ------------------------------------------------------------------------

    def verify(self, steps: Callable[[], Iterable[ReplayStep]]) -> Job:
        """All planned trials → a check of each, and of what follows from them; it has no output.

        steps: builds the steps of the check.
        """
        context, main = self.context, self.context.project.main
        blocks = self.plan.all_blocks()
        sample = None if main.verify_all else main.verify_sample

        def build_spec() -> VerifySpec:
            spec = build_verify_spec(context.project, blocks, context.write_sources, sample)
            references, config = str(context.folder / REFERENCES), str(context.config.absolute())
            return replace(spec, steps=tuple(steps()), references=references, config=config)

        return Job(
            module="verify",
            inputs=[self.plan.block_file(block) for block in blocks],
            outputs=[],
            key=None,
            spec=build_spec,
            environment=_environment("verification", _count_gpus(blocks)),
            gpus=_count_gpus(blocks),
        )

    def repeat(self, study: str) -> Job:
        """Trials of a study → repeated fits, one of each model (Raste et al., Section 4.1)."""
        context, blocks = self.context, self.plan.study_blocks(study)
        settings = {block.planned.setting: block.planned.spec.key for block in blocks}
        key = digest(code_hash("reseed.jobs.repeat_fits"), sorted(settings.values()))
        return Job(
            module="repeat_fits",
            inputs=[self.plan.block_file(block) for block in blocks],
            outputs=[self.layout.study(study).repeated_fits],
            key=key,
            table_key=digest(key),
            spec=partial(
                build_verify_spec, context.project, blocks, context.write_sources, None, study
            ),
            environment=_environment("training", _count_gpus(blocks)),
            gpus=_count_gpus(blocks),
        )


def _facts(planned: PlannedSetting, seeds: SeedBlock) -> dict[str, Any]:
    """What the progress of a run says of a training or search."""
    return {
        "model": planned.model.title,
        "dataset": planned.dataset.title,
        "seeds": label_trials(seeds),
    }


def _environment(name: str, gpus: int) -> str:
    """The file in `envs/` of a job that requests GPUs: with a build of PyTorch for them.

    A model that names an environment of its own has that one on every device.
    """
    return f"{name}-gpu" if gpus and name in ("training", "verification") else name


def _count_gpus(blocks: Iterable[Block]) -> int:
    """GPUs that a check of these trials requests."""
    return max((block.planned.gpus for block in blocks), default=0)
