"""A bidirectional LSTM on words, learnt from the training texts alone.

Words of the training rows get a vector each; an LSTM (Hochreiter and Schmidhuber 1997) reads the
text from both ends, and the maximum over its states decides (Conneau et al. 2017). What each role
draws: ``init`` all weights, ``order`` the rows of each batch, ``dropout`` the masks. PyTorch's
global generator is never used.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import torch
from reseed.core.random_streams import stream
from reseed.models.networks import Dropout
from reseed.models.recent_cache import RecentCache
from reseed.models.text_classifier import TextClassifier
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

#: Numbers of what is no word: nothing, a word that is not known, the border of two texts.
PADDING, UNKNOWN, BORDER = 0, 1, 2
_SPECIAL = 3
_WORD = re.compile(r"\w+(?:'\w+)*|[!?]")
_vocabularies = RecentCache(2)
_numbers = RecentCache(6)


@dataclass(frozen=True)
class Recipe:
    """Hyper-parameters.

    ``words``: the most frequent ones of the training texts that are known, of those that stand
    there ``min_count`` times. ``max_tokens``: where a text is cut. ``embedding``: length of a
    word's vector; ``hidden``: units of the LSTM in each direction.
    """

    words: int = 20_000
    min_count: int = 2
    max_tokens: int = 256
    embedding: int = 128
    hidden: int = 128
    dropout: float = 0.3
    learning_rate: float = 0.001
    clip: float = 1.0
    batch_size: int = 64
    max_epochs: int = 10
    patience: int | None = 2


class Vocabulary:
    """Words of some texts and their numbers, the most frequent first, ties by the alphabet."""

    def __init__(self, texts: list, words: int, min_count: int):
        counts = Counter(word for text in texts for word in split_words(text))
        kept = [word for word, count in counts.items() if count >= min_count and word is not None]
        kept.sort(key=lambda word: (-counts[word], word))
        self.numbers = {word: n for n, word in enumerate(kept[:words], _SPECIAL)}

    def __len__(self) -> int:
        return len(self.numbers) + _SPECIAL

    def encode(self, texts: list, max_tokens: int) -> Tensor:
        """Texts → numbers (n, longest), int32, padded on the right; an empty text is unknown."""
        rows = [
            [BORDER if w is None else self.numbers.get(w, UNKNOWN) for w in split_words(text)]
            for text in texts
        ]
        rows = [row[:max_tokens] or [UNKNOWN] for row in rows]
        found = np.full((len(rows), max(map(len, rows), default=1)), PADDING, dtype=np.int32)
        for place, row in zip(found, rows, strict=True):
            place[: len(row)] = row
        return torch.from_numpy(found)


def split_words(text: str | tuple[str, ...]) -> list[str | None]:
    """Words in small letters; None between the two texts of a pair."""
    if isinstance(text, str):
        return _WORD.findall(text.lower())
    first, *rest = (split_words(part) for part in text)
    return first + [word for part in rest for word in (None, *part)]


class Network(nn.Module):
    """Numbers of words (rows, length) → logits (rows, classes)."""

    def __init__(self, words: int, classes: int, recipe: Recipe, dropout: np.random.Generator):
        super().__init__()
        self.embedding = nn.Embedding(words, recipe.embedding, padding_idx=PADDING)
        self.lstm = nn.LSTM(recipe.embedding, recipe.hidden, batch_first=True, bidirectional=True)
        self.dropout = Dropout(recipe.dropout, dropout)
        self.head = nn.Linear(2 * recipe.hidden, classes)

    def forward(self, numbers: Tensor) -> Tensor:
        """Read each text to its own end from both sides; padding changes nothing."""
        lengths = (numbers != PADDING).sum(dim=1).cpu()
        vectors = self.dropout(self.embedding(numbers[:, : int(lengths.max())].long()))
        packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, padding_value=-math.inf
        )
        return self.head(self.dropout(states.max(dim=1).values))


class BiLSTM(TextClassifier):
    """The estimator, with the `reseed.models.registry.Estimator` interface."""

    def __init__(self, task, n_classes, recipe: Recipe, seeds, device, threads):
        super().__init__(task, max(2, n_classes), recipe, seeds, device, threads)

    def fit(self, X, y, X_validation=None, y_validation=None) -> BiLSTM:
        """Learn the words, then train until the validation loss has not fallen for ``patience``
        epochs.

        Raises FloatingPointError if the loss diverges.
        """
        torch.set_num_threads(self.threads)
        how = (self.recipe.words, self.recipe.min_count)
        self.vocabulary = _vocabularies(X, how, lambda: Vocabulary(X, *how))
        self.network = self.build()
        parameters = list(self.network.parameters())
        optimiser = torch.optim.Adam(parameters, lr=self.recipe.learning_rate, fused=True)
        self.train(X, y, X_validation, y_validation, optimiser, parameters)
        return self

    def build(self) -> Network:
        """The network, its weights drawn by the ``init`` seed as PyTorch's own are distributed."""
        masks, init = (stream(self.seeds[role], role) for role in ("dropout", "init"))
        with torch.device("meta"):
            network = Network(len(self.vocabulary), self.n_classes, self.recipe, masks)
        network.to_empty(device="cpu")
        for name, parameter in network.named_parameters():
            shape = tuple(parameter.shape)
            if name.startswith("embedding"):
                values = init.standard_normal(shape)
                values[PADDING] = 0
            else:
                units = self.recipe.hidden * (2 if name.startswith("head") else 1)
                values = init.uniform(-1 / math.sqrt(units), 1 / math.sqrt(units), shape)
            parameter.data.copy_(torch.from_numpy(values.astype(np.float32)))
        return network.to(self.device)

    def tokens(self, texts: list) -> Tensor:
        """Numbers of the texts' words, int32 (n, longest)."""
        key = (self.vocabulary, self.recipe.max_tokens)
        return _numbers(texts, key, lambda: self.vocabulary.encode(texts, self.recipe.max_tokens))

    def lengths(self, tokens: Tensor) -> Tensor:
        """Words of each text."""
        return (tokens != PADDING).sum(dim=1)


def bilstm(task, n_classes, hyperparameters, seeds, device="cpu", threads=1):
    """Make a BiLSTM; hyper-parameters are the fields of `Recipe`.

    Raises TypeError for a hyper-parameter that it does not know.
    """
    return BiLSTM(task, n_classes, Recipe(**hyperparameters), seeds, device, threads)
