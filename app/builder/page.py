"""The Build page: the wizard, and over it a line with the names of its steps.

source → recipe → optimize → quantize → review → build → done
   └───── UnsavedRecipe ───────────────┘   └─ BuildModel ─┘
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget, QWizard

from app.builder.done_page import DonePage
from app.builder.quantize_page import OptimizePage, QuantizePage
from app.builder.recipe_page import RecipePage
from app.builder.review_page import ReviewPage
from app.builder.run_page import RunPage
from app.builder.source_page import SourcePage
from app.builder.step_page import DONE, OPTIMIZE, QUANTIZE, RECIPE, REVIEW, RUN, SOURCE, StepPage
from app.state.context import AppContext
from app.state.unsaved_recipe import UnsavedRecipe, changed_options
from app.widgets.actions import add_action
from app.widgets.basics import button, label, set_role
from app.widgets.layouts import hbox, vbox
from app.widgets.styling import style_separately
from app.widgets.theme import G, set_icon
from workflows.wire.requests import Options


class StepLine(QWidget):
    """The names of the steps, with the current one marked; those before the build can be chosen until it starts."""

    chosen = Signal(int)

    def __init__(self, names: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.steps: list[QPushButton] = []
        self._names = names
        row = hbox(parent=self, margins=(3 * G, G, 3 * G, G))
        for index, name in enumerate(names):
            if index:
                arrow = label()
                set_icon(arrow, "chevron-right", "muted", 12)
                row.addWidget(arrow)
            step = button(f"{index + 1} {name}", role="step", clicked=partial(self.chosen.emit, index))
            step.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.steps.append(step)
            row.addWidget(step)
        row.addStretch(1)

    def set_current(self, index: int) -> None:
        for other, step in enumerate(self.steps):
            step.setEnabled(index < RUN and other < RUN)
            set_role(step, "step-now" if other == index else "step-done" if other < index else "step")
        if 0 <= index < len(self._names):
            self.setAccessibleName(f"{index + 1}/{len(self._names)} {self._names[index]}")


class PageRoute(QObject):
    """Advances a wizard to a page as soon as each page before it is complete. Another source or an error cancels it."""

    ended = Signal()  # the page is reached, or the route is cancelled

    def __init__(self, wizard: QWizard, draft: UnsavedRecipe) -> None:
        super().__init__(wizard)
        self._wizard, self._draft = wizard, draft
        self._target: int | None = None
        self._source = ""
        draft.changed.connect(self._on_draft)

    @property
    def active(self) -> bool:
        """Whether the page is not reached yet."""
        return self._target is not None

    def start(self, page_id: int) -> None:
        """Advance to a page before the build."""
        self._target, self._source = page_id, self._draft.source
        self._advance()

    def cancel(self) -> None:
        """Stay on the current page."""
        self._target = None

    def _advance(self) -> None:
        wizard = self._wizard
        while self._target is not None and wizard.currentId() < self._target and wizard.currentPage().isComplete():
            wizard.next()
        if self._target is not None and wizard.currentId() >= self._target:
            self.cancel()
            self.ended.emit()

    def _on_draft(self) -> None:
        if self._target is None:
            return
        if self._draft.source != self._source or self._draft.probe_error or self._draft.plan_error:
            self.cancel()
            self.ended.emit()
        QTimer.singleShot(0, self, self._advance)


class BuildWizard(QWizard):
    """A QWizard as a part of the window: it never closes, and ignores Escape."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._skipping = False
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
            DONE: (done := DonePage(context)),
        }
        done.againRequested.connect(self.build_again)
        for page_id, page in self.steps.items():
            self.setPage(page_id, page)
        self._name_buttons()
        start_over = QWizard.WizardButton.CustomButton1.value
        self.customButtonClicked.connect(
            lambda which: self.start_over() if which == start_over else self.skip_to_review()
        )
        self.currentIdChanged.connect(self._on_page)
        self.run_page.editRequested.connect(self.edit_recipe)
        context.build.started.connect(lambda: QTimer.singleShot(0, self, self.show_build))
        context.build.finished.connect(self._on_build_end)
        context.build.changed.connect(self._on_build)
        context.unsaved_recipe.changed.connect(self._on_draft)
        self.route = PageRoute(self, context.unsaved_recipe)
        self.route.ended.connect(self._save_page)

    @property
    def run_page(self) -> RunPage:
        """The page that shows the running build."""
        page = self.steps[RUN]
        assert isinstance(page, RunPage)
        return page

    @property
    def source_page(self) -> SourcePage:
        """The page that chooses the checkpoint."""
        page = self.steps[SOURCE]
        assert isinstance(page, SourcePage)
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
        """Show the next page. QWizard focuses it even while it is hidden, so a focus outside is restored."""
        with _outside_focus(self):
            super().next()

    def restart(self) -> None:
        """Show the first page; as in `next`, a focus outside is restored."""
        with _outside_focus(self):
            super().restart()

    def nextId(self) -> int:
        """The id of the next page; "Skip to review" skips the optional ones."""
        here = self.currentId()
        if self._skipping and here in (RECIPE, OPTIMIZE, QUANTIZE):
            return REVIEW
        return here + 1 if SOURCE <= here < DONE else -1

    def skip_to_review(self) -> None:
        """Accept the defaults of the pages in between."""
        if self.currentId() in (RECIPE, OPTIMIZE) and self.button(QWizard.WizardButton.NextButton).isEnabled():
            self._skipping = True
            self.next()
            self._skipping = False

    def start_over(self) -> None:
        """Discard the unsaved recipe, unless a build is running."""
        if not self.context.build.running:
            self.route.cancel()
            self.context.unsaved_recipe.reset()
            self.context.build.reset()
            self.restart()

    def edit_recipe(self) -> None:
        """Return from a failed build to its recipe."""
        request = self.context.build.request
        if self.currentId() != RUN or request is None:
            return
        if RECIPE in self.visitedIds():
            while self.currentId() != RECIPE:
                self.back()
            return
        self._restore(request.options, request.out, RECIPE)

    def build_again(self, change: Mapping[str, object]) -> None:
        """Review the recipe of the finished build with other options, in a folder of its own."""
        request = self.context.build.request
        if request is not None:
            self._restore(changed_options(request.options, change), "", REVIEW)

    def _restore(self, options: Options, out: str, page_id: int) -> None:
        """Show a page with the recipe of the build and `options`; an unsaved recipe of another source can be restored.

        The build was started by one click, before the window was closed, or has ended.
        """
        request, draft = self.context.build.request, self.context.unsaved_recipe
        if request is None:
            return
        other = (
            partial(draft.restore, draft.source, dict(draft.options), draft.out, draft.consented, draft.goal)
            if draft.source and not draft.is_of(request)
            else None
        )
        self.restart()
        draft.restore(request.source, options, out, frozenset(request.consented), request.goal if out else None)
        self.route.start(page_id)
        if other is not None:
            text = self.tr("The recipe of this build has replaced the unsaved recipe.")
            self.context.show_note(
                text,
                self.tr("Restore the unsaved recipe"),
                lambda: self._bring_back(other),
                owner={"page": "build", "draft": draft.source},
            )

    def _bring_back(self, restore: Callable[[], None]) -> None:
        """Restore the unsaved recipe that the recipe of a build has replaced."""
        self.restart()
        restore()
        self.route.start(RECIPE)

    def show_build(self) -> None:
        """Show the current build, wherever it was started."""
        state = self.context.build.state
        if state == "idle" or (state == "done" and self.currentId() == DONE):
            return
        if self.currentId() != RUN:
            self.setStartId(RUN)
            self.restart()
            self.setStartId(SOURCE)
        self._on_build_end()

    def _on_page(self, page_id: int) -> None:
        if page_id < 0:
            return
        QTimer.singleShot(0, self, self._focus_page)
        self._save_page()
        if page_id in (RECIPE, OPTIMIZE, QUANTIZE, REVIEW):
            self.context.build.prepare()
        role = QWizard.WizardButton
        running = page_id == RUN
        self.button(role.CustomButton1).setVisible(page_id not in (SOURCE, DONE) and not running)
        self.button(role.CustomButton2).setVisible(page_id in (RECIPE, OPTIMIZE))
        self.button(role.BackButton).setVisible(page_id in (RECIPE, OPTIMIZE, QUANTIZE, REVIEW))
        self.button(role.CommitButton).setVisible(page_id == REVIEW)

    def _save_page(self) -> None:
        """Save the current page with the unsaved recipe, unless it is on its way or of another build."""
        page_id, context = self.currentId(), self.context
        if not self.route.active and (page_id < RUN or context.unsaved_recipe.is_of(context.build.request)):
            context.recipe_file.set_page(None if page_id == DONE else min(page_id, REVIEW))

    def _focus_page(self) -> None:
        """Focus the page if the focused button is disabled by now: on the page, Enter still means Next."""
        page = self.currentPage()
        focus = QApplication.focusWidget()
        if page is None or not page.isVisible():
            return
        if focus is None or not focus.isVisible() or not page.isAncestorOf(focus):
            page.setFocus()

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: N802
        """Move the focus with Tab; while QWizard hides its page for a new layout, the focus returns to the page."""
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus) and not focus.isVisible() and self.isVisible():
            QTimer.singleShot(0, self, self._focus_page)
            return True
        return super().focusNextPrevChild(forward)

    def _on_build_end(self) -> None:
        """Show the last page after a successful build, even while the wizard is hidden."""
        if self.context.build.state == "done" and self.currentId() == RUN:
            self.next()

    def _on_build(self) -> None:
        """Return to the unsaved recipe and its last page when a finished build is dismissed."""
        if self.context.build.state != "idle" or self.currentId() not in (RUN, DONE):
            return
        page_id = self.context.recipe_file.page
        self.restart()
        if page_id and self.context.unsaved_recipe.source:
            self.route.start(page_id)

    def _on_draft(self) -> None:
        """Show the first page for a new source."""
        draft, build = self.context.unsaved_recipe, self.context.build
        new_source = draft.probing or (not draft.source and build.state == "idle")
        if new_source and self.currentId() != SOURCE and not build.running:
            self.restart()

    def accept(self) -> None:
        """The last button: start a new build, or continue the unsaved recipe."""
        self.context.clear_build()

    def reject(self) -> None:
        """Ignore Escape."""


@contextmanager
def _outside_focus(area: QWidget) -> Iterator[None]:
    """Restore the focus afterwards if it was outside of `area`."""
    before = QApplication.focusWidget()
    yield
    if before is not None and before.isVisible() and not area.isAncestorOf(before):
        before.setFocus()


class BuildPage(QWidget):
    """The wizard and the names of its steps."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.title = self.tr("Build")
        self._context = context
        self.wizard = BuildWizard(context)
        self.line = StepLine([self.wizard.steps[i].heading for i in self.wizard.steps])
        vbox(self.line, (self.wizard, 1), parent=self, spacing=0)
        self.wizard.currentIdChanged.connect(self.line.set_current)
        self.line.chosen.connect(self.go_to)
        self.wizard.restart()
        self.wizard.show_build()
        style_separately(self.wizard.run_page.parentWidget())  # the parent of all pages
        self._restored = False
        context.demo.ready.connect(self._on_demo)
        self._add_actions()

    def go_to(self, step: int) -> None:
        """Show a step before the build; one behind an incomplete step waits for it."""
        wizard = self.wizard
        wizard.route.cancel()
        while step < wizard.currentId() < RUN and wizard.visitedIds()[0] != wizard.currentId():
            wizard.back()
        if wizard.currentId() < step < RUN:
            wizard.route.start(step)

    def offer_hub(self, name: str) -> None:
        """Fill in a hub id as the next source; a running build stays in front."""
        if self._context.build.state == "done":
            self._context.clear_build()
        self.go_to(SOURCE)
        self.wizard.source_page.offer_hub(name)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """While nothing is chosen a path can be typed at once."""
        super().focusInEvent(event)
        if self.wizard.currentId() == SOURCE:
            self.wizard.source_page.begin()

    def showEvent(self, event: QShowEvent) -> None:
        """Restore the unsaved recipe of the last session when the page is first shown."""
        super().showEvent(event)
        if self._restored:
            return
        self._restored = True
        if self._context.build.state == "idle":
            page_id = self._context.recipe_file.restore()
            if page_id:
                self.wizard.route.start(page_id)

    def _on_demo(self, bundle: str) -> None:
        """Chat with the demo, which was built for that, if this page is visible and no other bundle answers.

        A bundle that was opened meanwhile stays open: the page offers the chat.
        """
        stayed = self._context.bundle == self._context.demo.asked_from
        if stayed and self.isVisible() and self._context.session.state != "generating":
            self._context.chat_with(bundle)

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
