"""The prompts that a bundle of sentence-transformers names."""

from __future__ import annotations

from workflows.bundle.text_tasks import ClassificationSettings, EmbeddingSettings
from workflows.common.errors import PromptError, printable


def named_prompt(settings: EmbeddingSettings | ClassificationSettings, name: str | None) -> str:
    """The text of the prompt `name`, of the default one for None. Raises PromptError that lists the prompts."""
    name = settings.default_prompt if name is None else name
    if name is None:
        return ""
    if name not in settings.prompts:
        known = ", ".join(settings.prompts) or "none"
        raise PromptError(f"The bundle has no prompt {printable(name)!r}; its prompts are: {printable(known, 400)}.")
    return settings.prompts[name]
