"""A bundle and a device in, a Machine out: its sessions opened, its program compiled, its cache made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from workflows.bundle import Bundle
from workflows.bundle.outline import Fault
from workflows.bundle.schema import Pipeline
from workflows.bundle.session_options import SessionOptions
from workflows.common.errors import BundleError, DeviceError, RecipeError, printable
from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.kvcache import KVCache, Layout
from workflows.kvcache.geometry import StateFacts
from workflows.kvcache.layouts import choose_layout
from workflows.runtime.binding import Observer
from workflows.runtime.loading.compiled_contexts import use_compiled_contexts
from workflows.runtime.loading.emulation import is_emulated
from workflows.runtime.loading.model_plugin import open_by_plugin
from workflows.runtime.loading.session_plan import Placement, SessionPlan, plan_sessions
from workflows.runtime.loading.sessions import OpenSession, open_session
from workflows.runtime.machine import Machine
from workflows.runtime.program.compiler import compile_program
from workflows.runtime.program.program import Program
from workflows.runtime.providers import device_named
from workflows.runtime.providers.assignment import assignment_of, placement_note
from workflows.wire.reports.devices import Device

_TOO_WIDE = "Prompts go token by token, for chunks as wide as the graph's are wrong on this adapter."


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
    """Opens every session of `bundle` around one cache, or has the plugin that its file names do so.

    device: for all sessions, or a Placement, which the bundle's own placement completes. cache, capacity: in place of
    the bundle's own. device_options: for `device` alone. session_options: for every session, over the file's own.
    graphs: by session, a serialized graph to open in place of the file, over the same weight files. observer: receives
    the outputs that such a graph has besides the file's. Raises BundleError, GraphError, DeviceError, RequestError for
    the placement of an unknown session, and RecipeError for an unknown layout.
    """
    where = bundle.where
    _check_has_cache(bundle.pipeline, where)
    bundle.pipeline.check(where)
    open_without_plugin = partial(
        open_machine, device=device, cache=cache, capacity=capacity, device_options=device_options,
        session_options=session_options, graphs=graphs, observer=observer,
    )  # fmt: skip
    if (machine := open_by_plugin(bundle, open_without_plugin)) is not None:
        return machine
    place = _placement(bundle.pipeline, device)
    plans = plan_sessions(bundle, place, device_options, session_options)
    plans, unused_contexts = use_compiled_contexts(bundle, plans)
    sessions = _open_all(bundle.pipeline, plans, graphs or {})
    machine = make_machine(
        bundle.pipeline, sessions, place.device, cache=cache, capacity=capacity, observer=observer, location=where,
        provider=str(place),
    )  # fmt: skip
    _check_cache_writer(machine)
    unassigned = [_unassigned_note(sessions, device) for device in _devices(plans)]
    notes = [unused_contexts, _TOO_WIDE if machine.too_wide else "", *unassigned]
    machine.placement = " ".join(filter(None, notes))
    return machine


def _placement(pipeline: Pipeline, device: Device | Placement) -> Placement:
    """The requested placement over the bundle's own. Raises DeviceError for a device that cannot be used here."""
    if not isinstance(device, Placement):
        return Placement(device, {})
    main, own = device.device, pipeline.metadata.place.items()
    elsewhere = {name: place for name, place in own if name not in device.others and place != main.name}
    return Placement(main, {name: device_named(place) for name, place in elsewhere.items()} | dict(device.others))


def _open_all(
    pipeline: Pipeline, plans: Mapping[str, SessionPlan], graphs: Mapping[str, bytes]
) -> dict[str, OpenSession]:
    """The open sessions by name; those over one file share an onnxruntime session, so that weights exist once."""
    opened: dict[tuple[Path, str, str], OpenSession] = {}
    sessions: dict[str, OpenSession] = {}
    for name, plan in plans.items():
        if plan.key not in opened:
            emulated = is_emulated(pipeline, name, plan.device.name)
            opened[plan.key] = open_session(plan, graph=graphs.get(name), emulated=emulated)
        sessions[name] = replace(opened[plan.key], name=name).with_names(pipeline.metadata.own_names(name))
    return sessions


def _check_cache_writer(machine: Machine) -> None:
    """Raises DeviceError where a provider computes the operator that writes the cache wrongly."""
    if machine.cache.layout.writer != "gqa":
        return
    providers = [machine.sessions[name].provider for name in machine.program.decode.keepers]
    if all(provider.name == "cpu" for provider in providers):
        return
    from workflows.recipe.target import TARGETS  # with all families: not for a token on the CPU

    gqa = "cache", "gqa"
    refused: dict[str, str] = {one.name: one.refused[gqa] for one in TARGETS.values() if gqa in one.refused}
    for provider in providers:
        if why := refused.get(provider.name):
            raise DeviceError(
                f"{provider.title} cannot run this bundle's gqa cache: {why}; build with the target {provider.name}, "
                "or use the cpu provider."
            )


def _devices(plans: Mapping[str, SessionPlan]) -> list[Device]:
    """Each device once, without the CPU, which leaves no node to another."""
    return list({one.device.name: one.device for one in plans.values() if one.device.name != "cpu"}.values())


def _unassigned_note(sessions: Mapping[str, OpenSession], device: Device) -> str:
    """A sentence about nodes that a device does not take. Raises DeviceError where it takes none at all."""
    own = {name: one for name, one in sessions.items() if one.provider.name == device.name}
    assignments = {name: assignment_of(one.session, device.provider) for name, one in own.items()}
    if not any(one.assigned for one in assignments.values()):
        raise DeviceError(
            f"{device.title} takes no node of {', '.join(own)}, so that all would run on the CPU: build with the "
            f"target {device.name}, or use the cpu provider."
        )
    return placement_note(assignments, device.title)


def make_machine(
    pipeline: Pipeline,
    sessions: Mapping[str, OpenSession],
    device: Device,
    *,
    cache: str | None = None,
    capacity: int | None = None,
    observer: Observer | None = None,
    location: str = "The pipeline",
    provider: str = "",
) -> Machine:
    """A machine of open sessions; see open_machine. where, provider: names of the file and the device in messages."""
    program = compile_program(pipeline, sessions, location)
    pipeline = complete_pipeline(pipeline, program)
    layout = _choose_layout(pipeline, cache, program.facts, location)
    slots = _choose_capacity(pipeline, program, layout, capacity)
    if layout.sinks >= slots:
        raise RecipeError(f"The window keeps {layout.sinks} sink tokens, so a capacity of {slots} leaves no room.")
    return Machine(pipeline, program, sessions, _new_cache(program, layout, slots), device, observer, provider)


def machine_with_own_cache(machine: Machine) -> Machine:
    """A second machine over the sessions of an open one, with a cache of its own: the weights exist once."""
    cache = _new_cache(machine.program, machine.cache.layout, machine.cache.capacity)
    return Machine(machine.pipeline, machine.program, machine.sessions, cache, machine.device)


def _new_cache(program: Program, layout: Layout, capacity: int) -> KVCache:
    return KVCache(
        program.state, layout, capacity, program.facts, program.drivers, pad_left=program.pad_left,
        carried=program.carries,
    )  # fmt: skip


def complete_pipeline(pipeline: Pipeline, program: Program) -> Pipeline:
    """The pipeline with the facts that its file leaves to the graphs.

    These are the size of the vocabulary and of prompt chunks, and who writes the cache.
    """
    facts, inferred = pipeline.metadata, dict[str, int | str]()
    size = program.decode.logits[1].shape[-1] if program.decode.logits else None
    if facts.vocabulary is None and isinstance(size, int):
        inferred["vocabulary"] = size
    if "chunk" not in facts.model_fields_set and program.prefill.columns is not None:
        inferred["chunk"] = program.prefill.columns
    if "layout" not in facts.model_fields_set:
        inferred["layout"] = {"host": "static"}.get(program.facts.writer, program.facts.writer)
    return pipeline.model_copy(update={"metadata": facts.model_copy(update=inferred)})


def _choose_layout(pipeline: Pipeline, requested: str | None, facts: StateFacts, where: str) -> Layout:
    """The requested layout, or the file's, where a sliding window wins over the static layout."""
    window = pipeline.window
    built = "window" if window is not None and pipeline.metadata.layout == "static" else pipeline.metadata.layout
    try:
        layout = choose_layout(requested, built, facts)
        if window is not None and layout.evicts:
            layout = layout.with_sinks(window.sink_tokens)
    except RecipeError as error:
        if requested:
            raise
        raise Fault(pipeline.settings.path("sliding_window"), str(error).removesuffix(".")).error(where) from None
    if window is not None and not requested and not layout.evicts:
        message = f"the {layout.name} cache gets full and slides no window"
        raise Fault(pipeline.settings.path("sliding_window"), message).error(where)
    return layout


def _choose_capacity(pipeline: Pipeline, program: Program, layout: Layout, requested: int | None) -> int:
    """The requested capacity, or the file's within the limits of graphs and model."""
    slots, positions = program.state[0].capacity, program.facts.positions
    if requested is not None and slots is not None and requested > slots:
        raise RecipeError(f"The bundle's graphs have {slots:,} slots: a capacity of {requested:,} needs another build.")
    window = pipeline.window if layout.evicts else None
    built = (window.size if window else None) or pipeline.capacity or DEFAULT_CAPACITY
    wanted = requested or min(built, slots or built, positions or built)
    if positions is not None and wanted > positions:
        raise RecipeError(
            f"The bundle's graphs know {positions:,} positions: a capacity of {wanted:,} needs another build."
        )
    return wanted


def _check_has_cache(pipeline: Pipeline, where: str) -> None:
    if pipeline.pipeline.state.kv_cache is None:
        facts = pipeline.metadata
        raise BundleError(
            f"{where} has no pipeline.state.kv_cache: this bundle is a {printable(facts.model_type)} model for "
            f"{printable(facts.task) or 'one run'} without a KV cache, so it generates no text: run it with "
            "workflows.runtime.run_single, or look at it with `joinery inspect`."
        )
