"""A bundle as a model of EleutherAI's lm-eval (package lm-eval), named `joinery` there once this module is imported.

    texts ──tokenizer──▶ ids ──follow──▶ logits of the continuation ──▶ its log-likelihood, and whether it is greedy

Truncation, windows and stop texts are those of lm-eval's model of transformers, so that figures can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from lm_eval import utils
from lm_eval.api.instance import Instance
from lm_eval.api.model import TemplateLM
from lm_eval.api.registry import register_model
from lm_eval.models.utils import handle_stop_sequences, normalize_gen_kwargs, postprocess_generated_text
from lm_eval.tasks import TaskManager
from tqdm import tqdm

from workflows.common.errors import RequestError
from workflows.evaluation.accuracy.compared_bundle import ComparedBundle
from workflows.generate import GenerateOptions, TemplateMessage, open_engine
from workflows.wire.events import GenerationDone

_TAKEN = ("temperature", "top_k", "top_p", "min_p", "repetition_penalty")  # what a task may set of a generation

_Request = TypeVar("_Request")
_GIVEN = ("device", "max_batch_size")  # to every model by lm-eval


class FetchedTasks(TaskManager):  # type: ignore[misc]
    """Tasks whose data is fetched once: lm-eval loads them again after the model was opened, without the network."""

    def __init__(self) -> None:
        super().__init__()
        self._fetched: Any = None

    def load(self, task_list: Any) -> Any:
        """The tasks and groups by name; those of the first call."""
        if self._fetched is None:
            self._fetched = super().load(task_list)
        return self._fetched


@register_model("joinery")
class JoineryLM(TemplateLM):  # type: ignore[misc]
    """bundle: its folder. capacity: cache slots, which limit texts. batch_size: taken for lm-eval's sake; it is 1."""

    def __init__(
        self,
        bundle: str,
        provider: str = "cpu",
        capacity: int | None = None,
        max_gen_toks: int = 256,
        batch_size: int | str | None = None,
        **others: object,
    ) -> None:
        super().__init__()
        unknown = [name for name in others if name not in _GIVEN]
        if unknown:
            raise RequestError(f"The model joinery takes no {', '.join(unknown)}: give bundle, provider and capacity.")
        self._engine = open_engine(bundle, provider=provider, capacity=capacity, draft=False)
        if self._engine.machine.has_source:
            raise RequestError("lm-eval asks decoders of text alone: this bundle has an encoder.")
        self._read = ComparedBundle(self._engine)
        self.max_length = self._read.room
        self.max_gen_toks = max_gen_toks
        self.on_request: Callable[[int, int], None] | None = None
        """Called before each request with the number of those before it and of all; instead of a bar of progress."""

    @property
    def eot_token_id(self) -> int:
        """The first end token."""
        return self._engine.bundle.pipeline.tokens.eos[0]

    @property
    def prefix_token_id(self) -> int:
        """The token before a text that nothing precedes."""
        begin = self._engine.bundle.pipeline.tokens.bos
        return self.eot_token_id if begin is None else begin

    @property
    def tokenizer_name(self) -> str:
        """A name for lm-eval's caches."""
        return self._engine.bundle.digest

    def tok_encode(self, string: str, add_special_tokens: bool | None = None, **_: object) -> list[int]:
        """The ids of a text; without special tokens where it begins with the prefix token itself."""
        if not string:
            return []
        if add_special_tokens is None:
            add_special_tokens = not string.startswith(self._engine.text.piece(self.prefix_token_id))
        return self._engine.text.encode(string, special=add_special_tokens)

    def apply_chat_template(self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True) -> str:
        """The text of a conversation."""
        if self._engine.template is None:
            raise RequestError("This bundle has no chat template: leave --apply_chat_template out.")
        turns: list[TemplateMessage] = [{"role": one["role"], "content": one["content"]} for one in chat_history]
        return self._engine.template.render_turns(turns, begins_reply=add_generation_prompt)

    def chat_template(self, chat_template: bool | str = False) -> str | None:
        """What lm-eval notes of the template."""
        return "the bundle's own" if chat_template and self._engine.template is not None else None

    def _loglikelihood_tokens(
        self, requests: list[tuple[tuple[str, str] | None, list[int], list[int]]], disable_tqdm: bool = False, **_: Any
    ) -> list[tuple[float, bool]]:
        """Of each continuation after its context. Equal contexts one after another are read once."""
        order = sorted(range(len(requests)), key=lambda place: (requests[place][1], len(requests[place][2])))
        found = dict[int, tuple[float, bool]]()
        for place in self._counted(order, disable_tqdm):
            texts, context, continuation = requests[place]
            found[place] = self._scored(context, continuation)
            if texts is not None:
                self.cache_hook.add_partial("loglikelihood", texts, found[place])
        return [found[place] for place in range(len(requests))]

    def _counted(self, requests: Sequence[_Request], is_quiet: bool) -> Iterator[_Request]:
        """The requests one by one, with progress."""
        if self.on_request is None:
            yield from tqdm(requests, disable=is_quiet)
            return
        for place, one in enumerate(requests):
            self.on_request(place, len(requests))
            yield one

    def _scored(self, context: Sequence[int], continuation: Sequence[int]) -> tuple[float, bool]:
        kept = [*context, *continuation][-(self.max_length + 1) :]  # the last token is not fed
        count = min(len(continuation), len(kept) - 1)
        before, wanted = kept[:-count], kept[len(kept) - count :]
        total, is_greedy, at = 0.0, True, 0
        for rows in self._logits(before, wanted):
            for row in rows[: len(wanted) - at].astype(np.float64):
                shifted = row - row.max()
                total += float(shifted[wanted[at]] - np.log(np.exp(shifted).sum()))
                is_greedy &= int(row.argmax()) == wanted[at]
                at += 1
        return total, is_greedy

    def _logits(self, before: Sequence[int], wanted: Sequence[int]) -> Iterator[np.ndarray]:
        for block in self._read.follow(before, wanted):
            yield block.logits

    def loglikelihood_rolling(self, requests: list[Instance], disable_tqdm: bool = False) -> list[float]:
        """Of whole texts, in windows that share no token, each after the last token of the one before."""
        found = []
        for (text,) in self._counted([one.args for one in requests], disable_tqdm):
            windows = utils.get_rolling_token_windows(
                token_list=self.tok_encode(text), prefix_token=self.prefix_token_id, max_seq_len=self.max_length,
                context_len=1,
            )  # fmt: skip
            scored = [self._scored(*utils.make_disjoint_window(window)) for window in windows]
            found.append(sum(score for score, _ in scored))
            self.cache_hook.add_partial("loglikelihood_rolling", (text,), found[-1])
        return found

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        """The text after each prompt, until one of its stop texts."""
        found = []
        for context, settings in self._counted([one.args for one in requests], disable_tqdm):
            given = normalize_gen_kwargs(settings, self.max_gen_toks)
            stops = handle_stop_sequences(given.pop("until", None), eos=self._engine.text.piece(self.eot_token_id))
            count = given.pop("max_gen_toks")
            ids = self.tok_encode(context)[-(self.max_length - count) :]
            sampling = {name: given[name] for name in _TAKEN if name in given} if given.get("do_sample") else {}
            options = GenerateOptions(max_new_tokens=count, stop=[one for one in stops if one], **sampling)
            *_, done = self._engine.generate(ids, options)
            assert isinstance(done, GenerationDone)
            text = postprocess_generated_text(generation=done.text, stop=stops, think_end_token=None)
            self.cache_hook.add_partial("generate_until", (context, settings), text)
            found.append(text)
        return found
