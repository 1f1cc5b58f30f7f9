"""A bundle that is open for talking: one prompt, or a conversation whose cache is kept between turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from workflows.bundle import Bundle
from workflows.bundle.genai.metadata import extra_files, ignored_settings
from workflows.common.errors import PromptError, printable
from workflows.generate.chat_template import ChatTemplate, TemplateMessage
from workflows.generate.controller import Controller
from workflows.generate.generation import Generation
from workflows.generate.generation_config import GenerationConfig
from workflows.generate.languages import TranslationLanguages
from workflows.generate.logits_combination import AuxiliaryModels
from workflows.generate.options import GenerateOptions
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
from workflows.generate.tokenizer import BundleTokenizer
from workflows.generate.tools import Tool, check_tools
from workflows.runtime import Machine, device_named
from workflows.runtime.loading.session_plan import Placement
from workflows.runtime.prompt_inputs import NamedInputs
from workflows.templates.service import TEMPLATE_SERVICE
from workflows.wire.events import CacheEvent, Event, GenerationDone, NoticeEvent, ReadyEvent, TokenEvent

SYSTEM_FOLDED = "The chat template takes no system message: its text stands at the beginning of the first prompt."


class Engine:
    """An open bundle. One generation at a time; `stop` may be called from another thread.

    own: drafts its tokens where no other does, as the bundle's file asks for; see use_draft. beside: weighs its logits.
    Both are closed with it.
    """

    def __init__(
        self, bundle: Bundle, machine: Machine, load_seconds: float, own: DraftModel | ExtraHeads | None = None,
        beside: AuxiliaryModels | None = None,
    ) -> None:  # fmt: skip
        bundle = replace(bundle, pipeline=machine.pipeline)
        self.bundle, self.machine = bundle, machine
        self.text, self.template = BundleTokenizer.of_bundle(bundle), ChatTemplate.of_bundle(bundle)
        self.defaults = GenerationConfig.of_bundle(bundle)
        self.languages = TranslationLanguages.of_bundle(bundle, self.text)
        self.load_seconds, self.draft, self._own = load_seconds, own, own
        self.beside = beside or AuxiliaryModels(machine)
        named = bundle.pipeline.pipeline.controller
        self.controller = None if named is None else Controller.load(named, bundle.where)
        self._said: set[str] = set()  # codes of notices, each of which is given once
        self._unsaid: list[NoticeEvent] = []
        self._note_what_is_not_done()
        self._learned: dict[tuple[str, int, TreeShape | None], DraftStatistics] = {}  # by who drafts, and how
        self._cached: list[int] = []  # its first `cache.length` tokens are those whose keys and values were computed

    def encode_chat(
        self, messages: Sequence[TemplateMessage], tools: Sequence[Tool] | None = None, prefill: str = ""
    ) -> list[int]:
        """The ids of a conversation, ready for a reply that begins with `prefill`.

        A system message that the template refuses is folded into the first prompt, and the generation says so.
        tools: JSON descriptions that the template tells the model of; where it ignores them the generation says so.
        Raises PromptError where the bundle has no chat template or it refuses, RequestError for tools that are none.
        """
        if self.template is None:
            raise PromptError("This bundle has no chat template: give a plain prompt instead of a conversation.")
        given = None if tools is None else check_tools(tools, "The list of tools")
        text, rendered = self.template.render_folding(messages, given, prefill)
        if why := TEMPLATE_SERVICE.why_open():
            self._note("open", why)
        if rendered is not messages:
            self._note("system_folded", SYSTEM_FOLDED)
        if given and not self._tells_of(given, rendered, prefill, text):
            self._note("tools_ignored", "The chat template ignores tools: the model is not told of them.")
        return self.text.encode(text, special=False)

    def encode_turn(
        self, messages: Sequence[TemplateMessage], tools: Sequence[Tool] | None = None, prefill: str = ""
    ) -> list[int]:
        """The ids of a conversation, as encode_chat; without a chat template, of its texts one after another.

        So a base model completes what was written so far; a model with an encoder reads the last message alone.
        There `prefill` is no part of them: prefix_of gives its ids. Raises PromptError as encode_chat, and for tools
        without a template.
        """
        if self.template is not None:
            return self.encode_chat(messages, tools, prefill)
        if tools:
            raise PromptError("This bundle has no chat template that could tell it of tools: leave the tools out.")
        if self.completes:
            self._note("completes", "This bundle has no chat template: it completes the text that was written so far.")
            return self.encode("".join(map(_plain_text, messages)) + prefill)
        return self.encode("".join(map(_plain_text, messages[-1:])))

    @property
    def completes(self) -> bool:
        """Whether a conversation is one text that the model goes on with: it has no template and no encoder."""
        return self.template is None and not self.machine.has_source

    def _tells_of(self, tools: Sequence[Tool], messages: Sequence[TemplateMessage], prefill: str, text: str) -> bool:
        """Whether `text`, rendered with tools, differs from what is rendered without any."""
        assert self.template is not None
        try:
            return text != self.template.render(messages, None, prefill)
        except PromptError:  # there is a template for tools alone
            return True

    def prefix_of(self, prefill: str) -> list[int]:
        """What a decoder behind an encoder begins its reply with, after its start; nothing for another model."""
        return self.text.encode(prefill, special=False) if prefill and self.machine.has_source else []

    def encode(self, prompt: str) -> list[int]:
        """The ids of a plain text, with the special tokens that the tokenizer puts around one."""
        return self.text.encode(prompt, special=True)

    def generate(
        self,
        prompt: Sequence[int],
        options: GenerateOptions,
        cancelled: Callable[[], bool] = lambda: False,
        eos: Sequence[int] | None = None,
        *,
        prefix: Sequence[int] = (),
        given: NamedInputs | None = None,
    ) -> Iterator[Event]:
        """Generates after `prompt`, reusing what the cache holds of it; the last event is GenerationDone.

        eos: tokens that end it, other than the bundle's own. prefix: what a decoder behind an encoder begins with after
        its start. given: what comes with the prompt besides, by the graphs' inputs: pictures, sound.
        Raises PromptError for ids beyond the vocabulary, for a prompt that does not fit the capacity, and for a
        language that the bundle does not know; RequestError for a chain that names a token beyond the vocabulary.
        """
        ids = self.text.check(prompt)
        for language in (options.source_language, options.target_language):
            if language is not None:
                self.languages.token(language)
        options.check_tokens(self.machine.vocabulary)
        ends = self.bundle.pipeline.tokens.eos if eos is None else eos
        strategy = self._strategy(options)
        if told := self.beside.begin(options, options.listed(self.defaults.chain), self.text):
            self._note("guidance", told)
        yield from self._notices()
        if self.machine.has_source:
            yield from self._translate(ids, options, cancelled, ends, prefix, strategy)
            return
        ids += self.text.check(prefix) if prefix else []
        cache = self.machine.cache
        if not cache.layout.evicts and len(ids) > cache.capacity:
            raise PromptError(
                f"The prompt has {len(ids):,} tokens and the cache holds {cache.capacity:,}: shorten it, build with a "
                "larger capacity, or use the window cache."
            )
        if cache.positions is not None and len(ids) > cache.positions:
            raise PromptError(f"The prompt has {len(ids):,} tokens and the model knows {cache.positions:,} positions.")
        self.machine.resume()
        if self.machine.program.source is not None:
            self.machine.start(given, ids)
        elif given:
            raise PromptError("The model takes a prompt alone: leave out what was given besides.")
        kept = self._reuse(ids)
        generation = Generation(self.machine, self.text, options, ends, cancelled, self.defaults, strategy, self.beside)
        self._cached = list(ids)  # what the cache holds is a prefix of these, however the generation ends
        for event in generation.stream(ids, kept):
            if isinstance(event, TokenEvent):
                self._cached.append(event.id)
            yield event

    def _strategy(self, options: GenerateOptions) -> SpeculativeStrategy | Controller | None:
        """How the tokens are found; one a run where the graphs cannot look at several, which is said once."""
        if self.controller is not None:
            return self.controller.check(options, self.draft is not None)
        found = select_strategy(self.machine, options, self.draft)
        if isinstance(found, str):
            self._note("no_drafts", found)
            return None
        if found is not None and found.tree is not None and (why := tree_obstacle(self.machine)):
            self._note("linear_drafts", why)
        if found is None:
            return None
        key = found.proposer.name, found.most, found.tree
        if key not in self._learned:
            self._learned[key] = DraftStatistics(DraftLengthTuner(found.most), NearTies(self.machine.rounds))
        return found.begun(self._learned[key])

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
                yield self.picture() if isinstance(event, CacheEvent) else event

    def _notices(self) -> Iterator[Event]:
        """What was noted since the last generation."""
        unsaid, self._unsaid = self._unsaid, []
        yield from unsaid

    def _note(self, code: str, message: str) -> None:
        """Has the next generation say something, once."""
        if code not in self._said:
            self._said.add(code)
            self._unsaid.append(NoticeEvent(code=code, message=message))

    def _note_what_is_not_done(self) -> None:
        """What the checkpoint or the graph asks for and is not done."""
        if self.machine.note:
            self._note("cache_fallback", self.machine.note)
        if self.machine.placement:
            self._note("placement", self.machine.placement)
        if self.machine.emulation:
            self._note("emulated", self.machine.emulation)
        pipeline, draft = self.bundle.pipeline, self.bundle.pipeline.metadata.draft
        files = [name for name in extra_files(pipeline) if draft is None or name != draft.name]
        asked = [*ignored_settings(pipeline), *(f"the file {printable(name)}" for name in files)]
        if asked:
            self._note("not_run", f"The configuration asks for what Joinery does not run: {', '.join(asked)}.")
        if self.defaults.not_applied:
            named = ", ".join(self.defaults.not_applied)
            message = f"The checkpoint asks for {named}, which Joinery does not apply: it decodes greedily."
            self._note("not_applied", message)

    def use_draft(self, folder: str | Path | None, provider: str = "cpu") -> None:
        """Another bundle drafts from now on; None for the bundle's own, where it has one.

        Raises what open_engine raises, and then all stays as it was.
        """
        where = Placement(device_named(provider), {})
        draft = self._own if folder is None else DraftModel.open(folder, where, self.machine, self.bundle)
        if self.draft is not None and self.draft is not self._own:
            self.draft.close()
        self.draft = draft
        self._learned.clear()
        if other := draft_mismatch(self.machine, draft):
            self._note("another_draft", other)

    def stop(self) -> None:
        """Ends the step that is under way; the generation ends as cancelled."""
        self.machine.stop()
        self.beside.stop()
        if self.draft is not None:
            self.draft.stop()

    def close(self) -> None:
        """Lets go of the bundle's sessions and their memory."""
        self.machine.close()
        self.beside.close()
        for draft in (self.draft, self._own):
            if draft is not None:
                draft.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def reset(self) -> None:
        """Forgets the conversation."""
        self.machine.cache.reset()
        self.beside.forget()
        self._cached = []
        if self.draft is not None:
            self.draft.reset()

    def rewind(self, length: int) -> CacheEvent:
        """Goes back to the first `length` tokens; gives the cache as it then is. Raises RewindError (see KVCache)."""
        self.machine.cache.rewind(length)
        return self.picture()

    def save_cache(self, path: Path) -> None:
        """Saves the conversation's keys and values. Raises PromptCacheError where it cannot be written."""
        from workflows.kvcache.cache_file import save_cache  # safetensors: few conversations are saved

        save_cache(self.machine.cache, self._cached, self._identity, path)

    def load_cache(self, path: Path) -> CacheEvent:
        """Goes on from a saved cache. Raises PromptCacheError for one that is damaged or of another model."""
        from workflows.kvcache.cache_file import load_cache

        self._cached = load_cache(self.machine.cache, self._identity, path)
        return self.picture()

    def picture(self) -> CacheEvent:
        """The cache as it is; what an encoder handed over is a group of its own, the last."""
        views = [*self.machine.cache.view(), *self.machine.source_view()]
        return CacheEvent(groups=views)

    @property
    def _identity(self) -> str:
        """Tells this bundle's model from another's."""
        return self.bundle.digest

    def ready(self) -> ReadyEvent:
        """What the window is told when the bundle is open."""
        pipeline, cache = self.bundle.pipeline, self.machine.cache
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
            completes=self.completes,
            load_seconds=round(self.load_seconds, 3),
            languages=self.languages.names,
        )

    def _reuse(self, ids: Sequence[int]) -> int:
        """Rewinds the cache to what it shares with `ids`, at least one token short of all; gives that length.

        The last token is fed again even where it is cached, for its logits are needed. Where the layout cannot go
        back that far, everything is forgotten.
        """
        cache = self.machine.cache
        held = self._cached[: cache.length] if self.bundle.pipeline.reuses else []
        shared = 0
        for old, new in zip(held, ids[:-1], strict=False):
            if old != new:
                break
            shared += 1
        if not any(shared in lengths for lengths in cache.rewindable()):
            shared = 0
        cache.rewind(shared)
        return shared


def _plain_text(message: TemplateMessage) -> str:
    """A message for a model that knows no roles; a system message is a line of its own."""
    return message["content"] + "\n" * (message["role"] == "system")
