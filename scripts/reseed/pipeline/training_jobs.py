"""Jobs from raw data to trials: prepare, weights, split, search, train, and checks of trials."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from reseed.config import Dataset
from reseed.core.code_hash import code_hash, digest
from reseed.core.coordinates import Coordinates
from reseed.core.halving import SearchShard
from reseed.core.identifiers import job_name
from reseed.data.kinds import INPUTS_FILE, META, list_local_files
from reseed.data.registry import find_reader
from reseed.pipeline.jobs import Context, Job, without_braces
from reseed.pipeline.labels import label_block, label_seeds
from reseed.planning.entries import as_entry, as_weights_entry
from reseed.planning.job_sizes import SearchWork
from reseed.planning.plan import Block, PlannedSetting, blocks
from reseed.planning.search_shards import fits_shares, plan_shards
from reseed.planning.seed_grid import DecisionId
from reseed.planning.specs import (
    TEXT_FIELDS,
    DataSpec,
    ReplayStep,
    SearchSpec,
    SplitSpec,
    VerifySpec,
    WeightsSpec,
)
from reseed.planning.training_specs import build_repeat_spec, build_train_spec, build_verify_spec


def data_files(context: Context, dataset: str) -> list[str]:
    """Files of a prepared dataset: inputs, targets, description."""
    folder = context.layout.data(dataset)
    inputs = INPUTS_FILE[context.plan.datasets[dataset].kind]
    return [f"{folder}/{name}" for name in (inputs, "targets.parquet", META)]


def prepare_jobs(context: Context) -> Iterator[Job]:
    """Raw sources → prepared inputs and targets."""
    for identifier, dataset in context.plan.datasets.items():
        outputs, entry = data_files(context, identifier), as_entry(dataset)
        present = [file for file in list_local_files(entry) if os.path.exists(file)]
        yield Job(
            name=job_name("prepare", identifier),
            label=f"prepare {dataset.title}",
            inputs=[*without_braces(present), *context.force_if_untracked(outputs)],
            outputs=outputs,
            log=context.layout.log(f"data/{identifier}"),
            key=digest(
                data_code(context, dataset),
                dataset.model_dump(mode="json", exclude=set(TEXT_FIELDS)),
                context.data_files.describe(list_local_files(entry)),
            ),
            spec=partial(
                DataSpec,
                *(context.results, identifier, dataset),
                context.sources_of("reseed.jobs.prepare_data", _reader_module(dataset)),
            ),
            environment="data",
            priority=context.high_priority,
        )


def data_code(context: Context, dataset: Dataset) -> str:
    """Hash of the code that prepares a dataset, with the module of its reader."""
    return context.code_key("reseed.jobs.prepare_data", _reader_module(dataset))


def _reader_module(dataset: Dataset) -> str:
    return find_reader(as_entry(dataset)).module


def weights_jobs(context: Context) -> Iterator[Job]:
    """Sources of pretrained weights → their files."""
    sources = context.sources_of("reseed.jobs.prepare_weights")
    for name, weights in context.plan.weights.items():
        entry, output = as_weights_entry(weights), context.layout.weights_meta(name)
        yield Job(
            name=job_name("weights", name),
            label=f"fetch weights of {weights.title}",
            inputs=[
                *without_braces(list_local_files(entry)),
                *context.force_if_untracked([output]),
            ],
            outputs=[output],
            log=context.layout.log(f"weights/{name}"),
            key=digest(
                code_hash("reseed.jobs.prepare_weights"),
                weights.model_dump(mode="json")["sources"],
                context.data_files.describe(list_local_files(entry)),
            ),
            spec=partial(WeightsSpec, context.results, weights, sources),
            environment="data",
            priority=context.high_priority,
        )


def split_jobs(context: Context) -> Iterator[Job]:
    """Targets → train, validation and test rows, one file a data seed."""
    schemes, code = context.plan.schemes(), code_hash("reseed.jobs.make_splits")
    sources = context.sources_of("reseed.jobs.make_splits")
    for dataset, scheme, seeds in context.plan.split_jobs():
        title = context.plan.datasets[dataset].title
        yield Job(
            name=job_name("split", dataset, scheme, str(seeds[0])),
            label=f"split {title} by {scheme}, {label_seeds('data seed', seeds)}",
            inputs=data_files(context, dataset)[1:],
            outputs=[context.layout.split(dataset, scheme, seed) for seed in seeds],
            log=context.layout.log(f"splits/{dataset}/{scheme}-from-{seeds[0]}"),
            key=digest(code, schemes[scheme].model_dump(mode="json")),
            spec=partial(
                SplitSpec, context.results, dataset, scheme, schemes[scheme], tuple(seeds), sources
            ),
            environment="data",
            priority=context.high_priority,
        )


def weights_files(context: Context, planned: PlannedSetting) -> list[str]:
    """Description of a setting's pretrained weights, if it has any."""
    name = planned.model.weights
    return [context.layout.weights_meta(name)] if name else []


def search_jobs(context: Context) -> Iterator[Job]:
    """Training rows → fits of each shard → the best hyper-parameters of a search, and its log."""
    for planned in context.plan.settings.values():
        if searches := planned.searches():
            rungs = plan_shards(planned, context.project.main.block_seconds)
            shares = fits_shares(planned)
            for at in searches:
                yield from _jobs_of_search(context, planned, at, rungs, shares)


def _jobs_of_search(
    context: Context,
    planned: PlannedSetting,
    at: Coordinates,
    rungs: list[list[tuple[int, int]]],
    shares: list[float],
) -> Iterator[Job]:
    """Jobs of one search. rungs: shards of each rung. shares: of each rung in all seconds."""
    layout = context.layout
    winner = layout.search(planned.setting, at)
    data = [
        *data_files(context, planned.setting.dataset),
        layout.split(*planned.setting[:2], at.data_seed),
        *weights_files(context, planned),
    ]
    before: tuple[str, ...] = ()
    share_before = 0.0
    for rung, shards in enumerate(rungs):
        files = []
        for number, (start, stop) in enumerate(shards):
            file = layout.search_shard(planned.setting, at, rung, number, len(shards))
            shard = SearchShard(rung, start, stop, file)
            share = shares[rung] * (stop - start) / shards[-1][1]
            work = SearchWork(share, before, share_before)
            yield _search_job(context, planned, at, [*data, *before], [file], work, shard)
            files.append(file)
        before, share_before = tuple(files), shares[rung]
    outputs = [winner, layout.search(planned.setting, at, ".parquet")]
    inputs = [*data, *before, *context.force_if_failed([winner])]
    rest = SearchWork(sum(shares[len(rungs) :]), before, share_before)
    yield _search_job(context, planned, at, inputs, outputs, rest, None)


def _search_job(
    context: Context,
    planned: PlannedSetting,
    at: Coordinates,
    inputs: list[str],
    outputs: list[str],
    work: SearchWork,
    shard: SearchShard | None,
) -> Job:
    """A job that makes some fits of a search; without a shard it chooses the winner, too."""
    main, sizes = context.project.main, context.job_sizes
    name = outputs[0].removeprefix(f"{context.layout.root}/").removesuffix(".json")
    label = f"search hyper-parameters of {label_block([(planned, [at])])}"
    if shard:
        label += f", rung {shard.rung + 1}, fits {shard.start + 1} to {shard.stop}"
    return Job(
        name=job_name("search", name.removeprefix("tuning/")),
        label=label,
        inputs=inputs,
        outputs=outputs,
        log=context.layout.log(name),
        key=digest(*planned.spec.search_parts, shard and [shard.rung, shard.start, shard.stop]),
        spec=partial(
            SearchSpec,
            *(context.results, main.mixed, main.retry_failed, planned.spec, at),
            context.write_sources(planned.sources),
            shard,
        ),
        environment=planned.model.environment,
        priority=context.high_priority,
        gpus=planned.gpus,
        packages=frozenset(planned.packages),
        threads=main.tuning_threads,
        minutes=partial(sizes.search_minutes, planned, work),
        memory_mb=partial(sizes.search_memory, planned),
    )


def train_jobs(context: Context) -> Iterator[Job]:
    """Splits and hyper-parameters → trials, many a job, one declared file a trial."""
    layout, sizes, main = context.layout, context.job_sizes, context.project.main
    for block in blocks(context.plan, main.block_seconds, main.seeds_per_job):
        planned, trials = block[0]
        name = job_name("train", planned.setting.folder, trials[0].file, str(len(block)))
        outputs = context.plan.block_files(block)
        yield Job(
            name=name,
            label=f"train {label_block(block)}",
            inputs=[*training_inputs(context, block), *context.force_if_failed(outputs)],
            outputs=outputs,
            log=layout.log(f"train/{name}"),
            key=[*sorted(one.spec.key for one, _ in block), *_decisions_of(block)],
            spec=partial(build_train_spec, context.project, block, context.write_sources),
            environment=planned.model.environment,
            priority=training_priority(context, block),
            gpus=planned.gpus,
            packages=frozenset(package for one, _ in block for package in one.packages),
            minutes=partial(sizes.block_minutes, block),
            memory_mb=partial(sizes.block_memory, block),
        )


def _decisions_of(block: Block) -> list[DecisionId]:
    """What decides whether the trials of a block are trained."""
    decisions = (one for planned, trials in block for part in planned.parts(trials) for one in part)
    return list(dict.fromkeys(decisions))


def training_inputs(context: Context, block: Block) -> list[str]:
    """Files that training some trials reads: data, splits, search winners, weights, decisions."""
    layout = context.layout
    inputs: dict[str, None] = {}
    for planned, trials in block:
        setting, seeds = planned.setting, sorted({trial.data_seed for trial in trials})
        files = [
            *data_files(context, setting.dataset),
            *(layout.split(*setting[:2], seed) for seed in seeds),
            *(layout.search(setting, at) for at in planned.searches_of(trials)),
            *weights_files(context, planned),
        ]
        inputs |= dict.fromkeys(files)
    return [*inputs, *context.plan.decision_files(_decisions_of(block))]


def training_priority(context: Context, block: Block) -> float:
    """Priority of a training job: study after study, so that the first pages come early.

    Within a study the longest job comes first, so that no long job runs alone at the end.
    """
    trained = context.trained
    rank = max(len(trained) - trained.index(s) for one, _ in block for s in one.studies)
    seconds = sum(one.seconds_per_trial * len(trials) for one, trials in block)
    return rank + seconds / (seconds + 1)


# --- checks of trials ----------------------------------------------------------------------------


def verify_job(context: Context, steps: Callable[[], tuple[ReplayStep, ...]]) -> Job:
    """All planned trials → a check of each, and of what follows from them; it has no output.

    steps: builds the steps of the check.
    """
    main, block = context.project.main, context.plan.all_trials()
    sample = None if main.verify_all else main.verify_sample

    def build_spec() -> VerifySpec:
        spec = build_verify_spec(context.project, context.plan, sample, context.write_sources)
        return replace(spec, steps=steps())

    return Job(
        name="verify",
        label="verify results",
        inputs=[
            *context.plan.block_files(block),
            *context.plan.decision_files(context.plan.decisions()),
        ],
        outputs=[],
        log=context.layout.log("verify"),
        key=None,
        spec=build_spec,
        environment="verification",
        priority=0,
        gpus=count_gpus(block),
    )


def count_gpus(block: Block) -> int:
    """GPUs that a check of these trials requests."""
    return max((planned.gpus for planned, _ in block), default=0)


def repeat_jobs(context: Context, studies: list[str]) -> Iterator[Job]:
    """Trials of a study → repeated fits of a sample (Raste et al., Section 4.1)."""
    sample = context.project.main.verify_sample
    for study in studies:
        block = context.plan.block(study)
        output = context.layout.study(study).repeated_fits
        yield Job(
            name=f"repeat-{study}",
            label=f"repeat {sample} trials of {study}",
            inputs=[
                *context.plan.block_files(block),
                *context.plan.decision_files(_decisions_of(block)),
            ],
            outputs=[output],
            log=context.layout.log(f"studies/{study}/repeated_fits"),
            key=digest(
                code_hash("reseed.jobs.repeat_fits"), sorted(one.spec.key for one, _ in block)
            ),
            spec=partial(build_repeat_spec, context.project, block, study, context.write_sources),
            environment="training",
            priority=context.high_priority,
            gpus=count_gpus(block),
        )
