"""Which fields of requests are paths, and what another machine has in their place: the one table of it.

request ──mapped──▶ the same request with paths of the other machine; what it writes there is fetched afterwards
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from workflows.common.errors import RequestError
from workflows.service.remote.copying import Copier
from workflows.wire import requests
from workflows.wire.requests import Request

_R = TypeVar("_R", bound=Request[object])
_FIELDS: dict[type[Request[object]], tuple[str, ...]] = {
    requests.Open: ("bundle", "draft"),
    requests.UseDraft: ("folder",),
    requests.Embed: ("bundle",),
    requests.LabelTexts: ("bundle",),
    requests.LoadCache: ("path",),
    requests.VerifyBundle: ("bundle",),
    requests.DescribeSound: ("path",),
    requests.ListDevices: ("bundle",),
    requests.Preflight: ("bundle",),
    requests.Bench: ("bundle",),
    requests.Profile: ("path",),
}
"""Request → the fields that name a file or folder to copy; empty ones stay."""
_PLAIN: tuple[type[Request[object]], ...] = (requests.Rewind, requests.Close, requests.CheckConstraint)
"""Requests without paths."""


class MappedRequest(NamedTuple):
    """A request for the other machine. fetched: (path there, path here) of the file that it writes."""

    request: Request[object]
    fetched: tuple[str, str] | None = None


def map_request(request: Request[object], copier: Copier, output_file: Callable[[str], str]) -> MappedRequest:
    """The request with what it reads copied. output_file: a path there for the name of a file.

    Raises RequestError for a job that another machine does not run, and as Copier does.
    """
    if isinstance(request, requests.SaveCache):
        there = output_file(Path(request.path).name)
        return MappedRequest(replace(request, path=there), (there, request.path))
    if isinstance(request, requests.Generate):
        return MappedRequest(_map_prompt(request, copier))
    if isinstance(request, requests.Eval):
        return MappedRequest(_map_eval(request, copier))
    if isinstance(request, requests.Diverge):
        return MappedRequest(_map_comparison(request, copier))
    if isinstance(request, requests.RecordValues):
        there = output_file(Path(request.path).name)
        return MappedRequest(
            requests.RecordValues(_map_comparison(request.comparison, copier), there), (there, request.path)
        )
    if isinstance(request, _PLAIN):
        return MappedRequest(request)
    names = _FIELDS.get(type(request))
    if names is None:
        raise RequestError(f"The job {request.job} runs on this machine alone: choose this machine for it.")
    changes = {name: _place(copier, getattr(request, name)) for name in names if getattr(request, name)}
    return MappedRequest(_with(request, changes))


def _with(request: _R, changes: dict[str, str]) -> _R:
    return replace(request, **changes)


def _place(copier: Copier, path: str) -> str:
    return copier.place(Path(path)) if Path(path).exists() else copier.folder(Path(path))


def _map_prompt(request: requests.Generate, copier: Copier) -> requests.Generate:
    turns = request.messages
    if turns is not None:
        turns = tuple(
            replace(
                turn,
                pictures=tuple(copier.file(Path(one)) for one in turn.pictures),
                sounds=tuple(copier.file(Path(one)) for one in turn.sounds),
            )
            for turn in turns
        )
    sound = request.sound
    if sound is not None:
        sound = replace(sound, path=copier.file(Path(sound.path)))
    return replace(request, messages=turns, sound=sound)


def _map_comparison(request: requests.Diverge, copier: Copier) -> requests.Diverge:
    a, b = (replace(one, bundle=_place(copier, one.bundle)) for one in (request.a, request.b))
    recorded = copier.file(Path(request.recorded)) if request.recorded else ""
    return replace(request, a=a, b=b, recorded=recorded)


def _map_eval(request: requests.Eval, copier: Copier) -> requests.Eval:
    against = copier.folder(Path(request.against)) if Path(request.against).is_dir() else request.against
    task = request.task
    if task is not None:
        task = replace(task, file=copier.file(Path(task.file)))
    prompts = copier.file(Path(request.prompts)) if request.prompts else ""
    return replace(request, bundle=_place(copier, request.bundle), against=against, prompts=prompts, task=task)
