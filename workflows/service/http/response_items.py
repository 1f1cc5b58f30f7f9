"""OpenAI's responses: the object, and the events of its stream.

worker's events ──ServedReply──▶ ResponseObject.output: a message's text, calls of tools
worker's events ──response_events──▶ response.created … output_text.delta … response.completed

Source: https://platform.openai.com/docs/api-reference/responses-streaming.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any

from workflows.service.http.api_errors import ApiError
from workflows.service.http.bodies import ResponseBody, most_calls
from workflows.service.http.replies import Chunk, ServedReply, token_logprob, usage
from workflows.service.http.served_model import OwnSampling
from workflows.wire.events import Event, ToolCall

_TOOL = {"description": None, "parameters": None, "strict": True}  # its schema is kept to
_ENDED = {"length": "incomplete", "stop": "completed", "tool_calls": "completed"}


class ResponseObject:
    """One response. own: what the request leaves out. reply: what has come of it."""

    def __init__(self, body: ResponseBody, model: str, own: OwnSampling) -> None:
        self.reply = ServedReply(most_calls(body))
        self._body, self._model, self._own = body, model, own
        self._id, self._created = _new("resp"), int(time.time())
        self._message, self._call_ids = _new("msg"), list[tuple[str, str]]()

    def object(self, status: str = "", error: ApiError | None = None) -> Chunk:
        """The response. status: empty for how the reply ended."""
        body, status = self._body, status or self.status
        is_ended = status in ("completed", "incomplete")
        return {
            "id": self._id, "object": "response", "created_at": self._created, "status": status, "background": False,
            "completed_at": int(time.time()) if is_ended else None,
            "error": None if error is None else {"code": "server_error", "message": error.message},
            "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
            "instructions": body.instructions, "max_output_tokens": body.max_output_tokens, "model": self._model,
            "output": self.output if is_ended else [], "parallel_tool_calls": body.parallel_tool_calls is not False,
            "previous_response_id": None, "store": False,
            "temperature": self._own.temperature if body.temperature is None else body.temperature,
            "top_p": self._own.top_p if body.top_p is None else body.top_p,
            "presence_penalty": 0.0, "frequency_penalty": 0.0, "reasoning": None, "max_tool_calls": None,
            "service_tier": "default", "safety_identifier": None, "prompt_cache_key": None,
            "text": {"format": (body.text and body.text.format) or {"type": "text"}},
            "tool_choice": body.tool_choice or "auto", "tools": [_TOOL | one for one in body.tools or ()],
            "truncation": "disabled",
            "top_logprobs": body.top_logprobs or 0, "metadata": body.metadata or {}, "user": body.user,
            "usage": self._usage() if is_ended else None,
        }  # fmt: skip

    @property
    def status(self) -> str:
        """How the reply ended."""
        assert self.reply.reason is not None  # it was collected
        return _ENDED[self.reply.reason]

    @property
    def output(self) -> list[Chunk]:
        """The items: the text where there is any, or nothing else; then the calls."""
        calls = self.calls()
        return ([self.message(self.status)] if self.reply.text or not calls else []) + calls

    def message(self, status: str) -> Chunk:
        """The text's item."""
        content = [] if status == "in_progress" else [self.text_part(self.reply.text, self.logprobs())]
        return {"id": self._message, "type": "message", "role": "assistant", "status": status, "content": content}

    @staticmethod
    def text_part(text: str, logprobs: list[Chunk]) -> Chunk:
        """The content of a message."""
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": logprobs}

    def logprobs(self, first: int = 0) -> list[Chunk]:
        """Of the text's tokens from the `first`, where they were asked for."""
        return [token_logprob(event) for event in self.reply.shown[first:]] if self._body.has_logprobs else []

    def calls(self) -> list[Chunk]:
        """The calls' items."""
        assert self.reply.done is not None  # it was collected
        calls = self.reply.done.calls or []
        while len(self._call_ids) < len(calls):
            self._call_ids.append((_new("fc"), _new("call")))
        return [_call(*ids, call) for ids, call in zip(self._call_ids, calls, strict=True)]

    def _usage(self) -> Chunk:
        counts = usage([self.reply])
        return {
            "input_tokens": counts["prompt_tokens"],
            "input_tokens_details": counts["prompt_tokens_details"] | {"cache_write_tokens": 0},
            "output_tokens": counts["completion_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": counts["total_tokens"],
        }


def _new(prefix: str) -> str:
    return f"{prefix}_{uuid.uuid4().hex}"


def _call(ident: str, call_id: str, call: ToolCall) -> Chunk:
    return {"id": ident, "type": "function_call", "call_id": call_id, "name": call.name, "arguments": call.arguments,
            "status": "completed"}  # fmt: skip


async def response_events(events: AsyncIterator[Event], response: ResponseObject) -> AsyncIterator[Chunk]:
    """The events of a stream, without their numbers. Fills the response's reply."""
    reply, begun, written = response.reply, False, 0
    async for event in events:
        text = reply.take(event)
        if not begun:
            begun = True
            yield {"type": "response.created", "response": response.object("in_progress")}
            yield {"type": "response.in_progress", "response": response.object("in_progress")}
        if text:
            if reply.text == text:
                for one in _opened_message(response):
                    yield one
            place = _place(response)
            logprobs, written = response.logprobs(written), len(reply.shown)
            yield {"type": "response.output_text.delta", **place, "delta": text, "logprobs": logprobs}
    for one in _closing(response):
        yield one
    yield {"type": f"response.{response.status}", "response": response.object()}


def _place(response: ResponseObject) -> dict[str, Any]:
    return {"item_id": response.message("in_progress")["id"], "output_index": 0, "content_index": 0}


def _opened_message(response: ResponseObject) -> Iterator[Chunk]:
    item = response.message("in_progress")
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.content_part.added", **_place(response), "part": response.text_part("", [])}


def _closing(response: ResponseObject) -> Iterator[Chunk]:
    """The events that end each item."""
    for index, item in enumerate(response.output):
        if item["type"] == "message":
            if not response.reply.text:
                yield from _opened_message(response)
            part = item["content"][0]
            text = {"text": part["text"], "logprobs": part["logprobs"]}
            yield {"type": "response.output_text.done", **_place(response), **text}
            yield {"type": "response.content_part.done", **_place(response), "part": part}
        else:
            place = {"item_id": item["id"], "output_index": index}
            begun = item | {"arguments": "", "status": "in_progress"}
            yield {"type": "response.output_item.added", "output_index": index, "item": begun}
            yield {"type": "response.function_call_arguments.delta", **place, "delta": item["arguments"]}
            done = {"name": item["name"], "arguments": item["arguments"]}
            yield {"type": "response.function_call_arguments.done", **place, **done}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
