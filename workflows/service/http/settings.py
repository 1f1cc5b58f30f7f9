"""What a server serves, where it listens, and what it allows: from a file, the environment and the command line."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workflows.common.errors import RequestError, printable
from workflows.common.loopback import is_loopback

VARIABLES = "JOINERY_SERVE_"
"""The beginning of the environment variables: JOINERY_SERVE_TOKEN, JOINERY_SERVE_PORT …"""
_MEBI = 1 << 20


class ServerSettings(BaseModel):
    """bundles: name → folder. token: that requests must have; needed where others can reach the address.

    certificate, key: PEM files, for TLS. capacity: cache slots; None is each bundle's own. queue: requests of a bundle
    that may wait. seconds: of a request, with its wait. idle_s: after which an unused bundle is closed; 0 keeps it.
    body_mb: of a request, in MiB. rows: texts of a bundle that a step may continue; None is what it was built for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    bundles: dict[Annotated[str, Field(min_length=1, max_length=200)], Path] = Field(min_length=1)
    host: str = "127.0.0.1"
    port: int = Field(8080, ge=0, le=65535)
    token: str | None = Field(None, min_length=8)
    certificate: Path | None = None
    key: Path | None = None
    provider: str = "cpu"
    capacity: int | None = Field(None, ge=1)
    rows: int | None = Field(None, ge=1)
    queue: int = Field(64, ge=0)
    seconds: float = Field(600, gt=0)
    idle_s: float = Field(0, ge=0)
    body_mb: float = Field(32, gt=0)

    @model_validator(mode="after")
    def _safe(self) -> Self:
        if not is_loopback(self.host) and self.token is None:
            raise ValueError(f"others can reach {self.host}: give a token, or listen on 127.0.0.1")
        if (self.certificate is None) != (self.key is None):
            raise ValueError("TLS takes a certificate and its key: give both")
        return self

    @property
    def body_bytes(self) -> int:
        """The most bytes of a request's body."""
        return int(self.body_mb * _MEBI)


def read_settings(file: Path | None, options: Mapping[str, Any]) -> ServerSettings:
    """Settings of a TOML file, over them those of the environment, and over both the `options` that are not None.

    Raises RequestError that names the wrong setting.
    """
    values = _of_file(file) if file is not None else {}
    known = {name for name in ServerSettings.model_fields if name != "bundles"}
    values |= {name: os.environ[VARIABLES + name.upper()] for name in known if VARIABLES + name.upper() in os.environ}
    values |= {name: value for name, value in options.items() if value not in (None, {})}
    try:
        return ServerSettings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        message = printable(str(first.get("ctx", {}).get("error", first["msg"])), 200)
        if not name:
            raise RequestError(f"The server's settings do not go together: {message}.") from None
        shown = "" if name == "token" else f" {printable(first['input'], 60)!r}"
        raise RequestError(f"The server's setting {name} cannot be{shown}: {message}.") from None


def _of_file(file: Path) -> dict[str, Any]:
    """The file's settings; its paths are relative to it."""
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{file} cannot be read as TOML: {printable(error, 120)}.") from None
    for name in ("certificate", "key"):
        if isinstance(values.get(name), str):
            values[name] = file.parent / values[name]
    if isinstance(bundles := values.get("bundles"), dict):
        values["bundles"] = {name: file.parent / str(folder) for name, folder in bundles.items()}
    return values
