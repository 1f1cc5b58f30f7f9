"""Recordings as text, in the forms that OpenAI's reference names."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from workflows.service.http.api_errors import ApiError
from workflows.service.http.context import ServerContext, unless_left
from workflows.service.http.media_files import MediaFiles
from workflows.service.http.served_model import ServedModel
from workflows.wire.events import GenerationDone, SegmentEvent, SpeechTask
from workflows.wire.requests import Generate, SoundPrompt

_FORMS = ("json", "text", "srt", "vtt", "verbose_json")
_FIELDS = ("file", "model", "language", "response_format", "temperature", "prompt", "timestamp_granularities[]")


async def transcriptions(context: ServerContext, request: Request) -> Response:
    """POST /v1/audio/transcriptions."""
    return await _written(context, request, None)


async def translations(context: ServerContext, request: Request) -> Response:
    """POST /v1/audio/translations."""
    return await _written(context, request, "translate")


async def _written(context: ServerContext, request: Request, task: SpeechTask | None) -> Response:
    async with request.form(max_files=1, max_fields=16) as form:
        unknown = [name for name in form if name not in _FIELDS]
        sound, shape = form.get("file"), str(form.get("response_format") or "json")
        if unknown or form.get("prompt"):
            raise ApiError(400, f"This server does not know {(unknown or ['prompt'])[0][:80]}: leave it out.")
        if not isinstance(sound, UploadFile):
            raise ApiError(400, "Send the recording as the form's file.", param="file")
        if shape not in _FORMS:
            raise ApiError(400, f"response_format is one of {', '.join(_FORMS)}.", param="response_format")
        model = context.model(_text(form.get("model")), "tokens")
        files = MediaFiles()
        try:
            path = files.add(await sound.read())
            is_timed = shape in ("srt", "vtt", "verbose_json")
            prompt = SoundPrompt(path, _text(form.get("language")), task, timestamps=is_timed)
            segments, text = await unless_left(request, _transcribe(context, model, prompt))
        finally:
            files.close()
    return _response(shape, text, segments)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


async def _transcribe(
    context: ServerContext, model: ServedModel, prompt: SoundPrompt
) -> tuple[list[SegmentEvent], str]:
    segments, text = list[SegmentEvent](), ""
    async with aclosing(context.events(model, Generate(sound=prompt), context.deadline())) as events:
        async for event in events:
            if isinstance(event, SegmentEvent):
                segments.append(event)
            if isinstance(event, GenerationDone):
                text = event.text
    return segments, text.strip()


def _response(shape: str, text: str, segments: list[SegmentEvent]) -> Response:
    if shape == "text":
        return PlainTextResponse(text + "\n")
    if shape == "srt":
        blocks = [
            f"{number}\n{_clock(one.start_s, ',')} --> {_clock(one.end_s, ',')}\n{one.text.strip()}\n"
            for number, one in enumerate(segments, 1)
        ]
        return PlainTextResponse("\n".join(blocks))
    if shape == "vtt":
        blocks = [f"{_clock(one.start_s, '.')} --> {_clock(one.end_s, '.')}\n{one.text.strip()}\n" for one in segments]
        return PlainTextResponse("WEBVTT\n\n" + "\n".join(blocks))
    found: dict[str, Any] = {"text": text}
    if shape == "verbose_json":
        found |= {
            "duration": segments[-1].end_s if segments else 0.0,
            "segments": [
                {"id": place, "start": one.start_s, "end": one.end_s, "text": one.text, "tokens": one.token_ids}
                for place, one in enumerate(segments)
            ],
        }
    return JSONResponse(found)


def _clock(seconds: float, point: str) -> str:
    """hours:minutes:seconds with milliseconds, as subtitles have it."""
    whole = round(seconds * 1000)
    return f"{whole // 3_600_000:02}:{whole // 60_000 % 60:02}:{whole // 1000 % 60:02}{point}{whole % 1000:03}"
