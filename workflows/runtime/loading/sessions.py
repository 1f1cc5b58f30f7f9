"""Opens onnxruntime sessions as planned, without a silent fallback to another provider; another thread can cancel it.

    Bundle, Placement ──plan_sessions──▶ SessionPlan (file, device, options) ──open_session──▶ OpenSession
    loading thread:    with loading: … open_session ──_cancellable(options)──▶ onnxruntime ──its error──▶ Cancelled
    any other thread:  loading.stop() ──the options' flag──────────────────────┘

onnxruntime reads the flag between the steps of loading; a plugin that compiles a partition reads it afterwards, or
never. A caller that cannot wait ends the process.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import onnxruntime as ort
from onnxruntime.capi import onnxruntime_pybind11_state

from workflows.bundle import Bundle, Pipeline
from workflows.bundle.session_options import SessionOptions
from workflows.common.errors import Cancelled, DeviceError, GraphError, RequestError, printable
from workflows.common.tensors import TensorSpec
from workflows.processor.cores import usable_cores
from workflows.processor.tuning import tuned_threads
from workflows.runtime.program.signature import rename_tensors
from workflows.runtime.providers import Provider, provider_of
from workflows.runtime.providers.assignment import RECORD_ASSIGNMENT
from workflows.runtime.providers.registry import CPU
from workflows.wire.reports.devices import Device

_ERROR_NAMES = (
    "DeviceReset", "EngineError", "EPFail", "Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf",
    "ModelLoadCanceled", "ModelRequiresCompilation", "NoSuchFile", "NotImplemented", "RuntimeException",
)  # fmt: skip
ORT_ERRORS: tuple[type[Exception], ...] = (
    *(getattr(onnxruntime_pybind11_state, name) for name in _ERROR_NAMES if hasattr(onnxruntime_pybind11_state, name)),
    RuntimeError,
)
"""The exceptions of onnxruntime, which have no common base class; builds for OpenVINO and DirectML lack some."""
_WEIGHTS = "session.model_external_initializers_file_folder_path"  # for a graph given as bytes
SHARE = "ep.share_ep_contexts"  # onnxruntime's option: contexts of several sessions share one file
NO_PREPACKING, _KEEP_QDQ = "session.disable_prepacking", "session.disable_quant_qdq"
_DISABLED_OPTIMIZERS = "optimization.disable_specified_optimizers"
MAPPED = {NO_PREPACKING: "1", _DISABLED_OPTIMIZERS: "ConstantFolding"}
"""The configuration entries with which weights stay in their file's pages, which sessions share."""
_OWN_FIELDS = {"log_id", "intra_op_num_threads", "inter_op_num_threads", "log_severity_level", "log_verbosity_level",
               "enable_cpu_mem_arena", "enable_mem_pattern"}  # fmt: skip
EMULATED_PRECISION = "w8a16"  # the CPU provider has no integer kernels for it


class LoadCancellation:
    """Sessions opened within `with loading:` can be cancelled. cancelled: polled before and after each session."""

    def __init__(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        self._cancelled, self._stopped = cancelled, False
        self._lock = threading.Lock()
        self._options: ort.SessionOptions | None = None  # of the session being opened
        self._before: Token[LoadCancellation | None] | None = None

    def __enter__(self) -> Self:
        self._before = _CURRENT.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        assert self._before is not None
        _CURRENT.reset(self._before)

    def stop(self) -> None:
        """Cancels the session being opened, and all later ones; may be called from any thread."""
        with self._lock:
            self._stopped = True
            if self._options is not None:
                self._options.set_load_cancellation_flag(True)

    def set_current(self, options: ort.SessionOptions | None) -> None:
        """Sets the options of the session being opened; None for no session. Raises Cancelled after `stop`."""
        with self._lock:
            self._options = options
        if self._stopped or self._cancelled():
            raise Cancelled("The model's loading was cancelled.") from None


_CURRENT: ContextVar[LoadCancellation | None] = ContextVar("loading", default=None)


@contextmanager
def _cancellable(options: ort.SessionOptions) -> Iterator[None]:
    """Makes the opening of a session with `options` cancellable. Raises Cancelled once it was cancelled."""
    loading = _CURRENT.get()
    if loading is None:
        yield
        return
    loading.set_current(options)
    try:
        yield
    finally:
        loading.set_current(None)


@dataclass(frozen=True)
class Placement:
    """Where sessions run: on `device`, except those in `others`, by session name."""

    device: Device
    others: Mapping[str, Device]

    def of(self, bundle: Bundle) -> Placement:
        """The placement of the sessions that `bundle` has."""
        own = bundle.pipeline.pipeline.sessions
        return Placement(self.device, {name: one for name, one in self.others.items() if name in own})

    def __str__(self) -> str:
        """The device, and the sessions placed elsewhere: `cpu, decode=qnn`."""
        return ", ".join([self.device.name, *(f"{name}={one.name}" for name, one in self.others.items())])


@dataclass(frozen=True)
class SessionPlan:
    """One session to be opened.

    path: the graph's file, or its compiled context's. options: the provider's. context: whether `path` is a compiled
    context; shared: whether that shares its weights with others. mapped: as in open_session.
    """

    name: str
    path: Path
    device: Device
    options: Mapping[str, str] = field(default_factory=dict)
    settings: SessionOptions = field(default_factory=SessionOptions)
    context: bool = False
    shared: bool = False
    mapped: bool = False

    @property
    def key(self) -> tuple[Path, str, str]:
        """Sessions with equal keys share one onnxruntime session."""
        return self.path, self.settings.settings(), self.device.name

    def from_context(self, path: Path, shared: bool) -> SessionPlan:
        """The same session from its compiled context. shared: whether that shares its weights with others."""
        return replace(self, path=path, context=True, shared=shared)


def plan_sessions(
    bundle: Bundle,
    place: Placement,
    device_options: Mapping[str, str] | None = None,
    session_options: SessionOptions | None = None,
) -> dict[str, SessionPlan]:
    """Session → its plan, without sessions that only draft.

    device_options: of the main device alone. session_options: for every session, over the file's own. Raises
    RequestError for the placement of an unknown session.
    """
    known, plans = bundle.pipeline.pipeline.sessions, dict[str, SessionPlan]()
    if odd := next((name for name in place.others if name not in known), None):
        raise RequestError(f"There is no component {printable(odd)!r} to place: the components are {', '.join(known)}.")
    for name in bundle.pipeline.pipeline.open_sessions:
        settings, device = known[name].session_options.overlaid(session_options), place.others.get(name, place.device)
        options = settings.of_provider(device.name, device.provider)
        if device is place.device:
            options = {**options, **(device_options or {})}
        plans[name] = SessionPlan(name, bundle.file(known[name].file), device, options, settings)
    return plans


@dataclass(frozen=True)
class OpenSession:
    """An open session and its graph's signature.

    own: Joinery's name → the graph's, where they differ. optional: inputs with a default, which need not be fed.
    """

    name: str
    session: ort.InferenceSession
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    metadata: Mapping[str, str]
    own: Mapping[str, str] = field(default_factory=dict)
    provider: Provider = CPU
    optional: tuple[TensorSpec, ...] = ()

    def own_name(self, name: str) -> str:
        """The graph's name of an input or output."""
        return self.own.get(name, name)

    def with_names(self, own: Mapping[str, str]) -> OpenSession:
        """The same under Joinery's names. own: Joinery's name → the graph's."""
        if not own:
            return self
        there = {spec.name for spec in (*self.inputs, *self.outputs)}
        known = {name: theirs for name, theirs in own.items() if theirs in there}
        inputs, outputs = rename_tensors(self.inputs, self.outputs, own)
        return replace(self, inputs=inputs, outputs=outputs, own=known)


def open_session(
    plan: SessionPlan,
    *,
    mapped: bool = False,
    graph: bytes | None = None,
    emulated: bool = False,
    weights: Mapping[str, ort.OrtValue] | None = None,
    shared_weights: Mapping[str, ort.OrtValue] | None = None,
) -> OpenSession:
    """Opens a graph as `plan` says.

    mapped: leave weights in their file's pages, which sessions share, without prepacking or constant folding. graph: a
    serialized graph in place of the file's, with the same weight files. emulated: round numbers to the graph's grids
    and compute in floating point. weights: by name, in place of those in files; the session has copies. shared_weights:
    the same without copies: their memory must outlive the session. Raises GraphError for a file that onnxruntime cannot
    open, DeviceError for an unknown provider option or a rejected compiled context, and Cancelled where the
    LoadCancellation around it is stopped.
    """
    path, provider = plan.path, provider_of(plan.device)
    check_device_options(plan)
    options = session_settings(
        plan.settings,
        {RECORD_ASSIGNMENT: "1"}
        | ({SHARE: "1"} if plan.shared else {})
        | (MAPPED if mapped or plan.mapped else {})
        | ({_KEEP_QDQ: "1"} if emulated else {})
        | ({_WEIGHTS: str(path.parent)} if graph is not None else {}),
    )
    if weights:
        options.add_external_initializers([*weights], [*weights.values()])
    for name, value in (shared_weights or {}).items():
        options.add_initializer(name, value)
    try:
        with _cancellable(options):
            session = provider.open(path if graph is None else graph, options, plan.options)
        return OpenSession(
            plan.name,
            session,
            _specs(session.get_inputs()),
            _specs(session.get_outputs()),
            dict(session.get_modelmeta().custom_metadata_map),
            provider=provider,
            optional=_specs(session.get_overridable_initializers()),
        )
    except UnicodeDecodeError:  # in a name of the graph, or in onnxruntime's message
        raise GraphError(
            f"{path.name} contains a name that is not valid UTF-8, so it is damaged: get it again."
        ) from None
    except ORT_ERRORS as error:
        raise _opening_error(plan, error) from error


def widest_chunk(sessions: Iterable[OpenSession]) -> int | None:
    """The most columns that a chunk may have on these sessions' providers; None for any."""
    limits = [session.provider.widest() for session in sessions]
    return min((limit for limit in limits if limit is not None), default=None)


def _specs(arguments: Iterable[ort.NodeArg]) -> tuple[TensorSpec, ...]:
    return tuple(TensorSpec.of_runtime(arg.name, arg.shape, arg.type) for arg in arguments)


def check_device_options(plan: SessionPlan) -> None:
    """Raises DeviceError for options of the CPU provider, which has none."""
    if plan.options and plan.device.name == "cpu":
        odd = printable(next(iter(plan.options)))
        raise DeviceError(f"The cpu provider takes no device options, and {odd} was given.")


# what onnxruntime says where a provider, or the CPU after it, has no kernel for a node
_NO_KERNEL = re.compile(
    r"NOT_IMPLEMENTED.*implementation for (?P<op>\w+)\(\d+\) node with name '(?P<node>[^']*)'", re.S
)


def _opening_error(plan: SessionPlan, error: Exception) -> GraphError | DeviceError:
    message = printable(error, 200)
    if plan.context:
        return DeviceError(
            f"{plan.device.title} does not take the compiled context {plan.path}: compile anew with "
            f"`joinery compile`, or remove its folder ({message})."
        )
    if "EPContext" in str(error):
        return GraphError(
            f"{plan.path.name} is compiled for one provider, and {plan.device.title} is another: open the graph "
            "that it was made of."
        )
    if missing := _NO_KERNEL.search(str(error)):
        return GraphError(
            f"{plan.device.title} has no kernel for {missing['op']} in the number format of "
            f"{printable(missing['node'])} in {plan.path.name}: run the bundle on another provider, or build it with "
            "another precision."
        )
    return GraphError(f"onnxruntime cannot open {plan.path.name}: {message}")


def session_settings(settings: SessionOptions, entries: Mapping[str, str]) -> ort.SessionOptions:
    """onnxruntime's session options; the settings of file and person win over `entries` and Joinery's defaults."""
    options = ort.SessionOptions()
    entries = {"session.intra_op.allow_spinning": "1", **entries}
    # errors are raised, and so reported once
    usual = {"log_severity_level": 4, "intra_op_num_threads": tuned_threads() or usable_cores()}
    own = settings.model_dump(exclude_none=True, include=_OWN_FIELDS)
    for name, value in (usual | own).items():
        setattr(options, "logid" if name == "log_id" else name, value)
    if settings.graph_optimization_level is not None:
        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, settings.graph_optimization_level)
    if settings.enable_profiling is not None:
        options.enable_profiling, options.profile_file_prefix = True, settings.enable_profiling
    for name, text in {**entries, **settings.entries}.items():
        options.add_session_config_entry(name, text)
    return options


def is_emulated(pipeline: Pipeline, session: str, provider: str) -> bool:
    """Whether the provider rounds the session's numbers to their grids and computes in floating point."""
    return provider == "cpu" and pipeline.metadata.precision_of(session) == EMULATED_PRECISION


def emulation_note(pipeline: Pipeline, providers: Mapping[str, str]) -> str:
    """The note for the person, naming emulated sessions where only some are. providers: session → provider's name."""
    emulated = [name for name, provider in providers.items() if is_emulated(pipeline, name, provider)]
    if not emulated:
        return ""
    what = "it" if len(emulated) == len(providers) else " and ".join(emulated)
    return (
        f"w8a16 is made for NPUs: the CPU provider computes {what} in float32 with every number on its 16-bit grid, so "
        "the results are those of the quantized model, but speed and memory are not."
    )
