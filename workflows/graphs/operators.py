"""What onnx itself knows of an operator."""

from __future__ import annotations

from functools import cache

from onnx import defs

LAST = (1 << 31) - 1
"""The largest version of a set of operators that onnx can be asked for; a file may hold a larger one."""


@cache
def schema_of(operator: str, version: int, domain: str) -> defs.OpSchema | None:
    """The operator as the set of that version has it; None where onnx knows no such operator, or no such version."""
    if not 0 <= version <= LAST:
        return None
    try:
        return defs.get_schema(operator, version, "" if domain == "ai.onnx" else domain)
    except defs.SchemaError:
        return None
