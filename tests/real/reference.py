"""transformers' own reading of a GGUF file: python reference.py FILE PROMPTS.json OUT.npz

PROMPTS: lists of token ids. OUT: of each prompt its logits [T,V] in float32, and 24 tokens after it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import torch
import transformers

NEW_TOKENS = 24


def main(file: Path, prompts: Path, out: Path) -> None:
    transformers.utils.logging.disable_progress_bar()
    model = transformers.AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    results = {}
    for number, ids in enumerate(json.loads(prompts.read_text("utf-8"))):
        given = torch.tensor([ids])
        with torch.no_grad():
            results[f"logits{number}"] = model(given).logits[0].numpy()
            whole = model.generate(
                given, attention_mask=torch.ones_like(given), max_new_tokens=NEW_TOKENS, do_sample=False
            )
        results[f"tokens{number}"] = whole[0, len(ids) :].numpy()
    np.savez(out, **results)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
