"""A bidirectional LSTM on words, trained from scratch (docs/papers/deterministic-protocol.md).

Each word of the training rows has a vector. An LSTM (Hochreiter and Schmidhuber 1997) reads the
text in both directions, and a linear layer classifies the maximum over its states (Conneau et al.
2017). `init` draws all weights, `order` the rows of each batch, `dropout` the masks. PyTorch's
global generator is not used.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from reseed.core.random_streams import stream
from reseed.models.networks import Dropout
from reseed.models.recent_cache import RecentCache
from reseed.models.text_classifier import TextClassifier
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

#: Numbers of special tokens: padding, an unknown word, the border between two texts.
PADDING, UNKNOWN, BORDER = 0, 1, 2
_SPECIAL = 3
_WORD = re.compile(r"\w+(?:'\w+)*|[!?]")
_vocabularies = RecentCache(2)
_numbers = RecentCache(6)


@dataclass(frozen=True)
class Recipe:
    """Hyper-parameters.

    words: size of the vocabulary, which has the most frequent words of the training texts.
    min_count: least number of occurrences of a word. max_tokens: longer texts are truncated.
    embedding: length of the vector of a word. hidden: units of the LSTM in each direction.
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
    """Words of texts and their numbers, sorted by frequency, then alphabetically."""

    def __init__(self, texts: list, words: int, min_count: int):
        counts = Counter(word for text in texts for word in split_words(text))
        frequent = [w for w, count in counts.items() if count >= min_count and w is not None]
        frequent.sort(key=lambda word: (-counts[word], word))
        self.numbers = {word: n for n, word in enumerate(frequent[:words], _SPECIAL)}

    def __len__(self) -> int:
        return len(self.numbers) + _SPECIAL

    def encode(self, texts: list, max_tokens: int) -> Tensor:
        """Return numbers (n, longest), int32, padded on the right; an empty text is unknown."""
        rows = [
            [BORDER if w is None else self.numbers.get(w, UNKNOWN) for w in split_words(text)]
            for text in texts
        ]
        rows = [row[:max_tokens] or [UNKNOWN] for row in rows]
        numbers = np.full((len(rows), max(map(len, rows), default=1)), PADDING, dtype=np.int32)
        for target, row in zip(numbers, rows, strict=True):
            target[: len(row)] = row
        return torch.from_numpy(numbers)


def split_words(text: str | tuple[str, ...]) -> list[str | None]:
    """Return words in lower case; None is between the two texts of a pair."""
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
        """Map numbers to logits; padding has no effect."""
        lengths = (numbers != PADDING).sum(dim=1).cpu()
        vectors = self.dropout(self.embedding(numbers[:, : int(lengths.max())].long()))
        packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, padding_value=-math.inf
        )
        return self.head(self.dropout(states.max(dim=1).values))


class BiLSTM(TextClassifier):
    """The estimator, with the `reseed.models.registry.Estimator` interface."""

    def __init__(
        self,
        task: str,
        n_classes: int,
        recipe: Recipe,
        seeds: dict[str, int],
        device: str,
        threads: int,
    ):
        super().__init__(task, max(2, n_classes), recipe, seeds, device, threads)

    def fit(
        self,
        X: Any,
        y: np.ndarray,
        X_validation: Any = None,
        y_validation: np.ndarray | None = None,
    ) -> BiLSTM:
        """Build the vocabulary, then train until the loss has not fallen for `patience` epochs.

        Raises FloatingPointError if the loss diverges.
        """
        torch.set_num_threads(self.threads)
        limits = (self.recipe.words, self.recipe.min_count)
        self.vocabulary = _vocabularies(X, limits, lambda: Vocabulary(X, *limits))
        self.network = self.build()
        parameters = list(self.network.parameters())
        optimiser = torch.optim.Adam(parameters, lr=self.recipe.learning_rate, fused=True)
        self.train(X, y, X_validation, y_validation, optimiser, parameters)
        return self

    def build(self) -> Network:
        """Return the network; `init` draws its weights from the distributions of PyTorch."""
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
        """Return the numbers of the words, int32 (n, longest)."""
        key = (self.vocabulary, self.recipe.max_tokens)
        return _numbers(texts, key, lambda: self.vocabulary.encode(texts, self.recipe.max_tokens))

    def lengths(self, tokens: Tensor) -> Tensor:
        """Return the number of words of each text."""
        return (tokens != PADDING).sum(dim=1)


def bilstm(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
) -> BiLSTM:
    """Return a BiLSTM; hyper-parameters are the fields of `Recipe`.

    Raises TypeError for an unknown hyper-parameter.
    """
    return BiLSTM(task, n_classes, Recipe(**hyperparameters), seeds, device, threads)
