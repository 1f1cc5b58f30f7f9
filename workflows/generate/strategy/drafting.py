"""Drafts of another, smaller model that speaks the same tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from workflows.bundle import Bundle, read_bundle
from workflows.bundle.options import SessionOptions
from workflows.errors import Cancelled, CapacityError, DraftError, JoineryError, RequestError, printable
from workflows.generate.feed import feed
from workflows.generate.logits import Logits, run_checked
from workflows.generate.processors import softmax
from workflows.generate.strategy.base import NOTHING, Draft
from workflows.generate.text import Text
from workflows.runtime import Machine, open_machine
from workflows.runtime.drafting import draft_faults, drafting_bundle
from workflows.runtime.openings import Placement

Process = Callable[[Sequence[int], Logits], Logits]


class DraftModel:
    """A model that is open beside the target, with a cache of its own that follows what the target takes.

    Draws each token from its own logits after the generation's chain (`begin` tells it), the largest where the
    generation is greedy. Its cache keeps what two texts have in common. name: what a person knows it as. own: whether
    it is of the target's bundle, so that the bundle's strategy tells how to draft with it. digest: tells its bundle
    from others.
    """

    def __init__(self, machine: Machine, name: str = "draft", *, own: bool = False, digest: str = "") -> None:
        self._machine, self._name = machine, name
        self.own, self.digest = own, digest
        self._fed: list[int] = []
        self.begin(None, None)

    @classmethod
    def open(cls, folder: str | Path, where: Placement, target: Machine, bundle: Bundle) -> DraftModel:
        """Opens the bundle in `folder` as the draft of `target`, which is open from `bundle`.

        Raises RequestError where the two don't speak the same tokens or the draft cannot go back, and what
        open_machine raises.
        """
        own = read_bundle(folder)
        machine = open_machine(own, where)
        _check(target, machine, Text.of_bundle(bundle), Text.of_bundle(own))
        return cls(machine, Path(folder).name, digest=own.fingerprint)

    @classmethod
    def of_bundle(
        cls,
        bundle: Bundle,
        target: Machine,
        where: Placement,
        device_options: Mapping[str, str] | None = None,
        session_options: SessionOptions | None = None,
    ) -> DraftModel | None:
        """Opens those sessions of `bundle` that draft for `target`, the others; None where it has none.

        The options are open_machine's. Raises BundleError, with the JSON path, where the two don't fit, and what
        open_machine raises.
        """
        own, machine = drafting_bundle(bundle, target.cache.capacity), None
        if own is not None:
            others = {name: one for name, one in where.others.items() if name in own.pipeline.pipeline.sessions}
            place = Placement(where.device, others)
            machine = open_machine(own, place, device_options=device_options, session_options=session_options)
        for fault in draft_faults(bundle.pipeline, target.program, machine.program if machine else None):
            raise fault.error(bundle.where)
        return None if machine is None else cls(machine, str(bundle.pipeline.pipeline.draft), own=True)

    def stop(self) -> None:
        """Ends the run that is under way; may be called from any thread."""
        self._machine.stop()

    def close(self) -> None:
        """Lets go of the sessions and their memory."""
        self._machine.close()

    def begin(self, process: Process | None, generator: np.random.Generator | None) -> None:
        """What the next drafts are drawn with. generator: None takes the largest logit."""
        self._process, self._generator = process, generator
        self._machine.resume()

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        """See Proposer. A full cache drafts nothing."""
        tokens: list[int] = []
        drawn: list[Logits] = []
        try:
            for token, probabilities in self._following(ids, count):
                tokens.append(token)
                drawn.append(probabilities)
        except CapacityError:
            pass
        except Cancelled:
            raise
        except JoineryError as error:
            self._forget()
            raise DraftError(
                f"Drafting by {printable(self._name)} failed, and this generation goes on without drafts: {error}"
            ) from error
        if not tokens:
            return NOTHING
        return Draft(tuple(tokens), None if self._generator is None else np.stack(drawn))

    def _following(self, ids: Sequence[int], count: int) -> Iterator[tuple[int, Logits]]:
        """At most `count` tokens after `ids`, each with what it was drawn from; the last is not fed."""
        logits, ids = self._caught_up(ids), list(ids)
        for place in range(count):
            scores = logits if self._process is None else self._process(ids, np.array(logits, np.float32))
            if not np.isfinite(scores.max()):  # the chain leaves nothing to say here
                return
            probabilities = scores if self._generator is None else softmax(scores)
            token = int(np.argmax(scores)) if self._generator is None else draw(probabilities, self._generator)
            yield token, probabilities
            ids.append(token)
            if place + 1 < count:
                logits = run_checked(self._machine, [token], "decode")
                self._fed.append(token)

    def _forget(self) -> None:
        """Empties the cache, for what a run that failed left in it is not to be gone on from."""
        self._machine.cache.reset(wiped=True)
        self._fed = []

    def _caught_up(self, ids: Sequence[int]) -> Logits:
        """The logits after the last of `ids`, of which the cache keeps the tokens that it has."""
        shared = _shared(self._fed, ids[:-1])
        cache = self._machine.cache
        if not any(shared in lengths for lengths in cache.rewindable()):
            shared = 0
        if len(ids) > cache.capacity and not cache.layout.evicts:
            raise CapacityError("The draft's cache is full.")
        cache.rewind(shared)
        self._fed = list(ids[:shared])
        for fed in feed(self._machine, ids[shared:]):
            self._fed.extend(fed.tokens)
        return fed.logits


def draw(probabilities: Logits, generator: np.random.Generator) -> int:
    """A token with its probability."""
    cumulative = np.cumsum(probabilities, dtype=np.float64)
    return int(np.searchsorted(cumulative, generator.random() * cumulative[-1], side="right"))


def _check(target: Machine, draft: Machine, words: Text, drafted: Text) -> None:
    """Raises RequestError where what the draft says is not what the target understands, or either cannot go back."""
    if target.has_source or draft.has_source:
        raise RequestError("A draft model cannot be used with a model that has an encoder: leave --draft out.")
    if draft.cache.carried:
        raise RequestError("The draft carries a state on that knows no way back: choose a draft with a KV cache.")
    if target.vocabulary != draft.vocabulary:
        raise RequestError(
            f"The draft knows {draft.vocabulary:,} tokens and the model {target.vocabulary:,}: choose a draft of the "
            "same family, which speaks the same tokens."
        )
    if words.tokenizer and drafted.tokenizer and words.tokenizer.get_vocab() != drafted.tokenizer.get_vocab():
        raise RequestError(
            "The draft's tokenizer has other tokens than the model's: choose a draft of the same family."
        )


def _shared(old: Sequence[int], new: Sequence[int]) -> int:
    """How many first tokens are the same."""
    count = min(len(old), len(new))
    differs = np.flatnonzero(np.asarray(old[:count]) != np.asarray(new[:count]))
    return int(differs[0]) if len(differs) else count
