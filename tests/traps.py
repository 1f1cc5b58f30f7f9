"""A current folder whose every module is a trap: what a checkpoint's folder could be."""

from __future__ import annotations

from pathlib import Path

STANDARD = "json pathlib typing subprocess logging dataclasses re traceback tempfile hashlib platform ctypes"
RUNNING = "filelock numpy onnxruntime tokenizers jinja2 pydantic platformdirs psutil typer rich"
BUILDING = "torch transformers onnx onnx_ir safetensors sentencepiece protobuf tiktoken scipy accelerate triton"
WINDOW = "PySide6 pyqtgraph netron resources"
SPRUNG = "sprung"
TRAP = "import os; open({!r}, 'a').write(__name__ + '\\n'); os._exit(99)\n"


def lay_traps(folder: Path, *names: str) -> Path:
    """Modules and packages that write to the file SPRUNG when they are imported, and end the process."""
    return lay_only(folder, *f"{STANDARD} {RUNNING} {BUILDING} {WINDOW}".split(), *names)


def lay_only(folder: Path, *names: str) -> Path:
    """The same with these names alone."""
    folder.mkdir()
    text = TRAP.format(str(folder / SPRUNG))
    for name in names:
        (folder / f"{name}.py").write_text(text)
        (folder / name).mkdir()
        for file in ("__init__.py", "__main__.py"):
            (folder / name / file).write_text(text)
    return folder


def sprung(folder: Path) -> str:
    """The modules that were imported from there, one a line."""
    file = folder / SPRUNG
    return file.read_text() if file.exists() else ""
