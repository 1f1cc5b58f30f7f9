"""Decides before sessions are opened whether their weights are copied into memory, or stay in their file's pages.

    plans, headers of their graphs ──weights, cache, logits──▶ MemoryNeeds ─┐
    free memory ────────────────────────────────────────────────────────────┴─plan_memory─▶ plans, a note

onnxruntime's usual way packs a copy of each weight for its kernels. Without it (`mapped`) a session takes almost no
memory of its own, and kernels read the file's pages, which the system can drop and read again. Measured at 0.6 billion
parameters: float32 2.43 GB, mapped 0.05; kernels for packed weights unpack all of them in each run then, 13 s a token,
so graphs with such weights are never mapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from workflows.bundle import Bundle, Pipeline
from workflows.bundle.session_options import SessionOptions
from workflows.common.errors import MemoryShortError, RecipeError
from workflows.common.memory import free_bytes, obtainable_bytes
from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.kvcache.buffers import bytes_per_slot
from workflows.runtime.loading.graph_header import GraphHeader, WeightBytes, read_header
from workflows.runtime.loading.sessions import MAPPED, NO_PREPACKING, Placement, SessionPlan, plan_sessions
from workflows.runtime.program.compiler import compile_program
from workflows.runtime.program.program import Program
from workflows.runtime.providers import device_named
from workflows.wire.reports.memory import MemoryFit

_SESSION_BYTES = 160 << 20  # of a session without weights, with the values of a chunk
_AMPLE = 4  # times the bundle's files: with so much free memory nothing is read to decide
_PAGES = 0.27  # of the weights' file that stay in memory beside a copy, measured with a tied table
_PACKED_COPY = 1.2  # bytes in memory for each byte of packed weights, measured with int4
_FEW_PACKED = 256  # bytes of float32 weights to a packed one
_HALF_COPY = 2.05  # the CPU provider computes with half precision in float32, and mapping changes nothing of it
_SLOWER_PROMPT, _SLOWER_TOKEN = 1.5, 1.2
"""The most times longer that mapped float32 weights take: 1.1 to 1.5 and 1.0 to 1.2 were measured at 0.6 billion."""

SessionKey = tuple[Path, str, str]


@dataclass(frozen=True)
class FreeMemory:
    """free: bytes without swapping. most: bytes beyond which an allocation certainly fails."""

    free: int
    most: int

    @classmethod
    def measure(cls) -> FreeMemory:
        """What this process can get now."""
        return cls(free_bytes(), obtainable_bytes())


@dataclass(frozen=True)
class MemoryNeeds:
    """What the sessions of a bundle take on the CPU. weights: by session to be opened. per_slot: bytes of a token.

    slots: the tokens that the cache is counted with, as requested or as the bundle says, at most 4,096 then. fixed:
    bytes besides weights and cache. file_bytes: of the bundle's files. most_slots: of graphs and model; None for no
    limit.
    """

    weights: Mapping[SessionKey, WeightBytes]
    per_slot: int
    slots: int
    fixed: int
    file_bytes: int
    most_slots: int | None = None

    @property
    def rest(self) -> int:
        """Bytes besides the weights."""
        return self.per_slot * self.slots + self.fixed

    def copied(self, mapped: frozenset[SessionKey]) -> int:
        """Bytes of memory that the weights take where those of `mapped` stay in their file."""
        return sum(_copied(one, key in mapped) for key, one in self.weights.items())

    def pages(self, mapped: frozenset[SessionKey]) -> int:
        """Bytes of the pages of mapped sessions, which share those of a common file."""
        return min(sum(self.weights[key].full for key in mapped), self.file_bytes)

    def memory_bytes(self, mapped: frozenset[SessionKey]) -> int:
        """Bytes of memory that all of it takes, the pages of files included that are read again and again."""
        beside = sum(round(_PAGES * one.full) for key, one in self.weights.items() if key not in mapped)
        return self.copied(mapped) + self.pages(mapped) + beside + self.rest


def plan_memory(
    bundle: Bundle,
    plans: Mapping[str, SessionPlan],
    graphs: Mapping[str, bytes],
    capacity: int | None,
    memory: FreeMemory | None = None,
) -> tuple[dict[str, SessionPlan], str]:
    """The plans with the weights of some sessions mapped where memory is short, and a note on it for the person.

    graphs: as in open_machine. capacity: as requested. memory: None measures it. Options that a person or the file sets
    for prepacking stay as they are. Raises MemoryShortError where the weights certainly do not fit.
    """
    memory = memory or FreeMemory.measure()
    own = [plan for plan in plans.values() if plan.device.name == "cpu" and not plan.context]
    if not own or _AMPLE * bundle.bytes + _SESSION_BYTES < memory.free:
        return dict(plans), ""
    needs = _needs(bundle, plans, graphs, capacity)
    mapped = _mapped(own, needs, memory)
    _check_fits(bundle, needs, mapped | _already_mapped(own), memory)
    planned = {name: replace(plan, mapped=plan.key in mapped) for name, plan in plans.items()}
    return planned, _note(own, needs, mapped, memory)


def memory_fit(bundle: Bundle, plans: Mapping[str, SessionPlan], memory: FreeMemory | None = None) -> MemoryFit:
    """What a bundle would take now, and how many tokens fit beside its weights. Raises as open_machine does."""
    memory = memory or FreeMemory.measure()
    needs = _needs(bundle, plans, {}, None)
    own = [plan for plan in plans.values() if plan.device.name == "cpu" and not plan.context]
    mapped = _mapped(own, needs, memory) | _already_mapped(own)
    copied, pages = needs.copied(mapped), needs.pages(mapped)
    return MemoryFit(
        weights_bytes=copied,
        mapped_bytes=pages,
        kv_bytes_per_token=needs.per_slot,
        free_bytes=memory.free,
        tokens=fitting_tokens(memory.free - copied - pages - needs.fixed, needs.per_slot, needs.most_slots),
        capacity=bundle.pipeline.capacity or 0,
    )


def cpu_memory(bundle: Bundle) -> MemoryFit:
    """What the bundle would take now on the CPU provider; see memory_fit."""
    return memory_fit(bundle, plan_sessions(bundle, Placement(device_named("cpu"), {})))


def packed_tokens(weights: int, per_slot: int, most: int, logits: int, free: int) -> int:
    """How many tokens fit `free` bytes beside a decoder that is not built yet, on the CPU; at most `most`.

    weights: bytes, of weights in 8 bits or fewer. per_slot: bytes of a token in the cache. logits: of a prompt's run.
    """
    copied = _copied(WeightBytes(packed=weights), mapped=False)
    return fitting_tokens(free - copied - _fixed_bytes(logits), per_slot, most) or 0


def fitting_tokens(free: int, per_slot: int, most: int | None) -> int | None:
    """How many tokens' keys and values `free` bytes hold, at most `most`; None where a token takes none."""
    if not per_slot:
        return most
    fits = max(0, free) // per_slot
    return fits if most is None else min(fits, most)


def choose_slots(slots: int, per_slot: int, *, requested: bool, memory: FreeMemory | None = None) -> tuple[int, str]:
    """The tokens of a cache beside open sessions: `slots`, or fewer with a note where these certainly do not fit.

    per_slot: bytes of a token. requested: whether fewer will not do. Raises RecipeError with the number that fits then.
    """
    memory = memory or FreeMemory.measure()
    if slots * per_slot <= memory.most:
        return slots, ""
    fits = fitting_tokens(memory.free, per_slot, None) or 0
    takes = f"A cache of {slots:,} tokens takes {gigabytes(slots * per_slot)}"
    left = f"{gigabytes(memory.free)} of memory are left after the weights"
    if requested or not fits:
        raise RecipeError(f"{takes}, and {left}: a capacity of {fits:,} fits.")
    return fits, f"{takes}, and {left}: this one holds {fits:,} tokens."


def mapped_options(bundle: Bundle, graphs: Mapping[str, bytes] | None = None) -> SessionOptions | None:
    """Options that leave the weights of a bundle in their file; None where a graph has others than float32 ones.

    A few packed ones may be among them, as in a trial of a goal: they are unpacked in each run, the others need not be
    copied to open the session.
    For bundles that are compared: the logits are the same within rounding, and two that are equal stay equal.
    graphs: as in open_machine. None, too, where the file itself sets an option for prepacking.
    """
    sessions = bundle.pipeline.pipeline.sessions
    names = bundle.pipeline.pipeline.open_sessions
    if any(NO_PREPACKING in sessions[name].session_options.entries for name in names):
        return None
    opened = {bundle.file(sessions[name].file): (graphs or {}).get(name) for name in names}
    weights = sum((read_header(file, graph).weights for file, graph in opened.items()), WeightBytes())
    return SessionOptions.model_validate(MAPPED) if _can_be_mapped(weights, few_packed=True) else None


def gigabytes(count: float) -> str:
    """A number of bytes for a message."""
    return f"{count / 1e9:,.1f} GB" if count >= 1e8 else f"{count / 1e6:,.1f} MB"


# -- needs -----------------------------------------------------------------------------------------------------


def _needs(
    bundle: Bundle, plans: Mapping[str, SessionPlan], graphs: Mapping[str, bytes], capacity: int | None
) -> MemoryNeeds:
    """Reads the headers of all graphs that are to be opened."""
    headers: dict[str, GraphHeader] = {}
    for name, plan in plans.items():
        header = read_header(plan.path, graphs.get(name))
        renamed = header.signature.with_names(bundle.pipeline.metadata.own_names(name))
        headers[name] = replace(header, signature=renamed)
    weights = {plan.key: headers[name].weights for name, plan in plans.items() if plan.device.name == "cpu"}
    fixed = _fixed_bytes(bundle.pipeline.chunk * (bundle.pipeline.metadata.vocabulary or 0))
    if bundle.pipeline.pipeline.state.kv_cache is None:
        return MemoryNeeds(weights, 0, 0, fixed, bundle.bytes)
    program = compile_program(
        bundle.pipeline, {name: header.signature for name, header in headers.items()}, bundle.where
    )
    slots = program.graph_slots
    limits = [limit for limit in (slots, program.facts.positions) if limit is not None]
    return MemoryNeeds(
        weights,
        bytes_per_slot(program.state, program.facts.writer),
        capacity or slots or _usual_slots(bundle.pipeline, program),
        fixed,
        bundle.bytes,
        min(limits, default=None),
    )


def _fixed_bytes(logits: int) -> int:
    """Bytes besides weights and cache: a session's own, and the logits of two runs."""
    return _SESSION_BYTES + 2 * 4 * logits


def _usual_slots(pipeline: Pipeline, program: Program) -> int:
    """The tokens that a cache is expected to hold: more take memory only when they are used."""
    window = pipeline.window.size if pipeline.window else None
    return min(window or pipeline.capacity or DEFAULT_CAPACITY, DEFAULT_CAPACITY, program.facts.positions or 1 << 62)


def _copied(weights: WeightBytes, mapped: bool) -> int:
    copied = weights.inline + _HALF_COPY * weights.half + _PACKED_COPY * weights.packed
    return round(copied) + (0 if mapped else weights.full)


def _can_be_mapped(weights: WeightBytes, few_packed: bool = False) -> bool:
    """few_packed: whether packed weights are no obstacle if unpacking them takes a tenth of a second at most."""
    most = weights.full // _FEW_PACKED if few_packed else 0
    return bool(weights.full) and not weights.half and weights.packed <= most


# -- the decision ----------------------------------------------------------------------------------------------


def _mapped(plans: list[SessionPlan], needs: MemoryNeeds, memory: FreeMemory) -> frozenset[SessionKey]:
    """The sessions to map so that all of it leaves room, the largest first; none where it does already, or none may."""
    set_before = _already_mapped(plans)
    mapped = frozenset[SessionKey]()
    possible = [key for key in _keys(plans) if _can_be_mapped(needs.weights[key])]
    for key in sorted(possible, key=lambda key: -needs.weights[key].full):
        if needs.memory_bytes(mapped | set_before) <= memory.free:
            break
        mapped |= {key}
    return mapped


def _keys(plans: list[SessionPlan]) -> list[SessionKey]:
    """The sessions for whose prepacking no option is set, each once."""
    return list(dict.fromkeys(plan.key for plan in plans if NO_PREPACKING not in plan.settings.entries))


def _already_mapped(plans: list[SessionPlan]) -> frozenset[SessionKey]:
    """The sessions whose own options leave the weights in their file."""
    return frozenset(plan.key for plan in plans if plan.settings.entries.get(NO_PREPACKING) == "1")


def _check_fits(bundle: Bundle, needs: MemoryNeeds, mapped: frozenset[SessionKey], memory: FreeMemory) -> None:
    """Raises MemoryShortError where the weights that must be in memory are more than there can ever be."""
    least = sum(one.total - (one.full if key in mapped else 0) for key, one in needs.weights.items())
    if least > memory.most:
        raise MemoryShortError(
            f"{bundle.folder} has weights of {gigabytes(least)} that must be in memory, and at most "
            f"{gigabytes(memory.most)} can be freed: close other programs, or build it with fewer bits."
        )


def _note(plans: list[SessionPlan], needs: MemoryNeeds, mapped: frozenset[SessionKey], memory: FreeMemory) -> str:
    """What the person is told where memory is short; empty where it is not."""
    everything = mapped | _already_mapped(plans)
    copied, free = needs.copied(everything), f"{gigabytes(memory.free)} of memory are free"
    if mapped:
        names = " and ".join(plan.name for plan in plans if plan.key in mapped)
        full = sum(needs.weights[key].full for key in mapped)
        note = (
            f"The weights of {names} stay in their file, for {free} and a copy takes {gigabytes(full)}: prompts take "
            f"up to {_SLOWER_PROMPT} times as long, new tokens {_SLOWER_TOKEN} times."
        )
        if needs.memory_bytes(everything) > memory.free:
            note += " The file does not fit either, so each run reads some of it from the disk again."
        return note
    if copied + needs.rest > memory.free:
        return (
            f"Memory is short: the weights take about {gigabytes(copied)}, the rest {gigabytes(needs.rest)}, and "
            f"{free}, so other programs will be swapped to the disk, or the system will end one."
        )
    return ""
