"""The one PyTorch loop, for a single network and for many seeds side by side.

The loop trains a `Learner`: a network of ``width`` slots, each holding one *lane*, a trial on its
way. An ordinary network is a learner of width 1. A stacked one has a leading dimension of slots
in its inputs, outputs and parameters, so that a step of all lanes is one step; when a lane has
finished, the next one takes its slot. Nothing a lane computes or draws depends on the others:
losses, early stopping, seeds and failures are each lane's own.

Nothing here draws from PyTorch's global generator.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

Batches = Callable[[], Iterable[tuple[Tensor, Tensor]]]


@dataclass
class Learner:
    """What the loop trains, and how; every part may be replaced.

    Args:
        network: gives outputs of a batch of inputs, (slots, rows, …) where ``width`` > 1.
        optimiser: over all parameters.
        loss: (outputs, targets) → a mean over rows for each slot, (width,).
        batches: gives one epoch's (inputs, targets), shuffled and augmented as wanted.
        evaluate: network → scores of each slot, {name: (width,)}, in evaluation mode and without
            gradients; ``validation_loss`` among them is watched by early stopping.
        state: slot → its tensors, to be kept and restored; default: the network's own.
        schedule: step (from 0) → factor on the learning rates that the optimiser began with.
            With a schedule all slots start together.
        after_backward: may change the gradients before each step.
        autocast: data type of mixed precision; None for full precision.
        gradients_in_place: gradients are zeroed, never released: the optimiser holds views of them.
    """

    network: nn.Module
    optimiser: torch.optim.Optimizer
    loss: Callable[[Tensor, Tensor], Tensor]
    batches: Batches
    evaluate: Callable[[nn.Module], dict[str, Tensor]] | None = None
    width: int = 1
    state: Callable[[int], list[Tensor]] | None = None
    schedule: Callable[[int], float] | None = None
    after_backward: Callable[[], None] | None = None
    autocast: torch.dtype | None = None
    gradients_in_place: bool = False
    step: int = 0

    def __post_init__(self):
        self.rates = [group["lr"] for group in self.optimiser.param_groups]
        if self.state is None:
            self.state = lambda slot: list(self.network.state_dict().values())

    def train_epoch(self) -> np.ndarray:
        """Take one epoch's steps; return the mean training loss of each slot."""
        self.network.train()
        losses, sizes = [], []
        for inputs, targets in self.batches():
            if self.schedule is not None:
                for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
                    group["lr"] = rate * self.schedule(self.step)
            self.network.zero_grad(set_to_none=not self.gradients_in_place)
            with self._precision(inputs):
                loss = self.loss(self.network(inputs), targets)
            loss.sum().backward()
            if self.after_backward is not None:
                self.after_backward()
            self.optimiser.step()
            self.step += 1
            losses.append(loss.detach().reshape(self.width))
            sizes.append(targets.numel())
        # One transfer an epoch: reading each step's loss would make a GPU wait.
        return np.average(torch.stack(losses).double().cpu().numpy(), axis=0, weights=sizes)

    def scores(self) -> dict[str, list[float]]:
        """Evaluate every slot."""
        if self.evaluate is None:
            return {}
        self.network.eval()
        with torch.inference_mode(), self._precision():
            found = self.evaluate(self.network)
            return {k: torch.as_tensor(v).reshape(self.width).tolist() for k, v in found.items()}

    def _precision(self, inputs: Tensor | None = None):
        if self.autocast is None:
            return nullcontext()
        device = next(self.network.parameters()).device if inputs is None else inputs.device
        return torch.autocast(device.type, self.autocast)


@dataclass
class Lane:
    """One trial on its way through the loop, and what it left.

    ``curve``: one dict an epoch. ``converged``: False if early stopping was asked for and the
    last epoch came first, True if it stopped, None if it was not asked for. ``seconds``: its
    share of the time. ``error``: what ended it alone.
    """

    number: int
    slot: int
    curve: list[dict[str, float]] = field(default_factory=list)
    best_loss: float = math.inf
    best_epoch: int = 0
    best_state: list[Tensor] | None = None
    finished: bool = False
    converged: bool | None = None
    seconds: float = 0.0
    error: Exception | None = None

    def add(self, entry: dict, state: list[Tensor], max_epochs: int, patience: int | None) -> None:
        """Take in an epoch: keep its weights if they are the best, stop if it was the last."""
        self.curve.append(entry)
        epoch = entry["epoch"]
        for name in ("train_loss", "validation_loss"):
            if not math.isfinite(entry.get(name, 0.0)):
                part = name.partition("_")[0]
                self.error = FloatingPointError(
                    f"diverged: the {part} loss is {entry[name]} in epoch {epoch}"
                )
                self.finished = True
                return
        watched = "validation_loss" in entry
        if watched and entry["validation_loss"] < self.best_loss:
            self.best_loss, self.best_epoch = entry["validation_loss"], epoch
            self.best_state = [tensor.detach().clone() for tensor in state]
        stopped = watched and patience is not None and epoch - self.best_epoch >= patience
        self.finished = stopped or epoch >= max_epochs
        if self.finished:
            self.converged = stopped if watched and patience is not None else None
            if self.best_state is not None:
                for tensor, best in zip(state, self.best_state, strict=True):
                    tensor.copy_(best)


def train(
    learner: Learner,
    *,
    max_epochs: int,
    patience: int | None = None,
    lanes: int = 1,
    start: Callable[[int, int], None] = lambda slot, lane: None,
) -> Iterator[Lane]:
    """Train ``lanes`` lanes in place; yield each as it ends, its slot holding its weights.

    Where the learner evaluates a validation loss, the weights of the epoch with the least one are
    restored, and a lane stops after ``patience`` epochs without a new least loss. Without one the
    last weights stay. ``start(slot, lane)`` puts a new lane's weights, data and streams into a
    slot; what it raises ends that lane alone, as does a loss that is not finite
    (FloatingPointError, naming the epoch). The slot is filled again after the lane is yielded.
    """
    waiting, slots = deque(range(lanes)), [None] * learner.width
    while True:
        if learner.schedule is None or not any(slots):
            if not any(slots):
                learner.step = 0
            for slot in (s for s, lane in enumerate(slots) if lane is None):
                while waiting and slots[slot] is None:
                    lane = Lane(waiting.popleft(), slot)
                    try:
                        start(slot, lane.number)
                        slots[slot] = lane
                    except Exception as error:
                        lane.error = error
                        yield lane
        active = [lane for lane in slots if lane is not None]
        if not active:
            return
        began = time.perf_counter()
        train_losses, scores = learner.train_epoch(), learner.scores()
        for lane in active:
            entry = {"epoch": len(lane.curve) + 1, "train_loss": float(train_losses[lane.slot])}
            entry |= {name: values[lane.slot] for name, values in scores.items()}
            with torch.no_grad():
                lane.add(entry, learner.state(lane.slot), max_epochs, patience)
        share = (time.perf_counter() - began) / len(active)
        for lane in active:
            lane.seconds += share
            if lane.finished:
                slots[lane.slot] = None
                yield lane


def train_one(learner: Learner, *, max_epochs: int, patience: int | None = None) -> Lane:
    """Train a single network; raise what ended it."""
    (lane,) = train(learner, max_epochs=max_epochs, patience=patience)
    learner.network.eval()
    if lane.error is not None:
        raise lane.error
    return lane


def make_batch_iterator(
    inputs: Tensor,
    targets: Tensor,
    batch_size: int,
    order: np.random.Generator | None,
    augment: Callable[[Tensor], Tensor] | None = None,
) -> Batches:
    """Return the epoch function of one network's tensors; the last batch may be smaller.

    Rows are shuffled anew each epoch by ``order``, or stay as they are if it is None. ``augment``
    changes a batch of inputs, on their device, with draws from a generator of its own.
    """

    def epoch() -> Iterator[tuple[Tensor, Tensor]]:
        if order is None:
            chosen = zip(inputs.split(batch_size), targets.split(batch_size), strict=True)
        else:
            rows = torch.from_numpy(order.permutation(len(targets))).to(targets.device)
            parts = rows.split(batch_size)
            chosen = ((inputs.index_select(0, r), targets.index_select(0, r)) for r in parts)
        for x, y in chosen:
            yield (x if augment is None else augment(x)), y

    return epoch


def draw_he_normal(shape: tuple[int, ...], inputs: int, stream: np.random.Generator) -> Tensor:
    """Return float32 weights from N(0, 2/inputs) (He et al. 2015)."""
    weights = stream.standard_normal(shape) * math.sqrt(2 / inputs)
    return torch.from_numpy(weights.astype(np.float32))


class Dropout(nn.Module):
    """Inverted dropout (Srivastava et al. 2014); each slot draws from a stream of its own.

    The inputs' leading dimension is that of slots, where there is more than one stream. Sixteen
    random bits decide each entry (a rate is met to 2**-17). On a CPU they come straight from the
    stream: four times as fast as PyTorch's Bernoulli draws, which cost as much as the rest of a
    small network's step. On a GPU, each slot has a generator that its stream seeds, and several
    steps' bits are drawn at once.
    """

    GPU_STEPS = 32

    def __init__(self, rate: float, *streams: np.random.Generator | None):
        super().__init__()
        if not 0 <= rate < 1:
            raise ValueError(f"dropout {rate!r}: a rate is at least 0 and below 1")
        self.rate, self.streams = rate, list(streams)
        self._generators: list[torch.Generator | None] = [None] * len(streams)
        self._drawn: Iterator[Tensor] = iter(())
        self._shape: torch.Size | None = None

    def restart(self, slot: int, stream: np.random.Generator) -> None:
        """Let a slot draw from a new lane's stream."""
        self.streams[slot], self._generators[slot] = stream, None

    def train(self, mode: bool = True) -> Dropout:
        """Begin an epoch: no slot uses bits that were drawn before it."""
        self._shape = None
        return super().train(mode)

    def forward(self, x: Tensor) -> Tensor:
        """Zero entries at the rate and scale the rest by 1/(1 - rate), in training mode only."""
        if not self.training or self.rate == 0:
            return x
        keep = self._bits_cpu(x) if x.device.type == "cpu" else self._bits_gpu(x)
        return x * keep.to(x.dtype).mul_(1 / (1 - self.rate))

    def _bits_cpu(self, x: Tensor) -> Tensor:
        entries = x.numel() // len(self.streams)
        keep = np.zeros((len(self.streams), entries), dtype=bool)
        for slot, stream in enumerate(self.streams):
            if stream is not None:
                words = stream.bit_generator.random_raw(-(-entries // 4))
                bits = words.view(np.uint16)[:entries]
                np.greater_equal(bits, round(self.rate * 2**16), out=keep[slot])
        # bool is read as uint8 because PyTorch converts that four times as fast.
        return torch.from_numpy(keep.view(np.uint8)).view(x.shape)

    def _bits_gpu(self, x: Tensor) -> Tensor:
        if x.shape != self._shape:
            self._shape, self._drawn = x.shape, iter(())
        bits = next(self._drawn, None)
        if bits is None:
            entries = x.numel() // len(self.streams)
            drawn = torch.zeros(
                (len(self.streams), self.GPU_STEPS, entries), dtype=torch.int16, device=x.device
            )
            for slot, stream in enumerate(self.streams):
                if stream is not None:
                    drawn[slot].random_(-(2**15), 2**15, generator=self._generator(slot, x.device))
            self._drawn = iter(drawn.unbind(1))
            bits = next(self._drawn)
        return (bits >= round(self.rate * 2**16) - 2**15).view(x.shape)

    def _generator(self, slot: int, device: torch.device) -> torch.Generator:
        if self._generators[slot] is None:
            seed = int(self.streams[slot].integers(2**62))
            self._generators[slot] = torch.Generator(device=device).manual_seed(seed)
        return self._generators[slot]
