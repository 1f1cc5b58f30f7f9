"""Models in GGUF, the format of llama.cpp: one file, or several parts, that holds configuration, tokenizer and weights.

    model.gguf ──folder.present_gguf──▶ a folder of configuration files as transformers has them, {name: TensorInfo}

The reader is our own because files come from anywhere: a header is checked before anything is allocated. Integers of
blocks are unpacked here too, for they go into the bundle as they are where it can hold them.
"""

from workflows.checkpoint.gguf.parts import SUFFIX, find_gguf

__all__ = ["SUFFIX", "find_gguf"]  # the rest imports numpy, which no other checkpoint needs to be opened
