"""Chat templates: the text that transformers gives, and programs that mean harm ended in time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from transformers import AutoTokenizer

from tests.workflows.bundle.making import bundle
from workflows.bundle import read_bundle
from workflows.bundle.manifest import make_manifest
from workflows.common.errors import BundleError, PromptError
from workflows.generate import Engine, open_engine
from workflows.generate.chat_template import ChatTemplate, TemplateMessage
from workflows.generate.options import GenerateOptions
from workflows.generate.prompt_encoder import media_content
from workflows.templates.service import TEMPLATE_SERVICE
from workflows.wire.events import NoticeEvent

DEMO = Path(__file__).parents[3] / "resources" / "demos" / "qwen3"
HELLO: list[TemplateMessage] = [{"role": "user", "content": "hello"}]

CONVERSATIONS: dict[str, list[TemplateMessage]] = {
    "one question": [{"role": "user", "content": "What is 8*7?"}],
    "with a system message": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
    "three turns": [
        {"role": "user", "content": "My name is Clara."},
        {"role": "assistant", "content": "Nice to meet you, Clara!"},
        {"role": "user", "content": "What is my name?"},
    ],
    "spaces, lines and marks": [{"role": "user", "content": "  two\n\nlines \t<b>&amp;</b> {{ no }} 漢🧵"}],
    "empty content": [{"role": "system", "content": ""}, {"role": "user", "content": ""}],
}


@pytest.fixture(scope="module")
def engine(demo_bundle: Path) -> Engine:
    return open_engine(demo_bundle)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_text_and_ids_are_those_of_transformers(engine: Engine, demo_bundle: Path, name: str) -> None:
    """On the demo, ready for the assistant's answer."""
    conversation = CONVERSATIONS[name]
    tokenizer = AutoTokenizer.from_pretrained(demo_bundle / "tokenizer", local_files_only=True)
    expected: Any = tokenizer.apply_chat_template(conversation, tokenize=False, add_generation_prompt=True)
    assert engine.template is not None
    assert engine.template.render(conversation) == expected
    ids = tokenizer.apply_chat_template(conversation, add_generation_prompt=True, return_dict=True)["input_ids"]
    assert engine.encode_chat(conversation) == list(ids)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ bos_token }}{{ messages[0].content }}", "<s>hello"),
        ("{{ '[' }}{{ pad_token }}{{ ']' }}", "[]"),
        ("{% if pad_token is defined %}padded{% else %}not padded{% endif %}", "not padded"),
        ("{{ messages | tojson }}", '[{"role": "user", "content": "hello"}]'),
        ("{{ {'a': '<é>'} | tojson(indent=1) }}", '{\n "a": "<é>"\n}'),
        ("{%- for m in messages %}\n    {%- if loop.first %}{{ m.role }}{% break %}{% endif %}{% endfor %}", "user"),
        ("{% generation %}{{ messages[0].content }}{% endgeneration %}", "hello"),
        ("{% set s = namespace(n=0) %}{% for m in messages %}{% set s.n = s.n + 2 ** 3 %}{% endfor %}{{ s.n }}", "8"),
        ("{{ '-' * 5 }}{{ messages[0].content.strip().upper() }}", "-----HELLO"),
        ("{{ strftime_now('%%') }}", "%"),
        ("{% if add_generation_prompt %}go{% endif %}{% if tools %}tools{% endif %}", "go"),
    ],
)
def test_what_honest_templates_use(source: str, expected: str) -> None:
    """Special tokens, JSON as transformers writes it, loop controls, namespaces, blocks trimmed."""
    assert ChatTemplate(source, {"bos_token": "<s>"}).render(HELLO) == expected


HARMFUL: dict[str, tuple[str, str]] = {
    "loops without output": (
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "took longer than 2 s",
    ),
    "loops in a filter": ("{{ lipsum(n=100000000) }}", "took longer than 2 s"),
    "writes without end": (
        "{% for a in range(99999) %}{% for b in range(99999) %}abcdefgh{% endfor %}{% endfor %}",
        "wrote more than 4,000,000 characters|took longer than 2 s",  # whichever comes first on this machine
    ),
    "a class": ("{{ ''.__class__ }}", "'__class__'"),
    "a class by subscript": ("{{ ''['__class__'] }}", "'__class__'"),
    "a class by filter": ("{{ ''|attr('__class__') }}", "'__class__'"),
    "subclasses": ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "'__class__'"),
    "globals": ("{{ raise_exception.__globals__['os'] }}", "'__globals__'"),
    "globals of a helper": ("{{ cycler.__init__.__globals__ }}", "'__init__'"),
    "changes the conversation": ("{{ messages.append(1) }}", "'append'"),
    "refuses": ("{{ raise_exception('System messages are not supported') }}", "System messages are not supported"),
    "a power": ("{{ 10 ** 10 ** 10 }}", "a power that is too large"),
    "a repetition": ("{{ 'a' * 10000000000 }}", "repeats something too often"),
    "a list repeated": ("{{ (['a'] * 10000000000) | length }}", "repeats something too often"),
    "another file": ("{% include '/etc/passwd' %}", "no loader"),
    "endless recursion": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recursion"),
    "no such message": ("{{ messages[7].content }}", "has no element 7"),
    "a wrong type": ("{{ messages | dictsort }}", "'items'"),
    "a syntax error": ("{% for m in messages %}", "cannot be compiled"),
    "a nesting too deep": ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "cannot be compiled"),
}
MEMORY = {
    "a wide field": "{{ 'x' | center(10000000000) }}",
    "a wide number": "{{ '%09999999999d' % 1 }}",
    "a wide format": "{{ '{:09999999999}'.format(1) }}",
    "doubling": "{% set ns = namespace(x='ab' * 99) %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
}


DOUBLED = (
    "{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}"
    "{% set ns.y = [ns.y, ns.y] %}{% endfor %}"
)
HARMFUL |= {
    # one step of C each, which takes years
    "compares what is doubled": (DOUBLED + "{{ ns.x == ns.y }}", "took longer than 2 s of computing"),
    "prints what is doubled": (DOUBLED + "{{ ns.x }}", "took longer than 2 s of computing|took more than 384 MiB"),
    "computes while it is compiled": ("{{ 'x' | center(10000000000) }}", "took more than 384 MiB of memory"),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_harmful_template_is_one_sentence(name: str) -> None:
    """And the next one is rendered as ever."""
    source, expected = HARMFUL[name]
    with pytest.raises((PromptError, BundleError), match=expected) as raised:
        ChatTemplate(source, {}).render(HELLO)
    assert "\n" not in str(raised.value)
    assert ChatTemplate("{{ messages[0].content }}", {}).render(HELLO) == "hello"


def test_its_process_loads_jinja2_and_little_else() -> None:
    """It starts with each session: every package takes its time."""
    code = "import workflows.templates.renderer, sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, encoding="utf-8", check=True)
    others = {name for name in done.stdout.split() if not name.startswith("_")} - set(sys.stdlib_module_names)
    assert others == {"jinja2", "markupsafe", "workflows"}


def test_what_is_no_json_is_refused() -> None:
    said: Any = [{"role": "user", "content": {1, 2}}]
    with pytest.raises(PromptError, match="cannot be written as JSON"):
        ChatTemplate("{{ messages[0].content }}", {}).render(said)


def test_text_comes_back_as_it_went() -> None:
    """Lines of JSON between the two: halves of pairs, ends of lines and control characters among them."""
    text = '\ud83e\n\r\x00\u2028 \x85 😀 \\n"é'
    assert ChatTemplate("{{ messages[0].content }}", {}).render([{"role": "user", "content": text}]) == text


def test_a_process_that_was_killed_between_two_prompts_is_started_anew() -> None:
    template = ChatTemplate("{{ messages[0].content }}", {})
    TEMPLATE_SERVICE.start()
    assert TEMPLATE_SERVICE._process is not None
    victim = psutil.Process(TEMPLATE_SERVICE._process.pid)
    victim.kill()
    psutil.wait_procs([victim], timeout=60)
    assert template.render(HELLO) == "hello"


@pytest.mark.skipif(sys.platform != "linux", reason="where the system has no such filter the engine says so")
def test_a_template_s_process_has_no_network() -> None:
    assert TEMPLATE_SERVICE.confinement_problem() == ""


def test_what_the_process_is_not_kept_from_is_reported_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TEMPLATE_SERVICE, "confinement_problem", lambda: "It could connect.")
    ids = engine.encode_chat(HELLO)
    engine.encode_chat(HELLO)
    events = engine.generate(ids, GenerateOptions(max_new_tokens=1))
    assert [event.message for event in events if isinstance(event, NoticeEvent)].count("It could connect.") == 1


NO_SYSTEM = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
)
SYSTEM: list[TemplateMessage] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "8*7?"}]


def test_a_refused_system_message_stands_in_the_first_prompt() -> None:
    """The turns after it stay as they are, and so do conversations without one."""
    template = ChatTemplate(NO_SYSTEM, {})
    later: list[TemplateMessage] = [{"role": "assistant", "content": "56"}, {"role": "user", "content": "Sure?"}]
    text, rendered = template.render_folding([*SYSTEM, *later])
    assert text == "[user]Be brief.\n\n8*7?[assistant]56[user]Sure?"
    assert rendered == [{"role": "user", "content": "Be brief.\n\n8*7?"}, *later]
    assert template.render_folding(SYSTEM[1:]) == ("[user]8*7?", SYSTEM[1:])


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("{{ raise_exception('never') }}", "never"),  # not because of the system message
        ("{{ messages[7].content }}", "has no element 7"),  # a fault is no refusal
        (NO_SYSTEM + "{{ raise_exception('and not this either') }}", "System role not supported"),
    ],
)
def test_other_refusals_stay_what_they_are(source: str, why: str) -> None:
    """The first one is told."""
    with pytest.raises(PromptError, match=why):
        ChatTemplate(source, {}).render_folding(SYSTEM)


CONTENT = "messages[0].content"
PARTS = (
    f"{{% for p in {CONTENT} %}}{{% if p.type == 'text' %}}{{{{ p.text }}}}{{% else %}}<p>{{% endif %}}{{% endfor %}}"
)
SEEING = {
    "parts alone, as SmolVLM": PARTS,
    "texts alone, as Phi-3-vision": f"{{{{ '<|user|>' + {CONTENT} }}}}",
    "either, as Qwen2-VL": f"{{% if {CONTENT} is string %}}{{{{ {CONTENT} }}}}{{% else %}}{PARTS}{{% endif %}}",
    "no texts": f"{{% if {CONTENT} is string %}}{{{{ raise_exception('no') }}}}{{% endif %}}{PARTS}",
}


@pytest.mark.parametrize("name", SEEING)
def test_a_text_reaches_every_template_of_a_model_that_sees(name: str) -> None:
    """A text is given as the template takes it, also where it takes no list of parts."""
    template = ChatTemplate(SEEING[name], {}, has_media=True)
    assert template.render(HELLO).removeprefix("<|user|>") == "hello"
    shown: list[TemplateMessage] = [{"role": "user", "content": media_content("hello", 2)}]
    if "texts alone" in name:
        with pytest.raises(PromptError, match="The chat template cannot take this conversation"):
            template.render(shown)
    else:
        assert template.render(shown) == "<p><p>hello"


@pytest.mark.parametrize("name", MEMORY)
def test_a_template_cannot_fill_the_memory(name: str) -> None:
    """Nor that of the process that asks."""
    own = psutil.Process().memory_info().rss
    with pytest.raises((PromptError, BundleError)):
        ChatTemplate(MEMORY[name], {}).render(HELLO)
    assert psutil.Process().memory_info().rss - own < 400 << 20


def with_settings(root: Path, settings: dict[str, Any], template: str | None = None) -> ChatTemplate | None:
    """The template of a bundle with this tokenizer_config.json and chat_template.jinja."""
    bundle(root)
    (root / "tokenizer" / "tokenizer_config.json").write_text(json.dumps(settings))
    if template is not None:
        (root / "tokenizer" / "chat_template.jinja").write_text(template, "utf-8")
    (root / "manifest.json").write_text(make_manifest(root).model_dump_json())
    return ChatTemplate.of_bundle(read_bundle(root))


def test_where_the_template_comes_from(tmp_path: Path) -> None:
    """The file of its own first, then the settings: a text, or the one that is named default; else there is none."""
    named = [{"name": "tools", "template": "T"}, {"name": "default", "template": "D{{ eos_token }}"}, 5]
    assert with_settings(tmp_path / "a", {}) is None
    assert with_settings(tmp_path / "b", {"chat_template": [5]}) is None
    found = with_settings(tmp_path / "c", {"chat_template": named, "eos_token": {"content": "</s>", "lstrip": False}})
    assert found is not None and found.render(HELLO) == "D</s>"
    found = with_settings(tmp_path / "d", {"chat_template": "S"}, "F{{ eos_token }}")
    assert found is not None and found.render(HELLO) == "F"
