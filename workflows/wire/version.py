"""The version of the wire: a digest of every dataclass that requests, events and reports are made of.

dataclasses of workflows.wire ──names, fields, types──▶ SHA-256 ──▶ eight digits, equal where both ends read the same
"""

from __future__ import annotations

import hashlib
import pkgutil
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module

from workflows import wire


@cache
def wire_version() -> str:
    """Eight hexadecimal digits; a field that is added, renamed or of another type changes them."""
    lines = set[str]()
    for found in pkgutil.walk_packages(wire.__path__, f"{wire.__name__}."):
        module = import_module(found.name)
        for name, kind in vars(module).items():
            if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == module.__name__:
                shape = ", ".join(f"{one.name}: {one.type}" for one in fields(kind))
                lines.add(f"{module.__name__}.{name}({shape})")
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:8]
