"""Writes NAME_calibration.jsonl: prompts like those that the demos were trained on, for calibration to answer.

None of them is a held-back question: what judges a quantized model has not shaped it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from resources.demos import mu_corpus, qwen3_corpus, t5_corpus

SEED, COUNT = 5, 96  # another seed than any training's or held-back set's


def qwen3() -> Iterator[dict[str, str]]:
    """Questions of conversations, and raw texts, in turns."""
    corpus = qwen3_corpus.write_corpus(SEED, 400)
    for messages, sample in zip(corpus.conversations, corpus.completions, strict=False):
        yield {"prompt": next(m["content"] for m in messages if m["role"] == "user")}
        yield {"text": sample.prompt}


def mu() -> Iterator[dict[str, str]]:
    """Queries in five languages."""
    yield from ({"prompt": pair.source} for pair in mu_corpus.write_corpus(SEED, COUNT)[-COUNT:])


def t5() -> Iterator[dict[str, str]]:
    """Sentences and stories."""
    yield from ({"prompt": pair.source} for pair in t5_corpus.write_corpus(SEED, COUNT, COUNT // 2)[-COUNT * 3 // 2 :])


def main() -> None:
    """Writes the three files beside this one."""
    for name, rows in (("qwen3", qwen3()), ("mu", mu()), ("t5", t5())):
        held_back = json.loads((Path(__file__).parent / f"{name}_heldback.json").read_text("utf-8"))
        known = {row["prompt"] for row in held_back}
        unique = {json.dumps(row, ensure_ascii=False): None for row in rows if not known & set(row.values())}
        lines = list(unique)
        Random(SEED).shuffle(lines)
        text = "\n".join(lines[:COUNT]) + "\n"
        (Path(__file__).parent / f"{name}_calibration.jsonl").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
