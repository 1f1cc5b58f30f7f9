"""Prints one provider's device as a line of JSON: `python -m workflows.runtime.providers.find_device NAME`.

A process of its own, for it loads a vendor's driver.
"""

from __future__ import annotations

import sys

from workflows.process.subprocesses import exit_with_parent
from workflows.runtime.providers.registry import PROVIDERS
from workflows.wire.codec import dumps


def main(name: str) -> None:
    """Prints the device."""
    exit_with_parent()
    sys.stdout.write(f"\n{dumps(PROVIDERS[name].find())}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
