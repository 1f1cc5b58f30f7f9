"""What holds for every test."""

from __future__ import annotations

import builtins
import gc
from pathlib import Path

import pytest
import tqdm

from tests.part import add_options, part_of

PLAIN_IMPORT = builtins.__import__
"""The language's own, while no PySide6 is loaded."""

COLLECTED = pytest.StashKey[set[Path]]()
"""The files of which something was collected, whatever markers deselect."""

# The first bar of a process would start a thread that lives as long as it, in whichever test happens to draw it.
tqdm.tqdm.monitor_interval = 0


class AtOnce:
    """Each failure in a line as soon as it is known: a run that is ended from outside prints no summary."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self.terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            said = crash.message.splitlines()[0] if crash else report.when
            self.terminal.ensure_newline()
            self.terminal.write_line(f"failed: {report.nodeid}: {said}")


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(part_of(config), "part")
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):  # xdist's workers report to their parent
        config.pluginmanager.register(AtOnce(terminal), "failures-at-once")


def pytest_collection() -> None:
    """Collection makes millions of objects that live as long as the run: no garbage is searched for among them."""
    gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[COLLECTED] = {item.path for item in items}


def pytest_collection_finish() -> None:
    """What was imported stays out of each later search for garbage."""
    gc.freeze()
    gc.enable()
