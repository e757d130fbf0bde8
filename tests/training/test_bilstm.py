"""The BiLSTM: its own vocabulary, draws by role, bits on repetition, padding without effect."""

import numpy as np
import pytest
import torch
from papers.protocol.bilstm import BORDER, PADDING, UNKNOWN, Vocabulary, bilstm
from reseed.core.errors import ReseedError
from reseed.training.run import Problem, Recipe, Trial, run_trials
from synthetic_tables import Plain, Rows, same_seeds
from synthetic_texts import labelled_texts

TINY = {"embedding": 6, "hidden": 5, "max_epochs": 1, "batch_size": 8, "learning_rate": 0.01}


def run(changes=None, *, rows=32, classes=3, pairs=False, **roles):
    inputs, target = labelled_texts(rows, classes, pairs, "Word")
    recipe = Recipe("papers.protocol.bilstm:bilstm", TINY | (changes or {}))
    parts = Rows(*np.split(np.arange(rows), [rows // 2, rows * 3 // 4]))
    task = "binary" if classes == 2 else "multiclass"
    trial = Trial(parts, same_seeds(0) | roles)
    (outcome,) = run_trials(Problem(Plain(inputs), target, task, classes), recipe, [trial])
    return outcome


def test_same_seeds_repeat_bitwise_and_roles_are_separate():
    first = run().fingerprint
    torch.rand(3)  # what others draw from the global generator is of no account
    assert run().fingerprint == first
    for role, moves in {"init": True, "order": True, "dropout": True, "augment": False}.items():
        assert (run(**{role: 1}).fingerprint != first) == moves, role


def test_only_the_init_role_decides_the_initial_weights():
    def weights(**roles):
        model = bilstm("multiclass", 3, TINY, same_seeds(0) | roles)
        model.vocabulary = Vocabulary(labelled_texts(48)[0], 100, 1)
        return model.build().state_dict()

    first, others = weights(), weights(order=1, dropout=1)
    assert all(torch.equal(v, others[n]) for n, v in first.items())
    assert not any(torch.equal(v, first[n]) for n, v in weights(init=1).items())


def test_nothing_is_drawn_from_the_global_generator():
    state = torch.random.get_rng_state()
    run()
    assert torch.equal(state, torch.random.get_rng_state())


def test_initial_weights_are_distributed_as_those_of_pytorch():
    model = bilstm("multiclass", 3, {"hidden": 64, "embedding": 50}, same_seeds(0))
    model.vocabulary = Vocabulary(["a b c d e f g h"], 100, 1)
    network = model.build()
    own = torch.nn.LSTM(50, 64, batch_first=True, bidirectional=True)
    theirs = {f"lstm.{n}": p for n, p in own.named_parameters()}
    theirs |= {f"head.{n}": p for n, p in torch.nn.Linear(128, 3).named_parameters()}
    for name, parameter in network.named_parameters():
        if name in theirs:
            assert parameter.shape == theirs[name].shape
            if parameter.numel() > 1000:
                bound = float(theirs[name].detach().abs().max())
                assert float(parameter.detach().abs().max()) == pytest.approx(bound, rel=0.02), name
    vectors = network.embedding.weight.detach()
    assert not vectors[PADDING].any()
    assert float(vectors[1:].std()) == pytest.approx(1, abs=0.15)


def test_bilstm_learns():
    changes = {"max_epochs": 8, "patience": None, "learning_rate": 0.05, "dropout": 0.0}
    assert run(changes, rows=80).metrics["accuracy"] > 0.6


@pytest.mark.parametrize("classes", [2, 3])
def test_pairs_are_read_and_shapes_are_right(classes):
    outcome = run({"max_epochs": 1}, classes=classes, pairs=True)
    assert outcome.status == "ok", outcome.error
    assert outcome.outputs["test"].shape == ((8,) if classes == 2 else (8, 3))


def test_vocabulary_has_the_words_of_its_texts():
    vocabulary = Vocabulary(["It's good, GOOD film!", "a good film", "bad"], 4, 1)
    # good 3, film 2, then of those that stand once the first of the alphabet
    assert vocabulary.numbers == {"good": 3, "film": 4, "!": 5, "a": 6}
    assert Vocabulary(["b a", "a b", "c"], 9, 2).numbers == {"a": 3, "b": 4}
    assert vocabulary.encode(["Good new film", "", ("a", "film")], 9).tolist() == [
        [3, UNKNOWN, 4], [UNKNOWN, PADDING, PADDING], [6, BORDER, 4],
    ]  # fmt: skip
    assert vocabulary.encode(["film good good film"], 2).tolist() == [[4, 3]]


def test_test_texts_add_no_words_to_the_vocabulary():
    inputs, target = labelled_texts(48)
    inputs[36:] = [f"{text} unheard" for text in inputs[36:]]
    model = bilstm("multiclass", 3, TINY, same_seeds(0))
    model.fit(inputs[:24], target[:24], inputs[24:36], target[24:36])
    assert "unheard" not in model.vocabulary.numbers
    assert model.predict(inputs[36:]).shape == (12, 3)


def test_score_of_a_text_is_independent_of_other_texts():
    inputs, target = labelled_texts(24)
    model = bilstm("multiclass", 3, TINY, same_seeds(0)).fit(inputs, target, inputs, target)
    long = " ".join(["word1"] * 40)
    alone = model.predict(["word3 class1"])
    assert model.predict(["word3 class1", long])[0] == pytest.approx(alone[0], abs=1e-6)


def test_without_patience_no_rows_are_held_for_validation():
    outcome = run({"patience": None})
    assert "validation" not in outcome.outputs
    assert outcome.converged is None


def test_unknown_hyperparameter_is_refused():
    with pytest.raises(ReseedError, match="no hyper-parameter 'hiden'"):
        run({"hiden": 3})
