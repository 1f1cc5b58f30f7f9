"""The model behind `joinery chat`: a bundle that is open in this process, or one on another machine.

messages ──ChatPartner.events──▶ the events of a reply      reset: the next chat begins with an empty cache
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from workflows.common.errors import RequestError
from workflows.wire.events import Event, ProgressEvent, ReadyEvent
from workflows.wire.requests import Generate, Open, Turn

if TYPE_CHECKING:
    from workflows.cli.run_flags import RunFlags
    from workflows.generate import Engine, GenerateOptions, TemplateMessage, Tool
    from workflows.service.remote.remote_worker import RemoteWorker

Messages = Sequence["TemplateMessage"]


class ChatPartner(Protocol):
    """An open bundle. name: for the welcome. completes: it continues a text, as base models do.

    adapters: those that it may reply with.
    """

    name: str
    completes: bool
    adapters: list[str]

    def check(self, messages: Messages) -> None:
        """Raises PromptError where the bundle cannot encode a chat."""

    def events(self, messages: Messages, cancelled: Callable[[], bool]) -> Iterator[Event]:
        """The events of the reply to the messages. Raises PromptError, LogitsError and RemoteError."""

    def use_adapter(self, name: str) -> None:
        """Replies with the adapter from now on; with none for an empty name. Raises RequestError for an unknown one."""

    def stop(self) -> None:
        """Stops the reply, from another thread."""

    def reset(self) -> None:
        """Empties the cache."""

    def close(self) -> None:
        """Ends the chat, and what runs for it on another machine."""


class LocalPartner:
    """A bundle that is open in this process."""

    def __init__(
        self, engine: Engine, options: GenerateOptions, tools: Sequence[Tool] | None = None, prefill: str = ""
    ) -> None:
        self._engine, self._options, self._tools, self._prefill = engine, options, tools, prefill
        self.name = engine.bundle.pipeline.metadata.name
        self.completes, self.adapters = engine.prompts.completes, list(engine.machine.adapter.names)
        self.stop, self.reset = engine.stop, engine.reset

    def check(self, messages: Messages) -> None:
        self._engine.encode_turn(messages, self._tools, self._prefill)

    def events(self, messages: Messages, cancelled: Callable[[], bool]) -> Iterator[Event]:
        from workflows.measure.recording import record_generation, to_stderr

        ids = self._engine.encode_turn(messages, self._tools, self._prefill)
        prefix = self._engine.prompts.reply_prefix(self._prefill)
        events = self._engine.generate(ids, self._options, cancelled, prefix=prefix)
        return record_generation(self._engine.bundle, events, to_stderr)

    def use_adapter(self, name: str) -> None:
        from workflows.runtime.execution.active_adapter import check_adapter

        check_adapter(name, self.adapters)
        self._options = self._options.replaced(adapter=name or None)

    def close(self) -> None:
        """Nothing: the bundle ends with this process."""


class RemotePartner:
    """A bundle that is open in a worker on another machine, where the cache is kept between the turns, too."""

    def __init__(
        self, worker: RemoteWorker, ready: ReadyEvent, options: Mapping[str, object], tools: str, prefill: str
    ) -> None:
        self._worker, self._tools, self._prefill = worker, tools, prefill
        self._options = {name: value for name, value in options.items() if value is not None}
        self.name = f"{Path(ready.bundle).name} on {worker.connection.machine.name}"
        self.completes, self.adapters = ready.completes, ready.adapters

    def check(self, messages: Messages) -> None:
        """Nothing is checked here: the first reply raises PromptError."""

    def events(self, messages: Messages, cancelled: Callable[[], bool]) -> Iterator[Event]:
        turns = tuple(Turn(str(one["role"]), str(one["content"])) for one in messages)
        request = Generate(messages=turns, options=self._options, tools=self._tools, prefill=self._prefill)
        return self._worker.events(request, cancelled)

    def use_adapter(self, name: str) -> None:
        from workflows.runtime.execution.active_adapter import check_adapter

        check_adapter(name, self.adapters)
        self._options.pop("adapter", None)
        self._options |= {"adapter": name} if name else {}

    def stop(self) -> None:
        """Nothing: the `cancelled` of the running reply stops it."""

    def reset(self) -> None:
        """Nothing: a chat that begins differently reuses nothing of the cache."""

    def close(self) -> None:
        self._worker.close()


def open_partner(
    name: str,
    bundle: Path,
    flags: RunFlags,
    tools: Sequence[Tool] | None,
    prefill: str,
    report: Callable[[Event], None],
    cancelled: Callable[[], bool],
) -> RemotePartner:
    """Opens a bundle on a machine. Raises RequestError, RemoteError, Cancelled and what opening raises there."""
    from workflows.cli.output import parse_pairs
    from workflows.cli.run_flags import read_places
    from workflows.measure.recording import to_stderr
    from workflows.process.machines import machine_named
    from workflows.service.remote.remote_worker import RemoteWorker

    if flags.device_option:
        raise RequestError("--device-option is for bundles on this machine: leave it out with --on.")
    request = Open(
        str(bundle),
        flags.provider,
        flags.cache,
        flags.capacity,
        parse_pairs("--session-option", flags.session_option),
        read_places(flags.place),
        None if flags.draft is None else str(flags.draft),
    )
    options = flags.generation_options()

    def report_copy(event: Event) -> None:
        if isinstance(event, ProgressEvent):
            report(event)

    worker = RemoteWorker(machine_named(name), to_stderr, report_copy, cancelled)
    try:
        (ready,) = (event for event in worker.events(request, cancelled) if isinstance(event, ReadyEvent))
    except BaseException:
        worker.close()
        raise
    return RemotePartner(worker, ready, options, json.dumps(list(tools)) if tools else "", prefill)
