"""Has Windows download a plugin of its catalog: `python -m workflows.runtime.providers.fetch QNNExecutionProvider`."""

from __future__ import annotations

import sys

from workflows.common.errors import DeviceError
from workflows.runtime.providers.windows_catalog import download_plugin


def main(provider: str) -> None:
    """Prints where its library is."""
    try:
        print(download_plugin(provider))
    except DeviceError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1])
