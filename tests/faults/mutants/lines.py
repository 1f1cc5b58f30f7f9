"""Command lines in this process, as `joinery` runs them: what each said, and how it ended."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stderr, redirect_stdout

from workflows.cli import run

_OURS = "joinery: "
DEBUG = "JOINERY_MUTANTS_DEBUG"
"""Set where a mutant is tried again, to see where its errors come from."""
LONGEST = 1500


class FindingError(Exception):
    """What no file may bring about."""


class RefusedError(Exception):
    """One sentence of ours, and nothing was done."""


def line(*arguments: object) -> list[str]:
    """Runs a command line; the sentences that it said besides. Raises RefusedError; FindingError for another end."""
    said = io.StringIO()
    debug = DEBUG in os.environ
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")  # as the command's is
    with redirect_stdout(out), redirect_stderr(said):
        code = run([str(one) for one in arguments], debug)
    if debug:
        os.write(2, said.getvalue().encode("utf-8", "backslashreplace"))
    *before, last = said.getvalue().splitlines() or [""]
    if code == 0:
        return [one for one in [*before, last] if one]
    if code not in (1, 2) or not last.startswith(_OURS) or "a fault of Joinery" in last or len(last) > LONGEST:
        raise FindingError(f"{' '.join(map(str, arguments[:1]))}: exit {code}: {said.getvalue()[-600:]}")
    raise RefusedError(last.removeprefix(_OURS))
