"""Requests about the bundle that is open."""

from __future__ import annotations

from dataclasses import dataclass, field

from workflows.common.errors import RequestError
from workflows.wire.events import GenerationDone, ReadyEvent
from workflows.wire.reports.base import Done
from workflows.wire.request import Options, Request


@dataclass(frozen=True)
class Turn:
    """One message of a conversation: role is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class Open(Request[ReadyEvent], job="open"):
    """Opens a bundle in place of the one that is open. capacity: slots; None is the bundle's own.

    place: component → the provider that it has instead. draft: the folder of a bundle that drafts its tokens.
    """

    bundle: str
    provider: str = "cpu"
    cache: str | None = None
    capacity: int | None = None
    session_options: dict[str, str] = field(default_factory=dict)
    place: dict[str, str] = field(default_factory=dict)
    draft: str | None = None

    def __post_init__(self) -> None:
        if self.capacity is not None and self.capacity < 1:
            raise RequestError(f"The capacity cannot be {self.capacity}: give a whole number above 0.")


@dataclass(frozen=True)
class Generate(Request[GenerationDone], job="generate"):
    """One generation, after a conversation, a text or ids.

    tools: a JSON list that the model is told of. prefill: what the reply to messages begins with.
    """

    messages: tuple[Turn, ...] | None = None
    prompt: str | None = None
    prompt_ids: tuple[int, ...] | None = None
    options: Options = field(default_factory=dict)
    tools: str = ""
    prefill: str = ""

    def __post_init__(self) -> None:
        if self.messages is None and self.prompt is None and self.prompt_ids is None:
            raise RequestError("The job generate lacks its 'messages', 'prompt' or 'prompt_ids'.")


@dataclass(frozen=True)
class Rewind(Request[Done], job="rewind"):
    """Back to the first `length` tokens."""

    length: int


@dataclass(frozen=True)
class SaveCache(Request[Done], job="save_cache"):
    """What the cache holds, to a file."""

    path: str


@dataclass(frozen=True)
class LoadCache(Request[Done], job="load_cache"):
    """The cache from a file."""

    path: str


@dataclass(frozen=True)
class UseDraft(Request[Done], job="draft"):
    """The bundle in `folder` drafts from now on; None: none does. Where it cannot, all stays as it was."""

    folder: str | None = None


@dataclass(frozen=True)
class Close(Request[Done], job="close"):
    """Closes the bundle."""
