"""The decode loop: prompt chunks, then one token a step, each yielded as an event with its time."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workflows.errors import Cancelled, CapacityError, LogitsError
from workflows.generate.constraints import Start, compile_constraints
from workflows.generate.defaults import Defaults
from workflows.generate.feed import feed
from workflows.generate.logits import Logits, check_choice, run_checked
from workflows.generate.options import GenerateOptions
from workflows.generate.processors import Processor, compile_choice, compile_processors, softmax
from workflows.generate.stops import StopFilter
from workflows.generate.text import Stream, Text
from workflows.runtime import Machine
from workflows.wire.events import (
    CacheEvent,
    CacheUse,
    ChunkEvent,
    Event,
    FinishReason,
    GenerationDone,
    NoticeEvent,
    TokenEvent,
)

CACHE_EVERY_S = 0.2  # pictures of the cache a second are few: they are for eyes


@dataclass
class Timing:
    """When what happened, in seconds of a monotonic clock."""

    began: float = field(default_factory=time.perf_counter)
    first: float = 0.0
    last: float = 0.0

    def token(self) -> float:
        """Notes a token; milliseconds since the one before, or since the beginning for the first."""
        now = time.perf_counter()
        elapsed = now - (self.last or self.began)
        self.first = self.first or now
        self.last = now
        return elapsed * 1000


class Generation:
    """One generation over an machine whose cache already holds `kept` of the prompt's tokens.

    defaults: what the checkpoint asks of every generation; an option that a person gave wins over it. `final` is what
    the flow's final sessions gave after the last token.
    """

    def __init__(
        self,
        machine: Machine,
        text: Text,
        options: GenerateOptions,
        eos: Sequence[int],
        cancelled: Callable[[], bool] = lambda: False,
        defaults: Defaults | None = None,
    ) -> None:
        self._defaults = defaults or Defaults()
        self._machine, self._text, self._options, self._eos = machine, text, options, frozenset(eos)
        self._cancelled = cancelled
        self._choose = compile_choice(options)
        self._timing = Timing()
        self._filter = StopFilter(options.stop)
        self._pictured = 0.0
        self._evicted_told = False
        self.final: Mapping[str, NDArray[Any]] = {}

    def stream(self, prompt: Sequence[int], kept: int = 0, source: Sequence[int] | None = None) -> Iterator[Event]:
        """Feeds prompt[kept:] and generates; the last event is GenerationDone. source: what an encoder has read.

        The texts of the tokens joined are the text of the end: a token's own comes once it is certain, the last one
        brings what was held, and of a generation that was cancelled what was shown is the text. Raises LogitsError
        for a step that gives no logits to choose from; a cancelled one and a full cache are finish reasons.
        """
        generated: list[int] = []
        self._process = self._compile(prompt, source)
        ids, stream, pieces = list(prompt), self._text.stream(), list[str]()
        reason: FinishReason = "length"
        try:
            logits = yield from self._prefill(prompt, kept)
            while True:
                scores, token = self._chosen(logits, ids, len(generated))
                generated.append(token)
                ids.append(token)
                text, ended = self._said(token, stream, len(generated))
                pieces.append(text)
                yield self._token(scores, token, text, len(generated) - 1)
                yield from self._pictures()
                if ended:
                    reason = ended
                    break
                logits = self._step(token)
        except Cancelled:
            reason = "cancelled"
        except CapacityError:
            reason = "capacity"
        except LogitsError:
            self._machine.cache.reset(wiped=True)  # keys and values of that run are no better than its logits
            raise
        self.final = self._finish()
        yield from self._pictures(last=True)
        fed = len(prompt) - kept if source is None else len(source)
        yield self._done(prompt, fed, generated, "".join(pieces), reason)

    def _compile(self, prompt: Sequence[int], source: Sequence[int] | None) -> Processor | None:
        options, defaults = self._options, self._defaults
        given = "repetition_penalty" in options.model_fields_set
        penalty = options.repetition_penalty if given else defaults.repetition_penalty
        start = Start(prompt, prompt if source is None else source, self._eos, options.max_new_tokens)
        return compile_processors(options, compile_constraints(defaults, start, penalty))

    def _prefill(self, prompt: Sequence[int], kept: int) -> Generator[Event, None, Logits]:
        logits: Logits | None = None
        start = kept
        self._check_cancelled()
        began = time.perf_counter()
        for fed in feed(self._machine, prompt[kept:]):
            logits = fed.logits
            start += len(fed.tokens)
            yield ChunkEvent(
                start=start - len(fed.tokens),
                tokens=len(fed.tokens),
                total=len(prompt),
                latency_ms=(time.perf_counter() - began) * 1000,
                **self._usage(),
            )
            yield from self._pictures()
            self._check_cancelled()
            began = time.perf_counter()
        assert logits is not None  # the last token of a prompt is always fed
        return logits

    def _check_cancelled(self) -> None:
        if self._cancelled():
            raise Cancelled("The generation was cancelled.")

    def _step(self, token: int) -> Logits:
        self._check_cancelled()
        return run_checked(self._machine, [token], "decode")

    def _chosen(self, logits: Logits, ids: Sequence[int], step: int) -> tuple[Logits, int]:
        """The processed logits [V], and the token that is taken from them."""
        if self._process is None:
            return logits, self._choose(logits)  # they were checked when they came
        scores = self._process(ids, np.array(logits, np.float32))
        check_choice(scores, step)
        return scores, self._choose(scores)

    def _finish(self) -> Mapping[str, NDArray[Any]]:
        """What runs after the last token; nothing after a generation that was stopped."""
        try:
            return self._machine.finish() if self._machine.program.final is not None else {}
        except Cancelled:
            return {}

    def _said(self, token: int, stream: Stream, count: int) -> tuple[str, FinishReason | None]:
        """The text that comes with a token, the newest of `count`, and why the generation ends with it, if it does."""
        text = self._filter.push("" if token in self._eos else stream.push(token))
        reason = self._ended(token, count)
        if reason or self._filter.stopped:
            text += self._filter.push(stream.flush())
            text += self._filter.flush()
        return text, "stop" if self._filter.stopped else reason

    def _token(self, scores: Logits, token: int, text: str, step: int) -> TokenEvent:
        probability, alternatives = self._alternatives(scores, token)
        return TokenEvent(
            id=token,
            text=text,
            step=step,
            phase="decode" if step else "prefill",
            latency_ms=self._timing.token(),
            probability=probability,
            alternatives=alternatives,
            **self._usage(),
        )

    def _alternatives(self, scores: Logits, token: int) -> tuple[float | None, list[tuple[int, str, float]]]:
        count = min(self._options.alternatives, len(scores))
        if not count:
            return None, []
        probabilities = softmax(scores)
        best = np.argpartition(probabilities, -count)[-count:]
        best = best[np.argsort(-probabilities[best], kind="stable")]
        rows = [(int(i), self._text.piece(int(i)), round(float(probabilities[i]), 6)) for i in best]
        return round(float(probabilities[token]), 6), rows

    def _ended(self, token: int, count: int) -> FinishReason | None:
        if token in self._eos:
            return "eos"
        if count >= self._options.max_new_tokens:
            return "length"
        return None if self._machine.cache.has_room else "capacity"

    def _usage(self) -> dict[str, int]:
        cache = self._machine.cache
        return {"cache_used": cache.length - cache.evicted, "cache_capacity": cache.capacity}

    def _pictures(self, last: bool = False) -> Iterator[Event]:
        cache = self._machine.cache
        if cache.evicted and not self._evicted_told:
            self._evicted_told = True
            yield NoticeEvent(
                code="window_slid",
                message=f"The window of {cache.capacity:,} tokens is full: the oldest tokens are being forgotten.",
            )
        if last or time.perf_counter() - self._pictured >= CACHE_EVERY_S:
            self._pictured = time.perf_counter()
            yield CacheEvent(groups=[*cache.view()])

    def _done(
        self, prompt: Sequence[int], read: int, generated: list[int], text: str, reason: FinishReason
    ) -> GenerationDone:
        """read: how many tokens the time to the first one was spent on, an encoder's with its decoder's first step."""
        timing, cache = self._timing, self._machine.cache
        ttft = (timing.first - timing.began) if generated else 0.0
        decoding = timing.last - timing.first
        return GenerationDone(
            prompt_ids=list(prompt),
            token_ids=generated,
            text=text,
            finish_reason=reason,
            ttft_ms=ttft * 1000,
            decode_tokens_per_s=(len(generated) - 1) / decoding if decoding > 0 else 0.0,
            prefill_tokens_per_s=read / ttft if ttft > 0 else 0.0,
            provider=self._machine.provider,
            cache=CacheUse(
                layout=cache.layout.name,
                capacity=cache.capacity,
                used=cache.length - cache.evicted,
                bytes=cache.bytes,
                evicted=cache.evicted,
            ),
        )
