"""Source page: the result of the probe, and the checkpoint's own code with the user's consent to run it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from app.builder.cache_text import state_layers_text
from app.builder.code_view import CodeDialog
from app.text.formatting import compact_number, format_bytes, format_number, pluralize
from app.widgets.basics import CardFrame, PillLabel, button, label
from app.widgets.layouts import STRETCH, clear_layout, grid_layout, hbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G, mono_font
from workflows.wire.reports.plan import ProbeReport


class CheckpointCard(CardFrame):
    """The result of a probe."""

    consented = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._name = label("", "heading")
        self._pill = PillLabel()
        self.body.addLayout(hbox(self._name, self._pill, STRETCH))
        self.reason = label("", "error", wrap=True)
        self.body.addWidget(self.reason)
        self._grid = grid_layout(4 * G, G)
        self.body.addLayout(self._grid)
        self._code = label("", wrap=True)
        self._code.setFont(mono_font())
        self._code_head = label("", "warning", wrap=True)
        self.consent = QCheckBox(self.tr("I have read this code and allow it to run on this machine"))
        self.consent.clicked.connect(self.consented)
        self.open_code = button(self.tr("Read the code …"), "file", clicked=self._read)
        self._files: dict[str, str] = {}
        self._folder = Path()
        self._read_files: dict[str, str] = {}
        """The hashes of the code files that were opened; changed files must be read again."""
        for part in (self._code_head, self._code):
            self.body.addWidget(part)
        self.body.addLayout(hbox(self.open_code, (self.consent, 1), spacing=2 * G))

    def set_report(self, report: ProbeReport | None, code: dict[str, str], trusted: bool) -> None:
        """Show a probe's result. code: the Python files of the checkpoint."""
        self._name.setText((report.architectures or [report.model_type])[0] if report else "")
        supported = report is not None and report.supported
        helps = bool(code) and (report is None or supported)  # consent to code that cannot be built leads nowhere
        if helps and not trusted:
            self._pill.set(self.tr("needs consent"), "warning")
        elif not supported:
            self._pill.set(self.tr("not supported"), "error")
        elif _lacks_tokenizer(report):
            self._pill.set(self.tr("supported, without chat"), "warning")
        elif report is not None and report.left_out and report.own_task is None:
            self._pill.set(self.tr("supported, the text part alone"), "warning")
        else:
            self._pill.set(self.tr("supported"), "ok")
        reason = report.reason if report else ""
        self.reason.setText(reason)
        self.reason.setVisible(not supported and bool(reason))
        self._show_facts(_checkpoint_facts(self, report) if report else [])
        self._files, self._folder = dict(code), Path(report.path) if report else Path()
        for part in (self._code_head, self._code, self.consent, self.open_code):
            part.setVisible(helps)
        one = self.tr("This checkpoint contains a Python file, which would run on this machine:")
        many = self.tr("This checkpoint contains {0} Python files, which would run on this machine:")
        self._code_head.setText(pluralize(len(code), one, many))
        self._code.setText("\n".join(f"{name}  sha256 {digest}" for name, digest in code.items()))
        self.consent.setChecked(trusted)
        self._allow_consent()

    def _allow_consent(self) -> None:
        """Enable the consent once the code was read; a given consent can always be withdrawn."""
        read = self._read_files == self._files or self.consent.isChecked()
        self.consent.setEnabled(read)
        set_tool_tip(self.consent, "" if read else self.tr("Open each file first: Read the code …"))

    def _read(self) -> None:
        self.code = CodeDialog(self._folder, self._files, self)
        self.code.read.connect(self._on_read)
        self.code.finished.connect(self.code.deleteLater)
        self.code.open()
        if self.code.seen == set(self._files):  # a single file counts as read when the dialog opens
            self._on_read()

    def _on_read(self) -> None:
        self._read_files = dict(self._files)
        self._allow_consent()

    def _show_facts(self, facts: list[tuple[str, str]]) -> None:
        clear_layout(self._grid)
        for index, (name, value) in enumerate(facts):
            row, column = divmod(index, 3)
            self._grid.addWidget(label(name, "muted"), row * 2, column)
            self._grid.addWidget(label(value), row * 2 + 1, column)
            self._grid.setColumnStretch(column, 1)


def _lacks_tokenizer(report: ProbeReport | None) -> bool:
    """Whether a model that generates text has no tokenizer."""
    return report is not None and report.tokenizer is None and report.decoder is not None


def _checkpoint_facts(widget: QWidget, report: ProbeReport) -> list[tuple[str, str]]:
    tokenizer_text, tokenizer = widget.tr("none"), report.tokenizer
    if _lacks_tokenizer(report):
        tokenizer_text = widget.tr("none: the bundle can be measured, but chat is not possible")
    if tokenizer is not None:
        template = widget.tr("chat template") if tokenizer.chat_template else widget.tr("no chat template")
        vocabulary = pluralize(tokenizer.vocabulary or 0, widget.tr("1 token"), widget.tr("{0} tokens"))
        tokenizer_text = f"{tokenizer.kind}, {vocabulary}, {template}"
    rows: list[tuple[str, str]] = [
        (widget.tr("Parameters"), compact_number(report.parameters)),
        (widget.tr("Weights"), f"{report.dtype}, {format_bytes(report.weights_bytes)}"),
        (widget.tr("Model type"), report.model_type),
    ]
    if (decoder := report.decoder) is not None:
        layers = pluralize(decoder.layers, widget.tr("1 layer"), widget.tr("{0} layers"))
        width = widget.tr("width {0}").format(format_number(decoder.hidden_size))
        rows += [
            (widget.tr("Shape"), f"{layers}, {width}"),
            (
                widget.tr("Longest context"),
                pluralize(decoder.max_positions, widget.tr("1 token"), widget.tr("{0} tokens")),
            ),
        ]
        if decoder.state_layers:
            rows.append((widget.tr("State of fixed size"), state_layers_text(decoder)))
        each = decoder.kv_bytes_per_token
        rows.append((widget.tr("KV cache per token"), format_bytes(each) if each else widget.tr("none")))
    return [*rows, (widget.tr("Tokenizer"), tokenizer_text)]
