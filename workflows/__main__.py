"""`python -m workflows` is the `joinery` command."""

import os
import signal
import sys


def main() -> None:
    """Runs the command line; reports a package that its first imports miss, and Ctrl+C during them."""
    signal.signal(signal.SIGINT, _cancel)  # first: importing the command line takes longest, and nothing has begun
    try:
        from workflows.cli import main as run

        run()
    except ImportError as error:
        from workflows.common.errors import package_error

        if (missing := package_error(error, "")) is None:
            raise
        sys.exit(f"joinery: {missing}")


def _cancel(number: int, frame: object) -> None:
    """Ends the process at once, with the exit code of Cancelled."""
    os.write(2, b"joinery: Cancelled.\n")
    os._exit(130)


if __name__ == "__main__":
    main()
