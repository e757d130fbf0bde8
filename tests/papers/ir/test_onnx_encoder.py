"""Weights of an encoder are read from an ONNX export under the names of Transformers."""

import re

import pytest
from papers.ir.onnx_encoder import to_transformers
from reseed.core.errors import ReseedError

onnx = pytest.importorskip("onnx")
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SIZES = {
    "vocab_size": 11, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 12, "max_position_embeddings": 6,
}  # fmt: skip


def export(network, path):
    """The graph as PyTorch writes it: matrices of layers are transposed and have no names."""
    tensors, nodes = [], []
    for name, tensor in network.state_dict().items():
        layer = re.fullmatch(r"(encoder\.layer\..*(?:query|key|value|dense))\.weight", name)
        stored = f"onnx::MatMul_{len(tensors)}" if layer else f"model.0.auto_model.{name}"
        value = tensor.T if layer else tensor
        tensors.append(onnx.numpy_helper.from_array(value.numpy().copy(), stored))
        if layer:
            node = f"/model/model.0/auto_model/{layer[1].replace('.', '/')}/MatMul"
            nodes.append(onnx.helper.make_node("MatMul", ["x", stored], ["y"], node))
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", [], [], tensors)), path)


def test_exported_weights_load_in_transformers(tmp_path):
    config = transformers.BertConfig(**SIZES)
    network = transformers.BertModel(config, add_pooling_layer=False).eval()
    export(network, tmp_path / "model.onnx")
    wrong = transformers.BertConfig(**SIZES | {"num_hidden_layers": 6})
    wrong.save_pretrained(tmp_path)
    (tmp_path / "vocab.txt").write_text("a\n")
    files = {path.name: path for path in tmp_path.iterdir()}
    written = to_transformers(files)
    assert sorted(written) == ["config.json", "model.safetensors", "vocab.txt"]
    assert to_transformers(files) == written, "the same bytes, so the same hash of the weights"
    for name, content in written.items():
        (tmp_path / name).write_bytes(content)
    loaded = transformers.BertModel.from_pretrained(tmp_path, add_pooling_layer=False)
    for name, tensor in network.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], tensor), name


def test_an_export_of_another_model_is_refused(tmp_path):
    graph = onnx.helper.make_graph([], "g", [], [], [])
    onnx.save(onnx.helper.make_model(graph), tmp_path / "m.onnx")
    with pytest.raises(ReseedError, match="it has no weights named"):
        to_transformers({"m.onnx": tmp_path / "m.onnx"})
