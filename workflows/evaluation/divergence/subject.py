"""One side of a comparison: a bundle after a stage of its build, on a provider.

folder, stage, provider ──▶ Subject: each component's graph ──open(taps)──▶ OpenSubject: machine, recorded values
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from workflows.bundle import Bundle, Pipeline, read_bundle
from workflows.bundle.session_options import SessionOptions
from workflows.common.errors import BundleError, RequestError, printable
from workflows.evaluation.divergence.graph_taps import add_outputs
from workflows.generate.prefill import start_prompt
from workflows.graph.load import GraphFile, load_graph, parse_graph
from workflows.inspection.build_stages import FINAL, read_stages
from workflows.inspection.flat_graph import FlatGraph, flatten_graph
from workflows.runtime import device_named, open_machine
from workflows.runtime.loading.memory_plan import mapped_options
from workflows.runtime.loading.sessions import OpenSession, Placement, SessionPlan, open_session, plan_sessions
from workflows.wire.events import Phase
from workflows.wire.reports.devices import Device

Values = dict[str, NDArray[np.generic]]


@dataclass(frozen=True)
class SubjectOptions:
    """The user's choice. stage "": the final one."""

    bundle: Path
    stage: str = ""
    provider: str = "cpu"


class Subject:
    """A bundle with its graphs. components: session → the first session of the same file, usually itself."""

    def __init__(self, choice: SubjectOptions) -> None:
        """Raises RequestError for a bundle without a cache or without that stage, and as read_bundle does."""
        self.bundle: Bundle = replace(read_bundle(choice.bundle), compiled=())
        if self.bundle.pipeline.route == "single":
            raise RequestError(
                f"{choice.bundle} is one graph without a KV cache, which reads no prompt token by token: give a bundle "
                "that generates text."
            )
        self.device: Device = device_named(choice.provider)
        self.runs_on = self.device.name
        """The provider that computes the values; of recorded ones another than the device here."""
        sessions = self.bundle.pipeline.pipeline.sessions
        first: dict[str, str] = {}
        self.components = {name: first.setdefault(one.file, name) for name, one in sessions.items()}
        self._files = _graphs(self.bundle, list(first.values()), choice.stage)
        self._staged = choice.stage not in ("", FINAL)
        self.views: dict[str, FlatGraph] = {name: flatten_graph(file) for name, file in self._files.items()}
        self.options = self._map_float32() if self.device.name == "cpu" else None
        place = Placement(self.device, {})
        self._openings: dict[str, SessionPlan] = plan_sessions(self.bundle, place, session_options=self.options)

    def _map_float32(self) -> SessionOptions | None:
        """Options that leave weights of float32 in their file, so that two models take the memory of one."""
        staged = self.components.items() if self._staged else ()
        return mapped_options(self.bundle, {name: self.graph(one).SerializeToString() for name, one in staged})

    def graph(self, component: str) -> onnx.ModelProto:
        return self._files[component].proto

    def open(self, taps: Mapping[str, Collection[str]]) -> OpenSubject:
        """Opens the machine, which records the values of `taps` by component. Raises as open_machine does."""
        graphs: dict[str, bytes] = {}
        names: dict[str, dict[str, str]] = {}
        for session, component in self.components.items():
            if taps.get(component) or self._staged:
                graphs[session], names[session] = add_outputs(self.graph(component), taps.get(component, ()))
        return OpenSubject(self, graphs, names)

    def open_nodes(self, component: str, graph: onnx.ModelProto) -> OpenSession:
        """Opens some nodes of a component as the whole graph is opened. Raises as open_session does."""
        return open_session(self._openings[component], graph=graph.SerializeToString())


class OpenSubject:
    """An open subject; seen: the values of the last run, component → value → array."""

    def __init__(self, subject: Subject, graphs: Mapping[str, bytes], names: Mapping[str, Mapping[str, str]]) -> None:
        self.seen: dict[str, Values] = {}
        self._components, self._names = subject.components, names
        place = Placement(subject.device, {})
        self.machine = open_machine(
            subject.bundle, place, session_options=subject.options, graphs=graphs, observer=self._note
        )
        self.pipeline: Pipeline = self.machine.pipeline

    def begin(self, pipeline: Pipeline, ids: Sequence[int]) -> None:
        """Starts a prompt with an empty cache; an encoder runs now. pipeline: that of A, which has the first token."""
        self.machine.cache.reset()
        self.seen.clear()
        start_prompt(self.machine, pipeline, ids)

    def step(self, run: tuple[tuple[int, ...], Phase]) -> None:
        """Runs the tokens; `seen` has their values afterwards."""
        self.seen.clear()
        self.machine.step(*run)

    def _note(self, session: str, outputs: Mapping[str, NDArray[np.generic]]) -> None:
        names = self._names.get(session, {})
        values = {names[output]: array for output, array in outputs.items() if output in names}
        self.seen.setdefault(self._components[session], {}).update(values)


def _graphs(bundle: Bundle, components: list[str], stage: str) -> dict[str, GraphFile]:
    """Returns each component's graph after `stage`; the final one of a component without that stage."""
    sessions = bundle.pipeline.pipeline.sessions
    graphs = {name: load_graph(bundle.file(sessions[name].file)) for name in components}
    if stage in ("", FINAL):
        return graphs
    histories = {name: read_stages(bundle, name) for name in components}
    having = [name for name in components if stage in histories[name].files]
    if not having:
        known = list(dict.fromkeys(one for history in histories.values() for one in history.files))
        stages = f"it has {', '.join([*known, FINAL])}" if known else "it has no evidence of its build"
        raise RequestError(f"{bundle.folder} has no stage {printable(stage)!r}: {stages}.")
    for name in having:
        staged = parse_graph(histories[name].snapshot(stage), f"{name} after {stage}", bundle.folder)
        graphs[name] = _with_all_weights(staged)
    return graphs


def _with_all_weights(file: GraphFile) -> GraphFile:
    """Returns the graph. Raises BundleError if the data of some weights no longer exists."""
    for tensor in file.proto.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL and not tensor.external_data:
            raise BundleError(
                f"The {file.name} cannot be run: a later step replaced its weight {printable(tensor.name)}, which is "
                "not kept. Choose a later stage, or a bundle of full precision."
            )
    return file
