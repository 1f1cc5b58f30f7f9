"""Train the demo's draft model: `python -m resources.demos.train_qwen3_draft` from the root of the checkout.

A Qwen3 of one layer, a quarter of the demo's size, on the same corpus with the same tokens: it drafts what the demo
then looks at. Seeded; nothing is downloaded.
"""

from functools import partial
from pathlib import Path

from resources.demos.qwen3_siblings import train_sibling
from resources.demos.train_qwen3 import new_model

FOLDER = Path(__file__).parent / "qwen3-draft"

if __name__ == "__main__":
    train_sibling(partial(new_model, hidden=64, intermediate=160, layers=1, heads=2), FOLDER)
