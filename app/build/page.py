"""The Build page: a line of steps over the wizard.

source → recipe → optimize → quantize → review → build → done
   └──────── Draft ────────────────────┘   └─ BuildModel ─┘
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget, QWizard

from app.build.done_page import DonePage
from app.build.quantize_page import OptimizePage, QuantizePage
from app.build.recipe_page import RecipePage
from app.build.review_page import ReviewPage
from app.build.run_page import RunPage
from app.build.source_page import SourcePage
from app.build.step_page import DONE, OPTIMIZE, QUANTIZE, RECIPE, REVIEW, RUN, SOURCE, StepPage
from app.state.context import AppContext
from app.widgets.actions import add_action
from app.widgets.basics import label, set_role
from app.widgets.plain_text import PlainLabel
from app.widgets.styling import style_separately
from app.widgets.theme import G, set_icon


class StepLine(QWidget):
    """Where one is: the steps' names, the current one marked."""

    def __init__(self, names: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: list[PlainLabel] = []
        self._names = names
        row = QHBoxLayout(self)
        row.setContentsMargins(3 * G, G, 3 * G, G)
        row.setSpacing(G)
        for index, name in enumerate(names):
            if index:
                arrow = label()
                set_icon(arrow, "chevron-right", "muted", 12)
                row.addWidget(arrow)
            step = label(f"{index + 1} {name}", "step", selectable=False)
            self._labels.append(step)
            row.addWidget(step)
        row.addStretch(1)

    def set_current(self, index: int) -> None:
        """Mark a step."""
        for other, step in enumerate(self._labels):
            set_role(step, "step-now" if other == index else "step-done" if other < index else "step")
        if 0 <= index < len(self._names):
            self.setAccessibleName(f"{index + 1}/{len(self._names)} {self._names[index]}")


class BuildWizard(QWizard):
    """A QWizard that is a part of the window: it never closes, and Escape leaves it alone."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._skipping = False
        self._goal: int | None = None
        """Where a draft that was kept is to be shown, once its source was looked at again."""
        self._goal_of = ""
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setWizardStyle(QWizard.WizardStyle.ClassicStyle)
        self.setOptions(
            QWizard.WizardOption.NoCancelButton
            | QWizard.WizardOption.NoBackButtonOnStartPage
            | QWizard.WizardOption.HaveCustomButton1
            | QWizard.WizardOption.HaveCustomButton2
            | QWizard.WizardOption.NoBackButtonOnLastPage
        )
        self.steps: dict[int, StepPage] = {
            SOURCE: SourcePage(context),
            RECIPE: RecipePage(context),
            OPTIMIZE: OptimizePage(context),
            QUANTIZE: QuantizePage(context),
            REVIEW: ReviewPage(context),
            RUN: RunPage(context),
            DONE: DonePage(context),
        }
        for ident, page in self.steps.items():
            self.setPage(ident, page)
        self._name_buttons()
        self.customButtonClicked.connect(self._on_custom)
        self.currentIdChanged.connect(self._on_page)
        self.run_page.editRequested.connect(self.edit_recipe)
        context.build.started.connect(lambda: QTimer.singleShot(0, self, self.show_build))
        context.build.finished.connect(self._on_build_end)
        context.build.changed.connect(self._on_build)
        context.unsaved_recipe.changed.connect(self._on_draft)

    @property
    def run_page(self) -> RunPage:
        """The page of the build itself."""
        page = self.steps[RUN]
        assert isinstance(page, RunPage)
        return page

    def _name_buttons(self) -> None:
        role = QWizard.WizardButton
        names = {
            role.NextButton: self.tr("Next"),
            role.BackButton: self.tr("Back"),
            role.FinishButton: self.tr("Build another"),
            role.CustomButton1: self.tr("Start over"),
            role.CustomButton2: self.tr("Skip to review"),
        }
        for which, text in names.items():
            self.setButtonText(which, text)
            self.button(which).setAccessibleName(text)
        for which in (role.NextButton, role.CommitButton):
            self.button(which).setProperty("role", "primary")
        self.setButtonLayout(
            [
                role.CustomButton1,
                role.Stretch,
                role.CustomButton2,
                role.BackButton,
                role.NextButton,
                role.CommitButton,
                role.FinishButton,
            ]
        )

    def next(self) -> None:
        """QWizard gives its new page the focus even where nobody looks at it: who writes elsewhere keeps it."""
        with _focus_elsewhere(self):
            super().next()

    def restart(self) -> None:
        """As `next`."""
        with _focus_elsewhere(self):
            super().restart()

    def nextId(self) -> int:
        """The next step; "skip to review" jumps there."""
        here = self.currentId()
        if self._skipping and here in (RECIPE, OPTIMIZE, QUANTIZE):
            return REVIEW
        return here + 1 if SOURCE <= here < DONE else -1

    def _on_custom(self, which: int) -> None:
        if which == QWizard.WizardButton.CustomButton1.value:
            self.start_over()
        else:
            self.skip_to_review()

    def skip_to_review(self) -> None:
        """Take the defaults of the steps between."""
        if self.currentId() in (RECIPE, OPTIMIZE) and self.button(QWizard.WizardButton.NextButton).isEnabled():
            self._skipping = True
            self.next()
            self._skipping = False

    def start_over(self) -> None:
        """An empty draft; a build that runs goes on."""
        if not self.context.build.running:
            self._goal = None
            self.context.unsaved_recipe.reset()
            self.context.build.reset()
            self.restart()

    def edit_recipe(self) -> None:
        """Back from a build that ended badly to its recipe."""
        request = self.context.build.request
        if self.currentId() != RUN or request is None:
            return
        if RECIPE in self.visitedIds():
            while self.currentId() != RECIPE:
                self.back()
            return
        draft, consented = self.context.unsaved_recipe, frozenset(request.consented)
        other = None
        if draft.source and not draft.is_of(request):
            other = partial(draft.restore, draft.source, dict(draft.options), draft.out, draft.consented, draft.goal)
        self.restart()  # it was begun elsewhere: by one click, or before the window was closed
        draft.restore(request.source, request.options, request.out, consented, request.goal)
        self.go_to(RECIPE)
        if other is not None:
            text = self.tr("The recipe of the build took the place of what was chosen for another.")
            self.context.show_note(
                text,
                self.tr("Bring that back"),
                lambda: self._bring_back(other),
                owner={"page": "build", "draft": draft.source},
            )

    def _bring_back(self, draft: Callable[[], None]) -> None:
        """What stood here before the recipe of a build did."""
        self.restart()
        draft()
        self.go_to(RECIPE)

    def go_to(self, ident: int) -> None:
        """On to a step before the build as soon as each one before it is complete."""
        self._goal, self._goal_of = ident, self.context.unsaved_recipe.source
        self._go_on()

    def _go_on(self) -> None:
        while self._goal is not None and self.currentId() < self._goal and self.currentPage().isComplete():
            self.next()
        if self._goal is not None and self.currentId() >= self._goal:
            self._goal = None
            self._keep_page()

    def show_build(self) -> None:
        """A build that was begun elsewhere is shown as well."""
        state = self.context.build.state
        if state == "idle" or (state == "done" and self.currentId() == DONE):
            return
        if self.currentId() != RUN:
            self.setStartId(RUN)
            self.restart()
            self.setStartId(SOURCE)
        self._on_build_end()

    def _on_page(self, ident: int) -> None:
        if ident < 0:
            return
        QTimer.singleShot(0, self, self._focus_page)
        self._keep_page()
        if ident in (RECIPE, OPTIMIZE, QUANTIZE, REVIEW):
            self.context.build.prepare()
        role = QWizard.WizardButton
        running = ident == RUN
        self.button(role.CustomButton1).setVisible(ident not in (SOURCE, DONE) and not running)
        self.button(role.CustomButton2).setVisible(ident in (RECIPE, OPTIMIZE))
        self.button(role.BackButton).setVisible(ident in (RECIPE, OPTIMIZE, QUANTIZE, REVIEW))
        self.button(role.CommitButton).setVisible(ident == REVIEW)

    def _keep_page(self) -> None:
        """Where the draft is left: no step on the way to another, and none of a build that is not of it."""
        ident, context = self.currentId(), self.context
        if self._goal is None and (ident < RUN or context.unsaved_recipe.is_of(context.build.request)):
            context.recipe_file.set_page(None if ident == DONE else min(ident, REVIEW))

    def _focus_page(self) -> None:
        """The button that had the focus may be disabled by now; on the page, Enter still means Next."""
        page = self.currentPage()
        focus = QApplication.focusWidget()
        if page is None or not page.isVisible():
            return
        if focus is None or not focus.isVisible() or not page.isAncestorOf(focus):
            page.setFocus()

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802
        """Tab goes on as ever; where QWizard hides its page to lay it out anew, the focus comes back to the page."""
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus) and not focus.isVisible() and self.isVisible():
            QTimer.singleShot(0, self, self._focus_page)
            return True
        return super().focusNextPrevChild(forward)

    def _on_build_end(self) -> None:
        """A build that ended well leads on, also when nobody looks."""
        if self.context.build.state == "done" and self.currentId() == RUN:
            self.next()

    def _on_build(self) -> None:
        """A build that is put away makes room for the draft, at the step where that was left."""
        if self.context.build.state != "idle" or self.currentId() not in (RUN, DONE):
            return
        left = self.context.recipe_file.page
        self.restart()
        if left and self.context.unsaved_recipe.source:
            self.go_to(left)

    def _on_draft(self) -> None:
        """A new source begins at the first step, wherever the wizard was left."""
        draft, build = self.context.unsaved_recipe, self.context.build
        anew = draft.probing or (not draft.source and build.state == "idle")
        if anew and self.currentId() != SOURCE and not build.running:
            self.restart()
        if self._goal is not None:
            if draft.source != self._goal_of or draft.probe_error or draft.plan_error:
                self._goal = None
                self._keep_page()
            QTimer.singleShot(0, self, self._go_on)

    def accept(self) -> None:
        """The last button begins anew, or goes on with what was begun before another build."""
        self.context.clear_build()

    def reject(self) -> None:
        """Escape is no way out of a part of the window."""


@contextmanager
def _focus_elsewhere(area: QWidget) -> Iterator[None]:
    """The focus of a widget outside of `area` comes back to it."""
    before = QApplication.focusWidget()
    yield
    if before is not None and before.isVisible() and not area.isAncestorOf(before):
        before.setFocus()


class BuildPage(QWidget):
    """The wizard with its steps; see the module."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.title = self.tr("Build")
        self._context = context
        self.wizard = BuildWizard(context)
        self.line = StepLine([self.wizard.steps[i].heading for i in self.wizard.steps])
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.line)
        box.addWidget(self.wizard, 1)
        self.wizard.currentIdChanged.connect(self.line.set_current)
        self.wizard.restart()
        self.wizard.show_build()
        style_separately(self.wizard.run_page.parentWidget())  # which all steps lie in
        self._restored = False
        context.demo.ready.connect(self._on_demo)
        self._add_actions()

    def showEvent(self, event: QShowEvent) -> None:
        """The first time, what stood here when the window was closed comes back."""
        super().showEvent(event)
        if self._restored:
            return
        self._restored = True
        if self._context.build.state == "idle":
            page = self._context.recipe_file.restore()
            if page:
                self.wizard.go_to(page)

    def _on_demo(self, bundle: str) -> None:
        """Who waited for the demo is led on to it; who went elsewhere is told."""
        if self.isVisible():
            self._context.navigate.emit("chat")
        else:
            text, go = self.tr("The demo is built."), self.tr("Chat with it")
            self._context.show_note(text, go, lambda: self._chat_with(bundle), owner=self._context.notes.of_bundle)

    def _chat_with(self, bundle: str) -> None:
        """While another bundle answered, the demo was built and not opened."""
        if self._context.open_bundle(bundle):
            self._context.navigate.emit("chat")

    def _add_actions(self) -> None:
        for text, icon, act in (
            (self.tr("Start a new build"), "plus", self.wizard.start_over),
            (self.tr("Cancel the build"), "stop", self._context.build.cancel),
            (self.tr("Resume or retry the build"), "refresh", self._retry),
        ):
            add_action(self, text, act, icon=icon)

    def _retry(self) -> None:
        if self._context.build.state in ("failed", "cancelled"):
            self._context.build.retry()
