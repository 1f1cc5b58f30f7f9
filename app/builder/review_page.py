"""Review page: the recipe, its resource needs, and the output folder."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget, QWizard

from app.builder.cache_text import planned_cache
from app.builder.goal_card import goal_description
from app.builder.quantize_options import calibration_text
from app.builder.recipe_editor import RecipeEditor
from app.builder.step_page import StepPage
from app.state.context import AppContext
from app.state.settings import expand_home
from app.state.unsaved_recipe import UnsavedRecipe, free_output_folder, recommended_precision
from app.text.formatting import approximate_duration, compact_number, format_bytes, format_figures, pluralize
from app.text.translatable import tr
from app.widgets.basics import CardFrame, Section, button, label, set_role
from app.widgets.fields import line_edit
from app.widgets.layouts import STRETCH, hbox, vbox
from app.widgets.tables import ReadOnlyTable, TextTableModel
from app.widgets.theme import G
from workflows.wire.reports.plan import PlanReport


def recipe_sentence(draft: UnsavedRecipe) -> str:
    """What is built of what: `Llama 256 K → int4, 2 graphs, static 2,048, for DirectML`; empty without a valid plan."""
    plan, source = draft.plan, draft.probe_report
    if plan is None or source is None or draft.plan_error is not None:
        return ""
    chosen, count = plan.chosen, len(plan.components)
    name = (source.architectures or [source.model_type])[0].partition("For")[0]
    target = next((one.title for one in plan.targets if one.name == chosen.target), chosen.target)
    parts = [
        tr("precisions to a goal") if draft.goal is not None else _precision(chosen.precision),
        pluralize(count, tr("one graph"), tr("{0} graphs")),
        planned_cache(plan) if source.decoder is not None else "",
        tr("for {0}").format(target),
    ]
    return f"{name} {compact_number(source.parameters)} → {', '.join(filter(None, parts))}"


def _precision(name: str) -> str:
    return tr("weights as stored") if name == "stored" else name


def recipe_changes(draft: UnsavedRecipe) -> list[tuple[str, str]]:
    """The settings that differ from the defaults, as (name, value)."""
    defaults = _defaults(draft)
    changes = dict(_flatten(draft.options))
    return [(name, _text(value)) for name, value in changes.items() if defaults.get(name, ...) != value]


def _defaults(draft: UnsavedRecipe) -> dict[str, object]:
    """The defaults of the source and its plan."""
    passes = draft.plan.passes if draft.plan else []
    precision = recommended_precision(draft) or "fp32"
    return {"precision": precision, "target": "cpu"} | {f"passes.{one.name}": one.default for one in passes}


def _flatten(options: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        elif value is not None:
            yield f"{prefix}{name}", value


def _text(value: object) -> str:
    if isinstance(value, bool):
        return tr("on") if value else tr("off")
    if isinstance(value, list) and all(isinstance(one, dict) and "folder" in one for one in value):
        return ", ".join(f"{Path(one['folder']).name} × {format_figures(one.get('scale', 1.0))}" for one in value)
    return value if isinstance(value, str) else json.dumps(value)


def output_problem(text: str) -> str:
    """Why a bundle cannot be written to the folder `text`; empty if it can."""
    if not text.strip():
        return tr("Choose a folder for the bundle.")
    folder = expand_home(text.strip())
    if not folder.is_absolute():
        return tr("The path must be absolute.")
    try:
        if folder.exists() and not folder.is_dir():
            return tr("There is a file of this name; choose another folder.")
        if folder.is_dir() and any(folder.iterdir()):
            return tr("This folder is not empty; choose one that does not exist yet.")
        above = next((p for p in (folder, *folder.parents) if p.exists()), folder)
    except OSError as error:
        return tr("This folder cannot be used: {0}.").format(error.strerror)
    return "" if os.access(above, os.W_OK) else tr("{0} cannot be written to; choose another folder.").format(above)


def free_space(text: str) -> tuple[int, str] | None:
    """The free bytes at the folder `text` or its nearest existing parent, and that path; None if there is none."""
    folder = expand_home(text.strip())
    if not text.strip() or not folder.is_absolute():
        return None
    try:
        above = next(p for p in (folder, *folder.parents) if p.is_dir())
        return shutil.disk_usage(above).free, f"({above})"
    except (OSError, StopIteration):
        return None


class ReviewPage(StepPage):
    """The last page before the build. Complete while the output folder can be used."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(
            context,
            self.tr("Review"),
            self.tr("The recipe is saved in the bundle; the same recipe builds the same bundle."),
        )
        self.setCommitPage(True)
        self.setButtonText(QWizard.WizardButton.CommitButton, self.tr("Build"))
        self.recipe = RecipeEditor(self.draft)
        for signal in (self.recipe.changed, self.draft.changed):
            signal.connect(self.completeChanged)
        self.sentence = label("", "heading", wrap=True)
        self.changes = ReadOnlyTable(
            TextTableModel([self.tr("Differs from the defaults"), self.tr("Value")]),
            self.tr("Settings that differ from the defaults"),
            stretch=1,
        )
        self.changes.show_all_rows()
        self.unchanged = label(self.tr("Every setting has its default."), "muted")
        left = vbox(self._output(), self.unchanged, self.changes, self.recipe, STRETCH, spacing=2 * G)
        self.calibration = label("", "body-muted", wrap=True)
        self.body.addLayout(vbox(self.sentence, self.calibration, spacing=G // 2))
        self.body.addWidget(self._aim())
        self.body.addLayout(hbox((left, 3), (self._estimate(), 2, Qt.AlignmentFlag.AlignTop), spacing=3 * G), 1)
        self._proposed = ""
        self.draft.planned.connect(self._on_planned)

    def _aim(self) -> QWidget:
        """Show the goal, and that the recipe below is only the start of the search."""
        self.aim = CardFrame()
        self.goal_text = label("", "heading", wrap=True)
        self.aim.body.addWidget(self.goal_text)
        explanation = self.tr(
            "The build searches for the precision of every weight and writes it into the recipe of the "
            "bundle. The recipe and the figures on this page are those of fp32, with which the search begins."
        )
        self.aim.body.addWidget(label(explanation, "muted", wrap=True))
        return self.aim

    def _estimate(self) -> QWidget:
        section = Section(self.tr("Estimate"))
        card = CardFrame()
        self.figures = {name: label("", "heading") for name in ("seconds", "memory", "disk", "kv")}
        self.notes = {name: label("", "muted", wrap=True) for name in (*self.figures, "stages")}
        titles = {
            "seconds": self.tr("Time"),
            "memory": self.tr("Memory while building"),
            "disk": self.tr("Disk"),
            "kv": self.tr("KV cache of an open bundle"),
        }
        for name, title in titles.items():
            card.body.addWidget(label(title, "muted"))
            card.body.addWidget(self.figures[name])
            card.body.addWidget(self.notes[name])
            if name == "disk":
                card.body.addWidget(self.notes["stages"])
            card.body.addSpacing(G // 2)
        card.body.addStretch(1)
        section.body.addWidget(card, 1)
        return section

    def _output(self) -> QVBoxLayout:
        self.out = line_edit(self.tr("Output folder"))
        self.out.textChanged.connect(self._on_out)
        self.problem = label("", "error", wrap=True)
        return vbox(
            label(self.tr("Output folder"), "heading"),
            hbox((self.out, 1), button(self.tr("Browse"), "folder", clicked=self._browse)),
            self.problem,
            spacing=G // 2,
        )

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Output folder"), self.out.text())
        if folder:
            self.out.setText(folder)

    def initializePage(self) -> None:
        """Show the plan, which may still be on its way."""
        self._show_goal()
        self._propose()
        self._show_plan()

    def _show_goal(self) -> None:
        goal = self.draft.goal
        self.aim.setVisible(goal is not None)
        self.goal_text.setText("" if goal is None else goal_description(goal))

    def _on_planned(self) -> None:
        if not self.draft.out:
            self._propose()  # another recipe may lead to another folder name
        self._show_goal()
        self._show_plan()

    def _propose(self) -> None:
        """Propose a folder named after the recipe, unless the user chose one."""
        self._proposed = str(free_output_folder(self.draft))
        self.out.setText(self.draft.out or self._proposed)

    def _show_plan(self) -> None:
        plan = self.draft.plan
        if plan is None:
            return
        self.recipe.show_plan()
        self.sentence.setText(recipe_sentence(self.draft))
        self._show_calibration(plan)
        changes = recipe_changes(self.draft)
        self.changes.rows.fill(changes)
        self.changes.setVisible(bool(changes))
        self.unchanged.setVisible(not changes)
        price = plan.estimate
        sought = self.draft.goal is not None
        about = self.tr("about {0}, plus the search") if sought else self.tr("about {0}")
        self.figures["seconds"].setText(about.format(approximate_duration(price.seconds)))
        self.notes["seconds"].setText(self._whence(price.builds))
        self._show_need("memory", price.memory_bytes, price.free_memory_bytes, "")
        if price.memory_short:
            refused = self.tr("The build will be refused: close other programs, or choose a smaller checkpoint.")
            self.notes["memory"].setText(f"{self.notes['memory'].text()}. {refused}")
            set_role(self.notes["memory"], "error")
        self._show_disk()
        self.figures["kv"].setText(format_bytes(price.kv_bytes))
        self.completeChanged.emit()

    def _show_calibration(self, plan: PlanReport) -> None:
        chosen = plan.chosen
        texts = calibration_text(chosen.calibration_origin, chosen.calibration_prompts)
        self.calibration.setText(self.tr("Calibrated with {0}.").format(texts) if texts else "")
        self.calibration.setVisible(bool(texts))

    def _whence(self, builds: int) -> str:
        resumes = self.tr("You can cancel the build and resume it later.")
        one, many = (
            self.tr("Estimated from an earlier build on this machine."),
            self.tr("Estimated from {0} earlier builds on this machine."),
        )
        return f"{pluralize(builds, one, many)} {resumes}" if builds else resumes

    def _show_disk(self) -> None:
        """Show the bundle's size, what the build needs beside it, and the free space at its folder."""
        space, plan = free_space(self.out.text()), self.draft.plan
        if plan is None:
            return
        price = plan.estimate
        if space is None:
            self.notes["disk"].setText("")
        else:
            self._show_need("disk", price.disk_bytes + price.work_bytes, *space)
        self.figures["disk"].setText(format_bytes(price.disk_bytes))
        text = self.tr("{0} of it are snapshots of the graphs; the stages need {1} more while building.")
        sizes = format_bytes(price.snapshot_bytes), format_bytes(price.work_bytes)
        self.notes["stages"].setText(text.format(*sizes) if price.work_bytes else "")

    def _show_need(self, name: str, need: int, free: int, where: str) -> None:
        self.figures[name].setText(format_bytes(need))
        short = need > free
        note = self.tr("more than the free {0}") if short else self.tr("of {0} free")
        self.notes[name].setText(" ".join(filter(None, [note.format(format_bytes(free)), where])))
        set_role(self.notes[name], "warning" if short else "muted")

    def _on_out(self, text: str) -> None:
        self.draft.out = "" if text.strip() == self._proposed else text.strip()
        problem = output_problem(text)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        set_role(self.out, "true" if problem else "false", "invalid")
        self._show_disk()
        self.completeChanged.emit()

    def isComplete(self) -> bool:
        """Whether there is a plan and the folder can be used."""
        draft = self.draft
        stands = draft.plan is not None and draft.plan_error is None and not draft.planning
        read = not self.recipe.is_unchecked and not self.recipe.problem
        return stands and read and not output_problem(self.out.text())

    def validatePage(self) -> bool:
        """Start the build when the user goes forward."""
        return self.build.start(self.draft.request(expand_home(self.out.text().strip())), plan=self.draft.plan)
