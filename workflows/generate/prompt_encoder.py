"""Conversations and plain texts to prompt ids, by the bundle's chat template and tokenizer.

messages (+ tools, + the beginning of the reply) ──ChatTemplate──▶ text ──BundleTokenizer──▶ ids
"""

from __future__ import annotations

from collections.abc import Sequence

from workflows.common.errors import PromptError
from workflows.generate.chat_template import ChatTemplate, TemplateMessage
from workflows.generate.notices import Notices
from workflows.generate.tokenizer import BundleTokenizer
from workflows.generate.tools import Tool, check_tools
from workflows.templates.service import TEMPLATE_SERVICE

SYSTEM_FOLDED = "The chat template takes no system message: its text stands at the beginning of the first prompt."


class PromptEncoder:
    """Encodes prompts of one bundle. has_source: whether an encoder reads them. notices: receives what was changed."""

    def __init__(
        self, tokenizer: BundleTokenizer, template: ChatTemplate | None, has_source: bool, notices: Notices
    ) -> None:
        self._tokenizer, self.template, self._has_source = tokenizer, template, has_source
        self._notices = notices

    @property
    def completes(self) -> bool:
        """Whether a conversation is one text that the model continues: without a template and an encoder."""
        return self.template is None and not self._has_source

    def text(self, prompt: str) -> list[int]:
        """The ids of a plain text, with the special tokens that the tokenizer puts around one."""
        return self._tokenizer.encode(prompt, special=True)

    def chat(
        self, messages: Sequence[TemplateMessage], tools: Sequence[Tool] | None = None, prefill: str = ""
    ) -> list[int]:
        """The ids of a conversation, ready for a reply that begins with `prefill`; see Engine.encode_chat."""
        return self._tokenizer.encode(self.chat_text(messages, tools, prefill), special=False)

    def chat_text(
        self, messages: Sequence[TemplateMessage], tools: Sequence[Tool] | None = None, prefill: str = ""
    ) -> str:
        """The rendered text of a conversation. Raises as Engine.encode_chat."""
        if self.template is None:
            raise PromptError("This bundle has no chat template: give a plain prompt instead of a conversation.")
        given = None if tools is None else check_tools(tools, "The list of tools")
        text, rendered = self.template.render_folding(messages, given, prefill)
        if why := TEMPLATE_SERVICE.confinement_problem():
            self._notices.add("open", why)
        if rendered is not messages:
            self._notices.add("system_folded", SYSTEM_FOLDED)
        if given and not self._uses_tools(self.template, given, rendered, prefill, text):
            self._notices.add("tools_ignored", "The chat template ignores tools: the model does not see them.")
        return text

    def turn(
        self, messages: Sequence[TemplateMessage], tools: Sequence[Tool] | None = None, prefill: str = ""
    ) -> list[int]:
        """The ids of a conversation, or of its joined texts without a chat template; see Engine.encode_turn."""
        if self.template is not None:
            return self.chat(messages, tools, prefill)
        if tools:
            raise PromptError("This bundle has no chat template that could describe tools: leave the tools out.")
        if self.completes:
            self._notices.add(
                "completes", "This bundle has no chat template: it completes the text that was written so far."
            )
            return self.text("".join(map(_plain_text, messages)) + prefill)
        return self.text("".join(map(_plain_text, messages[-1:])))

    def reply_prefix(self, prefill: str) -> list[int]:
        """The ids that a decoder behind an encoder starts its reply with, after its start token; else empty."""
        return self._tokenizer.encode(prefill, special=False) if prefill and self._has_source else []

    @staticmethod
    def _uses_tools(
        template: ChatTemplate, tools: Sequence[Tool], messages: Sequence[TemplateMessage], prefill: str, text: str
    ) -> bool:
        """Whether `text`, rendered with tools, differs from the text rendered without them."""
        try:
            return text != template.render(messages, None, prefill)
        except PromptError:  # there is a template for tools alone
            return True


def _plain_text(message: TemplateMessage) -> str:
    """A message for a model without roles; a system message is a line of its own."""
    content = message["content"]
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    return text + "\n" * (message["role"] == "system")


def media_content(text: str, pictures: int, sounds: int = 0) -> list[dict[str, str]]:
    """The content of a message with pictures and recordings before its text, as chat templates take it."""
    kinds = ["image"] * pictures + ["audio"] * sounds
    return [*({"type": kind} for kind in kinds), {"type": "text", "text": text}]
