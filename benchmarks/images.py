"""Throughput of the image networks: seeds an hour, and as a share of the device's peak.

Trains with `reseed.training.run.run_trials`, on random images of CIFAR-10's shape (pixels do not
change the cost), with one or several parallel processes on one device::

    python benchmarks/images.py --network resnet9 --processes 1 2 --compile none default
    python benchmarks/images.py --network small_cnn --processes 1 4 8 --seeds 8
    python benchmarks/images.py --network small_cnn --stack 1 20 50 --set epochs=2

Each process first trains one pass that is not counted (start-up, compilation), then waits for the
others. `--set name=value` changes a hyper-parameter, as `--set epochs=2 width=8` on a CPU.
"""

import argparse
import json
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import yaml

#: Dense half-precision peak of tensor cores, in 10¹² operations a second (vendors' data sheets).
PEAKS = {"H200": 989, "H100": 989, "A100": 312, "L40S": 362, "V100": 125, "T4": 65}
IMAGES = {"resnet9": (50_000, 10_000, 10), "small_cnn": (40_000, 8_000, 2)}
ON_A_GPU = {
    "resnet9": {"precision": "half", "mean": [0.4914, 0.4822, 0.4465],
                "std": [0.2023, 0.1994, 0.201]},
    "small_cnn": {},
}  # fmt: skip


def main() -> None:
    """Measure every combination and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", choices=list(IMAGES), default="resnet9")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--processes", type=int, nargs="+", default=[1])
    parser.add_argument("--compile", nargs="+", default=["none"], help="modes of torch.compile")
    parser.add_argument("--stack", type=int, nargs="+", default=[1], help="lanes of one pass")
    parser.add_argument("--seeds", type=int, default=4, help="counted passes of each process")
    parser.add_argument("--images", type=int, nargs=2, help="training and test images")
    parser.add_argument("--set", nargs="*", default=[], help="hyper-parameters, name=value")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, help="also write the rows to this JSON file")
    arguments = parser.parse_args()
    if arguments.worker is not None:
        return run_worker(json.loads(arguments.worker))
    model = yaml.safe_load(Path(f"config/models/{arguments.network}.yaml").read_text())
    recipe = model["hyperparameters"]
    recipe |= ON_A_GPU[arguments.network] if arguments.device == "cuda" else {}
    recipe |= {k: yaml.safe_load(v) for k, v in (one.split("=", 1) for one in arguments.set)}
    images = [*(arguments.images or IMAGES[arguments.network][:2]), IMAGES[arguments.network][2]]
    rows = []
    for mode, processes, stack in product(arguments.compile, arguments.processes, arguments.stack):
        task = {
            "factory": model["factory"],
            "device": arguments.device,
            "images": images,
            "recipe": recipe | {"compile": None if mode == "none" else mode},
            "stack": stack,
            "seeds": arguments.seeds * stack,
        }
        how = {"compile": mode, "processes": processes, "stack": stack}
        rows.append(how | measure(task, processes))
        print(json.dumps(rows[-1]), flush=True)
    if arguments.output:
        arguments.output.write_text(json.dumps(rows, indent=1))


def measure(task: dict, processes: int) -> dict:
    """Measure parallel processes: seconds for a pass, seeds an hour, share of the peak."""
    command = [sys.executable, __file__, "--worker"]
    workers = [
        subprocess.Popen(
            [*command, json.dumps(task | {"first_seed": 1000 * k})],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for k in range(processes)
    ]  # fmt: skip
    for worker in workers:  # all are ready before any starts
        if worker.stdout.readline().strip() != "ready":
            raise SystemExit("a process failed before it was ready: see its error above")
    began = time.perf_counter()
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    facts = [json.loads(worker.stdout.readline()) for worker in workers]
    seconds = time.perf_counter() - began
    runs = processes * task["seeds"]
    rate = facts[0]["operations"] * runs / seconds
    peak = next((p for name, p in PEAKS.items() if name in facts[0]["device"]), None)
    return {
        "device": facts[0]["device"],
        "runs": runs,
        "seconds_a_pass": round(seconds * task["stack"] / task["seeds"], 3),
        "seeds_an_hour": round(3600 * runs / seconds, 1),
        "tera_operations_a_second": round(rate / 1e12, 3),
        "share_of_peak": round(rate / 1e12 / peak, 4) if peak else None,
        "gpu_memory_gib": facts[0]["memory"],
    }


def run_worker(task: dict) -> None:
    """Run one process: a warm-up run, the word `ready`, a wait, then the counted runs."""
    from reseed.core.random_streams import ensure_deterministic

    ensure_deterministic()
    import numpy as np
    import torch
    from reseed.core.coordinates import ROLES
    from reseed.data.inputs import Images
    from reseed.data.splits import Split
    from reseed.training.run import Problem, Recipe, Trial, run_trials

    train, test, classes = task["images"]
    draw = np.random.default_rng(0)
    pixels = draw.integers(0, 256, (train + test, 32, 32, 3), dtype=np.uint8)
    target = draw.integers(0, classes, train + test)
    problem = Problem(Images(pixels), target, "binary" if classes == 2 else "multiclass", classes)
    recipe = Recipe(task["factory"], task["recipe"], device=task["device"], stack=task["stack"])
    rows = np.arange(train + test)
    split = Split(rows[:train], rows[:0], rows[train:])

    def run(seeds: range) -> None:
        trials = [Trial(split, dict.fromkeys(ROLES, seed)) for seed in seeds]
        for outcome in run_trials(problem, recipe, trials):
            if outcome.status != "ok":
                raise SystemExit(f"a run failed: {outcome.error}")

    run(range(task["first_seed"], task["first_seed"] + task["stack"]))
    print("ready", flush=True)
    sys.stdin.readline()
    first = task["first_seed"] + task["stack"]
    run(range(first, first + task["seeds"]))
    cuda = task["device"] == "cuda"
    facts = {
        "device": torch.cuda.get_device_name() if cuda else "CPU, one thread",
        "operations": count_operations(task),
        "memory": round(torch.cuda.max_memory_reserved() / 2**30, 2) if cuda else None,
    }
    print(json.dumps(facts), flush=True)


def count_operations(task: dict) -> float:
    """Count the operations of one run: two for each multiply-add, three passes for training."""
    import torch
    from reseed.core.coordinates import ROLES
    from reseed.plugins.loading import load_object
    from torch import nn

    model = load_object(task["factory"], "factory")(
        "multiclass", task["images"][2], task["recipe"], dict.fromkeys(ROLES, 0), task["device"]
    )
    network, counts = model._build_network((3, 32, 32)).eval(), []

    def count(module, inputs, output):
        if isinstance(module, nn.Conv2d | nn.Linear):
            counts.append(output[0].numel() * module.weight[0].numel())

    for module in network.modules():
        module.register_forward_hook(count)
    kind = next(network.parameters())
    with torch.inference_mode():
        network(torch.zeros(1, 3, 32, 32, dtype=kind.dtype, device=kind.device))
    train, test, _ = task["images"]
    passes = 3 * train + (test if task["recipe"].get("test_curve", True) else 0)
    return 2.0 * sum(counts) * passes * task["recipe"]["epochs"]


if __name__ == "__main__":
    main()
