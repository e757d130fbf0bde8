"""Time of training one seed after another, compared with a stack of seeds, on one thread.

Prints, for sizes of the feed-forward network, the CPU time for an epoch and seed at several widths
of the stack, and the ratio of loop to stack. CPU time and the minimum of a few repeats reduce the
effect of other work on the machine.
"""

import argparse
import time

import numpy as np
from reseed.pipeline.runner import limit_threads, run, say

SHAPES = [(128, 64, 512), (64, 32, 512), (32, 16, 512), (128, 64, 128)]
EPOCHS = 4


def main() -> None:
    """Train synthetic rows at each width and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=16_512, help="training rows")
    parser.add_argument("--features", type=int, default=10, help="columns")
    parser.add_argument("--widths", type=int, nargs="+", default=[1, 4, 8, 16, 32])
    parser.add_argument("--repeats", type=int, default=2, help="the minimum of them is printed")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    arguments = parser.parse_args()
    limit_threads(1)
    say(f"{arguments.rows} rows, {arguments.features} features, {arguments.device}, one thread")
    say("neurons     batch  " + "".join(f"{f'width {w}':>18}" for w in arguments.widths))
    for first, second, batch in SHAPES:
        times = {
            width: seconds(arguments, (first, second, batch), width) for width in arguments.widths
        }
        base = times[arguments.widths[0]]
        cells = [f"{1e3 * t:8.2f} ms ({base / t:4.1f})" for t in times.values()]
        say(f"{f'{first}-{second}':<10}{batch:>7}  " + "".join(f"{cell:>18}" for cell in cells))


def seconds(arguments: argparse.Namespace, shape: tuple[int, int, int], width: int) -> float:
    """CPU seconds for an epoch and seed; on a GPU wall seconds."""
    from reseed.core.random_streams import ensure_deterministic
    from reseed.models.ffnn import ffnn
    from reseed.training.encoder import Arrays

    ensure_deterministic()
    rng = np.random.default_rng(0)
    X = rng.random((arguments.rows, arguments.features))
    y = X @ rng.normal(size=arguments.features) + rng.normal(size=arguments.rows)
    fifth = arguments.rows // 5
    arrays = Arrays(X, y, X[:fifth], y[:fifth], X[:0], y[:0])
    names = ("neurons_1", "neurons_2", "batch_size")
    network = {"neurons_3": 0, "max_epochs": EPOCHS} | dict(zip(names, shape, strict=True))
    clock = time.process_time if arguments.device == "cpu" else time.perf_counter
    measured = []
    for _ in range(arguments.repeats):
        roles = ("init", "order", "dropout", "augment")
        lanes = [
            ffnn("regression", 0, network, dict.fromkeys(roles, seed), arguments.device)
            for seed in range(width)
        ]
        started = clock()
        results = list(type(lanes[0]).fit_many(lanes, [lambda: arrays] * width, width))
        measured.append((clock() - started) / EPOCHS / width)
        assert all(error is None for _, _, error in results)
    return min(measured)


if __name__ == "__main__":
    run(main)
