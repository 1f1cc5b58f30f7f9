"""Has Windows download a plugin of its catalog: `python -m workflows.runtime.providers.fetch QNNExecutionProvider`."""

from __future__ import annotations

import sys

from workflows.errors import DeviceError
from workflows.runtime.providers.catalog import fetch


def main(provider: str) -> None:
    """Prints where its library is."""
    try:
        print(fetch(provider))
    except DeviceError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1])
