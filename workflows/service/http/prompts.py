"""Bodies as the worker's requests.

ChatBody ──chat_request──▶ Generate of turns; CompletionBody ──completion_requests──▶ Generate of each prompt
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from workflows.service.http.api_errors import ApiError
from workflows.service.http.bodies import ChatBody, CompletionBody, Message, Sampling
from workflows.service.http.media_files import MediaFiles
from workflows.wire.requests import Generate, Options, Turn

_ALONE = ("temperature", "top_k", "top_p", "min_p", "repetition_penalty")
_SEEDS = 1 << 63
_UNLIMITED = 1 << 30  # tokens: the cache or the time ends the reply
Choice = Literal["auto", "required"] | None


def chat_request(body: ChatBody, files: MediaFiles, number: int = 0) -> Generate:
    """The request of the choice `number`. Raises ApiError for what has no form here."""
    tools, choice = _tools(body)
    options = sampling_options(body, number)
    options["max_new_tokens"] = body.max_completion_tokens or body.max_tokens or _UNLIMITED
    if body.logprobs:
        options["alternatives"] = body.top_logprobs
    elif body.top_logprobs:
        raise ApiError(400, "top_logprobs needs logprobs: set it to true.", param="top_logprobs")
    if (schema := _schema(body)) is not None:
        if choice is not None:
            raise ApiError(400, "A reply has one constraint: leave response_format or tools out.", param="tools")
        options["json_schema"] = schema
    return Generate(
        messages=tuple(_turn(message, files) for message in body.messages),
        options=options,
        tools=json.dumps(tools) if tools else "",
        tool_choice=choice,
    )


def completion_requests(body: CompletionBody) -> list[Generate]:
    """A request for each choice of each prompt, in order."""
    made = []
    for prompt in _prompts(body):
        for number in range(body.n):
            options = sampling_options(body, number) | {"max_new_tokens": body.max_tokens}
            if body.logprobs is not None:
                options["alternatives"] = body.logprobs
            if isinstance(prompt, str):
                made.append(Generate(prompt=prompt, options=options))
            else:
                made.append(Generate(prompt_ids=tuple(prompt), options=options))
    return made


def _prompts(body: CompletionBody) -> Sequence[str | list[int]]:
    given: Any = body.prompt
    if isinstance(given, str) or isinstance(given[0], int):
        return [given]
    return list(given)


def sampling_options(body: Sampling, number: int) -> Options:
    """The generation's options. number: of the choice, which is added to the seed.

    Biases and penalties are ops of a chain, which replaces the single options.
    """
    options: Options = {}
    if body.seed is not None:
        options["seed"] = (body.seed + number) % _SEEDS
    if body.stops:
        options["stop"] = body.stops
    if body.adapter is not None:
        options["adapter"] = body.adapter
    single = {name: getattr(body, name) for name in _ALONE if getattr(body, name) is not None}
    chain = _chain(body, single)
    return options | ({"chain": chain} if chain else single)


def _chain(body: Sampling, single: dict[str, Any]) -> list[dict[str, object]]:
    """Empty where the single options are enough."""
    ops: list[dict[str, object]] = [{"op": "logit_bias", "map": body.logit_bias}] if body.logit_bias else []
    penalties = {"frequency_penalty": body.frequency_penalty, "presence_penalty": body.presence_penalty}
    ops += [{"op": name, "value": value} for name, value in penalties.items() if value]
    if not ops:
        return []
    values = {"repetition_penalty": 1.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0} | single
    if values["repetition_penalty"] != 1:
        ops.append({"op": "repetition_penalty", "value": values["repetition_penalty"]})
    if values.get("temperature"):
        ops.append({"op": "temperature", "value": values["temperature"]})
        for name, nothing in (("top_k", 0), ("top_p", 1), ("min_p", 0)):
            if values[name] != nothing:
                ops.append({"op": name, "value": values[name]})
        ops.append({"op": "sample"})
    return ops


def _turn(message: Message, files: MediaFiles) -> Turn:
    texts, pictures, sounds = list[str](), list[str](), list[str]()
    parts = [{"type": "text", "text": message.content}] if isinstance(message.content, str) else message.content or ()
    for part in parts:
        kind = part.get("type")
        if kind == "text" and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif kind == "image_url":
            pictures.append(files.picture(part))
        elif kind == "input_audio":
            sounds.append(files.sound(part))
        else:
            raise ApiError(400, "A message's parts are text, image_url and input_audio.", param="messages")
    calls = [_past_call(one.function.name, one.function.arguments, one.id) for one in message.tool_calls or ()]
    return Turn(
        role="system" if message.role == "developer" else message.role,
        content="\n".join(texts),
        pictures=tuple(pictures),
        sounds=tuple(sounds),
        tool_calls=json.dumps(calls) if calls else None,
        name=message.name,
        tool_call_id=message.tool_call_id,
    )


def _past_call(name: str, arguments: str, ident: str) -> dict[str, object]:
    """A call as templates read it: its arguments are an object."""
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError):
        raise ApiError(400, "The arguments of a tool call are no JSON object.", param="messages") from None
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": values}}


def _schema(body: ChatBody) -> str | None:
    """The JSON schema that the reply must fit; None for any text."""
    form = body.response_format or {"type": "text"}
    if form.get("type") == "text":
        return None
    if form.get("type") == "json_object":
        return json.dumps({"type": "object"})
    stated = form.get("json_schema")
    schema = stated.get("schema") if isinstance(stated, dict) else None
    if form.get("type") != "json_schema" or not isinstance(schema, dict):
        raise ApiError(
            400, "response_format is text, json_object or json_schema with a schema.", param="response_format"
        )
    return json.dumps(schema)


def _tools(body: ChatBody) -> tuple[list[dict[str, Any]], Choice]:
    """The tools that the template shows, and how the reply is constrained."""
    tools, choice = body.tools or [], body.tool_choice
    if choice == "none" or not tools:
        if choice not in (None, "none", "auto"):
            raise ApiError(400, "tool_choice needs tools: send them too.", param="tool_choice")
        return tools if choice == "none" else [], None
    if isinstance(choice, dict):
        wanted = choice.get("function", {}).get("name") if isinstance(choice.get("function"), dict) else None
        chosen = [
            one for one in tools if isinstance(one.get("function"), dict) and one["function"].get("name") == wanted
        ]
        if not chosen:
            raise ApiError(400, "tool_choice names a tool that is not among tools.", param="tool_choice")
        return chosen, "required"
    return tools, "required" if choice == "required" else "auto"


def _tool_name(tool: dict[str, Any]) -> object:
    function = tool.get("function")
    return function.get("name") if isinstance(function, dict) else None
