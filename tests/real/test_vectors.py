"""all-MiniLM-L6-v2: vectors as transformers and the folder's own steps (mean, length 1) make them, also from GGUF."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from tests.real import checkpoints
from tests.real.test_tokenizers import texts
from tests.workflows.checkpoint.gguf.converting_bert import F16, write_bert
from tests.workflows.checkpoint.gguf.making import F32, Q8_0
from workflows.checkpoint import open_checkpoint
from workflows.predict import open_embedder

TEXTS = [
    "The cat sits on the mat.",
    "A feline rests upon a rug.",
    "Stock prices fell sharply on Monday.",
    "你好，世界",
]


def test_vectors(fetched: Callable[..., Path], built: Callable[..., Path]) -> None:
    import transformers

    folder = fetched(checkpoints.minilm)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    vectors = open_embedder(built(folder, precision="fp32")).embed(TEXTS)
    ours = np.array([one.vector for one in vectors])
    for text, vector in zip(TEXTS, ours, strict=True):
        with torch.no_grad():
            hidden = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        wanted = torch.nn.functional.normalize(hidden.mean(0), dim=0).numpy()
        np.testing.assert_allclose(vector, wanted, atol=1e-5)
    assert ours[0] @ ours[1] > 0.5 > ours[0] @ ours[2]


@pytest.mark.parametrize(("kind", "error"), [(F32, 1e-6), (F16, 5e-4), (Q8_0, 1e-2)])
def test_vectors_of_gguf(
    fetched: Callable[..., Path], built: Callable[..., Path], tmp_path: Path, kind: int, error: float
) -> None:
    """500 texts have the ids of the folder's tokenizer, and 60 its vectors, as near as the form."""
    folder = fetched(checkpoints.minilm)
    file = write_bert(tmp_path / "m.gguf", folder, kind)
    theirs = Tokenizer.from_file(str(folder / "tokenizer.json"))
    theirs.no_truncation()
    theirs.no_padding()
    ours = Tokenizer.from_file(str(open_checkpoint(str(file)).folder / "tokenizer.json"))
    assert [text for text in texts() if ours.encode(text).ids != theirs.encode(text).ids] == []
    sample = [text for text in texts() if "\x00" not in text and not text.isspace()][:60]
    vectors = [
        [one.vector for one in open_embedder(bundle).embed(sample)]
        for bundle in (built(folder, precision="fp32"), built(file))
    ]
    np.testing.assert_allclose(*vectors, rtol=0, atol=error)
