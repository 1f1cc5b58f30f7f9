"""Operator schemas: onnx's, and the operators that onnxruntime registers in addition."""

from __future__ import annotations

from functools import cache

from onnx import defs

LATEST_OPSET = (1 << 31) - 1
"""The largest version of a set of operators that onnx can be asked for; a file may hold a larger one."""


@cache
def schema_of(operator: str, version: int, domain: str) -> defs.OpSchema | None:
    """Returns the operator's schema in that opset version; None if onnx does not know the operator or the version."""
    if not 0 <= version <= LATEST_OPSET:
        return None
    try:
        return defs.get_schema(operator, version, canonical_domain(domain))
    except defs.SchemaError:
        return None


def operator_exists(operator: str, version: int, domain: str) -> bool:
    """Whether onnx or onnxruntime has the operator in that version of the domain.

    onnxruntime adds operators to the standard domain (SimplifiedLayerNormalization, which every folder of
    onnxruntime-genai's builder uses) and serves some of onnx's in versions before the one that introduced them
    (LayerNormalization before 17).
    """
    if schema_of(operator, version, domain) is not None:
        return True
    return _runtime_operators().get((canonical_domain(domain), operator), LATEST_OPSET) <= version


@cache
def _runtime_operators() -> dict[tuple[str, str], int]:
    """Maps (domain, operator) of onnxruntime's schemas to the first opset version that has it."""
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

    first: dict[tuple[str, str], int] = {}
    for schema in get_all_operator_schema():
        key = schema.domain, schema.name
        first[key] = min(first.get(key, LATEST_OPSET), schema.since_version)
    return first


def canonical_domain(domain: str) -> str:
    """Maps both names of onnx's standard domain to the empty one, which schemas have."""
    return "" if domain == "ai.onnx" else domain
