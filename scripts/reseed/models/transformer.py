"""Pretrained transformers, fine-tuned to classify texts or pairs of texts.

Every architecture of the `transformers` library that classifies sequences (BERT, RoBERTa, XLNet,
BART, DistilBERT, MiniLM, …) is supported, and T5, which generates the class as text. The roles:

- `init` draws every weight that is not pretrained: the head of a classifier (none in T5), or all
  weights with `random_weights`;
- `order` draws the rows of each batch; `dropout` draws everything in forward passes.

The library draws from PyTorch's global generator when it builds a model and in forward passes
(attention weights, layer drop). During these steps the generator has a state of this trial, and is
restored afterwards. So draws depend neither on other trials nor on other roles.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import (
    AutoConfig,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging

from reseed.core.random_streams import derive_seed
from reseed.models.recent_cache import RecentCache
from reseed.models.text_classifier import TextClassifier

logging.set_verbosity_error()  # no warning that the head is not pretrained
logging.disable_progress_bar()

PRECISIONS = {"full": None, "bf16": torch.bfloat16}
_tokenisers: dict[tuple, Any] = {}
_tokens = RecentCache(6)


@dataclass(frozen=True)
class Recipe:
    """Hyper-parameters.

    source: name on the model hub, at `revision` (a commit); None if the recipe has `weights`, a
        folder.
    layers: number of the lowest layers to keep (of the encoder and of a decoder).
    freeze: number of the lowest layers that are not trained, with the embeddings; None trains all.
    warmup: fraction of the steps in which the learning rate rises; then it falls linearly to 0.
    labels: text that T5 generates for each class (default: its number).
    """

    source: str | None = None
    revision: str | None = None
    text_to_text: bool = False
    random_weights: bool = False
    layers: int | None = None
    freeze: int | None = None
    max_tokens: int = 256
    learning_rate: float = 2e-5
    weight_decay: float = 0.01
    warmup: float = 0.1
    clip: float = 1.0
    batch_size: int = 16
    max_epochs: int = 10
    patience: int | None = 2
    labels: tuple[str, ...] | None = None


@contextmanager
def use_generator_states(states: dict[torch.Generator, Tensor]) -> Iterator[None]:
    """Use `states` in PyTorch's global generators and update them; then restore the generators."""
    outer_states = {generator: generator.get_state() for generator in states}
    for generator, state in states.items():
        generator.set_state(state)
    try:
        yield
    finally:
        for generator in states:
            states[generator] = generator.get_state()
            generator.set_state(outer_states[generator])


def generator_states(seed: int, device: torch.device) -> dict[torch.Generator, Tensor]:
    """Return states from a seed for the global generators of a device."""
    generators = [torch.default_generator]
    if device.type == "cuda":
        torch.cuda.init()
        generators.append(torch.cuda.default_generators[device.index or 0])
    return {g: torch.Generator(device=g.device).manual_seed(seed).get_state() for g in generators}


class Network(nn.Module):
    """Tokens (rows, 2 or 3, length) → logits of the classes, or of the first word of T5."""

    def __init__(self, model: nn.Module, pads_left: bool, states: dict[torch.Generator, Tensor]):
        super().__init__()
        self.model, self.pads_left, self.states = model, pads_left, states
        self.text_to_text = model.config.is_encoder_decoder and not hasattr(
            model, "classification_head"
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """Shorten the batch to its longest text, and classify it."""
        longest = max(1, int(tokens[:, 1].sum(dim=1).max()))
        tokens = (tokens[..., -longest:] if self.pads_left else tokens[..., :longest]).long()
        inputs = dict(zip(("input_ids", "attention_mask", "token_type_ids"), tokens.unbind(1),
                         strict=False))  # fmt: skip
        if self.text_to_text:
            first = self.model.config.decoder_start_token_id
            inputs["decoder_input_ids"] = torch.full_like(inputs["input_ids"][:, :1], first)
        if not self.training:
            logits = self.model(**inputs).logits
        else:
            with use_generator_states(self.states):
                logits = self.model(**inputs).logits
        return (logits[:, 0] if self.text_to_text else logits).float()


class Transformer(TextClassifier):
    """A transformer with the `reseed.models.registry.Estimator` interface."""

    recipe: Recipe
    rows_at_once = 128

    def __init__(
        self,
        task: str,
        n_classes: int,
        recipe: Recipe,
        seeds: dict[str, int],
        device: str,
        threads: int,
        folder: Path | None,
        precision: str,
    ):
        super().__init__(task, n_classes, recipe, seeds, device, threads)
        if (folder is None) == (recipe.source is None):
            raise ValueError("a transformer needs either weights (a folder) or source (a name)")
        if recipe.source is not None and recipe.revision is None:
            raise ValueError(
                f"source {recipe.source}: set its revision, a commit of the hub's repository, "
                "because the weights of a name may change"
            )
        if precision not in PRECISIONS:
            raise ValueError(f"precision {precision!r}: use one of {', '.join(PRECISIONS)}")
        if recipe.labels is not None and len(recipe.labels) != n_classes:
            raise ValueError(f"labels: {len(recipe.labels)} for {n_classes} classes")
        self.autocast = PRECISIONS[precision]
        self.path = str(folder or recipe.source)
        self.load_options = (
            {"revision": recipe.revision} if folder is None else {"local_files_only": True}
        )

    def fit(
        self,
        X: list,
        y: np.ndarray,
        X_validation: list | None = None,
        y_validation: np.ndarray | None = None,
    ) -> Transformer:
        """Fine-tune until the validation loss has not fallen for `patience` epochs.

        Raises ValueError for patience without validation rows, FloatingPointError if the loss
        diverges.
        """
        recipe = self.recipe
        torch.set_num_threads(self.threads)
        self.network = self.build()
        trainable = [p for p in self.network.parameters() if p.requires_grad]
        optimiser = torch.optim.AdamW(
            trainable, lr=recipe.learning_rate, weight_decay=recipe.weight_decay
        )
        steps = recipe.max_epochs * math.ceil(len(y) / recipe.batch_size)
        self.train(
            *(X, y, X_validation, y_validation, optimiser, trainable),
            state=lambda slot: trainable,
            schedule=lambda step: compute_rate_factor(step, steps, recipe.warmup),
        )
        return self

    def lengths(self, tokens: Tensor) -> Tensor:
        """Return the number of tokens of each text."""
        return tokens[:, 1].sum(dim=1)

    def class_logits(self, logits: Tensor) -> Tensor:
        """Return the logits of the classes; for T5, those of the words that name a class."""
        return logits[:, self.words] if self.recipe.text_to_text else logits

    def targets(self, y: np.ndarray) -> Tensor:
        """Return class numbers, or the words that name them, on the device."""
        targets = super().targets(y)
        return self.words.to(self.device)[targets] if self.recipe.text_to_text else targets

    def build(self) -> Network:
        """Return the pretrained network; the `init` seed draws weights that are not pretrained."""
        config = AutoConfig.from_pretrained(self.path, **self.load_options)
        keep_lowest_layers(config, self.recipe.layers)
        if self.recipe.text_to_text:
            model_class, self.words = AutoModelForSeq2SeqLM, self.label_words()
        else:
            model_class, config.num_labels = AutoModelForSequenceClassification, self.n_classes
        # Eager attention: its backward pass is deterministic on every device.
        options = {"attn_implementation": "eager", "dtype": torch.float32}
        with use_generator_states(
            generator_states(derive_seed(self.seeds["init"], "init"), torch.device("cpu"))
        ):
            if self.recipe.random_weights:
                model = model_class.from_config(config, **options)
            else:
                model = model_class.from_pretrained(
                    self.path, config=config, **options, **self.load_options
                )
        if model.config.pad_token_id is None:
            model.config.pad_token_id = self.tokeniser.pad_token_id
        freeze_lowest_layers(model, self.recipe.freeze)
        states = generator_states(derive_seed(self.seeds["dropout"], "dropout"), self.device)
        return Network(model.to(self.device), self.tokeniser.padding_side == "left", states)

    @property
    def tokeniser(self) -> PreTrainedTokenizerBase:
        """The pretrained tokeniser, which is loaded once in a process."""
        key = (self.path, *self.load_options.items())
        if key not in _tokenisers:
            _tokenisers[key] = AutoTokenizer.from_pretrained(self.path, **self.load_options)
        return _tokenisers[key]

    def tokens(self, texts: list) -> Tensor:
        """Return token numbers, mask and (for some models) fields: int32 (n, 2 or 3, length)."""
        key = (self.path, *self.load_options.items(), self.recipe.max_tokens)
        return _tokens(texts, key, lambda: self._tokenise(texts))

    def _tokenise(self, texts: list) -> Tensor:
        is_pairs = len(texts) > 0 and not isinstance(texts[0], str)
        columns = [list(field) for field in zip(*texts, strict=True)] if is_pairs else [list(texts)]
        encoded = self.tokeniser(
            *columns, truncation=True, max_length=self.recipe.max_tokens, padding="longest"
        )
        names = [n for n in ("input_ids", "attention_mask", "token_type_ids") if n in encoded]
        return torch.tensor(
            np.stack([np.asarray(encoded[n], dtype=np.int32) for n in names], axis=1)
        )

    def label_words(self) -> Tensor:
        """Return the token that names each class. Raises ValueError unless the tokens differ."""
        labels = self.recipe.labels or tuple(str(number) for number in range(self.n_classes))
        words = [self.tokeniser(label, add_special_tokens=False)["input_ids"] for label in labels]
        last = [word[-1] if word else -1 for word in words]
        if len(set(last)) < len(labels) or self.tokeniser.unk_token_id in last:
            raise ValueError(
                f"the labels {', '.join(labels)} do not differ in their last token:"
                " set `labels` to one word for each class"
            )
        return torch.tensor(last)


def compute_rate_factor(step: int, steps: int, warmup: float) -> float:
    """Return the factor on the learning rate: a linear rise to 1, then a linear fall to 0."""
    rise = warmup * steps
    if step < rise:
        return (step + 1) / (rise + 1)
    return max(0.0, (steps - step) / max(1.0, steps - rise))


def keep_lowest_layers(config: Any, layers: int | None) -> None:
    """Keep the lowest `layers` layers of the encoder and, if there is one, of the decoder."""
    if layers is None:
        return
    if not 1 <= layers <= config.num_hidden_layers:
        raise ValueError(f"layers {layers}: the model has {config.num_hidden_layers}")
    config.num_hidden_layers = layers
    for name in ("decoder_layers", "num_decoder_layers"):
        if hasattr(config, name):
            setattr(config, name, layers)


_LAYERS = re.compile(r"(^|\.)(layer|layers|block)$")
_EMBEDDINGS = re.compile(r"embed|shared\.|mask_emb")


def freeze_lowest_layers(model: nn.Module, layers: int | None) -> None:
    """Freeze the embeddings and the lowest `layers` layers; None: train all."""
    if layers is None:
        return
    stacks: dict[str, nn.ModuleList] = {}
    for name, module in model.named_modules():
        inner = any(name.startswith(f"{outer}.") for outer in stacks)
        if isinstance(module, nn.ModuleList) and _LAYERS.search(name) and not inner:
            stacks[name] = module
    if not stacks:
        raise ValueError(f"{type(model).__name__}: there is no stack of layers to freeze")
    if not 0 <= layers <= min(map(len, stacks.values())):
        raise ValueError(f"freeze {layers}: the model has {min(map(len, stacks.values()))} layers")
    for stack in stacks.values():
        stack[:layers].requires_grad_(False)
    for name, parameter in model.named_parameters():
        inner = any(name.startswith(f"{outer}.") for outer in stacks)
        if not inner and _EMBEDDINGS.search(name):
            parameter.requires_grad_(False)


def transformer(
    task: str,
    n_classes: int,
    hyperparameters: dict[str, Any],
    seeds: dict[str, int],
    device: str = "cpu",
    threads: int = 1,
    *,
    weights: Path | None = None,
    compute: dict[str, Any] | None = None,
) -> Transformer:
    """Return a transformer; hyper-parameters are the fields of `Recipe`.

    weights: a folder with the files of the model and the tokeniser. compute: `precision`, full or
    bf16. Raises TypeError for an unknown hyper-parameter.
    """
    if "labels" in hyperparameters and hyperparameters["labels"] is not None:
        hyperparameters = hyperparameters | {"labels": tuple(hyperparameters["labels"])}
    recipe = Recipe(**hyperparameters)
    options = dict(compute or {})
    precision = options.pop("precision", "full")
    if options:
        raise ValueError(f"compute: unknown option {', '.join(options)}; allowed: precision")
    return Transformer(task, n_classes, recipe, seeds, device, threads, weights, precision)
