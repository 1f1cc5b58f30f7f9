"""See the package."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.sweep.fuzz import FAMILIES, fuzz
from tests.sweep.run import Case, decoders, heads, read, run, shard_of
from tests.sweep.table import document, fuzz_section, heads_section
from tests.sweep.tiny import HEAD, LAYERS
from workflows.export import stand_ins
from workflows.recipe import build_memory

KINDS = ("wrong", "traceback", "no config", "refused", "equal")


def main() -> None:
    """Runs one sweep as the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m tests.sweep", description=__doc__)
    parser.add_argument("sweep", choices=["decoders", "seams", "heads", "fuzz"], help="seams: by PyTorch alone")
    parser.add_argument("--shard", default="1/1", help="K/N: every N-th case from the K-th on")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no case after so long")
    parser.add_argument("--json", type=Path, help="verdicts go here; what stands there is not run again")
    parser.add_argument("--only", nargs="+", help="model types")
    parser.add_argument("--layers", type=int, default=LAYERS, help="of each decoder; from 5 on some are not traced")
    parser.add_argument("--head", type=int, default=HEAD, help="the size of each decoder's heads")
    parser.add_argument("--family", nargs="+", default=FAMILIES, choices=FAMILIES, help="of the fuzz")
    parser.add_argument("--cases", type=int, default=200, help="of the fuzz, each family")
    parser.add_argument("--graphs", action="store_true", help="fuzz real builds; else the seam, by PyTorch alone")
    parser.add_argument("--streamed", action="store_true", help="build each without its weights in memory")
    parser.add_argument("--graphs-of", nargs="+", default=[], metavar="SIZE=F", help="verdicts, for the document")
    parser.add_argument("--heads", type=Path, help="verdicts of `heads`, for the document")
    parser.add_argument("--seams", type=Path, help="verdicts of `seams`, for the document")
    parser.add_argument("--fuzz", type=Path, help="verdicts of `fuzz`, for the document")
    parser.add_argument("--document", type=Path, help="write this page of the verdicts so far, and run nothing")
    given = parser.parse_args()
    if given.document:
        files = (pair.partition("=") for pair in given.graphs_of)
        columns = {f"graphs, {size}": read(Path(file)) for size, _, file in files} | {"seam": read(given.seams)}
        page = document(list(decoders()), columns) + heads_section(read(given.heads))
        given.document.write_text(page + fuzz_section(list(read(given.fuzz).values())), "utf-8")
        return
    if given.streamed:
        build_memory.STREAM_ABOVE, stand_ins.REAL_BELOW = 0, 64
    cases = shard_of(_cases(given), given.shard)
    if given.only:
        cases = {name: case for name, case in cases.items() if name in given.only}
    verdicts = run(cases, given.minutes, given.json)
    for kind in KINDS:
        names = [one.name for one in verdicts if one.kind == kind]
        print(f"{len(names)} {kind}: {', '.join(names)}")


def _cases(given: argparse.Namespace) -> dict[str, Case]:
    if given.sweep == "fuzz":
        return fuzz(given.family, given.cases, given.graphs)
    if given.sweep == "heads":
        return heads()
    return decoders(graphs=given.sweep == "decoders", layers=given.layers, head=given.head)


if __name__ == "__main__":
    main()
