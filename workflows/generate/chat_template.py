"""Chat templates: programs from a checkpoint, rendered in a process with limits on time, memory and output.

messages (+ tools, + the beginning of the reply) ──ChatTemplate.render──▶ the prompt's text
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypedDict, cast

from workflows.bundle import Bundle
from workflows.common.errors import BundleError, PromptError, printable
from workflows.generate.tokenizer import TOKENIZER_FOLDER, tokenizer_settings
from workflows.generate.tools import Tool
from workflows.templates.limits import BYTES, CHARACTERS, REFUSED, SOURCE, TOO_LONG, TOO_MUCH
from workflows.templates.service import TEMPLATE_SERVICE

DEFAULT, TOOL_USE = "default", "tool_use"  # the names that transformers chooses among several templates
SPECIAL_TOKENS = tuple(f"{kind}_token" for kind in ("bos", "eos", "unk", "sep", "pad", "cls", "mask"))
# Marks the end of a prefilled reply in the rendered text; its space shows whether the template trims messages.
_PREFILL_END = "JOINERY_GOES_ON_HERE "
_PROBE = "JOINERY_ASKS"  # the text that shows whether a template writes one
_NOT_COMPILED = "The chat template cannot be compiled: {0}."


class TemplateMessage(TypedDict):
    """One turn. role: system, user or assistant, or query or document. content: a text, or parts of `media_content`."""

    role: str
    content: str | list[dict[str, str]]


class SystemRefusedError(PromptError):
    """The template itself refused a conversation that begins with a system message."""


class ChatTemplate:
    """A template, or several by name. Nothing is compiled before the first use.

    has_media: the model reads pictures or sound, so the template may take a message's content as a list of parts alone.
    """

    def __init__(self, sources: str | Mapping[str, str], tokens: Mapping[str, str], has_media: bool = False) -> None:
        self._has_media = has_media
        self._sources = {DEFAULT: sources} if isinstance(sources, str) else dict(sources)
        self._tokens = dict(tokens)

    @classmethod
    def of_bundle(cls, bundle: Bundle) -> ChatTemplate | None:
        """The bundle's template; None where it has none. Raises BundleError where its settings cannot be read."""
        settings = tokenizer_settings(bundle)
        sources = _sources(bundle, settings)
        tokens = {name: _content(settings[name]) for name in SPECIAL_TOKENS if settings.get(name) is not None}
        return cls(sources, tokens, bool(bundle.pipeline.feature_tokens)) if sources else None

    def check_compiles(self) -> None:
        """Raises BundleError for a template that does not compile."""
        answer = TEMPLATE_SERVICE.request({"sources": self._sources})
        if answer:
            raise BundleError(_limit_message(answer) or _NOT_COMPILED.format(answer["why"]))

    def render(
        self, messages: Sequence[TemplateMessage], tools: Sequence[Tool] | None = None, prefill: str = ""
    ) -> str:
        """The text of the conversation, ready for the assistant's reply, which begins with `prefill`.

        Raises PromptError where the template refuses the conversation, fails, exceeds its limits, or drops `prefill`;
        BundleError where it does not compile.
        """
        if not prefill:
            return self._render(messages, tools, True)
        begun: TemplateMessage = {"role": "assistant", "content": prefill + _PREFILL_END}
        before, mark, after = self._render([*messages, begun], tools, False).rpartition(_PREFILL_END.strip())
        if not mark or prefill.strip() not in before:
            raise PromptError("The chat template drops the text that a reply is to begin with: leave the prefill out.")
        # a template that trims also removes trailing spaces
        return before if after.startswith(" ") else before.rstrip()

    def render_turns(self, turns: Sequence[TemplateMessage], begins_reply: bool) -> str:
        """The text of turns of any roles, as they are. Raises PromptError and BundleError like render."""
        return self._render_turns([dict(turn) for turn in turns], None, begins_reply)

    def render_reply(
        self, messages: Sequence[TemplateMessage], reply: Mapping[str, object], tools: Sequence[Tool] | None = None
    ) -> str:
        """The text that the template writes for an assistant's turn, after the generation prompt.

        Raises PromptError like render, and where the turn does not begin with the generation prompt.
        """
        prompt = self._render(messages, tools, True)
        whole = self._render([*messages, cast(TemplateMessage, {"role": "assistant", **reply})], tools, False)
        if not whole.startswith(prompt):
            raise PromptError("The chat template begins past replies differently from the reply to be generated.")
        return whole[len(prompt) :]

    def render_folding(
        self, messages: Sequence[TemplateMessage], tools: Sequence[Tool] | None = None, prefill: str = ""
    ) -> tuple[str, Sequence[TemplateMessage]]:
        """The text, and the rendered messages: those of fold_system_message where the template takes no system message.

        Raises PromptError like render; the first refusal where folding does not help.
        """
        try:
            return self.render(messages, tools, prefill), messages
        except SystemRefusedError as refusal:
            folded = fold_system_message(messages)
            try:
                return self.render(folded, tools, prefill), folded
            except PromptError:
                raise refusal from None

    def _render(
        self, messages: Sequence[TemplateMessage], tools: Sequence[Tool] | None, add_generation_prompt: bool
    ) -> str:
        turns: list[dict[str, object]] = [
            {k: value for k, value in turn.items() if value is not None} for turn in messages
        ]
        if self._takes_parts_alone:
            for turn in turns:
                if isinstance(content := turn.get("content"), str):
                    turn["content"] = [{"type": "text", "text": content}]
        return self._render_turns(turns, tools, add_generation_prompt)

    @cached_property
    def _takes_parts_alone(self) -> bool:
        """Whether the template does not write a content that is a text: SmolVLM's does not, Phi-3-vision's does."""
        if not self._has_media:
            return False
        try:
            return _PROBE not in self._render_turns([{"role": "user", "content": _PROBE}], None, True)
        except PromptError:
            return True

    def _render_turns(
        self, turns: Sequence[Mapping[str, object]], tools: Sequence[Tool] | None, add_generation_prompt: bool
    ) -> str:
        given = {"messages": turns, "tools": tools, "add_generation_prompt": add_generation_prompt}
        name = self._chosen(tools)
        try:
            answer = TEMPLATE_SERVICE.request({"sources": self._sources, "name": name, "given": self._tokens | given})
        except (TypeError, ValueError, RecursionError) as error:
            raise PromptError(f"The conversation cannot be written as JSON: {printable(error)}.") from None
        if "text" in answer:
            return str(answer["text"])
        if ended := _limit_message(answer):
            raise PromptError(ended)
        if answer["error"] == SOURCE:
            raise BundleError(_NOT_COMPILED.format(answer["why"]))
        begun = answer["error"] == REFUSED and turns and turns[0]["role"] == "system"
        kind = SystemRefusedError if begun else PromptError
        raise kind(f"The chat template cannot take this conversation: {answer['why']}.")

    def _chosen(self, tools: Sequence[Tool] | None) -> str:
        """The template for tools where tools are given and it exists, else the default one, as in transformers."""
        if tools is not None and TOOL_USE in self._sources:
            return TOOL_USE
        if DEFAULT not in self._sources:
            raise PromptError(
                f"The bundle has the chat templates {printable(', '.join(self._sources))} and none of them is the "
                "default: give a plain prompt instead of a conversation."
            )
        return DEFAULT


def fold_system_message(messages: Sequence[TemplateMessage]) -> list[TemplateMessage]:
    """The conversation with its system message at the beginning of the first user turn."""
    system, *turns = messages
    for place, turn in enumerate(turns):
        if turn["role"] == "user":
            before, content = f"{system['content']}\n\n", turn["content"]
            parts = [{"type": "text", "text": before}, *content] if isinstance(content, list) else before + content
            turns[place] = {"role": "user", "content": parts}
            return turns
    return list(messages)


def start_template_process(bundle: Bundle) -> None:
    """Starts the rendering process while the model loads, where the bundle has a template. Raises BundleError."""
    if _sources(bundle, tokenizer_settings(bundle)):
        TEMPLATE_SERVICE.start()


def non_text_templates(bundle: Bundle) -> list[tuple[str, str]]:
    """Templates that are not texts, as (name, type), such as (`default`, `int`)."""
    named = _template_values(bundle, tokenizer_settings(bundle)).items()
    return [(printable(name), type(source).__name__) for name, source in named if not isinstance(source, str | None)]


def _sources(bundle: Bundle, settings: Mapping[str, Any]) -> dict[str, str]:
    """Name → template, for templates that are texts."""
    return {name: source for name, source in _template_values(bundle, settings).items() if isinstance(source, str)}


def _template_values(bundle: Bundle, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Name → template: from chat_template.jinja, else from tokenizer_config.json, one or several."""
    named: Any = {DEFAULT: bundle.text(f"{TOKENIZER_FOLDER}/chat_template.jinja")}
    if not named[DEFAULT]:
        named = settings.get("chat_template")
    if isinstance(named, list):
        named = {one["name"]: one.get("template") for one in named if isinstance(one, dict) and "name" in one}
    if not isinstance(named, dict):
        named = {DEFAULT: named}
    return {str(name): source for name, source in named.items()}


def _limit_message(answer: Mapping[str, str]) -> str:
    """The limit that a template exceeded, as a sentence; empty for other answers."""
    error = answer.get("error")
    if "ended" in answer:
        return f"The chat template {answer['ended']}."
    if error == TOO_MUCH:
        return f"The chat template took more than {BYTES >> 20} MiB of memory and was ended."
    return f"The chat template wrote more than {CHARACTERS:,} characters and was ended." if error == TOO_LONG else ""


def _content(token: Any) -> str:
    """The text of a special token in tokenizer_config.json: a text, or an object with its content."""
    return str(token.get("content", "")) if isinstance(token, dict) else str(token or "")
