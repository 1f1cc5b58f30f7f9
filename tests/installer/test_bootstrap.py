"""The installer without installing: what it would do, what it says when it cannot, and what it keeps in mind."""

import ast
import errno
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

FILE = Path(__file__).parents[2] / "installer" / "bootstrap.py"
PUBLISHED = "ab" * 32


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("joinery_bootstrap", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bootstrap(tmp_path, monkeypatch):
    """A fresh copy of the installer that looks at an empty checkout and a machine of our choosing."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "OMP_NUM_THREADS", "JOINERY_TORCH_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JOINERY_VARIANT", "")  # main sets it: it is taken back after the test
    module = load()
    module.ROOT = tmp_path
    module.VENV = tmp_path / ".venv"
    for name in ("STAMP", "UNFINISHED", "LOG", "VARIANT", "REPORT"):
        setattr(module, name, module.VENV / getattr(module, name).name)
    module.LOCK = tmp_path / "pyproject.toml"
    (tmp_path / "pyproject.toml").write_text("[project]\n", "utf-8")
    (tmp_path / "constraints.txt").write_text("numpy==2.4.6\n", "utf-8")
    module.TORCH_LOCK = tmp_path / "torch.txt"
    module.TORCH_LOCK.write_text(f"torch==2.13.0 \\\n    --hash=sha256:{PUBLISHED}\n", "utf-8")
    monkeypatch.setattr(module, "on_linux", lambda: True)
    monkeypatch.setattr(module, "is_debian", lambda: False)
    monkeypatch.setattr(module, "is_root", lambda: False)
    monkeypatch.setattr(module.shutil, "disk_usage", lambda path: SimpleNamespace(free=100 * module.GB))
    return module


def make_venv(bootstrap, version: str | None = None) -> None:
    """The outside of a sound virtual environment."""
    python = bootstrap.venv_python()
    python.parent.mkdir(parents=True)
    python.touch()
    version = version or "{}.{}.{}".format(*sys.version_info)
    (bootstrap.VENV / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {version}\n", "utf-8")


def record_runs(bootstrap, monkeypatch, *answers: tuple[int, str]) -> list[list[str]]:
    """Nothing is run: each command is noted and answered in turn, and with success when the answers are used up."""
    commands: list[list[str]] = []
    left = list(answers)

    def run(command, env, progress, log=None):
        assert env["ORT_DISABLE_TELEMETRY"] == "1"
        commands.append(command)
        if command[1:4] == ["-P", "-m", "venv"]:
            bootstrap.VENV.mkdir(exist_ok=True)
        return left.pop(0) if left else (0, "")

    monkeypatch.setattr(bootstrap, "run_logged", run)
    return commands


def sentence(bootstrap, capsys, *arguments: str, code: int = 1) -> str:
    """The last line of what a failing command says: one sentence."""
    assert bootstrap.main(list(arguments)) == code
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.endswith(".")
    return last


# ---- the file itself -------------------------------------------------------------------------------------------------


def test_an_old_python_can_read_the_file():
    ast.parse(FILE.read_text("utf-8"), feature_version=(3, 6))


def test_only_the_standard_library_is_imported():
    tree = ast.parse(FILE.read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


def test_nothing_between_the_imports_and_the_version_check_needs_a_new_python():
    body = ast.parse(FILE.read_text("utf-8")).body
    called = next(i for i, node in enumerate(body) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
    assert body[called].value.func.id == "require_python"
    functions = [node for node in body[:called] if isinstance(node, ast.FunctionDef)]
    assert [(f.name, f.returns, f.args.args) for f in functions] == [("require_python", None, [])]


def test_too_old_a_python(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 18, "final", 0))
    with pytest.raises(SystemExit) as stopped:
        load()
    assert stopped.value.code == (
        "Joinery needs Python 3.11 or newer, this is 3.9: install a newer one and run this file with it."
    )


# ---- the command line and --dry-run ----------------------------------------------------------------------------------


def test_help_and_wrong_commands(bootstrap, capsys):
    assert bootstrap.main(["--help"]) == 0
    assert "JOINERY_TORCH_INDEX" in capsys.readouterr().out
    assert bootstrap.main([]) == 2
    assert bootstrap.main(["install"]) == 2
    assert "There is no command `install`" in capsys.readouterr().err


def test_dry_run_of_a_fresh_clone(bootstrap, capsys, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr(subprocess, "run", None)
    before = sorted(bootstrap.ROOT.rglob("*"))
    assert bootstrap.main(["test", "--dry-run", "-k", "cache or mask"]) == 0
    lines = capsys.readouterr().out.splitlines()
    python = str(bootstrap.venv_python())
    assert lines[0].startswith(f"would make {bootstrap.VENV}: ")
    assert lines[0].endswith(f"-m venv {bootstrap.VENV}")
    assert [line.split("--only-binary :all: ")[1] for line in lines if "pip install" in line] == [
        f"--no-deps --report {bootstrap.REPORT} torch==2.13.0",
        "--require-hashes --no-deps -r constraints.txt",
        "--no-deps --no-build-isolation -e .",
    ]
    assert lines[-2] == "would start Qt offscreen, and name the system packages it misses"
    tests = f"{python} -P -m pytest -n auto --maxprocesses 4 -k 'cache or mask'"
    assert lines[-1] == f"would run: QT_QPA_PLATFORM=offscreen OMP_NUM_THREADS=1 {tests}"
    assert sorted(bootstrap.ROOT.rglob("*")) == before


def test_dry_run_when_all_is_installed(bootstrap, capsys):
    make_venv(bootstrap)
    bootstrap.STAMP.write_text(bootstrap.stamp_key(), "utf-8")
    assert bootstrap.main(["run", "--dry-run"]) == 0
    output = capsys.readouterr().out
    assert "is up to date" in output
    assert "pip" not in output


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "QT_QPA_PLATFORM=offscreen {python} -P -m app --tour tour B"),
        ({"DISPLAY": ":0"}, "{python} -P -m app B"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "{python} -P -m app B"),
        (
            {"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"},
            "QT_QPA_PLATFORM=offscreen {python} -P -m app --tour tour B",
        ),
    ],
)
def test_run_opens_the_window_or_takes_the_tour(bootstrap, capsys, monkeypatch, environment, expected):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert bootstrap.main(["run", "--dry-run", "B"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "would run: " + expected.format(python=bootstrap.venv_python())


def test_macos_and_windows_always_have_a_display(bootstrap, monkeypatch):
    monkeypatch.setattr(bootstrap, "on_linux", lambda: False)
    assert bootstrap.has_display({})
    assert not bootstrap.has_display({"QT_QPA_PLATFORM": "offscreen"})


def test_the_index_for_torch_is_for_torch_alone(bootstrap, monkeypatch):
    monkeypatch.setenv("JOINERY_TORCH_INDEX", "file:///wheels")
    first, *others = [command for _, command in bootstrap.install_commands(new=True)]
    assert first[-3:] == ["--index-url", "file:///wheels", "torch==2.13.0"]
    assert not any("--index-url" in command for command in others)


# ---- hashes ----------------------------------------------------------------------------------------------------------


def torch_comes(bootstrap, monkeypatch, version: str, digest: str) -> list[list[str]]:
    """pip brings this torch, and reports it; what else it is asked for succeeds."""
    commands: list[list[str]] = []
    archive = {"archive_info": {"hashes": {"sha256": digest}}}
    report = {"install": [{"metadata": {"version": version}, "download_info": archive}]}

    def run(command, env, progress, log=None):
        commands.append(command)
        bootstrap.VENV.mkdir(exist_ok=True)
        if "--report" in command:
            Path(command[command.index("--report") + 1]).write_text(json.dumps(report), "utf-8")
        return 0, ""

    monkeypatch.setattr(bootstrap, "run_logged", run)
    monkeypatch.setattr(bootstrap, "ensure_venv_module", lambda progress: None)
    return commands


def test_all_but_torch_and_joinery_is_installed_by_its_hash_alone(bootstrap, monkeypatch, capsys):
    """Also what the published torch brings along: the lock is installed, and no dependency that it does not name."""
    commands = torch_comes(bootstrap, monkeypatch, "2.13.0", PUBLISHED)
    monkeypatch.setenv("JOINERY_VARIANT", "webgpu")
    bootstrap.install(bootstrap.Progress())
    installs = [command for command in commands if command[3:5] == ["pip", "install"]]
    assert all({"--no-deps", "--only-binary"} <= set(command) for command in installs)
    locked = [command[-1] for command in installs if "--require-hashes" in command]
    assert [Path(lock).name for lock in locked] == ["torch.txt", "constraints.txt", "webgpu.txt"]
    assert [command[-1] for command in installs if "--require-hashes" not in command] == ["torch==2.13.0", "."]
    assert "pip check" in " ".join(commands[-2])
    assert "not verified" not in capsys.readouterr().out


def test_an_unpublished_build_of_torch_is_reported_as_unverified(bootstrap, monkeypatch, capsys):
    commands = torch_comes(bootstrap, monkeypatch, "2.13.0+cpu", "cd" * 32)
    bootstrap.install(bootstrap.Progress())
    assert not any("torch.txt" in command[-1] for command in commands)
    [note] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Note: ")]
    assert note.startswith("Note: torch 2.13.0+cpu is a build of this machine's package index, whose hash is not publ")
    assert note.endswith(f"it is not verified (sha256 {'cd' * 32}).")


def test_a_torch_with_a_published_name_and_another_hash_is_refused(bootstrap, monkeypatch, capsys):
    commands = torch_comes(bootstrap, monkeypatch, "2.13.0", "cd" * 32)
    said = sentence(bootstrap, capsys, "test")
    assert said.startswith("torch 2.13.0 came with a file whose hash is none of the published ones")
    assert len(commands) == 2, "nothing more is installed"
    assert bootstrap.UNFINISHED.exists() and not bootstrap.is_current()


def test_a_torch_that_was_there_before_is_known_by_its_version(bootstrap):
    folder = "Lib" if os.name == "nt" else "lib/python{}.{}".format(*sys.version_info)
    info = bootstrap.VENV / folder / "site-packages" / "torch-2.13.0+cpu.dist-info"
    info.mkdir(parents=True)
    assert not bootstrap.torch_is_published()
    info.rename(info.with_name("torch-2.13.0.dist-info"))
    assert bootstrap.torch_is_published()


def test_a_package_with_another_hash_is_named(bootstrap, monkeypatch, capsys):
    said = """ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package
    rich==15.0.0 from file:///wheels/rich-15.0.0-py3-none-any.whl (from -r constraints.txt (line 9)):
        Expected sha256 abcd"""
    record_runs(bootstrap, monkeypatch, (0, ""), (0, ""), (1, said))
    assert sentence(bootstrap, capsys, "test") == (
        "rich==15.0.0 came with a file whose hash is none of those that Joinery was tested with: nothing of it was "
        "installed; look at where pip gets its packages from."
    )


# ---- the stamp and the state of .venv --------------------------------------------------------------------------------


def test_the_stamp_follows_what_decides(bootstrap, monkeypatch):
    make_venv(bootstrap)
    assert not bootstrap.is_current()
    bootstrap.STAMP.write_text(bootstrap.stamp_key() + "\n", "utf-8")
    assert bootstrap.is_current()

    for name in ("pyproject.toml", "constraints.txt", "torch.txt"):
        file = bootstrap.ROOT / name
        text = file.read_text("utf-8")
        file.write_text(text + "# changed\n", "utf-8")
        assert not bootstrap.is_current()
        file.write_text(text, "utf-8")
        assert bootstrap.is_current()

    monkeypatch.setenv("JOINERY_TORCH_INDEX", "file:///wheels")
    assert not bootstrap.is_current()


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda b: b.UNFINISHED.touch(), "it was left half made"),
        (lambda b: b.venv_python().unlink(), "it has no Python"),
        (lambda b: (b.VENV / "pyvenv.cfg").unlink(), "it is not a virtual environment"),
        (lambda b: (b.VENV / "pyvenv.cfg").write_text("version = 3.4.1\n", "utf-8"), "it belongs to another Python"),
    ],
)
def test_a_broken_venv_is_not_current(bootstrap, damage, reason):
    make_venv(bootstrap)
    bootstrap.STAMP.write_text(bootstrap.stamp_key(), "utf-8")
    damage(bootstrap)
    assert bootstrap.why_broken() == reason
    assert not bootstrap.is_current()


def test_a_whole_install_leaves_a_stamp(bootstrap, monkeypatch, capsys):
    commands = record_runs(bootstrap, monkeypatch)
    bootstrap.install(bootstrap.Progress())
    assert [command[3] for command in commands] == ["venv", *["pip"] * 4]
    assert bootstrap.STAMP.read_text("utf-8").strip() == bootstrap.stamp_key()
    assert not bootstrap.UNFINISHED.exists()
    assert [line.split(" …")[0] for line in capsys.readouterr().out.splitlines()] == [
        f"Making {bootstrap.VENV}",
        "Installing torch==2.13.0",
        "Installing all that Joinery needs",
        "Installing Joinery",
        "Looking whether nothing is missing",
    ]


def test_a_sound_venv_is_brought_up_to_date_in_place(bootstrap, monkeypatch):
    make_venv(bootstrap)
    commands = record_runs(bootstrap, monkeypatch)
    monkeypatch.setattr(bootstrap, "pip_answers", lambda: True)
    bootstrap.install(bootstrap.Progress())
    assert [command[3] for command in commands] == ["pip", "pip", "pip"]


def test_a_venv_without_pip_is_made_anew(bootstrap, monkeypatch, capsys):
    make_venv(bootstrap)
    (bootstrap.VENV / "rubbish").touch()
    commands = record_runs(bootstrap, monkeypatch)
    monkeypatch.setattr(bootstrap, "pip_answers", lambda: False)
    bootstrap.install(bootstrap.Progress())
    assert commands[0][3] == "venv"
    assert not (bootstrap.VENV / "rubbish").exists()
    assert "anew (its pip does not answer)" in capsys.readouterr().out


# ---- one sentence each -----------------------------------------------------------------------------------------------

NO_NETWORK = """\
WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError': Temporary failure in name resolution
ERROR: Could not find a version that satisfies the requirement torch==2.13.0 (from versions: none)
ERROR: No matching distribution found for torch==2.13.0
"""


def test_no_network_for_pip(bootstrap, monkeypatch, capsys):
    record_runs(bootstrap, monkeypatch, (0, ""), (1, NO_NETWORK))
    said = sentence(bootstrap, capsys, "test")
    assert said.startswith("pip cannot reach its package registry: connect this machine to the network")
    assert not bootstrap.STAMP.exists()
    assert not bootstrap.UNFINISHED.exists(), "what pip installed before it failed is sound"


def test_no_build_for_this_machine(bootstrap, monkeypatch, capsys):
    record_runs(bootstrap, monkeypatch, (0, ""), (1, "ERROR: No matching distribution found for torch==2.13.0"))
    assert "run this file with a 64-bit Python" in sentence(bootstrap, capsys, "test")


def test_an_unknown_failure_shows_the_last_lines(bootstrap, monkeypatch, capsys):
    record_runs(bootstrap, monkeypatch, (0, ""), (1, "\n".join(f"line {n}" for n in range(100))))
    assert bootstrap.main(["test"]) == 1
    shown = capsys.readouterr().err.splitlines()
    assert shown[:-1] == [f"line {n}" for n in range(85, 100)]
    assert str(bootstrap.LOG) in shown[-1]


def test_too_little_disk(bootstrap, monkeypatch, capsys):
    commands = record_runs(bootstrap, monkeypatch)
    monkeypatch.setattr(bootstrap.shutil, "disk_usage", lambda path: SimpleNamespace(free=2 * bootstrap.GB))
    said = sentence(bootstrap, capsys, "run")
    assert said.startswith("The disk is too full: Joinery's packages need 3.0 GB and 2.0 GB are free at ")
    assert commands == []
    assert not bootstrap.VENV.exists()


def test_the_disk_fills_up_while_pip_writes(bootstrap, monkeypatch, capsys):
    full = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    record_runs(bootstrap, monkeypatch, (0, ""), (1, full))
    assert sentence(bootstrap, capsys, "test").startswith("The disk is full: free 3 GB where ")
    assert bootstrap.UNFINISHED.exists(), "half-written files: the next run starts anew"


def test_the_disk_is_full_for_ourselves(bootstrap, monkeypatch, capsys):
    def full(progress):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(bootstrap, "install", full)
    assert sentence(bootstrap, capsys, "test").startswith("The disk is full")


def test_interrupted(bootstrap, monkeypatch, capsys):
    def interrupt(command, env, progress, log=None):
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "run_logged", interrupt)
    said = sentence(bootstrap, capsys, "test", code=130)
    assert said == "Interrupted: run the same command again, and it goes on from a sound state."
    assert bootstrap.UNFINISHED.exists()


def test_no_venv_module(bootstrap, monkeypatch, capsys):
    monkeypatch.setattr(bootstrap, "find_spec", lambda name: None)
    assert "no venv module" in sentence(bootstrap, capsys, "test")


@pytest.mark.parametrize("root", [False, True])
def test_no_venv_module_on_debian(bootstrap, monkeypatch, capsys, root):
    package = "python{}.{}-venv".format(*sys.version_info)
    monkeypatch.setattr(bootstrap, "find_spec", lambda name: None)
    monkeypatch.setattr(bootstrap, "is_debian", lambda: True)
    monkeypatch.setattr(bootstrap, "is_root", lambda: root)
    commands = record_runs(bootstrap, monkeypatch, (0, ""), (100, "E: Temporary failure resolving 'mirror'"))
    said = sentence(bootstrap, capsys, "test")
    if root:
        assert commands == bootstrap.apt_commands([package])
        assert said.startswith("apt-get cannot reach its package registry")
    else:
        assert commands == []
        assert f"`sudo apt-get update && sudo apt-get install -y --no-install-recommends {package}`" in said


@pytest.mark.skipif(os.name == "nt", reason="flock is POSIX's")
def test_two_at_a_time(bootstrap, capsys):
    with bootstrap.only_one():
        assert sentence(bootstrap, capsys, "test").startswith("Another installer/bootstrap.py is installing here")
    with bootstrap.only_one():
        pass


def test_the_clock_of_a_step(bootstrap, capsys):
    progress = bootstrap.Progress()
    with progress.step("Doing"):
        pass
    with pytest.raises(ValueError), progress.step("Failing"):
        raise ValueError
    assert capsys.readouterr().out.splitlines() == ["Doing … 0.0 s", "Failing … stopped after 0.0 s"]


def test_a_child_is_run_quietly_and_logged(bootstrap):
    bootstrap.VENV.mkdir()
    command = [sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"]
    code, output = bootstrap.run_logged(command, bootstrap.child_environment(), bootstrap.Progress(), bootstrap.LOG)
    assert code == 3
    assert sorted(output.split()) == ["err", "out"]
    assert "sys.exit(3)" in bootstrap.LOG.read_text("utf-8")


# ---- system libraries ------------------------------------------------------------------------------------------------


def test_packages_for_missing_libraries(bootstrap):
    libraries = ["libEGL.so.1", "libGL.so.1", "libglib-2.0.so.0", "libgthread-2.0.so.0", "libodd.so.4"]
    assert bootstrap.packages_for(libraries) == (["libegl1", "libgl1", "libglib2.0-0"], ["libodd.so.4"])


def test_the_packages_that_were_measured_are_known(bootstrap):
    offscreen = "libgl1 libegl1 libfontconfig1 libglib2.0-0 libxkbcommon0 libdbus-1-3"
    window = "libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
    browser = "libnss3 libasound2 libxcomposite1 libxdamage1 libxrandr2 libxtst6 libxkbfile1 libgssapi-krb5-2"
    assert set(bootstrap.LIBRARIES_BROWSER.values()) == set(browser.split())
    assert set(bootstrap.LIBRARIES_BASE.values()) == set(offscreen.split())
    assert set(bootstrap.LIBRARIES_X11.values()) >= set(window.split())


@pytest.mark.parametrize(
    ("env", "asked"),
    [
        ({"QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":0"}, ["LIBRARIES_BASE"]),
        ({"DISPLAY": ":0"}, ["LIBRARIES_BASE", "LIBRARIES_X11"]),
        ({"WAYLAND_DISPLAY": "wayland-0"}, ["LIBRARIES_BASE", "LIBRARIES_WAYLAND"]),
    ],
)
def test_all_missing_libraries_are_found_at_once(bootstrap, monkeypatch, env, asked):
    seen = []
    monkeypatch.setattr(bootstrap, "unloadable", lambda libraries: seen.extend(libraries) or ["libGL.so.1"])
    output = "ImportError: libEGL.so.1: cannot open shared object file: No such file or directory"
    assert bootstrap.missing_packages(output, env) == (["libegl1", "libgl1"], [])
    assert seen == [name for group in asked for name in getattr(bootstrap, group)]


def probes(bootstrap, monkeypatch, *answers: tuple[bool, str], missing: tuple[str, ...] = ()) -> None:
    left = list(answers)
    monkeypatch.setattr(bootstrap, "probe_qt", lambda env: left.pop(0))
    monkeypatch.setattr(bootstrap, "unloadable", lambda libraries: list(missing))


EGL = (False, "ImportError: libEGL.so.1: cannot open shared object file: No such file or directory")
UP = (True, "fonts: 9\n")


def test_missing_libraries_without_root_are_one_sentence(bootstrap, monkeypatch, capsys):
    make_venv(bootstrap)
    bootstrap.STAMP.write_text(bootstrap.stamp_key(), "utf-8")
    probes(bootstrap, monkeypatch, EGL, missing=("libGL.so.1",))
    monkeypatch.setattr(bootstrap, "is_debian", lambda: True)
    assert sentence(bootstrap, capsys, "test") == (
        "Qt misses system libraries: run `sudo apt-get update && sudo apt-get install -y --no-install-recommends "
        "libegl1 libgl1`, then run this again."
    )


def test_missing_libraries_elsewhere_are_named(bootstrap, monkeypatch):
    probes(bootstrap, monkeypatch, EGL)
    with pytest.raises(bootstrap.SetupError, match=r"install what Debian calls libegl1 with"):
        bootstrap.ensure_qt({"QT_QPA_PLATFORM": "offscreen"}, bootstrap.Progress())


def test_root_on_debian_installs_them_and_looks_again(bootstrap, monkeypatch):
    probes(bootstrap, monkeypatch, EGL, UP)
    monkeypatch.setattr(bootstrap, "is_debian", lambda: True)
    monkeypatch.setattr(bootstrap, "is_root", lambda: True)
    commands = record_runs(bootstrap, monkeypatch)
    assert bootstrap.ensure_qt({"QT_QPA_PLATFORM": "offscreen"}, bootstrap.Progress())
    assert commands == [
        ["apt-get", "update"],
        ["apt-get", "install", "-y", "--no-install-recommends", "libegl1"],
    ]


def test_what_the_browser_misses_is_installed_by_root_alone(bootstrap, monkeypatch):
    probes(bootstrap, monkeypatch, UP, UP, missing=("libnss3.so", "libXtst.so.6"))
    monkeypatch.setattr(bootstrap, "is_debian", lambda: True)
    commands = record_runs(bootstrap, monkeypatch)
    monkeypatch.setattr(bootstrap, "is_root", lambda: False)
    assert bootstrap.ensure_qt({"QT_QPA_PLATFORM": "offscreen"}, bootstrap.Progress())
    assert commands == []
    monkeypatch.setattr(bootstrap, "is_root", lambda: True)
    assert bootstrap.ensure_qt({"QT_QPA_PLATFORM": "offscreen"}, bootstrap.Progress())
    assert commands[-1] == ["apt-get", "install", "-y", "--no-install-recommends", "libnss3", "libxtst6"]


def test_without_the_browser_the_window_still_starts(bootstrap, monkeypatch, capsys):
    probes(bootstrap, monkeypatch, UP, missing=("libnss3.so",))
    monkeypatch.setattr(bootstrap, "is_debian", lambda: True)
    monkeypatch.setattr(bootstrap, "is_root", lambda: True)
    monkeypatch.setattr(bootstrap, "run_logged", lambda *_: (100, "Unable to connect"))
    assert bootstrap.ensure_qt({"QT_QPA_PLATFORM": "offscreen"}, bootstrap.Progress())
    assert "Netron's view stays away" in capsys.readouterr().out


def test_a_library_that_nobody_knows_is_named(bootstrap, monkeypatch):
    probes(bootstrap, monkeypatch, (False, "ImportError: libodd.so.4: cannot open shared object file: No such file"))
    with pytest.raises(bootstrap.SetupError, match=r"Qt cannot load libodd\.so\.4: install"):
        bootstrap.ensure_qt({"QT_QPA_PLATFORM": "offscreen"}, bootstrap.Progress())


def test_no_font(bootstrap, monkeypatch):
    probes(bootstrap, monkeypatch, (True, "fonts: 0\n"))
    with pytest.raises(bootstrap.SetupError, match=r"no font.*fonts-dejavu-core"):
        bootstrap.ensure_qt({"QT_QPA_PLATFORM": "offscreen"}, bootstrap.Progress())


def test_a_display_that_does_not_answer_means_pictures(bootstrap, monkeypatch, capsys):
    make_venv(bootstrap)
    bootstrap.STAMP.write_text(bootstrap.stamp_key(), "utf-8")
    monkeypatch.setenv("DISPLAY", ":98")
    probes(bootstrap, monkeypatch, UP, (False, 'Could not load the Qt platform plugin "xcb"'))
    assert bootstrap.prepare("run", bootstrap.Progress()) is False
    assert "The display does not answer: making pictures" in capsys.readouterr().out


def test_a_venv_without_qt_is_made_anew_next_time(bootstrap, monkeypatch, capsys):
    make_venv(bootstrap)
    bootstrap.STAMP.write_text(bootstrap.stamp_key(), "utf-8")
    probes(bootstrap, monkeypatch, (False, "ModuleNotFoundError: No module named 'PySide6'"))
    assert "it is made anew" in sentence(bootstrap, capsys, "test")
    assert bootstrap.why_broken() == "it was left half made"


def test_qt_comes_up_here():
    module = load()
    if not module.venv_python().exists():
        pytest.skip("this checkout has no .venv of its own")
    came_up, output = module.probe_qt(module.child_environment(QT_QPA_PLATFORM="offscreen"))
    assert came_up, output


# ---- the start -------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="Windows has no exec")
def test_the_tests_take_the_place_of_the_installer(bootstrap, monkeypatch):
    make_venv(bootstrap)
    bootstrap.STAMP.write_text(bootstrap.stamp_key(), "utf-8")
    probes(bootstrap, monkeypatch, UP)
    became = []
    monkeypatch.setattr(bootstrap.os, "execve", lambda *call: became.append(call))
    monkeypatch.setattr(bootstrap.os, "chdir", became.append)
    monkeypatch.setattr(bootstrap.subprocess, "Popen", lambda *call, **_: SimpleNamespace(wait=lambda: 0))
    bootstrap.main(["test", "-x"])
    folder, (python, line, env) = became
    assert folder == bootstrap.ROOT
    assert line == [python, "-P", "-m", "pytest", "-n", "auto", "--maxprocesses", "4", "-x"]
    assert env["QT_QPA_PLATFORM"] == "offscreen"
    assert env["ORT_DISABLE_TELEMETRY"] == "1"


@pytest.mark.parametrize("chosen", [["-n", "0"], ["-n1"], ["--numprocesses=3"], ["--dist=loadfile"], ["-x", "--pdb"]])
def test_a_person_who_says_how_many_workers_gets_them(bootstrap, chosen):
    command, _ = bootstrap.start_command("test", chosen, display=False)
    assert command[3:] == ["pytest", *chosen]


def test_the_environment_of_another_python_is_not_passed_on(bootstrap, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("VIRTUAL_ENV", "/elsewhere")
    assert not {"PYTHONPATH", "VIRTUAL_ENV"} & bootstrap.child_environment().keys()


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ('PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n', True),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', True),
        ('ID=fedora\nID_LIKE="rhel centos"\n', False),
    ],
)
def test_relatives_of_debian(tmp_path, monkeypatch, release, expected):
    module = load()
    monkeypatch.setattr(module, "on_linux", lambda: True)
    monkeypatch.setattr(module.shutil, "which", lambda name: "/usr/bin/" + name)
    file = tmp_path / "os-release"
    file.write_text(release, "utf-8")
    assert module.is_debian(file) is expected


# ---- variants --------------------------------------------------------------------------------------------------------


def test_a_variant_is_installed_after_the_rest_and_remembered(bootstrap, monkeypatch, capsys):
    """Without dependencies; another build of onnxruntime takes the place of the plain one."""
    monkeypatch.setattr(bootstrap.sys, "platform", "win32")
    monkeypatch.setattr(bootstrap, "ensure_venv_module", lambda progress: None)
    commands = record_runs(bootstrap, monkeypatch)
    assert bootstrap.take_variant(["-k", "x", "--variant", "windowsml"]) == ["-k", "x"]
    bootstrap.install(bootstrap.Progress())
    *_, taken_out, installed = commands
    assert taken_out[-3:] == ["uninstall", "-y", "onnxruntime"]
    assert installed[-5:-1] == ["--require-hashes", "--no-deps", "--force-reinstall", "-r"]
    assert installed[-1].endswith("windowsml.txt")
    monkeypatch.delenv("JOINERY_VARIANT")
    assert bootstrap.variant() == bootstrap.installed_variant() == "windowsml"
    before = bootstrap.stamp_key()
    monkeypatch.setenv("JOINERY_VARIANT", "qnn")
    assert bootstrap.why_broken() == "it holds the variant windowsml" and bootstrap.stamp_key() != before


def test_the_cpu_needs_nothing_more(bootstrap, monkeypatch):
    assert bootstrap.variant() == "cpu" and bootstrap.variant_commands() == []
    assert bootstrap.take_variant(["-x"]) == ["-x"]


def test_variants_that_cannot_be(bootstrap, capsys, monkeypatch):
    monkeypatch.setattr(bootstrap.sys, "platform", "linux")
    said = sentence(bootstrap, capsys, "test", "--dry-run", "--variant", "npu")
    assert said == "The variant npu is unknown: choose one of cpu, linux-qnn, webgpu."
    said = sentence(bootstrap, capsys, "test", "--variant", "directml")
    assert said == "The variant directml is not for this system: choose one of cpu, linux-qnn, webgpu."
    assert "takes a name" in sentence(bootstrap, capsys, "run", "--variant", code=2)


def test_windows_has_its_python_elsewhere(bootstrap, monkeypatch):
    monkeypatch.setattr(bootstrap.os, "name", "nt")
    assert bootstrap.venv_python().parts[-2:] == ("Scripts", "python.exe")
