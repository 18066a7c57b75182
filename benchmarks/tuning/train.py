"""Trains the adapter: each program's options are read once for all of its requests, which do not see each other."""

import math
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional as F

from ml_agent.benchmarks.tuning.network import AdaptedLayer
from ml_agent.benchmarks.tuning.tokens import Program

_WARM, _LEAST = 8, 0.05
"""Steps until the learning rate is reached, share of it that is left at the end."""
_ALIKE = 8
"""Batches that are drawn together and sorted by length, so that little is padded."""
_REPORT, _KEEP = 5, 20
"""Steps between two reports, and between two times that the adapters are kept."""


class Plan(NamedTuple):
    """How long, and on what."""

    seconds: float
    device: str
    out: Path
    """Where the adapters are kept, also on the way."""
    seed: int
    rate: float
    tokens: int
    """Of a batch, with those that fill it up; a longer program stands alone."""


class _Read(NamedTuple):
    """Programs as the network reads them, one a row."""

    tokens: torch.Tensor
    places: torch.Tensor
    mask: torch.Tensor
    targets: torch.Tensor
    """By place the token that is right there; -1 where nothing is learned."""


def train(
    network: Any, adapted: Mapping[str, AdaptedLayer], programs: Sequence[Program], used: Any, plan: Plan
) -> None:
    """Teach the adapters for so many seconds; the learning rate falls to its end in that time.

    Args:
        network: with adapters.
        adapted: the adapters.
        programs: the lessons, drawn again and again.
        used: the tokens that the network has.
        plan: how long, and on what.
    """
    # With PyTorch 2.11 the gradients of cuDNN's attention are no numbers for some lengths of masked text (PyTorch issue 196678).
    torch.backends.cuda.enable_cudnn_sdp(False)
    rows = {int(token): row for row, token in enumerate(used)}
    learned = [weight for layer in adapted.values() for weight in (layer.down, layer.up)]
    optimizer = torch.optim.AdamW(learned, lr=plan.rate, betas=(0.9, 0.95), weight_decay=0.0)
    began, losses, seen = time.monotonic(), list[float](), 0
    for step, several in enumerate(_draw(programs, plan)):
        spent = (time.monotonic() - began) / plan.seconds
        if spent >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * min(1.0, (step + 1) / _WARM) * max(_LEAST, 0.5 * (1 + math.cos(math.pi * spent)))
        losses.append(_learn(network, _read(several, rows, plan.device)))
        torch.nn.utils.clip_grad_norm_(learned, 1.0, error_if_nonfinite=True)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        seen += sum(len(one.branches) for one in several)
        if step % _KEEP == _KEEP - 1:
            save(adapted, plan.out)
        if step % _REPORT == 0:
            recent = float(np.mean(losses[-2 * _REPORT :]))
            sys.stderr.write(f"step {step} requests {seen} loss {recent:.4f} seconds {time.monotonic() - began:.0f}\n")

    save(adapted, plan.out)


def save(adapted: Mapping[str, AdaptedLayer], out: Path) -> None:
    """Write the adapters, by the names that their layers have in the model's file."""
    found = {}
    for name, layer in adapted.items():
        found[f"{name}.lora_a"] = layer.down.detach().cpu().numpy().astype(np.float16)
        found[f"{name}.lora_b"] = layer.up.detach().cpu().numpy().astype(np.float16)
    np.savez(out, **found)


def restore(adapted: Mapping[str, AdaptedLayer], kept: Path) -> None:
    """Give adapters the numbers that `save` wrote."""
    found = np.load(kept)
    with torch.no_grad():
        for name, layer in adapted.items():
            layer.down.copy_(torch.from_numpy(found[f"{name}.lora_a"]))
            layer.up.copy_(torch.from_numpy(found[f"{name}.lora_b"]))


def _draw(programs: Sequence[Program], plan: Plan) -> Iterator[list[Program]]:
    """All programs in an order that is drawn anew each time, as many at a time as a batch holds."""
    rng, order = random.Random(plan.seed), list(programs)
    while True:
        rng.shuffle(order)
        batches = list(_batches(order, plan.tokens))
        rng.shuffle(batches)
        yield from batches


def _batches(order: Sequence[Program], most: int) -> Iterator[list[Program]]:
    """Neighbours of similar length together."""
    mean = sum(map(_length, order)) / len(order)
    together = max(1, round(_ALIKE * most / mean))
    for place in range(0, len(order), together):
        batch: list[Program] = []
        for one in sorted(order[place : place + together], key=_length):
            if batch and _length(one) * (len(batch) + 1) > most:
                yield batch
                batch = []
            batch.append(one)
        yield batch


def _length(one: Program) -> int:
    return len(one.head) + sum(len(branch.question) + len(branch.answer) for branch in one.branches)


def _learn(network: Any, read: _Read) -> float:
    """Add a batch's part to the gradients; its loss for each token of an answer."""
    hidden = network.model(
        input_ids=read.tokens, position_ids=read.places, attention_mask=read.mask, use_cache=False
    ).last_hidden_state
    row, place = torch.nonzero(read.targets >= 0, as_tuple=True)
    # A token is foretold by what stands before it: of an answer's first that is the end of its request.
    loss = F.cross_entropy(network.lm_head(hidden[row, place - 1]).float(), read.targets[row, place])
    loss.backward()
    return float(loss.detach())


def _read(several: Sequence[Program], rows: Mapping[int, int], device: str) -> _Read:
    longest = max(map(_length, several))
    lines = [_line(one, rows, longest) for one in several]
    tokens, places, targets, spans = (torch.tensor(column, device=device) for column in zip(*lines, strict=True))
    earlier = torch.ones(longest, longest, dtype=torch.bool, device=device).tril()
    common, same = spans[:, None, :] == 0, spans[:, None, :] == spans[:, :, None]
    return _Read(tokens, places, (earlier & (common | same))[:, None], targets)


def _line(one: Program, rows: Mapping[int, int], longest: int) -> tuple[list[int], list[int], list[int], list[int]]:
    """A program's tokens, their places, what is right there, and by token its request: 0 for what all have, -1 for padding."""
    tokens, targets, places, spans = (
        list(one.head),
        [-1] * len(one.head),
        list(range(len(one.head))),
        [0] * len(one.head),
    )
    for number, branch in enumerate(one.branches, 1):
        size = len(branch.question) + len(branch.answer)
        tokens += [*branch.question, *branch.answer]
        targets += [-1] * len(branch.question) + branch.answer
        places += range(len(one.head), len(one.head) + size)
        spans += [number] * size
    left = longest - len(tokens)
    right = [rows[token] if token >= 0 else -1 for token in targets] + [-1] * left
    return [rows[token] for token in tokens] + [0] * left, places + [0] * left, right, spans + [-1] * left
