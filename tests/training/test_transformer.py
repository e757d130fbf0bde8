"""Transformers of every family: each trains, repeats, and draws by role; nothing else is drawn."""

import warnings

import numpy as np
import pytest
import torch
from reseed.core.errors import ReseedError
from reseed.models.registry import build_estimator
from reseed.models.transformer import (
    Transformer,
    compute_rate_factor,
    freeze_lowest_layers,
    transformer,
)
from reseed.training.run import Problem, Recipe, Trial, run_trials
from synthetic_tables import Plain, Rows, same_seeds
from synthetic_texts import labelled_texts
from tiny_transformers import FAMILIES, folder

QUICK = {"max_epochs": 2, "learning_rate": 1e-3, "max_tokens": 20}
NO_HEAD = {"t5"}


@pytest.fixture(params=list(FAMILIES))
def family(request):
    return request.param


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    torch.manual_seed(0)
    return {name: folder(name, tmp_path_factory.mktemp(name)) for name in FAMILIES}


def run(place, changes=None, *, rows=48, classes=3, pairs=False, hold_validation=False, **roles):
    inputs, target = labelled_texts(rows, classes, pairs)
    options = QUICK | (changes or {})
    options |= {"text_to_text": True} if place.name.startswith("t5") else {}
    recipe = Recipe("reseed.models.transformer:transformer", options, weights=place,
                    hold_validation=hold_validation)  # fmt: skip
    task = "binary" if classes == 2 else "multiclass"
    parts = Rows(*np.split(np.arange(rows), [rows // 2, rows * 3 // 4]))
    trial = Trial(parts, same_seeds(0) | roles)
    (outcome,) = run_trials(Problem(Plain(inputs), target, task, classes), recipe, [trial])
    assert outcome.status == "ok", outcome.error
    return outcome


def test_each_family_repeats_and_draws_by_role(family, folders):
    short = {"max_epochs": 1, "batch_size": 4}
    first = run(folders[family], short, rows=24).fingerprint
    torch.rand(3)  # what others draw from the global generator is of no account
    assert run(folders[family], short, rows=24).fingerprint == first
    for role, moves in {"init": family not in NO_HEAD, "order": True, "dropout": True,
                        "augment": False}.items():  # fmt: skip
        other = run(folders[family], short, rows=24, **{role: 1}).fingerprint
        assert (other != first) == moves, role


def test_the_global_generator_is_left_as_it_was(folders):
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    run(folders["bert"])
    assert torch.rand(1) == expected


@pytest.mark.parametrize("classes", [2, 3])
def test_each_family_takes_pairs_and_shapes_are_right(family, folders, classes):
    outcome = run(folders[family], {"max_epochs": 1}, classes=classes, pairs=True)
    assert outcome.outputs["test"].shape == ((12,) if classes == 2 else (12, 3))
    assert np.isfinite(outcome.outputs["test"]).all()


def test_a_transformer_learns(folders):
    options = {"max_epochs": 10, "learning_rate": 1e-2, "patience": 10, "batch_size": 8}
    assert run(folders["bert"], options, rows=160).metrics["accuracy"] > 0.8


def test_without_patience_validation_rows_are_trained_on(folders):
    outcome = run(folders["bert"], {"patience": None})
    assert "validation" not in outcome.outputs
    assert outcome.converged is None


def test_held_out_rows_choose_no_epoch_without_patience(folders):
    options = {"patience": None, "max_epochs": 4, "learning_rate": 0.05}
    held = run(folders["bert"], options, hold_validation=True)
    assert held.outputs["validation"].shape == (12, 3)
    assert not any("validation_loss" in entry for entry in held.curve)


def test_read_only_texts_and_classes_do_not_warn(folders):
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*not writable")
            run(folders["bert"])
    finally:
        torch.set_warn_always(False)


def model(place, **options):
    if place.name.startswith("t5"):
        options["text_to_text"] = True
    seeds = options.pop("seeds", same_seeds(0))
    return build_estimator(transformer, "multiclass", 3, options, seeds, weights=place)


def test_only_new_weights_are_drawn(family, folders):
    one = model(folders[family]).build().state_dict()
    two = model(folders[family], seeds=same_seeds(1)).build().state_dict()
    changed = {name for name in one if not torch.equal(one[name], two[name])}
    heads = ("classifier", "classification_head", "logits_proj", "sequence_summary")
    assert all(any(h in name for h in (*heads, "pooler")) for name in changed), changed
    assert bool(changed) == (family not in NO_HEAD)


def test_random_weights_are_all_drawn_by_the_init_role(family, folders):
    def one(seed):
        made = model(folders[family], random_weights=True, seeds=same_seeds(seed)).build()
        return torch.cat([p.flatten() for p in made.parameters()])

    assert torch.equal(one(0), one(0))
    assert not torch.equal(one(0), one(1))


#: Where each family keeps its layers.
STACKS = {
    "bert": ["bert.encoder.layer"], "roberta": ["roberta.encoder.layer"],
    "distilbert": ["distilbert.transformer.layer"], "xlnet": ["transformer.layer"],
    "bart": ["model.encoder.layers", "model.decoder.layers"],
    "t5": ["encoder.block", "decoder.block"],
}  # fmt: skip


def test_upper_layers_are_removed_and_lower_ones_frozen(family, folders):
    short = model(folders[family], layers=2, freeze=1).build().model
    for stack in STACKS[family]:
        parameters = {
            number: list(short.get_submodule(f"{stack}.{number}").parameters()) for number in (0, 1)
        }
        assert len(short.get_submodule(stack)) == 2
        assert not any(p.requires_grad for p in parameters[0])
        assert all(p.requires_grad for p in parameters[1])
    assert not any(p.requires_grad for p in short.get_input_embeddings().parameters())
    full = model(folders[family]).build().model
    assert all(p.requires_grad for p in full.parameters())
    first = f"{STACKS[family][0]}.0."
    kept = short.state_dict()
    assert all(torch.equal(v, kept[n]) for n, v in full.state_dict().items() if first in n)


def test_frozen_weights_do_not_change(folders):
    estimator = model(folders["bert"], **QUICK, layers=2, freeze=1)
    before = {n: v.clone() for n, v in estimator.build().state_dict().items()}
    inputs, target = labelled_texts(24)
    estimator.fit(inputs, target, inputs[:9], target[:9])
    after = estimator.network.state_dict()
    moved = {n for n in before if not torch.equal(before[n], after[n])}
    assert not any("embeddings" in n or "layer.0." in n for n in moved)
    assert any("layer.1." in n for n in moved)


def test_padding_changes_no_logit(family, folders):
    estimator = model(folders[family])
    estimator.network = estimator.build().eval()
    short, long = "word1 class1", "word2 word3 word4 word5 class2"
    with torch.inference_mode():
        alone = estimator.logits([short])
        batched = estimator.logits([long, short])[1:]
    assert torch.allclose(alone, batched, atol=1e-5)


def test_texts_are_tokenised_once_for_each_split(folders, monkeypatch):
    inputs, target = labelled_texts(48)
    recipe = Recipe("reseed.models.transformer:transformer", QUICK | {"max_epochs": 1},
                    weights=folders["bert"])  # fmt: skip
    parts = Rows(*np.split(np.arange(48), [24, 36]))
    problem = Problem(Plain(inputs), target, "multiclass", 3)
    trials = [Trial(parts, same_seeds(seed)) for seed in range(3)]
    calls, original = [], Transformer._tokenise
    monkeypatch.setattr(
        Transformer, "_tokenise", lambda self, X: calls.append(1) or original(self, X)
    )
    fingerprints = {o.fingerprint for o in run_trials(problem, recipe, trials)}
    assert len(calls) == 3  # training, validation and test texts
    assert len(fingerprints) == 3


def train_with(options, weights):
    inputs, target = labelled_texts(24)
    recipe = Recipe("reseed.models.transformer:transformer", options, weights=weights)
    parts = Rows(*np.split(np.arange(24), [12, 18]))
    problem = Problem(Plain(inputs), target, "multiclass", 3)
    (outcome,) = run_trials(problem, recipe, [Trial(parts, same_seeds(0))])
    return outcome


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"layers": 9}, "layers 9"),
        ({"layers": 1, "freeze": 2}, "freeze 2"),
        ({"source": "a/b"}, "either weights"),
        ({"labels": ["yes"]}, "labels"),
    ],
)
def test_bad_options_are_refused(options, words, folders):
    outcome = train_with(options, folders["bert"])
    assert outcome.status == "failed"
    assert words in outcome.error


def test_an_unknown_hyperparameter_is_refused(folders):
    with pytest.raises(ReseedError, match="no hyper-parameter 'max_epoch'"):
        train_with({"max_epoch": 2}, folders["bert"])


def test_a_name_of_the_hub_needs_a_revision():
    with pytest.raises(ValueError, match="revision, a commit"):
        transformer("multiclass", 3, {"source": "a/b"}, same_seeds(0))


def test_labels_that_share_a_token_are_refused(folders):
    made = model(folders["t5"], labels=["unheard", "of", "words"])
    with pytest.raises(ValueError, match="labels"):
        made.build()


def test_the_learning_rate_rises_and_falls():
    factors = [compute_rate_factor(step, 100, 0.1) for step in range(100)]
    assert np.argmax(factors) == 10
    assert factors[0] > 0
    assert factors[10] == 1
    assert factors[55] == pytest.approx(0.5)
    assert 0 < factors[99] < 0.02


def test_a_model_without_layers_cannot_be_frozen():
    with pytest.raises(ValueError, match="no stack of layers"):
        freeze_lowest_layers(torch.nn.Linear(2, 2), 1)
