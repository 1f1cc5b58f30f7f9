"""One architecture: saved from a tiny config, built for real, and compared with eager Hugging Face."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

import numpy as np
import torch
import transformers

from workflows.builder import BuildRequest, build
from workflows.common.errors import JoineryError
from workflows.generate import open_engine
from workflows.runtime import Machine

LENGTHS = (1, 63, 64, 65, 130)
STEPS = 6  # greedy tokens after each prompt
OPTIONS = {"chunk": 64, "capacity": 192}  # the cache is the one that nobody chose
TEXT = {"task": "text-generation"}  # of a checkpoint of several parts, the text part
TOLERANCE = 2e-3  # of the largest logit; rounding through the graphs' fused kernels is below 1e-4
Kind = Literal["equal", "refused", "wrong", "traceback", "no config"]


@dataclass(frozen=True)
class Verdict:
    """What became of a case; note: the refusal's sentence, or what is wrong."""

    name: str
    kind: Kind
    note: str = ""


def save_spread(model: Any, folder: Path, seed: int = 0) -> Path:
    """Saves `model` with seeded weights, spread so widely that greedy choices are no coin tosses.

    Tables of positions keep their own scale; what is zero (biases, sinks) becomes something that can be seen.
    """
    chances = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim >= 2 and "position" not in name and "wpe" not in name:
                weight.normal_(0, 1.5 / weight.shape[-1] ** 0.5, generator=chances)
            elif weight.ndim == 1 and not weight.any():
                weight.normal_(0, 0.2, generator=chances)
    model.save_pretrained(folder)
    return folder


def decoder_case(name: str, config: Any, options: dict[str, Any] | None = None) -> Verdict:
    """The verdict on a causal LM of `config`; options: of the build, over OPTIONS."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        try:
            torch.manual_seed(0)
            model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").eval()
            save_spread(model, folder / "checkpoint")
            oracle = Eager(folder / "checkpoint")
        except Exception as error:  # noqa: BLE001 - whatever transformers raises, the config is not one to judge by
            return Verdict(name, "no config", short(error))
        return judge(name, folder, oracle, {**OPTIONS, **TEXT, **(options or {})})


def judge(name: str, folder: Path, oracle: Eager, options: dict[str, Any]) -> Verdict:
    """Builds `folder`/checkpoint and compares what it generates."""
    try:
        with patch(
            "workflows.builder.stages.EACH_PASS_MAX_BYTES", 0
        ):  # the passes are judged together, as of large models
            build(BuildRequest(str(folder / "checkpoint"), folder / "bundle", options))
        machine = open_engine(folder / "bundle").machine
        for length in LENGTHS:
            if wrong := _compared(machine, oracle, length):
                return Verdict(name, "wrong", wrong)
    except JoineryError as error:
        return Verdict(name, "refused", str(error).replace(str(folder / "checkpoint"), "the checkpoint"))
    except Exception as error:  # noqa: BLE001 - that anything else comes out is what is looked for
        return Verdict(name, "traceback", short(error))
    return Verdict(name, "equal")


class Eager:
    """The oracle: the whole sequence at once, the model's own masks, no cache.

    Eager code, except of a Falcon with ALiBi, to which it adds the bias twice; its SDPA code adds it once.
    """

    def __init__(self, folder: Path) -> None:
        config = transformers.AutoConfig.from_pretrained(folder)
        twice = config.model_type == "falcon" and config.alibi
        self._model = transformers.AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.float32, attn_implementation="sdpa" if twice else "eager"
        ).eval()
        self.vocabulary = int(self._model.get_input_embeddings().weight.shape[0])
        self.next_logits([1, 2, 3])

    def next_logits(self, ids: list[int]) -> np.ndarray:
        """[V] float32, after the last of `ids`."""
        with torch.no_grad():
            found: np.ndarray = self._model(input_ids=torch.tensor([ids]), use_cache=False).logits[0, -1].numpy()
        return found


def _compared(machine: Machine, oracle: Eager, length: int) -> str:
    """What is wrong after a prompt of `length` or at one of the tokens that follow it; empty where nothing is."""
    ids = [int(i) for i in np.random.default_rng(length).integers(3, oracle.vocabulary, length)]
    machine.cache.reset()
    for step, found in enumerate(_logits(machine, ids)):
        wanted = oracle.next_logits(ids)
        scale = max(1.0, float(np.abs(wanted).max()))
        off = float(np.abs(found - wanted).max())
        first, second = np.sort(wanted)[-1:-3:-1]
        tie = first - second <= 2 * TOLERANCE * scale
        if not off <= TOLERANCE * scale or (int(found.argmax()) != int(wanted.argmax()) and not tie):
            return f"{length} tokens, step {step}: logits of up to {scale:.3g} are off by {off:.3g}"
        ids.append(int(wanted.argmax()))
    return ""


def _logits(machine: Machine, ids: list[int]) -> Iterator[np.ndarray]:
    """After the prompt, and after each token that the caller appends to `ids`."""
    found = [np.array(machine.step(fed, phase)[-1]) for fed, phase in machine.chunks(ids)]
    yield found[-1]
    for _ in range(STEPS):
        yield np.array(machine.step(ids[-1:], "decode")[-1])


def short(error: Exception) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__} in {Path(where.filename).name}:{where.lineno}: {text}"
