"""What this Joinery is made of: versions read from what is installed, without importing it; licences; its folder."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from PySide6.QtCore import qVersion

from workflows import __version__

PARTS = (
    "PySide6",
    "onnxruntime",
    "onnxruntime-qnn",
    "onnxruntime-ep-webgpu",
    "onnxruntime-genai",
    "torch",
    "transformers",
    "onnx",
    "onnxscript",
    "tokenizers",
    "numpy",
    "pyqtgraph",
    "netron",
)
Fact = tuple[str, str, str]
"""A name, its version and its licence."""


def version_facts(parts: Sequence[str] = PARTS) -> list[Fact]:
    """Joinery, Python, Qt, and those of `parts` that are installed."""
    found = [
        ("Joinery", __version__, "Apache-2.0"),
        ("Python", platform.python_version(), "PSF-2.0"),
        ("Qt", qVersion(), "LGPL-3.0"),
    ]
    for name in parts:
        try:
            told = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            continue
        found.append((name, told["Version"], _licence_name(told)))
    return found


def _licence_name(told: metadata.PackageMetadata) -> str:
    """What a distribution says in a line; the first of several."""
    for field in ("License-Expression", "License"):
        text = str(told[field] or "").strip()
        if text:
            first = re.split(r"\n| AND ", text)[0]
            return first if first == text else f"{first} …"
    classes = (str(value) for value in told.get_all("Classifier") or [])
    return next((one.rpartition(" :: ")[2] for one in classes if one.startswith("License :: ")), "")


def about_text(home: Path) -> str:
    """For a bug report."""
    lines = [f"{name} {version}" for name, version, _licence in version_facts()]
    return "\n".join([*lines, platform.platform(), str(home)])
