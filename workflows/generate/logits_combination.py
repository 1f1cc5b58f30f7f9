"""Ops of the chain that combine the model's logits with another model's, or with its own in another context.

contrastive   logits − α · the amateur's of the same text                        (Li et al. 2023)
cfg           u + g · (c − u), c and u the log-probabilities after the text and after the negative prompt
              (Sanchez et al. 2023, as transformers' UnbatchedClassifierFreeGuidanceLogitsProcessor)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workflows.bundle import Bundle
from workflows.bundle.strategy import LogitsOp
from workflows.common.errors import RequestError
from workflows.generate.auxiliary_model import AuxiliaryModel, open_auxiliary
from workflows.generate.constraints import GenerationStart
from workflows.generate.options import GenerateOptions
from workflows.generate.processors import MASKED, Logits, Processor, log_softmax
from workflows.generate.tokenizer import BundleTokenizer
from workflows.runtime import Machine, machine_with_own_cache
from workflows.runtime.loading.machines import open_machine
from workflows.runtime.loading.sessions import Placement
from workflows.runtime.program.draft_pipeline import amateur_bundle


def requested_combinations(options: GenerateOptions) -> list[LogitsOp]:
    """The combining ops in a person's options; a guidance of 1 has no effect."""
    ops = []
    if options.guidance is not None and options.guidance != 1:
        ops.append(LogitsOp(op="combine", mode="cfg", alpha=options.guidance))
    if options.alpha is not None:
        ops.append(LogitsOp(op="combine", mode="contrastive", alpha=options.alpha))
    return ops


@dataclass
class AuxiliaryModels:
    """The models beside a machine: an amateur, and the model itself with a second cache, opened when first used."""

    machine: Machine
    amateur: AuxiliaryModel | None = None
    unconditional: AuxiliaryModel | None = None

    @classmethod
    def open(cls, machine: Machine, bundle: Bundle, folder: Placement) -> AuxiliaryModels:
        """Opens the sessions of `bundle` that its file names as the amateur. Raises what open_machine raises."""
        own = amateur_bundle(bundle, machine.cache.capacity)
        return cls(machine, None if own is None else AuxiliaryModel(open_machine(own, folder.of(own)), "amateur"))

    def use_amateur(self, folder: str | Path, bundle: Bundle) -> None:
        """Makes the bundle in `folder` the amateur. bundle: the model's own.

        Raises RequestError for a bundle that cannot follow the model, and what open_machine raises; nothing is changed
        then.
        """
        where = Placement(self.machine.device, {})
        amateur = AuxiliaryModel(open_auxiliary(folder, where, self.machine, bundle, "amateur")[1], "amateur")
        if self.amateur is not None:
            self.amateur.machine.close()
        self.amateur = amateur

    def begin(
        self, options: GenerateOptions, chain: Sequence[LogitsOp] | None, text: BundleTokenizer, text_alone: bool
    ) -> str:
        """Prepares a generation; returns a sentence about the memory of guidance, or an empty text.

        chain: the generation's; None for none. text_alone: without pictures and sound. Raises PromptError for a
        negative prompt beyond the vocabulary, RequestError where an amateur would have to read pictures.
        """
        for one in self._open():
            one.machine.resume()
        ops = (*requested_combinations(options), *(chain or ()))
        if not text_alone and any(op.mode == "contrastive" for op in ops):
            raise RequestError("Contrastive decoding needs a prompt of text alone: leave it out, or the pictures.")
        if self.machine.has_source or not any(op.mode == "cfg" for op in ops):
            return ""
        if options.negative_prompt is not None:
            text.check_ids(options.negative_prompt)
        more = self._second().machine.cache.bytes / (1 << 20)
        return f"Guidance keeps a second cache of {more:,.1f} MiB, over the same weights."

    def _second(self) -> AuxiliaryModel:
        """The model with its second cache, created on first use."""
        if self.unconditional is None:
            self.unconditional = AuxiliaryModel(machine_with_own_cache(self.machine), "unconditional role")
        return self.unconditional

    def processor(self, op: LogitsOp, start: GenerationStart, options: GenerateOptions) -> Processor:
        """The op's processor for one generation. Raises RequestError where it is not possible."""
        if self.machine.has_source:
            raise RequestError(f"{_TITLES[str(op.mode)]} needs a model without an encoder: leave it out.")
        if options.num_beams > 1:
            raise RequestError(f"{_TITLES[str(op.mode)]} follows one text, and beams are several: use one beam.")
        assert op.alpha is not None  # the schema asks for one
        if op.mode == "cfg":
            return guidance(op.alpha, self._second(), start.negative or start.prompt[-1:], len(start.prompt))
        if self.amateur is None:
            raise RequestError("Contrastive decoding needs an amateur: name a smaller bundle with --amateur.")
        return contrastive(op.alpha, self.amateur)

    def stop(self) -> None:
        """Ends the current run; may be called from any thread."""
        for one in self._open():
            one.machine.stop()

    def forget(self, wiped: bool = False) -> None:
        """Resets the caches. wiped: overwrite the bytes that a failed run left, too."""
        for one in self._open():
            one.forget(wiped)

    def close(self) -> None:
        """Releases the sessions and their memory."""
        for one in self._open():
            one.machine.close()

    def _open(self) -> list[AuxiliaryModel]:
        return [one for one in (self.amateur, self.unconditional) if one is not None]


def contrastive(alpha: float, amateur: AuxiliaryModel) -> Processor:
    """Subtracts `alpha` times the amateur's logits after the same text.

    Another op selects the plausible tokens: Li et al. use min_p before this one.
    """
    return lambda ids, logits: logits - np.float32(alpha) * amateur.after(ids)


def guidance(scale: float, unconditional: AuxiliaryModel, context: Sequence[int], first: int) -> Processor:
    """Scales by `scale` how the prompt's log-probabilities differ from those after `context` and the new tokens.

    first: the index of the first new token.
    """

    def process(ids: Sequence[int], logits: Logits) -> Logits:
        conditioned = log_softmax(logits)
        if scale == 1:
            return conditioned
        base = log_softmax(unconditional.after([*context, *ids[first:]]))
        with np.errstate(invalid="ignore"):
            return np.where(conditioned == MASKED, MASKED, np.float32(scale) * (conditioned - base) + base)

    return process


_TITLES = {"cfg": "Guidance", "contrastive": "Contrastive decoding"}
