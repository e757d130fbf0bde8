"""Compare the pipeline with a bare loop that fits the same models in as many processes.

Prints wall and CPU seconds of both, and their ratios; on a busy machine the ratio of CPU seconds is
more reliable. The loop runs the searches, the trials and the repeated fits of the studies. It
receives prepared data and splits, and writes nothing. The pipeline fetches and prepares data,
splits, searches, trains, records, repeats, analyses, draws and reports.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

from reseed.core.coordinates import Coordinates
from reseed.pipeline.runner import limit_threads, run, say
from reseed.planning.specs import SettingSpec, SettingTrials, VerifySpec
from timing import seconds


def search_alone(task: tuple[str, SettingSpec, Coordinates]) -> None:
    """Run one search in a worker process."""
    from reseed.training.search_job import plan_search
    from reseed.trials.trial_cache import TrialCache

    results, spec, trial = task
    with tempfile.TemporaryDirectory() as chunks:
        plan_search(TrialCache(results, spec), trial, Path(chunks)).run()


def repeat_alone(spec: VerifySpec) -> None:
    """Train a study's sample again in a worker process."""
    from reseed.training.verification import check_sample, sample

    chosen = sample(spec.training, None, each_model=True)
    for _ in check_sample(spec.training, chosen, lambda device: "cpu"):
        pass


def train_alone(task: tuple[str, SettingTrials]) -> list[str]:
    """Train the trials of one setting in a worker process, in its stacks."""
    from reseed.training.block import train
    from reseed.trials.trial_cache import TrialCache

    results, part = task
    trained = train(TrialCache(results, part.spec, part.blocks), list(part.trials), "cpu", 1)
    return [outcome.status for _, outcome in trained]


def write_no_sources(sources: object) -> str:
    """The loop does not check whether files were edited since it was planned."""
    return ""


def main() -> None:
    """Run the pipeline in an empty results folder, then the loop, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", default="demo", help="scale of the studies")
    parser.add_argument("--studies", help="names, separated by commas; default: all")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="parallel processes")
    parser.add_argument("--results", help="keep the results of the pipeline in this folder")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.planning.read_plan import read_plan
    from reseed.planning.training_specs import build_train_spec, build_verify_spec

    own_folder = arguments.results and nullcontext(arguments.results)
    with own_folder or tempfile.TemporaryDirectory() as folder:
        overrides = {"scale": arguments.scale, "results": folder}
        if arguments.studies:
            overrides["studies"] = arguments.studies
        command = [sys.executable, "-m", "snakemake", "--cores", str(arguments.cores)]
        command += ["--config", *(f"{name}={value}" for name, value in overrides.items())]
        pipeline = seconds(lambda: subprocess.run(command, check=True))

        project, plan, _ = read_plan("config", overrides)
        searches = [
            (str(folder), planned.spec, trial)
            for planned in plan.settings.values()
            for trial in planned.searches()
        ]
        repeats = [
            build_verify_spec(
                project, plan.study_blocks(name), write_no_sources, project.main.verify_sample, name
            )
            for name, study in project.studies.items()
            if any("repeated_fits" in analysis.kind for analysis in study.analyses.values())
        ]
        tasks = [
            (str(folder), part)
            for block in plan.all_blocks()
            for part in build_train_spec(project, [block], write_no_sources).settings
        ]
        statuses = []

        def loop() -> None:
            with multiprocessing.get_context("spawn").Pool(arguments.cores) as pool:
                pool.map(search_alone, searches, chunksize=1)
                repeating = pool.map_async(repeat_alone, repeats, chunksize=1)
                for part in pool.imap_unordered(train_alone, tasks):
                    statuses.extend(part)
                repeating.get()
                pool.close()
                pool.join()

        bare = seconds(loop)
    trained = f"{len(statuses)} trials, {statuses.count('ok')} ok"
    say(f"{len(searches)} searches, {trained}, {arguments.cores} processes")
    say(f"pipeline {pipeline}, bare loop {bare}")
    say(f"ratio {pipeline.wall / bare.wall:.2f}, of CPU seconds {pipeline.cpu / bare.cpu:.2f}")


if __name__ == "__main__":
    run(main)
