"""A bundle and a device in, a Machine out: its sessions opened, its program compiled, its cache made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from workflows.bundle import Bundle
from workflows.bundle.flow import Fault
from workflows.bundle.options import SessionOptions
from workflows.bundle.schema import Pipeline
from workflows.errors import BundleError, DeviceError, RecipeError, RequestError, printable
from workflows.kvcache import KVCache, Layout
from workflows.kvcache.geometry import StateFacts
from workflows.kvcache.layouts import layout_for
from workflows.recipe.schema import DEFAULT_CAPACITY
from workflows.runtime.binding import Observer
from workflows.runtime.emulation import is_emulated
from workflows.runtime.feeds import Program
from workflows.runtime.machine import Machine
from workflows.runtime.program import compile_program
from workflows.runtime.providers.assignment import assignment_of, placement_note
from workflows.runtime.sessions import OpenSession, open_session
from workflows.wire.reports.devices import Device


@dataclass(frozen=True)
class Placement:
    """Where sessions run: on `device`, but for some on `others`, by name.

    What they share lies in the machine's memory, where all can reach it.
    """

    device: Device
    others: Mapping[str, Device]


def open_machine(
    bundle: Bundle,
    device: Device | Placement,
    *,
    cache: str | None = None,
    capacity: int | None = None,
    device_options: Mapping[str, str] | None = None,
    session_options: SessionOptions | None = None,
    graphs: Mapping[str, bytes] | None = None,
    observer: Observer | None = None,
) -> Machine:
    """Opens every session of `bundle` on `device` around one cache.

    cache, capacity: other than the bundle's own. device_options: of the device, not of others. session_options: what a
    person sets for every session, over the file's own. graphs: by session, a serialized graph to open in place of the
    file, over the same weight files. observer: told of the outputs that such a graph has besides the file's. Raises
    BundleError, GraphError, DeviceError, RequestError for a place of a session that there is not, and RecipeError for
    a layout that there is not.
    """
    where = bundle.where
    _refuse_single(bundle.pipeline, where)
    bundle.pipeline.check(where)
    placed, provider = _placed(bundle.pipeline, device), _named(device)
    device = device.device if isinstance(device, Placement) else device
    by_file: dict[tuple[str, str, str], OpenSession] = {}
    sessions: dict[str, OpenSession] = {}
    for name, session in bundle.pipeline.pipeline.sessions.items():
        options = session.session_options.overlaid(session_options)
        own = placed[name]
        key = session.file, options.settings(), own.name
        if key not in by_file:  # sessions over one file are one session: weights exist once
            by_file[key] = open_session(
                name,
                bundle.file(session.file),
                own,
                options.of_provider(own.name, own.provider) | dict((device_options or {}) if own is device else {}),
                graph=(graphs or {}).get(name),
                emulated=is_emulated(bundle.pipeline, name, own.name),
                settings=options,
            )
        sessions[name] = replace(by_file[key], name=name).called(bundle.pipeline.own_names(name))
    machine = make_machine(
        bundle.pipeline, sessions, device, cache=cache, capacity=capacity, observer=observer, where=where
    )
    machine.provider = provider
    machine.placement = " ".join(filter(None, (_left(sessions, placed, one) for one in _devices(placed))))
    return machine


def _placed(pipeline: Pipeline, device: Device | Placement) -> dict[str, Device]:
    """Session → its device. Raises RequestError for a place of a session that there is not."""
    known = pipeline.pipeline.sessions
    if not isinstance(device, Placement):
        return dict.fromkeys(known, device)
    if odd := next((name for name in device.others if name not in known), None):
        raise RequestError(f"There is no component {printable(odd)!r} to place: there are {', '.join(known)}.")
    return {name: device.others.get(name, device.device) for name in known}


def _named(device: Device | Placement) -> str:
    """The device, with who runs elsewhere: `cpu, decode=qnn`."""
    if not isinstance(device, Placement):
        return device.name
    return ", ".join([device.device.name, *(f"{name}={one.name}" for name, one in device.others.items())])


def _devices(placed: Mapping[str, Device]) -> list[Device]:
    """Each device once, without the CPU, which leaves nothing to another."""
    return list({device.name: device for device in placed.values() if device.name != "cpu"}.values())


def _left(sessions: Mapping[str, OpenSession], placed: Mapping[str, Device], device: Device) -> str:
    """What to say of nodes that a device does not take. Raises DeviceError where it takes none at all."""
    own = [name for name, one in placed.items() if one.name == device.name]
    found = {name: assignment_of(sessions[name].session, device.provider) for name in own}
    if not any(one.taken for one in found.values()):
        raise DeviceError(
            f"{device.title} takes no node of {', '.join(own)}, so that all would run on the CPU: build with the "
            f"target {device.name}, or use the cpu provider."
        )
    return placement_note(found, device.title)


def make_machine(
    pipeline: Pipeline,
    sessions: Mapping[str, OpenSession],
    device: Device,
    *,
    cache: str | None = None,
    capacity: int | None = None,
    observer: Observer | None = None,
    where: str = "The pipeline",
) -> Machine:
    """Open sessions around one cache; see open_machine. where: the pipeline's file, for messages."""
    program = compile_program(pipeline, sessions, where)
    pipeline = settled(pipeline, program)
    layout = _layout(pipeline, cache, program.facts, where)
    slots = _slots(pipeline, program, layout, capacity)
    if layout.sinks >= slots:
        raise RecipeError(f"The window keeps {layout.sinks} sink tokens, so a capacity of {slots} leaves no room.")
    kept = KVCache(
        program.state, layout, slots, program.facts, program.drivers, pad_left=program.pad_left, carried=program.carries
    )
    return Machine(pipeline, program, sessions, kept, device, observer)


def settled(pipeline: Pipeline, program: Program) -> Pipeline:
    """The pipeline with what its file leaves to the graphs.

    That is the size of the vocabulary and of a prompt's runs, and who writes the cache.
    """
    facts, told = pipeline.metadata, dict[str, int | str]()
    size = program.decode.logits[1].shape[-1] if program.decode.logits else None
    if facts.vocabulary is None and isinstance(size, int):
        told["vocabulary"] = size
    if "chunk" not in facts.model_fields_set and program.prefill.columns is not None:
        told["chunk"] = program.prefill.columns
    if "layout" not in facts.model_fields_set:
        told["layout"] = {"host": "static"}.get(program.facts.writer, program.facts.writer)
    return pipeline.model_copy(update={"metadata": facts.model_copy(update=told)})


def _layout(pipeline: Pipeline, asked: str | None, facts: StateFacts, where: str) -> Layout:
    """The layout that a person asked for, or that the file says: a sliding window wins over the plain one."""
    window = pipeline.window
    built = "window" if window is not None and pipeline.metadata.layout == "static" else pipeline.metadata.layout
    try:
        layout = layout_for(asked, built, facts)
        if window is not None and layout.evicts:
            layout = layout.with_sinks(window.sink_tokens)
    except RecipeError as error:
        if asked:
            raise
        raise Fault(pipeline.path_of_setting("sliding_window"), str(error).removesuffix(".")).error(where) from None
    if window is not None and not asked and not layout.evicts:
        message = f"the {layout.name} cache gets full and slides no window"
        raise Fault(pipeline.path_of_setting("sliding_window"), message).error(where)
    return layout


def _slots(pipeline: Pipeline, program: Program, layout: Layout, asked: int | None) -> int:
    """The capacity: as asked for, else what the file says, as far as graphs and model allow it."""
    slots, positions = program.state[0].capacity, program.facts.positions
    if asked is not None and slots is not None and asked > slots:
        raise RecipeError(f"The bundle's graphs have {slots:,} slots: a capacity of {asked:,} needs another build.")
    window = pipeline.window if layout.evicts else None
    built = (window.size if window else None) or pipeline.capacity or DEFAULT_CAPACITY
    wanted = asked or min(built, slots or built, positions or built)
    if positions is not None and wanted > positions:
        raise RecipeError(
            f"The bundle's graphs know {positions:,} positions: a capacity of {wanted:,} needs another build."
        )
    return wanted


def _refuse_single(pipeline: Pipeline, where: str) -> None:
    if pipeline.pipeline.state.kv_cache is None:
        facts = pipeline.metadata
        raise BundleError(
            f"{where} has no pipeline.state.kv_cache: this bundle is a {printable(facts.model_type)} model for "
            f"{printable(facts.task) or 'one run'} without a KV cache, so it generates no text: run it with "
            "workflows.runtime.run_single, or look at it with `joinery inspect`."
        )
