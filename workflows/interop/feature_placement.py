"""Places features at the placeholder tokens, in a copy of the graph that embeds the tokens.

    input_ids ──embeds──▶ [1, n, D] ─┬─ScatterND──▶ the same, with rows of image_features at image tokens
    image_features [k, D] ───────────┘

Other runtimes place features between their graphs; here every tensor flows from graph to graph.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import onnx
from onnx import helper

from workflows.bundle.outline import Modality, modality
from workflows.common import tensor_names
from workflows.graph.signature import signature_of
from workflows.interop.optimum_decoders import LooseGraphs, load_proto
from workflows.runtime.program.graph_roles import GraphRoles, Port
from workflows.runtime.program.signature import port_name

_UNKNOWN = -1
UnplacedFeature = tuple[Modality, str, Port]  # modality, the embedding graph, the features


def place_features(graphs: LooseGraphs, tokens: dict[str, object]) -> list[str]:
    """Changes the embedding of `graphs` for features that no graph takes; returns a sentence for each.

    tokens: the known ids, as in a pipeline file; without one the features match no token.
    """
    done = []
    for kind, name, source in _wanted(GraphRoles({name: graph.signature for name, graph in graphs.items()})):
        token, features = tokens.get(f"{kind}_token"), load_proto(graphs[source[0]]).graph.output
        model = _with_places(
            load_proto(graphs[name]),
            next(one for one in features if one.name == source[1]),
            token if isinstance(token, int) else _UNKNOWN,
        )
        graphs[name] = replace(graphs[name], model=model, signature=signature_of(model))
        done.append(f"{name} places {port_name(source)} at the token {token}: nodes were added for that.")
    return done


def _wanted(parts: GraphRoles) -> list[UnplacedFeature]:
    """Features that no graph takes, where one graph embeds the tokens for a decoder without a token input."""
    inputs = {source for source, _ in parts.edges}
    feeding = {source[0] for source, target in parts.edges if target[0] in parts.keepers}
    embedding = [name for name in feeding if _embeds(parts, name)]
    return [
        (kind, embedding[0], (name, spec.name))
        for name in parts.run_once
        for spec in parts.graphs[name].outputs
        if len(embedding) == 1 and (name, spec.name) not in inputs
        if (kind := modality(((name, spec.name), (name, spec.name))))
        and len(spec.shape) in (2, 3)
        and isinstance(spec.shape[-1], int)
    ]


def _embeds(parts: GraphRoles, name: str) -> bool:
    """Whether a graph computes one tensor from tokens, and otherwise takes only features."""
    inputs = [spec for spec in parts.inputs_of(name) if not modality(((name, spec.name), (name, spec.name)))]
    ids = [spec.name for spec in inputs if spec.dtype in ("int64", "int32")]
    made = [spec for spec in parts.graphs[name].outputs if spec.is_floating and len(spec.shape) == 3]
    return (
        ids == [tensor_names.IDS]
        and len(inputs) == len(made) == len(parts.outputs_of(name)) == 1
        and name not in parts.run_once
    )


def _with_places(model: onnx.ModelProto, features: onnx.ValueInfoProto, token: int) -> onnx.ModelProto:
    """A copy whose output has the rows of the input `features` [k, D] or [1, k, D] where the ids equal `token`."""
    copy = deepcopy(model)
    graph, embeds, own = copy.graph, copy.graph.output[0], f"{features.name}.placed"
    ids = next(one for one in graph.input if one.name == tensor_names.IDS)
    for node in graph.node:
        node.output[:] = [f"{own}.before" if name == embeds.name else name for name in node.output]
        node.input[:] = [f"{own}.before" if name == embeds.name else name for name in node.input]
    kind, axes = features.type.tensor_type.elem_type, features.type.tensor_type.shape.dim
    graph.initializer.extend(
        [
            helper.make_tensor(f"{own}.token", ids.type.tensor_type.elem_type, [], [token]),
            helper.make_tensor(f"{own}.rows", onnx.TensorProto.INT64, [2], [-1, axes[-1].dim_value]),
        ]
    )
    graph.node.extend(
        [
            helper.make_node("Equal", [tensor_names.IDS, f"{own}.token"], [f"{own}.here"]),
            helper.make_node("NonZero", [f"{own}.here"], [f"{own}.axes"]),
            helper.make_node("Transpose", [f"{own}.axes"], [f"{own}.places"], perm=[1, 0]),  # [k, 2]
            helper.make_node("Reshape", [features.name, f"{own}.rows"], [f"{own}.flat"]),  # [k, D]
            helper.make_node("Cast", [f"{own}.flat"], [f"{own}.typed"], to=embeds.type.tensor_type.elem_type),
            helper.make_node("ScatterND", [f"{own}.before", f"{own}.places", f"{own}.typed"], [embeds.name]),
        ]
    )
    shape = [*(f"{own}.{axis}" for axis in range(len(axes) - 1)), axes[-1].dim_value]
    graph.input.append(helper.make_tensor_value_info(features.name, kind, shape))
    return copy
