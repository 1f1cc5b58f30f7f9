"""Problems of a bundle's tokenizer, chat template and tokens, which build, verify and inspect report alike.

    tokenizer/, pipeline.tokens ──BundleTokenizer · ChatTemplate · GenerationConfig · ids──▶ one sentence each

Such a bundle still runs, on ids at least; using the broken part raises the same sentence.
"""

from __future__ import annotations

from collections.abc import Iterator

from workflows.bundle import Bundle
from workflows.common.errors import BundleError, printable
from workflows.generate.chat_template import ChatTemplate, non_text_templates
from workflows.generate.generation_config import GenerationConfig
from workflows.generate.tokenizer import TOKENIZER_FOLDER, BundleTokenizer


def find_text_problems(bundle: Bundle) -> Iterator[str]:
    """One sentence per problem; none for a bundle whose model neither reads nor generates text."""
    if bundle.pipeline.generation is None and bundle.pipeline.metadata.texts is None:
        return
    yield from _tokenizer_problems(bundle)
    if bundle.pipeline.generation is None:
        return
    for read in (_compile, GenerationConfig.of_bundle):
        try:
            read(bundle)
        except BundleError as error:
            yield str(error)
    for name, kind in non_text_templates(bundle):
        yield f"The chat template {name} in {TOKENIZER_FOLDER}/tokenizer_config.json is of the type {kind}, not a text."
    yield from _token_problems(bundle)


def _compile(bundle: Bundle) -> None:
    """Raises BundleError for a chat template that does not compile."""
    if template := ChatTemplate.of_bundle(bundle):
        template.check_compiles()


def _tokenizer_problems(bundle: Bundle) -> Iterator[str]:
    try:
        text = BundleTokenizer.of_bundle(bundle)
    except BundleError as error:
        yield str(error)
        return
    if text.tokenizer is None:
        yield "The bundle has no tokenizer.json: prompts and replies are ids alone."
        return
    if text.vocabulary > 0 and (without_row := text.tokens_without_row()):
        first, token = next(iter(without_row.items()))
        more = f" and {len(without_row) - 1:,} more" if len(without_row) > 1 else ""
        yield (
            f"The tokenizer knows {printable(token, 40)} (id {first}){more}, and the model's ids go to "
            f"{text.vocabulary - 1:,}: a text with such a token is refused."
        )


def _token_problems(bundle: Bundle) -> Iterator[str]:
    """End tokens beyond the vocabulary, which are never generated."""
    vocabulary, tokens = bundle.pipeline.metadata.vocabulary or 0, bundle.pipeline.tokens
    beyond = [token for token in tokens.eos if token >= vocabulary > 0]
    if beyond:
        yield (
            f"The end token {beyond[0]} is beyond the model's ids, which go to {vocabulary - 1:,}: it is never drawn"
            + (", so that no reply ends by itself." if len(beyond) == len(tokens.eos) else ".")
        )
