"""The draft model in a pipeline file: its own pipeline, and whether it can draft for the target.

pipeline ──drafting──▶ the draft's own pipeline ──compile_program──▶ its program ──draft_faults──▶ held against both
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from workflows.bundle import Bundle, Pipeline
from workflows.bundle.outline import Fault
from workflows.bundle.speculation import DRAFT, STRATEGY
from workflows.common.tensor_names import DEFAULT_CAPACITY
from workflows.runtime.program.compiler import compile_program
from workflows.runtime.program.program import Program
from workflows.runtime.program.signature import GraphSignature


def draft_bundle(bundle: Bundle, capacity: int) -> Bundle | None:
    """The draft's sessions as a bundle with a cache of at most `capacity` tokens; None where no session drafts."""
    pipeline = bundle.pipeline.draft_pipeline(capacity)
    return None if pipeline is None else replace(bundle, pipeline=pipeline, where=_draft_where(bundle.where))


def amateur_bundle(bundle: Bundle, capacity: int) -> Bundle | None:
    """The amateur's sessions as a bundle, like draft_bundle; None where the file has none."""
    pipeline = bundle.pipeline.amateur_pipeline(capacity)
    where = f"{bundle.where}, with the amateur's sessions alone,"
    return None if pipeline is None else replace(bundle, pipeline=pipeline, where=where)


def compile_draft_program(
    pipeline: Pipeline, target: Program, signatures: Mapping[str, GraphSignature], location: str
) -> tuple[Pipeline, Program] | None:
    """The draft's pipeline and program; None where no session drafts. target, signatures: of the whole file.

    Raises BundleError as compile_program does, and with the JSON path where the two do not fit together.
    """
    own = pipeline.draft_pipeline(pipeline.capacity or DEFAULT_CAPACITY)
    program = None if own is None else compile_program(own, signatures, _draft_where(location))
    for fault in draft_faults(pipeline, target, program):
        raise fault.error(location)
    return None if own is None or program is None else (own, program)


def _draft_where(where: str) -> str:
    return f"{where}, with the draft's sessions alone,"


def draft_faults(pipeline: Pipeline, target: Program, draft: Program | None) -> Iterator[Fault]:
    """Faults that make the file's speculative strategy unusable. draft: the draft's program, where there is one."""
    strategy = pipeline.pipeline.strategy
    if strategy is None:
        return
    if target.all_carried:
        yield Fault(STRATEGY, "the target carries a state on that knows no way back from a wrong draft: take it out")
    if draft is None:
        return
    path = f"{DRAFT}.session"
    if draft.all_carried:
        yield Fault(path, "the draft carries a state on that knows no way back: name one with a KV cache alone")
    sizes = [size for one in (target, draft) if isinstance(size := _vocabulary(one), int)]
    if len(set(sizes)) > 1:
        yield Fault(path, f"the draft gives logits of {sizes[1]:,} tokens and the target of {sizes[0]:,}")
    layers = {tensor.layer for tensor in draft.state}
    if strategy.draft.producer == "self_speculative" and strategy.draft.depth != len(layers):
        message = f"the draft has {len(layers)} layers, and {strategy.draft.depth} are said to draft"
        yield Fault(f"{DRAFT}.depth", message)


def _vocabulary(program: Program) -> int | str:
    assert program.decode.logits is not None  # decode always gives logits
    return program.decode.logits[1].shape[-1]
