"""The window's fixtures, for its workers' faults."""

from tests.app.conftest import home, light, make_context, make_window, nothing_left, qapp, qtbot

__all__ = ["home", "light", "make_context", "make_window", "nothing_left", "qapp", "qtbot"]
