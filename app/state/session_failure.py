"""The failure of a session or a generation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionFailure:
    """Why a session or one generation failed. `kind` is that of the ErrorEvent, `crashed`, or `stopped` by force."""

    kind: str
    message: str
    details: str = ""
