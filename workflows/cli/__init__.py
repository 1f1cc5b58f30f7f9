"""The `joinery` command: one file per subcommand, without logic. Without a subcommand it opens the window.

Errors go to stderr as one sentence; exit code 2 for a wrong request or bad input, 1 for a failure, 130 when
cancelled; `--debug`, anywhere on the line, adds the traceback.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress

import typer
from typer.exceptions import TyperException

from workflows.cli import completion
from workflows.cli.commands import BUNDLE_COMMANDS, CommandGroup, names_machine
from workflows.cli.interrupts import end_on_interrupt
from workflows.cli.streams import open_streams, print_line
from workflows.common.errors import (
    Cancelled,
    JoineryError,
    MemoryShortError,
    OutputError,
    describe_os_error,
    is_out_of_memory,
    out_of_memory_message,
    package_error,
)
from workflows.process.sandbox import OnFetched, keep_network
from workflows.process.subprocesses import module_search_path, python_command

app = typer.Typer(
    name="joinery",
    cls=CommandGroup,
    help="Turn Hugging Face checkpoints into composite ONNX models; see, run and measure them.",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(requested: bool) -> None:
    if requested:
        from workflows.common.version import describe_version

        print_line(f"joinery {describe_version()}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: bool = typer.Option(
        False,
        "--version",
        callback=_version,
        is_eager=True,
        help="Print the version, the commit and the installed parts.",
    ),
    debug: bool = typer.Option(False, "--debug", help="Show a traceback with an error."),
    install: completion.Shell | None = completion.InstallOption,
    show: completion.Shell | None = completion.ShowOption,
) -> None:
    """Turn Hugging Face checkpoints into composite ONNX models; see, run and measure them."""
    if context.invoked_subcommand is None:
        environment = os.environ | {"PYTHONPATH": module_search_path(os.environ.get("PYTHONPATH", ""))}
        raise typer.Exit(subprocess.call(python_command("app"), env=environment))  # the engine never imports Qt


def main() -> None:
    """Runs the command line and exits with its code."""
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    try:
        open_streams()
    except OutputError as error:
        if arguments:  # the window prints nothing
            sys.exit(_fail(str(error), error.exit_code))
    # --debug may stand first; what runs on another machine gives up the network there
    if BUNDLE_COMMANDS & set(arguments[:2]) and not names_machine(arguments):
        _confine()
    arguments = [argument for argument in arguments if argument != "--debug"]
    try:
        with end_on_interrupt() as interrupted:
            code = run(arguments, debug, _confine, interrupted)
    except KeyboardInterrupt:  # while nothing runs
        code = _fail("Cancelled.", Cancelled.exit_code)
    if code == Cancelled.exit_code:  # without the ends of torch and of drivers, which may take longer than a user waits
        with suppress(BrokenPipeError, OutputError):
            sys.stdout.flush()
        os._exit(code)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the work is done; at its end Python would take the system's default
    sys.exit(code)


def _confine(mapped: int = 0) -> None:
    """Gives up network access. mapped: bytes of weights that will be mapped."""
    from workflows.process.sandbox import confine, memory_limit

    if why := confine(memory_limit(mapped)):
        sys.stderr.write(f"joinery: {why}\n")


def run(
    arguments: list[str],
    debug: bool = False,
    fetched: OnFetched = keep_network,
    interrupted: Callable[[], bool] = lambda: False,
) -> int:
    """Runs one command line, prints its error on stderr and returns the exit code. fetched: called as by `build`.

    interrupted: whether Ctrl+C was pressed; an error after it is its effect, such as an import that was cut short.
    """
    try:
        command = typer.main.get_command(app)
        if completion.is_completing():
            completion.attach(command)
        result = command(arguments, prog_name=completion.PROGRAM, standalone_mode=False, obj=fetched)
        sys.stdout.flush()
        if result == Cancelled.exit_code:  # typer's result after Ctrl+C, without a message
            return _fail("Cancelled.", result)
        return result if isinstance(result, int) else 0
    except TyperException as error:  # a wrong command line
        return _fail(_sentence(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("Cancelled.", Cancelled.exit_code)
    except BrokenPipeError:  # the reader of stdout has closed it
        return 1
    except Exception as error:  # noqa: BLE001 - no traceback without --debug
        if debug:
            traceback.print_exc()
        if interrupted() and not isinstance(error, Cancelled):
            error = Cancelled("Cancelled.")
        return _fail(*_message_and_code(error, next(iter(arguments), "")))


def _message_and_code(error: Exception, command: str) -> tuple[str, int]:
    """The message for the user and the exit code."""
    if is_out_of_memory(error):
        return out_of_memory_message(command, error), MemoryShortError.exit_code
    if isinstance(error, JoineryError):
        return str(error), error.exit_code
    if missing := package_error(error, command):
        return str(missing), missing.exit_code
    if isinstance(error, OSError):
        return describe_os_error(error), 1
    return f"{type(error).__name__}: {error} (a fault of Joinery: run again with --debug to see where)", 1


def _sentence(error: TyperException) -> str:
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    return f"{message.rstrip('.')}; see `joinery --help`."


def _fail(message: str, code: int) -> int:
    sys.stderr.write(f"joinery: {message}\n")
    return code
