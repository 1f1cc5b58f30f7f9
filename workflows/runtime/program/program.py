"""What a compiled pipeline is made of: runs of sessions, and who feeds each input of theirs.

edge      another session's output                     state     the cache's past keys and values
driver    the cache's table: ids, positions, masks     carried   what a recurrence gave in the step before
given     what comes with the prompt: a source, its    features  the rows of a picture or a sound whose places are
          mask, pictures …                                       among the tokens of the run
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
    """Who feeds an input.

    source: of `edge` and `features` the output that does. name: of a `driver` what the cache knows it as; of `given`
    what it is: `input_ids` of a source, `source_mask`, or the input's own name; of `features` their modality.
    """

    kind: Literal["edge", "state", "carried", "driver", "given", "features"]
    source: Port | None = None
    name: str = ""


@dataclass(frozen=True)
class ProgramPhase:
    """Sessions that run one after the other. columns: how many they are fixed to, None for any. keepers: those that
    keep the cache. logits: who gives them, and what; None where no token follows. hidden: the same of hidden states,
    [1, columns, H], where a session gives some.
    """

    sessions: tuple[str, ...]
    feeds: Mapping[Port, InputSource]
    columns: int | None = None
    keepers: tuple[str, ...] = ()
    logits: tuple[Port, TensorSpec] | None = None
    hidden: tuple[Port, TensorSpec] | None = None

    def fed_by(self, kind: str) -> dict[Port, InputSource]:
        """The inputs that are fed so."""
        return {port: feed for port, feed in self.feeds.items() if feed.kind == kind}

    @property
    def giver(self) -> str:
        """The session that gives the logits, of a run that gives some."""
        assert self.logits is not None
        return self.logits[0][0]

    @property
    def gives_rows(self) -> bool:
        """Whether it gives the logits of each of several tokens."""
        return self.columns != 1 and self.logits is not None and self.logits[1].shape[1] != 1

    @cached_property
    def features(self) -> dict[Port, InputSource]:
        """The inputs that are fed rows for the tokens that are their places; asked for in every step."""
        return self.fed_by("features")


@dataclass(frozen=True)
class Program:
    """What a pipeline does.

    source runs once on what is given, prefill and decode on tokens, final once after the last. kept, carried: by
    session, the cache tensors and the carried ones that it reads and gives. facts: of the cache. drivers: what each
    step is fed of it. loops: the sessions that run anew for each of what is given. places: the tokens in whose places
    features go. grid: the given input with the pictures' grids; None where positions are plain.
    """

    source: ProgramPhase | None
    prefill: ProgramPhase
    decode: ProgramPhase
    final: ProgramPhase | None
    kept: Mapping[str, tuple[StateTensor, ...]]
    carried: Mapping[str, tuple[CarriedTensor, ...]]
    facts: StateFacts
    drivers: Mapping[str, TensorSpec]
    loops: frozenset[str] = frozenset()
    places: Mapping[Modality, int] | None = None
    grid: str | None = None

    @cached_property
    def taken(self) -> frozenset[Port]:
        """The outputs that something takes: a session of whatever run, or who asked for logits."""
        sources = {feed.source for run in self.runs.values() for feed in run.feeds.values() if feed.source}
        given = {one[0] for run in self.runs.values() for one in (run.logits, run.hidden) if one}
        return frozenset(sources | given)

    @cached_property
    def runs(self) -> dict[str, ProgramPhase]:
        """By name."""
        found = {"source": self.source, "prefill": self.prefill, "decode": self.decode, "final": self.final}
        return {name: run for name, run in found.items() if run is not None}

    @cached_property
    def state(self) -> tuple[StateTensor, ...]:
        """The tensors of the one cache, by layer and role."""
        found = {tensor.past: tensor for name in self.decode.keepers for tensor in self.kept[name]}
        return tuple(sorted(found.values(), key=lambda tensor: (tensor.layer, tensor.role)))

    def memory_of(self, session: str) -> list[tuple[str, str]]:
        """(past, present) of what a session reads of the cache's memory and writes to it."""
        kept, carried = self.kept.get(session, ()), self.carried.get(session, ())
        return [*((one.past, one.present) for one in kept), *((one.past, one.present) for one in carried)]

    @cached_property
    def carries(self) -> tuple[CarriedTensor, ...]:
        """What is carried from step to step."""
        return tuple(tensor for name in self.decode.sessions for tensor in self.carried.get(name, ()))

    @property
    def reads(self) -> bool:
        """Whether an encoder reads a text of its own before the decoder begins."""
        feeds = self.source.feeds.items() if self.source else ()
        return any(feed.kind == "given" and feed.name == IDS for _, feed in feeds)

    @property
    def pad_left(self) -> bool:
        """Whether a run of several columns gives the last one's logits alone, so that padding must come first."""
        return any(
            (run.columns or 1) > 1 and run.logits is not None and run.logits[1].shape[1] == 1
            for run in (self.prefill, self.decode)
        )
