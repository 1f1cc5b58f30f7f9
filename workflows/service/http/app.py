"""The routes, as a Starlette application.

/v1/models · chat/completions · completions · responses · embeddings · rerank
/v1/audio/transcriptions · audio/translations
/health · /ready · /metrics · /status
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from workflows.common.errors import JoineryError
from workflows.service.http.api_errors import ApiError, api_error
from workflows.service.http.context import ServerContext
from workflows.service.http.generations import chat_completions, completions
from workflows.service.http.guard import Guard
from workflows.service.http.responses import responses
from workflows.service.http.served_model import ServedModel
from workflows.service.http.settings import ServerSettings
from workflows.service.http.speech import transcriptions, translations
from workflows.service.http.status import OnStatus, report_status, show_status
from workflows.service.http.texts import embeddings, rerank

_LOOK_S = 1.0  # between looks for unused bundles
Handler = Callable[[ServerContext, Request], Awaitable[Response]]
_ROUTES: dict[str, Handler] = {
    "/v1/chat/completions": chat_completions,
    "/v1/completions": completions,
    "/v1/responses": responses,
    "/v1/embeddings": embeddings,
    "/v1/rerank": rerank,
    "/v1/audio/transcriptions": transcriptions,
    "/v1/audio/translations": translations,
}


def make_app(settings: ServerSettings, on_status: OnStatus | None = None) -> Starlette:
    """The application. on_status: called when what it does has changed. Raises BundleError for a folder without one."""
    context = ServerContext(settings)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(_close_unused(list(context.models.values())))]
        if on_status is not None:
            tasks.append(asyncio.create_task(report_status(context, on_status)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.gather(*(model.close() for model in context.models.values()))

    routes = [Route(path, _answering(context, path, handler), methods=["POST"]) for path, handler in _ROUTES.items()]
    routes += [
        Route("/v1/models", _answering(context, "/v1/models", _list_models)),
        Route("/v1/models/{model:path}", _answering(context, "/v1/models", _show_model)),
        Route("/health", _health),
        Route("/ready", _answering(context, "/ready", _ready)),
        Route("/metrics", _answering(context, "/metrics", _metrics)),
        Route("/status", _answering(context, "/status", show_status)),
    ]
    errors = {404: _no_route, 405: _wrong_method}
    app = Starlette(
        routes=routes, lifespan=lifespan, middleware=[Middleware(Guard, settings=settings)], exception_handlers=errors
    )
    app.state.context = context
    return app


async def _close_unused(models: Sequence[ServedModel]) -> None:
    while True:
        await asyncio.sleep(_LOOK_S)
        for model in models:
            await model.close_if_unused()


def _answering(context: ServerContext, route: str, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """The handler; its errors are responses, and every response is counted."""

    async def answer(request: Request) -> Response:
        try:
            response = await handler(context, request)
        except JoineryError as error:
            response = _refusal(api_error(error))
        except ApiError as error:
            response = _refusal(error)
        context.metrics.requests.labels(route, str(response.status_code)).inc()
        return response

    return answer


def _refusal(error: ApiError) -> Response:
    headers = {"Retry-After": "1"} if error.status in (429, 503) else None
    return JSONResponse(error.body, error.status, headers)


async def _no_route(request: Request, _error: Exception) -> Response:
    return _refusal(ApiError(404, f"There is no {request.url.path[:200]}: see /v1/models for what is served."))


async def _wrong_method(request: Request, _error: Exception) -> Response:
    return _refusal(ApiError(405, f"{request.url.path[:200]} takes another method than {request.method}."))


async def _list_models(context: ServerContext, _request: Request) -> Response:
    return JSONResponse({"object": "list", "data": [_described(one) for one in context.models.values()]})


async def _show_model(context: ServerContext, request: Request) -> Response:
    return JSONResponse(_described(context.model(request.path_params["model"])))


def _described(model: ServedModel) -> dict[str, object]:
    state = {
        "gives": model.gives,
        "open": model.pid is not None,
        "rows": model.rows,
        "waiting": model.waiting,
        "running": model.running,
    }
    return {"id": model.name, "object": "model", "created": model.created, "owned_by": "joinery", **state}


async def _health(_request: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _ready(context: ServerContext, _request: Request) -> Response:
    """Ready where each bundle is there and its queue has room."""
    full = [one.name for one in context.models.values() if one.waiting >= max(context.settings.queue, 1)]
    return JSONResponse({"status": "busy" if full else "ready", "full": full}, 503 if full else 200)


async def _metrics(context: ServerContext, _request: Request) -> Response:
    return Response(context.metrics.text(context.models.values()), media_type="text/plain; version=0.0.4")
