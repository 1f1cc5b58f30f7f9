"""Requests as lines of JSON, written and parsed.

Probe(source) ──to_line(id)──▶ {"id","job","source"} ──parse_line──▶ Envelope ──read_request──▶ Probe(source)
"""

from __future__ import annotations

import json
from typing import NamedTuple

from workflows.common.errors import RequestError, printable
from workflows.wire.codec import PayloadMismatch, dumps, read, to_fields
from workflows.wire.requests import REQUESTS, Request


class Envelope(NamedTuple):
    """A parsed line whose fields are not checked yet."""

    id: int
    job: str
    fields: dict[str, object]


def to_line(ident: int, request: Request[object]) -> str:
    """One line of JSON, without a line end."""
    return dumps({"id": ident, "job": request.job, **to_fields(request)})


def parse_line(line: str) -> Envelope:
    """Parses a line. Raises RequestError for one without an id to answer to."""
    try:
        payload = json.loads(line)
        ident, job = payload.pop("id"), payload.pop("job")
        if type(ident) is int and isinstance(job, str):
            return Envelope(ident, job, payload)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    raise RequestError("A request was no JSON object with an id and a job.")


def read_request(envelope: Envelope) -> Request[object]:
    """The request in an envelope. Raises RequestError for a job or a field that is not what it should be."""
    job = envelope.job
    if job not in REQUESTS:
        raise RequestError(f"No job is called {printable(job)!r}: there are {', '.join(REQUESTS)}.")
    try:
        return read(REQUESTS[job], envelope.fields)
    except PayloadMismatch as error:
        raise RequestError(f"The job {job} {error}.") from None
