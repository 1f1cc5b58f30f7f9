"""What a process of Joinery opens below a folder, a line each to a file: `shut` or `open`, as its network is.

    python opened.py FOLDER FILE module:function …its arguments

Python tells of what it opens; a library in C is given a path, after Python has read something beside it.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

FOLDER, FILE, PLACE = sys.argv[1:4]


def main() -> None:
    """Runs the function as its module's own start would."""
    told = os.open(FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], str | bytes | os.PathLike):
            return
        path = os.path.realpath(os.fsdecode(arguments[0]))
        if path.startswith(FOLDER + os.sep):
            os.write(told, f"{'shut' if is_filtered() else 'open'} {path}\n".encode())

    sys.addaudithook(hear)
    sys.argv = sys.argv[3:]
    module, function = PLACE.split(":")
    getattr(import_module(module), function)()


def is_filtered() -> bool:
    """Whether the kernel holds a filter for this process."""
    handle = os.open("/proc/self/status", os.O_RDONLY)
    try:
        return b"Seccomp:\t2" in os.read(handle, 1 << 14)
    finally:
        os.close(handle)


if __name__ == "__main__":
    main()
