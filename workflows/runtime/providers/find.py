"""One provider's device, as a line of JSON: `python -m workflows.runtime.providers.find NAME`.

A process of its own, for what is loaded here is somebody's driver.
"""

from __future__ import annotations

import sys

from workflows.processes import stay_with_parent
from workflows.runtime.providers.table import PROVIDERS
from workflows.wire.codec import dumps


def main(name: str) -> None:
    """Prints the device."""
    stay_with_parent()
    sys.stdout.write(f"\n{dumps(PROVIDERS[name].find())}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
