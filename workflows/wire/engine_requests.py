"""Requests about the open bundle."""

from __future__ import annotations

from dataclasses import dataclass, field

from workflows.common.errors import RequestError
from workflows.wire.events import GenerationDone, ReadyEvent
from workflows.wire.reports.base import Done
from workflows.wire.request import Options, Request


@dataclass(frozen=True)
class Turn:
    """One message of a chat; role is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class Open(Request[ReadyEvent], job="open"):
    """Opens a bundle after closing the open one. capacity: cache slots; None is the bundle's own.

    place: component → its provider, where it differs. draft: the folder of the draft bundle.
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
    """Generates after chat messages, a text or token ids.

    options: the set fields of GenerationOptions, by name; the engine checks them. tools: a JSON list for the chat
    template. prefill: the beginning of the reply to messages.
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
    """Rewinds the cache to the first `length` tokens."""

    length: int


@dataclass(frozen=True)
class SaveCache(Request[Done], job="save_cache"):
    """Saves the cache's content to a file."""

    path: str


@dataclass(frozen=True)
class LoadCache(Request[Done], job="load_cache"):
    """Loads the cache's content from a file."""

    path: str


@dataclass(frozen=True)
class UseDraft(Request[Done], job="draft"):
    """Sets the draft bundle; None removes it. After an error the old one stays."""

    folder: str | None = None


@dataclass(frozen=True)
class Close(Request[Done], job="close"):
    """Closes the open bundle."""
