"""The encoder's network: a pretrained transformer with a projection for each of its uses."""

import math
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from transformers import BertModel

from ml_agent.encoder.encoder import SIZE

_FIRST_SCALE = 10.0


class Network(nn.Module):  # type: ignore[misc]
    """Tokens of requests against options.

    Args:
        base: folder of the pretrained model (config.json, model.safetensors).
    """

    def __init__(self, base: Path) -> None:
        super().__init__()
        self.bert = BertModel.from_pretrained(str(base), add_pooling_layer=False)
        self.bert.embeddings.requires_grad_(False)
        width = self.bert.config.hidden_size
        self.token, self.option = _alike(width)
        self.idle = nn.Linear(width, 1)
        self.scale = nn.Parameter(torch.tensor(math.log(_FIRST_SCALE)))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Vectors of tokens (batch, tokens, SIZE), log-odds of their meaning nothing (batch, tokens), vectors of the texts
        as options (batch, SIZE)."""
        hidden = self.bert(ids, attention_mask=mask).last_hidden_state
        share = mask[:, :, None].to(hidden.dtype)
        mean = (hidden * share).sum(1) / share.sum(1)
        tokens = _unit(self.token(hidden)) * self.scale.exp()
        return tokens, self.idle(hidden)[..., 0].float(), _unit(self.option(mean))


def _alike(width: int) -> tuple[nn.Linear, nn.Linear]:
    """Two projections that begin as the same one: what is alike for the pretrained model is alike from the start."""
    one, other = nn.Linear(width, SIZE), nn.Linear(width, SIZE)
    nn.init.orthogonal_(one.weight)
    other.weight.data.copy_(one.weight.data)
    nn.init.zeros_(one.bias)
    nn.init.zeros_(other.bias)
    return one, other


def _unit(vectors: Any) -> torch.Tensor:
    return F.normalize(vectors.float(), dim=-1)
