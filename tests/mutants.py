"""Random changes to the code of workflows/, and which of them the fast tests notice.

    python -m tests.mutants --seed 29 --count 100 --results mutants.jsonl

    sites(path, source) ──draw(seed)──▶ Mutant ──Tree.apply──▶ a clone of HEAD ──stages──▶ Result, one JSON line

Each mutant is judged by the tests nearest to it first: the mirrored test files of module and package, the mirrored
folder, the test files that import either or mirror a module that does, then all other fast tests (not with `--near`).
A run that was stopped continues where it ended.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRODUCT = "workflows"
PRELOADED = ("numpy", "torch", "transformers", "onnx", "onnx_ir", "onnxscript", "onnxruntime", "pydantic", "pytest")
"""Imported once; the process that runs the tests of a mutant is a fork with these loaded and nothing of the product."""
EQUIVALENT: dict[tuple[str, str], str] = {}
"""Mutants that no test can notice: (path, the changed line without its indentation) → the reason."""

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A change at one place. start, end: offsets in bytes of what `text` replaces."""

    path: str
    line: int
    kind: str
    start: int
    end: int
    text: str

    def apply(self, source: bytes) -> bytes:
        """The changed source."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def diff(self, source: bytes) -> str:
        """The changed lines, as a unified diff without context."""
        before, after = (data.decode().splitlines() for data in (source, self.apply(source)))
        return "\n".join(list(difflib.unified_diff(before, after, lineterm="", n=0))[2:])


@dataclass(frozen=True)
class Result:
    """What became of a mutant. verdict: noticed, survived or equivalent. by: the failed test, or the reason."""

    number: int
    verdict: str
    path: str
    line: int
    kind: str
    diff: str
    by: str
    seconds: float


class _Sites(ast.NodeVisitor):
    """Collects the mutants of one file."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self.source = source
        self.mutants: list[Mutant] = []
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def add(self, kind: str, node: ast.expr | ast.stmt, text: str) -> None:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._lines[node.lineno - 1] + node.col_offset
        end = self._lines[node.end_lineno - 1] + node.end_col_offset
        self.mutants.append(Mutant(self.path, node.lineno, kind, start, end, text))

    def segment(self, node: ast.expr) -> str:
        return ast.get_source_segment(self.source.decode(), node) or ast.unparse(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Positions within an f-string are unknown before Python 3.12."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        """An annotation is not executed."""

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for child in [*node.decorator_list, node.args, *node.body]:
            self.visit(child)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if ast.unparse(node.value) not in ("Literal", "Annotated"):
            self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for place, operator in enumerate(node.ops):
            operators = [*node.ops[:place], _COMPARISONS[type(operator)](), *node.ops[place + 1 :]]
            self.add("comparison", node, f"({ast.unparse(ast.Compare(node.left, operators, node.comparators))})")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self.add("boolean", node, f"({ast.unparse(ast.BoolOp(other, node.values))})")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in _ARITHMETIC:
            other = ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right)
            self.add("arithmetic", node, f"({ast.unparse(other)})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self.add("not", node, f"({self.segment(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add("constant", node, str(not node.value))
        elif isinstance(node.value, int | float):
            self.add("constant", node, str(node.value + 1))

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self.add("return", node, "return None")
            self.visit(node.value)

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        test = ast.unparse(node.test)
        if test == "TYPE_CHECKING" or "__name__" in test:
            return
        self.add("condition", node.test, f"(not ({self.segment(node.test)}))")
        self.generic_visit(node)

    visit_While = visit_IfExp = visit_If

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.add("condition", test, f"(not ({self.segment(test)}))")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.remove(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        if "__all__" in names:
            return
        if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self.remove(node)
        else:
            self.generic_visit(node)

    def remove(self, node: ast.stmt) -> None:
        self.add("statement", node, "pass")
        self.generic_visit(node)

    visit_AugAssign = visit_Raise = visit_Delete = visit_Continue = visit_Break = remove


def sites(path: str, source: bytes) -> list[Mutant]:
    """Every mutant of a file, in the order of the source."""
    visitor = _Sites(path, source)
    visitor.visit(ast.parse(source))
    return sorted(visitor.mutants, key=lambda mutant: (mutant.start, mutant.end, mutant.text))


def draw(root: Path, seed: int, count: int) -> list[Mutant]:
    """So many mutants of the product, each site with the same chance."""
    files = sorted((root / PRODUCT).rglob("*.py"))
    every = [mutant for file in files for mutant in sites(file.relative_to(root).as_posix(), file.read_bytes())]
    return random.Random(seed).sample(every, min(count, len(every)))


class Tree:
    """A clone of HEAD, in which one mutant at a time is applied, and the test files that are nearest to a module."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not folder.exists():
            subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(folder)], check=True)
        subprocess.run(["git", "-C", str(folder), "checkout", "-q", "--force", "HEAD"], check=True)
        self.tests = sorted(path.relative_to(folder).as_posix() for path in (folder / "tests").rglob("test_*.py"))
        self._imports = {
            path.relative_to(folder).as_posix(): _imported(path.read_text(encoding="utf-8"))
            for root in (PRODUCT, "tests")
            for path in (folder / root).rglob("*.py")
        }

    def write(self, path: str, data: bytes, changed: float) -> None:
        """`changed`: the file's time, so that no compiled file of another mutant is taken for this one's."""
        (self.folder / path).write_bytes(data)
        os.utime(self.folder / path, (changed, changed))

    def stages(self, path: str) -> Iterator[list[str]]:
        """The test files to try in turn; none twice."""
        mirror = mirror_of(path)
        folder = f"{Path(mirror).parent.as_posix()}/"
        module = module_of(path)
        modules = {module, module.rpartition(".")[0]} - {PRODUCT}  # a package re-exports what its modules have
        users = [file for file, names in self._imports.items() if modules & names]
        near = {file for file in users if file in self.tests} | {mirror_of(file) for file in users}
        seen: set[str] = set()
        for stage in (
            [mirror, mirror_of(f"{Path(path).parent.as_posix()}/__init__.py")],
            [test for test in self.tests if test.startswith(folder) and folder != f"tests/{PRODUCT}/"],
            [test for test in self.tests if test in near],
            self.tests,
        ):
            files = [test for test in stage if test in self.tests and test not in seen]
            seen.update(files)
            yield files


def mirror_of(path: str) -> str:
    """workflows/a/b.py → tests/workflows/a/test_b.py, workflows/a/__init__.py → tests/workflows/a/test_a.py."""
    file = Path(path)
    stem = file.parent.name if file.stem == "__init__" else file.stem.strip("_")
    return (Path("tests") / file.parent / f"test_{stem}.py").as_posix()


def module_of(path: str) -> str:
    """workflows/a/b.py → workflows.a.b."""
    parts = Path(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


class Runner:
    """Runs pytest in forks of a process that has the libraries loaded."""

    def __init__(self, tree: Tree, log: Path, jobs: int, near: bool) -> None:
        self.tree = tree
        self.log = log
        self.jobs = jobs
        self.near = near
        self.sound: set[str] = set()
        self.broken: set[str] = set()  # tests that fail without any change
        own = {"PYTHONPATH": str(tree.folder), "QT_QPA_PLATFORM": "offscreen"}
        command = [sys.executable, "-m", "tests.mutants", "--serve"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._server = subprocess.Popen(command, cwd=tree.folder, env=os.environ | own, **pipes)

    def close(self) -> None:
        """Ends the process."""
        self._server.communicate()

    def failure(self, files: Sequence[str], seconds: float, jobs: int = 0) -> str:
        """The first failed test and its message, or "time limit"; "" where all passed."""
        if not files:
            return ""
        skipped = [f"--deselect={test}" for test in self.broken]
        parallel = ["-n", str(jobs)] if jobs else ["-p", "no:xdist"]
        options = ["-q", "-x", "--tb=no", "--timeout=300", "-p", "no:cacheprovider", *parallel]
        request = {"arguments": [*options, *skipped, *files], "log": str(self.log), "seconds": seconds}
        assert self._server.stdin and self._server.stdout
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        code = json.loads(self._server.stdout.readline())
        if code is None:
            return "time limit"
        if code in (0, 5):  # 5: every test of the files is a slow one
            return ""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        match = re.search(r"^(?:failed: |FAILED |ERROR )(.*)$", text, re.MULTILINE)
        return match[1] if match else f"pytest ended with {code}: {text[-300:]}"

    def judge(self, mutant: Mutant, seconds: float) -> str:
        """What noticed the mutant; "" where nothing did."""
        file = self.tree.folder / mutant.path
        source, changed = file.read_bytes(), file.stat().st_mtime
        stages = list(self.tree.stages(mutant.path))
        for place, files in enumerate(stages):
            last = place == len(stages) - 1
            if last and self.near:
                break
            jobs = self.jobs if last else 0
            while True:
                self.tree.write(mutant.path, mutant.apply(source), 1e9 + 10 * mutant.start)
                try:
                    failed = self.failure(files, seconds, jobs)
                finally:
                    self.tree.write(mutant.path, source, changed)
                if not failed:
                    break
                if self._fails_by_the_change(failed):
                    return failed
        return ""

    def _fails_by_the_change(self, failed: str) -> bool:
        test = failed.partition(": ")[0].partition(" - ")[0]
        if "::" not in test or test in self.sound:
            return True
        if self.failure([test], 600):
            print(f"fails without any change: {test}", file=sys.stderr)
            self.broken.add(test)
            return False
        self.sound.add(test)
        return True


def serve() -> None:
    """Runs pytest in a fork per line of stdin and prints its exit code, or null after the time limit."""
    if sys.platform == "win32":
        raise SystemExit("python -m tests.mutants needs a system that forks.")
    for name in PRELOADED:
        import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            _run_tests(request)
        print(json.dumps(_wait(child, request["seconds"])), flush=True)


def _run_tests(request: dict[str, object]) -> None:
    import pytest

    code = 3
    try:
        os.setsid()
        log = os.open(str(request["log"]), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(log, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        code = int(pytest.main(request["arguments"]))
        sys.stdout.flush()
    finally:
        os._exit(code)


def _wait(child: int, seconds: float) -> int | None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _results(file: Path) -> list[Result]:
    if not file.exists():
        return []
    return [Result(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def _result(runner: Runner, number: int, mutant: Mutant, seconds: float) -> Result:
    began = time.monotonic()
    source = (runner.tree.folder / mutant.path).read_bytes()
    line = mutant.apply(source).decode().splitlines()[mutant.line - 1].strip()
    if reason := EQUIVALENT.get((mutant.path, line)):
        verdict, by = "equivalent", reason
    else:
        by = runner.judge(mutant, seconds)
        verdict = "noticed" if by else "survived"
    place = (mutant.path, mutant.line, mutant.kind, mutant.diff(source))
    return Result(number, verdict, *place, by, round(time.monotonic() - began, 1))


def main() -> int:
    """Judges what the arguments say; 1 where a mutant survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=29)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", type=int, nargs="*", help="the numbers of the mutants to judge, judged before or not")
    parser.add_argument("--results", type=Path, help="JSON lines; a mutant that stands in it is not judged again")
    parser.add_argument("--tree", type=Path, help="the folder of the clone (a temporary one)")
    parser.add_argument("--seconds", type=float, default=1800, help="of a stage, after which the mutant is noticed")
    parser.add_argument("--jobs", type=int, default=2, help="xdist's workers of the last stage (2)")
    parser.add_argument("--near", action="store_true", help="leave the last stage out; what survives is tried by hand")
    parser.add_argument("--list", action="store_true", help="print the mutants and judge none")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        return _judge_all(options, Path(temporary))


def _judge_all(options: argparse.Namespace, temporary: Path) -> int:
    tree = Tree((options.tree or temporary / "tree").resolve())
    mutants = draw(tree.folder, options.seed, options.count)
    known = {result.number: result for result in _results(options.results)} if options.results else {}
    if options.list:
        for number, mutant in enumerate(mutants):
            source = (tree.folder / mutant.path).read_bytes()
            print(f"{number} {mutant.kind} {mutant.path}:{mutant.line}\n{mutant.diff(source)}")
        return 0
    runner = Runner(tree, temporary / "log", options.jobs, options.near)
    try:
        for number, mutant in enumerate(mutants):
            if number not in options.only if options.only else number in known:
                continue
            known[number] = result = _result(runner, number, mutant, options.seconds)
            print(f"{number} {result.verdict} {result.path}:{result.line} {result.by}\n{result.diff}", flush=True)
            if options.results:
                with options.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(result)) + "\n")
    finally:
        runner.close()
    counts = {
        verdict: sum(one.verdict == verdict for one in known.values())
        for verdict in ("noticed", "survived", "equivalent")
    }
    print(f"{len(known)} mutants of seed {options.seed}: " + ", ".join(f"{n} {name}" for name, n in counts.items()))
    return int(counts["survived"] > 0)


if __name__ == "__main__":
    sys.exit(main())
