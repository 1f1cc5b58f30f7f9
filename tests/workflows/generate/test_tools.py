"""Tools and a begun reply: the text that transformers' apply_chat_template gives, with templates of the usual kinds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from transformers import PreTrainedTokenizerFast

from tests.workflows.generate.tokenizers import byte_level
from workflows.common.errors import PromptError, RequestError
from workflows.generate import parse_tools
from workflows.generate.chat_template import ChatTemplate, TemplateMessage

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather \"now\", <b>here</b> — 漢 & 'there'.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
TOOLS = [WEATHER, {"name": "add", "parameters": {"a": {"type": "number", "default": 1.5}, "b": None, "c": [True]}}]
TURNS: list[TemplateMessage] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is the weather in Zürich?"},
]
PLAIN = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>\n{% endfor %}"
BEGIN = "{% if add_generation_prompt %}<assistant>{% endif %}"
TEMPLATES: dict[str, str | dict[str, str]] = {
    "a tool a line, in XML": "{%- if tools %}\n    {{- '<|im_start|>system\n' }}\n    {%- for tool in tools %}\n"
    '        {{- "\\n" }}\n        {{- tool | tojson }}\n    {%- endfor %}\n    {{- "\\n</tools>" }}\n{%- endif %}\n'
    "{%- for message in messages %}\n    {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' "
    "+ '\n' }}\n{%- endfor %}\n{%- if add_generation_prompt %}\n    {{- '<|im_start|>assistant\n' }}\n{%- endif %}",
    "indented JSON in the first turn": "{{ bos_token }}{% if tools is not none %}{% for t in tools %}"
    "{{ t | tojson(indent=4) }}\n\n{% endfor %}{% endif %}{% for m in messages %}[{{ m.role }}] {{ m.content | trim }}"
    "{{ eos_token if m.role == 'assistant' }}{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}",
    "separators and sorted keys": "{{ tools | tojson(separators=(',', ':'), sort_keys=true) if tools }}"
    + PLAIN
    + BEGIN,
    "signatures by a macro": "{% macro show(t) %}{{ t.function.name if t.function is defined else t.name }}("
    "{% for n, p in (t.function or t).parameters.items() %}{{ n }}{{ ', ' if not loop.last }}{% endfor %})"
    "{% endmacro %}{% for t in tools or [] %}{{ show(t) }}\n{% endfor %}" + PLAIN + BEGIN,
    "ignores tools": PLAIN + BEGIN,
    "two by name": {"default": PLAIN + BEGIN, "tool_use": "{{ tools | length }} tools\n" + PLAIN + BEGIN},
}
PREFILLS = ["The weather", "  spaces before", "spaces after  ", "a line\n", "{{ no }} <b>", "漢🧵", "Be brief."]


def oracle(name: str) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(
        tokenizer_object=byte_level(), chat_template=TEMPLATES[name], bos_token="<s>", eos_token="</s>"
    )


def ours(name: str) -> ChatTemplate:
    return ChatTemplate(TEMPLATES[name], {"bos_token": "<s>", "eos_token": "</s>"})


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("tools", [None, [], TOOLS], ids=["none", "empty", "two"])
def test_tools_are_rendered_as_transformers_does(name: str, tools: Any) -> None:
    """JSON as it is written there, the template for tools where there is one."""
    expected = oracle(name).apply_chat_template(TURNS, tools=tools, tokenize=False, add_generation_prompt=True)
    assert ours(name).render(TURNS, tools) == expected


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("prefill", PREFILLS)
def test_a_begun_reply_is_rendered_as_transformers_goes_on_with_one(name: str, prefill: str) -> None:
    """Nothing after it, and its spaces where the template leaves them."""
    turns: Any = [*TURNS, {"role": "assistant", "content": prefill}]
    expected = oracle(name).apply_chat_template(turns, tools=TOOLS, tokenize=False, continue_final_message=True)
    assert ours(name).render(TURNS, TOOLS, prefill) == expected


def test_calls_of_tools_and_their_results_are_rendered_too() -> None:
    """Turns with more than a role and a content, and keys that hold nothing."""
    call = {"type": "function", "function": {"name": "get_weather", "arguments": {"city": "Zürich"}}}
    turns: Any = [
        *TURNS,
        {"role": "assistant", "content": "", "tool_calls": [call], "name": None},
        {"role": "tool", "name": "get_weather", "content": "sunny", "tool_calls": None},
    ]
    source = "{% for m in messages %}{{ m | tojson }}{{ m.tool_calls | tojson if m.tool_calls }}{% endfor %}"
    theirs = PreTrainedTokenizerFast(tokenizer_object=byte_level(), chat_template=source)
    assert ChatTemplate(source, {}).render(turns) == theirs.apply_chat_template(turns, tokenize=False)


@pytest.mark.parametrize("source", ["{{ messages[0].content }}", "{{ messages[-1].content[:4] }}"])
def test_a_template_that_drops_the_begun_reply_is_reported(source: str) -> None:
    """As transformers refuses it."""
    with pytest.raises(PromptError, match="drops the text that a reply is to begin with"):
        ChatTemplate(source, {}).render(TURNS, None, "So, the weather")


def test_several_templates_without_a_default_are_for_tools_alone() -> None:
    """The sentence names those that there are."""
    template = ChatTemplate({"tool_use": PLAIN, "rag": PLAIN}, {})
    assert template.render(TURNS, TOOLS)
    with pytest.raises(PromptError, match="templates tool_use, rag and none of them is the default"):
        template.render(TURNS)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", "cannot be read as JSON"),
        ("{", "cannot be read as JSON"),
        ("[" * 100_000, "cannot be read as JSON"),
        ("{}", "must be a JSON list of objects"),
        ('"get_weather"', "must be a JSON list of objects"),
        ('[{"name": "a"}, "b"]', "entry 2 that is not a JSON object"),
        ("[{}]", "entry 1 that is not a JSON object"),
    ],
)
def test_tools_that_are_none_are_one_sentence(text: str, names: str) -> None:
    """Which file, which entry."""
    with pytest.raises(RequestError, match=names) as raised:
        parse_tools(text, "The tools file t.json")
    assert str(raised.value).startswith("The tools file t.json") and "\n" not in str(raised.value)
    assert parse_tools(json.dumps(TOOLS), "") == TOOLS
