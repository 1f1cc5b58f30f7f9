"""Sample programs in Python and C++ for an exported folder, which run it with plain onnxruntime-genai."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from string import Template

from workflows.bundle import Bundle
from workflows.generate.chat_template import ChatTemplate

_PAGES = {"sample.py": "genai.py.txt", "sample.cpp": "genai.cpp.txt"}


def write_samples(bundle: Bundle, folder: Path) -> None:
    """Writes the samples with the bundle's names and tokens."""
    facts = {
        "name": _plain(bundle.pipeline.metadata.name or bundle.folder.name),
        "context": str(bundle.pipeline.capacity),
        "chat": str(ChatTemplate.of_bundle(bundle) is not None),
    }
    for name, page in _PAGES.items():
        text = (resources.files("resources") / "samples" / page).read_text("utf-8")
        (folder / name).write_text(Template(text).substitute(facts), "utf-8")


def _plain(name: str) -> str:
    """The name without characters that could end a comment or a string."""
    return "".join(letter if letter.isalnum() or letter in "-._ " else "_" for letter in name)[:80]
