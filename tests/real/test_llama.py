"""What llama.cpp itself makes of the same GGUF files: every architecture's logits, and ids and logits of real ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from tests.real import checkpoints
from tests.real.test_language_models import divergence, logits
from tests.real.test_tokenizers import texts
from tests.workflows.checkpoint.gguf.converting import MODELS, make_model, metadata_of, tensors_of
from tests.workflows.checkpoint.gguf.converting_bert import write_bert
from tests.workflows.checkpoint.gguf.making import write_gguf
from workflows.checkpoint import open_checkpoint
from workflows.predict import open_embedder

PROGRAM = Path(__file__).with_name("llama_reference.py")
COUNT = 200
CLOSE = 0.5
"""Of two logits whose order rounding may turn."""
OTHERWISE: dict[str, dict[str, Any]] = {
    "phi3": {"sliding_window": 512},  # llama.cpp has Phi's windows switched off
    "gpt-oss": {  # and cuts the range of scaled frequencies to whole ones
        "rope_parameters": {"rope_type": "yarn", "factor": 8.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": True,
                            "rope_theta": 20_000.0, "original_max_position_embeddings": 64},
    },
}  # fmt: skip
"""Settings of a model that llama.cpp computes as transformers does."""
Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def ask(fetched: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """`ask(file, ids=…, texts=…)`: see llama_reference."""
    libraries = fetched(checkpoints.llama)

    def run(file: Path, **asked: Any) -> Any:
        folder = tmp_path_factory.mktemp("llama")
        (folder / "file").mkdir()
        (folder / "file" / "m.gguf").symlink_to(file)
        (folder / "asked.json").write_text(json.dumps(asked), "utf-8")
        command = [sys.executable, str(PROGRAM), str(folder / "file"), str(folder / "asked.json")]
        environment = os.environ | {"JOINERY_LLAMA": str(libraries), "OMP_NUM_THREADS": "2"}
        subprocess.run([*command, str(folder / "out.npz")], check=True, env=environment, capture_output=True)
        return np.load(folder / "out.npz")

    return run


@pytest.mark.parametrize("architecture", MODELS)
def test_logits_of_every_architecture(architecture: str, ask: Ask, tmp_path: Path) -> None:
    """100 tokens, beyond the windows, and six more, with llama.cpp's cache of 16 bits."""
    model = make_model(architecture, **OTHERWISE.get(architecture, {}))
    file = write_gguf(tmp_path / "m.gguf", metadata_of(architecture, model.config), tensors_of(architecture, model))
    ids, following = ([int(one) for one in np.random.default_rng(n).integers(3, 250, n)] for n in (100, 6))
    theirs = ask(file, ids=ids, following=following)["rows"]
    ours = model(torch.tensor([ids + following])).logits[0, -7:].numpy()
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=8e-3 * float(np.abs(ours).max()))


def test_ids_and_vectors_of_bert(
    ask: Ask, fetched: Callable[..., Path], built: Callable[..., Path], tmp_path: Path
) -> None:
    """llama.cpp takes vowels of Indic scripts and of Hangul for accents, and the sign of a word's beginning for itself,
    which the published tokenizer does not; its GELU is an approximation.
    """
    file = write_bert(tmp_path / "m.gguf", fetched(checkpoints.minilm))
    tokenizer = Tokenizer.from_file(str(open_checkpoint(str(file)).folder / "tokenizer.json"))
    plain = [text for text in texts() if not any(
        unicodedata.category(sign) == "Mc" or "HANGUL" in unicodedata.name(sign, "") or sign in "\0\u200d\u2581"
        for sign in unicodedata.normalize("NFD", text)
    )]  # fmt: skip
    embedder = open_embedder(built(file))
    wanted = [text for text in plain if text.strip() and not text.isspace()][:40]
    found = ask(file, texts=plain, embed=wanted, count=0)
    encoded = json.loads(str(found["texts"]))
    assert len(plain) > 200
    assert [text for text, ids in zip(plain, encoded, strict=True) if tokenizer.encode(text).ids != ids] == []
    ours = np.array([one.vector for one in embedder.embed(wanted)])
    theirs = found["vectors"] / np.linalg.norm(found["vectors"], axis=1, keepdims=True)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-3)


@pytest.mark.parametrize("checkpoint", [checkpoints.smollm2, checkpoints.gemma3])
def test_ids_and_replies_of_real_files(
    checkpoint: Callable[[], Path], ask: Ask, fetched: Callable[..., Path], built: Callable[..., Path]
) -> None:
    """500 texts, and the distributions along 200 tokens that llama.cpp chose. Both round activations to 8 bits, each in
    its own blocks, so that a choice between two tokens that are close may differ.

    llama.cpp takes the sign for a space in a text of SentencePiece for a sign, which the published tokenizer does not.
    """
    file = fetched(checkpoint)
    tokenizer = Tokenizer.from_file(str(open_checkpoint(str(file)).folder / "tokenizer.json"))
    asked = [text for text in texts() if "\x00" not in text and "\u2581" not in text]
    prompt = tokenizer.encode("The three most important inventions of the nineteenth century were").ids
    found = ask(file, texts=asked, ids=prompt, count=COUNT)
    encoded = json.loads(str(found["texts"]))
    assert [text for text, ids in zip(asked, encoded, strict=True) if tokenizer.encode(text).ids != ids] == []
    reply, theirs = found["tokens"][:-1].tolist(), found["rows"]
    ours = logits(built(file, capacity=512), prompt + reply)[len(prompt) - 1 :]
    assert divergence(ours, theirs) < 6e-3
    second, first = np.sort(theirs, -1)[:, -2:].T
    clear = first - second > CLOSE
    assert clear.mean() > 0.8
    np.testing.assert_array_equal(ours.argmax(-1)[clear], theirs.argmax(-1)[clear])
