"""The licences of all that a frozen program has in it: from each package, and from the system's libraries.

    packed files ──license_files──▶ licenses/{NAME-VERSION/…, system/PACKAGE/copyright, Qt/…, README.txt}

Qt and PySide6 are under the LGPL 3: their texts are in installer/frozen/licenses, since their wheels carry none.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

FROZEN = Path(__file__).parent / "frozen"
_TEXT = re.compile(r"(^|/)(licen[cs]e|copying|notice|copyright|thirdparty)[^/]*$|/licenses?/", re.IGNORECASE)
QT_README = """\
Qt {qt} (https://www.qt.io) and PySide6 {qt} are used under the GNU Lesser General Public License version 3, whose
text is in LGPL-3.0.txt, and that of the GPL, which it refers to, in GPL-3.0.txt. They are unmodified, from the wheels
of https://pypi.org/project/PySide6/{qt}/, and lie as shared libraries in _internal/PySide6 (libQt6*.so*, *.abi3.so;
on Windows *.dll, *.pyd). You may replace them by builds of your own of the same interface: put these into their place;
nothing checks them. Their sources: https://download.qt.io/official_releases/qt/ and
https://download.qt.io/official_releases/QtForPython/. You may change Joinery for your own use, and take it apart to
mend what you changed there.
"""


def license_files(packed: Iterable[Path], work: Path) -> list[tuple[str, Path]]:
    """Place in the program → file. work: a folder for those that are written here."""
    files = {path.resolve() for path in packed}
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    found, lines, owned = list[tuple[str, Path]](), list[str](), set[Path]()
    for one in sorted(distributions(), key=lambda one: one.name.lower()):
        own = {Path(str(one.locate_file(file))).resolve() for file in one.files or ()}
        if not own & files or one.name.lower() == "joinery":
            continue
        owned |= own & files
        texts = list(_texts_of(one))
        found += [(f"licenses/{one.name}-{one.version}/{path.name}", path) for path in texts]
        lines.append(f"{one.name} {one.version}: {_license(one)}{'' if texts else ' (its wheel carries no text)'}")
    system = sorted({path for path in files - owned if ".so" in path.name and _is_system(path)})
    found += _system_texts(system, lines)
    lines.insert(0, f"Python {sys.version.split()[0]}: PSF-2.0")
    found += [("licenses/Python/LICENSE.txt", path) for path in _python_license()]
    found += [(f"licenses/Qt/{path.name}", path) for path in sorted((FROZEN / "licenses").glob("*.txt"))]
    found.append(("licenses/Qt/README.txt", _written(work / "qt.txt", QT_README.format(qt=_qt_version()))))
    found.append(("licenses/Joinery/LICENSE", FROZEN.parents[1] / "LICENSE"))
    lead = "This program is Joinery (Apache-2.0). What else is in it, and under which licence:\n\n"
    found.append(("licenses/README.txt", _written(work / "readme.txt", lead + "\n".join(lines) + "\n")))
    return found


def _texts_of(one: Distribution) -> Iterator[Path]:
    for file in one.files or ():
        path = Path(str(one.locate_file(file)))
        if _TEXT.search(file.as_posix()) and path.suffix not in (".py", ".pyc", ".pyi") and path.is_file():
            yield path


def _license(one: Distribution) -> str:
    for field in ("License-Expression", "License"):
        if text := str(one.metadata.get(field) or "").strip():
            return text.splitlines()[0]
    classes = (str(value) for value in one.metadata.get_all("Classifier") or [])
    return (
        "; ".join(value.rpartition(" :: ")[2] for value in classes if value.startswith("License ::")) or "see its text"
    )


def _is_system(path: Path) -> bool:
    return path.parts[1:2] in (("lib",), ("usr",), ("lib64",))


def _system_texts(libraries: list[Path], lines: list[str]) -> list[tuple[str, Path]]:
    """Of libraries of a Debian system: the copyright file of each package; others are named in `lines`."""
    found: dict[str, Path] = {}
    for library in libraries:
        package = _debian_package(library)
        copyright_file = Path("/usr/share/doc", package or "-", "copyright")
        if package and copyright_file.is_file():
            found[package] = copyright_file.resolve()
        else:
            lines.append(f"{library.name}: of the system that the program was frozen on")
    lines += [f"{package} (library of Debian): see system/{package}/copyright" for package in found]
    return [(f"licenses/system/{package}/copyright", path) for package, path in found.items()]


def _debian_package(library: Path) -> str:
    """The package that a library is of; empty where nothing knows it."""
    if shutil.which("dpkg") is None:
        return ""
    for path in (library, Path(str(library).removeprefix("/usr"))):  # either is in dpkg's lists
        done = subprocess.run(["dpkg", "-S", str(path)], capture_output=True, encoding="utf-8", check=False)
        if done.returncode == 0:
            return done.stdout.partition(":")[0]
    return ""


def _python_license() -> list[Path]:
    places = (Path(sys.base_prefix, "LICENSE.txt"), Path(sys.base_prefix, "lib", f"python{sys.version_info[0]}."
              f"{sys.version_info[1]}", "LICENSE.txt"))  # fmt: skip
    return [path for path in places if path.is_file()][:1]


def _qt_version() -> str:
    return next(one.version for one in distributions() if one.name.lower() == "pyside6")


def _written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path
