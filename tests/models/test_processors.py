"""Image models end without memory errors under the instruction sets of older processors."""

import os
import subprocess
import sys

import pytest

# In a process of its own, which heap corruption would end by a signal.
TRAIN = """
import sys
sys.path[:0] = ["scripts", "tests/models"]
import torch
from image_sets import blobs, seeds
from {module} import {factory}

torch.set_num_threads(1)
images, y = blobs(100, channels={channels})
recipe = {recipe} | {{"epochs": 8, "batch_size": 32}}
model = {factory}("multiclass", 3, recipe, seeds(1))
print(model.fit(images, y).predict(images).shape)
"""
NARROW = [
    ("reseed.models.vision", "resnet18", {"widths": [4, 4], "depths": [1, 1]}),
    ("reseed.models.vision", "efficientnet_b0", {"width": 0.1, "depth": 0.1}),
    ("papers.picard.resnet9", "resnet9", {"width": 4}),
    ("papers.banerjee.small_cnn", "small_cnn", {"width_1": 4, "width_2": 4}),
]


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("instructions", [("AVX2", "avx2"), ("SSE41", "default")])
@pytest.mark.parametrize(("module", "factory", "recipe"), NARROW)
def test_narrow_networks_train(module, factory, recipe, instructions, channels):
    onednn, aten = instructions
    code = TRAIN.format(module=module, factory=factory, recipe=recipe, channels=channels)
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"ONEDNN_MAX_CPU_ISA": onednn, "ATEN_CPU_CAPABILITY": aten},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.strip() == "(100, 3)"
