"""Features in the places of tokens, where no graph puts them there: into a copy of the graph that embeds the tokens.

    input_ids ──embeds──▶ [1, n, D] ─┬─ScatterND──▶ the same, the rows of image_features where a token is the image's
    image_features [k, D] ───────────┘

Others' runtimes do this between their graphs; here every tensor goes from graph to graph.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
from onnx import helper, numpy_helper

from workflows import names
from workflows.bundle.flow import Modality, modality
from workflows.graphs.load import load_graph
from workflows.graphs.signature import signature_of
from workflows.interchange.branches import Graphs
from workflows.runtime.parts import Parts, Port
from workflows.runtime.signature import dotted
from workflows.tensors import TensorSpec

_UNKNOWN = -1
Wanted = tuple[Modality, str, Port, TensorSpec]  # kind, the graph that embeds, the features, their tensor


def place_features(graphs: Graphs, tokens: dict[str, object]) -> list[str]:
    """Changes the embedding of `graphs` for features that nobody takes; gives a sentence for each.

    tokens: those that are known, as in a pipeline file; one that is not is lacking, and stands for no token here.
    """
    done = []
    for kind, name, source, spec in _wanted(Parts({name: graph.signature for name, graph in graphs.items()})):
        token = tokens.get(f"{kind}_token")
        graph = graphs[name]
        model = graph.model or load_graph(graph.source).proto
        model = _with_places(model, spec, token if isinstance(token, int) else _UNKNOWN)
        graphs[name] = replace(graph, model=model, signature=signature_of(model))
        done.append(f"{name} puts {dotted(source)} in the places of the token {token}: it got nodes for that.")
    return done


def _wanted(parts: Parts) -> list[Wanted]:
    """Features that no graph takes, where one graph embeds the tokens for a decoder that takes none itself."""
    taken = {source for source, _ in parts.edges}
    feeding = {source[0] for source, target in parts.edges if target[0] in parts.keepers}
    embedding = [name for name in feeding if _embeds(parts, name)]
    return [
        (kind, embedding[0], (name, spec.name), spec)
        for name in parts.once
        for spec in parts.graphs[name].outputs
        if (name, spec.name) not in taken
        and (kind := modality(((name, spec.name), (name, spec.name))))
        and len(embedding) == 1
    ]


def _embeds(parts: Parts, name: str) -> bool:
    """Whether a graph makes one tensor of tokens, and of nothing else but features that it was given already."""
    taken = [spec.name for spec in parts.takes(name) if not modality(((name, spec.name), (name, spec.name)))]
    return taken == [names.IDS] and len(parts.gives(name)) == 1 and name not in parts.once


def _with_places(model: onnx.ModelProto, features: TensorSpec, token: int) -> onnx.ModelProto:
    """A copy whose output has the rows of an input `features` [k, D] or [1, k, D] where the ids are `token`."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    graph, embeds = copy.graph, copy.graph.output[0]
    ids = next(one for one in graph.input if one.name == names.IDS)
    kind, own = embeds.type.tensor_type.elem_type, f"{features.name}.placed"
    for node in graph.node:
        node.output[:] = [f"{own}.before" if name == embeds.name else name for name in node.output]
        node.input[:] = [f"{own}.before" if name == embeds.name else name for name in node.input]
    size = next(iter(embeds.type.tensor_type.shape.dim[-1:])).dim_value or features.shape[-1]
    integers = np.int32 if ids.type.tensor_type.elem_type == onnx.TensorProto.INT32 else np.int64
    graph.initializer.extend(
        [numpy_helper.from_array(np.array(token, integers), f"{own}.token"),
         numpy_helper.from_array(np.array([-1, size], np.int64), f"{own}.rows")]
    )  # fmt: skip
    steps = (
        ("Equal", [names.IDS, f"{own}.token"], "here"),
        ("NonZero", [f"{own}.here"], "axes"),
        ("Transpose", [f"{own}.axes"], "places"),  # [k, 2]
        ("Reshape", [features.name, f"{own}.rows"], "flat"),  # [k, D]
        ("Cast", [f"{own}.flat"], "typed"),
    )
    for op, reads, makes in steps:
        attributes = {"to": kind} if op == "Cast" else {}
        graph.node.append(helper.make_node(op, reads, [f"{own}.{makes}"], **attributes))
    reads = [f"{own}.before", f"{own}.places", f"{own}.typed"]
    graph.node.append(helper.make_node("ScatterND", reads, [embeds.name]))
    code = helper.np_dtype_to_tensor_dtype(np.dtype(features.dtype))
    shape = (*(f"{features.name}.{axis}" for axis in range(len(features.shape) - 1)), features.shape[-1])
    graph.input.append(helper.make_tensor_value_info(features.name, code, shape))
    return copy
