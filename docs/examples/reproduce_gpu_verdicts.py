"""Compute the verdicts of the references that were made on a GPU again.

    python docs/examples/reproduce_gpu_verdicts.py

As `reproduce_more_verdicts.py`, with none of Reseed's code. Intervals are those of normal scores:
chi-squared for an SD, Student's t for the mean of logarithms.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
from reproduce_more_verdicts import (
    PAPER_IMAGES,
    Found,
    Study,
    f1_over_items,
    judge,
    macro_f1,
    sd_at,
    time_ratio,
    variances,
)
from reproduce_verdicts import REFERENCE, gaussian_range, read_recorded, report
from scipy import stats

PAPER_SEEDS = {"long": 500, "short": 10_000}
#: Seed of the trainings that warm up a process: their times are not compared.
WARM_UP = 7


def chi_squared(sd: float, n: int) -> np.ndarray:
    """The SD of n normal values with the ends of its interval."""
    low, high = np.sqrt((n - 1) / stats.chi2.isf([0.025, 0.975], n - 1))
    return sd * np.array([1, low, high])


def published_network(study: Study) -> Iterator[tuple[str, Found]]:
    """The published ResNet-9 on the paper's own images: SD over seeds, and range of many seeds.

    An SD is at least what independent images alone would give.
    """
    sds: Found = {}
    ranges: Found = {}
    for _, arm, runs in study.arms("from_scratch"):
        correct = runs.correct.astype(float)
        sd, low, high = 100 * chi_squared(sd_at(correct), len(correct))
        least = 100 * math.sqrt(variances(correct)[1] / PAPER_IMAGES)
        sds[arm] = sd, max(low, least), high
        factor = gaussian_range(PAPER_SEEDS[arm])
        ranges[arm] = factor * sd, factor * sds[arm][1], factor * high
    yield "Over seeds the SD of the published ResNet-9's accuracy is below 0.3 points.", sds
    yield (
        "Of the paper's number of seeds some published ResNet-9s differ by over one point.",
        ranges,
    )


def kernels(study: Study) -> Iterator[tuple[str, Found]]:
    """Times with deterministic kernels and with the fastest ones, of each network."""
    trials = study.trials()
    timed = trials[trials["init"] != WARM_UP].groupby("experiment")
    yield (
        "On a GPU deterministic kernels add at most 5 % to the training time.",
        {str(name): time_ratio(rows) for name, rows in timed},
    )


def encoder(study: Study) -> Iterator[tuple[str, Found]]:
    """An encoder of BERT's size: SD of F1 over seeds, alone and over that over test items."""
    [(_, arm, runs)] = study.arms("sentiment")
    f1 = np.array([macro_f1(runs.truth, labels) for labels in runs.labels])
    sd, low, high = chi_squared(f1.std(ddof=1), len(f1))
    yield "Over seeds the SD of MPNet's F1 is over 0.075.", {arm: (sd, low, high)}
    items = f1_over_items(runs)
    ratio = sd / items, low / items, high / items
    yield "The seed changes MPNet's F1 far more than test items do.", {arm: ratio}


def fine_tuned_network(study: Study) -> Iterator[tuple[str, Found]]:
    """A fine-tuned EfficientNet: the range of 50 seeds on as many images as ImageNet's.

    An SD is at least what independent images alone would give.
    """
    [(_, arm, runs)] = study.arms("fine_tuned")
    correct, images, factor = runs.correct.astype(float), 50_000, 100 * gaussian_range(50)
    sd, low, high = factor * chi_squared(sd_at(correct, images), len(correct))
    least = factor * math.sqrt(variances(correct)[1] / images)
    found = {arm: (sd, max(low, least), high)}
    yield "Of 50 seeds of fine-tuned EfficientNets some differ by over 0.3 points.", found


#: What each study is judged by.
STUDIES: dict[str, Callable[[Study], Iterator[tuple[str, Found]]]] = {
    "efficientnet_gpu": fine_tuned_network,
    "kernels_gpu": kernels,
    "mpnet_gpu": encoder,
    "resnet9_gpu": published_network,
}


def main() -> None:
    """Print each statement with what is found here, and what was recorded."""
    recorded = read_recorded()
    for name, measure in STUDIES.items():
        for text, found in measure(Study(REFERENCE / name)):
            report(judge(found, recorded[text]), recorded[text])


if __name__ == "__main__":
    main()
