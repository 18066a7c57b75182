"""Trains the network: each stretch of a request is told from all options of its program, each option's stretch from the others."""

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch.nn import functional as F

from ml_agent.benchmarks.encoder.items import Item
from ml_agent.benchmarks.encoder.network import Network

_DECAY, _WARM = 0.01, 0.08
"""Weight decay, share of steps until the learning rate is reached."""
_TOGETHER, _BATCHES = 5, 2
"""Requests of one program in a batch, and batches in a step."""
_OPTIONS, _FEWEST_OTHERS, _AT_ONCE = 28, 8, 24
"""Options beside a request: at most so many, and at least so many that it does not mean; read so many at once."""
_LONGEST, _LONGEST_REQUEST = 56, 256
"""Tokens of an option, and of a request."""
_IDLE, _BY_OPTION = 0.05, 0.5
"""What a token without a mark counts beside a marked stretch, and what finding an option's stretch counts."""


class Plan(NamedTuple):
    """How the network is taught."""

    epochs: int
    rate: float
    """Of learning, of the pretrained layers; the projections learn ten times as fast."""
    seed: int


class Texts:
    """Tokens of texts.

    Args:
        tokenizer: of the pretrained model.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, list[int]] = {}

    def short(self, text: str) -> list[int]:
        """Of an option."""
        if text not in self._known:
            self._known[text] = self._tokenizer.encode(text).ids[:_LONGEST]
        return self._known[text]

    def request(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Of a request, with their places."""
        encoding = self._tokenizer.encode(text)
        return encoding.ids[:_LONGEST_REQUEST], encoding.offsets[:_LONGEST_REQUEST]


class _Read(NamedTuple):
    """A batch as the network reads it."""

    tokens: torch.Tensor
    idle: torch.Tensor
    offsets: list[list[tuple[int, int]]]
    options: torch.Tensor


def train(network: Network, items: Sequence[Item], texts: Texts, plan: Plan) -> None:
    """Teach the network with so many looks at all items.

    Args:
        network: as it begins.
        items: marked requests.
        texts: reads tokens.
        plan: how often each item is seen, and how fast.
    """
    rng = random.Random(plan.seed)
    network.train()
    body = [p for p in network.bert.parameters() if p.requires_grad]
    own = {id(p) for p in network.bert.parameters()}
    heads = [p for p in network.parameters() if id(p) not in own]
    optimizer = torch.optim.AdamW([{"params": body, "lr": plan.rate}, {"params": heads, "lr": 10 * plan.rate}], weight_decay=_DECAY)  # fmt: skip
    steps = [one for _ in range(plan.epochs) for one in _steps(items, rng)]
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda at: _share(at, len(steps)))
    for number, batches in enumerate(steps):
        optimizer.zero_grad()
        losses = [_loss(network, batch, texts, rng) for batch in batches]
        total: Any = sum(loss for loss, _ in losses) / max(1.0, sum(weight for _, weight in losses))
        total.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if number % 100 == 0:
            sys.stderr.write(f"step {number} of {len(steps)}: loss {total.item():.3f}\n")
    network.eval()


def _share(at: int, steps: int) -> float:
    """Of the learning rate: up to all of it, then down to a fiftieth."""
    return max(0.02, min(1.0, at / (_WARM * steps + 1)) * (1 - at / steps))


def _steps(items: Sequence[Item], rng: random.Random) -> Iterator[list[list[Item]]]:
    """All items once, as steps of batches; a batch is of one program."""
    by_program: dict[tuple[str, ...], list[Item]] = defaultdict(list)
    for item in items:
        by_program[item.options].append(item)
    batches = []
    for several in by_program.values():
        rng.shuffle(several)
        batches += [several[at : at + _TOGETHER] for at in range(0, len(several), _TOGETHER)]
    rng.shuffle(batches)
    for at in range(0, len(batches), _BATCHES):
        yield batches[at : at + _BATCHES]


def _loss(network: Network, batch: Sequence[Item], texts: Texts, rng: random.Random) -> tuple[torch.Tensor, float]:
    """The loss of a batch of one program, and what its requests weigh."""
    kept = _choose_options(batch, rng)
    places = {option: place for place, option in enumerate(kept)}
    requests = [texts.request(item.text) for item in batch]
    tokens, idle, _ = network(*_pad([ids for ids, _ in requests]))
    options = _options(network, [texts.short(batch[0].options[one]) for one in kept])
    read = _Read(tokens, idle, [offsets for _, offsets in requests], options)
    total, weight = torch.zeros(()), 0.0
    for row, item in enumerate(batch):
        loss, counted = _of_request(read, row, item, places)
        total, weight = total + loss + _of_choices(network, read, row, item, texts), weight + counted
    return total, weight


def _choose_options(batch: Sequence[Item], rng: random.Random) -> list[int]:
    """The options that the requests mean, and others drawn from the rest."""
    meant = sorted({span.option for item in batch for span in item.spans if span.option >= 0})
    rest = [option for option in range(len(batch[0].options)) if option not in meant]
    return meant + rng.sample(rest, min(len(rest), max(_FEWEST_OTHERS, _OPTIONS - len(meant))))


def _of_request(read: _Read, row: int, item: Item, places: dict[int, int]) -> tuple[torch.Tensor, float]:
    """Stretches against options, tokens without a mark against none, options against stretches."""
    odds = torch.cat([read.tokens[row] @ read.options.T, read.idle[row][:, None]], 1)
    log = odds.log_softmax(-1)
    offsets, last = read.offsets[row], len(read.options)
    total, weight, marked = torch.zeros(()), 0.0, set()
    placed: list[tuple[int, torch.Tensor]] = []
    for span in item.spans:
        own = _tokens(offsets, span.start, span.end)
        if own:
            wanted = places[span.option] if span.option >= 0 else last
            total, weight = total - log[own, wanted].mean(), weight + 1
            marked.update(own)
            placed += [(wanted, odds[own].mean(0))] if span.option >= 0 else []
    free = [at for at, (start, end) in enumerate(offsets) if end > start and at not in marked]
    if free:
        total, weight = total - _IDLE * log[free, last].sum(), weight + _IDLE * len(free)
    if len(placed) > 1:
        table = torch.stack([row for _, row in placed])[:, [wanted for wanted, _ in placed]]
        total = total + _BY_OPTION * F.cross_entropy(table.T, torch.arange(len(placed)), reduction="sum")
    return total, weight


def _of_choices(network: Network, read: _Read, row: int, item: Item, texts: Texts) -> torch.Tensor:
    total = torch.zeros(())
    for chosen in item.chosen:
        own = _tokens(read.offsets[row], chosen.start, chosen.end)
        if own:
            choices = _options(network, [texts.short(one) for one in chosen.choices])
            odds = read.tokens[row][own].mean(0) @ choices.T
            total = total + F.cross_entropy(odds[None], torch.tensor([chosen.right]))
    return total


def _tokens(offsets: Sequence[tuple[int, int]], start: int, end: int) -> list[int]:
    return [at for at, (first, last) in enumerate(offsets) if last > first and first < end and start < last]


def _options(network: Network, several: Sequence[list[int]]) -> torch.Tensor:
    """(texts, SIZE): the vectors of options, those of a length together."""
    order = sorted(range(len(several)), key=lambda at: len(several[at]))
    found: dict[int, torch.Tensor] = {}
    for at in range(0, len(order), _AT_ONCE):
        part = order[at : at + _AT_ONCE]
        found |= dict(zip(part, network(*_pad([several[one] for one in part]))[2], strict=True))
    return torch.stack([found[at] for at in range(len(several))])


def _pad(several: Sequence[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    width = max(map(len, several))
    ids = torch.tensor([one + [0] * (width - len(one)) for one in several])
    mask = torch.tensor([[1] * len(one) + [0] * (width - len(one)) for one in several])
    return ids, mask
