"""The list of commands: each is there, and none is imported before it is called."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from workflows.cli import app
from workflows.cli.commands import BUNDLE_COMMANDS, COMMANDS, LazyCommand

FETCHING = {"build", "eval"}
"""They may ask the hub, and give up the network before they open anything."""
OWN = {
    "serve": "listens on the address that it is given; each bundle is opened by a worker that gives up the network",
    "devices": "asks an index of packages, or what is installed",
    "plugins": "reads what is installed",
    "cache": "counts and removes what builds here have left",
    "remote": "connects to other machines",
    "tune": "times products, and reads the sizes of its user's own model",
    "runs": "reads what was measured here",
    "sweep": "reads the plan; a process for each step gives up the network as `build`, `eval` and `bench` do",
}
"""They open nothing that comes from elsewhere."""
HEAVY = {"numpy", "pydantic", "rich", "onnxruntime", "tokenizers", "jinja2", "sqlite3"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_called(name: str) -> None:
    later = typer.main.get_group(app).commands[name]
    assert isinstance(later, LazyCommand) and later.loaded.name == name
    assert later.loaded.help and later.get_short_help_str(64) == COMMANDS[name][1]


@pytest.mark.parametrize(("line", "code"), [("--help", 0), ("--version", 0), ("bild", 2)])
def test_what_the_list_imports(line: str, code: int) -> None:
    """A quarter of a second is what typer and Python take: nothing else is loaded for a word that calls nothing."""
    tell = (
        f"import sys; from workflows.cli import run; code = run([{line!r}]); "
        "print(*(name for name in sys.modules if name.startswith('workflows')), "
        "*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", tell], capture_output=True, text=True, check=False)
    assert done.returncode == code
    loaded = set(done.stderr.splitlines()[-1].split())
    assert HEAVY & loaded <= ({"pydantic"} if code else set())  # typer itself checks a word with it
    own = {name for name in loaded if name.startswith("workflows.")}
    assert own <= {f"workflows.{name}" for name in (
        "cli", "cli.commands", "cli.completion", "cli.interrupts", "cli.streams", "common",
        "common.build_part_finder", "common.errors", "common.paths", "common.version", "process", "process.sandbox",
        "process.subprocesses",
    )}  # fmt: skip


SHELL = {
    "cli",
    "common.build_part_finder",
    "common.errors",
    "common.paths",
    "process.sandbox",
    "process.subprocesses",
    "wire",
}
MODELS = {"annotated_types", "pydantic", "pydantic_core", "typing_extensions", "typing_inspection"}
LINE = {"annotated_doc", "platformdirs", "rich", "shellingham", "typer", "workflows", *MODELS}
BUILD = {
    "builder", "bundle", "checkpoint", "common.digests", "common.element_types", "common.files", "common.locks",
    "common.kernel_constraints", "common.control_groups", "common.memory", "common.strict_json", "common.tensor_names",
    "processor", "recipe",
}  # fmt: skip
BUILDERS = ("build", "assemble", "eval", "diverge", "import", "export-genai")
PROMPTED = ("generate", "chat", "embed", "rank", "classify", "depth", "bench", "diverge")
MORE = {
    **dict.fromkeys(PROMPTED, frozenset({"common.files", "common.strict_json"})),
    "inspect": {"common.files", "common.svg", "inspection"},
    "cache": {"common.files", "common.locks", "common.stage_cache", "filelock"},
    **dict.fromkeys(BUILDERS, BUILD | {"common.stage_cache", "filelock", "inspection", "psutil"}),
}
"""What a command's module imports before it runs: packages of workflows/, single modules of two, other packages."""


def _listed(module: str) -> str:
    """A module of a shared package by its name, any other by its package."""
    package = module.partition(".")[0]
    return module if package in ("common", "process") else package


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_imports_before_it_works(name: str) -> None:
    """Neither onnxruntime nor numpy, nor what builds where nothing is built: a wrong option is told at once."""
    tell = (
        f"import sys; from workflows.cli import run; run([{name!r}, '--help']); "
        "loaded = [name.split('.') for name in sys.modules]; "
        "print(*({one[0] for one in loaded} - set(sys.stdlib_module_names)), file=sys.stderr); "
        "print(*{'.'.join(one[1:]) for one in loaded if one[0] == 'workflows' and one[1:]}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", tell], capture_output=True, text=True, check=True)
    packages, modules = (set(line.split()) for line in done.stderr.splitlines()[-2:])
    more = MORE.get(name, set())
    assert {one for one in packages if not one.startswith("_")} <= LINE | more
    assert set(map(_listed, modules)) - {"common", "process"} <= SHELL | more


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process can give up the network, which a notice says")
@pytest.mark.parametrize(("line", "refused"), [("inspect x", True), ("--debug report x", True), ("build x", False)])
def test_what_opens_a_bundle_has_no_network(line: str, refused: bool) -> None:
    """As the installed command does it; here the command itself only tries a socket."""
    code = (
        "import socket, sys\nfrom workflows import cli\n"
        "def run(*_):\n    try:\n        socket.socket()\n    except PermissionError:\n        return 3\n    return 4\n"
        "cli.run = run\ncli.main()"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code, *line.split()], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (3 if refused else 4, b"")


def test_every_command_either_opens_or_may_connect() -> None:
    """A new command is put on one side by whoever writes it; tests/workflows/test_confined.py has each one open."""
    assert set(COMMANDS) - BUNDLE_COMMANDS == {*FETCHING, *OWN}
