"""The window's fixtures, for its workers' faults, and the bundles of the run."""

from tests.app.conftest import home, light, make_context, make_window, nothing_left, qapp, qtbot
from tests.workflows.conftest import built, demo_bundle, shelf

__all__ = [
    "built",
    "demo_bundle",
    "home",
    "light",
    "make_context",
    "make_window",
    "nothing_left",
    "qapp",
    "qtbot",
    "shelf",
]
