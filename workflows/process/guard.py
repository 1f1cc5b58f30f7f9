"""Runs a module in a process that does not outlive the one that started it, whatever either of them does.

python -P -m workflows.process.guard PARENT MODULE ARGUMENT … ──▶ MODULE as `python -m` runs it
"""

from __future__ import annotations

import os
import runpy
import signal
import sys

from workflows.common.errors import Cancelled

_PR_SET_PDEATHSIG = 1  # PR_SET_PDEATHSIG of linux/prctl.h


def main() -> None:
    """Runs the module named in the arguments; on Linux the system kills it with its parent.

    A SIGINT before the module handles it ends the process silently, with the exit code of Cancelled.
    """
    signal.signal(signal.SIGINT, lambda *_: os._exit(Cancelled.exit_code))
    parent, module, *arguments = sys.argv[1:]
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != int(parent):  # it was killed before the call
            os._exit(1)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
