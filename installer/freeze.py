"""Makes the frozen program of the run part: a folder with window, worker and command line, without Python.

    installer/frozen/joinery.spec ──PyInstaller──▶ FOLDER/joinery ──▶ + licenses, menu entry, file types ──▶ tar

    .venv/bin/python installer/freeze.py FOLDER [--webengine] [--archive]

It packs what the environment of this Python has. PyInstaller is not among Joinery's requirements: it is installed into
FOLDER/tools, by pip, unless this environment has it. Linux was run; Windows and macOS were not.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FROZEN = ROOT / "installer" / "frozen"
PYINSTALLER = "pyinstaller==6.22.3"
ON_LINUX = sys.platform.startswith("linux")


def freeze(folder: Path, webengine: bool = False) -> Path:
    """The folder of the program, FOLDER/joinery. Raises CalledProcessError where pip or PyInstaller fails."""
    tools = ensure_pyinstaller(folder / "tools")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(tools),
        "JOINERY_WEBENGINE": "1" if webengine else "",
        "PYINSTALLER_CONFIG_DIR": str(folder / "cache"),
    }
    places = ["--distpath", str(folder), "--workpath", str(folder / "work")]
    line = [sys.executable, "-P", "-m", "PyInstaller", "--noconfirm", *places, str(FROZEN / "joinery.spec")]
    subprocess.run(line, check=True, env=environment, cwd=folder)
    made = folder / "joinery"
    if ON_LINUX:
        strip_python(made / "_internal")
        add_menu_entry(made)
    return made


def ensure_pyinstaller(tools: Path) -> list[str]:
    """What must be on PYTHONPATH for PyInstaller: its folder, or nothing where the environment has it."""
    if find_spec("PyInstaller") is not None:
        return []
    if not (tools / "PyInstaller").is_dir():
        pip = [sys.executable, "-P", "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
        subprocess.run([*pip, "--only-binary", ":all:", "--target", str(tools), PYINSTALLER], check=True)
    return [str(tools)]


def strip_python(internal: Path) -> None:
    """Takes the debug symbols out of Python's own libraries; strip breaks what auditwheel moved, in wheels."""
    if shutil.which("strip") is None:
        return
    for path in (*internal.glob("libpython*.so*"), *internal.glob("python3*/lib-dynload/*.so")):
        if not path.is_symlink():
            subprocess.run(["strip", "--strip-debug", str(path)], check=True)


def add_menu_entry(made: Path) -> None:
    """The desktop file, icon and file types, and the script that enters them."""
    (made / "share").mkdir(exist_ok=True)
    for name in ("joinery.desktop", "joinery.xml"):
        shutil.copy(FROZEN / "linux" / name, made / "share" / name)
    shutil.copy(ROOT / "resources" / "icons" / "joinery.svg", made / "share" / "joinery.svg")
    shutil.copy(FROZEN / "linux" / "register.sh", made / "register.sh")


def archive(made: Path) -> Path:
    """The folder as joinery-SYSTEM-MACHINE.tar.xz beside it."""
    target = made.with_name(f"joinery-{sys.platform}-{platform.machine()}.tar.xz")
    with tarfile.open(target, "w:xz") as file:
        file.add(made, "joinery")
    return target


def size(folder: Path) -> int:
    """Bytes of all files, links not counted."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def main() -> None:
    """Prints the program's folder and size, and the archive's."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--webengine", action="store_true", help="keep Qt WebEngine, for Netron's view")
    parser.add_argument("--archive", action="store_true", help="pack the folder (minutes)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    made = freeze(options.folder.resolve(), options.webengine)
    print(f"{made}: {size(made) / 1e6:.0f} MB")
    if options.archive:
        packed = archive(made)
        print(f"{packed}: {packed.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
