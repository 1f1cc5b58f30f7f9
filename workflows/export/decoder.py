"""The decoder component of any causal LM: its KV cache is inputs and outputs.

host     input_ids [1,S] · position_ids [1,S] · attention_mask [1,1,S,C+S] · past [1,H,C,D] per layer and role
             ──▶ logits [1,S,V] · present [1,H,S,D]: the new tokens' rows alone; hidden_states [1,S,E] where exposed
gqa      input_ids · position_ids · seqlens_k [1] · total_sequence_length [] · past [1,H,C,D]
             ──▶ logits · present [1,H,C,D]: the same buffer, written in place
scatter  input_ids · position_ids · attention_mask [1,1,S,C] · write_indices [1] · nonpad_kv_seqlen [1] · past [1,C,H·D]
             ──▶ logits · present [1,C,H·D]: the same buffer, written in place

Layers with another attention window have a mask of their own. What the cache cannot see in names and shapes is noted
in the graph's metadata under `joinery.kv`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from workflows.common.errors import RecipeError
from workflows.common.tensor_names import HIDDEN
from workflows.export.attention import (
    BaseCacheAdapter,
    HostCacheAdapter,
    LayerFacts,
    ProbeCacheAdapter,
    detect_layers,
    using_adapter,
)
from workflows.export.in_place import GroupQueryAdapter, ScatterAdapter
from workflows.export.signature import PATTERNS, ExportSignature
from workflows.kvcache.geometry import SOURCE_MASK, StateFacts


class DecoderModule(torch.nn.Module):  # type: ignore[misc]  # torch is not type-checked here
    """A causal LM, its cache taken apart into tensors; inputs and outputs as the signature names them."""

    def __init__(self, model: Any, signature: ExportSignature, layers: Sequence[LayerFacts]) -> None:
        super().__init__()
        self.model = model
        self.names, self.layers, self.facts = list(signature.inputs), tuple(layers), signature.facts
        self.exposes = HIDDEN in signature.outputs

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The inputs in the signature's order."""
        by_name = dict(zip(self.names, inputs, strict=True))
        assert self.facts is not None
        seam = make_adapter(by_name, self.facts, len(self.layers))
        with using_adapter(seam), hidden_states(self.model, self.exposes) as hidden:
            logits = self.run(seam, by_name)
        return logits, *hidden, *(tensor for i in range(len(self.layers)) for tensor in seam.present[i])

    def run(self, seam: BaseCacheAdapter, by_name: dict[str, torch.Tensor]) -> torch.Tensor:
        """The model's logits [1,S,V], with the seam as its cache."""
        return run_causal(self.model, seam, by_name["input_ids"], by_name["position_ids"])


@contextmanager
def hidden_states(model: Any, wanted: bool) -> Iterator[list[torch.Tensor]]:
    """Gathers what the decoder gives to the head while the model runs, [1,S,E]; nothing where it is not `wanted`.

    Raises RecipeError for a model whose decoder is no module of its own.
    """
    found: list[torch.Tensor] = []
    if not wanted:
        yield found
        return
    inner = getattr(model, model.base_model_prefix, None)
    if inner is None:
        raise RecipeError("This model has no decoder apart from its head, so it cannot expose hidden_states: leave "
                          "expose out.")  # fmt: skip

    def hear(module: Any, inputs: Any, output: Any) -> None:
        found[:] = [output.last_hidden_state]

    handle = inner.register_forward_hook(hear)
    try:
        yield found
    finally:
        handle.remove()


def run_causal(
    model: Any, seam: BaseCacheAdapter, ids: torch.Tensor, positions: torch.Tensor, own_mask: bool = False
) -> torch.Tensor:
    """Logits [1,S,V] of a causal LM. own_mask: have it ask for its masks, as a probe needs it.

    Else it is given one that is unused, for the seam has its own; its four axes keep others from being made.
    """
    unused = None if own_mask else torch.zeros(1, 1, ids.shape[1], ids.shape[1])
    output = model(input_ids=ids, position_ids=positions, attention_mask=unused, past_key_values=seam, use_cache=True)
    logits: torch.Tensor = output.logits
    return logits


def causal_layers(model: Any) -> tuple[LayerFacts, ...]:
    """The attention layers of a causal LM. Raises RecipeError where no cache can be fitted to it."""
    ids = torch.zeros(1, 3, dtype=torch.long)

    def run(seam: ProbeCacheAdapter) -> None:
        run_causal(model, seam, ids, torch.arange(3)[None], own_mask=True)

    return detect_layers(run)


def make_adapter(by_name: dict[str, torch.Tensor], facts: StateFacts, layers: int) -> BaseCacheAdapter:
    """The seam of the graph's kind over its input tensors."""
    past: dict[str, Any] = {
        "keys": [by_name[PATTERNS.past_key % i] for i in range(layers)],
        "values": [by_name[PATTERNS.past_value % i] for i in range(layers)],
        "start": by_name["position_ids"][0, 0],
        "source_mask": by_name.get(SOURCE_MASK),
        "windows": {layer: group.window for group in facts.groups for layer in group.layers},
    }
    if facts.writer == "gqa":
        return GroupQueryAdapter(**past, lengths=(by_name["seqlens_k"], by_name["total_sequence_length"]))
    past["masks"] = {group.window: by_name[group.mask] for group in facts.groups}
    if facts.writer == "scatter":
        return ScatterAdapter(**past, drivers=(by_name["write_indices"], by_name["nonpad_kv_seqlen"]))
    return HostCacheAdapter(**past)
