"""Replies of a given form: a JSON schema, a regular expression or a Lark grammar that every token must go on with.

    form ──llguidance──▶ Matcher ──follows the ids, back too──▶ the tokens that may come next

The matcher follows what it is shown: where the ids part from those it took, it goes back to where they do, so that
drafts and branches need nothing of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.strategy import LogitsOp
from workflows.common.errors import RequestError, printable
from workflows.generate.options import GenerateOptions
from workflows.generate.processors import MASKED, Logits, Processor
from workflows.generate.tokenizer import BundleTokenizer

if TYPE_CHECKING:
    from llguidance import LLTokenizer

FormKind = Literal["json_schema", "regex", "grammar", "tool_calls"]
Allowed = NDArray[np.bool_]
_JSON_FORMS: tuple[FormKind, ...] = ("json_schema", "tool_calls")
_CLOSING_TOKENS = 96  # tokens before the limit from which on JSON is brought to its end
_TITLES: dict[FormKind, str] = {
    "json_schema": "JSON schema", "regex": "regular expression", "grammar": "Lark grammar",
    "tool_calls": "form of tool calls"}  # fmt: skip


class ReplyForm(NamedTuple):
    """What a reply must be: the form's kind and its text."""

    form: FormKind
    text: str


def requested_form(options: GenerateOptions) -> ReplyForm | None:
    """The form that a generation is asked for."""
    texts: dict[FormKind, str | None] = {
        "json_schema": options.json_schema, "regex": options.regex, "grammar": options.grammar,
        "tool_calls": options.tool_calls,
    }  # fmt: skip
    return next((ReplyForm(form, text) for form, text in texts.items() if text is not None), None)


def check_form(asked: ReplyForm) -> None:
    """Raises RequestError for a form that is none; what a model's tokens can make of it is not looked at."""
    from llguidance import LLMatcher

    if wrong := LLMatcher.validate_grammar(_compiled(asked)):
        raise _form_error(asked, wrong)


def form_of_op(op: LogitsOp) -> ReplyForm:
    """The form that an op of the file's chain holds replies to: a JSON schema where it begins as one."""
    text = op.grammar or ""
    return ReplyForm("json_schema" if text.lstrip().startswith("{") else "grammar", text)


def grammar_processor(
    asked: ReplyForm, text: BundleTokenizer, eos: Sequence[int], first: int, limit: int | None = None
) -> Processor:
    """Lets only tokens through with which the reply can still become what was asked for; then only an end token.

    first: how many ids come before the reply. limit: how many it may have: JSON is brought to its end before. Raises
    RequestError for a form that is none, for a model without tokenizer, and for one without an end token, whose reply
    could not end.
    """
    if not eos:
        raise RequestError("This model has no end token, so that a reply of a given form could not end.")
    words = grammar_tokenizer(text, eos)
    matcher = _GrammarMatcher(asked, words)
    closing = (
        None if limit is None or asked.form not in _JSON_FORMS else first + limit - min(limit // 2, _CLOSING_TOKENS)
    )
    endings = () if closing is None else _endings(words)  # now, and not between two tokens

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        allowed = matcher.allowed(ids[first:], len(logits))
        if closing is not None and len(ids) >= closing:
            allowed = _nearest_the_end(allowed, endings)
        np.copyto(logits, MASKED, where=~allowed)
        return logits

    return process


def _nearest_the_end(allowed: Allowed, endings: Sequence[Allowed]) -> Allowed:
    """Of the tokens that may come those that end most: closing ones, else a comma; all where there is neither."""
    for ending in endings:
        if (found := allowed & ending[: len(allowed)]).any():
            return found
    return allowed


@lru_cache(maxsize=4)
def _endings(words: LLTokenizer) -> tuple[Allowed, ...]:
    """[vocabulary] each: the tokens that end the reply, that close alone, that go on to the next value alone."""
    texts = [bytes(words.decode_bytes([token])) for token in range(words.vocab_size)]
    ends = np.zeros(words.vocab_size, np.bool_)
    ends[list(words.eos_tokens)] = True
    closes, goes_on = ([bool(t) and not t.strip(what) for t in texts] for what in (b'"]}', b","))
    return ends, np.array(closes), np.array(goes_on)


class _GrammarMatcher:
    """llguidance's matcher, which is shown whole texts."""

    def __init__(self, asked: ReplyForm, words: LLTokenizer) -> None:
        from llguidance import LLMatcher

        self._matcher, self._said = LLMatcher(words, _compiled(asked), log_level=0), _TITLES[asked.form]
        self._taken: list[int] = []
        if self._matcher.is_error():
            raise _form_error(asked, self._matcher.get_error())

    def allowed(self, ids: Sequence[int], vocabulary: int) -> Allowed:
        """[vocabulary], which tokens may follow `ids`."""
        same = next((i for i, (a, b) in enumerate(zip(self._taken, ids, strict=False)) if a != b), None)
        shared = min(len(self._taken), len(ids)) if same is None else same
        if shared < len(self._taken):
            self._matcher.rollback(len(self._taken) - shared)
        self._matcher.consume_tokens(list(ids[shared:]))
        self._taken[shared:] = ids[shared:]
        bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        if self._matcher.is_error():
            reason = printable(" ".join(self._matcher.get_error().split()), 160)
            raise RequestError(f"The reply cannot go on by the {self._said}: {reason.rstrip('.')}.")
        return np.unpackbits(bits, count=vocabulary, bitorder="little").view(np.bool_)


def _form_error(asked: ReplyForm, wrong: str) -> RequestError:
    """wrong: llguidance's words, of which a drawing of the place follows the first line, and `error:` a pattern's."""
    lines = [line.strip() for line in wrong.splitlines() if line.strip()]
    reason = next((line.removeprefix("error: ") for line in lines if line.startswith("error: ")), lines[0])
    return RequestError(f"The {_TITLES[asked.form]} cannot be used: {printable(reason, 160).rstrip('.')}.")


def _compiled(asked: ReplyForm) -> str:
    from llguidance import LLMatcher

    if asked.form == "regex":
        return str(LLMatcher.grammar_from_regex(asked.text))
    if asked.form in ("grammar", "tool_calls"):
        return str(LLMatcher.grammar_from_lark(asked.text))
    try:
        # blank space may be as long as one likes, which is what an unsure model goes on with for ever
        return str(LLMatcher.grammar_from_json_schema(asked.text, defaults={"whitespace_flexible": False}))
    except ValueError as error:
        raise _form_error(asked, str(error)) from None


def grammar_tokenizer(text: BundleTokenizer, eos: Sequence[int]) -> LLTokenizer:
    """The tokens as llguidance knows them. Raises RequestError for a tokenizer that it cannot read, or none."""
    if text.source is None:
        raise RequestError("This bundle has no tokenizer, so that its replies have no form: leave the grammar out.")
    return _cached_tokenizer(text.source, text.vocabulary, tuple(sorted(eos)))


@lru_cache(maxsize=4)
def _cached_tokenizer(tokenizer: str, vocabulary: int, eos: tuple[int, ...]) -> LLTokenizer:
    # half a second for a large vocabulary
    from llguidance import LLTokenizer

    try:
        return LLTokenizer(tokenizer, n_vocab=vocabulary, eos_token=list(eos))
    except ValueError as error:
        reason = printable(error, 160).rstrip(".")
        raise RequestError(f"This bundle's tokenizer cannot be held to a form: {reason}.") from None
