"""See the package."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.sweep.run import decoders, run, shard_of

SWEEPS = {"decoders": decoders}


def main() -> None:
    """Runs one sweep as the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m tests.sweep", description=__doc__)
    parser.add_argument("sweep", choices=sorted(SWEEPS))
    parser.add_argument("--shard", default="1/1", help="K/N: every N-th case from the K-th on")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no case after so long")
    parser.add_argument("--json", type=Path, help="verdicts go here; what stands there is not run again")
    parser.add_argument("--only", nargs="+", help="model types")
    given = parser.parse_args()
    cases = shard_of(SWEEPS[given.sweep](), given.shard)
    if given.only:
        cases = {name: case for name, case in cases.items() if name in given.only}
    verdicts = run(cases, given.minutes, given.json)
    for kind in ("wrong", "traceback", "no config", "refused", "equal"):
        names = [one.name for one in verdicts if one.kind == kind]
        print(f"{len(names)} {kind}: {' '.join(names)}")


if __name__ == "__main__":
    main()
