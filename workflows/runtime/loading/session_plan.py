"""How each session of a bundle is opened: from which file, on which device, with which options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from workflows.bundle import Bundle
from workflows.bundle.session_options import SessionOptions
from workflows.common.errors import RequestError, printable
from workflows.wire.reports.devices import Device


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
    context; shared: whether that shares its weights with others.
    """

    name: str
    path: Path
    device: Device
    options: Mapping[str, str] = field(default_factory=dict)
    settings: SessionOptions = field(default_factory=SessionOptions)
    context: bool = False
    shared: bool = False

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
