"""Two commands that take a fresh clone to a working Joinery, with the standard library alone.

    python3 installer/bootstrap.py run  [--dry-run] [--variant NAME] [arguments of the window…]
    python3 installer/bootstrap.py test [--dry-run] [--variant NAME] [arguments of pytest…]

    Python → .venv → disk → torch → the rest, by the hashes in constraints.txt → stamp → Qt's libraries → start

`run` opens the window; where there is no display it does the same tour offscreen and leaves pictures in `tour/`.
Both keep everything in `.venv` beside pyproject.toml. A stamp in it makes the next start a matter of seconds; it is
brought up to date when pyproject.toml or constraints.txt change, and made anew when it is broken or half made.

A variant is a file of installer/requirements: what of onnxruntime there is beside the CPU. It is remembered; another
one makes .venv anew.

As root on Debian and its relatives missing system packages are installed with apt-get; elsewhere one sentence says
what to do. Each failure is one sentence with exit code 1; interrupted is 130.

Environment:
    JOINERY_VARIANT       as --variant
    JOINERY_TORCH_INDEX   a package index for torch alone (PyTorch's CPU index, say: on Linux the default build
                          brings several GB of CUDA libraries along)
    QT_QPA_PLATFORM       `offscreen` means: there is no display
"""

# An older Python must be able to *read* this file as far as the check below: no syntax that is newer than 3.6.
import contextlib
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

OLDEST_PYTHON = (3, 11)


def require_python():
    """Leave with one sentence when this Python is too old. Everything below may use today's annotations."""
    if sys.version_info < OLDEST_PYTHON:
        sys.exit(
            "Joinery needs Python {}.{} or newer, this is {}.{}: install a newer one and run this file with it.".format(
                *(OLDEST_PYTHON + tuple(sys.version_info[:2]))
            )
        )


require_python()

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "joinery.stamp"  # the key of what is installed; absent while it is not known to be whole
UNFINISHED = VENV / "joinery.unfinished"  # there while pip writes; still there at the next start: it was killed
LOG = VENV / "joinery.log"  # what pip and apt-get said
VARIANT = VENV / "joinery.variant"  # its name
REQUIREMENTS = Path(__file__).resolve().parent / "requirements"
LOCKS = ROOT / "resources" / "locks"
TORCH_LOCK = LOCKS / "torch.txt"  # its published files, and what the one for Linux needs
BUILD_LOCK = LOCKS / "build.txt"  # of the build part without torch; constraints.txt refers to it
PLUGINS = ROOT / "resources" / "plugins"  # what variants refer to
LOCK = Path(__file__).resolve()  # any file that is always there and stays as it is

TORCH = "torch==2.13.0"
REPORT = VENV / "joinery.torch.json"  # pip's, of the torch that it installed

GB = 10**9
# Measured on Linux x86-64, Python 3.11: .venv with the CPU build of torch 2.1 GB, pip's cache and temporary files
# 0.6 GB; the CUDA build brings about 4 GB more.
SPACE_NEW = 3 * GB
SPACE_UPDATE = GB // 2
SPACE_CUDA = 8 * GB

# What Qt loads → the package that holds it (Debian's were tried on a bare bookworm without recommended packages).
# The window reads the same file before it starts.
LIBRARIES = json.loads((ROOT / "resources" / "libraries.json").read_text("utf-8"))
LIBRARIES_BASE, LIBRARIES_X11, LIBRARIES_WAYLAND, LIBRARIES_BROWSER = (
    {name: managers["apt"] for name, managers in LIBRARIES[kind].items()}
    for kind in ("base", "xcb", "wayland", "browser")
)
PACKAGE_OF = {**LIBRARIES_BASE, **LIBRARIES_X11, **LIBRARIES_WAYLAND, **LIBRARIES_BROWSER}
FONT_PACKAGE = "fonts-dejavu-core"
RENAMED_WITH_T64 = {"libglib2.0-0", "libasound2"}  # Debian 13 and Ubuntu 24.04 renamed these when time_t grew

PROBE_QT = """
from PySide6 import QtGui, QtWidgets
application = QtWidgets.QApplication(["joinery"])
print("fonts:", len(QtGui.QFontDatabase.families()))
"""
PROBE_LIBRARIES = """
import ctypes, sys
for name in sys.argv[1:]:
    try:
        ctypes.CDLL(name)
    except OSError:
        print(name)
"""

NO_NETWORK = re.compile(
    r"NewConnectionError|NameResolutionError|name resolution|Name or service not known|getaddrinfo failed|nodename nor"
    r"|ConnectTimeoutError|ReadTimeoutError|Read timed out|ProxyError|Network is unreachable|Connection refused"
    r"|Max retries exceeded|CERTIFICATE_VERIFY_FAILED|Temporary failure resolving|Could not resolve|Could not connect"
    r"|Unable to connect"
)
DISK_FULL = re.compile(r"No space left on device|Errno 28|not enough space on the disk|don't have enough free space")
NO_BUILD = re.compile(r"No matching distribution found")
LONG_PATH = re.compile(r"Long Path support")
WRONG_HASH = re.compile(r"DO NOT MATCH THE HASHES")
MISSING_LIBRARY = re.compile(r"(lib[\w.+-]+\.so[\w.]*): cannot open shared object file")


class SetupError(Exception):
    """One sentence for the person at the terminal; `details` are the last lines of what failed."""

    def __init__(self, sentence: str, details: str = "", code: int = 1):
        super().__init__(sentence)
        self.details = details
        self.code = code


# ---- what this machine is --------------------------------------------------------------------------------------------


def on_linux() -> bool:
    return sys.platform.startswith("linux")


def has_display(env: dict[str, str]) -> bool:
    """Whether a window can be opened, as far as the environment tells."""
    if env.get("QT_QPA_PLATFORM", "").split(":")[0] in ("offscreen", "minimal"):
        return False
    return not on_linux() or bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))


def is_debian(os_release: Path = Path("/etc/os-release")) -> bool:
    if not on_linux() or not os_release.is_file() or shutil.which("apt-get") is None:
        return False
    ids = re.findall(r"^ID(?:_LIKE)?=(.*)$", os_release.read_text("utf-8"), re.MULTILINE)
    return bool({"debian", "ubuntu"} & set(" ".join(ids).replace('"', "").split()))


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def venv_command(*arguments: str) -> list[str]:
    """A command line of .venv's Python; -P keeps the current folder off its import path, so that nothing there runs."""
    return [str(venv_python()), "-P", *arguments]


def child_environment(**extra: str) -> dict[str, str]:
    """The environment of every process started here: onnxruntime's telemetry off, nothing of another virtual one."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")}
    return {**env, "ORT_DISABLE_TELEMETRY": "1", **extra}


# ---- saying what happens ---------------------------------------------------------------------------------------------


class Progress:
    """One line a step: its title at once, its seconds when it is over (and a running clock on a terminal)."""

    def __init__(self) -> None:
        self.live = sys.stdout.isatty()

    @contextlib.contextmanager
    def step(self, title: str) -> Iterator[None]:
        self.title, self.started = title, time.monotonic()
        print(title + " …", end="", flush=True)
        try:
            yield
        except BaseException:
            print(f"{self._restart()} stopped after {self.seconds():.1f} s", flush=True)
            raise
        print(f"{self._restart()} {self.seconds():.1f} s", flush=True)

    def seconds(self) -> float:
        return time.monotonic() - self.started

    def tick(self) -> None:
        if self.live:
            print(f"{self._restart()} {self.seconds():.0f} s", end="", flush=True)

    def _restart(self) -> str:
        return f"\r{self.title} …" if self.live else ""


def run_logged(command: list[str], env: dict[str, str], progress: Progress, log: Path | None = None) -> tuple[int, str]:
    """Run quietly; the exit code and all that was printed, which is also appended to the log."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            while True:
                try:
                    code = child.wait(timeout=1)
                    break
                except subprocess.TimeoutExpired:
                    progress.tick()
        except BaseException:
            stop(child)
            raise
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    if log is not None and log.parent.is_dir():
        with contextlib.suppress(OSError), log.open("a", encoding="utf-8") as file:  # a full disk is told from `text`
            file.write(f"$ {shlex.join(command)}\n{text}\n")
    return code, text


def stop(child: subprocess.Popen[bytes]) -> None:
    """End a child that may have heard Ctrl+C as well: some time to tidy up, then no more."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout=5)
        return
    child.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout=5)
        return
    child.kill()
    child.wait()


def last_lines(text: str, count: int = 15) -> str:
    return "\n".join([line for line in text.splitlines() if line.strip()][-count:])


def explain(tool: str, output: str) -> SetupError:
    """What pip's or apt-get's last words mean, as one sentence that says what to do, with the line that told it."""
    if DISK_FULL.search(output):
        return disk_full(telling_line(DISK_FULL, output))
    if WRONG_HASH.search(output):
        named = re.search(r"^ +(\S+==\S+) from ", output.partition("DO NOT MATCH")[2], re.MULTILINE)
        return SetupError(
            f"{named[1] if named else 'A package'} came with a file whose hash is none of those that Joinery was tested"
            " with: nothing of it was installed; look at where pip gets its packages from.",
            telling_line(WRONG_HASH, output),
        )
    if NO_NETWORK.search(output):
        return SetupError(
            f"{tool} cannot reach its package registry: connect this machine to the network (or set {tool}'s proxy or "
            "mirror), then run the same command again.",
            telling_line(NO_NETWORK, output),
        )
    if NO_BUILD.search(output):
        return SetupError(
            "This Python is {}.{} on {}, and a package has no build for it: run this file with a 64-bit Python 3.11, "
            "3.12 or 3.13.".format(*sys.version_info[:2], platform.machine()),
            telling_line(NO_BUILD, output),
        )
    if LONG_PATH.search(output):
        return SetupError(
            "Windows cuts long paths off: enable long paths in its settings, then run this again.",
            telling_line(LONG_PATH, output),
        )
    return SetupError(
        f"{tool} failed: its last lines are above and the whole is in {LOG}; mend that, then run this again.",
        last_lines(output),
    )


def telling_line(cause: re.Pattern[str], output: str) -> str:
    return next(line.strip()[:300] for line in output.splitlines() if cause.search(line))


def disk_full(details: str = "") -> SetupError:
    return SetupError(
        f"The disk is full: free {SPACE_NEW / GB:.0f} GB where {VENV} and {tempfile.gettempdir()} are, then run the "
        "same command again.",
        details,
    )


# ---- the virtual environment -----------------------------------------------------------------------------------------


def installed_variant() -> str:
    return VARIANT.read_text("utf-8").strip() if VARIANT.is_file() else "cpu"


def variant() -> str:
    """The one that was asked for, else the one that is there."""
    return os.environ.get("JOINERY_VARIANT") or installed_variant()


def variant_file() -> Path:
    """Its requirements. Raises SetupError for a variant that there is not, or not for this system."""
    known = sorted(REQUIREMENTS.glob("*.txt"))
    fit = [path for path in known if all(sys.platform.startswith(system) for system in said_in(path, "needs"))]
    path = REQUIREMENTS / f"{variant()}.txt"
    if path not in fit:
        why = "is not for this system" if path in known else "is unknown"
        raise SetupError(f"The variant {variant()} {why}: choose one of {', '.join(path.stem for path in fit)}.")
    return path


def said_in(path: Path, word: str) -> list[str]:
    """What a requirements file says in its `# word: value` lines."""
    return re.findall(rf"^# {word}: (\S+)$", path.read_text("utf-8"), re.MULTILINE)


def variant_commands() -> list[tuple[str, list[str]]]:
    """What makes the variant of what pyproject.toml brings; nothing of it brings dependencies along."""
    path = variant_file()
    if not re.search(r"^[^#\s]", path.read_text("utf-8"), re.MULTILINE):
        return []
    replaced = said_in(path, "replaces")
    out = [(f"Taking {name} out", venv_command("-m", "pip", "uninstall", "-y", name)) for name in replaced]
    anew = ["--force-reinstall"] if replaced else []  # what was taken out had files of the same names
    return [*out, (f"Installing the variant {variant()}", pip_install(*LOCKED, *anew, "-r", str(path)))]


def stamp_key() -> str:
    """A hash of all that decides what .venv holds, its place included (a moved checkout needs it made anew)."""
    digest = hashlib.sha256()
    for part in (
        (ROOT / "pyproject.toml").read_bytes(),
        (ROOT / "constraints.txt").read_bytes(),
        TORCH_LOCK.read_bytes(),
        BUILD_LOCK.read_bytes(),
        variant_file().read_bytes(),
        *(path.read_bytes() for path in sorted(PLUGINS.glob("*.txt"))),
        repr((sys.version_info[:3], sys.platform, TORCH, str(ROOT))).encode(),
        os.environ.get("JOINERY_TORCH_INDEX", "").encode(),
    ):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def is_current() -> bool:
    return STAMP.is_file() and STAMP.read_text("utf-8").strip() == stamp_key() and why_broken() == ""


def why_broken() -> str:
    """Why .venv must be made anew, or nothing. It may be out of date and still be sound."""
    if UNFINISHED.exists():
        return "it was left half made"
    if installed_variant() != variant():
        return f"it holds the variant {installed_variant()}"
    if not venv_python().exists():
        return "it has no Python"
    config = VENV / "pyvenv.cfg"
    if not config.is_file():
        return "it is not a virtual environment"
    version = re.search(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", config.read_text("utf-8"), re.MULTILINE)
    if version is None or version.group(1) != "{}.{}".format(*sys.version_info):
        return "it belongs to another Python"
    return ""


def pip_answers() -> bool:
    command = venv_command("-m", "pip", "--version")
    try:
        return subprocess.run(command, capture_output=True, env=child_environment(), check=False).returncode == 0
    except OSError:
        return False


LOCKED = ("--require-hashes", "--no-deps")  # what a lock does not name is not installed, whoever asks for it


def pip_install(*arguments: str) -> list[str]:
    """Wheels alone, for building from sources runs their code. Its own check of an index is --require-hashes."""
    quiet = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--retries", "2"]
    return venv_command("-m", "pip", "install", *quiet, "--only-binary", ":all:", *arguments)


def install_commands(new: bool) -> Iterator[tuple[str, list[str]]]:
    """Titles and pip's command lines, in order; what comes after torch hangs on which torch has come.

    new: .venv holds nothing yet, so that nothing of another's can be what does not fit.
    """
    index = os.environ.get("JOINERY_TORCH_INDEX")
    own_index = ["--index-url", index] if index else []
    yield f"Installing {TORCH}", pip_install("--no-deps", "--report", str(REPORT), *own_index, TORCH)
    if torch_is_published():
        yield "Installing what this torch needs", pip_install(*LOCKED, "-r", str(TORCH_LOCK))
    yield "Installing all that Joinery needs", pip_install(*LOCKED, "-r", "constraints.txt")
    yield "Installing Joinery", pip_install("--no-deps", "--no-build-isolation", "-e", ".")
    if new:
        yield "Looking whether nothing is missing", venv_command("-m", "pip", "check", "--disable-pip-version-check")
    yield from variant_commands()


def torch_is_published() -> bool:
    """Whether the torch that pip has just installed is one of the published files, which are told by their hashes.

    Says so where it is another build (2.13.0+cpu), for then nobody has verified it. Raises SetupError for a file that
    has a published one's name and another hash. Without a report, and where torch was there before: by its version.
    """
    report = json.loads(REPORT.read_text("utf-8")) if REPORT.is_file() else {"install": []}
    REPORT.unlink(missing_ok=True)
    for one in report["install"]:
        version, archive = one["metadata"]["version"], one["download_info"]["archive_info"]
        digest = archive.get("hashes", {}).get("sha256") or archive["hash"].partition("=")[2]
        if f"sha256:{digest}" in TORCH_LOCK.read_text("utf-8"):
            return True
        if "+" not in version:
            raise SetupError(
                f"torch {version} came with a file whose hash is none of the published ones: .venv is made anew next "
                "time; look at where pip gets its packages from.",
                f"sha256 {digest}",
            )
        print(
            f"Note: torch {version} is a build of this machine's package index, whose hash is not published: it is not "
            f"verified (sha256 {digest}).",
            flush=True,
        )
    folder = VENV / ("Lib" if os.name == "nt" else "lib/python{}.{}".format(*sys.version_info)) / "site-packages"
    return (folder / f"{TORCH.replace('==', '-')}.dist-info").is_dir()


def make_venv_command() -> list[str]:
    # Asked from within .venv itself, the Python that it was made with makes the next one.
    return [getattr(sys, "_base_executable", None) or sys.executable, "-P", "-m", "venv", str(VENV)]


def check_space(needed: int) -> None:
    free = shutil.disk_usage(ROOT).free
    if free < needed:
        raise SetupError(
            f"The disk is too full: Joinery's packages need {needed / GB:.1f} GB and {free / GB:.1f} GB are free at "
            f"{ROOT}, so make room there and run the same command again."
        )
    if needed == SPACE_NEW and free < SPACE_CUDA and on_linux() and not os.environ.get("JOINERY_TORCH_INDEX"):
        print(
            f"Note: {free / GB:.1f} GB are free; should pip choose torch with CUDA, {SPACE_CUDA / GB:.0f} GB are "
            "needed (JOINERY_TORCH_INDEX can name an index with the CPU build)."
        )


def ensure_venv_module(progress: Progress) -> None:
    """Debian splits the makings of virtual environments off from Python."""
    if find_spec("venv") is not None and find_spec("ensurepip") is not None:
        return
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    if is_debian():
        apt_install([package], "This Python cannot make virtual environments", progress)
        return
    raise SetupError(
        "This Python has no venv module: install it with your system's packages, or Python from python.org."
    )


def install(progress: Progress) -> None:
    """Make or mend .venv, and stamp it when it is whole."""
    broken = why_broken() if VENV.exists() else "new"
    if not broken and not pip_answers():
        broken = "its pip does not answer"
    if broken:
        remove_venv()
    check_space(SPACE_NEW if broken else SPACE_UPDATE)
    ensure_venv_module(progress)
    if broken:
        make_venv(progress, "" if broken == "new" else f" anew ({broken})")
    STAMP.unlink(missing_ok=True)
    UNFINISHED.touch()
    VARIANT.write_text(variant() + "\n", "utf-8")
    for title, command in install_commands(bool(broken)):
        with progress.step(title):
            code, output = run_logged(command, child_environment(), progress, LOG)
            if code:
                if not DISK_FULL.search(output):
                    UNFINISHED.unlink()  # pip undid its step: what is there is sound, and the next run goes on from it
                raise explain("pip", output)
    STAMP.write_text(stamp_key() + "\n", "utf-8")
    UNFINISHED.unlink()


def remove_venv() -> None:
    if VENV.is_symlink() or VENV.is_file():
        VENV.unlink()
    elif VENV.exists():
        shutil.rmtree(VENV)


def make_venv(progress: Progress, why: str) -> None:
    with progress.step(f"Making {VENV}{why}"):
        VENV.mkdir()
        UNFINISHED.touch()
        code, output = run_logged(make_venv_command(), child_environment(), progress, LOG)
        if code:
            raise explain("venv", output)


# ---- system libraries ------------------------------------------------------------------------------------------------


def packages_for(libraries: list[str]) -> tuple[list[str], list[str]]:
    """Debian packages for missing libraries, and those that nobody here knows."""
    packages = sorted({PACKAGE_OF[name] for name in libraries if name in PACKAGE_OF})
    return packages, [name for name in libraries if name not in PACKAGE_OF]


def probe_qt(env: dict[str, str]) -> tuple[bool, str]:
    """Really import QtWidgets and make an application, in a child: whether it came up, and what it said."""
    command = venv_command("-c", PROBE_QT)
    try:
        child = subprocess.run(
            command, env=env, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        return False, "no answer within a minute"
    return child.returncode == 0, (child.stdout + child.stderr).decode("utf-8", "replace")


def unloadable(libraries: list[str]) -> list[str]:
    command = venv_command("-c", PROBE_LIBRARIES, *libraries)
    child = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=child_environment())
    return child.stdout.split()


def missing_packages(output: str, env: dict[str, str]) -> tuple[list[str], list[str]]:
    """What to install after a probe failed: the library that it named, and all others that would come up next."""
    candidates = dict(LIBRARIES_BASE)
    if env.get("QT_QPA_PLATFORM") != "offscreen":
        candidates.update(LIBRARIES_X11 if env.get("DISPLAY") else {})
        candidates.update(LIBRARIES_WAYLAND if env.get("WAYLAND_DISPLAY") else {})
    return packages_for(sorted({*MISSING_LIBRARY.findall(output), *unloadable(list(candidates))}))


def ensure_qt(env: dict[str, str], progress: Progress) -> bool:
    """Install or name what Qt misses. False: all is there, but the display does not answer."""
    for last_try in (False, True):
        came_up, output = probe_qt(env)
        if came_up:
            if on_linux() and re.search(r"fonts: 0\b", output):
                apt_install([FONT_PACKAGE], "There is no font for the window to write with", progress)
            ensure_browser(progress)
            return True
        if "No module named" in output:
            STAMP.unlink(missing_ok=True)
            UNFINISHED.touch()
            raise SetupError(f"{VENV} is damaged: run the same command again, and it is made anew.", last_lines(output))
        packages, unknown = missing_packages(output, env) if on_linux() else ([], [])
        if unknown:
            raise SetupError(
                f"Qt cannot load {', '.join(unknown)}: install the system package that holds it, then run this again.",
                last_lines(output),
            )
        if not packages or last_try:
            break
        apt_install(packages, "Qt misses system libraries", progress)
    if env.get("QT_QPA_PLATFORM") != "offscreen" and on_linux():
        return False
    if sys.platform == "win32" and "DLL load failed" in output:
        raise SetupError(
            "Qt cannot be loaded: install Microsoft's Visual C++ Redistributable (x64), then run this again."
        )
    raise SetupError("Qt does not start on this machine: what it said is above; mend that and run this again.", output)


def ensure_browser(progress: Progress) -> None:
    """What Netron's view misses, where it can be installed; where not, the window says so when it is asked for."""
    if not (is_root() and is_debian()):
        return
    packages, _ = packages_for(sorted(unloadable(list(LIBRARIES_BROWSER))))
    if packages:
        try:
            apt_install(packages, "Netron's view of a graph misses system libraries", progress)
        except SetupError as error:
            print(f"Netron's view stays away: {error}", flush=True)


def apt_commands(packages: list[str]) -> list[list[str]]:
    return [["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *packages]]


def apt_install(packages: list[str], why: str, progress: Progress) -> None:
    """As root on a relative of Debian install them; otherwise say how."""
    listed = " ".join(packages)
    if not is_debian():
        raise SetupError(
            f"{why}: install what Debian calls {listed} with your system's package manager, then run this again."
        )
    if not is_root():
        line = " && ".join("sudo " + shlex.join(command) for command in apt_commands(packages))
        raise SetupError(f"{why}: run `{line}`, then run this again.")
    env = child_environment(DEBIAN_FRONTEND="noninteractive")
    update, _ = apt_commands(packages)
    with progress.step(f"{why}; installing {listed}"):
        _, said = run_logged(update, env, progress, LOG)  # one foreign source may fail; what counts is the next step
        _, command = apt_commands([renamed(package) for package in packages])
        code, more = run_logged(command, env, progress, LOG)
        if code:
            raise explain("apt-get", said + more)


def renamed(package: str) -> str:
    """The package's name on this release."""
    if package not in RENAMED_WITH_T64:
        return package
    found = subprocess.run(["apt-cache", "show", package + "t64"], capture_output=True, check=False)
    return package + "t64" if found.returncode == 0 else package


# ---- the two commands ------------------------------------------------------------------------------------------------


def start_command(command: str, arguments: list[str], display: bool) -> tuple[list[str], dict[str, str]]:
    """The process that all of this is for, and what its environment adds."""
    if command == "test":
        # a worker a core, so a thread a worker: torch's would wait for each other
        defaults = {"QT_QPA_PLATFORM": "offscreen", "OMP_NUM_THREADS": "1"}
        given = {name: os.environ.get(name, value) for name, value in defaults.items()}
        return venv_command("-m", "pytest", *test_workers(arguments), *arguments), given
    if display:
        return venv_command("-m", "app", *arguments), {}
    return venv_command("-m", "app", "--tour", "tour", *arguments), {"QT_QPA_PLATFORM": "offscreen"}


def test_workers(arguments: list[str]) -> list[str]:
    """What has pytest use every core, up to four, unless the arguments say how many or want to stop in a debugger."""
    if any(argument.startswith(("-n", "--numprocesses", "--dist", "--pdb", "--trace")) for argument in arguments):
        return []
    return ["-n", "auto", "--maxprocesses", "4"]


def take_variant(arguments: list[str]) -> list[str]:
    """The arguments without `--variant NAME`, which the environment says from then on. Raises SetupError."""
    if "--variant" not in arguments:
        return arguments
    at = arguments.index("--variant")
    if at + 1 == len(arguments):
        raise SetupError("--variant takes a name: that of a file in installer/requirements.", code=2)
    os.environ["JOINERY_VARIANT"] = arguments[at + 1]
    variant_file()
    return arguments[:at] + arguments[at + 2 :]


def dry_run(command: str, arguments: list[str]) -> None:
    if is_current():
        print(f"{VENV} is up to date: nothing would be installed.")
    else:
        broken = why_broken()
        if broken:
            again = f" anew, for {broken}" if VENV.exists() else ""
            print(f"would make {VENV}{again}: {shlex.join(make_venv_command())}")
            print(f"would need {SPACE_NEW / GB:.0f} GB of free disk")
        for _, line in install_commands(bool(broken)):
            print(f"would run: {shlex.join(line)}")
    display = command == "run" and has_display(dict(os.environ))
    if on_linux():
        how = "install" if is_root() and is_debian() else "name"
        print(f"would start Qt {'on the display' if display else 'offscreen'}, and {how} the system packages it misses")
    line, extra = start_command(command, arguments, display)
    print("would run: " + " ".join([*(f"{name}={value}" for name, value in extra.items()), shlex.join(line)]))


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Two of these must not install into one .venv: the lock is on a file of the checkout."""
    with LOCK.open("rb") as file:
        try:
            lock(file)
        except (BlockingIOError, PermissionError):
            raise SetupError(
                "Another installer/bootstrap.py is installing here: wait until it is done, then run this again."
            ) from None
        except OSError:
            pass  # a file system without locks: do without
        yield


def lock(file: BinaryIO) -> None:
    if sys.platform == "win32":
        import msvcrt

        file.seek(2**30)  # a byte that no one reads
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def prepare(command: str, progress: Progress) -> bool:
    """All that must be there before the start. True: there is a display that answers."""
    with only_one():
        if not is_current():
            install(progress)
        offscreen = child_environment(QT_QPA_PLATFORM="offscreen")
        ensure_qt(offscreen, progress)
        display = command == "run" and has_display(dict(os.environ))
        if display and not ensure_qt(child_environment(), progress):
            print("The display does not answer: making pictures instead of a window.", flush=True)
            display = False
        return display


def start(line: list[str], env: dict[str, str]) -> int:
    """Become the window or the tests; Windows cannot, so there wait for them."""
    os.chdir(ROOT)
    sys.stdout.flush()
    if os.name != "nt":
        os.execve(line[0], line, env)
    child = subprocess.Popen(line, env=env)
    while True:
        with contextlib.suppress(KeyboardInterrupt):  # the child hears Ctrl+C as well and decides
            return child.wait()


def main(arguments: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a Windows code page may lack an arrow
    if not arguments or arguments[0] in ("-h", "--help") or arguments[1:2] in (["-h"], ["--help"]):
        print(__doc__)
        return 0 if arguments else 2
    command, *rest = arguments
    if command not in ("run", "test"):
        print(f"There is no command `{command}`: say `run` or `test`.", file=sys.stderr)
        return 2
    try:
        rest = take_variant(rest)
        if "--dry-run" in rest:
            rest.remove("--dry-run")
            dry_run(command, rest)
            return 0
        line, extra = start_command(command, rest, prepare(command, Progress()))
        return start(line, child_environment(**extra))
    except KeyboardInterrupt:
        problem = SetupError("Interrupted: run the same command again, and it goes on from a sound state.", code=130)
    except SetupError as found:
        problem = found
    except OSError as error:
        problem = disk_full() if error.errno == 28 else SetupError(f"{error}: mend that, then run this again.")
    if problem.details:
        print(problem.details, file=sys.stderr)
    print(problem, file=sys.stderr)
    return problem.code


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended from outside: tidy up as after Ctrl+C
    sys.exit(main(sys.argv[1:]))
