"""A compiled pipeline: phases of sessions, and the source of each of their inputs.

edge      another session's output                     state     the cache's past keys and values
driver    the cache: ids, positions, masks             carried   state of fixed size from the step before
given     what comes with the prompt: a source, its    features  the rows of a picture or a sound whose placeholders
          mask, pictures …                                       are among the tokens of the run
adapter   a factor of the active adapter
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from workflows.bundle.outline import Modality, Port
from workflows.common.tensors import TensorSpec
from workflows.kvcache import StateTensor
from workflows.kvcache.cache_inputs import IDS
from workflows.kvcache.carried_state import CarriedTensor
from workflows.kvcache.geometry import StateFacts


@dataclass(frozen=True, slots=True)
class InputSource:
    """The source of an input.

    source: for `edge` and `features`, the output that feeds it. name: for a `driver`, the cache's name of it; for
    `given`, `input_ids` of a source, `source_mask`, or the input's own name; for `features`, the modality.
    """

    kind: Literal["edge", "state", "carried", "driver", "given", "features", "adapter"]
    source: Port | None = None
    name: str = ""


@dataclass(frozen=True)
class ProgramPhase:
    """Sessions that run one after the other.

    columns: their fixed number of columns; None for any. keepers: the sessions that keep the cache. logits: the output
    that gives them; None where no token follows. hidden: the output that gives hidden states [1, columns, H]; None
    where there is none.
    """

    sessions: tuple[str, ...]
    feeds: Mapping[Port, InputSource]
    columns: int | None = None
    keepers: tuple[str, ...] = ()
    logits: tuple[Port, TensorSpec] | None = None
    hidden: tuple[Port, TensorSpec] | None = None

    def fed_by(self, kind: str) -> dict[Port, InputSource]:
        """The inputs whose source is of this kind."""
        return {port: feed for port, feed in self.feeds.items() if feed.kind == kind}

    @property
    def giver(self) -> str:
        """The session that gives the logits, in a phase that has some."""
        assert self.logits is not None
        return self.logits[0][0]

    @property
    def gives_rows(self) -> bool:
        """Whether the phase gives the logits of each of several tokens."""
        return self.columns != 1 and self.logits is not None and self.logits[1].shape[1] != 1

    @cached_property
    def features(self) -> dict[Port, InputSource]:
        """The inputs fed with feature rows; cached, for every step reads it."""
        return self.fed_by("features")


@dataclass(frozen=True)
class Program:
    """What a pipeline runs.

    source runs once on what comes with a prompt, prefill and decode on tokens, final once after the last token.
    cache_tensors, carried_tensors: by session, those that it reads and writes. facts: of the cache. drivers:
    the inputs that the cache computes, by name. loops: the sessions that run once for each item of a given list.
    places: the placeholder tokens of features. grid: the given input with the pictures' grids; None where each position
    is one number.
    """

    source: ProgramPhase | None
    prefill: ProgramPhase
    decode: ProgramPhase
    final: ProgramPhase | None
    cache_tensors: Mapping[str, tuple[StateTensor, ...]]
    carried_tensors: Mapping[str, tuple[CarriedTensor, ...]]
    facts: StateFacts
    drivers: Mapping[str, TensorSpec]
    loops: frozenset[str] = frozenset()
    places: Mapping[Modality, int] | None = None
    grid: str | None = None

    @cached_property
    def required_inputs(self) -> tuple[Port, ...]:
        """What must come with every prompt beside text: the inputs of an encoder that a run attends to as a whole.

        Empty for models of text, and for pictures that take the place of tokens, which a prompt may leave out.
        """
        if self.source is None or self.has_encoder:
            return ()
        attended = {feed.source[0] for run in (self.prefill, self.decode) for feed in run.fed_by("edge").values()
                    if feed.source is not None}  # fmt: skip
        return tuple(port for port in self.source.fed_by("given") if port[0] in attended)

    @cached_property
    def used_outputs(self) -> frozenset[Port]:
        """The outputs that a session of any phase, or the caller, uses."""
        sources = {feed.source for run in self.runs.values() for feed in run.feeds.values() if feed.source}
        results = {one[0] for run in self.runs.values() for one in (run.logits, run.hidden) if one}
        return frozenset(sources | results)

    @cached_property
    def runs(self) -> dict[str, ProgramPhase]:
        """The phases by name."""
        phases = {"source": self.source, "prefill": self.prefill, "decode": self.decode, "final": self.final}
        return {name: run for name, run in phases.items() if run is not None}

    @cached_property
    def state(self) -> tuple[StateTensor, ...]:
        """The tensors of the cache, by layer and role; none where the sessions keep state of fixed size alone."""
        kept = (self.cache_tensors.get(name, ()) for name in self.decode.keepers)
        by_past = {tensor.past: tensor for tensors in kept for tensor in tensors}
        return tuple(sorted(by_past.values(), key=lambda tensor: (tensor.layer, tensor.role)))

    @property
    def graph_slots(self) -> int | None:
        """The number of slots that the graphs fix; None where they take any, or keep no keys and values."""
        return self.state[0].capacity if self.state else None

    def memory_names(self, session: str) -> list[tuple[str, str]]:
        """The (past, present) names by which a session reads and writes the cache's memory."""
        tensors: list[StateTensor | CarriedTensor] = [*self.cache_tensors.get(session, ())]
        tensors += self.carried_tensors.get(session, ())
        return [(one.past, one.present) for one in tensors]

    @cached_property
    def all_carried(self) -> tuple[CarriedTensor, ...]:
        """The carried tensors of all decode sessions."""
        return tuple(tensor for name in self.decode.sessions for tensor in self.carried_tensors.get(name, ()))

    @property
    def has_encoder(self) -> bool:
        """Whether an encoder reads a text before the decoder starts."""
        feeds = self.source.feeds.items() if self.source else ()
        return any(feed.kind == "given" and feed.name == IDS for _, feed in feeds)

    @property
    def pad_left(self) -> bool:
        """Whether a phase of several columns gives only the last one's logits, so that padding must come first."""
        return any(
            (run.columns or 1) > 1 and run.logits is not None and run.logits[1].shape[1] == 1
            for run in (self.prefill, self.decode)
        )
