"""`joinery serve`: answers other programs over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from workflows.cli.interrupts import unwatched
from workflows.cli.output import JsonFlag, write_json
from workflows.cli.progress import ProgressDisplay
from workflows.cli.remote_flag import OnFlag
from workflows.cli.streams import print_line
from workflows.common.errors import JoineryError, PackageError, RequestError
from workflows.wire.codec import to_fields
from workflows.wire.events import ErrorEvent
from workflows.wire.reports.server import ServerStatus

if TYPE_CHECKING:
    from workflows.service.http.settings import ServerSettings
    from workflows.service.http.status import OnStatus


def serve(
    bundles: list[str] = typer.Argument(None, metavar="[NAME=]BUNDLE", help="Folders; a name is the folder's own."),
    host: str | None = typer.Option(None, "--host", help="127.0.0.1 by default; another one needs a token."),
    port: int | None = typer.Option(None, "--port", help="8080 by default; 0 takes a free one."),
    token_file: Path | None = typer.Option(None, "--token-file", help="A file with the token that requests must have."),
    certificate: Path | None = typer.Option(None, "--certificate", help="A PEM file, for TLS."),
    key: Path | None = typer.Option(None, "--key", help="Its key."),
    provider: str | None = typer.Option(None, "--provider", help="A name that `joinery devices` prints."),
    capacity: int | None = typer.Option(None, "--capacity", help="Cache slots; each bundle's own by default."),
    rows: int | None = typer.Option(
        None, "--rows", help="Texts that a step may continue, of a bundle built for several."
    ),
    queue: int | None = typer.Option(None, "--queue", help="Requests of a bundle that may wait; 64 by default."),
    seconds: float | None = typer.Option(None, "--seconds", help="Of a request, with its wait; 600 by default."),
    idle_s: float | None = typer.Option(None, "--idle", help="Seconds after which an unused bundle is closed."),
    body_mb: float | None = typer.Option(None, "--body", help="Most MiB of a request's body; 32 by default."),
    settings: Path | None = typer.Option(None, "--settings", metavar="FILE", help="A TOML file with all of these."),
    stops_at_eof: bool = typer.Option(
        False, "--stop-at-eof", help="Stop when standard input ends, as with the program that started the server."
    ),
    on: str | None = OnFlag,
    as_json: bool = JsonFlag,
) -> None:
    """Serve bundles: /v1/chat/completions, completions, responses, embeddings, rerank, audio/transcriptions.

    With --json the address is a line, and what the server does another one whenever it changes: its bundles, and each
    request with its kind, state and counts, never a text.

    With --on a machine serves copies of the bundles, and a port of this machine leads to it over ssh: it ends with this
    command.

    Settings come from the file, over it from JOINERY_SERVE_TOKEN, JOINERY_SERVE_PORT …, over both from these options.
    """
    given = {
        "host": host, "port": port, "certificate": certificate, "key": key, "provider": provider,
        "capacity": capacity, "rows": rows, "queue": queue, "seconds": seconds, "idle_s": idle_s, "body_mb": body_mb,
    }  # fmt: skip
    try:
        token = None if token_file is None else token_file.read_text("utf-8").strip()
        _run(settings, given | {"token": token, "bundles": _named(bundles or [])}, as_json, stops_at_eof, on)
    except JoineryError as error:
        if as_json:
            write_json(ErrorEvent(kind=error.kind, message=str(error)).to_dict())
        raise


def _run(file: Path | None, options: dict[str, Any], as_json: bool, stops_at_eof: bool, on: str | None) -> None:
    from workflows.service.http.settings import read_settings

    chosen = read_settings(file, options)

    def on_ready(address: str) -> None:
        if as_json:
            write_json({"event": "serving", "address": address, "bundles": list(chosen.bundles)})
        else:
            where = f", on {on}" if on is not None else ""
            print_line(f"Serving {', '.join(chosen.bundles)} at {address}/v1{where}")

    def on_status(status: ServerStatus) -> None:
        if as_json:
            write_json({"event": "status", **to_fields(status)})

    with unwatched():
        if on is not None:
            _serve_there(on, chosen, on_ready, on_status, as_json, stops_at_eof)
            return
        try:
            from workflows.service.http.run import serve as run
        except ModuleNotFoundError as error:
            message = f"Serving needs {error.name}: install it with pip install 'joinery[serve]'."
            raise PackageError(message) from None
        run(chosen, on_ready, on_status if as_json else None, stops_at_eof=stops_at_eof)


def _serve_there(
    name: str,
    chosen: ServerSettings,
    on_ready: Callable[[str], None],
    on_status: OnStatus,
    as_json: bool,
    stops_at_eof: bool,
) -> None:
    """On a machine; the progress of the copies is lines of JSON, or shown on a terminal."""
    from workflows.process.machines import machine_named
    from workflows.service.remote.remote_server import serve_there, stop_requests

    machine = machine_named(name)
    with stop_requests(at_eof=stops_at_eof) as stops:
        if as_json:
            serve_there(machine, chosen, on_ready, on_status, lambda event: write_json(event.to_dict()), stops)
        else:
            with ProgressDisplay() as display:
                serve_there(machine, chosen, on_ready, on_status, display.show, stops)


def _named(bundles: list[str]) -> dict[str, Path]:
    """Name → folder."""
    named = dict[str, Path]()
    for one in bundles:
        given, mark, folder = one.partition("=")
        is_named = bool(mark) and not Path(one).exists()
        path = Path(folder if is_named else one)
        name = given if is_named else path.resolve().name
        if name in named:
            raise RequestError(f"Two bundles are called {name}: give one another name, as NAME=BUNDLE.")
        named[name] = path
    return named
