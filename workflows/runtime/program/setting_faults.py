"""Settings of a pipeline file that its graphs cannot have: too wide a chunk, a cache of another type."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.bundle import Pipeline
from workflows.bundle.outline import Fault
from workflows.runtime.program.program import Program

_DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "int8": "int8"}


def setting_faults(pipeline: Pipeline, program: Program) -> Iterator[Fault]:
    """Settings that contradict the compiled program."""
    chunk, columns = pipeline.chunk, program.prefill.columns
    if columns is not None and chunk > columns and pipeline.states_chunk:
        message = f"a run takes {chunk} tokens, and the graphs have {columns} columns"
        yield Fault(pipeline.settings.path("chunked_prefill"), message)
    assert program.decode.logits is not None  # decode always gives logits
    size, said = program.decode.logits[1].shape[-1], pipeline.metadata.vocabulary
    if isinstance(size, int) and said is not None and said > size:
        yield Fault("metadata.vocabulary", f"there are {said} tokens, and the graphs give logits of {size}")
    if said is None and not isinstance(size, int):
        yield Fault("metadata.vocabulary", "neither the file nor the graphs' logits say how many tokens there are")
    start = pipeline.tokens.decoder_start
    if start is not None and said is not None and start >= said:
        yield Fault("tokens.decoder_start", f"the token {start} is not among the {said} of the vocabulary")
    for name, tensors in program.cache_tensors.items():
        heads = {tensor.sized(1)[-3] for tensor in tensors if len(tensor.shape) > 3}
        yield from _cache_faults(pipeline, name, tensors[0].dtype, heads)


def _cache_faults(pipeline: Pipeline, name: str, dtype: str, heads: set[int]) -> Iterator[Fault]:
    options = pipeline.pipeline.sessions[name].session_options
    path, cache = f"pipeline.sessions.{name}.session_options", options.runtime.kv_cache
    if cache and cache.dtype and _DTYPES.get(cache.dtype) != dtype:
        message = f"the graph's cache is {dtype}, and only a build makes it {cache.dtype}"
        yield Fault(f"{path}.runtime.kv_cache.dtype", message)
    if cache and cache.quant != "none":
        yield Fault(f"{path}.runtime.kv_cache.quant", "the graph's cache has no scales, and only a build gives it some")
    required = options.build_requires
    if required and required.attention == "mqa" and heads - {1}:
        yield Fault(f"{path}.build_requires.attention", f"mqa has one key head, and the graph's cache has {max(heads)}")
