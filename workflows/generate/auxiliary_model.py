"""A second model beside the main one (a draft, an amateur), whose cache follows the ids of each request."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workflows.bundle import Bundle, read_bundle
from workflows.common.errors import CapacityError, RequestError
from workflows.generate.cached_prompt import CachedPrompt
from workflows.generate.logits import Logits, last_logits
from workflows.generate.prefill import feed_tokens
from workflows.generate.tokenizer import BundleTokenizer
from workflows.runtime import Machine, open_machine
from workflows.runtime.loading.sessions import Placement


class AuxiliaryModel:
    """Takes whole texts and feeds only what is new in each. name: what messages call it."""

    def __init__(self, machine: Machine, name: str) -> None:
        self.machine, self._name, self._cached = machine, name, CachedPrompt(machine.cache)

    def after(self, ids: Sequence[int]) -> Logits:
        """The logits [V] after the last of `ids`, in memory that the next run overwrites.

        Raises CapacityError where they exceed its cache, and what Machine.step and last_logits raise.
        """
        if len(ids) > self.machine.cache.capacity and not self.machine.cache.layout.evicts:
            raise CapacityError(f"The cache of the {self._name} is full.")
        for fed in feed_tokens(self.machine, ids[self._cached.begin(ids) :]):
            logits = fed.logits
        return logits

    def after_next(self, token: int) -> Logits:
        """The logits [V] after `token`, appended to the last ids."""
        logits = last_logits(self.machine, [token], "decode")
        self._cached.append(token)
        return logits

    def forget(self, wiped: bool = False) -> None:
        """Resets the cache. wiped: overwrite the bytes that a failed run left, too."""
        self._cached.clear(wiped)


def open_auxiliary(
    folder: str | Path, location: Placement, target: Machine, bundle: Bundle, name: str
) -> tuple[Bundle, Machine]:
    """Opens the bundle in `folder` beside `target`, which is open from `bundle`. name: what messages call it.

    Raises RequestError where the two have different tokens or the cache cannot be rewound, and what open_machine
    raises.
    """
    own = read_bundle(folder)
    machine = open_machine(own, location)
    if unfit := _incompatibility(target, machine, BundleTokenizer.of_bundle(bundle), BundleTokenizer.of_bundle(own)):
        machine.close()  # a chat goes on without it
        raise RequestError(f"The {name} {unfit}.")
    return own, machine


def _incompatibility(target: Machine, beside: Machine, words: BundleTokenizer, own: BundleTokenizer) -> str | None:
    """Why `beside` cannot follow the tokens of `target`, as the end of a sentence; None where it can."""
    if target.has_source or beside.has_source:
        return "cannot be used with a model that has an encoder: leave it out"
    if beside.cache.carried:
        return "has a state that cannot be rewound: choose one with a KV cache alone"
    if target.vocabulary != beside.vocabulary:
        return (
            f"knows {beside.vocabulary:,} tokens and the model {target.vocabulary:,}: choose one of the same family, "
            "with the same tokens"
        )
    if words.tokenizer and own.tokenizer and words.tokenizer.get_vocab() != own.tokenizer.get_vocab():
        return "has a tokenizer with other tokens than the model's: choose one of the same family"
    return None
