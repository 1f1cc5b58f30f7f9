"""Train the demo's draft model: `python -m resources.demos.train_qwen3_draft` from the root of the checkout.

A Qwen3 of one layer, a quarter of the demo's size, on the same corpus with the same tokens: it drafts what the demo
then looks at. Seeded; nothing is downloaded.
"""

import argparse
import json
from pathlib import Path
from random import Random

from transformers import AutoTokenizer

from resources.demos.qwen3_corpus import plain_statements, write_corpus
from resources.demos.qwen3_evaluation import evaluate
from resources.demos.qwen3_samples import encode_corpus
from resources.demos.train_qwen3 import (
    CORPUS_SIZE,
    SEED,
    STEPS,
    deterministic,
    fresh_chats,
    held_back,
    new_model,
    save,
    train,
)

TARGET = Path(__file__).parent / "qwen3"
FOLDER = Path(__file__).parent / "qwen3-draft"


def main() -> None:
    """Train, save and evaluate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER, help="the checkpoint folder to write")
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    deterministic()

    tokenizer = AutoTokenizer.from_pretrained(TARGET)
    samples = encode_corpus(write_corpus(SEED, CORPUS_SIZE), tokenizer, Random(SEED + 1))
    model = new_model(tokenizer, hidden=64, intermediate=160, layers=1, heads=2)
    print(f"{sum(p.numel() for p in model.parameters())} parameters")
    train(model, samples, options.steps)
    save(model, tokenizer, options.out)
    figures = evaluate(options.out, held_back(), plain_statements(), fresh_chats())
    print(json.dumps(figures, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
