"""Other people's loops: a controller decides which tokens come next, and the engine tells, limits and ends them.

    controller(context) ──append(token) …, yield──▶ a step's tokens ──▶ events, end tokens, limits, cancel: the engine's

A controller is a generator function: it looks at `context`, appends the tokens that it is sure of, and yields once a
step; where it returns, or said `end`, the generation ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from workflows.bundle.outline import Fault
from workflows.bundle.strategy import ControllerReference as Named
from workflows.common.errors import JoineryError, RequestError, printable
from workflows.common.plugins import load
from workflows.generate.auxiliary_model import common_prefix_length
from workflows.generate.logits import Logits, last_logits, logits_per_token
from workflows.generate.options import GenerateOptions
from workflows.generate.speculative.decoding import ChosenToken, ScoreFunction
from workflows.runtime import Machine
from workflows.runtime.hidden_states import HiddenStates


class ControllerEnded(Exception):  # noqa: N818 - nothing went wrong
    """The controller has no more tokens."""


class StepContext:
    """What a controller sees and does. config: its own text, from the bundle's file. ends: the tokens that end a text.

    ids: the text so far with what was appended. vocabulary: how many tokens there are. rounds: whether the graphs
    compute with integers, whose rounding differs between runs of one token and of several.
    """

    def __init__(self, machine: Machine, score: ScoreFunction, ids: Sequence[int], logits: Logits, controller: Controller,
                 ends: frozenset[int]) -> None:  # fmt: skip
        self._machine, self._score = machine, score
        self.config, self.ends, self.vocabulary = controller.config, ends, machine.vocabulary
        self.rounds = machine.rounds
        self.ids, self._held, self._told = list(ids), list(ids), len(ids)
        self._row: Logits | None = np.array(logits, np.float32)  # after what the cache holds
        self.ended = False

    @property
    def length(self) -> int:
        """How many tokens the text has, the prompt's and the appended ones among them."""
        return len(self.ids)

    @property
    def room(self) -> int:
        """How many tokens `forward` can look at beyond the text, in one run."""
        self._hold(len(self.ids) - 1)
        return self._machine.drafts

    def append(self, token: int) -> None:
        """Goes on with `token`. Raises RequestError for one that is not in the vocabulary."""
        if not 0 <= token < self.vocabulary:
            raise RequestError(f"The token {token} is not in the vocabulary, whose ids go to {self.vocabulary - 1:,}.")
        self.ids.append(int(token))

    def rewind(self, length: int) -> None:
        """Takes back what was appended since the last yield, to `length` tokens in all. Raises RequestError beyond."""
        if not self._told <= length <= len(self.ids):
            raise RequestError(f"The text goes back to the {self._told:,} tokens that were told, not to {length:,}.")
        del self.ids[length:]

    def end(self) -> None:
        """Ends the generation with what was appended."""
        self.ended = True

    def logits(self) -> Logits:
        """The scores [V] after the text, through the generation's chain. Raises what Machine.step raises."""
        if self._row is None or self._held != self.ids:
            self._hold(len(self.ids) - 1)
            self._row = np.array(last_logits(self._machine, self.ids[-1:], "decode"), np.float32)
            self._held = list(self.ids)
        return self.score(self._row)

    def hidden(self) -> HiddenStates | None:
        """The last hidden state [H] after the text; None of graphs that give none (`expose=hidden_states`).

        Runs the last token, once more where it was run before. Raises what Machine.step raises.
        """
        rows, before = list[HiddenStates](), self._machine.hear
        self._machine.hear = lambda start, found: rows.append(np.array(found[-1]))
        try:
            self._hold(len(self.ids) - 1)
            rows.clear()
            self._row = np.array(last_logits(self._machine, self.ids[-1:], "decode"), np.float32)
        finally:
            self._machine.hear = before
        self._held = list(self.ids)
        return rows[-1] if rows else None

    def forward(self, tokens: Sequence[int]) -> Logits:
        """What the graphs give [1 + n, V] after the text and after each of `tokens`, which are not appended: one run.

        Of more than `room` tokens the first alone. Raises what Machine.step raises.
        """
        guesses = list(tokens[: self.room])
        if not guesses:
            self.logits()
            assert self._row is not None  # logits were just made
            return self._row[None]
        rows = np.stack([np.array(row) for row in logits_per_token(self._machine, [self.ids[-1], *guesses])])
        self._held, self._row = [*self.ids, *guesses], None
        return rows

    def score(self, row: Logits, tokens: Sequence[int] = ()) -> Logits:
        """A row [V] through the generation's chain, as it comes after the text and `tokens`."""
        return self._score(np.array(row, np.float32), [*self.ids, *tokens])

    def take(self) -> list[int]:
        """The tokens that were appended since the last step; the engine's, after a yield."""
        found, self._told = self.ids[self._told :], len(self.ids)
        return found

    def hold_before(self, length: int) -> None:
        """Has the cache hold the first `length` tokens of the text; the engine's, before tokens are told."""
        self._hold(length)

    def _hold(self, length: int) -> None:
        wanted, held = self.ids[:length], self._held
        shared = common_prefix_length(wanted, held)
        if shared < len(held):
            self._machine.cache.rewind(self._machine.cache.length - (len(held) - shared))
            self._row = None
        for chunk, phase in self._machine.chunks(wanted[shared:]):
            self._row = np.array(last_logits(self._machine, chunk, phase), np.float32)
        self._held = wanted


_EXHAUSTED = object()
Loop = Callable[[StepContext], Iterator[None]]


@dataclass(frozen=True)
class Controller:
    """A loop that a bundle names, loaded. name: what a sentence calls it."""

    loop: Loop
    name: str
    config: str = ""

    @classmethod
    def load(cls, named: Named, where: str) -> Controller:
        """Raises BundleError where it may not run, is not installed, or is no function. where: the file that names it.

        See plugins.load for what else it raises.
        """
        try:
            found = load(named.library, named.entry_point)
        except RequestError as error:
            raise Fault("pipeline.controller", str(error).removesuffix(".")).error(where) from None
        if not callable(found):
            raise Fault("pipeline.controller.entry_point", "what it names is no function").error(where)
        return cls(found, f"{named.entry_point} of {named.library}", named.config)

    def check(self, options: GenerateOptions, drafts: bool) -> Controller:
        """Itself. drafts: whether a model drafts. Raises RequestError for what cannot be had beside it."""
        if options.num_beams > 1 or options.ngram or drafts or options.of_drafts:
            raise RequestError(f"The bundle's controller, {self.name}, finds the tokens: leave beams and drafts out.")
        return self


class ControllerDecoding:
    """A controller's steps, as the generation takes them; see strategy.Steps."""

    use = None
    lost = ""

    def __init__(self, machine: Machine, score: ScoreFunction, controller: Controller, ends: frozenset[int]) -> None:
        self._machine, self._score, self._controller, self._ends = machine, score, controller, ends
        self._context: StepContext | None = None
        self._steps: Iterator[None] = iter(())
        self._waiting: list[int] = []  # of the first step, of which one token is asked for

    def first(self, logits: Logits, ids: Sequence[int]) -> ChosenToken:
        """See Steps. Raises Ended where the controller gives no token."""
        self._context = StepContext(self._machine, self._score, ids, logits, self._controller, self._ends)
        self._steps = self._controller.loop(self._context)
        first, *self._waiting = self._step()
        self._context.hold_before(len(ids))
        return ChosenToken(first, None, last=self._context.ended and not self._waiting)

    def next(self, ids: Sequence[int], left: int) -> Sequence[ChosenToken]:
        """See Steps. Raises Ended, and JoineryError for a controller that fails."""
        assert self._context is not None  # the first token came before
        tokens, self._waiting = (self._waiting or self._step())[:left], []
        self._context.hold_before(len(ids) + len(tokens) - 1)
        final = len(tokens) - 1 if self._context.ended else len(tokens)
        return [ChosenToken(token, None, last=place == final) for place, token in enumerate(tokens)]

    def _step(self) -> list[int]:
        assert self._context is not None  # it is made before the first step
        try:
            while not self._context.ended and next(self._steps, _EXHAUSTED) is not _EXHAUSTED:
                if found := self._context.take():
                    return found
        except JoineryError:
            raise
        except Exception as error:  # a stranger's code may raise anything
            message = printable(error, 160).rstrip(".") or type(error).__name__
            raise JoineryError(f"The controller {printable(self._controller.name)} failed: {message}.") from error
        if found := self._context.take():  # appended, and returned
            self._context.end()
            return found
        raise ControllerEnded
