"""The PyTorch training loop, for a single network and for many trials in one pass.

The loop trains a `Learner`: a network with `width` slots. A slot trains one *lane*, which is one
trial. A single network is a learner of width 1. A stacked network has a leading dimension of slots
in its inputs, outputs and parameters, so that all lanes take a step together. When a lane ends, the
next one gets its slot. Lanes are independent: each has its own losses, early stopping, seeds and
failures.

Nothing here draws from PyTorch's global generator.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

Batches = Callable[[], Iterable[tuple[Tensor, Tensor]]]


@dataclass
class Learner:
    """A network with its optimiser, loss and data.

    Args:
        network: maps a batch of inputs to outputs, (slots, rows, …) if `width` > 1.
        optimiser: for all parameters.
        loss: (outputs, targets) → a mean over rows for each slot, (width,).
        batches: returns the (inputs, targets) of one epoch, shuffled and augmented.
        evaluate: network → scores of each slot, {name: (width,)}, in evaluation mode and without
            gradients. Early stopping uses `validation_loss`.
        state: slot → tensors that are saved and restored (default: all of the network).
        schedule: step (from 0) → factor on the initial learning rates of the optimiser. With a
            schedule, all slots start together.
        after_backward: may change the gradients before each step.
        autocast: data type of mixed precision; None for full precision.
        gradients_in_place: whether gradients are set to zero instead of released, because the
            optimiser has views of them.
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

    def read_state(self, slot: int) -> list[Tensor]:
        """Return the weights of a slot."""
        return self.state(slot) if self.state else list(self.network.state_dict().values())

    def train_epoch(self) -> np.ndarray:
        """Train for one epoch; return the mean training loss of each slot."""
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
        # Losses are transferred once an epoch, because a GPU waits for each transfer.
        return np.average(torch.stack(losses).double().cpu().numpy(), axis=0, weights=sizes)

    def scores(self) -> dict[str, list[float]]:
        """Evaluate every slot."""
        if self.evaluate is None:
            return {}
        self.network.eval()
        with torch.inference_mode(), self._precision():
            scores = self.evaluate(self.network)
            return {k: torch.as_tensor(v).reshape(self.width).tolist() for k, v in scores.items()}

    def _precision(self, inputs: Tensor | None = None) -> AbstractContextManager:
        if self.autocast is None:
            return nullcontext()
        device = next(self.network.parameters()).device if inputs is None else inputs.device
        return torch.autocast(device.type, self.autocast)


@dataclass
class Lane:
    """One trial in the loop, and its result.

    curve: one dict for each epoch.
    converged: True if early stopping ended training, False if the last epoch did, None without
        early stopping.
    seconds: its share of the time.
    error: the error that ended this lane only.
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

    def add(
        self, entry: dict[str, float], state: list[Tensor], max_epochs: int, patience: int | None
    ) -> None:
        """Add an epoch: save its weights if they are the best, and stop after the last one."""
        self.curve.append(entry)
        epoch = int(entry["epoch"])
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
    """Train `lanes` lanes in place; yield each when it ends, with its weights still in its slot.

    If the learner evaluates a validation loss, the weights of the epoch with the lowest one are
    restored, and a lane stops after `patience` epochs without a lower loss. Otherwise the last
    weights remain. `start(slot, lane)` sets the weights, data and streams of a new lane in a slot.
    An error in `start` ends that lane only, as does a loss that is not finite (FloatingPointError
    with the epoch). The slot is reused after the lane is yielded.
    """
    waiting = deque(range(lanes))
    slots: list[Lane | None] = [None] * learner.width
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
                lane.add(entry, learner.read_state(lane.slot), max_epochs, patience)
        share = (time.perf_counter() - began) / len(active)
        for lane in active:
            lane.seconds += share
            if lane.finished:
                slots[lane.slot] = None
                yield lane


def train_one(learner: Learner, *, max_epochs: int, patience: int | None = None) -> Lane:
    """Train a single network; raise the error that ended its training."""
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
    """Return a function that yields the batches of one epoch; the last batch may be smaller.

    order: shuffles the rows in each epoch; None keeps their order. augment: changes a batch of
    inputs, on their device, with draws from its own generator.
    """

    def epoch() -> Iterator[tuple[Tensor, Tensor]]:
        batches: Iterable[tuple[Tensor, Tensor]]
        if order is None:
            batches = zip(inputs.split(batch_size), targets.split(batch_size), strict=True)
        else:
            rows = torch.from_numpy(order.permutation(len(targets))).to(targets.device)
            parts = rows.split(batch_size)
            batches = ((inputs.index_select(0, r), targets.index_select(0, r)) for r in parts)
        for x, y in batches:
            yield (x if augment is None else augment(x)), y

    return epoch


def draw_he_normal(shape: tuple[int, ...], inputs: int, stream: np.random.Generator) -> Tensor:
    """Return float32 weights from N(0, 2/inputs) (He et al. 2015)."""
    weights = stream.standard_normal(shape) * math.sqrt(2 / inputs)
    return torch.from_numpy(weights.astype(np.float32))


class Dropout(nn.Module):
    """Inverted dropout (Srivastava et al. 2014); each slot draws from its own stream.

    With more than one stream, the leading dimension of the inputs is that of the slots. Sixteen
    random bits decide each entry, so a rate is exact to 2**-17. On a CPU, the bits come directly
    from the stream. This is four times as fast as PyTorch's Bernoulli draws, which cost as much as
    the rest of a step of a small network. On a GPU, the stream of a slot seeds a generator, which
    draws the bits of several steps together.
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
        """Set the stream of a slot to that of a new lane."""
        self.streams[slot], self._generators[slot] = stream, None

    def train(self, mode: bool = True) -> Dropout:
        """Start an epoch: discard bits that were drawn earlier."""
        self._shape = None
        return super().train(mode)

    def forward(self, x: Tensor) -> Tensor:
        """In training mode, set entries to 0 at the rate and scale the rest by 1/(1 - rate)."""
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
        # bool is passed as uint8, because PyTorch converts that four times as fast.
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
            stream = self.streams[slot]
            assert stream is not None  # a slot without a stream draws nothing
            seed = int(stream.integers(2**62))
            self._generators[slot] = torch.Generator(device=device).manual_seed(seed)
        return self._generators[slot]
