"""The worker's events as OpenAI's objects: whole ones, and the chunks of a stream.

events ──ServedReply.take──▶ ServedReply ──chat_choice, completion_choice──▶ a choice
events ──chat_chunks, completion_chunks──▶ dicts, one for each piece of text
"""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

from workflows.wire.events import ChunkEvent, Event, GenerationDone, TokenEvent, ToolCall

Chunk = dict[str, Any]
_REASONS = {"eos": "stop", "stop": "stop", "length": "length", "capacity": "length", "cancelled": "stop"}
_LEAST = -9999.0  # OpenAI's log-probability of what cannot be


@dataclass
class ServedReply:
    """One choice as far as it came. most_calls: how many calls of tools are taken; None for all.

    reused: tokens of the prompt that the cache held. text: as it was streamed.
    """

    most_calls: int | None = None
    tokens: list[TokenEvent] = field(default_factory=list)
    text: str = ""
    reused: int | None = None
    done: GenerationDone | None = None

    def take(self, event: Event) -> str:
        """Takes an event; the text that it adds."""
        if isinstance(event, ChunkEvent) and self.reused is None:
            self.reused = event.start
        if isinstance(event, TokenEvent):
            self.tokens.append(event)
            self.text += event.text
            return event.text
        if isinstance(event, GenerationDone):
            self.done = replace(event, calls=event.calls[: self.most_calls] if event.calls else event.calls)
            rest = "" if event.calls else event.text.removeprefix(self.text)
            self.text += rest
            return rest
        return ""

    @property
    def shown(self) -> list[TokenEvent]:
        """The tokens of the text: all but the one that ends it."""
        ended = self.done is not None and self.done.finish_reason == "eos"
        return self.tokens[:-1] if ended else self.tokens

    @property
    def reason(self) -> str | None:
        """Why it ended, in OpenAI's words."""
        if self.done is None:
            return None
        return "tool_calls" if self.done.calls else _REASONS[self.done.finish_reason]


class Identity:
    """What all chunks of a response have in common. kind: `chat.completion` or `text_completion`."""

    def __init__(self, kind: str, model: str) -> None:
        prefix = "chatcmpl-" if kind.startswith("chat") else "cmpl-"
        self.id, self.created = prefix + uuid.uuid4().hex, int(time.time())
        self._kind, self._model = kind, model

    def object(self, choices: list[Chunk], *, chunk: bool = False, usage: Chunk | None = None) -> Chunk:
        """A response or a chunk of one."""
        kind = f"{self._kind}.chunk" if chunk and self._kind.startswith("chat") else self._kind
        made: Chunk = {"id": self.id, "object": kind, "created": self.created, "model": self._model, "choices": choices}
        return made if usage is None else made | {"usage": usage}


def usage(replies: list[ServedReply]) -> Chunk:
    """Tokens of the prompts, each once for its choices, and of the replies."""
    done = [reply.done for reply in replies if reply.done is not None]
    prompts = {tuple(one.prompt_ids) for one in done}
    prompt, completion = sum(map(len, prompts)), sum(len(one.token_ids) for one in done)
    cached = replies[0].reused if replies else 0
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached or 0},
    }


# -- chats -----------------------------------------------------------------------------------------------------


def chat_choice(reply: ServedReply, index: int, logprobs: bool) -> Chunk:
    """A choice of a chat completion."""
    assert reply.done is not None  # it was collected
    message: Chunk = {"role": "assistant", "content": reply.text, "refusal": None}
    if reply.done.calls:
        message |= {"content": reply.text or None, "tool_calls": _calls(reply.done.calls)}
    content = [token_logprob(event) for event in reply.shown] if logprobs else None
    return {
        "index": index,
        "message": message,
        "finish_reason": reply.reason,
        "logprobs": {"content": content, "refusal": None} if logprobs else None,
    }


async def chat_chunks(
    events: AsyncIterator[Event], reply: ServedReply, index: int, logprobs: bool
) -> AsyncIterator[Chunk]:
    """The choices of a chat's chunks: the role, texts, calls of tools, and why it ended. Fills `reply`."""
    first, told = True, 0
    async for event in events:
        text = reply.take(event)
        if first:
            yield {"index": index, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}
            first = False
        if text:  # tokens without text, of which the last may end the reply, come with the next ones that have some
            made: Chunk = {"index": index, "delta": {"content": text}, "finish_reason": None}
            tokens, told = reply.shown[told:], len(reply.shown)
            if logprobs:
                made["logprobs"] = {"content": [token_logprob(token) for token in tokens], "refusal": None}
            yield made
    assert reply.done is not None  # a stream of events ends with it
    if reply.done.calls:
        calls = [{"index": place, **call} for place, call in enumerate(_calls(reply.done.calls))]
        yield {"index": index, "delta": {"tool_calls": calls}, "finish_reason": None}
    yield {"index": index, "delta": {}, "finish_reason": reply.reason}


def _calls(calls: list[ToolCall]) -> list[Chunk]:
    return [
        {
            "id": f"call_{uuid.uuid4().hex[:24]}",
            "type": "function",
            "function": {"name": one.name, "arguments": one.arguments},
        }
        for one in calls
    ]


def token_logprob(event: TokenEvent) -> Chunk:
    """A token's probability, and those of its alternatives."""
    others = [_logprob(text, probability) for _, text, probability in event.alternatives]
    return {**_logprob(event.text, event.probability), "top_logprobs": others}


def _logprob(text: str, probability: float | None) -> Chunk:
    return {"token": text, "logprob": _log(probability), "bytes": list(text.encode())}


def _log(probability: float | None) -> float:
    return math.log(probability) if probability else _LEAST


# -- completions -----------------------------------------------------------------------------------------------


def completion_choice(reply: ServedReply, index: int, logprobs: bool, before: str) -> Chunk:
    """A choice of a completion. before: the prompt where it is echoed."""
    return {
        "index": index,
        "text": before + reply.text,
        "finish_reason": reply.reason,
        "logprobs": _completion_logprobs(reply.shown, len(before)) if logprobs else None,
    }


async def completion_chunks(
    events: AsyncIterator[Event], reply: ServedReply, index: int, logprobs: bool, before: str
) -> AsyncIterator[Chunk]:
    """The choices of a completion's chunks. Fills `reply`."""
    pending, told = before, 0
    async for event in events:
        offset = len(before) + len(reply.text)
        if text := pending + reply.take(event):
            tokens, pending, told = reply.shown[told:], "", len(reply.shown)
            found = _completion_logprobs(tokens, offset) if logprobs else None
            yield {"index": index, "text": text, "finish_reason": None, "logprobs": found}
    yield {"index": index, "text": "", "finish_reason": reply.reason, "logprobs": None}


def _completion_logprobs(tokens: list[TokenEvent], offset: int) -> Chunk:
    offsets = list[int]()
    for event in tokens:
        offsets.append(offset)
        offset += len(event.text)
    return {
        "tokens": [event.text for event in tokens],
        "token_logprobs": [_log(event.probability) for event in tokens],
        "top_logprobs": [{text: _log(share) for _, text, share in event.alternatives} for event in tokens],
        "text_offset": offsets,
    }
