"""What a server does: its bundles, and the requests of its clients. No field holds the text of a prompt or a reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workflows.wire.reports.base import Report

RequestKind = Literal["chat", "completion", "embedding", "rerank", "transcription"]
RequestState = Literal["waiting", "opening", "running", "done", "failed", "cancelled"]
TIME_LIMIT = "timeout"
"""The reason of a request that took longer than the server allows."""


@dataclass
class ServedRequest:
    """One generation, or one list of texts. number: counts from 1 since the start. seconds: since it came, to its end.

    opening: the bundle is opened for it. cancelled: the client left. prompt_tokens: read so far,
    of which cached_tokens were in the cache. tokens: of the reply; tokens_per_s: from the first to the newest one, 0
    before the second. reason: the error's code, where it failed.
    """

    number: int
    model: str
    kind: RequestKind
    state: RequestState
    seconds: float
    prompt_tokens: int = 0
    cached_tokens: int = 0
    tokens: int = 0
    tokens_per_s: float = 0.0
    reason: str = ""


@dataclass
class ServedBundle:
    """A bundle. gives: tokens, vectors or scores. open: whether a process has it open. rows: requests at a time.

    cache_used: slots of the requests that run, of cache_slots of all rows; 0 of 0 before the first request. provider:
    the execution provider that runs it.
    """

    name: str
    gives: str
    open: bool
    rows: int
    waiting: int
    running: int
    cache_used: int
    cache_slots: int
    provider: str = "cpu"


@dataclass
class ServerStatus(Report):
    """uptime_s: seconds since the start. requests: all that have not ended, and the last ones that have, newest last.

    done, failed, cancelled: ended requests since the start. prompt_tokens, cached_tokens, tokens: of all requests.
    """

    uptime_s: float
    bundles: list[ServedBundle]
    requests: list[ServedRequest]
    done: int
    failed: int
    cancelled: int
    prompt_tokens: int
    cached_tokens: int
    tokens: int
