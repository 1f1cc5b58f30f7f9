"""A checkpoint in transformers with eager attention, in float32: the reference that no code of Joinery has touched.

    checkpoint ──export.load──▶ model ──forward, generate──▶ logits, hidden states, keys and values, tokens

For decoders of text; others are compared with Joinery's own fp32 build.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import DynamicCache, PreTrainedModel, StoppingCriteriaList
from transformers.cache_utils import DynamicLayer

from workflows.checkpoint import Checkpoint
from workflows.common.errors import Cancelled
from workflows.evaluation.accuracy.compared_side import ReadBlock, Rows, States
from workflows.evaluation.accuracy.tasks import DemoTask, FileTask
from workflows.export.load import load_model
from workflows.generate import Engine
from workflows.generate.prompt_sets import HeldOutQuestion
from workflows.runtime.execution.prompt_inputs import NamedInputs
from workflows.wire.events import CacheUse, GenerationDone

_ROLES = ("key", "value")


class EagerReference:
    """A side of a comparison. engine: of the candidate, which encodes texts and names end tokens."""

    has_source = False

    def __init__(self, model: PreTrainedModel, engine: Engine) -> None:
        self._model, self._engine = model, engine
        self.encoded: dict[int, States] = {}
        self._hidden: dict[int, States] = {}
        self._past: Any = None  # transformers' cache, and how many tokens it holds
        self._held = 0
        self._read: list[int] = []
        self._watch_layers()

    @classmethod
    def open(cls, checkpoint: Checkpoint, task: str, engine: Engine) -> EagerReference:
        """Loads the checkpoint. Raises CheckpointError and RecipeError as load_model does."""
        return cls(load_model(checkpoint, task, attention="eager"), engine)

    @property
    def has_layer_outputs(self) -> bool:
        return True

    @property
    def room(self) -> int:
        limit = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        return limit if isinstance(limit, int) else 1 << 30

    @property
    def vocabulary(self) -> int:
        return int(self._model.get_output_embeddings().weight.shape[0])

    def read(self, ids: Sequence[int], inputs: NamedInputs | None = None) -> Iterator[ReadBlock]:
        """Reads a prompt in one run."""
        self._past, self._held, self._read = None, 0, list(ids[:-1])
        if len(ids) > 1:
            yield self._run(ids[:-1])

    def greedy(
        self, ids: Sequence[int], steps: int, cancelled: Callable[[], bool], inputs: NamedInputs | None = None
    ) -> list[int]:
        """Generates as transformers does with the checkpoint's own settings, without sampling."""
        prompt = torch.tensor([list(ids)])

        def stop(ids: torch.Tensor, _scores: object, **_more: object) -> torch.Tensor:
            return torch.full((len(ids),), cancelled(), dtype=torch.bool)

        with torch.no_grad():
            made = self._model.generate(
                prompt,
                past_key_values=self._continued(ids),
                attention_mask=torch.ones_like(prompt),
                max_new_tokens=steps,
                do_sample=False,
                num_beams=1,
                eos_token_id=list(self._engine.bundle.pipeline.tokens.eos) or None,
                stopping_criteria=StoppingCriteriaList([stop]),
            )
        if cancelled():
            raise Cancelled("The comparison was cancelled.")
        return [int(token) for token in made[0, len(ids) :]]

    def _continued(self, ids: Sequence[int]) -> DynamicCache | None:
        """A copy of the cache if it holds the prompt that was read last, which generating would read again.

        None where a layer keeps less than all keys and values, for transformers cannot continue each of those.
        """
        kept = isinstance(self._past, DynamicCache) and all(type(one) is DynamicLayer for one in self._past.layers)
        return (
            copy.deepcopy(self._past) if kept and [*ids[:-1]] == self._read and self._held == len(self._read) else None
        )

    def follow(
        self, ids: Sequence[int], tokens: Sequence[int], inputs: NamedInputs | None = None
    ) -> Iterator[ReadBlock]:
        """Follows tokens in one run, after the prompt that was read last."""
        if self._held != len(ids) - 1:
            for _ in self.read(ids):
                pass
        yield self._run([ids[-1], *tokens[:-1]])

    def rows(self) -> tuple[NDArray[np.int64], Rows]:
        """Layers that hold fewer tokens, in a window or as a state, are left out."""
        rows: Rows = {}
        for number, layer in enumerate(getattr(self._past, "layers", ())):
            for role in _ROLES:
                tensor = getattr(layer, f"{role}s", None)
                if isinstance(tensor, torch.Tensor) and tensor.ndim == 4 and tensor.shape[2] == self._held:
                    rows[number, role] = np.moveaxis(tensor[0].numpy(), 1, 0).reshape(self._held, -1)  # [N, H·D]
        return np.arange(self._held), rows

    def reply(
        self, task: FileTask | DemoTask, question: HeldOutQuestion, cancelled: Callable[[], bool]
    ) -> GenerationDone:
        """Answers a task's question about text alone."""
        ids = list(task.prompt(self._engine, question).ids)
        tokens = self.greedy(ids, task.tokens, cancelled)
        ended = bool(tokens) and tokens[-1] in self._engine.bundle.pipeline.tokens.eos
        return GenerationDone(
            prompt_ids=ids,
            token_ids=tokens,
            text=self._engine.text.decode(tokens[: len(tokens) - ended]),
            finish_reason="eos" if ended else "length",
            ttft_ms=0.0,
            decode_tokens_per_s=0.0,
            prefill_tokens_per_s=0.0,
            provider="transformers",
            cache=CacheUse(layout="", capacity=self.room, used=len(ids) + len(tokens), bytes=0, evicted=0),
        )

    def _run(self, tokens: Sequence[int]) -> ReadBlock:
        """Feeds tokens after what the cache holds."""
        self._hidden.clear()
        with torch.no_grad():
            result = self._model(torch.tensor([list(tokens)]), past_key_values=self._past, use_cache=True)
        self._past, self._held = result.past_key_values, self._held + len(tokens)
        return ReadBlock(result.logits[0].float().numpy(), dict(self._hidden))

    def _watch_layers(self) -> None:
        """Stores the output [1, N, D] of each decoder layer: those of the list of modules with the most parameters."""
        lists = [one for one in self._model.modules() if isinstance(one, torch.nn.ModuleList)]
        layers = max(lists, key=lambda one: sum(weight.numel() for weight in one.parameters()), default=())

        def store(number: int) -> Callable[[Any, Any, Any], None]:
            def hook(_module: Any, _inputs: Any, output: Any) -> None:
                states = output[0] if isinstance(output, tuple) else output
                self._hidden[number] = states.reshape(-1, states.shape[-1]).float().numpy()

            return hook

        for number, layer in enumerate(layers):
            layer.register_forward_hook(store(number))
