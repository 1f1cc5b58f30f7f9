"""Problems of a bundle's tokenizer, chat template and tokens, which build, verify and inspect report alike.

    tokenizer/, pipeline.tokens ──BundleTokenizer · ChatTemplate · GenerationConfig · ids──▶ one sentence each

Such a bundle still runs, on ids at least; using the broken part raises the same sentence.
"""

from __future__ import annotations

from collections.abc import Iterator

from workflows.bundle import Bundle
from workflows.common.errors import BundleError
from workflows.generate.chat_template import ChatTemplate, non_text_templates
from workflows.generate.generation_config import GenerationConfig
from workflows.generate.tokenizer import TOKENIZER_FOLDER, BundleTokenizer


def find_text_problems(bundle: Bundle) -> Iterator[str]:
    """One sentence per problem; none for a bundle whose model generates no text."""
    if bundle.pipeline.generation is None:
        return
    yield from _tokenizer_problems(bundle)
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
    known = text.tokenizer.get_vocab_size(with_added_tokens=True)
    highest = max(text.tokenizer.get_added_tokens_decoder(), default=0)
    if max(known - 1, highest) >= text.vocabulary > 0:
        yield (
            f"The tokenizer knows ids up to {max(known - 1, highest):,} and the model's go to {text.vocabulary - 1:,}: "
            "texts with the others are refused."
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
