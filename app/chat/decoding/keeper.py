"""What is chosen of decoding, on its way: to the next request, the chat's file, the bundle's default, the worker.

    DecodingPart ──changed──▶ Keeper ──▶ ChatController.decoding, Conversation.decoding, `default`
         ▲                      └──a draft──▶ SessionDraft ──taken: it holds · refused: what was holds on
         └──another chat, another bundle: what was chosen there
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.chat.composer import Composer
from app.chat.controller import ChatController
from app.chat.decoding.choice import Decoding, Form
from app.chat.decoding.part import DecodingPart
from app.state.session_draft import SessionDraft
from workflows.wire.events import ErrorEvent
from workflows.wire.requests import CheckForm

if TYPE_CHECKING:
    from app.state.context import AppContext


class Keeper(QObject):
    """`default` is what the bundle's next chats begin with; save: it changed."""

    def __init__(
        self,
        context: AppContext,
        part: DecodingPart,
        controller: ChatController,
        save: Callable[[], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._context, self._part, self._controller, self._save = context, part, controller, save
        self.default = Decoding()
        self.draft = SessionDraft(context.session_worker, context.session, self)
        part.drafts.offer(context.recents)
        part.changed.connect(self._on_changed)
        part.problemChanged.connect(self._on_problem)
        part.form.check.asked.connect(self._ask_form)
        self.draft.taken.connect(self._on_taken)
        self.draft.refused.connect(lambda _folder, why: part.drafts.refuse(why))
        controller.reset.connect(self._on_chat)

    def follow_composer(self, composer: Composer) -> None:
        """Nothing is sent while something that was typed cannot be used."""
        self._part.problemChanged.connect(composer.set_problem)

    def show_bundle(self, default: Decoding, ops: Sequence[Mapping[str, object]]) -> None:
        """Another bundle, with the chain that it has; a chat that it was chosen in for this bundle keeps its own."""
        self.default = default
        self._part.set_model(ops)
        chat = self._controller.chat
        own = chat.decoding and chat.bundle == str((self._context.bundle or {}).get("path", ""))
        self._show(Decoding.from_dict(chat.decoding) if own else default)

    def _on_chat(self) -> None:
        chosen = self._controller.chat.decoding
        found = Decoding.from_dict(chosen) if chosen else self.default
        if found != self._part.choice:
            self._show(found)

    def _show(self, choice: Decoding) -> None:
        self._part.show_choice(choice)
        self._controller.decoding = choice
        self.draft.want(choice.draft if choice.drafts == "bundle" else "")

    def _on_changed(self, choice: Decoding) -> None:
        wanted = choice.draft if choice.drafts == "bundle" else ""
        if wanted and wanted != self.draft.current:  # until it is taken, what was holds on
            was = self._controller.decoding
            choice = replace(choice, drafts=was.drafts, draft=was.draft)
        self._hold(choice)
        self.draft.want(wanted)
        if wanted and self.draft.asking:
            self._part.drafts.wait()

    def _hold(self, choice: Decoding) -> None:
        if choice != self._controller.decoding:
            self._controller.decoding = self.default = choice
            self._controller.chat.decoding = asdict(choice)
            self._controller.keep_chat()
            self._save()

    def _on_taken(self, _folder: str) -> None:
        self._part.drafts.refuse("")
        self._hold(self._part.choice)

    def _on_problem(self, problem: str) -> None:
        self._controller.problem = problem

    def _ask_form(self, kind: Form, text: str) -> None:
        check = self._part.form.check

        def refuse(error: ErrorEvent) -> None:
            if error.kind == "request":
                check.answer(kind, text, error.message)

        job = self._context.probe_worker.request(CheckForm(kind, text))
        job.on_answer(lambda _done: check.answer(kind, text, ""))
        job.on_error(refuse)
