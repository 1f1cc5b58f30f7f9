"""Tool calls in a reply, read in the form that a checkpoint's chat template writes.

token events ──CallReader.hold──▶ the same events, the text of a call withheld; text after it that is none comes late
reply ──CallReader.calls──▶ names and arguments
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from workflows.generate.tokenizer import BundleTokenizer
from workflows.generate.tool_calls import CallForm, argument_path, name_path
from workflows.wire.events import Event, GenerationDone, TokenEvent, ToolCall


class CallReader:
    """Reads one reply. text: whose special tokens may be a part of the form."""

    def __init__(self, form: CallForm, text: BundleTokenizer) -> None:
        self._form, self._text = form, text
        self._opening = form.before.strip() or "{"

    def hold(self, events: Iterator[Event]) -> Iterator[Event]:
        """The events; from what may begin a call their texts are empty, and the last event has the calls."""
        whole, held = "", ""
        for event in events:
            if isinstance(event, TokenEvent):
                whole += self._text.piece(event.id)
                held += event.text
                if self._may_be_call(whole):
                    event = replace(event, text="")
                else:
                    event, held = replace(event, text=held), ""
            if isinstance(event, GenerationDone):
                event = replace(event, calls=self.calls("".join(self._text.piece(one) for one in event.token_ids)))
            yield event

    def _may_be_call(self, whole: str) -> bool:
        """Whether a call has begun, or the end of the text may be the beginning of one."""
        if not self._form.before.strip():  # nothing but the first brace tells it
            return not whole.strip() or whole.lstrip().startswith("{")
        if self._opening in whole:
            return True
        return any(whole.endswith(self._opening[:length]) for length in range(1, len(self._opening)))

    def calls(self, reply: str) -> list[ToolCall]:
        """The calls of a whole reply, special tokens included; none where it has no complete one."""
        _, mark, rest = reply.partition(self._opening)
        found, decoder, rest = list[ToolCall](), json.JSONDecoder(), rest if self._form.before.strip() else mark + rest
        while mark:
            rest = rest.lstrip()
            try:
                value, end = decoder.raw_decode(rest)
            except ValueError:
                break
            call = self._read(value)
            if call is None:
                break
            found.append(call)
            between = (self._form.between or "").strip()
            rest = rest[end:].lstrip()
            if not between or not rest.startswith(between):
                break
            rest = rest[len(between) :]
        return found

    def _read(self, value: object) -> ToolCall | None:
        name = _at(value, name_path(self._form))
        arguments = _at(value, argument_path(self._form))
        if not isinstance(name, str) or arguments is None:
            return None
        return ToolCall(name=name, arguments=arguments if isinstance(arguments, str) else json.dumps(arguments))


def _at(value: object, path: tuple[str, ...]) -> object:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
