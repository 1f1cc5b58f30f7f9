"""An open bundle that generates: from one prompt, or in a conversation whose cache is kept between turns.

generate(ids) ─▶ checks ─▶ CachedPrompt.begin: the prefix that the cache already holds
              ─▶ Generation.stream ─▶ prefill.feed_tokens ─▶ Machine.step ─▶ logits ─▶ processors ─▶ token events
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from workflows.bundle import Bundle
from workflows.bundle.genai.metadata import extra_files, ignored_settings
from workflows.common.errors import PromptError, PromptLengthError, printable
from workflows.generate.cached_prompt import CachedPrompt
from workflows.generate.chat_template import ChatTemplate, TemplateMessage
from workflows.generate.controller import Controller
from workflows.generate.generation import Generation
from workflows.generate.generation_config import GenerationConfig
from workflows.generate.languages import TranslationLanguages
from workflows.generate.logits_combination import AuxiliaryModels
from workflows.generate.notices import Notices
from workflows.generate.options import GenerateOptions
from workflows.generate.prompt_encoder import PromptEncoder
from workflows.generate.speculative import (
    DraftModel,
    DraftStatistics,
    ExtraHeads,
    SpeculativeStrategy,
    draft_mismatch,
    select_strategy,
)
from workflows.generate.speculative.draft_length import DraftLengthTuner
from workflows.generate.speculative.draft_tree import TreeShape, tree_obstacle
from workflows.generate.speculative.near_ties import NearTies
from workflows.generate.speech.settings import SpeechSettings
from workflows.generate.speech.sound_input import sound_shape
from workflows.generate.tokenizer import BundleTokenizer
from workflows.generate.tools import Tool
from workflows.kvcache import KVCache
from workflows.runtime import Machine, device_named
from workflows.runtime.execution.active_adapter import BASE
from workflows.runtime.execution.prompt_inputs import NamedInputs
from workflows.runtime.loading.sessions import Placement
from workflows.wire.events import CacheEvent, Event, GenerationDone, ReadyEvent, TokenEvent


class Engine:
    """An open bundle. One generation at a time; `stop` may be called from another thread.

    own: the bundle's own draft model or heads, which draft unless use_draft names another. auxiliary: the models that
    its logits are combined with. Both are closed with it. prompts: encodes prompts.
    """

    def __init__(
        self, bundle: Bundle, machine: Machine, load_seconds: float, own: DraftModel | ExtraHeads | None = None,
        auxiliary: AuxiliaryModels | None = None,
    ) -> None:  # fmt: skip
        bundle = replace(bundle, pipeline=machine.pipeline)
        self.bundle, self.machine, self.load_seconds = bundle, machine, load_seconds
        self.text = BundleTokenizer.of_bundle(bundle)
        # a reply has no features to put in the place of a placeholder; some are beyond the ids, and never drawn
        places = (token for token in bundle.pipeline.feature_tokens.values() if token < machine.vocabulary)
        self.defaults = GenerationConfig.of_bundle(bundle).suppressing(places)
        self.languages = TranslationLanguages.of_bundle(bundle, self.text)
        self.draft, self._own, self.auxiliary = own, own, auxiliary or AuxiliaryModels(machine)
        reference = bundle.pipeline.pipeline.controller
        self.controller = None if reference is None else Controller.load(reference, bundle.where)
        self._notices = Notices()
        template = ChatTemplate.of_bundle(bundle)
        self.prompts = PromptEncoder(self.text, template, machine.has_source, self._notices)
        self._cached = self._new_cached_prompt()
        self._statistics: dict[tuple[str, int, TreeShape | None], DraftStatistics] = {}  # by proposer, length, tree
        self._note_ignored_settings()

    @property
    def sees(self) -> bool:
        """Whether a prompt may have pictures."""
        return "image" in self.bundle.pipeline.feature_tokens

    @property
    def takes_sound(self) -> bool:
        """Whether a prompt may have recordings."""
        return "audio" in self.bundle.pipeline.feature_tokens

    # -- prompts -----------------------------------------------------------------------------------------------

    @property
    def template(self) -> ChatTemplate | None:
        """The bundle's chat template; None where it has none."""
        return self.prompts.template

    def encode(self, prompt: str) -> list[int]:
        """The ids of a plain text, with the special tokens that the tokenizer puts around one."""
        return self.prompts.text(prompt)

    def encode_chat(
        self, messages: Sequence[TemplateMessage], tools: Sequence[Tool] | None = None, prefill: str = ""
    ) -> list[int]:
        """The ids of a conversation, ready for a reply that begins with `prefill`.

        A system message that the template refuses is folded into the first prompt; the next generation gives a notice.
        tools: JSON descriptions for the template; where it ignores them the next generation gives a notice. Raises
        PromptError where the bundle has no chat template or it refuses, RequestError for malformed tools.
        """
        return self.prompts.chat(messages, tools, prefill)

    def encode_turn(
        self, messages: Sequence[TemplateMessage], tools: Sequence[Tool] | None = None, prefill: str = ""
    ) -> list[int]:
        """The ids of a conversation, as encode_chat; without a chat template, of its texts one after another.

        A base model thus completes the text so far; a model with an encoder reads the last message alone, and `prefill`
        is not part of the ids: prompts.reply_prefix encodes it. Raises PromptError as encode_chat, and for tools
        without a template.
        """
        return self.prompts.turn(messages, tools, prefill)

    # -- generation --------------------------------------------------------------------------------------------

    def generate(
        self,
        prompt: Sequence[int],
        options: GenerateOptions,
        cancelled: Callable[[], bool] = lambda: False,
        eos: Sequence[int] | None = None,
        *,
        prefix: Sequence[int] = (),
        inputs: NamedInputs | None = None,
        defaults: GenerationConfig | None = None,
    ) -> Iterator[Event]:
        """Generates after `prompt`, reusing what the cache holds of it; the last event is GenerationDone.

        eos: end tokens in place of the bundle's own. prefix: the ids after the start token of a decoder behind an
        encoder. inputs: further inputs of the graphs, by name: pictures, sound. defaults: settings in place of the
        checkpoint's. Raises PromptError for ids beyond the vocabulary, for a prompt that does not fit the capacity, and
        for an unknown language; RequestError for a chain that names a token beyond the vocabulary.
        """
        ids = self.text.check_ids(prompt)
        for language in (options.source_language, options.target_language):
            if language is not None:
                self.languages.token(language)
        options.check_tokens(self.machine.vocabulary)
        ends = self.bundle.pipeline.tokens.eos if eos is None else eos
        self._use_adapter(options.adapter or BASE)
        strategy = self._strategy(options)
        if note := self.auxiliary.begin(options, options.listed(self.defaults.chain), self.text, not inputs):
            self._notices.add("guidance", note)
        yield from self._notices.take()
        if self.machine.has_source:
            yield from self._translate(ids, options, cancelled, ends, prefix, strategy)
            return
        ids += self.text.check_ids(prefix) if prefix else []
        _check_fits(self.machine.cache, len(ids))
        self._note_short_text(len(ids))
        yield from self._notices.take()
        self.machine.resume()
        if self.machine.program.source is not None:
            self.machine.start(inputs, ids)
        elif inputs:
            raise PromptError("The model takes a prompt alone: leave the other inputs out.")
        reused = self._cached.begin(ids)
        generation = Generation(
            self.machine, self.text, options, ends, cancelled, defaults or self.defaults, strategy, self.auxiliary
        )
        for event in generation.stream(ids, reused):
            if isinstance(event, TokenEvent):
                self._cached.append(event.id)
            yield event

    def _translate(
        self, source: Sequence[int], options: GenerateOptions, cancelled: Callable[[], bool], eos: Sequence[int],
        prefix: Sequence[int], strategy: SpeculativeStrategy | Controller | None,
    ) -> Iterator[Event]:  # fmt: skip
        """Encodes `source`, then decodes from the decoder's start token and `prefix`."""
        start = self.bundle.pipeline.decoder_start
        source, start, defaults = self.languages.begin(options, source, start, self.defaults)
        self.machine.resume()
        generation = Generation(self.machine, self.text, options, eos, cancelled, defaults, strategy)
        self.machine.encode(source)
        for event in generation.stream([start, *prefix], source=source):
            if isinstance(event, GenerationDone):
                yield replace(event, prompt_ids=list(source))
            else:
                yield self.cache_event() if isinstance(event, CacheEvent) else event

    def _strategy(self, options: GenerateOptions) -> SpeculativeStrategy | Controller | None:
        """How tokens are chosen; None for one token per run. Gives a notice where drafts were requested in vain."""
        if self.controller is not None:
            return self.controller.check_options(options, self.draft is not None)
        strategy = select_strategy(self.machine, options, self.draft)
        if isinstance(strategy, str):
            self._notices.add("no_drafts", strategy)
            return None
        if strategy is None:
            return None
        if strategy.tree is not None and (why := tree_obstacle(self.machine)):
            self._notices.add("linear_drafts", why)
        if options.seed is not None:  # the same tokens each time: nothing of earlier generations, nor of the clock
            pace = DraftLengthTuner(strategy.most, measured=False)
            return strategy.begun(DraftStatistics(pace, NearTies(self.machine.rounds)))
        key = strategy.proposer.name, strategy.most, strategy.tree
        if key not in self._statistics:
            self._statistics[key] = DraftStatistics(DraftLengthTuner(strategy.most), NearTies(self.machine.rounds))
        return strategy.begun(self._statistics[key])

    def _use_adapter(self, name: str) -> None:
        """Switches to an adapter, with a notice where the cache held tokens. Raises what ActiveAdapter.use raises."""
        held = self.machine.cache.length
        if not self.machine.adapter.use(name):
            return
        self.machine.cache.reset()
        self.auxiliary.forget()
        if self.draft is not None:
            self.draft.reset()
        self._cached = self._new_cached_prompt()
        if held:
            shown = f"The adapter {printable(name, 60)}" if name else "The model without an adapter"
            self._notices.add("adapter", f"{shown} reads the text anew: the cache is of the weights before.")

    def _new_cached_prompt(self) -> CachedPrompt:
        model = "+".join(filter(None, (self.bundle.digest, self.machine.adapter.identity)))
        return CachedPrompt(self.machine.cache, model, self.bundle.pipeline.settings.reuses_prefix)

    def _note_short_text(self, tokens: int) -> None:
        """Adds a notice where the checkpoint would rotate a text of so many tokens by other angles than the graphs."""
        short = self.bundle.pipeline.metadata.longer_than
        if short is not None and tokens <= short:
            self._notices.add(
                "longrope",
                f"The bundle has the angles of texts of more than {short:,} tokens; for this one the checkpoint has "
                f"others, so replies differ from its own: build with --capacity {short} for such texts.",
            )

    def _note_ignored_settings(self) -> None:
        """Adds notices about what the checkpoint or the graph asks for and Joinery does not do."""
        machine, pipeline = self.machine, self.bundle.pipeline
        notes = {
            "memory": machine.memory_note,
            "cache_fallback": machine.note,
            "placement": machine.placement,
            "emulated": machine.emulation,
        }
        for code, note in notes.items():
            if note:
                self._notices.add(code, note)
        draft = pipeline.metadata.draft
        files = [name for name in extra_files(pipeline) if draft is None or name != draft.name]
        ignored = [*ignored_settings(pipeline), *(f"the file {printable(name)}" for name in files)]
        if ignored:
            self._notices.add("not_run", f"The configuration asks for what Joinery does not run: {', '.join(ignored)}.")
        if self.defaults.not_applied:
            named = ", ".join(self.defaults.not_applied)
            message = f"The checkpoint asks for {named}, which Joinery does not apply: it decodes greedily."
            self._notices.add("not_applied", message)

    def use_draft(self, folder: str | Path | None, provider: str = "cpu") -> None:
        """Has another bundle draft from now on; None for the bundle's own draft, where it has one.

        Raises what open_engine raises; nothing is changed then.
        """
        where = Placement(device_named(provider), {})
        draft = self._own if folder is None else DraftModel.open(folder, where, self.machine, self.bundle)
        if self.draft is not None and self.draft is not self._own:
            self.draft.close()
        self.draft = draft
        self._statistics.clear()
        if mismatch := draft_mismatch(self.machine, draft):
            self._notices.add("another_draft", mismatch)

    # -- opening and closing -----------------------------------------------------------------------------------

    def stop(self) -> None:
        """Ends the current step; the generation ends as cancelled."""
        self.machine.stop()
        self.auxiliary.stop()
        if self.draft is not None:
            self.draft.stop()

    def close(self) -> None:
        """Releases the bundle's sessions and their memory."""
        self.machine.close()
        self.auxiliary.close()
        for draft in (self.draft, self._own):
            if draft is not None:
                draft.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def ready(self) -> ReadyEvent:
        """The event that describes the open bundle to the window."""
        pipeline, cache = self.bundle.pipeline, self.machine.cache
        listens = sound_shape(self.machine) is not None
        return ReadyEvent(
            bundle=str(self.bundle.folder),
            model_type=pipeline.metadata.model_type,
            route=pipeline.route,
            provider=self.machine.provider,
            layout=cache.layout.name,
            capacity=cache.capacity,
            chunk=self.machine.chunk,
            vocabulary=self.machine.vocabulary,
            chat_template=self.template is not None,
            completes=self.prompts.completes and not listens,
            load_seconds=round(self.load_seconds, 3),
            languages=self.languages.names,
            adapters=list(self.machine.adapter.names),
            sees=self.sees,
            takes_sound=self.takes_sound,
            speech=SpeechSettings.of_bundle(self.bundle).choices() if listens else None,
        )

    # -- the conversation's cache ------------------------------------------------------------------------------

    def reset(self) -> None:
        """Forgets the conversation."""
        self._cached.clear()
        self.auxiliary.forget()
        if self.draft is not None:
            self.draft.reset()

    def resume(self, ids: Sequence[int]) -> int:
        """Goes back to what the cache holds of the prompt `ids`, without its last token; returns how many tokens.

        For those who feed the machine themselves: the tokens from there on, the last one or not. A generation from the
        same prompt then reuses them.
        """
        return self._cached.begin(ids)

    def rewind(self, length: int) -> CacheEvent:
        """Goes back to the first `length` tokens and returns the cache's event. Raises RewindError (see KVCache)."""
        self.machine.cache.rewind(length)
        return self.cache_event()

    def save_cache(self, path: Path) -> None:
        """Saves the conversation's keys and values. Raises PromptCacheError where the file cannot be written."""
        self._cached.save(path)

    def load_cache(self, path: Path) -> CacheEvent:
        """Continues from a saved cache. Raises PromptCacheError for one that is damaged or of another model."""
        self._cached.load(path)
        return self.cache_event()

    def cache_event(self) -> CacheEvent:
        """The cache's groups; the cross-attention cache is a group of its own, the last."""
        views = [*self.machine.cache.view(), *self.machine.source_view()]
        return CacheEvent(groups=views)


def _check_fits(cache: KVCache, tokens: int) -> None:
    """Raises PromptLengthError for a prompt of more tokens than the cache, or the model's positions, can hold."""
    if cache.positions is not None and tokens > cache.positions:
        raise PromptLengthError(
            f"The prompt has {tokens:,} tokens and the bundle has {cache.positions:,} positions: shorten it, or, if "
            "the model has more, build with a larger capacity."
        )
    if not cache.layout.evicts and tokens > cache.capacity:
        raise PromptLengthError(
            f"The prompt has {tokens:,} tokens and the cache holds {cache.capacity:,}: shorten it, build with a "
            "larger capacity, or use the window cache."
        )
