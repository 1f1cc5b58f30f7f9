"""What every request is, and the names of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar, get_args

Answer = TypeVar("Answer", covariant=True)
Options = dict[str, object]
"""What a person chose among the fields of a recipe or of a generation; the engine checks these by itself."""


@dataclass(frozen=True)
class Request(Generic[Answer]):
    """A job with its fields. `answer` is the class of what it ends with: a report, or an event of its own."""

    job: ClassVar[str]
    answer: ClassVar[type]

    def __init_subclass__(cls, job: str, **others: object) -> None:
        super().__init_subclass__(**others)
        cls.job = job
        cls.answer = get_args(cls.__orig_bases__[0])[0]  # type: ignore[attr-defined]  # said once, as the parameter
        REQUESTS[job] = cls


REQUESTS: dict[str, type[Request[object]]] = {}
"""Every job, by its name."""
