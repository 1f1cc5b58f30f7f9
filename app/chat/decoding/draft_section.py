"""The source of drafted tokens (none, the text so far, another bundle), their number, and how they are accepted."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QSpinBox, QWidget

from app.chat.decoding.decoding_options import DecodingOptions, Drafts
from app.state.recent_bundles import RecentBundles
from app.text.translatable import tr
from app.widgets import label
from app.widgets.bundle_field import BundleField, Unfit
from app.widgets.collapsible import CollapsibleSection
from app.widgets.fields import add_token_unit
from app.widgets.plain_text import set_tool_tip
from app.widgets.wheel_guard import ignore_wheel
from workflows.wire.generation_options import limits

APPLY_TYPED_MS = 700
"""A typed folder is applied after so long without typing."""


class DraftSection(CollapsibleSection):
    """`changed` gives the fields of DecodingOptions that the user changed."""

    changed = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        tip = tr("A cheaper source proposes tokens, and the model checks several at a time.")
        super().__init__(tr("Drafts"), tip, parent)
        self.source = self._combo(self.tr("Drafts"))
        for title, value in (
            (self.tr("The bundle's default, else none"), "none"),
            (self.tr("From the text so far (n-gram)"), "ngram"),
            (self.tr("Another bundle"), "bundle"),
            (self.tr("Off"), "off"),
        ):
            self.source.addItem(title, value)
        self.bundle: BundleField | None = None
        self.problem = label("", "error", wrap=True)
        self.tokens = ignore_wheel(add_token_unit(QSpinBox()))
        self.tokens.setRange(*limits("draft_tokens"))
        self.tokens.setAccessibleName(self.tr("Tokens per draft"))
        set_tool_tip(self.tokens, self.tr("The maximum; the length adapts to how many tokens are accepted."))
        self.acceptance = self._combo(self.tr("Which drafted tokens are accepted"))
        for title, value in (
            (self.tr("Exact"), "exact"),
            (self.tr("Rejection sampling"), "rejection_sampling"),
            (self.tr("Typical"), "typical"),
        ):
            self.acceptance.addItem(title, value)
        self.note = label("", "muted", wrap=True)
        self._typed = QTimer(self, singleShot=True, interval=APPLY_TYPED_MS)
        self._typed.timeout.connect(self.commit)
        for part in (self.source, self.problem, self.tokens, self.acceptance, self.note):
            self.body.addWidget(part)
        self.tokens.valueChanged.connect(lambda count: self.changed.emit({"draft_tokens": count}))
        self._drawn = self._opening = False
        self.show_choice(DecodingOptions(), drawn=False)

    def _combo(self, name: str) -> QComboBox:
        combo = ignore_wheel(QComboBox())
        combo.setAccessibleName(name)
        combo.setMinimumContentsLength(10)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.activated.connect(lambda _index: self._on_combo())
        return combo

    def offer(self, recents: RecentBundles, unfit: Unfit) -> None:
        """Lists the bundles to choose from."""
        hint = self.tr("A bundle's folder")
        self.bundle = BundleField(recents, self.tr("Bundle that drafts"), hint, unfit=unfit)
        set_tool_tip(self.bundle.field, self.tr("A smaller bundle of the same family, with the same tokens."))
        self.bundle.changed.connect(lambda _text: self._typed.start())
        self.body.insertWidget(1, self.bundle)
        self._refresh()

    def refill(self) -> None:
        """Updates the list for another bundle."""
        if self.bundle is not None:
            self.bundle.refill()

    def show_choice(self, choice: DecodingOptions, drawn: bool) -> None:
        """Shows the options without emitting `changed`. drawn: whether tokens are sampled."""
        self._drawn = drawn
        self.source.setCurrentIndex(self.source.findData(choice.drafts))
        self.acceptance.setCurrentIndex(self.acceptance.findData(choice.acceptance))
        self.tokens.setValue(choice.draft_tokens)
        if self.bundle is not None and choice.draft != self.bundle.path:
            with QSignalBlocker(self.bundle.field):
                self.bundle.choose(choice.draft)
            self._folder_field_path()
        self._typed.stop()
        self.refuse("")

    def set_drawn(self, drawn: bool) -> None:
        """Updates to whether tokens are sampled; only then the acceptance rule matters."""
        self._drawn = drawn
        self._refresh()

    def show_checking(self) -> None:
        """Shows that the bundle is being opened."""
        self._opening = True
        self._refresh()

    def refuse(self, why: str) -> None:
        """Shows why the bundle cannot draft; the typed text stays. Empty: it can."""
        self._opening = False
        self.problem.setText(why)
        if why:
            self.unfold(True)
        self._refresh()

    def commit(self) -> None:
        """Applies the chosen or typed folder."""
        self._typed.stop()
        self.problem.setText("")
        if self._chosen == "bundle" and self.bundle is not None and self.bundle.path:
            self._folder_field_path()
            self.changed.emit({"drafts": "bundle", "draft": self.bundle.path})
        self._refresh()

    def _folder_field_path(self) -> None:
        """Shows the beginning of a long name, which tells it from others."""
        edit = self.bundle.field.lineEdit() if self.bundle is not None else None
        if edit is not None and not edit.hasFocus():
            edit.setCursorPosition(0)

    @property
    def _chosen(self) -> Drafts:
        chosen: Drafts = self.source.currentData()
        return chosen

    def _on_combo(self) -> None:
        self.problem.setText("")
        self.changed.emit({"acceptance": self.acceptance.currentData()})
        if self._chosen != "bundle":
            self.changed.emit({"drafts": self._chosen})
        self.commit()
        if self._chosen == "bundle" and self.bundle is not None and not self.bundle.path:
            self.bundle.setFocus()

    def _refresh(self) -> None:
        drafts = self._chosen in ("ngram", "bundle")
        if self.bundle is not None:
            self.bundle.setVisible(self._chosen == "bundle")
        self.problem.setVisible(bool(self.problem.text()))
        self.tokens.setVisible(drafts)
        self.acceptance.setVisible(drafts)
        self.acceptance.setEnabled(self._drawn)
        self.note.setVisible(drafts)
        self.note.setText(self._summary())
        self.set_summary(self._source())

    def _source(self) -> str:
        if self.problem.text():
            return self.tr("refused")
        if self._chosen == "bundle" and self.bundle is not None and self.bundle.path:
            return Path(self.bundle.path).name
        own = self.tr("the bundle's default")
        return {"ngram": self.source.currentText(), "off": self.tr("none")}.get(self._chosen, own)

    def _summary(self) -> str:
        if self._opening:
            return self.tr("Opening the bundle …")
        if not self._drawn:
            return self.tr("At temperature 0 the reply is the same as without drafts, token for token.")
        return {
            "exact": self.tr("Exact: a drafted token is accepted if the model samples the same one."),
            "rejection_sampling": self.tr("Rejection: accepts more drafted tokens and keeps the model's distribution."),
            "typical": self.tr("Typical: accepts any likely drafted token; fastest, but changes the distribution."),
        }[str(self.acceptance.currentData())]
