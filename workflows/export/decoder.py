"""The decoder component of any causal LM: its KV cache is inputs and outputs.

host     input_ids [1,S] · position_ids [1,S] · attention_mask [1,1,S,C+S] · past [1,H,C,D] per layer and role
             ──▶ logits [1,S,V] · present [1,H,S,D]: the new tokens' rows alone
gqa      input_ids · position_ids · seqlens_k [1] · total_sequence_length [] · past [1,H,C,D]
             ──▶ logits · present [1,H,C,D]: the same buffer, written in place
scatter  input_ids · position_ids · attention_mask [1,1,S,C] · write_indices [1] · nonpad_kv_seqlen [1] · past [1,C,H·D]
             ──▶ logits · present [1,C,H·D]: the same buffer, written in place

Layers with another attention window have a mask of their own. What the cache cannot see in names and shapes is noted
in the graph's metadata under `joinery.kv`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from workflows.export.attention import HostSeam, LayerFacts, attending
from workflows.export.inplace import GroupQuerySeam, ScatterSeam
from workflows.kvcache.geometry import MASK, GroupFacts, StateFacts, StatePatterns
from workflows.recipe.schema import writer_of

PATTERNS = StatePatterns()
SEQUENCE, CAPACITY, TOTAL = "sequence", "capacity", "total"


@dataclass(frozen=True)
class Signature:
    """What goes into and comes out of one graph: names, example tensors, and symbolic axes."""

    inputs: dict[str, torch.Tensor]
    axes: dict[str, dict[int, str]]
    outputs: list[str]
    facts: StateFacts


def groups_of(layers: Sequence[LayerFacts]) -> tuple[GroupFacts, ...]:
    """The layers by how far back they see; the group that sees everything comes first."""
    windows = sorted({layer.window for layer in layers}, key=lambda window: (window is not None, window or 0))
    single = len(windows) == 1
    return tuple(
        GroupFacts(
            name="all" if single else ("full" if window is None else f"window{window}"),
            mask=MASK if single or window is None else f"{MASK}_{window}",
            layers=tuple(i for i, layer in enumerate(layers) if layer.window == window),
            window=window,
        )
        for window in windows
    )


def signature(layers: Sequence[LayerFacts], cache: str, sequence: int = 3, capacity: int = 5) -> Signature:
    """The decoder's graph for a cache layout; the example sizes are unequal so that no axis is taken for another."""
    writer = writer_of(cache)
    groups = groups_of(layers)
    inputs: dict[str, torch.Tensor] = {
        "input_ids": torch.zeros(1, sequence, dtype=torch.long),
        "position_ids": torch.arange(capacity - sequence, capacity)[None],
    }
    axes: dict[str, dict[int, str]] = {"input_ids": {1: SEQUENCE}, "position_ids": {1: SEQUENCE}}
    if writer == "gqa":
        inputs |= {"seqlens_k": torch.tensor([capacity - 1], dtype=torch.int32)}
        inputs |= {"total_sequence_length": torch.tensor(capacity, dtype=torch.int32)}
        axes |= {"seqlens_k": {}, "total_sequence_length": {}}
    else:
        columns = capacity + (sequence if writer == "host" else 0)
        for group in groups:
            inputs[group.mask] = torch.zeros(1, 1, sequence, columns)
            axes[group.mask] = {2: SEQUENCE, 3: TOTAL if writer == "host" else CAPACITY}
    if writer == "scatter":
        inputs |= {"write_indices": torch.tensor([capacity - sequence]), "nonpad_kv_seqlen": torch.tensor([capacity])}
        axes |= {"write_indices": {}, "nonpad_kv_seqlen": {}}
    outputs = ["logits"]
    for i, layer in enumerate(layers):
        for role, past, present in PATTERNS.pairs():
            size = layer.head_dim if role == "key" else layer.value_dim
            flat = writer == "scatter"
            shape = (1, capacity, layer.kv_heads * size) if flat else (1, layer.kv_heads, capacity, size)
            inputs[past % i] = torch.zeros(shape)
            axes[past % i] = {1 if flat else 2: CAPACITY}
            outputs.append(present % i)
    return Signature(inputs, axes, outputs, StateFacts(writer, groups))


class Decoder(torch.nn.Module):
    """A causal LM, its cache taken apart into tensors; inputs and outputs as `signature` names them."""

    def __init__(self, model: Any, signature: Signature, layers: Sequence[LayerFacts]) -> None:
        super().__init__()
        self.model = model
        self._facts, self._names, self._layers = signature.facts, list(signature.inputs), tuple(layers)

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The inputs in the signature's order."""
        by_name = dict(zip(self._names, inputs, strict=True))
        seam = self._seam(by_name)
        ids, positions = by_name["input_ids"], by_name["position_ids"]
        with attending(seam):
            output = self.model(
                input_ids=ids,
                position_ids=positions,
                attention_mask=torch.zeros(1, 1, ids.shape[1], ids.shape[1]),  # unused, but no mask is built of four axes
                past_key_values=seam,
                use_cache=True,
            )
        return output.logits, *(tensor for i in range(len(self._layers)) for tensor in seam.present[i])

    def _seam(self, by_name: dict[str, torch.Tensor]) -> Any:
        keys = [by_name[PATTERNS.past_key % i] for i in range(len(self._layers))]
        values = [by_name[PATTERNS.past_value % i] for i in range(len(self._layers))]
        start = by_name["position_ids"][0, 0]
        if self._facts.writer == "gqa":
            lengths = by_name["seqlens_k"], by_name["total_sequence_length"]
            return GroupQuerySeam(keys, values, start, lengths=lengths)
        masks = {group.window: by_name[group.mask] for group in self._facts.groups}
        if self._facts.writer == "scatter":
            drivers = by_name["write_indices"], by_name["nonpad_kv_seqlen"]
            return ScatterSeam(keys, values, start, masks=masks, drivers=drivers)
        return HostSeam(keys, values, start, masks=masks)
