# Configuration, plan and the helpers that the other rule files share.
import atexit
import gc
import os
import shlex
import sys
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

# What is planned lives to the end: 10⁵ trials are millions of objects, which the collector of
# dead ones would go through again and again (a fifth of a dry run's time), and once more on exit
# (another fifth).
gc.set_threshold(200_000, 20, 100)
atexit.register(gc.freeze)

ROOT = Path(str(workflow.current_basedir)).parent
SCRIPTS = ROOT / "scripts"
# The studies of the working folder; where it has none, those that come with the workflow.
CONFIG = Path("config" if os.path.isdir("config/studies") else ROOT / "config")
sys.path.insert(0, str(SCRIPTS))

from reseed.core.coordinates import split_path, trial_path
from reseed.data.kinds import INPUTS_FILE, file_stats, list_local_files
from reseed.data.registry import find_reader
from reseed.planning.costs import measured_seconds
from reseed.core.errors import ReseedError
from reseed.pipeline import fork_server as forkserver
from reseed.planning.job_sizes import JobSizes
from reseed.core.code_hash import code_hash, digest, own_files
from reseed.plugins import kinds
from reseed.core.environment import read_library_versions
from reseed.core.identifiers import job_name
from reseed.planning.plan import blocks
from reseed.pipeline.specs import (
    PlanFiles,
    data_job,
    study_job,
    training_job,
    tuning_job,
)
from reseed.pipeline.progress import Progress, failed_trials
from reseed.pipeline.snakemake_metadata import claim, unrecorded
from reseed.pipeline.startup import prepare_jobs, read_plan, undo_future_times, writable

# A run tells its progress, a dry run its plan. Snakemake's own lines, some of which the profile's
# `quiet` lets through, give way to it, unless the command line asks for them.
DRY = workflow.output_settings.dryrun
PROGRESS = Progress(sys.stdout if DRY else sys.stderr, dry=DRY)
logger.addHandler(PROGRESS)
QUIET = {level.name for level in workflow.output_settings.quiet or ()}
if QUIET >= {"HOST", "REASON", "RULES"} or "ALL" in QUIET:
    for handler in [h for h in logger.handlers if h.name == "DefaultStreamHandler"]:
        logger.removeHandler(handler)


try:
    PROJECT, PLAN, MIRROR = read_plan(CONFIG, config)
    RESULTS = writable(PROJECT.main.results)
    claim(Path(RESULTS), Path.cwd(), keep=workflow.is_main_process and not DRY)
except ReseedError as error:
    raise WorkflowError(str(error)) from None

if workflow.is_main_process and not DRY:
    count = undo_future_times(RESULTS)
    if count:
        logger.warning(
            f"The clock was wrong: {count} files of the future are dated now."
        )
PROGRESS.targets |= set(PROJECT.studies)
prepare_jobs(MIRROR, CONFIG.resolve().parent)
shell.prefix(
    f". {shlex.quote(str(SCRIPTS / 'job.sh'))}; ".replace("{", "{{").replace("}", "}}")
)
JOBS = PlanFiles(RESULTS, dry=DRY)
SIZES = JobSizes(RESULTS, measured_seconds([RESULTS]))
TRAINED = [name for name in PROJECT.studies if PLAN.studies[name]]
GIVEN = [name for name in PROJECT.studies if not PLAN.studies[name]]
# Where trials of other versions are to be trained again, versions start jobs again.
TRIGGER_VERSIONS = read_library_versions() if PROJECT.main.mixed == "retrain" else None
REPORT = f"{RESULTS}/report/index.html"
TABLE_SUFFIXES = (".csv", ".md", ".tex", ".json")
FIGURE_SUFFIXES = (".png", ".pdf", ".csv", ".json")


# A function of `output` is no trigger of a rerun: the key in params is. So neither another place
# of the checkout nor another block size starts a job again.
def told(describe):
    """The file that tells a job what to do, as its parameter."""
    return lambda wildcards, output: JOBS.write(describe(wildcards))


def placeless(description):
    """A description without the place of the results, which decides nothing."""
    return {name: part for name, part in description.items() if name != "results"}


def is_table(study, exhibit):
    """Whether an exhibit is a table (else a figure)."""
    kind = PROJECT.studies[study].exhibits[exhibit].kind
    return kinds.find_kind("exhibits", kind).function == "table"


def suffixes(study, exhibit):
    """Formats of an exhibit; the first is the one to look at."""
    return TABLE_SUFFIXES if is_table(study, exhibit) else FIGURE_SUFFIXES


def exhibit_files(study, exhibit):
    """Every file of an exhibit."""
    folder = "tables" if is_table(study, exhibit) else "figures"
    stem = f"{RESULTS}/studies/{study}/{folder}/{exhibit}"
    return [stem + suffix for suffix in suffixes(study, exhibit)]


def study_files(study):
    """What a study ends in: its page, its tables of trials, its statistics and its exhibits."""
    entry, folder = PROJECT.studies[study], f"{RESULTS}/studies/{study}"
    return [
        study_page(study),
        f"{folder}/metrics.parquet",
        f"{folder}/about.json",
        *(
            f"{folder}/statistics/{analysis}.{suffix}"
            for analysis in entry.analyses
            for suffix in ("parquet", "csv")
        ),
        *(file for exhibit in entry.exhibits for file in exhibit_files(study, exhibit)),
    ]


def data_files(dataset):
    """The prepared files of a dataset."""
    folder = f"{RESULTS}/data/{dataset}"
    inputs = INPUTS_FILE[PLAN.datasets[dataset]["kind"]]
    return [f"{folder}/{name}" for name in (inputs, "targets.parquet", "meta.json")]


def gpus(planned):
    """GPUs a job of this setting asks for; a profile without GPUs grants none."""
    return 0 if planned.model["device"] == "cpu" else 1


def turn(block):
    """Priority of a training job: one study after another, so that the first pages come early.

    Of one study the longest first, so that none is left alone at the end.
    """
    rank = max(len(TRAINED) - TRAINED.index(s) for p, _ in block for s in p.studies)
    seconds = sum(p.seconds_per_trial * len(trials) for p, trials in block)
    return rank + seconds / (seconds + 1)


# Priority of all else: trainings wait for it, or it ends a study.
SOON = len(TRAINED) + 1


def one_of(names):
    """A wildcard that takes one of these names (none, where there are none)."""
    return "|".join(names) or "(?!)"


wildcard_constraints:
    dataset="[^/]+",
    study="[^/]+",
    experiment="[^/]+",
    analysis="[^/]+",
    exhibit="[^/]+",
