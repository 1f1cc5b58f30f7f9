"""What several graphs lack to form a composite: one sentence each, with the graph, the tensor and the remedy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from workflows.common import tensor_names
from workflows.common.errors import printable
from workflows.common.tensor_names import LOGITS
from workflows.common.tensors import TensorSpec
from workflows.kvcache.geometry import KNOWN_PATTERNS
from workflows.runtime.program.graph_roles import ENCODER_STATES, SOURCE_MASKS, GraphRoles, Port
from workflows.runtime.program.signature import describe_tensor, port_name

BRANCH = "use_cache_branch"  # optimum's merged decoders choose by it between two graphs in one
_INTERMEDIATE_NAMES = (
    ENCODER_STATES,
    tensor_names.HIDDEN,
    tensor_names.EMBEDS,
)  # computed by graphs, so that they cannot come with a prompt
CROSS_PAST = re.compile(r"past_key_values\.\d+\.encoder\.(key|value)")


def find_missing(parts: GraphRoles, tokens: Mapping[str, object]) -> Iterator[str]:
    """The sentences. tokens: placeholders, as in a pipeline file. Raises AmbiguousRoleError as GraphRoles.runs does."""
    if not parts.keepers:
        known = ", ".join(naming.past_key % 0 for naming in KNOWN_PATTERNS)
        taken = "; ".join(f"{name} takes {', '.join(s.name for s in one.inputs)}" for name, one in parts.graphs.items())
        yield f"No graph has inputs named like {known}, so none keeps a cache: {printable(taken, 400)}."
    if not any(LOGITS in parts.gives(name) for name in parts.graphs):
        yield f"No graph gives {LOGITS}: give the head's graph, or export it with an output of that name."
    if not parts.keepers:
        return
    yield from _unfed_sentences(parts)
    taken_of = {source[0] for source, _ in parts.edges}
    for name in parts.graphs:
        if name not in taken_of and name not in parts.keepers and LOGITS not in parts.gives(name):
            gives = printable(", ".join(parts.gives(name)))
            yield f"Nothing uses the outputs of {name} ({gives}): leave it out, or give the graph that uses them."
    for kind, port in parts.places.items():
        if tokens.get(f"{kind}_token") is None:
            yield (
                f"{port_name(port)} takes {kind} features, and their placeholder token is unknown: give it as "
                f"tokens.{kind}_token in --pipeline, or give a --tokenizer folder whose config.json has "
                f"{kind}_token_id."
            )


def _unfed_sentences(parts: GraphRoles) -> Iterator[str]:
    """One sentence per kind of input, whatever its layer; a source mask only where nothing else is missing."""
    alike: dict[str, dict[str, list[TensorSpec]]] = {}
    for (name, _), spec in _unfed_inputs(parts).items():
        alike.setdefault(name, {}).setdefault(re.sub(r"\d+|key|value", "", spec.name), []).append(spec)
    for name, groups in alike.items():
        for specs in groups.values():
            if specs[0].name not in SOURCE_MASKS or len(groups) == 1:
                yield _sentence(name, specs)


def _unfed_inputs(parts: GraphRoles) -> dict[Port, TensorSpec]:
    """The inputs that neither an edge, nor the cache, nor the prompt feeds."""
    driven = parts.drivers | ({*SOURCE_MASKS} if parts.once else set())
    prefill, decode = parts.runs
    return {
        (name, spec.name): spec
        for run in (parts.once, prefill, decode)
        for name in run
        for spec in parts.takes(name)
        if (spec.name in _INTERMEDIATE_NAMES if run is parts.once else spec.name not in driven)
        and parts.feeder(run, (name, spec.name)) is None
    }


def _sentence(name: str, specs: list[TensorSpec]) -> str:
    first = specs[0]
    more = f" (and {len(specs) - 1} like it)" if len(specs) > 1 else ""
    port = name, printable(first.name)
    if first.name == BRANCH:
        return (
            f"{name} takes {BRANCH}, with which optimum's merged export chooses between two graphs in one: make a "
            "bundle of it with `joinery assemble`."
        )
    if CROSS_PAST.fullmatch(first.name):
        return (
            f"Nothing feeds {port_name(port)}{more}, which in optimum's export the decoder without past computes in "
            "its first run: give that graph as well, and make a bundle of them with `joinery assemble`."
        )
    if first.name in SOURCE_MASKS:
        return f"Nothing feeds {port_name(port)}: it masks the source of an encoder, so give the encoder's graph."
    return (
        f"Nothing feeds {describe_tensor(port, first)}{more}: no graph that runs before {name} has an output of that "
        "name; give one that has, or name its source under pipeline.dataflow in --pipeline."
    )
