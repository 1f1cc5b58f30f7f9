"""Opens a bundle through the plug-in that its file names, once the person has allowed it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workflows.bundle import Bundle
from workflows.bundle.outline import Fault
from workflows.common.errors import JoineryError, RequestError, printable
from workflows.common.plugins import load
from workflows.runtime.machine import Machine

OpenBundle = Callable[[Bundle], Machine]
"""Opens a bundle without a plug-in."""


def open_by_plugin(bundle: Bundle, opened: OpenBundle) -> Machine | None:
    """The machine that the bundle's plug-in makes; None where the file names no plug-in.

    The entry point is a function `(bundle, opened) -> Machine`: it may change the pipeline, open other sessions, or
    wrap the machine that `opened(bundle)` returns. Raises BundleError where it is not allowed, not installed, or
    returns no machine, and JoineryError where it fails.
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
        machine = make(plain, opened)
    except JoineryError:
        raise
    except Exception as error:  # plug-ins may raise anything
        raise JoineryError(f"The plugin {name} failed: {printable(error, 160).rstrip('.')}.") from error
    if not isinstance(machine, Machine):
        raise Fault(f"{path}.entry_point", "the entry point returned no machine").error(bundle.where)
    return machine
