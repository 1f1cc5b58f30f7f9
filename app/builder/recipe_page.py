"""Recipe page: the plan as a drawing, and the main options."""

from __future__ import annotations

import re
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QSpinBox, QVBoxLayout, QWidget

from app.builder.cache_text import planned_cache, state_layers_text
from app.builder.recipe_diagram import RecipeDiagram
from app.builder.step_page import ChoiceCard, StepPage, button_group
from app.builder.task_choice import TaskChoice
from app.state.context import AppContext
from app.state.notes import NoteOwner
from app.state.unsaved_recipe import choose_task, chosen_task, completed_options, recommended_precision
from app.text.formatting import format_bytes, pluralize
from app.text.translatable import tr
from app.widgets.basics import Section, label, set_role
from app.widgets.collapsible import CollapsibleSection
from app.widgets.fields import add_token_unit, combo_box, indent_number
from app.widgets.layouts import STRETCH, grid_layout, vbox
from app.widgets.placement_editor import PlacementEditor
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G
from workflows.wire.reports.plan import PlanOption, PlanReport, TargetOption

_OF_COMPONENTS = ("place", "kv_dtype", "fast_prefill")
_DEPENDENT = {
    "variant": ("cache", "graphs", "batch", *_OF_COMPONENTS),
    "graphs": (*_OF_COMPONENTS, "source_length", "batch"),  # one graph accepts a source of any length
    "target": (*_OF_COMPONENTS, "source_length", "batch"),
}
"""Option → the options that another value of it makes void: of other components, or of another provider."""


class RecipePage(StepPage):
    """Follows the plan and requests a new one after each change. Complete while the plan has no error."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(
            context,
            self.tr("Recipe"),
            self.tr("The graphs into which the model is divided, and the cache that they share."),
        )
        self.task = TaskChoice()
        self.task.chosen.connect(partial(choose_task, self.draft))
        self.body.addWidget(self.task)
        self.diagram = RecipeDiagram()
        self.body.addWidget(self.diagram)
        self.target = self._combo("target", self.tr("Target"), {})  # the plan lists the targets
        self.target_note = label("", "muted", wrap=True)
        self.body.addLayout(_labelled_field(self.tr("Target"), self.target, self.target_note))
        self.body.addLayout(self._numbers())
        self.layouts = _layout_cards()
        self._group = button_group(self, list(self.layouts.values()))
        grid = grid_layout(2 * G, 2 * G)
        for index, (name, card) in enumerate(self.layouts.items()):
            grid.addWidget(card, index // 2, index % 2)
            card.radio.toggled.connect(lambda on, name=name: self._choose_cache(name) if on else None)
        self.cache_section = Section(self.tr("Cache layout"))
        self.cache_section.body.addLayout(grid)
        self.no_tokenizer = QCheckBox(self.tr("Build without the tokenizer"))
        self.no_tokenizer.clicked.connect(lambda on: self.draft.set_option("tokenizer", False if on else None))
        text = self.tr("For a checkpoint whose tokenizer cannot be read: the bundle takes token ids alone.")
        set_tool_tip(self.no_tokenizer, text)
        self.no_tokenizer.setAccessibleDescription(text)
        tip = self.tr("How the model is divided, and how its cache is written; the target has chosen these.")
        self.details = CollapsibleSection(self.tr("Cache layout and graphs"), tip)
        self.details.body.addWidget(self.cache_section)
        self.details.body.addLayout(self._choices())
        self.details.body.addWidget(self.no_tokenizer)
        self.body.addWidget(self.details)
        self.body.addStretch(1)
        self._late = QTimer(self, interval=300, singleShot=True)
        self._late.timeout.connect(self._send_numbers)
        self._showing = False
        self._cost = ""
        self.draft.changed.connect(self.refresh)

    def _numbers(self) -> QGridLayout:
        """What a person decides for any model: how long its texts may be."""
        self.capacity = self._spin(self.tr("Capacity"), 1 << 24, 256)
        self.cost = label("", "muted", wrap=True)
        self.int8_cache = QCheckBox(self.tr("Keys and values in 8-bit integers"))
        self.int8_cache.clicked.connect(lambda on: self.draft.set_option("kv_dtype", "int8" if on else None))
        self.source_length = self._spin(self.tr("Source length"), 1 << 16, 64)
        self.source_note = label("", "muted", wrap=True)
        self.source_field = QWidget()
        column = _labelled_field(self.tr("Source length"), self.source_length, self.source_note)
        column.setContentsMargins(0, 0, 0, 0)
        self.source_field.setLayout(column)
        self.source_field.hide()
        grid = grid_layout(3 * G, G, stretch=(0, 1))
        grid.addLayout(_labelled_field(self.tr("Capacity"), self.capacity, self.cost), 0, 0)
        grid.addWidget(self.source_field, 0, 1)
        grid.addWidget(self.int8_cache, 1, 0, 1, 2)
        return grid

    def _choices(self) -> QGridLayout:
        self.chunk = self._spin(self.tr("Prefill chunk"), 1 << 16, 16)
        self.batch = self._spin(self.tr("Texts at once"), 1 << 8, 1, tokens=False)
        self.batch_note = label("", "muted", wrap=True)
        self.variant = self._combo(
            "variant",
            self.tr("Model"),
            {
                "plain": self.tr("The model as it is"),
                "transformer-only": self.tr("Separate transformer, in operators for NPUs"),
            },
        )
        self.graphs = self._combo(
            "graphs",
            self.tr("Graphs"),
            {
                "single": self.tr("One graph for prompt and decoding"),
                "prefill-decode": self.tr("Separate graphs for prefill and decode"),
            },
        )
        grid = grid_layout(3 * G, 2 * G, stretch=(0, 1))
        self.chunk_note = label("", "muted", wrap=True)
        self.graphs_note = label("", "muted", wrap=True)
        self.variant_note = label("", "muted", wrap=True)
        grid.addLayout(_labelled_field(self.tr("Graphs"), self.graphs, self.graphs_note), 0, 0)
        grid.addLayout(_labelled_field(self.tr("Prefill chunk"), self.chunk, self.chunk_note), 0, 1)
        grid.addLayout(_labelled_field(self.tr("Model"), self.variant, self.variant_note), 1, 0)
        grid.addLayout(_labelled_field(self.tr("Texts at once"), self.batch, self.batch_note), 1, 1)
        self.place = PlacementEditor()
        self.place.changed.connect(lambda: self.draft.set_option("place", self.place.chosen))
        grid.addWidget(self.place, 2, 0, 1, 2)
        return grid

    def _spin(self, name: str, most: int, step: int, tokens: bool = True) -> QSpinBox:
        spin = add_token_unit(QSpinBox()) if tokens else indent_number(QSpinBox())
        spin.setRange(1, most)
        spin.setSingleStep(step)
        spin.setGroupSeparatorShown(True)
        spin.setAccessibleName(name)
        spin.valueChanged.connect(self._on_number)
        return spin

    def _combo(self, option: str, name: str, texts: dict[str, str]) -> QComboBox:
        combo = combo_box(name, ((text, value) for value, text in texts.items()))
        combo.activated.connect(lambda _index: self._on_chosen(option, combo.currentData()))
        return combo

    def _on_chosen(self, option: str, value: str) -> None:
        before, draft = dict(self.draft.options), self.draft
        lost = [name for name in _DEPENDENT[option] if draft.options.pop(name, None) is not None]
        draft.set_option(option, value)
        if lost:
            names = ", ".join(option_titles()[name] for name in lost)
            text = self.tr("That choice has settings of its own; these are the usual ones again: {0}.").format(names)
            undo = partial(draft.set_options, before)
            owner: NoteOwner = {"page": "build", "draft": draft.source}
            self.context.show_note(text, self.tr("Undo"), undo, owner=owner)

    def _on_number(self) -> None:
        self._show_cost()
        if not self._showing:
            self._late.start()
            self.completeChanged.emit()

    def _send_numbers(self) -> None:
        self.draft.set_option("capacity", self.capacity.value())
        self.draft.set_option("chunk", self.chunk.value())
        self.draft.set_option("batch", self.batch.value() if self.batch.value() > 1 else None)
        if not self.source_field.isHidden():
            self.draft.set_option("source_length", self.source_length.value())
        self.completeChanged.emit()

    def _show_cost(self) -> None:
        decoder = self.draft.probe_report.decoder if self.draft.probe_report else None
        each = decoder.kv_bytes_per_token if decoder else 0
        each //= 4 if self.int8_cache.isChecked() else 1  # integers of 8 bits instead of floats of 32
        each *= self.batch.value()
        text = self.tr("{0} of KV cache, {1} per token, allocated when the bundle is opened.")
        text = text.format(format_bytes(each * self.capacity.value()), format_bytes(each))
        self._cost = text if each else self.tr("This model has no cache.")
        if decoder is not None and decoder.state_layers:
            state = self.tr("State of fixed size {0}, at any length.").format(state_layers_text(decoder))
            self._cost = f"{text} {state}" if each else state
        self._note(self.draft.plan_error.message if self.draft.plan_error else "")

    def initializePage(self) -> None:
        self.refresh()

    def refresh(self) -> None:
        draft = self.draft
        error = draft.plan_error
        self.task.set_report(draft.probe_report, chosen_task(draft.options, draft.probe_report))
        if draft.plan and error is None and not draft.planning and not self._late.isActive():
            self._show_plan(draft.plan)
        self._note(error.message if error else "")
        if error is None:
            self.banner.clear()
        elif error.message != self.banner.message:
            self.banner.error(error.message, error.details, self.tr("Restore the defaults"), self._defaults)
        self.completeChanged.emit()

    def _explain_int8_cache(self, searches: bool) -> None:
        text = self.tr(
            "A quarter of the memory, and faster steps in long texts. The build calibrates the scales with prompts."
        )
        if searches:
            text = self.tr("Not with a quality goal: it is measured with keys and values in floats.")
        self.int8_cache.setEnabled(not searches)
        set_tool_tip(self.int8_cache, text)
        self.int8_cache.setAccessibleDescription(text)

    def _choose_cache(self, name: str) -> None:
        """Follow values that the plan derived: with another precision or target they may differ."""
        if not self._showing:
            self.draft.options.pop("kv_dtype", None)  # only one layout has others
            self.draft.set_option("cache", name)

    def _defaults(self) -> None:
        self.draft.options.clear()
        self.draft.request_plan()

    def _show_plan(self, plan: PlanReport) -> None:
        chosen = plan.chosen
        self._showing = True
        for offer in plan.layouts:
            reason = offer.note if offer.available else self.tr("Not for this build: {0}.").format(offer.note)
            self.layouts[offer.name].allow(offer.available, reason)
        self.layouts[chosen.cache].radio.setChecked(True)
        self.int8_cache.setChecked(plan.recipe.get("kv_dtype") == "int8")
        self.int8_cache.setVisible(plan.offers_int8_cache)
        self._explain_int8_cache(searches=self.draft.goal is not None)
        report = self.draft.probe_report
        self.no_tokenizer.setChecked(plan.recipe.get("tokenizer") is False)
        self.no_tokenizer.setVisible(report is not None and report.tokenizer is not None)
        longest = report.decoder.max_positions if report is not None and report.decoder is not None else 0
        self.capacity.setMaximum(max(longest, chosen.capacity))
        self.capacity.setValue(chosen.capacity)
        self.chunk.setValue(chosen.chunk)
        self.batch.setValue(chosen.batch)
        self.graphs.setCurrentIndex(self.graphs.findData(chosen.graphs))
        self.graphs_note.setText(graphs_caption(chosen.graphs))
        self._show_target(plan.targets, chosen.target)
        self._show_variant(plan.variants, chosen.variant)
        self.place.set_components([one.name for one in plan.components])
        self.place.set_offers([(one.title, one.name, "") for one in plan.targets])
        self.place.show_placement(chosen.place)
        self._show_source(chosen.source_length)
        cached = any(offer.available for offer in plan.layouts)
        has_slots = cached and plan.estimate.kv_bytes > 0
        self.cache_section.setVisible(has_slots)
        self.capacity.setEnabled(has_slots)
        for field in (self.chunk, self.batch, self.graphs):
            field.setEnabled(cached)
        self._showing = False
        self._show_cost()
        name = self.layouts[chosen.cache].radio.text()
        kept = self.variant.currentText() if chosen.variant != "plain" else ""
        unread = self.no_tokenizer.text() if self.no_tokenizer.isChecked() else ""
        self.details.set_summary(" · ".join(filter(None, (name * has_slots, self.graphs.currentText(), kept, unread))))
        slots = pluralize(chosen.capacity, self.tr("1 slot"), self.tr("{0} slots"))
        bytes_of_all = plan.estimate.kv_bytes
        text = " · ".join((name, slots, format_bytes(bytes_of_all))) if bytes_of_all else planned_cache(plan)
        self.diagram.set_plan(plan.components, plan.edges, text)

    def _show_source(self, length: int | None) -> None:
        """Show the source length of encoders with fixed shapes; other encoders accept any length."""
        self.source_field.setVisible(length is not None)
        if length is not None:
            self.source_length.setValue(length)

    def _note(self, error: str) -> None:
        """Show what each number means, or the engine's error about it."""
        chunk = self.tr("Prompt tokens that one prefill run reads.")
        batch = self.tr(
            "How many texts a step continues, each with a cache of its own: for a server of several clients."
        )
        source = self.tr("The fixed input length of the encoder: shorter sources are padded, longer ones are refused.")
        for name, note, text in (
            ("capacity", self.cost, self._cost),
            ("chunk", self.chunk_note, chunk),
            ("batch", self.batch_note, batch),
            ("source_length", self.source_note, source),
        ):
            wrong = re.search(rf"\b{name}\b", error) is not None
            note.setText(error if wrong else text)
            set_role(note, "error" if wrong else "muted")
            if wrong and note in (self.chunk_note, self.batch_note):
                self.details.unfold(True)

    def _show_target(self, targets: list[TargetOption], chosen: str) -> None:
        """List the engine's targets, and what the chosen one changes, with the reasons."""
        if [self.target.itemData(place) for place in range(self.target.count())] != [one.name for one in targets]:
            self.target.clear()
            for one in targets:
                self.target.addItem(one.title, one.name)
        self.target.setCurrentIndex(self.target.findData(chosen))
        reasons = next((one.reasons for one in targets if one.name == chosen), [])
        plain = self.tr("The graphs need no change for this target.")
        lines = [f"• {reason}" for reason in reasons] or [plain]
        best = recommended_precision(self.draft)
        if best and completed_options(self.draft).get("precision") == best:
            recommended = self.tr("Weights are in {0}, which is recommended for it; see Quantize.").format(best)
            kept = self.tr("Weights stay as the checkpoint stores them, which is recommended for it; see Quantize.")
            lines.append(kept if best == "stored" else recommended)
        self.target_note.setText("\n".join(lines))

    def _show_variant(self, variants: list[PlanOption], chosen: str) -> None:
        self.variant.setCurrentIndex(self.variant.findData(chosen))
        reason = next((offer.note for offer in variants if not offer.available), "")
        self.variant.setEnabled(not reason)
        texts = {
            "plain": self.tr("Each graph holds the whole model, in the operators that its code has."),
            "transformer-only": self.tr(
                "Embeddings, transformer and head as separate graphs, with 1×1 convolutions, fp16 cache and "
                "rotary positions inside."
            ),
        }
        self.variant_note.setText(self.tr("Not for this model: {0}.").format(reason) if reason else texts[chosen])

    def isComplete(self) -> bool:
        draft = self.draft
        return draft.plan is not None and draft.plan_error is None and not draft.planning and not self._late.isActive()


def _layout_cards() -> dict[str, ChoiceCard]:
    """A card for each layout of the cache."""
    texts = {
        "static": (tr("Static cache"), tr("One slot per token up to the capacity; a full cache ends the reply.")),
        "window": (
            tr("Sliding window"),
            tr("A full cache evicts its oldest tokens and continues; the model no longer sees them."),
        ),
        "gqa": (
            tr("Grouped-query attention"),
            tr("The operator GroupQueryAttention writes the cache; a step costs only the used slots."),
        ),
        "scatter": (
            tr("Tensor scatter"),
            tr("The operator TensorScatter writes the cache; attention may have any mask or bias."),
        ),
    }
    return {name: ChoiceCard(*both) for name, both in texts.items()}


def _labelled_field(name: str, field: QWidget, note: QWidget) -> QVBoxLayout:
    """A label over its field over a note."""
    title = label(name, "heading")
    title.setBuddy(field)
    return vbox(title, field, note, STRETCH, spacing=G // 2)


def option_titles() -> dict[str, str]:
    """The options that another value of one makes void, as the page calls them."""
    return {
        "cache": tr("Cache layout"),
        "graphs": tr("Graphs"),
        "place": tr("placement"),
        "kv_dtype": tr("Keys and values in 8-bit integers"),
        "fast_prefill": tr("prompts in 8 bits"),
        "source_length": tr("Source length"),
        "batch": tr("Texts at once"),
    }


def graphs_caption(chosen: str) -> str:
    """What a choice of graphs is."""
    texts = {
        "single": tr("Its number of tokens is open: a chunk of the prompt, or one token of a reply."),
        "prefill-decode": tr(
            "One graph for a chunk and one for a token, which share their weights: for providers of fixed shapes."
        ),
    }
    return texts[chosen]
