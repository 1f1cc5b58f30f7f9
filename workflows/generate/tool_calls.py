"""Tool calls in the form that a checkpoint's chat template writes, derived from a rendered example call.

template + a call with sentinels ──render──▶ CallForm: the text before, between and after calls, and their keys
CallForm + tools ──call_grammar──▶ a Lark grammar: calls with arguments of each tool's schema, or free text too
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from workflows.common.errors import PromptError, RequestError, printable
from workflows.generate.chat_template import ChatTemplate, TemplateMessage
from workflows.generate.grammar import grammar_tokenizer
from workflows.generate.tokenizer import BundleTokenizer
from workflows.generate.tools import Tool

ToolChoice = Literal["auto", "required"]
_NAME, _ID = "joinery_sentinel_name", "j0inery01"  # an id of nine letters and digits, as Mistral's template requires
_ARGUMENTS = {"joinery_sentinel_key": "joinery_sentinel_value"}
_USER_TURN: TemplateMessage = {"role": "user", "content": "Call a tool."}
_NO_FORM = "This bundle's chat template does not tell how it writes tool calls"


@dataclass(frozen=True)
class CallForm:
    """How a template writes calls.

    before, after: the text before the first and after the last call. between: the text between two calls; None where
    only one is possible. call: the example call, with the sentinels. separators: between items, and after keys.
    """

    before: str
    between: str | None
    after: str
    call: Mapping[str, object]
    separators: tuple[str, str]


def call_grammar(
    template: ChatTemplate | None, text: BundleTokenizer, ends: Sequence[int], tools: Sequence[Tool], to: ToolChoice
) -> str:
    """The Lark grammar of a reply that calls `tools` in the template's form, or, with `auto`, may also be free text.

    ends: the end tokens. Raises RequestError where the form cannot be derived, and for a tool without a name.
    """
    if template is None:
        raise RequestError("This bundle has no chat template, so that tool calls have no form: leave --tool-calls out.")
    if not tools:
        raise RequestError("There are no tools to call: give --tools with --tool-calls.")
    marks = _special_tokens(text, ends)
    form = bundle_call_form(template, text, ends, tools)
    schemas = [_schema(form, *_tool_name_and_schema(tool)) for tool in tools]
    lines = ["call: " + " | ".join(f"call_{i}" for i in range(len(schemas)))]
    lines += [f"call_{i}: %json {json.dumps(schema)}" for i, schema in enumerate(schemas)]
    more = "" if form.between is None else f" ({_literal(form.between, marks)} call)*"
    begun = _optional_call_rules(form, marks) if to == "auto" else [f"start: {_literal(form.before, marks)} rest"]
    return "\n".join(["%llguidance {}", *begun, f"rest: call{more} {_literal(form.after, marks)}", *lines]) + "\n"


def bundle_call_form(
    template: ChatTemplate, text: BundleTokenizer, ends: Sequence[int], tools: Sequence[Tool]
) -> CallForm:
    """As call_form, of end tokens by their ids."""
    return call_form(template, [piece for end in ends if (piece := text.piece(end))], tools)


def call_form(template: ChatTemplate, ends: Sequence[str], tools: Sequence[Tool]) -> CallForm:
    """The form of the template's calls. ends: the texts of the end tokens. Raises RequestError where it has none."""
    try:
        one = template.render_reply([_USER_TURN], {"content": "", "tool_calls": [_call()]}, tools)
    except PromptError as error:
        raise RequestError(f"{_NO_FORM}: {printable(error, 200)}") from None
    before, call, after = _split_at_call(one)
    try:
        two = template.render_reply([_USER_TURN], {"content": "", "tool_calls": [_call(), _call()]}, tools)
        between = _between(two, call)
    except PromptError:  # some templates take only one call
        between = None
    opening = _common_end(before, between or "")
    before = opening.lstrip() or before  # without the empty thoughts that some write before any reply
    for end in ends:
        after = after.partition(end)[0]
    written = one[one.index("{", one.index(before)) :]
    separators = (", " if '", "' in written else ",", ": " if '": ' in written else ":")
    return CallForm(before, between, after if ends else after.rstrip(), json.loads(call), separators)


def _call() -> dict[str, object]:
    return {"id": _ID, "type": "function", "function": {"name": _NAME, "arguments": _ARGUMENTS}}


def _split_at_call(text: str) -> tuple[str, str, str]:
    """The text before the call, the call's JSON, and the text after it."""
    decoder = json.JSONDecoder()
    for start in (i for i, letter in enumerate(text) if letter == "{"):
        try:
            call, end = decoder.raw_decode(text, start)
        except ValueError:
            continue
        if {_NAME, json.dumps(_ARGUMENTS)} <= set(_leaves(call)):
            return text[:start], text[start:end], text[end:]
    raise RequestError(f"{_NO_FORM}: it writes no JSON object with a name and arguments; leave --tool-calls out.")


def _leaves(value: object) -> list[str]:
    if value == _ARGUMENTS:
        return [json.dumps(_ARGUMENTS)]
    if isinstance(value, Mapping):
        return [leaf for one in value.values() for leaf in _leaves(one)]
    return [str(value)]


def _between(text: str, call: str) -> str | None:
    """The text between two calls; None where the template writes only one of them."""
    parts = text.split(call)
    return parts[1] if len(parts) == 3 else None


def _common_end(one: str, other: str) -> str:
    count = 0
    while count < min(len(one), len(other)) and one[-1 - count] == other[-1 - count]:
        count += 1
    return one[len(one) - count :]


def name_path(form: CallForm) -> tuple[str, ...]:
    """The keys that lead to the name in a call."""
    return _path(form.call, _NAME) or ()


def argument_path(form: CallForm) -> tuple[str, ...]:
    """The keys that lead to the arguments in a call."""
    return _path(form.call, _ARGUMENTS) or ()


def _path(value: object, wanted: object) -> tuple[str, ...] | None:
    if value == wanted:
        return ()
    for key, one in value.items() if isinstance(value, Mapping) else ():
        if (found := _path(one, wanted)) is not None:
            return (key, *found)
    return None


def _tool_name_and_schema(tool: Tool) -> tuple[str, Mapping[str, object]]:
    """A tool's name and its parameters' schema."""
    function = tool.get("function", tool)
    name = function.get("name") if isinstance(function, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(name, str) or not name:
        raise RequestError("A tool has no name, so that it cannot be called: give each a function with a name.")
    schema = function.get("parameters") or {"type": "object"}
    if not isinstance(schema, Mapping):
        raise RequestError(f"The tool {printable(name)} has parameters that are no JSON schema: give an object.")
    return name, schema


def _schema(form: CallForm, name: str, parameters: Mapping[str, object]) -> dict[str, object]:
    """The JSON schema of a call, with its definitions at the root, where references expect them."""
    own = {key: value for key, value in parameters.items() if key not in ("$defs", "definitions")}
    hoisted = {key: value for key, value in parameters.items() if key in ("$defs", "definitions")}
    items, keys = form.separators
    layout = {"whitespace_flexible": False, "item_separator": items, "key_separator": keys}
    return {"x-guidance": layout, **_filled(form.call, name, own), **hoisted}


def _filled(value: object, name: str, parameters: Mapping[str, object]) -> dict[str, object]:
    if value == _NAME:
        return {"const": name}
    if value == _ARGUMENTS:
        return dict(parameters)
    if value == _ID:
        return {"type": "string", "pattern": "^[a-zA-Z0-9]{9}$"}
    if not isinstance(value, Mapping):
        return {"const": value}
    properties = {key: _filled(one, name, parameters) for key, one in value.items()}
    return {"type": "object", "properties": properties, "required": list(value), "additionalProperties": False}


def _special_tokens(text: BundleTokenizer, ends: Sequence[int]) -> dict[str, int]:
    """Name → id of the tokens that llguidance treats as special, whatever the tokenizer calls them."""
    words = grammar_tokenizer(text, ends)
    assert text.tokenizer is not None  # grammar_tokenizer has raised otherwise
    added = text.tokenizer.get_added_tokens_decoder().items()
    return {token.content: number for number, token in added if words.is_special_token(number)}


def _literal(part: str, marks: Mapping[str, int]) -> str:
    """A text as a Lark expression: special tokens by their ids, other text literally."""
    found, plain = list[str](), ""
    for piece, token in _split_at_specials(part, marks):
        if token is None:
            plain += piece
        else:
            found += [json.dumps(plain, ensure_ascii=False)] * bool(plain) + [f"<[{token}]>"]
            plain = ""
    return " ".join([*found, *[json.dumps(plain, ensure_ascii=False)] * bool(plain)])


def _split_at_specials(part: str, marks: Mapping[str, int]) -> list[tuple[str, int | None]]:
    """The text split at its special tokens, each with its id; None for other text."""
    found: list[tuple[str, int | None]] = []
    while part:
        places = ((part.find(name), -len(name), name) for name in marks if name in part)
        at, _, name = min(places, default=(len(part), 0, ""))
        found += [(part[:at], None)] * bool(at) + ([(name, marks[name])] if name else [])
        part = part[at + len(name) :]
    return found


def _optional_call_rules(form: CallForm, marks: Mapping[str, int]) -> list[str]:
    """The rules of a reply of free text, or of calls from the text that begins them."""
    before, opening = _literal(form.before, marks), form.before.strip()
    if not opening:  # the call's brace distinguishes it
        return [f"start: FREE? | {before} rest", "FREE: /[^{](?s:.*)/"]
    piece, token = _split_at_specials(form.before, marks)[0]
    if token is not None:  # free text has no special tokens
        return [f"start: FREE? | FREE? {before} rest", "FREE: /(?s:.+)/"]
    mark = piece.strip()
    begun = f"(?s:.*){_escaped(mark)}"
    tail = _literal(form.before[form.before.index(mark) + len(mark) :], marks)
    return [f"start: FREE? | begun {tail} rest", f"begun[lazy]: /{begun}/", f"FREE: /(?s:.+)/ & ~/{begun}(?s:.*)/"]


def _escaped(text: str) -> str:
    return "".join(c if c.isalnum() or c in "<>_" else "\\n" if c == "\n" else f"\\{c}" for c in text)
