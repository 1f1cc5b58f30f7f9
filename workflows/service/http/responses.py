"""OpenAI's responses: whole, or as a stream of named events. Nothing of a response is kept when it has been sent.

ResponseBody ──chat_body──▶ ChatBody ──chat_request──▶ Generate ──events──▶ ResponseObject
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import ExitStack, aclosing, closing
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from workflows.common.errors import JoineryError
from workflows.service.http.api_errors import ApiError
from workflows.service.http.bodies import (
    CallItem,
    CallOutputItem,
    ChatBody,
    Item,
    Message,
    MessageCall,
    MessageItem,
    ResponseBody,
    ToolCallFunction,
)
from workflows.service.http.context import ServerContext, unless_left
from workflows.service.http.event_stream import event_line, stream, stream_error
from workflows.service.http.media_files import MediaFiles
from workflows.service.http.prompts import chat_request
from workflows.service.http.response_items import ResponseObject, response_events
from workflows.wire.events import Event

_SAME = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "seed", "adapter")
_TEXTS = ("input_text", "output_text", "text")


async def responses(context: ServerContext, request: Request) -> Response:
    """POST /v1/responses."""
    body = await context.body(request, ResponseBody)
    model, deadline = context.model(body.model, "tokens"), context.deadline()
    response = ResponseObject(body, model.name, model.own_sampling)
    with ExitStack() as ends:
        files = ends.enter_context(closing(MediaFiles()))
        events = context.generation(model, chat_request(chat_body(body), files), deadline)
        if body.stream:
            answer = await stream(request, _lines(events, response), files)
            ends.pop_all()  # the answer removes the files
            return answer
        await unless_left(request, _collect(events, response))
    return JSONResponse(response.object())


async def _collect(events: AsyncGenerator[Event], response: ResponseObject) -> None:
    async with aclosing(events):
        async for event in events:
            response.reply.take(event)


async def _lines(events: AsyncGenerator[Event], response: ResponseObject) -> AsyncGenerator[str]:
    """The numbered events; an error after the first one is the last event."""
    number = 0
    try:
        async with aclosing(events):
            async for event in response_events(events, response):
                yield event_line(event | {"sequence_number": number}, event["type"])
                number += 1
    except (JoineryError, ApiError) as error:
        if not number:
            raise
        failed = response.object("failed", stream_error(error))
        yield event_line({"type": "response.failed", "response": failed, "sequence_number": number}, "response.failed")


def chat_body(body: ResponseBody) -> ChatBody:
    """The same request as a chat's. Raises ApiError for what has no form here."""
    same = {name: getattr(body, name) for name in _SAME}
    return ChatBody(
        messages=_messages(body),
        max_completion_tokens=body.max_output_tokens,
        logprobs=body.has_logprobs,
        top_logprobs=body.top_logprobs or 0,
        response_format=_format(body),
        tools=[_tool(one) for one in body.tools] if body.tools else None,
        tool_choice=_choice(body.tool_choice),
        **same,
    )


def _messages(body: ResponseBody) -> list[Message]:
    """The instructions, and the input's items; calls that follow a message of the assistant are its own."""
    made = [Message(role="developer", content=body.instructions)] if body.instructions else []
    for item in body.input:
        if isinstance(item, CallItem):
            begun = made.pop() if made and made[-1].role == "assistant" else Message(role="assistant")
            function = ToolCallFunction(name=item.name, arguments=item.arguments)
            calls = [*(begun.tool_calls or ()), MessageCall(id=item.call_id, function=function)]
            made.append(begun.model_copy(update={"tool_calls": calls}))
        else:
            made.append(_message(item, body.input))
    return made


def _message(item: MessageItem | CallOutputItem, items: Sequence[Item]) -> Message:
    if isinstance(item, MessageItem):
        return Message(role=item.role, content=_content(item.content))
    names = [one.name for one in items if isinstance(one, CallItem) and one.call_id == item.call_id]
    if not names:
        raise ApiError(
            400, "A function_call_output names a call that is not in input: send the call too.", param="input"
        )
    return Message(role="tool", content=_content(item.output), name=names[0], tool_call_id=item.call_id)


def _content(content: str | list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    return content if isinstance(content, str) else [_part(part) for part in content]


def _part(part: dict[str, Any]) -> dict[str, Any]:
    """The part as a chat's message has it."""
    kind = part.get("type")
    if kind in _TEXTS and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    if kind == "input_image":
        return {"type": "image_url", "image_url": {"url": part.get("image_url")}}
    if kind == "input_audio":
        return part
    raise ApiError(400, "The parts of input are input_text, output_text, input_image and input_audio.", param="input")


def _format(body: ResponseBody) -> dict[str, Any] | None:
    """`text.format` as a chat's response_format: the schema stands one level deeper there."""
    form = body.text.format if body.text is not None else None
    if form is None or form.get("type") == "text":
        return None
    if body.tools:
        raise ApiError(400, "A response has one constraint: leave text.format or tools out.", param="text.format")
    if form.get("type") == "json_object":
        return form
    if form.get("type") != "json_schema" or not isinstance(form.get("schema"), dict):
        message = "text.format is text, json_object or json_schema with a schema."
        raise ApiError(400, message, param="text.format")
    return {"type": "json_schema", "json_schema": {"schema": form["schema"]}}


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    if tool.get("type") != "function" or not isinstance(tool.get("name"), str):
        raise ApiError(400, "The tools of this server are functions with a name.", param="tools")
    fields = ("name", "description", "parameters")
    return {"type": "function", "function": {name: tool[name] for name in fields if tool.get(name) is not None}}


def _choice(choice: Any) -> Any:
    """`tool_choice` as a chat's: the name stands one level deeper there."""
    if isinstance(choice, dict):
        return {"type": "function", "function": {"name": choice.get("name")}}
    return choice
