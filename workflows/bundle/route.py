"""The kind of composite of a pipeline, computed from its sessions, flow, edges and state, never from a model's name.

    plugin → encoder-decoder → vision, speech → combined → decoder pipeline → prefill-decode → decoder; single: no cache

The order is that of onnxruntime-genai's classification, so that both classify a file in the same way.
"""

from __future__ import annotations

from typing import Literal

from workflows.bundle.composition import Flow
from workflows.bundle.outline import modality

Route = Literal[
    "plugin", "encoder-decoder", "vision-language", "speech-language", "multimodal", "combined", "decoder-pipeline",
    "prefill-decode", "decoder", "single",
]  # fmt: skip


def route_of(flow: Flow) -> Route:
    """The route of a flow."""
    when: dict[str, set[str]] = {}
    for stage in flow.flow:
        when.setdefault(stage.run, set()).add(stage.when)
    if flow.plugin is not None:
        return "plugin"
    if flow.state.kv_cache is None:
        return "single"
    if flow.state.cross_cache is not None or any(stage.cross_attention_from for stage in flow.flow):
        return "encoder-decoder"
    outline = flow.outline()
    kinds = {modality(edge) for edge in outline.edges if when.get(edge[0][0]) == {"init"}} - {None}
    if kinds:
        return "multimodal" if len(kinds) > 1 else "speech-language" if kinds == {"audio"} else "vision-language"
    if flow.state.kv_cache.format == "combined":
        return "combined"
    if any(times == {"init"} for times in when.values()):
        return "prefill-decode"
    return "decoder-pipeline" if sum("step" in times for times in when.values()) > 1 else "decoder"
