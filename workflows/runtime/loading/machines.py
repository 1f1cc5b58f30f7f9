"""A bundle, or loose .onnx files, and a device in, a Machine out: its sessions opened, its program compiled.

    {"encoder": a.onnx, "decoder": b.onnx} ──their inputs and outputs──infer_pipeline──▶ Pipeline ──▶ Machine

Graphs that must be changed first, as optimum's decoders in two halves, need `joinery assemble`, which makes a bundle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from workflows.bundle import Bundle
from workflows.bundle.outline import Fault
from workflows.bundle.schema import Pipeline
from workflows.bundle.session_options import SessionOptions
from workflows.common.errors import (
    BundleError,
    DeviceError,
    GraphError,
    JoineryError,
    RecipeError,
    RequestError,
    printable,
)
from workflows.common.plugins import load
from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.kvcache import KVCache, Layout
from workflows.kvcache.buffers import bytes_per_slot
from workflows.kvcache.geometry import StateFacts
from workflows.kvcache.layouts import choose_layout
from workflows.runtime.execution.binding import Observer
from workflows.runtime.execution.machine import Machine
from workflows.runtime.loading.compiled_contexts import use_compiled_contexts
from workflows.runtime.loading.memory_plan import choose_slots, plan_memory
from workflows.runtime.loading.sessions import (
    OpenSession,
    Placement,
    SessionPlan,
    is_emulated,
    open_session,
    plan_sessions,
)
from workflows.runtime.program.compiler import compile_program, complete_pipeline
from workflows.runtime.program.pipeline_inference import infer_pipeline
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
    the placement of an unknown session, RecipeError for an unknown layout or a capacity whose cache does not fit, and
    MemoryShortError for weights that do not.
    """
    where = bundle.where
    _check_has_cache(bundle.pipeline, where)
    bundle.pipeline.check(where)
    open_without_plugin = partial(
        open_machine, device=device, cache=cache, capacity=capacity, device_options=device_options,
        session_options=session_options, graphs=graphs, observer=observer,
    )  # fmt: skip
    if (machine := _open_by_plugin(bundle, open_without_plugin)) is not None:
        return machine
    place = _placement(bundle.pipeline, device)
    plans = plan_sessions(bundle, place, device_options, session_options)
    plans, unused_contexts = use_compiled_contexts(bundle, plans)
    plans, short_memory = plan_memory(bundle, plans, graphs or {}, capacity)
    sessions = _open_all(bundle.pipeline, plans, graphs or {})
    machine = make_machine(
        bundle.pipeline, sessions, place.device, cache=cache, capacity=capacity, observer=observer, location=where,
        provider=str(place),
    )  # fmt: skip
    machine.adapter.files = bundle.files
    _check_cache_writer(machine)
    used = {one.device.name: one.device for one in plans.values() if one.device.name != "cpu"}  # it leaves none over
    unassigned = [_unassigned_note(sessions, device) for device in used.values()]
    notes = [unused_contexts, _TOO_WIDE if machine.too_wide else "", *unassigned]
    machine.placement = " ".join(filter(None, notes))
    machine.memory_note = " ".join(filter(None, (short_memory, machine.memory_note)))
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

    refused: dict[str, str] = {one.name: one.refused.get(("cache", "gqa"), "") for one in TARGETS.values()}
    for provider in providers:
        if why := refused.get(provider.name):
            raise DeviceError(
                f"{provider.title} cannot run this bundle's gqa cache: {why}; build with the target {provider.name}, "
                "or use the cpu provider."
            )


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
    note, grows = "", program.graph_slots is None and not layout.evicts
    if capacity is not None or grows:  # a window, and a graph with its own slots, take no fewer
        slots, note = choose_slots(slots, bytes_per_slot(program.state, layout.writer), requested=capacity is not None)
    machine = Machine(pipeline, program, sessions, _new_cache(program, layout, slots), device, observer, provider)
    machine.memory_note = note
    return machine


def machine_with_own_cache(machine: Machine) -> Machine:
    """A second machine over the sessions of an open one, with a cache of its own: the weights exist once."""
    cache = _new_cache(machine.program, machine.cache.layout, machine.cache.capacity)
    return Machine(machine.pipeline, machine.program, machine.sessions, cache, machine.device, adapter=machine.adapter)


def _new_cache(program: Program, layout: Layout, capacity: int) -> KVCache:
    return KVCache(
        program.state, layout, capacity, program.facts, program.drivers, pad_left=program.pad_left,
        carried=program.all_carried,
    )  # fmt: skip


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
    slots, positions = program.graph_slots, program.facts.positions
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


def _open_by_plugin(bundle: Bundle, open_bundle: Callable[[Bundle], Machine]) -> Machine | None:
    """The machine that the bundle's plug-in makes; None where the file names no plug-in.

    The entry point is a function `(bundle, open_bundle) -> Machine`: it may change the pipeline, open other sessions,
    or wrap the machine that `open_bundle(bundle)` returns. Raises BundleError where it is not allowed, not installed,
    or returns no machine, and JoineryError where it fails.
    """
    flow = bundle.pipeline.pipeline
    if flow.plugin is None:
        return None
    path, name = "pipeline.plugin", f"{flow.plugin.entry_point} of {flow.plugin.library}"
    try:
        make = load(flow.plugin.library, flow.plugin.entry_point)
    except RequestError as error:
        raise Fault(path, str(error).removesuffix(".")).error(bundle.where) from None
    if not callable(make):
        raise Fault(f"{path}.entry_point", "the entry point is not a function").error(bundle.where)
    own = flow.model_copy(update={"plugin": None})
    plain = replace(bundle, pipeline=bundle.pipeline.model_copy(update={"pipeline": own}))
    try:
        machine = make(plain, open_bundle)
    except JoineryError:
        raise
    except Exception as error:  # plug-ins may raise anything
        raise JoineryError(f"The plugin {name} failed: {printable(error, 160).rstrip('.')}.") from error
    if not isinstance(machine, Machine):
        raise Fault(f"{path}.entry_point", "the entry point returned no machine").error(bundle.where)
    return machine


def open_onnx(
    components: Mapping[str, str | Path],
    pipeline: Mapping[str, Any] | None = None,
    *,
    provider: str = "cpu",
    cache: str | None = None,
    capacity: int | None = None,
) -> Machine:
    """Opens the graphs of `components`, name → file, around one cache; the caller chooses the names.

    pipeline: top-level keys of a pipeline.json that win over inferred ones. Raises RequestError where a file is
    missing, and GraphError, with everything that is missing, for graphs that form no composite.
    """
    if not components:
        raise RequestError("No graph was given: give at least one, name → file.")
    device = device_named(provider)
    opened: dict[Path, OpenSession] = {}
    sessions: dict[str, OpenSession] = {}
    for name, file in components.items():
        path = Path(file)
        if not path.is_file():
            raise RequestError(f"The {printable(name)} {printable(path)} is not a file: give the path of its graph.")
        if path not in opened:
            opened[path] = open_session(SessionPlan(name, path, device))
        sessions[name] = replace(opened[path], name=name)
    inferred = infer_pipeline(sessions, {name: f"{name}.onnx" for name in sessions}, pipeline)
    if inferred.pipeline is None or inferred.problems:
        raise GraphError(" ".join(inferred.problems))
    return make_machine(inferred.pipeline, sessions, device, cache=cache, capacity=capacity)
