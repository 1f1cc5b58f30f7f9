"""Texts of code that is no QObject, and marks for texts that reach `tr` from a table or a variable."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def tr(text: str) -> str:
    """Returns the translation of `text`, also before a QObject is initialized and has its own `tr`."""
    return QCoreApplication.translate("joinery", text)


def translatable(text: str) -> str:
    """Returns `text`; whatever shows it passes it to `tr`."""
    return text


CHANGES = (translatable("added"), translatable("removed"), translatable("changed"))
"""The kinds of change in a comparison of two graphs, as the engine names them."""
