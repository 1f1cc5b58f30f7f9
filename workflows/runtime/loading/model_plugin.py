"""A model that other people's code makes: the plugin that a bundle's file names, once the person allowed it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workflows.bundle import Bundle
from workflows.bundle.outline import Fault
from workflows.common.errors import JoineryError, RequestError, printable
from workflows.common.plugins import load
from workflows.runtime.machine import Machine

OpenBundle = Callable[[Bundle], Machine]
"""Opens a bundle whose file names no plugin."""


def open_by_plugin(bundle: Bundle, opened: OpenBundle) -> Machine | None:
    """What the plugin of the bundle's file makes of the bundle without it; None where the file names none.

    The entry point is a function `(bundle, opened) -> Machine`: it may change the pipeline, or what it opens, or wrap
    what it gets. Raises BundleError where it may not run, is not installed, or makes no machine, and JoineryError
    where it fails.
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
        raise Fault(f"{path}.entry_point", "what it names is no function").error(bundle.where)
    own = flow.model_copy(update={"plugin": None})
    plain = replace(bundle, pipeline=bundle.pipeline.model_copy(update={"pipeline": own}))
    try:
        machine = make(plain, opened)
    except JoineryError:
        raise
    except Exception as error:  # a stranger's code may raise anything
        raise JoineryError(f"The plugin {name} failed: {printable(error, 160).rstrip('.')}.") from error
    if not isinstance(machine, Machine):
        raise Fault(f"{path}.entry_point", "what it names made no machine").error(bundle.where)
    return machine
