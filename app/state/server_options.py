"""What the window serves and where: the choices of the Server page, saved for the next start without the token.

server.json ◀──▶ ServerOptions ──arguments, environment──▶ `joinery serve`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from app.state.json_file import JsonFile
from app.text.translatable import tr
from workflows.common.loopback import is_loopback

LOOPBACK, EVERY_NETWORK = "127.0.0.1", "0.0.0.0"
_VARIABLES = "JOINERY_SERVE_"
_UNSERVED = {"token-classification", "image-classification", "depth-estimation", "fill-mask"}


@dataclass(frozen=True)
class ServerOptions:
    """bundles: name → folder. port: 0 takes a free one. token: only for this run of the window.

    rows: 0 is what each bundle was built for. queue: requests of a bundle that may wait. seconds: of a request, with
    its wait. idle_s: after which an unused bundle is closed; 0 keeps it. body_mb: of a request, in MiB. machine: where
    it runs; "" is this one. One that runs on another machine listens on this machine's loopback, and ssh encrypts.
    """

    bundles: Mapping[str, str] = field(default_factory=dict)
    host: str = LOOPBACK
    port: int = 8080
    token: str = ""
    certificate: str = ""
    key: str = ""
    rows: int = 0
    queue: int = 64
    seconds: int = 600
    idle_s: int = 0
    body_mb: int = 32
    machine: str = ""

    @property
    def used(self) -> ServerOptions:
        """These, but for an address and a certificate that a server on another machine has no use for."""
        return replace(self, host=LOOPBACK, certificate="", key="") if self.machine else self

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.used.host)

    @property
    def problem(self) -> str:
        """Why a server cannot start with them, in a sentence; empty where it can."""
        if not self.bundles:
            return tr("Add a bundle to serve.")
        used = self.used
        if not used.host:
            return tr("Choose an address.")
        if not used.is_local and not self.token:
            return tr("Others can reach this address: make a token, which clients must send.")
        if bool(used.certificate) != bool(used.key):
            return tr("TLS takes a certificate and its key: choose both files.")
        return ""

    @property
    def arguments(self) -> list[str]:
        """Those of `joinery serve`; the token is not among them, for other users can read a command line."""
        used = self.used
        named = [f"{name}={folder}" for name, folder in self.bundles.items()]
        files = ["--certificate", used.certificate, "--key", used.key] if used.certificate else []
        place = ["--on", self.machine] if self.machine else []
        rows = ["--rows", str(self.rows)] if self.rows else []
        limits = {"queue": self.queue, "seconds": self.seconds, "idle": self.idle_s, "body": self.body_mb}
        numbers = [part for name, value in limits.items() for part in (f"--{name}", str(value))]
        return ["serve", *named, "--host", used.host, "--port", str(self.port), *files, *rows, *numbers, *place]

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """The server's variables: the token, and none of the settings that the window's environment has."""
        own = {name: value for name, value in inherited.items() if not name.startswith(_VARIABLES)}
        return own | ({f"{_VARIABLES}TOKEN": self.token} if self.token else {})


def refusal(bundle: Mapping[str, Any]) -> str:
    """Why a bundle with this summary cannot be served; empty if it can."""
    task = str(bundle.get("task", ""))
    if task in _UNSERVED or (task == "text-classification" and bundle.get("labels") not in (1, None)):
        return tr("It is for {0}, which the server has no route for.").format(task)
    return ""


def free_name(folder: str, bundles: Mapping[str, str]) -> str:
    """The name of a bundle that is added: that of its folder, with a number where another has it."""
    stem = Path(folder).name or folder
    names = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(bundles) + 2))
    return next(name for name in names if name not in bundles)


class SavedServerOptions:
    """The file server.json in `folder`. notify: called with a message when it cannot be read or written."""

    def __init__(self, folder: Path, notify: Callable[[str], None]) -> None:
        title = "The choices of the Server page"
        self._file = JsonFile(folder / "server.json", _decode, _encode, ServerOptions, notify, title)

    def load(self) -> ServerOptions:
        """The saved choices; the defaults before the first."""
        return self._file.load()

    def save(self, options: ServerOptions) -> None:
        """Saves them, without the token."""
        self._file.change(lambda _: options, options)


def _decode(value: Any) -> ServerOptions:
    kinds = {one.name: type(getattr(ServerOptions(), one.name)) for one in fields(ServerOptions)}
    found = {name: kinds[name](given) for name, given in value.items() if name in kinds and name != "token"}
    return ServerOptions(**found)


def _encode(options: ServerOptions) -> dict[str, Any]:
    return {name: value for name, value in asdict(options).items() if name != "token"}
