"""A fresh head on a frozen backbone, and the backbone itself."""

import gc
import re

import numpy as np
import pytest
import torch
from image_sets import blobs, seeds
from papers.picard import efficientnet_lite, pretrained_head
from papers.picard.efficientnet_lite import EfficientNetLite, Unit
from papers.picard.pretrained_head import _CACHE
from reseed.core.errors import ReseedError
from torch import nn

RECIPE = {"resolution": 32, "epochs": 3, "batch_size": 16}


def port_name(name):
    """The ports' name of a tensor, from ours (the inverse of what the module translates)."""
    name = re.sub(r"^blocks\.(\d+)\.expand\.norm", r"_blocks.\1._bn0", name)
    name = re.sub(r"^blocks\.(\d+)\.depthwise\.norm", r"_blocks.\1._bn1", name)
    name = re.sub(r"^blocks\.(\d+)\.project\.norm", r"_blocks.\1._bn2", name)
    name = re.sub(r"^blocks\.(\d+)\.(expand|depthwise|project)\.convolution",
                  r"_blocks.\1._\2_conv", name)  # fmt: skip
    for ours, theirs in (
        ("stem.convolution", "_conv_stem"), ("stem.norm", "_bn0"), ("top.convolution",
        "_conv_head"), ("top.norm", "_bn1"), ("classifier", "_fc"),
    ):  # fmt: skip
        name = re.sub(f"^{ours}", theirs, name)
    return name


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(0)
    found = EfficientNetLite("efficientnet_lite0").eval()
    for module in found.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.running_mean, -0.1, 0.1)
    return found


@pytest.fixture
def weights(network, tmp_path):
    state = {port_name(name): tensor for name, tensor in network.state_dict().items()}
    torch.save(state, tmp_path / "lite0.pth")
    yield tmp_path
    _CACHE.clear()


@pytest.mark.parametrize(
    ("variant", "size", "parameters", "million"),
    [("efficientnet_lite0", 224, 4_652_008, 407), ("efficientnet_lite2", 260, 6_092_072, 899)],
)
def test_backbones_have_published_size_and_cost(variant, size, parameters, million):
    """Parameters and multiply-adds of the variant in TensorFlow's model repository."""
    with torch.device("meta"):
        network = EfficientNetLite(variant)
    assert sum(p.numel() for p in network.parameters()) == parameters
    costs = []

    def count(module, inputs, output):
        if isinstance(module, nn.Conv2d):
            costs.append(output[0].numel() * module.weight[0].numel())

    for module in network.modules():
        module.register_forward_hook(count)
    network.features(torch.empty(1, 3, size, size, device="meta"))
    assert sum(costs) / 1e6 == pytest.approx(million, rel=0.06)


def test_padding_is_tensorflows_same():
    """Against the definition: ⌈n/s⌉ outputs, the smaller half of the padding first."""
    for size, kernel, stride in [(7, 3, 2), (8, 3, 2), (8, 5, 2), (9, 5, 2), (6, 3, 1), (5, 1, 1)]:
        unit = Unit(1, 1, kernel, stride, has_relu=False).eval()
        x = torch.arange(float(size * size)).view(1, 1, size, size)
        outputs = -(-size // stride)
        total = max(0, (outputs - 1) * stride + kernel - size)
        padded = np.pad(x[0, 0].numpy(), (total // 2, total - total // 2))
        weight = unit.convolution.weight[0, 0].detach().numpy()
        windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel))
        expected = (windows[::stride, ::stride] * weight).sum(axis=(2, 3)) / np.sqrt(1 + 1e-3)
        assert expected.shape == (outputs, outputs)
        assert unit(x)[0, 0].detach().numpy() == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_weights_are_read_under_the_ports_names(network, weights):
    loaded = efficientnet_lite.load("efficientnet_lite0", weights)
    x = torch.rand(2, 3, 40, 40) * 255
    assert torch.equal(loaded.features(x), network.features(x))
    assert not any(p.requires_grad for p in loaded.parameters())
    assert not loaded.training


def test_other_weights_are_refused(tmp_path):
    with pytest.raises(ReseedError, match=r"0 \.pth files"):
        efficientnet_lite.load("efficientnet_lite2", tmp_path)
    torch.save({"a.weight": torch.zeros(1)}, tmp_path / "x.pth")
    with pytest.raises(ReseedError, match="not the weights of efficientnet_lite2"):
        efficientnet_lite.load("efficientnet_lite2", tmp_path)


def make(weights, seed=0, task="multiclass", classes=3, **roles):
    return pretrained_head.pretrained_head(
        task, classes, RECIPE, seeds(seed, **roles), weights=weights
    )


def test_features_are_computed_once_and_kept_on_disk(weights, monkeypatch):
    images, y = blobs(30)
    first = make(weights).fit(images, y)
    expected = first.predict(images)

    def fail(*arguments):
        raise AssertionError("computed again")

    monkeypatch.setattr(pretrained_head, "load_backbone", fail)
    assert np.array_equal(make(weights).fit(images, y).predict(images), expected)
    _CACHE.clear()  # as in another process
    assert np.array_equal(make(weights).fit(images, y).predict(images), expected)
    with pytest.raises(AssertionError, match="again"):
        make(weights).fit(blobs(30, seed=1)[0], y)
    (stored,) = (weights / "features").glob("*.npy")
    stored.write_bytes(b"damaged")
    _CACHE.clear()
    with pytest.raises(AssertionError, match="again"):
        make(weights).fit(images, y)


def test_features_of_deleted_images_are_released(weights):
    images, y = blobs(10)
    make(weights).fit(images, y)
    del images
    gc.collect()
    other, y = blobs(12)
    make(weights).fit(other, y)
    assert len(_CACHE) == 1


def test_feature_key_covers_everything_that_decides_features(weights):
    images, _ = blobs(10)
    model = make(weights)
    key = model._compute_features_key(images)
    assert key == make(weights, seed=5)._compute_features_key(images.copy())
    changed = images.copy()
    changed[3, 2, 1, 0] ^= 1
    assert model._compute_features_key(changed) != key
    assert model._compute_features_key(images.reshape(10, 6, 24, 3)) != key
    (weights / "lite0.pth").write_bytes(b"other")
    assert model._compute_features_key(images) != key


def test_stored_transformer_features_include_its_version(weights, monkeypatch):
    images, _ = blobs(10)
    recipe = RECIPE | {"backbone": "transformers"}
    library = pretrained_head.pretrained_head("multiclass", 3, recipe, seeds(), weights=weights)
    keys = [model._compute_features_key(images) for model in (library, make(weights))]
    monkeypatch.setattr(pretrained_head.metadata, "version", lambda name: f"{name} of tomorrow")
    assert library._compute_features_key(images) != keys[0]
    assert make(weights)._compute_features_key(images) == keys[1]


@pytest.mark.parametrize("role", ["init", "order"])
def test_init_and_order_each_change_the_head_alone(weights, role):
    images, y = blobs(40)

    def outputs(**roles):
        return make(weights, 1, **roles).fit(images, y).predict(images)

    assert np.array_equal(outputs(), outputs())
    assert not np.array_equal(outputs(), outputs(**{role: 2}))
    assert np.array_equal(outputs(), outputs(augment=9, dropout=9))
    first, other = make(weights, 1).initial_head(7), make(weights, 1, order=2).initial_head(7)
    assert torch.equal(first.linear.weight, other.linear.weight)


def test_the_head_starts_and_is_trained_as_published(weights):
    head = make(weights).initial_head(600)
    bound = np.sqrt(6 / 600)
    drawn = head.linear.weight.detach().numpy()
    assert np.abs(drawn).max() == pytest.approx(bound, rel=0.02)
    model = make(weights)
    assert model.head_stage.rate_factor(0) == 1
    assert model.head_stage.rate_factor(1) == pytest.approx(0.01)
    assert model.head_stage.rate_factor(0.5) == pytest.approx((1 + 0.01) / 2)
    logits, targets = torch.randn(5, 3), torch.tensor([0, 1, 2, 1, 0])
    log_p = logits.log_softmax(dim=1)
    own = -log_p[torch.arange(5), targets]
    expected = (own + 0.9 * own - 0.1 * log_p.mean(dim=1)).mean()
    assert float(model.loss(logits, targets)) == pytest.approx(float(expected), rel=1e-5)


def test_two_classes_give_one_output_and_a_curve(weights):
    images, y = blobs(40, classes=2)
    model = make(weights, task="binary", classes=2)
    model.watch(images[30:], y[30:])
    outputs = model.fit(images[:30], y[:30]).predict(images[30:])
    assert outputs.shape == (10,)
    assert [entry["epoch"] for entry in model.curve_] == [1, 2, 3]
    assert model.curve_[-1]["test_metric"] == pytest.approx(((outputs > 0) == y[30:]).mean())


def test_errors_are_reported(weights):
    factory = pretrained_head.pretrained_head
    with pytest.raises(ReseedError, match="weights are missing"):
        factory("multiclass", 3, {}, seeds())
    with pytest.raises(ReseedError, match="backbone: 'vgg' is not one of"):
        factory("multiclass", 3, {"backbone": "vgg"}, seeds(), weights=weights)
    with pytest.raises(ReseedError, match="epoch: unknown"):
        factory("multiclass", 3, {"epoch": 3}, seeds(), weights=weights)
    with pytest.raises(ReseedError, match="is a classifier"):
        factory("regression", 0, {}, seeds(), weights=weights)
    with pytest.raises(ReseedError, match="kind: images"):
        make(weights).fit(np.zeros((4, 3)), np.zeros(4))


@pytest.mark.parametrize(
    ("name", "sizes", "features"),
    [
        ("ResNet", {"embedding_size": 4, "hidden_sizes": [4, 6], "depths": [1, 1],
                    "layer_type": "basic"}, 6),
        ("Swin", {"image_size": 32, "embed_dim": 8, "depths": [1, 1], "num_heads": [2, 2],
                  "window_size": 4}, 16),  # as in models/swin_head, with random weights
    ],
)  # fmt: skip
def test_a_folder_of_the_transformers_library_is_a_backbone(tmp_path, name, sizes, features):
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    own = getattr(transformers, f"{name}Model")(
        getattr(transformers, f"{name}Config")(**sizes)
    ).eval()
    own.save_pretrained(tmp_path)
    (tmp_path / "preprocessor_config.json").write_text(
        '{"image_processor_type": "ConvNextImageProcessor", "image_mean": [0.4, 0.5, 0.6],'
        ' "image_std": [0.2, 0.3, 0.4], "size": {"shortest_edge": 32}}'
    )
    images, _ = blobs(12, size=32)
    model = pretrained_head.pretrained_head(
        "multiclass", 3, RECIPE | {"backbone": "transformers"}, seeds(), weights=tmp_path
    )
    pixels = torch.from_numpy(images).permute(0, 3, 1, 2) / 255
    mean, std = torch.tensor([0.4, 0.5, 0.6]), torch.tensor([0.2, 0.3, 0.4])
    expected = own((pixels - mean[:, None, None]) / std[:, None, None]).pooler_output.flatten(1)
    found = model.features(images)
    assert found.shape == (12, features)
    assert torch.allclose(found, expected, atol=1e-5)
    _CACHE.clear()
    with pytest.raises(ReseedError, match="not a vision model"):
        pretrained_head.TransformersBackbone(tmp_path / "absent")
