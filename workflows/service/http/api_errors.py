"""Errors in OpenAI's form: {"error": {"message", "type", "param", "code"}}."""

from __future__ import annotations

from pydantic import ValidationError

from workflows.common.errors import (
    Cancelled,
    CapacityError,
    JoineryError,
    MemoryShortError,
    PromptLengthError,
    RequestError,
    printable,
)
from workflows.service.http.served_model import QueueFullError
from workflows.service.http.served_worker import UnreadError, WorkerLostError


class ApiError(Exception):
    """A response that is an error. kind: OpenAI's `type`. param: the wrong field."""

    def __init__(self, status: int, message: str, kind: str = "", param: str | None = None, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.param, self.code = status, message, param, code or None
        self.kind = kind or ("invalid_request_error" if status < 500 else "server_error")

    @property
    def body(self) -> dict[str, object]:
        """The JSON object of the response."""
        error = {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}
        return {"error": error}


def api_error(error: JoineryError) -> ApiError:
    """The response to an error of the engine."""
    message = str(error)
    if isinstance(error, QueueFullError):
        return ApiError(429, message, "rate_limit_error", code="queue_full")
    if isinstance(error, CapacityError | PromptLengthError):
        return ApiError(400, message, code="context_length_exceeded")
    if isinstance(error, RequestError):
        return ApiError(400, message)
    if isinstance(error, UnreadError):
        return ApiError(408, message, code="unread")
    if isinstance(error, WorkerLostError | MemoryShortError | Cancelled):
        return ApiError(503, message, code="unavailable")
    return ApiError(500, message)


def body_error(error: ValidationError) -> ApiError:
    """The response to a body with wrong fields; names the first."""
    first = error.errors()[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "json_invalid":
        return ApiError(400, "The body cannot be read as JSON: send an object.")
    if first["type"] == "extra_forbidden":
        return ApiError(400, f"This server does not know {printable(name, 80)}: leave it out.", param=name)
    message = str(first.get("ctx", {}).get("error", first["msg"]))
    where = printable(name, 80) if name else "The body"
    return ApiError(400, f"{where} is wrong: {printable(message, 200)}.", param=name or None)
