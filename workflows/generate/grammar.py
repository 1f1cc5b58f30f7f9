"""Replies constrained to a JSON schema, a regular expression or a Lark grammar, token by token.

    form ──llguidance──▶ matcher ──follows the ids, and rolls back──▶ the tokens that may come next

The matcher takes whole texts: where the ids differ from those it consumed, it rolls back to the common prefix, so that
drafts and branches need no matchers of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

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
_CLOSING_TOKENS = 96  # tokens before the limit at which JSON is closed
_TITLES: dict[FormKind, str] = {
    "json_schema": "JSON schema", "regex": "regular expression", "grammar": "Lark grammar",
    "tool_calls": "form of tool calls"}  # fmt: skip


class ReplyForm(NamedTuple):
    """The form of a reply: its kind and its text."""

    form: FormKind
    text: str


def requested_form(options: GenerateOptions) -> ReplyForm | None:
    """The form in a generation's options; None where there is none."""
    forms: tuple[FormKind, ...] = get_args(FormKind)
    return next((ReplyForm(form, text) for form in forms if (text := getattr(options, form)) is not None), None)


def check_form(form: ReplyForm) -> None:
    """Raises RequestError for a malformed form, without regard to a model's tokens."""
    from llguidance import LLMatcher

    if wrong := LLMatcher.validate_grammar(_compiled(form)):
        raise _form_error(form, wrong)


def form_of_op(op: LogitsOp) -> ReplyForm:
    """The form in an op of the file's chain: a JSON schema where it starts with a brace."""
    text = op.grammar or ""
    return ReplyForm("json_schema" if text.lstrip().startswith("{") else "grammar", text)


def grammar_processor(
    form: ReplyForm, text: BundleTokenizer, eos: Sequence[int], first: int, limit: int | None = None
) -> Processor:
    """Masks tokens with which the reply could no longer match the form; once complete, all but end tokens.

    first: the number of ids before the reply. limit: the most tokens of the reply, before which JSON is closed. Raises
    RequestError for a malformed form, for a model without a tokenizer, and for one without an end token.
    """
    words = grammar_tokenizer(text, eos)
    matcher = _GrammarMatcher(form, words)
    closing = (
        None if limit is None or form.form not in _JSON_FORMS else first + limit - min(limit // 2, _CLOSING_TOKENS)
    )
    endings = () if closing is None else _endings(words)  # computed now, not between two tokens

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        allowed = matcher.allowed(ids[first:], len(logits))
        if closing is not None and len(ids) >= closing:
            allowed = _nearest_the_end(allowed, endings)
        np.copyto(logits, MASKED, where=~allowed)
        return logits

    return process


def _nearest_the_end(allowed: Allowed, endings: Sequence[Allowed]) -> Allowed:
    """The allowed tokens that end the reply soonest: end or closing ones, else a comma; else all allowed ones."""
    for ending in endings:
        if (found := allowed & ending[: len(allowed)]).any():
            return found
    return allowed


@lru_cache(maxsize=4)
def _endings(words: LLTokenizer) -> tuple[Allowed, ...]:
    """[vocabulary] each: the end tokens, tokens of closing brackets and quotes, tokens of commas."""
    texts = [bytes(words.decode_bytes([token])) for token in range(words.vocab_size)]
    ends = np.zeros(words.vocab_size, np.bool_)
    ends[list(words.eos_tokens)] = True
    closes, goes_on = ([bool(t) and not t.strip(what) for t in texts] for what in (b'"]}', b","))
    return ends, np.array(closes), np.array(goes_on)


class _GrammarMatcher:
    """llguidance's matcher, applied to whole texts."""

    def __init__(self, form: ReplyForm, words: LLTokenizer) -> None:
        from llguidance import LLMatcher

        self._matcher, self._title = LLMatcher(words, _compiled(form), log_level=0), _TITLES[form.form]
        self._consumed: list[int] = []
        if self._matcher.is_error():
            raise _form_error(form, self._matcher.get_error())

    def allowed(self, ids: Sequence[int], vocabulary: int) -> Allowed:
        """[vocabulary] booleans: the tokens that may follow `ids`."""
        same = next((i for i, (a, b) in enumerate(zip(self._consumed, ids, strict=False)) if a != b), None)
        shared = min(len(self._consumed), len(ids)) if same is None else same
        if shared < len(self._consumed):
            self._matcher.rollback(len(self._consumed) - shared)
            del self._consumed[shared:]
        for token in ids[shared:]:
            if self._matcher.is_stopped():  # a draft may go on behind the end, where the matcher would fail for good
                break
            self._matcher.consume_token(token)
            self._consumed.append(token)
        bits = np.frombuffer(self._matcher.compute_bitmask(), np.uint8)
        if self._matcher.is_error():
            reason = printable(" ".join(self._matcher.get_error().split()), 160)
            raise RequestError(f"The reply cannot go on by the {self._title}: {reason.rstrip('.')}.")
        return np.unpackbits(bits, count=vocabulary, bitorder="little").view(np.bool_)


def _form_error(form: ReplyForm, wrong: str) -> RequestError:
    """The error for a malformed form. wrong: llguidance's message, whose first or `error:` line gives the reason."""
    lines = [line.strip() for line in wrong.splitlines() if line.strip()]
    reason = next((line.removeprefix("error: ") for line in lines if line.startswith("error: ")), lines[0])
    return RequestError(f"The {_TITLES[form.form]} cannot be used: {printable(reason, 160).rstrip('.')}.")


def _compiled(form: ReplyForm) -> str:
    from llguidance import LLMatcher

    if form.form == "regex":
        return str(LLMatcher.grammar_from_regex(form.text))
    if form.form in ("grammar", "tool_calls"):
        return str(LLMatcher.grammar_from_lark(form.text))
    try:
        # flexible white space is unlimited, which an unsure model generates for ever
        return str(LLMatcher.grammar_from_json_schema(form.text, defaults={"whitespace_flexible": False}))
    except ValueError as error:
        raise _form_error(form, str(error)) from None


def grammar_tokenizer(text: BundleTokenizer, eos: Sequence[int]) -> LLTokenizer:
    """The tokenizer for llguidance.

    Raises RequestError for one that it cannot read, where there is none, and for a model without an end token.
    """
    if text.source is None:
        raise RequestError("This bundle has no tokenizer, so its replies cannot be constrained: leave the grammar out.")
    if not eos:
        raise RequestError(
            "This model has no end token, so a constrained reply could not end: name its eos_token_id in the "
            "checkpoint's generation_config.json and build it again."
        )
    return _cached_tokenizer(text.source, text.vocabulary, tuple(sorted(eos)))


@lru_cache(maxsize=4)
def _cached_tokenizer(tokenizer: str, vocabulary: int, eos: tuple[int, ...]) -> LLTokenizer:
    # takes half a second for a large vocabulary
    from llguidance import LLTokenizer

    try:
        return LLTokenizer(tokenizer, n_vocab=vocabulary, eos_token=list(eos))
    except ValueError as error:
        reason = printable(error, 160).rstrip(".")
        raise RequestError(f"This bundle's tokenizer cannot be held to a form: {reason}.") from None
