"""Replies that call tools in the template's own form: three templates' shapes, however wildly they are sampled."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.workflows.generate.scripted import generated
from tests.workflows.generate.tokenizers import byte_level
from workflows.bundle import read_bundle
from workflows.common.errors import RequestError
from workflows.generate.chat_template import ChatTemplate
from workflows.generate.grammar import grammar_tokenizer
from workflows.generate.tokenizer import BundleTokenizer
from workflows.generate.tool_calls import ToolChoice, call_form, call_grammar

TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": "get_weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string", "maxLength": 5}, "days": {"$ref": "#/$defs/few"}},
        "required": ["city", "days"], "additionalProperties": False,
        "$defs": {"few": {"type": "integer", "minimum": 1, "maximum": 7}}}}},
    {"name": "add", "parameters": {"type": "object", "properties": {"unit": {"enum": ["größe", "m\"m"]}},
                                   "required": ["unit"], "additionalProperties": False}},
]  # fmt: skip

XML = """{%- for m in messages %}
{%- if m.role == 'assistant' %}
{{- '<|im_start|>assistant' }}
{%- if m.content %}{{- '\\n' + m.content }}{%- endif %}
{%- for call in m.tool_calls %}
{%- if call.function %}{%- set call = call.function %}{%- endif %}
{{- '\\n<tool_call>\\n{"name": "' + call.name + '", "arguments": ' + call.arguments | tojson + '}\\n</tool_call>' }}
{%- endfor %}{{- '<|im_end|>\\n' }}
{%- else %}{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{%- endif %}
{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""
THINKING = XML.replace("{%- if m.content %}", "{{- '\\n<think>\\n\\n</think>\\n' }}{%- if m.content %}")
BARE = """{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n\\n' }}
{%- if m.tool_calls %}{%- if m.tool_calls | length != 1 %}{{ raise_exception('one call at once') }}{%- endif %}
{%- set call = m.tool_calls[0].function %}
{{- '{"name": "' + call.name + '", "parameters": ' }}{{- call.arguments | tojson }}{{- '}' }}
{%- else %}{{- m.content }}{%- endif %}{{- '<|im_end|>' }}{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n\\n' }}{%- endif %}"""
LISTED = """{%- for m in messages %}{%- if m.role == 'user' %}{{- '[INST] ' + m.content + ' [/INST]' }}
{%- elif m.tool_calls %}{{- '[TOOL_CALLS] [' }}{%- for call in m.tool_calls %}
{%- if call.id | length != 9 %}{{ raise_exception('nine') }}{%- endif %}
{{- (call.function | tojson)[:-1] + ', "id": "' + call.id + '"}' }}{{- ', ' if not loop.last else ']' }}
{%- endfor %}{{- '<|im_end|>' }}{%- else %}{{- ' ' + m.content + '<|im_end|>' }}{%- endif %}{%- endfor %}"""


def text() -> BundleTokenizer:
    tokenizer = byte_level()
    tokenizer.add_special_tokens(["<|im_end|>", "<|im_start|>", "[TOOL_CALLS]"])
    tokenizer.add_tokens(["<tool_call>", "</tool_call>"])
    special = frozenset(i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special)
    return BundleTokenizer(tokenizer, tokenizer.get_vocab_size(), special)


TEXT = text()
assert TEXT.tokenizer is not None
END = TEXT.tokenizer.token_to_id("<|im_end|>")


def in_xml(reply: str) -> list[Any]:
    assert re.fullmatch(r"(<tool_call>\n.*\n</tool_call>(\n(?=<)|$))+", reply), reply
    return [json.loads(one) for one in re.findall(r"<tool_call>\n(.*)\n</tool_call>", reply)]


def plain(reply: str) -> list[Any]:
    return in_xml(reply.replace("[call]", "<tool_call>").replace("[/call]", "</tool_call>"))


def bare(reply: str) -> list[Any]:
    call = json.loads(reply)
    return [{"name": call["name"], "arguments": call.pop("parameters")}]


def listed(reply: str) -> list[Any]:
    begin, calls = reply[: len("[TOOL_CALLS] ")], json.loads(reply[len("[TOOL_CALLS] ") :])
    assert begin == "[TOOL_CALLS] " and all(re.fullmatch("[a-zA-Z0-9]{9}", call.pop("id")) for call in calls)
    return list(calls)


BRACKETS = XML.replace("<tool_call>", "[call]").replace("</tool_call>", "[/call]")
SHAPES: dict[str, tuple[str, Callable[[str], list[Any]]]] = {
    "a call in XML": (XML, in_xml), "a call in plain text": (BRACKETS, plain),
    "after an empty thought": (THINKING, in_xml), "one call, bare": (BARE, bare),
    "a list behind a special token": (LISTED, listed),
}  # fmt: skip


def is_valid(call: dict[str, Any]) -> bool:
    given = call["arguments"]
    if set(call) != {"name", "arguments"}:
        return False
    if call["name"] == "add":
        return set(given) == {"unit"} and given["unit"] in ("größe", 'm"m')
    sound = set(given) == {"city", "days"} and isinstance(given["city"], str) and len(given["city"]) <= 5
    return bool(call["name"] == "get_weather" and sound and given["days"] in range(1, 8))


def replies(template: str, to: ToolChoice, count: int, begun: str = "") -> list[str]:
    """Of a model whose logits are random; every second reply is pushed to begin with `begun`."""
    form = call_grammar(ChatTemplate(template, {}), TEXT, [END], TOOLS, to)
    random, found = np.random.default_rng(0), list[str]()
    pushed = TEXT.encode(begun, special=False) if begun else []

    def change(step: int, logits: np.ndarray) -> None:
        logits[:] = random.normal(0, 2, len(logits))
        if len(found) % 2 and step < len(pushed):
            logits[pushed[step]] += 50

    for seed in range(count):
        _, done = generated(TEXT, [0] * 400, eos=[END], change=change, temperature=1.0, seed=seed, tool_calls=form)
        assert done.finish_reason == "eos", done.text
        found.append(TEXT.tokenizer.decode(done.token_ids[:-1], skip_special_tokens=False))  # type: ignore[union-attr]
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_sampled_calls_parse_and_fit_their_tools(shape: str) -> None:
    template, parsed = SHAPES[shape]
    calls = [parsed(reply) for reply in replies(template, "required", 50)]
    assert all(is_valid(call) for reply in calls for call in reply) and all(calls)
    assert {call["name"] for reply in calls for call in reply} == {"add", "get_weather"}
    assert shape == "one call, bare" or max(map(len, calls)) > 1


@pytest.mark.parametrize("shape", SHAPES)
def test_free_text_may_be_generated_instead(shape: str) -> None:
    """What begins as a call is one; what does not has nothing of one in it."""
    template, parsed = SHAPES[shape]
    mark = {"one call, bare": "{", "a list behind a special token": "[TOOL_CALLS]",
            "a call in plain text": "[call]"}.get(shape, "<tool_call>")  # fmt: skip
    free = called = 0
    for reply in replies(template, "auto", 50, mark):
        if (reply.startswith if mark == "{" else reply.__contains__)(mark):
            assert all(map(is_valid, parsed(reply[reply.index(mark) :])))
            called += 1
        else:
            free += 1
    assert free and called


def test_the_form_is_what_the_template_writes() -> None:
    form = call_form(ChatTemplate(THINKING, {}), ["<|im_end|>"], TOOLS)
    assert (form.before, form.after) == ("<tool_call>\n", "\n</tool_call>")
    assert form.between == "\n</tool_call>\n<tool_call>\n" and list(form.call) == ["name", "arguments"]
    assert call_form(ChatTemplate(BARE, {}), ["<|im_end|>"], TOOLS).between is None
    assert call_form(ChatTemplate(LISTED, {}), ["<|im_end|>"], TOOLS).before == "[TOOL_CALLS] ["


UNTOLD = {
    "ignores calls": ("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
                      "{% if add_generation_prompt %}<assistant>{% endif %}", "no JSON object"),
    "writes Python": ("{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.name }}("
                      "{{ c.function.arguments.items() | first | join('=') }}){% endfor %}{% endfor %}", "no JSON"),
    "takes none": ("{% for m in messages %}{% if m.tool_calls %}{{ raise_exception('no calls') }}{% endif %}"
                   "{{ m.content }}{% endfor %}", "no calls"),
    "begins otherwise": ("{{ 'A' if add_generation_prompt else 'B' }}{{ messages[-1] | tojson }}", "past replies"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNTOLD)
def test_a_template_that_does_not_tell_is_refused_by_name(case: str) -> None:
    source, why = UNTOLD[case]
    with pytest.raises(RequestError, match=why) as raised:
        call_grammar(ChatTemplate(source, {}), TEXT, [END], TOOLS, "required")
    assert str(raised.value).startswith("This bundle's chat template does not tell how it writes tool calls")


@pytest.mark.parametrize(
    ("tools", "why"), [([], "no tools to call"), ([{"type": "function"}], "no name"), ([{"name": "a", "parameters": 3}],
                       "no JSON schema")]
)  # fmt: skip
def test_tools_that_cannot_be_called_are_refused(tools: list[Any], why: str) -> None:
    with pytest.raises(RequestError, match=why):
        call_grammar(ChatTemplate(XML, {}), TEXT, [END], tools, "required")
    with pytest.raises(RequestError, match="no chat template"):
        call_grammar(None, TEXT, [END], TOOLS, "required")


def test_a_model_without_an_end_token_is_refused_in_a_sentence(demo_bundle: Path) -> None:
    """llguidance would say that a list must not be empty."""
    text = BundleTokenizer.of_bundle(read_bundle(demo_bundle))
    with pytest.raises(RequestError, match=r"has no end token, so .* name its eos_token_id"):
        grammar_tokenizer(text, ())
