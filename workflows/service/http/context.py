"""What all routes share: the served bundles, the settings, and how a body becomes an answer in time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from workflows.common.errors import printable
from workflows.service.http.api_errors import ApiError, body_error
from workflows.service.http.metrics import Metrics
from workflows.service.http.request_log import RequestLog
from workflows.service.http.served_model import ServedModel
from workflows.service.http.settings import ServerSettings
from workflows.wire import requests
from workflows.wire.events import Event
from workflows.wire.reports.server import ServerStatus

_Body = TypeVar("_Body", bound=BaseModel)
_Answer = TypeVar("_Answer")


class ServerContext:
    """One server's state. Raises BundleError for a folder that holds no bundle."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings, self.metrics, self.log = settings, Metrics(), RequestLog()
        self.models = {name: ServedModel(name, folder, settings) for name, folder in settings.bundles.items()}

    def model(self, name: str | None, gives: str | None = None) -> ServedModel:
        """The bundle of this name; of None, the only one of the kind. gives: what it must make."""
        if name is None:
            kind = [one for one in self.models.values() if gives in (None, one.gives)]
            if len(kind) != 1:
                raise ApiError(400, f"Name one of the models: {', '.join(self.models)}.", param="model")
            return kind[0]
        if name not in self.models:
            message = f"There is no model {printable(name, 80)!r}: {', '.join(self.models)} are served."
            raise ApiError(404, message, param="model", code="model_not_found")
        model = self.models[name]
        if gives not in (None, model.gives):
            raise ApiError(400, f"The model {name} gives {model.gives}, and this route {gives}.", param="model")
        return model

    async def body(self, request: Request, kind: type[_Body]) -> _Body:
        """The body, checked. Raises ApiError that names the wrong field."""
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise ApiError(415, "Send the body as JSON, with Content-Type: application/json.")
        try:
            async with asyncio.timeout(self.settings.seconds):
                content = await request.body()
            return kind.model_validate_json(content)
        except TimeoutError:
            raise ApiError(408, "The body took longer than this server allows.", code="timeout") from None
        except ValidationError as error:
            raise body_error(error) from None

    def status(self) -> ServerStatus:
        """What the server does now."""
        return self.log.status(self.models.values())

    def deadline(self) -> float:
        """When a request that begins now must be answered, by the loop's clock."""
        return asyncio.get_running_loop().time() + self.settings.seconds

    def events(self, model: ServedModel, request: requests.Request[object], deadline: float) -> AsyncGenerator[Event]:
        """The events of a request until the deadline."""
        return self.log.follow(model, request, deadline)

    async def generation(
        self, model: ServedModel, request: requests.Generate, deadline: float
    ) -> AsyncGenerator[Event]:
        """The events of a generation until the deadline, which the metrics count."""
        meter = self.metrics.follow(model.name)
        async with aclosing(self.events(model, request, deadline)) as events:
            async for event in events:
                meter.take(event)
                yield event


async def unless_left(request: Request, answer: Awaitable[_Answer]) -> _Answer:
    """The answer; cancelled where the client leaves before. Raises ApiError then, which nobody reads."""
    work = asyncio.ensure_future(answer)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((work, leaving), return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        raise ApiError(499, "The client has left.")
    finally:
        for one in (work, leaving):
            one.cancel()
        await asyncio.gather(work, leaving, return_exceptions=True)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
