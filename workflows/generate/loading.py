"""Opens an engine from a bundle's folder: its machine, its draft, and the models its logits are combined with."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Concatenate, Literal, ParamSpec

from workflows.bundle import read_bundle
from workflows.bundle.session_options import parse_options
from workflows.common.errors import BundleError
from workflows.generate.chat_template import start_template_process
from workflows.generate.engine import Engine
from workflows.generate.logits_combination import AuxiliaryModels
from workflows.generate.speculative import DraftModel, ExtraHeads
from workflows.runtime import device_named, open_machine
from workflows.runtime.loading.sessions import Placement

P = ParamSpec("P")


def open_engine(
    folder: str | Path,
    *,
    provider: str = "cpu",
    cache: str | None = None,
    capacity: int | None = None,
    device_options: Mapping[str, str] | None = None,
    session_options: Mapping[str, str] | None = None,
    place: Mapping[str, str] | None = None,
    draft: str | Path | Literal[False] | None = None,
) -> Engine:
    """Opens a bundle.

    session_options: onnxruntime's, by name, over the file's own. place: component → its provider. draft: another
    bundle, which drafts on the same provider; None for the file's own draft, False for none.

    Raises BundleError, GraphError, DeviceError, RecipeError, RequestError, or Cancelled where the LoadCancellation
    around it is stopped, one sentence each.
    """
    began = time.perf_counter()
    bundle = read_bundle(folder)
    where = Placement(device_named(provider), {name: device_named(one) for name, one in (place or {}).items()})
    options = parse_options(session_options or {})
    machine = open_machine(
        bundle, where, cache=cache, capacity=capacity, device_options=device_options, session_options=options
    )
    own: DraftModel | ExtraHeads | None = None
    if draft is not False:
        heads = ExtraHeads.of(machine, bundle.where)
        own = heads or DraftModel.of_bundle(bundle, machine, where, device_options, options)
    engine = Engine(bundle, machine, time.perf_counter() - began, own, AuxiliaryModels.open(machine, bundle, where))
    if draft:
        engine.use_draft(draft, provider)
    return engine


def _with_template_check(
    opened: Callable[Concatenate[str | Path, P], Engine],
) -> Callable[Concatenate[str | Path, P], Engine]:
    def open_talk(folder: str | Path, /, *given: P.args, **named: P.kwargs) -> Engine:
        start_template_process(read_bundle(folder))
        engine = opened(folder, *given, **named)
        try:
            if engine.template is not None:
                engine.template.check_compiles()
        except BundleError:
            engine.close()
            raise
        return engine

    return open_talk


open_chat_engine = _with_template_check(open_engine)
"""open_engine for chats: the process that renders chat templates starts while the model loads.

Also raises BundleError for a template that does not compile.
"""
