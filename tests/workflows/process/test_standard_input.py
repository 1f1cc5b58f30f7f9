"""What is called at the end of standard input."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import threading
from workflows.process.standard_input import call_at_eof
ended = threading.Event()
call_at_eof(ended.set)
print(ended.wait(0.2), flush=True)
ended.wait()
print("ended", flush=True)
"""


def test_it_is_called_at_the_end_and_not_before() -> None:
    with subprocess.Popen([sys.executable, "-c", CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(b"a line\n" * 1000)
        process.stdin.flush()
        assert process.stdout.readline().strip() == b"False"
        process.stdin.close()
        assert process.stdout.readline().strip() == b"ended"
