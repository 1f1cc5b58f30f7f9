"""Passes the chosen decoding options to the next request, the chat's file, the bundle's default, and the worker.

DecodingSection ──changed──▶ DecodingController ──▶ ChatController.decoding, Conversation.decoding, `default`
     ▲                      └──a draft──▶ DraftBundle ──accepted: applies · refused: the old choice stays
     └──another chat, another bundle: form and chain of the chat, the rest of the bundle
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.chat.controller import ChatController
from app.chat.decoding.decoding_options import DecodingOptions, Form
from app.chat.decoding.decoding_section import DecodingSection
from app.state.context import AppContext
from app.state.draft_bundle import DraftBundle
from app.text.formatting import format_number
from workflows.wire.events import ErrorEvent
from workflows.wire.requests import CheckConstraint


class DecodingController(QObject):
    """default: options of the bundle's new chats; save: called when they change. applied: the next reply may differ."""

    applied = Signal()

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
        self._chosen = ""  # the chosen draft bundle, which was requested
        self.draft = DraftBundle(context.session_worker, context.session, self)
        part.drafts.offer(context.recents, self._incompatibility)
        part.changed.connect(self._on_changed)
        part.problemChanged.connect(controller.set_problem)
        part.form.check.checkRequested.connect(self._request_form_check)
        self.draft.accepted.connect(self._on_accepted)
        self.draft.refused.connect(self._on_refused)
        controller.reset.connect(self._on_chat)

    def show_bundle(self, default: DecodingOptions, ops: Sequence[Mapping[str, object]]) -> None:
        """Shows another bundle and its chain; the chat keeps form and chain."""
        self.default = default.for_new_chat()
        self._part.chain.set_ops(ops)
        self._part.drafts.refill()
        self._show(self._chat_options())

    def choose(self, choice: DecodingOptions) -> None:
        """Sets the options as if the user had changed them in the panel."""
        self._part.show_choice(choice)
        self._on_changed(choice)

    def _incompatibility(self, summary: Mapping[str, Any]) -> str:
        """Why a bundle cannot draft, as far as its files tell; only the engine compares the vocabularies."""
        own, other = (self._context.bundle or {}).get("vocabulary"), summary.get("vocabulary")
        if not own or not other or own == other:
            return ""
        text = self.tr("The vocabularies differ in size ({0} and the model's {1}): a draft needs the same tokens.")
        return text.format(format_number(other), format_number(own))

    def _on_chat(self) -> None:
        options = self._chat_options()
        if options != self._part.choice:
            self._show(options)

    def _chat_options(self) -> DecodingOptions:
        """The chat's options, without drafts and beams chosen for another bundle."""
        chat = self._controller.chat
        if not chat.decoding:
            return self.default
        chosen = DecodingOptions.from_dict(chat.decoding)
        return chosen if chat.bundle == self._bundle else self.default.shaped_as(chosen)

    def _show(self, choice: DecodingOptions) -> None:
        self._part.show_choice(choice)
        self._controller.decoding = choice
        self.applied.emit()
        self._chosen = _draft(choice)
        self.draft.request(self._chosen, self._bundle)

    def _on_changed(self, choice: DecodingOptions) -> None:
        wanted, before, self._chosen = _draft(choice), self._chosen, _draft(choice)
        if wanted and wanted != self.draft.current:  # the old choice applies until it is accepted
            choice = self._with_old_draft(choice)
        self._apply(choice)
        if wanted != before:
            self.draft.request(wanted, self._bundle)
            if wanted and self.draft.requesting:
                self._part.drafts.show_checking()

    def _on_refused(self, _folder: str, why: str) -> None:
        """The draft bundle was refused: the typed text stays, the old choice applies."""
        self._part.choice = self._with_old_draft(self._part.choice)
        self._chosen = _draft(self._part.choice)
        self._part.drafts.refuse(why)

    def _with_old_draft(self, choice: DecodingOptions) -> DecodingOptions:
        old = self._controller.decoding
        return replace(choice, drafts=old.drafts, draft=old.draft)

    def _apply(self, choice: DecodingOptions) -> None:
        if choice != self._controller.decoding:
            self._controller.decoding, self.default = choice, choice.for_new_chat()
            self._controller.chat.decoding = asdict(choice)
            self._controller.save_soon()
            self._save()
            self.applied.emit()

    def _on_accepted(self, _folder: str) -> None:
        self._part.drafts.refuse("")
        self._apply(self._part.choice)

    @property
    def _bundle(self) -> str:
        return str((self._context.bundle or {}).get("path", ""))

    def _request_form_check(self, kind: Form, text: str) -> None:
        check = self._part.form.check

        def refuse(error: ErrorEvent) -> None:
            if error.kind == "request":
                check.answer(kind, text, error.message)

        job = self._context.probe_worker.request(CheckConstraint(kind, text))
        job.on_answer(lambda _done: check.answer(kind, text, ""))
        job.on_error(refuse)


def _draft(choice: DecodingOptions) -> str:
    """The folder of the bundle chosen to draft; empty for none."""
    return choice.draft if choice.drafts == "bundle" else ""
