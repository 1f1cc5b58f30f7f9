"""`python -m workflows` is the `joinery` command."""

import sys

from workflows.common.errors import package_error


def main() -> None:
    """Runs the command line; reports a package that its first imports miss."""
    try:
        from workflows.cli import main as run

        run()
    except ImportError as error:
        if (missing := package_error(error, "")) is None:
            raise
        sys.exit(f"joinery: {missing}")


if __name__ == "__main__":
    main()
