"""What is chosen of decoding, on its way: to the next request, the chat's file, the bundle's default, the worker.

DecodingSection ──changed──▶ Keeper ──▶ ChatController.decoding, Conversation.decoding, `default`
     ▲                      └──a draft──▶ DraftBundle ──taken: it holds · refused: what was holds on
     └──another chat, another bundle: form and chain as they were in the chat, the rest as for the bundle
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.chat.composer import Composer
from app.chat.controller import ChatController
from app.chat.decoding.decoding_options import DecodingOptions, Form
from app.chat.decoding.decoding_section import DecodingSection
from app.state.draft_bundle import DraftBundle
from app.text.formatting import format_number
from workflows.wire.events import ErrorEvent
from workflows.wire.requests import CheckConstraint

if TYPE_CHECKING:
    from app.state.context import AppContext


class DecodingController(QObject):
    """`default` is what the bundle's next chats begin with; save: it changed. held: the next reply may differ."""

    held = Signal()

    def __init__(
        self,
        context: AppContext,
        part: DecodingSection,
        controller: ChatController,
        save: Callable[[], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._context, self._part, self._controller, self._save = context, part, controller, save
        self.default = DecodingOptions()
        self._chosen = ""  # the draft that is chosen, which was asked for
        self.draft = DraftBundle(context.session_worker, context.session, self)
        part.drafts.offer(context.recents, self._unfit)
        part.changed.connect(self._on_changed)
        part.problemChanged.connect(self._on_problem)
        part.form.check.asked.connect(self._ask_form)
        self.draft.taken.connect(self._on_taken)
        self.draft.refused.connect(self._on_refused)
        controller.reset.connect(self._on_chat)

    def follow_composer(self, composer: Composer) -> None:
        """Nothing is sent while something that was typed cannot be used."""
        self._part.problemChanged.connect(composer.set_problem)

    def show_bundle(self, default: DecodingOptions, ops: Sequence[Mapping[str, object]]) -> None:
        """Another bundle, with the chain that it has; the chat keeps what shapes its answers."""
        self.default = default.for_new_chat()
        self._part.set_model(ops)
        self._part.drafts.refill()
        self._show(self._of_chat())

    def choose(self, choice: DecodingOptions) -> None:
        """Another choice, as if a person had made it in the panel."""
        self._part.show_choice(choice)
        self._on_changed(choice)

    def _unfit(self, summary: Mapping[str, Any]) -> str:
        """What the files of both tell already; whether their tokens are the same ones the engine sees."""
        own, other = (self._context.bundle or {}).get("vocabulary"), summary.get("vocabulary")
        if not own or not other or own == other:
            return ""
        said = self.tr("The vocabularies differ in size ({0} and the model's {1}): a draft speaks the same tokens.")
        return said.format(format_number(other), format_number(own))

    def _on_chat(self) -> None:
        found = self._of_chat()
        if found != self._part.choice:
            self._show(found)

    def _of_chat(self) -> DecodingOptions:
        """What was chosen in the chat; drafts and beams that were chosen for another bundle do not count."""
        chat = self._controller.chat
        if not chat.decoding:
            return self.default
        chosen = DecodingOptions.from_dict(chat.decoding)
        return chosen if chat.bundle == self._bundle else self.default.shaped_as(chosen)

    def _show(self, choice: DecodingOptions) -> None:
        self._part.show_choice(choice)
        self._controller.decoding = choice
        self.held.emit()
        self._chosen = _draft(choice)
        self.draft.want(self._chosen, self._bundle)

    def _on_changed(self, choice: DecodingOptions) -> None:
        wanted, before, self._chosen = _draft(choice), self._chosen, _draft(choice)
        if wanted and wanted != self.draft.current:  # until it is taken, what was holds on
            choice = self._with_draft_of(self._controller.decoding, choice)
        self._hold(choice)
        if wanted != before:
            self.draft.want(wanted, self._bundle)
            if wanted and self.draft.asking:
                self._part.drafts.wait()

    def _on_refused(self, _folder: str, why: str) -> None:
        """What was typed stays in its field; what is chosen is again what holds."""
        self._part.choice = self._with_draft_of(self._controller.decoding, self._part.choice)
        self._chosen = _draft(self._part.choice)
        self._part.drafts.refuse(why)

    @staticmethod
    def _with_draft_of(holds: DecodingOptions, choice: DecodingOptions) -> DecodingOptions:
        return replace(choice, drafts=holds.drafts, draft=holds.draft)

    def _hold(self, choice: DecodingOptions) -> None:
        if choice != self._controller.decoding:
            self._controller.decoding, self.default = choice, choice.for_new_chat()
            self._controller.chat.decoding = asdict(choice)
            self._controller.keep_chat()
            self._save()
            self.held.emit()

    def _on_taken(self, _folder: str) -> None:
        self._part.drafts.refuse("")
        self._hold(self._part.choice)

    def _on_problem(self, problem: str) -> None:
        self._controller.problem = problem

    @property
    def _bundle(self) -> str:
        return str((self._context.bundle or {}).get("path", ""))

    def _ask_form(self, kind: Form, text: str) -> None:
        check = self._part.form.check

        def refuse(error: ErrorEvent) -> None:
            if error.kind == "request":
                check.answer(kind, text, error.message)

        job = self._context.probe_worker.request(CheckConstraint(kind, text))
        job.on_answer(lambda _done: check.answer(kind, text, ""))
        job.on_error(refuse)


def _draft(choice: DecodingOptions) -> str:
    """The folder of the bundle that is chosen to draft; empty for none."""
    return choice.draft if choice.drafts == "bundle" else ""
