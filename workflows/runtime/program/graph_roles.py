"""The role of each of several graphs in a composite, inferred from their inputs and outputs; names only break ties.

signatures ──▶ once: read what comes with a prompt │ prefill, decode: in the order in which they run
                   encoder, vision, speech, cross        embeddings ─▶ pieces of the transformer ─▶ head
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from workflows.bundle.outline import Modality, modality
from workflows.common import tensor_names
from workflows.common.tensor_names import LOGITS
from workflows.common.tensors import TensorSpec
from workflows.kvcache.cache_inputs import CACHE_INPUTS, CACHE_POSITION, IDS, POSITIONS
from workflows.kvcache.geometry import (
    MASK,
    PLAIN_SOURCE_MASK,
    SOURCE_MASK,
    StateFacts,
    StatePatterns,
    has_state,
    layers_of,
    patterns_of,
)
from workflows.runtime.program.signature import GraphSignature

ENCODER_STATES = "encoder_hidden_states"
SOURCE_MASKS = (SOURCE_MASK, PLAIN_SOURCE_MASK)
_OTHER_NAMES = {ENCODER_STATES: ("last_hidden_state", tensor_names.HIDDEN)}  # an encoder's output in other exporters
_CROSS = re.compile(rf"{ENCODER_STATES}|cross\.\d+\.(key|value)|past_key_values\.\d+\.encoder\.(key|value)")
_PROMPT, _TOKEN = (re.compile(rf"(^|[_-])({words})", re.I) for words in ("prefill|prompt", "decode($|[^r])|gen|token"))
Port = tuple[str, str]


class AmbiguousRoleError(ValueError):
    """Two graphs could have each other's role; the message says what would distinguish them."""


@dataclass(frozen=True)
class CompositeGraphs:
    """What the graphs of one composite declare, and which outputs could feed which inputs. graphs: by name."""

    graphs: Mapping[str, GraphSignature]

    @cached_property
    def patterns(self) -> StatePatterns:
        """The names of the cache's tensors."""
        return patterns_of([spec for one in self.graphs.values() for spec in one.inputs])

    @cached_property
    def keepers(self) -> tuple[str, ...]:
        """The graphs that keep the cache."""
        return tuple(name for name, one in self.graphs.items() if has_state(one.inputs, self.patterns))

    @cached_property
    def drivers(self) -> frozenset[str]:
        """The inputs that the cache computes."""
        facts = [StateFacts.of_metadata(self.graphs[name].metadata) for name in self.keepers]
        return frozenset({*CACHE_INPUTS, MASK, *(group.mask for one in facts if one for group in one.groups)})

    def inputs_of(self, name: str) -> tuple[TensorSpec, ...]:
        """The inputs of a graph without the cache's past tensors."""
        return tuple(spec for spec in self.graphs[name].inputs if not has_state([spec], self.patterns))

    def outputs_of(self, name: str) -> tuple[str, ...]:
        """The names of a graph's outputs."""
        return tuple(spec.name for spec in self.graphs[name].outputs)

    # -- who feeds whom ----------------------------------------------------------------------------------------

    def sources_of(self, name: str, tensor: str) -> list[Port]:
        """The outputs that could feed an input: those of its name, else an encoder's of an equivalent name."""
        if tensor == LOGITS:
            return []
        own = [(one, tensor) for one in self.graphs if one != name and tensor in self.outputs_of(one)]
        others = [one for one in self.graphs if one not in (name, *self.keepers)]
        return own or [
            (one, given) for given in _OTHER_NAMES.get(tensor, ()) for one in others if given in self.outputs_of(one)
        ]

    @cached_property
    def edges(self) -> tuple[tuple[Port, Port], ...]:
        """All (source, target) pairs that could be connected; `feeder` chooses from them."""
        return tuple(
            (source, (name, spec.name))
            for name in self.graphs
            for spec in self.inputs_of(name)
            for source in self.sources_of(name, spec.name)
        )

    def width(self, name: str) -> int | None:
        """The fixed number of columns of a graph of the tokens; None for any."""
        for spec in self.inputs_of(name):
            place = {IDS: -1, POSITIONS: -1, CACHE_POSITION: -1}.get(spec.name, 1)
            activation = len(spec.shape) == 3 and spec.is_floating and not _CROSS.fullmatch(spec.name)
            if (place == -1 or activation) and spec.shape and isinstance(spec.shape[place], int):
                return int(spec.shape[place])
        return None


@dataclass(frozen=True)
class GraphRoles(CompositeGraphs):
    """What each graph is for the others: reads what comes with a prompt, or runs for tokens, and in which order."""

    # -- what is read once -------------------------------------------------------------------------------------

    @cached_property
    def run_once(self) -> tuple[str, ...]:
        """The graphs that run once per prompt, in order: encoders, vision, speech, and graphs behind them."""
        found: list[str] = []
        for _ in self.graphs:
            new = [name for name in self.graphs if name not in (*found, *self.keepers) and self._is_read(name, found)]
            if not new:
                break
            found += new
        return tuple(self._ordered(found))

    def _is_read(self, name: str, found: Sequence[str]) -> bool:
        givers = {source[0] for source, target in self.edges if target[0] == name}
        fed = {target[1] for _, target in self.edges if target[0] == name}
        free = {spec.name for spec in self.inputs_of(name)} - fed
        if not givers <= {*found} or LOGITS in self.outputs_of(name):
            return False
        if IDS in free:
            return self._is_encoder(name)
        return bool(givers) or not free <= self.drivers

    def _is_encoder(self, name: str) -> bool:
        """Whether a graph that reads ids is an encoder: a graph of the tokens cross-attends to its outputs."""
        reached, ahead = set[str](), {name}
        while ahead:
            ports = [target for source, target in self.edges if source[0] in ahead]
            if any(_CROSS.fullmatch(tensor) for _, tensor in ports):
                return True
            ahead = {one for one, _ in ports} - reached
            reached |= ahead
        return any(IDS in {spec.name for spec in self.inputs_of(one)} for one in reached if one in self.keepers)

    @property
    def attended(self) -> tuple[str, ...]:
        """The graphs among `once` to whose outputs the graphs of the tokens attend as a whole."""
        return tuple(
            name
            for name in self.run_once
            if any(source[0] == name and self.attends(source, target) for source, target in self.edges)
        )

    def attends(self, source: Port, target: Port) -> bool:
        """Whether the target keeps the cache and attends to the source's output as a whole."""
        return target[0] in self.keepers and (_CROSS.fullmatch(target[1]) is not None or not modality((source, target)))

    @property
    def places(self) -> dict[Modality, Port]:
        """The modalities with placeholders among the tokens → the input that takes their features."""
        return {
            modality((source, target)) or "image": target
            for source, target in self.edges
            if source[0] in self.run_once and target[0] not in self.run_once and not self.attends(source, target)
        }

    def feeds_place(self, name: str, kind: Modality) -> bool:
        """Whether a graph gives features of a modality, directly or through other graphs."""
        return any(source[0] == name and modality((source, target)) == kind for source, target in self.edges)

    def hands_over(self, name: str) -> bool:
        """Whether a graph turns encoder outputs into cross-attention keys and values alone."""
        fed = any(target[0] == name for _, target in self.edges)
        return fed and all(_CROSS.fullmatch(tensor) for tensor in self.outputs_of(name))

    @property
    def reads_source(self) -> bool:
        """Whether an encoder reads a source text."""
        return any(IDS in {spec.name for spec in self.inputs_of(name)} for name in self.run_once)

    # -- what runs for tokens ----------------------------------------------------------------------------------

    @cached_property
    def runs(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The graphs of prefill and those of decode, in order; prefill may be empty.

        Raises AmbiguousRoleError where two graphs write one cache and nothing says which of them reads the prompt.
        """
        prefill, decode = self._halves()
        tokens = [name for name in self.graphs if name not in (*self.run_once, *self.keepers)]
        widths = {self.width(name) for name in prefill} - {None}, {self.width(name) for name in decode} - {None}
        orders: list[tuple[str, ...]] = []
        for i, keepers in enumerate((prefill, decode)):
            other = widths[1 - i] - widths[i] if prefill else set()
            orders.append(self._ordered([*keepers, *(one for one in tokens if self.width(one) not in other)]))
        return (orders[0] if prefill else ()), orders[1]

    def _halves(self) -> tuple[list[str], list[str]]:
        """The cache keepers of prefill and of decode; none and all where each keeps layers of its own."""
        layers = {name: layers_of(self.graphs[name].inputs, self.patterns) for name in self.keepers}
        if sum(map(len, layers.values())) == len(set().union(*layers.values())):
            return [], [*self.keepers]
        widths = {self.width(name) for name in self.keepers}
        least = min((width for width in widths if width), default=None)
        by_width = [name for name in self.keepers if self.width(name) == least]
        by_name = [name for name in self.keepers if _TOKEN.search(name) and not _PROMPT.search(name)]
        for decode in (by_width, by_name):
            prefill = [name for name in self.keepers if name not in decode]
            wanted = [sorted(layer for name in half for layer in layers[name]) for half in (prefill, decode)]
            if prefill and wanted[0] == wanted[1] == sorted({*wanted[0]}):
                return prefill, decode
        raise AmbiguousRoleError(
            f"{' and '.join(self.keepers)} keep the same layers of the cache, and nothing says which of them read a "
            "prompt: call one prefill and the other decode, or say when each runs under pipeline.flow in --pipeline."
        )

    def feeder(self, run: Sequence[str], target: Port) -> Port | None:
        """The output that feeds an input in a run: of the last graph before it, else of one that runs once."""
        givers = [source for source, taker in self.edges if taker == target]
        before = run[: run.index(target[0])]
        near = [port for name in before for port in givers if port[0] == name]
        kept = [port for port in givers if port[0] in self.run_once and port[0] not in run]
        return next(iter((*near[::-1], *kept)), None)

    def _ordered(self, names: Sequence[str]) -> tuple[str, ...]:
        """The graphs in the order of their edges, and otherwise of the cache layers that they keep."""
        needs = {name: {source[0] for source, target in self.edges if target[0] == name and source[0] in names}
                 for name in names}  # fmt: skip
        layers = {name: min(layers_of(self.graphs[name].inputs, self.patterns), default=-1) for name in names}
        ordered: list[str] = []
        while len(ordered) < len(names):
            remaining = [name for name in self.graphs if name in names and name not in ordered]
            ready = [
                name for name in remaining if needs[name] <= {*ordered}
            ] or remaining  # compile_program reports cycles
            ordered.append(min(ready, key=lambda name: layers[name]))
        return tuple(ordered)
