"""What each of several graphs is to the others, told from their inputs and outputs; a name breaks a tie alone.

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
_OTHER_NAMES = {
    ENCODER_STATES: ("last_hidden_state", tensor_names.HIDDEN)
}  # what other exporters call what an encoder gives
_CROSS = re.compile(rf"{ENCODER_STATES}|cross\.\d+\.(key|value)|past_key_values\.\d+\.encoder\.(key|value)")
_PROMPT, _TOKEN = (re.compile(rf"(^|[_-])({words})", re.I) for words in ("prefill|prompt", "decode($|[^r])|gen|token"))
Port = tuple[str, str]


class AmbiguousRoleError(ValueError):
    """Two graphs could each be what the other is; the message says what would tell them apart."""


@dataclass(frozen=True)
class GraphRoles:
    """The graphs of one composite. graphs: by name."""

    graphs: Mapping[str, GraphSignature]

    @cached_property
    def patterns(self) -> StatePatterns:
        """How the cache's tensors are named."""
        return patterns_of([spec for one in self.graphs.values() for spec in one.inputs])

    @cached_property
    def keepers(self) -> tuple[str, ...]:
        """The graphs that keep the cache."""
        return tuple(name for name, one in self.graphs.items() if has_state(one.inputs, self.patterns))

    @cached_property
    def drivers(self) -> frozenset[str]:
        """The inputs that the cache's table feeds."""
        facts = [StateFacts.of_metadata(self.graphs[name].metadata) for name in self.keepers]
        return frozenset({*CACHE_INPUTS, MASK, *(group.mask for one in facts if one for group in one.groups)})

    def takes(self, name: str) -> tuple[TensorSpec, ...]:
        """The inputs of a graph but those of the cache."""
        return tuple(spec for spec in self.graphs[name].inputs if not has_state([spec], self.patterns))

    def gives(self, name: str) -> tuple[str, ...]:
        """The outputs of a graph, by name."""
        return tuple(spec.name for spec in self.graphs[name].outputs)

    # -- who feeds whom ----------------------------------------------------------------------------------------

    def sources_of(self, name: str, tensor: str) -> list[Port]:
        """The outputs that could feed an input: those of its name, else what an encoder may call it otherwise."""
        if tensor == LOGITS:
            return []
        own = [(one, tensor) for one in self.graphs if one != name and tensor in self.gives(one)]
        others = [one for one in self.graphs if one not in (name, *self.keepers)]
        return own or [
            (one, given) for given in _OTHER_NAMES.get(tensor, ()) for one in others if given in self.gives(one)
        ]

    @cached_property
    def edges(self) -> tuple[tuple[Port, Port], ...]:
        """(from, to) of whatever could feed, which `feeder` chooses from."""
        return tuple(
            (source, (name, spec.name))
            for name in self.graphs
            for spec in self.takes(name)
            for source in self.sources_of(name, spec.name)
        )

    def feeder(self, run: Sequence[str], target: Port) -> Port | None:
        """Who feeds an input in a run: what is read once, or the last graph before that gives it."""
        givers = [source for source, taker in self.edges if taker == target]
        before = run[: run.index(target[0])]
        near = [port for name in before for port in givers if port[0] == name]
        kept = [port for port in givers if port[0] in self.once and port[0] not in run]
        return next(iter((*near[::-1], *kept)), None)

    # -- what is read once -------------------------------------------------------------------------------------

    @cached_property
    def once(self) -> tuple[str, ...]:
        """The graphs that read what comes with a prompt, in their order: encoders, vision, speech, and what follows."""
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
        free = {spec.name for spec in self.takes(name)} - fed
        if not givers <= {*found} or LOGITS in self.gives(name):
            return False
        if IDS in free:
            return self._is_heard(name)
        return bool(givers) or not free <= self.drivers

    def _is_heard(self, name: str) -> bool:
        """Whether what a graph makes of tokens is attended to, by one that takes tokens of its own or calls it so."""
        reached, ahead = set[str](), {name}
        while ahead:
            ports = [target for source, target in self.edges if source[0] in ahead]
            if any(_CROSS.fullmatch(tensor) for _, tensor in ports):
                return True
            ahead = {one for one, _ in ports} - reached
            reached |= ahead
        return any(IDS in {spec.name for spec in self.takes(one)} for one in reached if one in self.keepers)

    @property
    def heard(self) -> tuple[str, ...]:
        """Of these, the ones to whose outputs the graphs of the tokens attend as a whole."""
        return tuple(
            name
            for name in self.once
            if any(source[0] == name and self.attends(source, target) for source, target in self.edges)
        )

    def attends(self, source: Port, target: Port) -> bool:
        """Whether an edge brings a graph that keeps the cache something that it attends to as a whole."""
        return target[0] in self.keepers and (_CROSS.fullmatch(target[1]) is not None or not modality((source, target)))

    @property
    def places(self) -> dict[Modality, Port]:
        """What has its places among the tokens, and the input that takes it."""
        return {
            modality((source, target)) or "image": target
            for source, target in self.edges
            if source[0] in self.once and target[0] not in self.once and not self.attends(source, target)
        }

    def feeds_place(self, name: str, kind: Modality) -> bool:
        """Whether a graph gives what has its places among the tokens, whoever it goes through."""
        return any(source[0] == name and modality((source, target)) == kind for source, target in self.edges)

    def hands_over(self, name: str) -> bool:
        """Whether a graph makes of what an encoder gives nothing but what layers attend to."""
        fed = any(target[0] == name for _, target in self.edges)
        return fed and all(_CROSS.fullmatch(tensor) for tensor in self.gives(name))

    @property
    def reads(self) -> bool:
        """Whether an encoder reads a text of its own."""
        return any(IDS in {spec.name for spec in self.takes(name)} for name in self.once)

    # -- what runs for tokens ----------------------------------------------------------------------------------

    @cached_property
    def runs(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The graphs that a prompt's tokens go through, and those of a step, in their order; the first may be empty.

        Raises AmbiguousRoleError where two write one cache and nothing tells which of them reads the prompt.
        """
        prefill, decode = self._halves()
        tokens = [name for name in self.graphs if name not in (*self.once, *self.keepers)]
        widths = {self.width(name) for name in prefill} - {None}, {self.width(name) for name in decode} - {None}
        lots: list[tuple[str, ...]] = []
        for i, keepers in enumerate((prefill, decode)):
            other = widths[1 - i] - widths[i] if prefill else set()
            lots.append(self._ordered([*keepers, *(one for one in tokens if self.width(one) not in other)]))
        return (lots[0] if prefill else ()), lots[1]

    def _halves(self) -> tuple[list[str], list[str]]:
        """The keepers of a prompt, and of the steps: none and all where each writes a cache of its own."""
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
            f"{' and '.join(self.keepers)} keep the same layers of the cache, and nothing tells which of them read a "
            "prompt: call one prefill and the other decode, or say when each runs under pipeline.flow in --pipeline."
        )

    def width(self, name: str) -> int | None:
        """The columns that a graph of the tokens is fixed to; None for any."""
        for spec in self.takes(name):
            place = {IDS: -1, POSITIONS: -1, CACHE_POSITION: -1}.get(spec.name, 1)
            activation = len(spec.shape) == 3 and spec.is_floating and not _CROSS.fullmatch(spec.name)
            if (place == -1 or activation) and spec.shape and isinstance(spec.shape[place], int):
                return int(spec.shape[place])
        return None

    def _ordered(self, lot: Sequence[str]) -> tuple[str, ...]:
        """Who feeds before who is fed, and, where nothing tells, by the layers of the cache that they keep."""
        needs = {name: {source[0] for source, target in self.edges if target[0] == name and source[0] in lot}
                 for name in lot}  # fmt: skip
        layers = {name: min(layers_of(self.graphs[name].inputs, self.patterns), default=-1) for name in lot}
        found: list[str] = []
        while len(found) < len(lot):
            left = [name for name in self.graphs if name in lot and name not in found]
            ready = [name for name in left if needs[name] <= {*found}] or left  # a circle is the judge's to name
            found.append(min(ready, key=lambda name: layers[name]))
        return tuple(found)
