"""The digest of this code and the libraries that trace, rewrite and run graphs: part of every stage's key."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from workflows import __version__

_LIBRARIES = ("torch", "transformers", "onnx", "onnx_ir", "onnxscript", "onnxruntime", "tokenizers", "numpy")


@cache
def toolchain_digest() -> str:
    """SHA-256 of the toolchain: a stage of another toolchain is not reused.

    A frozen Joinery has neither sources nor the libraries' metadata; there its version stands for all of them.
    """
    digest = hashlib.sha256(__version__.encode())
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        digest.update(f"{path.relative_to(package).as_posix()} {path.stat().st_size}\0".encode() + path.read_bytes())
    for name in _LIBRARIES:
        digest.update(f"{name} {_version(name)}\0".encode())
    return digest.hexdigest()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "frozen"
