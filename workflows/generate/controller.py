"""Generation loops of plug-ins: a controller chooses the tokens; the engine emits, limits and ends them.

    controller(context) ──append(token) …, yield──▶ a step's tokens ──▶ events, end tokens, limits, cancel: the engine's

A controller is a generator function: it reads `context`, appends the tokens that it has chosen, and yields once per
step; the generation ends where it returns, or has called `end`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from workflows.bundle.outline import Fault
from workflows.bundle.strategy import ControllerReference
from workflows.common.errors import JoineryError, RequestError, printable
from workflows.common.plugins import load
from workflows.generate.cached_prompt import common_prefix_length
from workflows.generate.logits import Logits, last_logits, logits_per_token
from workflows.generate.options import GenerateOptions
from workflows.generate.speculative.decoding import ChosenToken, ScoreFunction
from workflows.runtime import Machine
from workflows.runtime.execution.machine import HiddenStates


class ControllerEnded(Exception):  # noqa: N818 - nothing went wrong
    """The controller returned without further tokens."""


class StepContext:
    """What a controller reads and calls.

    config: the controller's text in the bundle's file. ends: the end tokens. ids: the text so far, appended tokens
    included. vocabulary: the number of tokens. rounds: whether the graphs compute with integers, whose rounding differs
    between runs of one token and of several. ended: whether `end` was called.
    """

    def __init__(
        self, machine: Machine, score: ScoreFunction, ids: Sequence[int], logits: Logits, controller: Controller,
        ends: frozenset[int],
    ) -> None:  # fmt: skip
        self._machine, self._score = machine, score
        self.config, self.ends, self.vocabulary = controller.config, ends, machine.vocabulary
        self.rounds = machine.rounds
        self.ids, self._held, self._emitted = list(ids), list(ids), len(ids)
        self._row: Logits | None = np.array(logits, np.float32)  # after what the cache holds
        self.ended = False

    @property
    def length(self) -> int:
        """The number of tokens of the text, prompt and appended tokens included."""
        return len(self.ids)

    @property
    def room(self) -> int:
        """How many tokens beyond the text `forward` can take in one run."""
        if self._machine.cache.carried:  # whose state cannot go back by the tokens that prove wrong
            return 0
        self._hold(len(self.ids) - 1)
        return self._machine.draft_room

    def append(self, token: int) -> None:
        """Appends `token`. Raises RequestError for a token beyond the vocabulary."""
        if not 0 <= token < self.vocabulary:
            raise RequestError(f"The token {token} is not in the vocabulary, whose ids go to {self.vocabulary - 1:,}.")
        self.ids.append(int(token))

    def rewind(self, length: int) -> None:
        """Removes tokens appended since the last yield, down to `length` in all. Raises RequestError for others."""
        if not self._emitted <= length <= len(self.ids):
            raise RequestError(f"The text can go back to the {self._emitted:,} emitted tokens, not to {length:,}.")
        del self.ids[length:]

    def end(self) -> None:
        """Ends the generation after the appended tokens."""
        self.ended = True

    def logits(self) -> Logits:
        """The logits [V] after the text, through the generation's processors. Raises what Machine.step raises."""
        if self._row is None or self._held != self.ids:
            self._hold(len(self.ids) - 1)
            self._row = np.array(last_logits(self._machine, self.ids[-1:], "decode"), np.float32)
            self._held = list(self.ids)
        return self.score(self._row)

    def hidden(self) -> HiddenStates | None:
        """The hidden state [H] of the text's last token; None for graphs built without `expose=hidden_states`.

        Runs the last token, again where it was run before. Raises what Machine.step raises.
        """
        last = _LastHiddenState()
        before = self._machine.listen(last)
        try:
            self._hold(len(self.ids) - 1)
            last.row = None
            self._row = np.array(last_logits(self._machine, self.ids[-1:], "decode"), np.float32)
        finally:
            self._machine.listen(before)
        self._held = list(self.ids)
        return last.row

    def forward(self, tokens: Sequence[int]) -> Logits:
        """The logits [1 + n, V] after the text and after each of `tokens`, in one run, without appending them.

        Takes the first `room` tokens. Raises what Machine.step raises.
        """
        guesses = list(tokens[: self.room])
        if not guesses:
            self.logits()
            assert self._row is not None  # logits() has set it
            return self._row[None]
        rows = np.stack([np.array(row) for row in logits_per_token(self._machine, [self.ids[-1], *guesses])])
        self._held, self._row = [*self.ids, *guesses], None
        return rows

    def score(self, row: Logits, tokens: Sequence[int] = ()) -> Logits:
        """A row [V] of logits after the text and `tokens`, through the generation's processors."""
        return self._score(np.array(row, np.float32), [*self.ids, *tokens])

    def take(self) -> list[int]:
        """The tokens appended since the last step; called by the engine after a yield."""
        new, self._emitted = self.ids[self._emitted :], len(self.ids)
        return new

    def hold_before(self, length: int) -> None:
        """Makes the cache hold the first `length` tokens of the text; called by the engine before it emits tokens."""
        self._hold(length)

    def _hold(self, length: int) -> None:
        wanted, held = self.ids[:length], self._held
        shared = common_prefix_length(wanted, held)
        if shared < len(held):
            cache = self._machine.cache
            exact = cache.length - (len(held) - shared)
            nearest = cache.slots.nearest_rewind(exact)
            cache.rewind(nearest)
            shared -= exact - nearest
            self._row = None
        for chunk, phase in self._machine.chunks(wanted[shared:]):
            self._row = np.array(last_logits(self._machine, chunk, phase), np.float32)
        self._held = wanted


class _LastHiddenState:
    """A HiddenStateListener that keeps a copy of the newest row [H]."""

    row: HiddenStates | None = None

    def on_hidden_states(self, start: int, rows: HiddenStates) -> None:
        """See HiddenStateListener."""
        self.row = np.array(rows[-1])


_EXHAUSTED = object()
Loop = Callable[[StepContext], Iterator[None]]


@dataclass(frozen=True)
class Controller:
    """The loaded loop of a bundle. name: what messages call it."""

    loop: Loop
    name: str
    config: str = ""

    @classmethod
    def load(cls, reference: ControllerReference, where: str) -> Controller:
        """Loads the entry point that the bundle's file, `where`, names.

        Raises BundleError where it is not allowed, not installed, or not a function, and what plugins.load raises.
        """
        try:
            loop = load(reference.library, reference.entry_point)
        except RequestError as error:
            raise Fault("pipeline.controller", str(error).removesuffix(".")).error(where) from None
        if not callable(loop):
            raise Fault("pipeline.controller.entry_point", "the entry point is not a function").error(where)
        return cls(loop, f"{reference.entry_point} of {reference.library}", reference.config)

    def check_options(self, options: GenerateOptions, drafts: bool) -> Controller:
        """Returns the controller. drafts: whether a model drafts. Raises RequestError for options it excludes."""
        if options.num_beams > 1 or options.ngram or drafts or options.of_drafts:
            raise RequestError(f"The bundle's controller, {self.name}, chooses the tokens: leave beams and drafts out.")
        return self


class ControllerDecoding:
    """Decoding by a controller; see Decoding."""

    use = None
    lost = ""

    def __init__(self, machine: Machine, score: ScoreFunction, controller: Controller, ends: frozenset[int]) -> None:
        self._machine, self._score, self._controller, self._ends = machine, score, controller, ends
        self._context: StepContext | None = None
        self._steps: Iterator[None] = iter(())
        self._waiting: list[int] = []  # tokens of the first step beyond the first one

    def first(self, logits: Logits, ids: Sequence[int]) -> ChosenToken:
        """See Decoding. Raises ControllerEnded where the controller gives no token."""
        self._context = StepContext(self._machine, self._score, ids, logits, self._controller, self._ends)
        self._steps = self._controller.loop(self._context)
        first, *self._waiting = self._step()
        self._context.hold_before(len(ids))
        return ChosenToken(first, None, last=self._context.ended and not self._waiting)

    def next(self, ids: Sequence[int], left: int) -> Sequence[ChosenToken]:
        """See Decoding. Raises ControllerEnded, and JoineryError for a controller that fails."""
        assert self._context is not None  # the first token came before
        tokens, self._waiting = (self._waiting or self._step())[:left], []
        self._context.hold_before(len(ids) + len(tokens) - 1)
        final = len(tokens) - 1 if self._context.ended else len(tokens)
        return [ChosenToken(token, None, last=place == final) for place, token in enumerate(tokens)]

    def _step(self) -> list[int]:
        assert self._context is not None  # it is made before the first step
        try:
            while not self._context.ended and next(self._steps, _EXHAUSTED) is not _EXHAUSTED:
                if tokens := self._context.take():
                    return tokens
        except JoineryError:
            raise
        except Exception as error:  # plug-ins may raise anything
            message = printable(error, 160).rstrip(".") or type(error).__name__
            raise JoineryError(f"The controller {printable(self._controller.name)} failed: {message}.") from error
        if tokens := self._context.take():  # appended, and returned
            self._context.end()
            return tokens
        raise ControllerEnded
