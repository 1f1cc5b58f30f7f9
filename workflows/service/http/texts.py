"""Vectors of texts, and documents ranked for a query."""

from __future__ import annotations

import base64

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from workflows.service.http.api_errors import ApiError
from workflows.service.http.bodies import EmbeddingBody, RerankBody
from workflows.service.http.context import ServerContext, unless_left
from workflows.service.http.served_model import ServedModel
from workflows.wire.events import ResultEvent
from workflows.wire.reports.embeddings import EmbedReport
from workflows.wire.reports.labels import LabelsReport
from workflows.wire.requests import Embed, LabelTexts


async def embeddings(context: ServerContext, request: Request) -> Response:
    """POST /v1/embeddings."""
    body = await context.body(request, EmbeddingBody)
    model = context.model(body.model, "vectors")
    texts = (body.input,) if isinstance(body.input, str) else tuple(body.input)
    wanted = Embed(str(model.folder), texts, table=False, vectors=True, provider=context.settings.provider)
    report = await unless_left(request, _answer(context, model, wanted))
    assert isinstance(report, EmbedReport)  # the request's answer
    if body.dimensions not in (None, report.dimensions):
        raise ApiError(400, f"The vectors of {model.name} have {report.dimensions} numbers.", param="dimensions")
    data = [
        {"object": "embedding", "index": index, "embedding": _encoded(vector, body.encoding_format)}
        for index, vector in enumerate(report.vectors)
    ]
    used = sum(report.tokens)
    tokens = {"prompt_tokens": used, "total_tokens": used}
    return JSONResponse({"object": "list", "data": data, "model": model.name, "usage": tokens})


def _encoded(vector: list[float], form: str) -> list[float] | str:
    """The numbers, or their float32 bytes in base64, which OpenAI's client asks for."""
    return vector if form == "float" else base64.b64encode(np.array(vector, "<f4").tobytes()).decode()


async def rerank(context: ServerContext, request: Request) -> Response:
    """POST /v1/rerank."""
    body = await context.body(request, RerankBody)
    model = context.model(body.model, "scores")
    texts = tuple(one if isinstance(one, str) else one.text for one in body.documents)
    wanted = LabelTexts(str(model.folder), texts, query=body.query, provider=context.settings.provider)
    report = await unless_left(request, _answer(context, model, wanted))
    assert isinstance(report, LabelsReport)  # the request's answer
    ranked = sorted(enumerate(report.ranking), key=lambda one: -one[1])[: body.top_n]
    results = [
        {"index": index, "relevance_score": score}
        | ({"document": {"text": texts[index]}} if body.return_documents else {})
        for index, score in ranked
    ]
    used = {"total_tokens": sum(report.tokens)}
    return JSONResponse({"model": model.name, "object": "list", "results": results, "usage": used})


async def _answer(context: ServerContext, model: ServedModel, wanted: Embed | LabelTexts) -> object:
    async for event in context.events(model, wanted, context.deadline()):
        if isinstance(event, ResultEvent):
            return event.value
    raise ApiError(500, "The worker gave no answer.")
