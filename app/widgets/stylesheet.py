"""The stylesheet: what Fusion and a palette cannot express.

Roles are dynamic properties, set with `role="muted"` and the like.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import Template

_SHEET = Template("""
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 4px 6px; }
QLabel { background: transparent; }
QLabel[role="title"] { font-size: 20px; font-weight: 600; }
QLabel[role="heading"] { font-size: 14px; font-weight: 600; }
QLabel[role="small"] { font-size: 12px; }
QLabel[role="muted"] { font-size: 12px; color: $muted; }
QLabel[role="body-muted"] { color: $muted; }
QLabel[role="number"] { font-size: 20px; font-weight: 600; }
QLabel[role="error"] { font-size: 12px; color: $error; }
QLabel[role="warning"] { font-size: 12px; color: $warning; }
QLabel[role="ok"] { font-size: 12px; color: $ok; }

QFrame[role="card"] { background: $surface; border: 1px solid $border; border-radius: 8px; }
QFrame[role="card"][chosen="true"] { border: 2px solid $accent; }
QFrame[role="line"] { background: $border; border: 0; }
QFrame[role="banner"] { background: $surface; border: 1px solid $border; border-left-width: 4px; border-radius: 6px; }
QFrame[role="banner"][kind="error"] { border-left-color: $error; }
QFrame[role="banner"][kind="warning"] { border-left-color: $warning; }
QFrame[role="banner"][kind="info"] { border-left-color: $accent; }
QFrame[role="banner"][kind="ok"] { border-left-color: $ok; }
QLabel[role="pill"] { font-size: 12px; border: 1px solid $border; border-radius: 9px; padding: 1px 8px; color: $muted; }
$pills
QFrame[role="chip"] { background: $surface; border: 1px solid $muted; border-radius: 11px; }
QPushButton[role="chip"] { background: transparent; border: 1px solid transparent; border-radius: 9px; font-size: 12px;
  padding: 0 2px 0 6px; min-height: 18px; }
QPushButton[role="chip"]:hover { text-decoration: underline; }
QPushButton[role="chip"]:focus, QToolButton[role="chip"]:focus { border: 1px solid $accent; }

QPushButton { background: $raised; border: 1px solid $border; border-radius: 6px; padding: 5px 14px; min-height: 20px; }
QPushButton:hover { border-color: $muted; }
QPushButton:pressed { background: $sunken; }
QPushButton:disabled { color: $faint; background: $sunken; border-color: $border; }
QPushButton:focus { border: 2px solid $accent; padding: 4px 13px; }
QPushButton[role="primary"] { background: $accent; border-color: $accent; color: $accent_text; font-weight: 600; }
QPushButton[role="primary"]:hover { background: $accent_hover; }
QPushButton[role="primary"]:disabled { background: $sunken; border-color: $border; color: $muted; }
QPushButton[role="primary"]:focus { border: 2px solid $text; }
QPushButton[role="danger"] { color: $error; }
QPushButton[role="link"] { background: transparent; border: 1px solid transparent; color: $accent;
  padding: 2px 4px; text-align: left; }
QPushButton[role="link"]:disabled { color: $muted; background: transparent; border-color: transparent; }
QPushButton[role="link"]:hover { text-decoration: underline; }
QPushButton[role="link"]:focus { border: 1px solid $accent; }
QToolButton { background: transparent; border: 2px solid transparent; border-radius: 6px; padding: 4px; }
QToolButton[role="chip"] { border: 1px solid transparent; border-radius: 9px; padding: 2px; }
QToolButton:hover { background: $sunken; }
QToolButton:checked { background: $sunken; color: $accent; }
QToolButton:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QPlainTextEdit, QTextEdit, QTextBrowser, QComboBox, QAbstractSpinBox {
  background: $surface; border: 1px solid $frame; border-radius: 6px; selection-background-color: $accent;
  selection-color: $accent_text; }
QTextBrowser { border-color: $border; }
QLineEdit, QComboBox { padding: 4px 8px; min-height: 22px; }
QAbstractSpinBox { padding: 4px 0 4px 6px; min-height: 22px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QTextBrowser:focus, QComboBox:focus, QAbstractSpinBox:focus {
  border: 1px solid $accent; }
QLineEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled { color: $muted; background: $sunken; }
QLineEdit[invalid="true"] { border: 1px solid $error; }
QAbstractSpinBox QLineEdit, QComboBox QLineEdit { border: 0; padding: 0; background: transparent;
  min-height: 0; }
QComboBox[role="compact"] { padding: 1px 8px; min-height: 20px; }
QComboBox::drop-down { border: 0; width: 24px; }
QComboBox::down-arrow { image: url($icons/chevron-down.svg); width: 14px; height: 14px; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $border; outline: 0; padding: 4px;
  selection-background-color: $accent; selection-color: $accent_text; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: 0; width: 20px; background: transparent; }
QAbstractSpinBox::up-arrow { image: url($icons/chevron-up.svg); width: 12px; height: 12px; }
QAbstractSpinBox::down-arrow { image: url($icons/chevron-down.svg); width: 12px; height: 12px; }
QCheckBox, QRadioButton { spacing: 8px; background: transparent; }
QCheckBox::indicator, QRadioButton::indicator {
  width: 16px; height: 16px; border: 1px solid $muted; background: $surface; }
QCheckBox::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url($icons/$check.svg); }
QRadioButton::indicator:checked { background: $accent; border-color: $accent; image: url($icons/$dot.svg); }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { border-color: $border; background: $sunken; }
QCheckBox:focus, QRadioButton:focus { color: $accent; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border: 2px solid $accent; width: 14px; height: 14px; }

QSlider:horizontal { min-height: 24px; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: $empty; }
QSlider::sub-page:horizontal { height: 4px; border-radius: 2px; background: $accent; }
QSlider::handle:horizontal { width: 14px; height: 14px; margin: -5px 0; border-radius: 7px; background: $accent; }
QSlider::handle:horizontal:focus { border: 2px solid $text; width: 12px; height: 12px; border-radius: 8px;
  margin: -6px 0; }
QTableView, QTreeView, QListView { background: $surface; alternate-background-color: $window; border: 1px solid $border;
  border-radius: 6px; outline: 0; gridline-color: $border; }
QTableView:focus, QTreeView:focus, QListView:focus { border-color: $accent; }
QHeaderView { background: $surface; border: 0; border-radius: 6px; }
QHeaderView::section { background: $surface; color: $muted; font-size: 12px; border: 0;
  border-bottom: 1px solid $border; padding: 6px 8px; }
QHeaderView::up-arrow { image: url($icons/chevron-down.svg); width: 12px; height: 12px; }
QHeaderView::down-arrow { image: url($icons/chevron-up.svg); width: 12px; height: 12px; }
QTabWidget::pane { border: 0; border-top: 1px solid $border; }
QTabBar::tab { background: transparent; color: $muted; padding: 8px 12px; border: 0;
  border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:focus { color: $accent; }
QProgressBar { background: $sunken; border: 0; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QSplitter::handle { background: $border; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QScrollArea, QScrollArea > QWidget > QWidget[role="scroll"] { background: transparent; border: 0; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: $border; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {
  background: transparent; width: 0; height: 0; }
QMenu { background: $raised; border: 1px solid $border; border-radius: 6px; padding: 4px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: $accent; color: $accent_text; }
QMenu::separator { height: 1px; background: $border; margin: 4px; }

QWidget[role="rail"] { background: $surface; border: 0; border-right: 1px solid $border; }
QWidget[role="rail"] QToolButton { font-size: 12px; color: $muted; border-radius: 6px; padding: 6px 2px 4px 2px; }
QWidget[role="rail"] QToolButton:hover { color: $text; }
QWidget[role="rail"] QToolButton:checked { color: $accent; background: $accent_soft; }
QWidget[role="topbar"] { background: $surface; border: 0; border-bottom: 1px solid $border; }
QWidget[role="statusline"] { background: $surface; border: 0; border-top: 1px solid $border; }
QWidget[role="footer"] { border: 0; border-top: 1px solid $border; }
QFrame[role="palette"] { background: $raised; border: 1px solid $border; border-radius: 8px; }
QFrame[role="palette"] QListView { background: transparent; border: 0; }
QFrame[role="palette"] QListView::item { padding: 6px 8px; border-radius: 4px; }
QFrame[role="palette"] QListView::item:selected { background: $accent; color: $accent_text; }
QPushButton[role="step"], QPushButton[role="step-now"], QPushButton[role="step-done"] { background: transparent;
  border: 1px solid transparent; padding: 1px 4px; min-height: 18px; font-size: 12px; }
QPushButton[role="step"], QPushButton[role="step"]:disabled { color: $muted; }
QPushButton[role="step-now"], QPushButton[role="step-now"]:disabled { color: $accent; font-weight: 600; }
QPushButton[role="step-done"], QPushButton[role="step-done"]:disabled { color: $text; }
QPushButton[role="step"]:hover, QPushButton[role="step-done"]:hover { text-decoration: underline; }
QPushButton[role="step"]:focus, QPushButton[role="step-now"]:focus, QPushButton[role="step-done"]:focus {
  border: 1px solid $accent; }
QPlainTextEdit[role="log"] { background: $sunken; padding: 4px; }
QPlainTextEdit[role="code"] { padding: 4px; }
QLabel[role="drop"] { border: 1px dashed $muted; border-radius: 8px; color: $muted; padding: 16px; }
QLabel[role="drop"][hover="true"] { border-color: $accent; color: $accent; }
""")


def _mix(one: str, other: str, share: float) -> str:
    """The mix of two #rrggbb colours: `share` of `one` over `other`."""
    pairs = ((int(one[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


def stylesheet(colors: Mapping[str, str], icons: Path) -> str:
    """The stylesheet in these colours, with images from the folder `icons`."""
    pills = "\n".join(
        f'QLabel[role="pill"][tint="{name}"] {{ color: {colors[name]};'
        f" border-color: {_mix(colors[name], colors['surface'], 0.5)};"
        f" background: {_mix(colors[name], colors['surface'], 0.1)}; }}"
        for name in ("accent", "ok", "warning", "error", "prefill", "decode", "cache", "added", "removed", "changed")
    )
    dark_ink = colors["accent_text"] != "#ffffff"
    return _SHEET.substitute(
        colors,
        pills=pills,
        icons=icons.as_posix(),
        check="check-dark" if dark_ink else "check-white",
        dot="dot-dark" if dark_ink else "dot-white",
        accent_hover=_mix(colors["accent"], colors["text"], 0.88),
        accent_soft=_mix(colors["accent"], colors["surface"], 0.12),
    )
