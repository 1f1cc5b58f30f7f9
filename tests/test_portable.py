"""No call that only POSIX has, but behind a look at the platform, or in the list of those that are said to be right.

The syntax trees of all that ships are walked; Windows itself is not on the project's machines.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("workflows", "app", "installer", "resources")
NO_SUCH_MODULE = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "posix"}
NO_SUCH_NAME = {
    "os": {
        "fork", "forkpty", "getuid", "geteuid", "getgid", "getegid", "uname", "statvfs", "fstatvfs", "kill", "killpg",
        "setsid", "getpgid", "nice", "mkfifo", "mknod", "chown", "lchown", "fchmod", "fchown", "chroot", "getloadavg",
        "sched_getaffinity", "wait", "waitpid", "ttyname", "openpty", "sync", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC",
        "O_DIRECTORY", "O_SYNC", "set_blocking", "execv", "execve", "execvp",
    },
    "signal": {
        "SIGKILL", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCHLD", "SIGPIPE", "SIGSTOP", "alarm",
        "setitimer", "pause", "sigwait", "pthread_kill", "pthread_sigmask",
    },
    "select": {"select", "poll", "epoll", "kqueue"},  # of pipes, which Windows cannot
    "time": {"tzset"},
}  # fmt: skip
KEYWORDS = {"shell": "shell=True", "preexec_fn": "preexec_fn", "start_new_session": "start_new_session"}
PLACES = ("/tmp", "/proc", "/dev/", "/etc/", "bin/python", "/usr/")
RENAMES = "rename(), which replaces nothing on Windows"
# Where something of this is right: (file, what) → why.
ALLOWED = {
    ("installer/bootstrap.py", "'/etc/"): "is_debian looks at it on Linux alone",
    ("installer/bundled_licenses.py", "'/usr/"): "the copyright of a package that dpkg named, on Debian alone",
    (
        "workflows/common/files.py",
        RENAMES,
    ): "folders, which nothing can replace: each name was freed, or is drawn by chance",
    ("workflows/builder/workspace.py", RENAMES): "a folder, whose place was freed before",
    ("workflows/common/stage_cache.py", RENAMES): "a folder, whose name its lock keeps for this process",
    ("workflows/processor/cores.py", "'/proc"): "other systems have no such file, and their own name is taken",
    ("workflows/cli/completion.py", "shell=True"): "typer's word for which shell completes; no process is started",
    ("app/state/json_file.py", RENAMES): "the new name holds the microsecond",
}
PLATFORM = {"sys.platform", "os.name", "hasattr", "on_linux"}


def looks_at_the_platform(test: ast.AST) -> bool:
    """Whether a condition asks sys.platform, os.name, hasattr …"""
    return any(ast.unparse(node) in PLATFORM for node in ast.walk(test) if isinstance(node, ast.Attribute | ast.Name))


def guarded(parents: list[ast.AST]) -> bool:
    """Whether a node stands behind such a look: in its branch, beside it in an `and`, or after one that returns."""
    for parent, child in pairwise(parents):
        branches = isinstance(parent, ast.If | ast.IfExp | ast.BoolOp)
        if branches and looks_at_the_platform(getattr(parent, "test", parent)):
            return True
        if isinstance(parent, ast.FunctionDef):
            before = [node for node in parent.body if node is not child and node.lineno < getattr(child, "lineno", 0)]
            if any(isinstance(node, ast.If) and looks_at_the_platform(node.test) and _leaves(node) for node in before):
                return True
    return False


def _leaves(node: ast.If) -> bool:
    return isinstance(node.body[-1], ast.Return | ast.Raise)


def found_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, what) of all that Windows lacks, or does otherwise."""
    stack: list[tuple[ast.AST, list[ast.AST]]] = [(tree, [])]
    docstrings = {id(node.value) for node in ast.walk(tree)
                  if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}  # fmt: skip
    while stack:
        node, parents = stack.pop()
        stack.extend((child, [*parents, node]) for child in ast.iter_child_nodes(node))
        wrong = [] if id(node) in docstrings else list(_wrong(node))
        if wrong and not guarded([*parents, node]):
            yield from ((getattr(node, "lineno", 0), what) for what in wrong)


def _wrong(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        yield from (f"import {name}" for name in names if name.partition(".")[0] in NO_SUCH_MODULE)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr in NO_SUCH_NAME.get(node.value.id, ()):
            yield f"{node.value.id}.{node.attr}"
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from (f"'{place}" for place in PLACES if node.value.startswith(place))
        if "%-" in node.value and any(f"%-{letter}" in node.value for letter in "dmHIMSjy"):
            yield "strftime('%-d')"
    elif isinstance(node, ast.Call):
        yield from _wrong_call(node)


def _wrong_call(call: ast.Call) -> Iterator[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    yield from (told for keyword, told in KEYWORDS.items() if keyword in given and not _is(given[keyword], False))
    texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    if name in ("read_text", "write_text"):
        if "encoding" not in given and len(call.args) < (1 if name == "read_text" else 2):
            yield f"{name}() without an encoding"
    elif name in ("open", "fdopen") and _of_files(call) and "encoding" not in given:
        binary = any("b" in mode for mode in [*texts, *_mode(given)] if set(mode) <= set("rwaxbt+"))
        if not binary:
            yield f"{name}() without an encoding"
    elif name in ("run", "Popen", "check_output") and _is(given.get("text"), True) and "encoding" not in given:
        yield f"{name}(text=True) without an encoding"
    elif name == "rename" and isinstance(call.func, ast.Attribute):
        yield RENAMES
    elif name in ("chmod", "lchmod"):
        yield "chmod(), which knows one bit on Windows"


def _of_files(call: ast.Call) -> bool:
    """`open` of the language, of os.fdopen, or of a path: another class may have a method of that name."""
    modes = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    return isinstance(call.func, ast.Name) or (
        any(set(mode) <= set("rwaxbt+") for mode in modes) and ast.unparse(call.func) != "os.open"
    )


def _mode(given: dict[str | None, ast.expr]) -> list[str]:
    mode = given.get("mode")
    return [mode.value] if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else []


def _is(node: ast.AST | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def shipped() -> list[Path]:
    """Every module that a person gets; not a checkpoint's own code, which is as it came."""
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in files if "demos" not in path.relative_to(ROOT).parts)


def test_nothing_needs_posix() -> None:
    wrong, used = [], set()
    for path in shipped():
        name = path.relative_to(ROOT).as_posix()
        for line, what in found_in(ast.parse(path.read_text("utf-8"))):
            if (name, what) in ALLOWED:
                used.add((name, what))
            else:
                wrong.append(f"{name}:{line}: {what}")
    assert wrong == []
    assert used == set(ALLOWED), "the list allows what is not there any more"


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("import os\nos.kill(5, 9)", "os.kill"),
        ("import os\nos.fork()", "os.fork"),
        ("import fcntl", "import fcntl"),
        ("from resource import getrusage", "import resource"),
        ("import signal\nsignal.signal(signal.SIGHUP, None)", "signal.SIGHUP"),
        ("subprocess.run('ls', shell=True)", "shell=True"),
        ("subprocess.Popen(['ls'], preexec_fn=f)", "preexec_fn"),
        ("path = '/tmp/x'", "'/tmp"),
        ("open('x')", "open() without an encoding"),
        ("path.open('w')", "open() without an encoding"),
        ("path.read_text()", "read_text() without an encoding"),
        ("subprocess.run(c, text=True)", "run(text=True) without an encoding"),
        ("os.rename(a, b)", RENAMES),
        ("path.chmod(0o600)", "chmod(), which knows one bit on Windows"),
        ("now.strftime('%-d %B')", "strftime('%-d')"),
        ("def f():\n    if x:\n        return 1\n    return os.getuid()", "os.getuid"),
    ],
)
def test_the_rule_sees(code: str, what: str) -> None:
    assert [found for _, found in found_in(ast.parse(code))] == [what]


@pytest.mark.parametrize(
    "code",
    [
        "if sys.platform != 'win32':\n    import fcntl",
        "x = os.geteuid() if hasattr(os, 'geteuid') else 0",
        "x = hasattr(os, 'geteuid') and os.geteuid() == 0",
        "def f():\n    if sys.platform == 'win32':\n        return 1\n    import resource\n    return 2",
        "open('x', 'rb')",
        "path.open(mode='wb')",
        "worker.open('bundle')",
        "'''/tmp in a docstring'''",
        "path.write_text('x', 'utf-8')",
        "with path.open('a', encoding='utf-8') as file:\n    pass",
    ],
)
def test_the_rule_lets_pass(code: str) -> None:
    assert list(found_in(ast.parse(code))) == []
