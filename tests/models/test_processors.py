"""Image models end without memory errors under the instruction sets of older processors."""

import json
import os
import subprocess
import sys

import pytest

NARROW = [
    ("reseed.models.vision", "resnet18", {"widths": [4, 4], "depths": [1, 1]}),
    ("reseed.models.vision", "efficientnet_b0", {"width": 0.1, "depth": 0.1}),
    ("papers.picard.resnet9", "resnet9", {"width": 4}),
    ("papers.banerjee.small_cnn", "small_cnn", {"width_1": 4, "width_2": 4}),
]
# In a process of its own, which heap corruption would end by a signal.
TRAIN = """
import importlib, json, sys
sys.path[:0] = ["scripts", "tests"]
import torch
from image_sets import blobs, seeds

torch.set_num_threads(1)
for module, factory, recipe in json.loads(sys.argv[1]):
    for channels in (1, 3):
        images, y = blobs(100, channels=channels)
        make = getattr(importlib.import_module(module), factory)
        model = make("multiclass", 3, recipe | {"epochs": 4, "batch_size": 32}, seeds(1))
        print(factory, channels, model.fit(images, y).predict(images).shape, flush=True)
"""


@pytest.mark.nightly
@pytest.mark.parametrize("instructions", [("AVX2", "avx2"), ("SSE41", "default")])
def test_narrow_networks_train(instructions):
    onednn, aten = instructions
    run = subprocess.run(
        [sys.executable, "-c", TRAIN, json.dumps(NARROW)],
        env=os.environ | {"ONEDNN_MAX_CPU_ISA": onednn, "ATEN_CPU_CAPABILITY": aten},
        capture_output=True,
        text=True,
    )
    trained = [f"{name} {channels} (100, 3)" for _, name, _ in NARROW for channels in (1, 3)]
    assert run.stdout.splitlines() == trained, run.stderr[-2000:]
    assert run.returncode == 0, run.stderr[-2000:]
