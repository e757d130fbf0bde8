"""A head, then the whole network, from pretrained weights."""

import numpy as np
import pytest
import torch
from image_sets import blobs, seeds
from papers.picard import fine_tuning, pretrained_head
from reseed.core.errors import ReseedError

transformers = pytest.importorskip("transformers")
RECIPE = {
    "backbone": "transformers",
    "resolution": 32,
    "batch_size": 16,
    "tuning_epochs": 2,
    "tuning_batch_size": 16,
    "tuning_rate": 0.05,
}


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A small ResNet with random weights."""
    sizes = {"hidden_sizes": [8, 16], "depths": [1, 1], "embedding_size": 8, "num_channels": 3}
    config = transformers.ResNetConfig(**sizes, layer_type="basic")
    yield save(transformers.ResNetModel, config, tmp_path_factory)
    pretrained_head._CACHE.clear()


def save(model, config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    torch.manual_seed(0)
    model(config).save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(
        '{"image_mean": [0.5, 0.5, 0.5], "image_std": [0.2, 0.2, 0.2]}'
    )
    return folder


def make(weights, seed=0, **more):
    roles = {name: more.pop(name) for name in ("init", "order") if name in more}
    return fine_tuning.fine_tuned(
        "multiclass", 3, RECIPE | more, seeds(seed, **roles), weights=weights
    )


def backbone_of(model):
    return torch.cat([p.detach().flatten() for p in model.network.backbone.parameters()])


def test_the_whole_network_moves_and_the_loaded_weights_stay(weights):
    images, y = blobs(48)
    before = pretrained_head.load_backbone("transformers", weights)
    model = make(weights, tuning_epochs=20).fit(images, y)
    first = torch.cat([p.flatten() for p in before.parameters()])
    assert (backbone_of(model) - first).abs().max() > 1e-4
    again = pretrained_head.load_backbone("transformers", weights)
    assert torch.equal(torch.cat([p.flatten() for p in again.parameters()]), first)
    assert (model.predict(images).argmax(axis=1) == y).mean() > 0.8
    assert model.predict(images).shape == (48, 3)


def test_running_moments_follow_the_tuned_network(weights):
    """With the slow moments of some backbones, predictions were those of another network."""
    images, y = blobs(48)
    backbone = pretrained_head.load_backbone("transformers", weights)
    for module in backbone.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = 1e-4
    model = make(weights, tuning_epochs=20).fit(images, y)
    assert (model.predict(images).argmax(axis=1) == y).mean() > 0.8
    slow = make(weights, tuning_epochs=20, norm_momentum=1e-4).fit(images, y)
    assert (slow.predict(images).argmax(axis=1) == y).mean() < 0.8


def test_without_epochs_of_tuning_it_is_the_head(weights):
    images, y = blobs(48)
    options = {
        "tuning_epochs": 1,
        "tuning_rate": 1e-30,
        "final_tuning_rate": 0.0,
        "weight_decay": 0,
    }
    tuned = make(weights, **options).fit(images, y)
    recipe = {name: RECIPE[name] for name in ("backbone", "resolution", "batch_size")}
    head = pretrained_head.pretrained_head(
        "multiclass", 3, recipe | {"epochs": 1, "weight_decay": 0}, seeds(0), weights=weights
    ).fit(images, y)
    tuned.network.backbone.load_state_dict(
        pretrained_head.load_backbone("transformers", weights).state_dict()
    )  # the running moments of the batches moved
    tuned.network.eval()
    assert tuned.predict(images) == pytest.approx(head.predict(images), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("role", ["init", "order"])
def test_same_seeds_give_the_same_bits_and_others_do_not(weights, role):
    images, y = blobs(32)
    first = make(weights).fit(images, y).predict(images)
    assert np.array_equal(make(weights).fit(images, y).predict(images), first)
    assert not np.array_equal(make(weights, **{role: 5}).fit(images, y).predict(images), first)


def test_the_curve_is_that_of_the_second_stage(weights):
    images, y = blobs(32)
    model = make(weights)
    model.watch(images, y)
    model.fit(images, y)
    assert [entry["epoch"] for entry in model.curve_] == [1, 2]
    accuracy = (model.predict(images).argmax(axis=1) == y).mean()
    assert model.curve_[-1]["test_metric"] == pytest.approx(accuracy)


def test_unknown_fields_are_named(weights):
    with pytest.raises(ReseedError, match=r"hyperparameters\.tuning: unknown.*tuning_epochs"):
        make(weights, tuning=3)
