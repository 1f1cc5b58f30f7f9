"""The generation loop: prompt chunks, then one run per step, each token yielded as an event with its latency.

stream ─▶ _prefill: feed_tokens(prompt) ─▶ Decoding.first(logits)
       ─▶ _run: Decoding.next(ids) feeds the last token, and gives the next ones ─▶ TokenEvent …, GenerationDone
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from workflows.bundle.strategy import LogitsOp
from workflows.common.errors import Cancelled, CapacityError, LogitsError
from workflows.common.tensors import Array
from workflows.generate.beam_search import BeamOptions, BeamSearch
from workflows.generate.constraints import GenerationStart, compile_constraints
from workflows.generate.controller import Controller, ControllerDecoding, ControllerEnded
from workflows.generate.generation_config import GenerationConfig
from workflows.generate.grammar import ReplyForm, form_of_op, grammar_processor, requested_form
from workflows.generate.logits import Logits, check_choice
from workflows.generate.logits_chain import chain_with_options, compile_chain
from workflows.generate.logits_combination import AuxiliaryModels, requested_combinations
from workflows.generate.options import GenerateOptions
from workflows.generate.prefill import feed_tokens
from workflows.generate.processors import Processor, compile_processors, softmax
from workflows.generate.speculative import ChosenToken, Decoding, SpeculativeStrategy, make_decoding
from workflows.generate.stop_strings import StopFilter
from workflows.generate.tokenizer import BundleTokenizer
from workflows.kvcache.cache import slot_count
from workflows.runtime import Machine
from workflows.wire.events import (
    CacheEvent,
    CacheUse,
    ChunkEvent,
    Event,
    FinishReason,
    GenerationDone,
    NoticeEvent,
    SpeculationEvent,
    SpeculationUse,
    TokenEvent,
)

CACHE_EVERY_S = 0.2  # cache events are for display, so that few a second suffice


@dataclass
class Timing:
    """The times of a generation's tokens, in seconds of a monotonic clock."""

    began: float = field(default_factory=time.perf_counter)
    first: float = 0.0
    last: float = 0.0
    _share: float = 0.0

    def divide(self, start: float, tokens: int) -> None:
        """Divides the time since `start` among the next tokens: a beam search gives all of them at its end."""
        self.last, self._share = start, (time.perf_counter() - start) / max(tokens, 1)

    def token(self) -> float:
        """Notes a token; returns milliseconds since the one before, or since the start for the first."""
        now = self.last + self._share if self._share else time.perf_counter()
        elapsed = now - (self.last if self.first else self.began)
        self.first = self.first or now
        self.last = now
        return elapsed * 1000


class Generation:
    """One generation.

    defaults: the checkpoint's settings, which the person's options override. strategy: how tokens are found; None for
    one token per run. auxiliary: the models that its logits are combined with. final: the outputs of the final sessions
    after the last token.
    """

    def __init__(
        self,
        machine: Machine,
        text: BundleTokenizer,
        options: GenerateOptions,
        eos: Sequence[int],
        cancelled: Callable[[], bool] = lambda: False,
        defaults: GenerationConfig | None = None,
        strategy: SpeculativeStrategy | Controller | None = None,
        auxiliary: AuxiliaryModels | None = None,
    ) -> None:
        self._auxiliary = auxiliary or AuxiliaryModels(machine)
        self._defaults, self._strategy = defaults or GenerationConfig(), strategy
        self._machine, self._text, self._options, self._eos = machine, text, options, frozenset(eos)
        self._cancelled = cancelled
        self._timing, self._use = Timing(), SpeculationUse()
        self._filter = StopFilter(options.stop or self._defaults.stop_strings)
        self._cache_shown = 0.0
        self._eviction_noted = self._lost_noted = False
        self.final: Mapping[str, Array] = {}

    def stream(self, prompt: Sequence[int], reused: int = 0, source: Sequence[int] | None = None) -> Iterator[Event]:
        """Feeds prompt[reused:] and generates; the last event is GenerationDone.

        reused: tokens of the prompt that the cache already holds. source: the ids that an encoder has read. Texts of
        the TokenEvents joined are the final text: each comes once no later token can change it, the last one brings the
        rest. Raises LogitsError for logits that are not finite; cancellation and a full cache are finish reasons.
        """
        self._ids, self._first_new, self._pieces = list(prompt), len(prompt), list[str]()
        self._stream, self._process = self._text.stream(), self._compile(prompt, source)
        reason: FinishReason = "length"
        steps = self._decoding()
        try:
            logits = yield from self._prefill(prompt, reused)
            if self._options.num_beams > 1:
                ended = yield from self._beam_search(logits)
            else:
                ended = yield from self._emit([steps.first(logits, self._ids)])
            while not ended:
                self._check_cancelled()
                ended = yield from self._run(steps)
            reason = ended
        except Cancelled:
            reason = "cancelled"
        except ControllerEnded:
            reason = "stop"
        except CapacityError:
            reason = "capacity"
        except LogitsError:
            self._machine.cache.reset(wiped=True)  # keys and values of that run are not finite either
            self._auxiliary.forget(wiped=True)  # it may have been one of its runs
            raise
        self.final = self._finish()
        yield from self._cache_events(last=True)
        fed = len(prompt) - reused if source is None else len(source)
        yield self._done(prompt, fed, reason, None if steps.use is None else self._use)

    @property
    def _count(self) -> int:
        """The number of tokens generated so far."""
        return len(self._ids) - self._first_new

    def _run(self, steps: Decoding) -> Generator[Event, None, FinishReason | None]:
        """The events of one run, with a SpeculationEvent where the generation drafts."""
        began, first = time.perf_counter(), self._count
        batch = steps.next(self._ids, self._options.max_new_tokens - first)
        took = (time.perf_counter() - began) * 1000
        if steps.lost and not self._lost_noted:
            self._lost_noted = True
            yield NoticeEvent(code="draft_lost", message=steps.lost)
        ended = yield from self._emit(batch)
        if steps.use is not None:
            kept, draft = self._count - first, steps.use
            accepted = sum(chosen.drafted for chosen in batch[:kept])
            run = SpeculationEvent(
                step=first, by=draft.by, drafted=draft.drafted, accepted=accepted, kept=kept, latency_ms=took
            )
            self._use += run
            yield run
        return ended

    def _emit(self, batch: Sequence[ChosenToken]) -> Generator[Event, None, FinishReason | None]:
        """The events of a run's tokens; where the generation ends with one, rewinds the cache to it, returns why."""
        for place, chosen in enumerate(batch):
            ahead = len(batch) - 1 - place  # tokens in the cache after those that were fed to choose this one
            self._ids.append(chosen.token)
            text, ended = self._text_of(chosen, ahead)
            self._pieces.append(text)
            yield self._token(chosen, text, ahead)
            if ended:
                if ahead:
                    self._machine.cache.rewind(self._machine.cache.length - ahead)
                return ended
        if self._machine.cache.layout.evicts or self._timing.last - self._cache_shown >= CACHE_EVERY_S:
            yield from self._cache_events()
        return None

    def _decoding(self) -> Decoding:
        if isinstance(self._strategy, Controller):
            return ControllerDecoding(self._machine, self._score, self._strategy, self._eos)
        return make_decoding(self._machine, self._score, self._options, self._strategy, self._process, self._eos)

    def _beam_options(self) -> BeamOptions:
        """The request's, where it sets them, else the checkpoint's."""
        options, defaults = self._options, self._defaults
        penalty = options.length_penalty if "length_penalty" in options.set_fields else defaults.length_penalty
        early = options.early_stopping if "early_stopping" in options.set_fields else defaults.early_stopping
        return BeamOptions(options.num_beams, penalty, early)

    def _beam_search(self, logits: Logits) -> Generator[Event, None, FinishReason | None]:
        """The tokens of the best beam, once the search has ended."""
        options, cache = self._options, self._machine.cache
        room = options.max_new_tokens
        if cache.longest is not None:
            room = min(room, cache.longest - cache.length + 1)  # the last token is not fed
        beams = self._beam_options()
        search = BeamSearch(self._machine, beams, self._ids, self._process, self._eos, room)
        start = time.perf_counter()
        try:
            going = search.begin(logits)
            while going:
                self._check_cancelled()
                going = search.step()
                yield from self._cache_events()
        except (Cancelled, LogitsError):
            search.forget()
            raise
        search.hold_best()
        tokens = search.best.branch.tokens
        self._timing.divide(start, len(tokens))
        return (yield from self._emit([ChosenToken(token, None) for token in tokens]))

    def _compile(self, prompt: Sequence[int], source: Sequence[int] | None) -> Processor | None:
        options, defaults = self._options, self._defaults
        read, negative = prompt if source is None else source, options.negative_prompt or ()
        start = GenerationStart(prompt, read, self._eos, options.max_new_tokens, negative)

        def special(op: LogitsOp) -> Processor:
            if op.op == "grammar":
                return self._form_processor(form_of_op(op), start)
            return self._auxiliary.processor(op, start, options)

        form = requested_form(options)
        forms = [self._form_processor(form, start)] if form else []
        listed = options.listed(defaults.chain)
        if listed is not None:
            chain, self._options = chain_with_options(listed, options)
            return compile_chain(chain, start, forms, special)
        own = "repetition_penalty" in options.set_fields
        penalty = options.repetition_penalty if own else defaults.repetition_penalty
        combined = [special(op) for op in requested_combinations(options)]
        return compile_processors(options, [*combined, *compile_constraints(defaults, start, penalty), *forms])

    def _form_processor(self, form: ReplyForm, start: GenerationStart) -> Processor:
        return grammar_processor(form, self._text, sorted(start.eos), len(start.prompt), start.max_new_tokens)

    def _prefill(self, prompt: Sequence[int], reused: int) -> Generator[Event, None, Logits]:
        logits: Logits | None = None
        start, cache = reused, self._machine.cache
        self._check_cancelled()
        began = time.perf_counter()
        for fed in feed_tokens(self._machine, prompt[reused:]):
            logits = fed.logits
            start += len(fed.tokens)
            yield ChunkEvent(
                start=start - len(fed.tokens),
                tokens=len(fed.tokens),
                total=len(prompt),
                latency_ms=(time.perf_counter() - began) * 1000,
                cache_used=cache.length - cache.evicted,
                cache_capacity=slot_count(cache),
            )
            yield from self._cache_events()
            self._check_cancelled()
            began = time.perf_counter()
        assert logits is not None  # the last token of a prompt is always fed
        return logits

    def _check_cancelled(self) -> None:
        if self._cancelled():
            raise Cancelled("The generation was cancelled.")

    def _score(self, logits: Logits, ids: Sequence[int]) -> Logits:
        """The processed logits [V] after `ids`, from which the next token is chosen."""
        if self._process is None:
            return logits  # already checked
        scores = self._process(ids, np.array(logits, np.float32))
        check_choice(scores, len(ids) - self._first_new)
        return scores

    def _finish(self) -> Mapping[str, Array]:
        """Runs the final sessions; their outputs by name, empty after a generation that was stopped."""
        try:
            return self._machine.finish() if self._machine.program.final is not None else {}
        except Cancelled:
            return {}

    def _text_of(self, chosen: ChosenToken, ahead: int) -> tuple[str, FinishReason | None]:
        """The text that the newest token makes certain, and the finish reason, if the generation ends with it."""
        text = self._filter.push("" if chosen.token in self._eos else self._stream.push(chosen.token))
        reason = self._finish_reason(chosen.token, ahead) or ("stop" if chosen.last else None)
        if reason or self._filter.stopped:
            text += self._filter.push(self._stream.flush())
            text += self._filter.flush()
        return text, "stop" if self._filter.stopped else reason

    def _token(self, chosen: ChosenToken, text: str, ahead: int) -> TokenEvent:
        probability, alternatives = self._alternatives(chosen.scores, chosen.token)
        step, cache = self._count - 1, self._machine.cache
        return TokenEvent(
            id=chosen.token,
            text=text,
            step=step,
            phase="decode" if step else "prefill",
            latency_ms=self._timing.token(),
            probability=probability,
            alternatives=alternatives,
            drafted=chosen.drafted,
            cache_used=cache.length - cache.evicted - ahead,
            cache_capacity=slot_count(cache),
        )

    def _alternatives(self, scores: Logits | None, token: int) -> tuple[float | None, list[tuple[int, str, float]]]:
        """The token's probability, and the most probable tokens as (id, text, probability), where requested."""
        if scores is None or not self._options.alternatives:
            return None, []
        count = min(self._options.alternatives, len(scores))
        probabilities = softmax(scores)
        best = np.argpartition(probabilities, -count)[-count:]
        best = best[np.argsort(-probabilities[best], kind="stable")]
        rows = [(int(i), self._text.piece(int(i)), round(float(probabilities[i]), 6)) for i in best]
        return round(float(probabilities[token]), 6), rows

    def _finish_reason(self, token: int, ahead: int) -> FinishReason | None:
        if token in self._eos:
            return "eos"
        if self._count >= self._options.max_new_tokens:
            return "length"
        return None if ahead or self._machine.cache.has_room else "capacity"

    def _cache_events(self, last: bool = False) -> Iterator[Event]:
        cache = self._machine.cache
        if cache.evicted and not self._eviction_noted:
            self._eviction_noted = True
            yield NoticeEvent(
                code="window_slid",
                message=f"The window of {cache.capacity:,} tokens is full: the oldest tokens are being forgotten.",
            )
        if last or time.perf_counter() - self._cache_shown >= CACHE_EVERY_S:
            self._cache_shown = time.perf_counter()
            yield CacheEvent(groups=[*cache.view()])

    def _done(
        self, prompt: Sequence[int], read: int, reason: FinishReason, use: SpeculationUse | None
    ) -> GenerationDone:
        """The last event. read: tokens processed before the first new one, a source's where there is an encoder."""
        timing, cache, generated = self._timing, self._machine.cache, self._ids[self._first_new :]
        ttft = (timing.first - timing.began) if generated else 0.0
        decoding = timing.last - timing.first
        return GenerationDone(
            prompt_ids=list(prompt),
            token_ids=generated,
            text="".join(self._pieces),
            finish_reason=reason,
            ttft_ms=ttft * 1000,
            decode_tokens_per_s=(len(generated) - 1) / decoding if decoding > 0 else 0.0,
            prefill_tokens_per_s=read / ttft if ttft > 0 else 0.0,
            provider=self._machine.provider,
            cache=CacheUse(
                layout=cache.layout.name,
                capacity=slot_count(cache),
                used=cache.length - cache.evicted,
                bytes=cache.bytes,
                evicted=cache.evicted,
            ),
            speculation=use,
        )
