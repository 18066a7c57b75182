"""The model with an adapter: weights as its file has them, frozen, and low-rank matrices beside them that learn (LoRA)."""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from gguf import GGUFReader, ReaderTensor, quants
from torch import nn
from torch.nn import functional as F
from transformers import Qwen2Config, Qwen2ForCausalLM

RANK, ALPHA = 16, 32.0
BY_ROW = {"output.weight": "lm_head.weight", "token_embd.weight": "model.embed_tokens.weight"}
_LINEAR = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_NORMS = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}


class AdaptedLayer(nn.Module):  # type: ignore[misc]
    """A frozen layer with two small matrices beside it.

    Args:
        base: the layer.
    """

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base
        device = base.weight.device
        self.down = nn.Parameter(torch.randn(RANK, base.in_features, device=device) / math.sqrt(3 * base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, RANK, device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """What both say."""
        inner = F.linear(x, self.down.to(x.dtype))
        added: torch.Tensor = self.base(x) + ALPHA / RANK * F.linear(inner, self.up.to(x.dtype))
        return added


def load(model: GGUFReader, used: Any, device: str) -> Any:
    """The network of a Qwen2 file, its weights as they are served, with the rows of some tokens only.

    Args:
        model: the file, opened.
        used: the tokens that keep their rows.
        device: cpu or cuda.
    """
    kind = number_type(device)

    def read(tensor: ReaderTensor) -> tuple[str, torch.Tensor]:
        data = tensor.data[used] if tensor.name in BY_ROW else tensor.data
        values = np.array(data) if tensor.tensor_type.name == "F32" else quants.dequantize(data, tensor.tensor_type)
        return _name(tensor.name), torch.from_numpy(np.ascontiguousarray(values)).to(device, kind)

    with ThreadPoolExecutor() as pool:
        state = dict(pool.map(read, model.tensors))
    torch.set_default_dtype(kind)
    with torch.device(device):
        network = Qwen2ForCausalLM(_configuration(model, len(used), kind))
    torch.set_default_dtype(torch.float32)
    network.load_state_dict(state)
    network.eval()
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    return network


def adapt(network: Any, first: int) -> dict[str, AdaptedLayer]:
    """Put adapters beside the linear layers from one block on; by their names in the file.

    Args:
        network: as `load` gives it.
        first: blocks before it stay as they are, so that nothing is carried back through them.
    """
    adapted = {}
    for number, block in enumerate(network.model.layers):
        for name, place in _LINEAR.items() if number >= first else ():
            module, attribute = place.split(".")
            parent = getattr(block, module)
            layer = AdaptedLayer(getattr(parent, attribute))
            setattr(parent, attribute, layer)
            adapted[f"blk.{number}.{name}.weight"] = layer
    return adapted


def number_type(device: str) -> torch.dtype:
    """The numbers that a device multiplies fast: few processors know short ones."""
    if device != "cpu":
        return torch.bfloat16
    able = torch.cpu.get_capabilities()
    return torch.bfloat16 if able.get("avx512_bf16") or able.get("amx_bf16") else torch.float32


def _configuration(model: GGUFReader, rows: int, kind: torch.dtype) -> Qwen2Config:
    def said(name: str) -> Any:
        return model.fields[f"qwen2.{name}"].contents()

    return Qwen2Config(
        vocab_size=rows,
        hidden_size=said("embedding_length"),
        intermediate_size=said("feed_forward_length"),
        num_hidden_layers=said("block_count"),
        num_attention_heads=said("attention.head_count"),
        num_key_value_heads=said("attention.head_count_kv"),
        rms_norm_eps=said("attention.layer_norm_rms_epsilon"),
        rope_parameters={"rope_type": "default", "rope_theta": said("rope.freq_base")},
        tie_word_embeddings=False,
        attn_implementation="sdpa",
        dtype=kind,
    )


def _name(name: str) -> str:
    if name in BY_ROW:
        return BY_ROW[name]
    if name == "output_norm.weight":
        return "model.norm.weight"
    _, number, layer, kind = name.split(".")
    return f"model.layers.{number}.{(_LINEAR | _NORMS)[layer]}.{kind}"
