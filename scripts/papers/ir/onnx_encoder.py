"""Weights of a BERT encoder from an ONNX export, as the Transformers library reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from reseed.core.errors import ReseedError
from safetensors.numpy import save

#: What stands before the names of an encoder's modules in an export of Sentence Transformers.
_MODEL = "model.0.auto_model."
_NODE = "/model/model.0/auto_model/"


def to_transformers(files: Mapping[str, Path]) -> dict[str, bytes]:
    """The files of an encoder and its tokenizer, by name.

    files: one `.onnx` file, exported by PyTorch from Sentence Transformers; `config.json` and the
        tokenizer of a BERT encoder of the same width and vocabulary. The number of layers is that
        of the export. It has no pooler, which is drawn as the head is.
    """
    [export] = [path for name, path in files.items() if name.endswith(".onnx")]
    weights = dict(_read_weights(onnx.load(export).graph))
    layers = {name.split(".")[2] for name in weights if name.startswith("encoder.layer.")}
    if not layers:
        raise ReseedError(f"{export}: it has no weights named {_MODEL}encoder.layer.…")
    others = {name: path.read_bytes() for name, path in files.items() if path != export}
    config = json.loads(others["config.json"]) | {"num_hidden_layers": len(layers)}
    return {
        **others,
        "config.json": json.dumps(config, indent=2, sort_keys=True).encode(),
        "model.safetensors": save(weights, {"format": "pt"}),
    }


def _read_weights(graph: onnx.GraphProto) -> Iterator[tuple[str, np.ndarray]]:
    """Name and value of each weight. Matrices are transposed, and their nodes name them."""
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for name, value in values.items():
        if name.startswith(_MODEL):
            yield name.removeprefix(_MODEL), value
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in values:
            module = node.name.removeprefix(_NODE).removesuffix("/MatMul").replace("/", ".")
            yield f"{module}.weight", np.ascontiguousarray(values[node.input[1]].T)
