"""all-MiniLM-L6-v2: vectors as transformers and the folder's own steps (mean, length 1) make them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from tests.real import checkpoints
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
