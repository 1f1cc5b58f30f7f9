"""See the package."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import astuple
from pathlib import Path

from tests.faults import inputs
from tests.faults.cases import Subject, Verdict, tried
from tests.faults.files import SUBJECTS
from tests.faults.moments import MOMENTS, at_moments
from tests.faults.real import REAL
from tests.faults.soak import COUNTS, GROWTH, soak, told
from tests.faults.table import Row, markdown, row_of, table
from tests.faults.watch import why_not
from tests.faults.writers import LINES, TIMES, WINDOWS, at_once, lost


def main() -> int:
    """Tries what the arguments say; 1 where anything fell short."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--only", default="", help="kinds that hold this word; and no writers")
    parser.add_argument("--cases", type=int, help="of each kind at most, drawn by the seed (all)")
    parser.add_argument("--real", type=int, default=8, help="cases of a real build (8), which take seconds each")
    parser.add_argument("--moments", type=int, default=200, help="kills at random moments of a whole build (200)")
    parser.add_argument("--times", type=int, default=TIMES, help=f"that each of the writers writes ({TIMES})")
    parser.add_argument("--mutants", type=int, default=100, help="of each kind of file (100), made by the seed")
    parser.add_argument("--number", type=int, help="this mutant alone, and where its errors come from")
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--soak", action="store_true", help="long use alone: tokens, sessions, messages (minutes)")
    given = parser.parse_args()
    if given.soak:
        return _soak()
    if why_not():
        sys.exit(f"Nothing can be tried here: {why_not()}.")
    subjects = dict.fromkeys(SUBJECTS, given.cases) | ({REAL: given.real} if given.real else {})
    rows = [_row(one, cases, given.seed) for one, cases in subjects.items() if given.only in one.kind]
    if given.moments and given.only in MOMENTS.kind:
        rows.append(row_of(MOMENTS.kind, map(_told, at_moments(given.moments, given.seed))))
    if rows:
        print(table(rows))
    if given.only == inputs.KIND:
        return _inputs(given.cases, given.seed)
    findings = _mutants(given.only, given.mutants, given.number, given.seed)
    fell_short = findings > 0 or any(row.whole < row.cases or row.hands or row.named < row.said for row in rows)
    return int((not given.only and _writers(given.times) > 0) or fell_short)


def _row(subject: Subject, cases: int | None, seed: int) -> Row:
    """One kind; what fell short goes to stderr as it is found."""
    return row_of(subject.kind, map(_told, tried(subject, cases, seed)))


def _told(verdict: Verdict) -> Verdict:
    if not verdict.whole or verdict.needs_hand or verdict.named is False:
        print(verdict, file=sys.stderr, flush=True)
    return verdict


def _soak() -> int:
    long = list(soak(COUNTS))
    print(told(long))
    return int(any(one.leaks() or one.growth > GROWTH for one in long))


def _mutants(only: str, count: int, number: int | None, seed: int) -> int:
    """How many findings there were; each goes to stderr as it is found, the table after them to stdout."""
    from tests.faults.mutants import tried  # torch, Qt and all that is tried: seconds to import

    kinds = tried.named(only)
    if kinds:
        tried.warm_up()
    if number is not None:
        os.environ[tried.DEBUG] = "1"
    rows, numbers = [], range(count) if number is None else [number]
    with tried.place() as base:
        for kind in kinds:
            every = []
            for one in tried.mutants(kind, numbers, seed, base):
                every.append(one)
                if one.finding or number is not None:
                    print(one, one.said, file=sys.stderr, flush=True)
            rows.append(tried.row_of(kind.name, every))
    if rows:
        print(f"\n{markdown(tried.HEAD, map(astuple, rows))}")
    return sum(row.findings for row in rows)


def _inputs(count: int | None, seed: int) -> int:
    """1 where one of the bad inputs is not answered well; each that is not goes to stderr as it is found."""
    from tests.faults.mutants import building, tried  # torch and all that is tried: seconds to import

    tried.warm_up()
    with tried.place() as base:
        (base / "sound").mkdir()
        building.lay(base / "sound")
        verdicts = []
        for one in inputs.tried(base / "sound", inputs.bad_inputs(count, seed)):
            verdicts.append(one)
            if one.wrong:
                print(one, file=sys.stderr, flush=True)
    good = sum(not one.wrong for one in verdicts)
    print(f"{good} of {len(verdicts)} bad inputs are answered by a sentence that names the culprit.")
    return int(good < len(verdicts))


def _writers(times: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        at_once(home, times)
        gone = lost(home, times)
    who = f"{len(WINDOWS)} windows and {len(LINES)} command lines on one home, {times:,} writes each"
    print(f"\n{who}: {sum(gone.values())} lost ({', '.join(f'{kind} {count}' for kind, count in gone.items())}).")
    return sum(gone.values())


if __name__ == "__main__":
    sys.exit(main())
