"""How far each engine's int4 is from transformers' fp32: on 500 positions of two models, and in the demo's answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tests.benchmarks.peers.checkpoint import DEMO
from tests.benchmarks.peers.environments import PEERS, PeerError
from tests.benchmarks.peers.models import Models, Precision, Source
from tests.benchmarks.peers.processes import Child
from tests.benchmarks.peers.visits import prompt

POSITIONS, TEXT, LONGEST_REPLY = 500, 50, 24
HELD_BACK = DEMO.with_name("qwen3_heldback.json")
Text = tuple[int, list[int]]  # how many tokens the prompt has, and all of them: positions are after these


class Accuracy:
    """Compares engines with transformers, whose logits are kept in the work folder. questions: how many at most."""

    def __init__(self, models: Models, work: Path, positions: int = POSITIONS, questions: int | None = None) -> None:
        self._models, self._work, self._positions = models, work, positions
        self._all = json.loads(HELD_BACK.read_text("utf-8"))
        self._questions = self._all[:questions]

    def right(self, engine: str) -> dict[str, float]:
        """The share of the held-back questions whose greedy answer is the expected one, to the letter.

        Of transformers it is that of fp32. Raises PeerError.
        """
        tokenizer = _tokenizer()
        end, right = tokenizer.eos_token_id, 0
        with self._open(engine, "demo", "int4") as child:
            for question, ids in zip(self._questions, _asked(self._questions), strict=True):
                reply = child.ask(do="run", ids=ids, new=LONGEST_REPLY, ends=end)["ids"]
                text = tokenizer.decode(reply[: reply.index(end)] if end in reply else reply)
                right += text == question["expected"]
        return {"questions": right / len(self._questions)}

    def agreement(self, engine: str, source: Source) -> dict[str, float]:
        """KL and top-1 with transformers' fp32. Raises PeerError where an engine gives no logits."""
        from workflows.evaluation.accuracy.statistics import Agreement, NextToken

        reference = self._work / f"reference-{source}-{self._positions}.npy"
        if not reference.exists():
            self._write_logits("huggingface", source, "fp32", reference)
        own = self._work / f"logits-{engine}.npy"
        self._write_logits(engine, source, "int4", own)
        agreement = Agreement()
        for p, q in zip(np.load(reference, mmap_mode="r"), np.load(own, mmap_mode="r"), strict=True):
            agreement.add(NextToken(p), NextToken(q))
        own.unlink()
        return {f"kl_{source}": agreement.kl.mean or 0.0, f"top1_{source}": agreement.top1.mean or 0.0}

    def _write_logits(self, engine: str, source: Source, precision: Precision, out: Path) -> None:
        texts = random_texts(self._positions) if source == "shape" else self._demo_texts()
        with self._open(engine, source, precision) as child:
            child.ask(do="logits", texts=texts, path=str(out))

    def _open(self, engine: str, source: Source, precision: Precision) -> Child:
        folder = self._models.built(engine, source, precision).folder
        child = Child(self._models.environment(engine), PEERS[engine].program, self._work / f"{engine}.log")
        child.ask(do="open", folder=str(folder), capacity=512)
        return child

    def _demo_texts(self) -> list[Text]:
        """Questions with the answers that are expected: what the demo was trained to say."""
        tokenizer, texts = _tokenizer(), []
        for question, ids in zip(self._all, _asked(self._all), strict=True):
            answer = tokenizer.encode(question["expected"], add_special_tokens=False)
            texts.append((len(ids), [*ids, *answer]))
        return cut(texts, self._positions)


def _asked(questions: Sequence[dict[str, str]]) -> Iterator[list[int]]:
    tokenizer = _tokenizer()
    for question in questions:
        said = [{"role": "user", "content": question["prompt"]}]
        yield tokenizer.apply_chat_template(said, add_generation_prompt=True, return_dict=False)


def random_texts(positions: int) -> list[Text]:
    """Random tokens, half of each text a prompt that is fed at once."""
    ids = prompt(4 * positions)
    starts = range(0, len(ids), 2 * TEXT)
    return cut([(TEXT, ids[at : at + 2 * TEXT]) for at in starts], positions)


def cut(texts: Sequence[Text], positions: int) -> list[Text]:
    """The first texts, the last one shortened, so that there are so many positions. Raises PeerError for too few."""
    found, left = [], positions
    for given, ids in texts:
        if left <= 0:
            break
        found.append((given, ids[: given + left - 1]))
        left -= len(found[-1][1]) - given + 1
    if left > 0:
        raise PeerError(f"the texts have {positions - left} positions, and {positions} were asked for")
    return found


def _tokenizer():  # type: ignore[no-untyped-def]
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(DEMO)
