"""A pair of texts as turns of the tokenizer's chat template, as rerankers made of decoders read it.

prompt, query, document ──chat template──▶ one text, of which the last tokens are the same for every pair
"""

from __future__ import annotations

from collections.abc import Sequence

from workflows.bundle import Bundle
from workflows.bundle.text_tasks import PairTemplate
from workflows.common.errors import BundleError
from workflows.generate.chat_template import ChatTemplate, TemplateMessage

_PROBES = ("0", "1 2 3 4")  # what differs between two pairs whose last tokens are compared


class PairTurns:
    """The chat template of a bundle that ranks with it."""

    def __init__(self, template: ChatTemplate, settings: PairTemplate) -> None:
        self._template, self._settings = template, settings

    @classmethod
    def of_bundle(cls, bundle: Bundle, settings: PairTemplate) -> PairTurns:
        """Raises BundleError for a bundle without a chat template, and for one that leaves a text of a pair out."""
        template = ChatTemplate.of_bundle(bundle)
        if template is None:
            raise BundleError(
                f"{bundle.folder} ranks with a chat template, and its tokenizer has none: build it from a checkpoint "
                "with chat_template.jinja."
            )
        turns = cls(template, settings)
        first, second = _PROBES
        if len({turns.render("", *pair) for pair in ((first, first), (first, second), (second, first))}) < 3:
            raise BundleError(
                f"{bundle.folder} has a chat template that leaves out the turns query or document, so it scores no "
                "pair: build it from a checkpoint with the template of a reranker."
            )
        return turns

    def render(self, prompt: str, query: str, document: str) -> str:
        """The text of a pair. Raises PromptError where the template refuses it."""
        named = (*([("system", prompt)] if prompt else []), ("query", query), ("document", document))
        return self._template.render_turns([self._turn(*one) for one in named], self._settings.begins_reply)

    def probes(self, prompt: str) -> Sequence[str]:
        """Two texts that differ in their pairs alone."""
        return [self.render(prompt, probe, probe) for probe in _PROBES]

    def _turn(self, role: str, text: str) -> TemplateMessage:
        return {"role": role, "content": [{"type": "text", "text": text}] if self._settings.parts else text}
