"""Versions and licences of Joinery and its libraries, read from package metadata without importing the packages."""

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
    """Version and licence of Joinery, Python, Qt and the installed packages of `parts`."""
    rows = [
        ("Joinery", __version__, "Apache-2.0"),
        ("Python", platform.python_version(), "PSF-2.0"),
        ("Qt", qVersion(), "LGPL-3.0"),
    ]
    for name in parts:
        try:
            package = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            continue
        rows.append((name, package["Version"], _licence_name(package)))
    return rows


def _licence_name(package: metadata.PackageMetadata) -> str:
    """The licence in one line; the first one if the package names several."""
    for field in ("License-Expression", "License"):
        text = str(package[field] or "").strip()
        if text:
            first = re.split(r"\n| AND ", text)[0]
            return first if first == text else f"{first} …"
    classes = (str(value) for value in package.get_all("Classifier") or [])
    return next((one.rpartition(" :: ")[2] for one in classes if one.startswith("License :: ")), "")


def about_text(home: Path) -> str:
    """Versions, system and data folder as text for a bug report."""
    lines = [f"{name} {version}" for name, version, _licence in version_facts()]
    return "\n".join([*lines, platform.platform(), str(home)])
