"""The base class of requests, and the registry of jobs by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar, get_args

Answer = TypeVar("Answer", covariant=True)
Options = dict[str, object]
"""The set fields of a recipe or of GenerationOptions, by name; the engine checks their values."""


@dataclass(frozen=True)
class Request(Generic[Answer]):
    """A job with its arguments. `answer` is the class of its last event or of that event's report."""

    job: ClassVar[str]
    answer: ClassVar[type]

    def __init_subclass__(cls, job: str, **others: object) -> None:
        super().__init_subclass__(**others)
        cls.job = job
        cls.answer = get_args(cls.__orig_bases__[0])[0]  # type: ignore[attr-defined]  # the type parameter
        REQUESTS[job] = cls


REQUESTS: dict[str, type[Request[object]]] = {}
"""Job name → request class."""
