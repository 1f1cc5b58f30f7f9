"""Writes a bundle as a GGUF file for llama.cpp, where GGUF can say the same numbers.

    graph ──GraphWeights──▶ weights by transformers' names ──pack──▶ F32, F16, Q4_0, Q4_1, Q8_0 ─┐
    config.json, tokenizer.json ──make_metadata, make_vocabulary──▶ metadata ────────────────────┴─write_gguf──▶ file

The file is read again by checkpoint/gguf before it is kept: a setting or a text that comes back in another way is
refused by name.
"""
