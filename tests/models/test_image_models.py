"""What image classifiers share: pixels, augmentation, draws by role, fitting."""

import warnings

import numpy as np
import pytest
import torch
from image_sets import blobs, seeds
from papers.banerjee.small_cnn import small_cnn
from papers.picard.resnet9 import resnet9
from reseed.core.coordinates import ROLES
from reseed.core.errors import ReseedError
from reseed.core.random_streams import stream
from reseed.models.images import ImageRecipe, Pixels, Transforms, initialise_weights
from torch import nn

CPU = torch.device("cpu")
TINY = {"width_1": 3, "width_2": 4, "hidden": 6, "batch_size": 16, "epochs": 2}
ALL_ROLES = TINY | {"dropout": 0.3, "crop": 2, "flip": True, "cutout": 4, "augment_block": 8}


def augmented_by_hand(image, fill, dy, dx, flip, cut_y, cut_x, pad, side):
    """Pad with the fill, cut the window out, mirror, blank a square; image (h, w, c) of floats."""
    height, width, _ = image.shape
    padded = np.pad(image, ((pad, pad), (pad, pad), (0, 0)), constant_values=np.nan)
    window = padded[pad + dy : pad + dy + height, pad + dx : pad + dx + width]
    window = np.where(np.isnan(window), fill, window)
    if flip:
        window = window[:, ::-1]
    window = window.copy()
    top, left = max(0, cut_y - side // 2), max(0, cut_x - side // 2)
    window[top : cut_y + side // 2, left : cut_x + side // 2] = fill
    return window


def test_augmentation_is_pad_crop_flip_cutout_per_block():
    images, y = blobs(20, size=10)
    recipe = TINY | {"batch_size": 20, "crop": 3, "flip": True, "cutout": 4, "augment_block": 8}
    model = small_cnn("multiclass", 3, recipe, seeds(3))
    learner = model.learner(images, y)
    pixels = Pixels(images, CPU)
    drawn = Transforms.draw(model.recipe, pixels, stream(3, "augment"))
    assert len(drawn.dy) == 3  # blocks of 8, 8 and 4
    ((inputs, targets),) = learner.batches()
    order = stream(3, "order").permutation(20)
    mean, std = (np.array(m) for m in pixels.channel_moments())
    assert targets.tolist() == y[order].tolist()
    for place, row in enumerate(order):
        block = row // 8
        by_hand = augmented_by_hand(
            images[row] / 255, mean,
            *(int(getattr(drawn, name)[block]) for name in ("dy", "dx", "flip", "cut_y", "cut_x")),
            3, 4,
        )  # fmt: skip
        expected = ((by_hand - mean) / std).transpose(2, 0, 1)
        assert inputs[place].numpy() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("side", range(6))
def test_a_cutout_is_a_square_of_its_side(side):
    pixels, recipe = Pixels(np.zeros((1, 12, 12, 1), np.uint8), CPU), ImageRecipe(cutout=side)
    zero, middle = torch.zeros(1, dtype=torch.int64), torch.full((1,), 6)
    _, kept = Transforms(zero, zero, zero, middle, middle).apply(recipe, pixels, zero)
    blank = torch.nonzero(~kept[0])
    assert len(blank) == side**2
    if side:
        assert (blank.max(dim=0).values - blank.min(dim=0).values + 1).tolist() == [side, side]


def test_augmentation_has_its_distribution():
    recipe = ImageRecipe(crop=4, flip=True, cutout=8)
    drawn = Transforms.draw(recipe, Pixels(np.zeros((20_000, 32, 32, 1), np.uint8), CPU),
                            np.random.default_rng(0))  # fmt: skip
    counts = torch.bincount(drawn.dy + 4, minlength=9)
    assert len(counts) == 9
    # Five standard errors of a binomial share of 1/9.
    assert counts / 20_000 == pytest.approx(np.full(9, 1 / 9), abs=5 * np.sqrt(8 / 81 / 20_000))
    assert float(drawn.flip.double().mean()) == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(20_000))
    assert abs(np.corrcoef(drawn.dy, drawn.dx)[0, 1]) < 5 / np.sqrt(20_000)
    assert int(drawn.cut_y.min()) == 0
    assert int(drawn.cut_y.max()) == 31


def test_normalisation_is_by_the_training_images_or_as_given():
    images, y = blobs(30)
    own = small_cnn("multiclass", 3, TINY, seeds())
    inputs = torch.cat([x for x, _ in own.learner(images, y).batches()])
    assert inputs.mean(dim=(0, 2, 3)).numpy() == pytest.approx(np.zeros(3), abs=1e-5)
    assert inputs.std(dim=(0, 2, 3), correction=0).numpy() == pytest.approx(np.ones(3), abs=1e-4)
    given = small_cnn("multiclass", 3, TINY | {"mean": [0.5] * 3, "std": [0.25] * 3}, seeds())
    x, _ = next(iter(given.learner(images, y).batches()))
    first = stream(0, "order").permutation(30)[0]
    expected = (images[first] / 255 - 0.5) / 0.25
    assert x[0].permute(1, 2, 0).numpy() == pytest.approx(expected, abs=1e-5)


def draws(model, images, y, epochs=2):
    """What each role decides: initial weights, order, masks, transforms of two epochs."""
    learner = model.learner(images, y)
    found = {"init": [p.detach().clone() for p in learner.network.parameters()]}
    found |= {"order": [], "augment": [], "dropout": []}
    for _ in range(epochs):
        pixels, targets = Pixels(images, CPU), torch.arange(len(y))
        state = model._augment.bit_generator.state
        found["augment"] += list(
            vars(Transforms.draw(model.recipe, pixels, model._augment)).values()
        )
        model._augment.bit_generator.state = state
        for _, rows in model.epoch(pixels, targets):
            found["order"].append(rows)
            learner.network.train()
            found["dropout"].append(learner.network.dropout(torch.ones(len(rows), 6)))
    return found


@pytest.mark.parametrize("changed", ROLES)
def test_changing_one_role_leaves_other_draws_unchanged(changed):
    images, y = blobs(40)
    first = draws(small_cnn("multiclass", 3, ALL_ROLES, seeds(1)), images, y)
    other = draws(small_cnn("multiclass", 3, ALL_ROLES, seeds(1, **{changed: 2})), images, y)
    for role in ROLES:
        same = all(torch.equal(a, b) for a, b in zip(first[role], other[role], strict=True))
        assert same == (role != changed), role


@pytest.mark.parametrize("changed", ROLES)
def test_each_role_changes_the_trained_model(changed):
    images, y = blobs(40)

    def outputs(**roles):
        model = small_cnn("multiclass", 3, ALL_ROLES, seeds(1, **roles))
        return model.fit(images, y).predict(images)

    assert np.array_equal(outputs(), outputs())
    assert not np.array_equal(outputs(), outputs(**{changed: 2}))


def test_nothing_is_drawn_from_the_global_generators():
    images, y = blobs(40)
    torch.manual_seed(5)
    np.random.seed(5)
    states = torch.random.get_rng_state(), np.random.get_state()[1].copy()
    small_cnn("multiclass", 3, ALL_ROLES, seeds()).fit(images, y).predict(images)
    resnet9("multiclass", 3, {"width": 2, "epochs": 1, "ramp_epochs": 0}, seeds()).fit(images, y)
    assert torch.equal(states[0], torch.random.get_rng_state())
    assert np.array_equal(states[1], np.random.get_state()[1])


def test_initial_weights_are_distributed_as_those_of_pytorch():
    with torch.device("meta"):
        network = nn.Sequential(nn.Conv2d(16, 400, 3), nn.Linear(50, 2000))
    initialise_weights(network.to_empty(device="cpu"), np.random.default_rng(0))
    own = nn.Sequential(nn.Conv2d(16, 400, 3), nn.Linear(50, 2000))
    for ours, theirs in zip(network.parameters(), own.parameters(), strict=True):
        n = ours.numel()
        ours, theirs = ours.detach(), theirs.detach()
        bound = float(theirs.abs().max())
        assert float(ours.abs().max()) == pytest.approx(bound, rel=0.02)
        assert float(ours.double().var()) == pytest.approx(bound**2 / 3, rel=6 / np.sqrt(n))


def test_initialise_refuses_a_layer_it_has_no_rule_for():
    with pytest.raises(ReseedError, match="Embedding: there is no rule"):
        initialise_weights(nn.Embedding(3, 3), np.random.default_rng(0))


def test_a_curve_holds_loss_and_test_accuracy_of_each_epoch():
    images, y = blobs(90)
    model = small_cnn("multiclass", 3, TINY, seeds())
    model.watch(images[60:], y[60:])
    model.fit(images[:60], y[:60])
    assert [entry["epoch"] for entry in model.curve_] == [1, 2]
    hits = model.predict(images[60:]).argmax(axis=1) == y[60:]
    assert model.curve_[-1]["test_metric"] == pytest.approx(hits.mean())
    silent = small_cnn("multiclass", 3, TINY | {"test_curve": False}, seeds())
    silent.watch(images[60:], y[60:])
    assert "test_metric" not in silent.fit(images[:60], y[:60]).curve_[0]


def test_watching_the_test_rows_changes_no_bit():
    images, y = blobs(60)
    alone = small_cnn("multiclass", 3, ALL_ROLES, seeds()).fit(images, y).predict(images)
    model = small_cnn("multiclass", 3, ALL_ROLES, seeds())
    model.watch(images[:7], y[:7])
    assert np.array_equal(model.fit(images, y).predict(images), alone)


def test_two_classes_give_the_difference_of_logits():
    images, y = blobs(60, classes=2)
    model = small_cnn("binary", 2, TINY, seeds()).fit(images, y)
    both = model._logits(model._trained, Pixels(images, CPU))
    assert model.predict(images) == pytest.approx((both[:, 1] - both[:, 0]).detach().numpy())
    assert model.predict(images).dtype == np.float32


def test_last_batch_of_one_image_is_dropped_for_batch_norm():
    images, y = blobs(33, size=4)
    plain = small_cnn("multiclass", 3, TINY, seeds())
    assert [len(t) for _, t in plain.learner(images, y).batches()] == [16, 16, 1]
    model = resnet9("multiclass", 3, {"width": 2, "epochs": 1, "ramp_epochs": 0, "batch_size": 16},
                    seeds())  # fmt: skip
    assert [len(t) for _, t in model.learner(images, y).batches()] == [16, 16]
    assert np.isfinite(model.fit(images, y).predict(images)).all()


def test_read_only_images_are_not_copied_and_do_not_warn():
    images, y = blobs(20)
    images.setflags(write=False)
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pixels = Pixels(images, CPU)
            small_cnn("multiclass", 3, ALL_ROLES, seeds()).fit(images, y).predict(images)
    finally:
        torch.set_warn_always(False)
    assert pixels._bytes.data_ptr() == images.ctypes.data


def test_non_finite_loss_ends_the_trial_and_names_the_epoch():
    images, y = blobs(60)
    recipe = {"width": 2, "epochs": 3, "ramp_epochs": 1, "learning_rate": 1e30, "batch_size": 10}
    model = resnet9("multiclass", 3, recipe, seeds())
    with pytest.raises(FloatingPointError, match="epoch"):
        model.fit(images, y)
    assert model.curve_


@pytest.mark.parametrize(
    ("hyperparameters", "message"),
    [
        ({"widht_1": 3}, "widht_1: unknown"),
        ({"precision": "double"}, "precision: 'double' is not in"),
        ({"precision": "half"}, "needs a GPU"),
        ({"epochs": 0}, "epochs: 0 is below 1"),
        ({"mean": [0.5]}, "both mean and std"),
    ],
)
def test_hyperparameters_are_checked(hyperparameters, message):
    with pytest.raises(ReseedError, match=message):
        small_cnn("multiclass", 3, hyperparameters, seeds())


def test_unsuitable_inputs_and_tasks_are_refused():
    images, y = blobs(20)
    with pytest.raises(ReseedError, match="is a classifier"):
        small_cnn("regression", 0, TINY, seeds())
    with pytest.raises(ReseedError, match="kind: images"):
        small_cnn("multiclass", 3, TINY, seeds()).fit(images.astype(float), y)
    with pytest.raises(ReseedError, match="for images of 3 channels"):
        small_cnn("multiclass", 3, TINY | {"mean": [0.5], "std": [0.2]}, seeds()).fit(images, y)
