# Configuration, plan and the helpers that the other rule files share.
import json
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))

from reseed.analyses import KINDS as ANALYSES
from reseed.coordinates import trial_path
from reseed.errors import ReseedError
from reseed.exhibits import KINDS as EXHIBITS
from reseed.plan import blocks, describe_study, job_name
from reseed.progress import Progress
from reseed.provenance import code_hash, digest
from reseed.workplace import measured_costs, prepare_jobs, read_plan, writable

if not workflow.dryrun:
    logger.addHandler(Progress())


configfile: "config/config.yaml"


try:
    PROJECT, PLAN, MIRROR = read_plan("config", config)
    RESULTS = writable(PROJECT.main.results)
except ReseedError as error:
    raise WorkflowError(str(error)) from None

prepare_jobs(MIRROR)
TRAINED = [name for name in PROJECT.studies if PLAN.studies[name]]
GIVEN = [name for name in PROJECT.studies if not PLAN.studies[name]]
COSTS = measured_costs(RESULTS, PROJECT.studies)
REPORT = f"{RESULTS}/report/index.html"


def compact(value):
    """A value as one line of JSON, to hand to a script."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def study_files(study):
    """What a study ends in: its page, its exhibits and its statistics."""
    return [study_page(study), *exhibit_files(study)] + [
        f"{RESULTS}/studies/{study}/statistics/{analysis}.csv"
        for analysis in PROJECT.studies[study].analyses
    ]


def work_of(wildcards):
    """The planned work of the setting that a path names."""
    names = ("dataset", "scheme", "model", "hyperparameters")
    place = tuple(getattr(wildcards, name) for name in names)
    return next(
        work
        for setting, work in PLAN.works.items()
        if place == tuple(vars(setting).values())
    )


SETTING = "{dataset}/{scheme}/{model}/{hyperparameters}"
PARTITION = "data-seed-{data_seed}/{seed}"


def split_file(dataset, scheme, data_seed):
    """Path of the split that a data seed makes."""
    return f"{RESULTS}/splits/{dataset}/{scheme}/data-seed-{data_seed}.parquet"


def factory_module(work):
    """The module that makes a setting's models: its code is an input of their training."""
    return work.model["factory"].partition(":")[0]


def gpus(work):
    """GPUs a job of this setting asks for; a profile without GPUs grants none."""
    return 0 if work.model["device"] == "cpu" else 1


def study_job(study):
    """What the collecting job is told of a study."""
    return describe_study(PROJECT, PLAN, study)


def one_of(names):
    """A wildcard that takes one of these names (none, where there are none)."""
    return "|".join(names) or "(?!)"


def given_results(study):
    """A study's `results:` entry; `{results}` in its path stands for the results folder."""
    entry = PROJECT.studies[study].results.model_dump()
    return entry | {"path": entry["path"].replace("{results}", RESULTS)}


def data_metas(study):
    """The meta.json of each dataset a study uses."""
    settings = [s for settings in PLAN.studies[study].values() for s in settings]
    return sorted(
        {f"{RESULTS}/data/{setting.dataset}/meta.json" for setting in settings}
    )


def analysis_job(wildcards):
    """An analysis as configured."""
    return PROJECT.studies[wildcards.study].analyses[wildcards.analysis].model_dump()


def exhibit_job(wildcards):
    """An exhibit as configured."""
    return PROJECT.studies[wildcards.study].exhibits[wildcards.exhibit].model_dump()


def analysis_inputs(wildcards):
    """An analysis's tables; with the per-item scores of its experiments where its kind asks."""
    folder = f"{RESULTS}/studies/{wildcards.study}"
    analysis = PROJECT.studies[wildcards.study].analyses[wildcards.analysis]
    files = [f"{folder}/metrics.parquet", f"{folder}/about.json"]
    if ANALYSES[analysis.kind] == "predictions":
        trained = PROJECT.studies[wildcards.study].experiments
        for name in analysis.experiments or trained or ["results"]:
            files += [
                f"{folder}/predictions/{name}/{part}.parquet"
                for part in ("scores", "targets")
            ]
    return files + [
        f"config/published/{name}.csv" for name in analysis.options.get("files", [])
    ]


def exhibit_inputs(wildcards):
    """What an exhibit is drawn from: its analysis where it has one, and the study's tables."""
    folder = f"{RESULTS}/studies/{wildcards.study}"
    analysis = exhibit_job(wildcards)["analysis"]
    files = [f"{folder}/metrics.parquet", f"{folder}/about.json"]
    return files + ([f"{folder}/statistics/{analysis}.parquet"] if analysis else [])


def exhibit_key(wildcards):
    """Hash of the code that draws an exhibit."""
    return digest(
        code_hash("render.py", f"reseed.exhibits.{exhibit_job(wildcards)['kind']}")
    )


wildcard_constraints:
    data_seed=r"\d+",
    seed=r"(repeat-\d+-fold-\d+/)?[^/]+",
    dataset="[^/]+",
    scheme="[^/]+",
    model="[^/]+",
    hyperparameters="[^/]+",
    study="[^/]+",
    experiment="[^/]+",
    analysis="[^/]+",
    exhibit="[^/]+",
