"""`pipeline.extends`: flow, edges and state of a common composite, used where the file does not state them.

    autoregressive-decoder   decoder                               at each step
    encoder-decoder          encoder │ decoder                     the encoder once, cross cache frozen
    vision-language          vision │ embedding ─▶ decoder         features placed at the image tokens
    speech-language          speech │ embedding ─▶ decoder         the same at the audio tokens

The file's `flow` and `dataflow` replace the preset's as a whole; `state` is merged key by key; a preset has no
sessions. The presets are those of onnxruntime-genai's version 2 as proposed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Preset = Literal["autoregressive-decoder", "vision-language", "encoder-decoder", "speech-language"]
_KV: dict[str, Any] = {"kv_cache": {"format": "auto"}}


def extend_flow(flow: object) -> object:
    """Returns the decoded `pipeline` completed by its preset; unchanged where it names no known preset."""
    if not isinstance(flow, Mapping):
        return flow
    if "plugin" in flow and isinstance(flow.get("sessions"), Mapping):  # the plug-in runs its sessions itself
        return {"flow": [{"run": name} for name in flow["sessions"]], **flow}
    if not isinstance(flow.get("extends"), str):
        return flow
    body = _BODIES.get(flow["extends"])
    if body is None:
        return flow
    state = flow.get("state", {})
    merged = {**body["state"], **state} if isinstance(state, Mapping) else state
    return {**body, **flow, "state": merged}


def _features(source: str, features: str) -> dict[str, Any]:
    """A session that reads an image or a sound; the embedding places its features."""
    return {
        "flow": [{"run": source, "when": "init"}, {"run": "embedding", "when": "init"}, {"run": "decoder"}],
        "dataflow": [
            {"from": f"{source}.{features}", "to": f"embedding.{features}"},
            {"from": "embedding.inputs_embeds", "to": "decoder.inputs_embeds"},
        ],
        "state": _KV,
    }


_BODIES: dict[str, dict[str, Any]] = {
    "autoregressive-decoder": {"flow": [{"run": "decoder"}], "state": _KV},
    "encoder-decoder": {
        "flow": [{"run": "encoder", "when": "init"}, {"run": "decoder", "cross_attention_from": "encoder"}],
        "state": {**_KV, "cross_cache": {"source": "encoder", "frozen": True}},
    },
    "vision-language": _features("vision", "image_features"),
    "speech-language": _features("speech", "audio_features"),
}
