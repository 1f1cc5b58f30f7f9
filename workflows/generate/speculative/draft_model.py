"""Drafts of another, smaller model with the same tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from workflows.bundle import Bundle
from workflows.bundle.session_options import SessionOptions
from workflows.common.errors import Cancelled, CapacityError, DraftError, JoineryError, printable
from workflows.generate.auxiliary_model import AuxiliaryModel, open_auxiliary
from workflows.generate.logits import Logits, tree_logits
from workflows.generate.processors import sample_index, softmax
from workflows.generate.speculative.draft import EMPTY_DRAFT, Draft
from workflows.generate.speculative.draft_tree import WIDTH, TreeShape, grow_tree, paths_of
from workflows.runtime import Machine, open_machine
from workflows.runtime.loading.sessions import Placement
from workflows.runtime.program.draft_pipeline import draft_bundle, draft_faults

Process = Callable[[Sequence[int], Logits], Logits]


class DraftModel:
    """A model beside the target, with a cache of its own that follows the target's text.

    It samples each token from its own logits after the generation's processors (see `begin`), or takes the largest
    where the generation is greedy. called: the name in messages. own: whether it belongs to the target's bundle, whose
    strategy then applies. digest: identifies its bundle.
    """

    name = "draft_model"

    def __init__(self, machine: Machine, called: str = "draft", *, own: bool = False, digest: str = "") -> None:
        self._machine, self._called = machine, called
        self.own, self.digest, self._beside = own, digest, AuxiliaryModel(machine, "draft")
        self.begin(None, None)

    @classmethod
    def open(cls, folder: str | Path, location: Placement, target: Machine, bundle: Bundle) -> DraftModel:
        """Opens the bundle in `folder` as the draft of `target`, which is open from `bundle`.

        Raises RequestError where the two have different tokens or the draft cannot be rewound, and what open_machine
        raises.
        """
        own, machine = open_auxiliary(folder, location, target, bundle, "draft")
        return cls(machine, Path(folder).name, digest=own.fingerprint)

    @classmethod
    def of_bundle(
        cls,
        bundle: Bundle,
        target: Machine,
        folder: Placement,
        device_options: Mapping[str, str] | None = None,
        session_options: SessionOptions | None = None,
    ) -> DraftModel | None:
        """Opens the sessions of `bundle` that draft for `target`; None where it has none.

        The options are open_machine's. Raises BundleError with the JSON path where the two do not fit together, and
        what open_machine raises.
        """
        own, machine = draft_bundle(bundle, target.cache.capacity), None
        if own is not None:
            machine = open_machine(own, folder.of(own), device_options=device_options, session_options=session_options)
        for fault in draft_faults(bundle.pipeline, target.program, machine.program if machine else None):
            raise fault.error(bundle.where)
        if machine is None:
            return None
        draft, strategy = cls(machine, str(bundle.pipeline.pipeline.draft), own=True), bundle.pipeline.pipeline.strategy
        draft.name = strategy.draft.producer if strategy else draft.name
        return draft

    def stop(self) -> None:
        """Ends the current run; may be called from any thread."""
        self._machine.stop()

    def close(self) -> None:
        """Releases the sessions and their memory."""
        self._machine.close()

    def reset(self) -> None:
        """Resets its cache."""
        self._beside.forget()

    def begin(self, process: Process | None, generator: np.random.Generator | None) -> None:
        """Sets the processors of the next drafts, and the generator that samples them; None for the largest logit."""
        self._process, self._generator = process, generator
        self._machine.resume()

    def propose(self, ids: Sequence[int], count: int) -> Draft:
        """See Proposer; empty where its cache is full."""
        tokens: list[int] = []
        drawn: list[Logits] = []
        with self._failing():
            for token, probabilities in self._following(ids, count):
                tokens.append(token)
                drawn.append(probabilities)
        if not tokens:
            return EMPTY_DRAFT
        return Draft(tuple(tokens), None if self._generator is None else np.stack(drawn))

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Ends a draft where the cache is full; turns other failures into DraftError."""
        try:
            yield
        except CapacityError:
            pass
        except Cancelled:
            raise
        except JoineryError as error:
            self._beside.forget(wiped=True)  # a failed run may have left NaN
            raise DraftError(
                f"Drafting by {printable(self._called)} failed, and this generation goes on without drafts: {error}"
            ) from error

    def _following(self, ids: Sequence[int], count: int) -> Iterator[tuple[int, Logits]]:
        """At most `count` tokens after `ids`, each with the distribution it was sampled from; the last is not fed."""
        logits, ids = self._beside.after(ids), list(ids)
        for place in range(count):
            scores = logits if self._process is None else self._process(ids, np.array(logits, np.float32))
            if not np.isfinite(scores.max()):  # the processors mask every token
                return
            probabilities = scores if self._generator is None else softmax(scores)
            token = int(np.argmax(scores)) if self._generator is None else sample_index(probabilities, self._generator)
            yield token, probabilities
            ids.append(token)
            if place + 1 < count:
                logits = self._beside.after_next(token)

    def branch(self, ids: Sequence[int], tree: TreeShape) -> Draft:
        """See TreeProposer: its own runs are trees, or chains where its cache takes no trees; nothing is sampled."""
        drafts: list[Draft] = []
        with self._failing():
            drafts.append(self._branched(ids, tree))
        return drafts[0] if drafts else EMPTY_DRAFT

    def _branched(self, ids: Sequence[int], tree: TreeShape) -> Draft:
        logits = self._beside.after(ids)
        room = self._machine.tree_room + 1
        if room == 1:
            return grow_tree(self._scored(logits, ids), lambda *asked: self._followed(ids, *asked), tree, width=1)
        depth = min(tree.depth, self._machine.draft_room + 2)  # the last level is not fed
        width = min(room if tree.choices else WIDTH, room // max(depth - 1, 1))
        return grow_tree(
            self._scored(logits, ids), lambda *asked: self._spread(ids, *asked), replace(tree, depth=depth), width
        )

    def _spread(self, ids: Sequence[int], tokens: Sequence[int], parents: Sequence[int], count: int) -> list[Logits]:
        """See ExpandFunction: one run of all tokens, without a commit."""
        after, paths = tree_logits(self._machine, tokens, parents), paths_of(tokens, parents)
        return [self._scored(after(place), [*ids, *paths[place]]) for place in range(len(tokens) - count, len(tokens))]

    def _followed(self, ids: Sequence[int], tokens: Sequence[int], parents: Sequence[int], count: int) -> list[Logits]:
        """See ExpandFunction: a run of the last token, which follows the one before."""
        try:
            logits = self._beside.after_next(tokens[-1])
        except CapacityError:
            return []
        return [self._scored(logits, [*ids, *tokens])]

    def _scored(self, logits: Logits, ids: Sequence[int]) -> Logits:
        scores = np.array(logits, np.float32)  # the next run overwrites them
        return scores if self._process is None else self._process(ids, scores)
