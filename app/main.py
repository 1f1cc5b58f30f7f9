"""The entry point: creates the application, the context, the pages and the window.

python -m app [PATH]           opens the window, and PATH in it: a bundle, a checkpoint's folder or an .onnx file
python -m app --tour DIR       converts the demo, chats, saves a picture of every page in DIR, and ends
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtWidgets import QApplication

from app.frame.navigation_rail import PageEntry
from app.help.crash_dialog import note_crash
from app.startup.garbage_collector import GarbageCollector
from app.startup.preload import import_without_features
from app.state.context import AppContext
from app.state.settings import Settings, home_folder
from app.text.translatable import translatable
from app.text.translator import install_language
from app.widgets.theme import theme
from app.widgets.wheel_guard import guard_wheel
from app.window import MainWindow

PAGES = (
    PageEntry("home", translatable("Home"), "home", "app.home.page:HomePage"),
    PageEntry("build", translatable("Build"), "build", "app.builder.page:BuildPage"),
    PageEntry("inspect", translatable("Inspect"), "inspect", "app.inspect.inspect_page:InspectPage"),
    PageEntry("chat", translatable("Chat"), "chat", "app.chat.page:ChatPage"),
    PageEntry("measure", translatable("Measure"), "measure", "app.measure.page:MeasurePage"),
    PageEntry("devices", translatable("Devices"), "devices", "app.devices.page:DevicesPage"),
    PageEntry("server", translatable("Server"), "server", "app.server.page:ServerPage"),
)


def application() -> QApplication:
    """The one QApplication, with the theme applied."""
    import_without_features()
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)  # for a browser loaded later on
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(["joinery"])
    app.setApplicationName("joinery")
    app.setApplicationDisplayName("Joinery")
    if QLocale().language() == QLocale.Language.C:  # no locale at all: numbers would have no separators
        QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    theme().apply(app)
    guard_wheel(app)
    return app


def set_zoom(settings: Settings) -> None:
    """Sets Qt's scale factor to the chosen zoom, unless the environment sets one.

    Call it before the application exists.
    """
    zoom = settings.preference("zoom")
    if zoom.isdecimal() and zoom != "100" and 50 <= int(zoom) <= 300:
        os.environ.setdefault("QT_SCALE_FACTOR", str(int(zoom) / 100))


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Parses the command line."""
    parser = argparse.ArgumentParser(prog="python -m app", description="Joinery's window.")
    parser.add_argument("path", nargs="?", help="a bundle, a checkpoint's folder or an .onnx file to open")
    parser.add_argument(
        "--tour", metavar="DIR", type=Path, help="convert the demo, chat, save a picture of every page, end"
    )
    parser.add_argument("--home", metavar="DIR", type=Path, help="Joinery's own folder, instead of the system's place")
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    """Opens the window and returns the exit code when it is closed."""
    options = arguments(argv)
    if options.home is not None:
        os.environ["JOINERY_HOME"] = str(options.home.resolve())  # workers keep their runs there, too
    settings = Settings(home_folder())
    set_zoom(settings)
    app = application()
    GarbageCollector(app)
    install_language(app, settings.preference("language"))
    context = AppContext(options.home)
    theme().set_mode(context.settings.preference("theme"))
    window = MainWindow(context, PAGES)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if options.tour:
        from app.startup.tour import run_tour

        return run_tour(app, window, options.tour)
    window.path = options.path or ""
    window.show()
    window.stack.preload()
    note_crash(context, window)
    context.prune_history()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
