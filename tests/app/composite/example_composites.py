"""Composites for the window: what an inspection says of their sessions, and one as large as there may be."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from tests.fakes.inspections import BUNDLE
from workflows.wire.reports.composite import (
    ComponentSession,
    Composite,
    CompositeEdge,
    CompositeFeed,
    CompositeOutput,
    CompositeState,
    CompositeTensor,
    LayerGroup,
)
from workflows.wire.reports.inspection import ComponentReport, InspectReport

BOTH = ("prefill", "decode")


def components(composite: Composite) -> list[ComponentReport]:
    """As in an inspection."""
    return [
        ComponentReport(one.name, one.file, one.role, [], [], {"MatMul": 29}, {"": 23}, 2048)
        for one in composite.sessions
    ]


def inspect_report(composite: Composite) -> InspectReport:
    """The inspection of a bundle that runs as this composite."""
    return replace(BUNDLE, components=components(composite), composite=composite)


def ten_sessions() -> Composite:
    """Vision and speech before an embedding, and a decoder in six pieces."""
    parts = [f"layers_{i}" for i in range(6)]
    names = ["vision", "speech", "embedding", *parts, "head"]
    sessions = [
        ComponentSession(name, f"{name}.onnx", name, ("source",) if name in names[:2] else BOTH) for name in names
    ]
    features = [("vision", "image_features", "embedding"), ("speech", "audio_features", "embedding")]
    chain = [(one, "hidden_states", other) for one, other in pairwise(names[2:])]
    edges = [
        CompositeEdge((one, tensor), (other, tensor), CompositeTensor(tensor, (1, "rows", 2048), "float16"), BOTH)
        for one, tensor, other in [*features, *chain]
    ]
    edges.append(
        CompositeEdge(("vision", "grid"), (parts[3], "grid"), CompositeTensor("grid", (1, 3), "int64"), ("prefill",))
    )
    kept = [
        CompositeState(part, "cache", "host", (layers(2 * i, 2 * i + 1),), (part,), (part,), BOTH)
        for i, part in enumerate(parts)
    ]
    masks = (
        CompositeTensor("position_ids", (1, "rows"), "int64"),
        CompositeTensor("attention_mask", (1, 1, "rows", "total"), "float16"),
    )
    feeds = [CompositeFeed("driver", part, masks, BOTH) for part in parts]
    feeds.append(
        CompositeFeed("given", "vision", (CompositeTensor("pixel_values", ("patches", 1176), "float32"),), ("source",))
    )
    feeds.append(CompositeFeed("driver", "embedding", (CompositeTensor("input_ids", (1, "rows"), "int64"),), BOTH))
    logits = CompositeOutput("head", (CompositeTensor("logits", (1, "rows", 151_936), "float16"),), BOTH)
    return Composite("ten", ("source", *BOTH), tuple(sessions), tuple(edges), tuple(kept), tuple(feeds), (logits,))


def layers(*numbers: int) -> LayerGroup:
    """Keys and values."""
    return LayerGroup(
        numbers, tuple(CompositeTensor(role, (1, 8, "slots", 128), "float16") for role in ("key", "value"))
    )
