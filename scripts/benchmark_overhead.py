"""Whole pipeline against a bare loop that trains the same trials at the same parallelism.

Prints both wall times and their ratio. The loop gets prepared data, splits and tuned
hyper-parameters for free and writes nothing; the pipeline fetches, prepares, splits, tunes,
trains, records, analyses, draws and reports.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import OrderedDict
from pathlib import Path

from reseed.scripting import limit_threads, run, say

OPEN: OrderedDict = OrderedDict()


def train(task: tuple) -> str:
    """Train one trial in a worker process that keeps a few settings open."""
    from reseed.coordinates import tuning_path
    from reseed.training.job import Bench

    results, job, trial = task
    key = (job["dataset"], job["scheme"], job["model"], job["hyperparameters"])
    if key not in OPEN:
        if len(OPEN) == 4:
            OPEN.popitem(last=False)
        OPEN[key] = Bench(results, job, "benchmark", "cpu", 1)
    bench = OPEN[key]
    best = tuning_path(str(results), bench.setting, job["mode"], trial)
    return bench.train(trial, bench.hyperparameters(best)).status


def main() -> None:
    """Run the pipeline in an empty results folder, then the loop, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", default="demo", help="scale of the studies")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="parallel processes")
    arguments = parser.parse_args()
    limit_threads(1)
    from reseed.startup import read_plan

    with tempfile.TemporaryDirectory() as folder:
        overrides = {"scale": arguments.scale, "results": folder}
        command = [sys.executable, "-m", "snakemake", "--cores", str(arguments.cores)]
        command += ["--config", *(f"{name}={value}" for name, value in overrides.items())]
        started = time.perf_counter()
        subprocess.run(command, check=True)
        pipeline = time.perf_counter() - started

        _, plan, _ = read_plan("config", overrides)
        tasks = [
            (Path(folder), work.job(), trial)
            for work in plan.works.values()
            for trial in work.trials
        ]
        started = time.perf_counter()
        with multiprocessing.get_context("spawn").Pool(arguments.cores) as pool:
            statuses = list(pool.imap_unordered(train, tasks))
        bare = time.perf_counter() - started
    say(f"{len(tasks)} trials, {statuses.count('ok')} ok, {arguments.cores} processes")
    say(f"pipeline {pipeline:.1f} s, bare loop {bare:.1f} s, ratio {pipeline / bare:.2f}")


if __name__ == "__main__":
    run(main)
