"""What Joinery is made of: the locks with a hash for every file that may be installed, and the bill of materials.

    python3 installer/supply.py lock           pyproject.toml ──uv, pip──▶ versions, markers, hashes, licences
    python3 installer/supply.py bill FOLDER    the locks ──▶ FOLDER/joinery-VERSION.cdx.json (CycloneDX 1.6)

The locks, each a requirements file that pip takes with --require-hashes:

    constraints.txt                what is needed besides torch, on every system; a version in it stays as it is until
                                   its lines are taken out: then the next `lock` has the newest that fits
    resources/locks/build.txt      what the build part alone needs, without torch
    resources/locks/torch.txt      torch, and what its published build for Linux alone brings along
    installer/requirements/*.txt   the variants: written by hand, their hashes and licences brought up to date
    resources/plugins/*.txt        the same for what `joinery devices --install` brings

`lock` needs uv and today's pip (in an environment of its own: `pip install -U pip uv`), and asks the index that pip is
set to. It keeps wheels for CPython on Linux (glibc; x86-64, aarch64), Windows and macOS; sources are never built.
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
BUILD, TORCH = (ROOT / "resources" / "locks" / name for name in ("build.txt", "torch.txt"))
BUILD_TOOLS = ("hatchling", "editables")  # in .venv itself, so that the build is locked as well
EXTRAS = ("extra == 'parquet'",)  # locked, and by themselves never installed: pip passes over them
PIP, UV = [sys.executable, "-P", "-m", "pip"], [sys.executable, "-P", "-m", "uv", "--quiet"]
BROWSER = "sys_platform == 'emscripten'"
WINDOWS_ALONE = re.compile(r"directml|windowsml")
OF_BUILD = ["--extra", "build"]
OF_TORCH = re.compile(r"torch|triton|nvidia-.*|cuda-.*")
HEADS = {
    CONSTRAINTS: "Every package that was tested, with the hash of each wheel: made by `installer/supply.py lock`."
    "\n-r resources/locks/build.txt",  # a checkout has both parts
    BUILD: "What the build part alone needs, without torch: made by `installer/supply.py lock`.",
    TORCH: "torch, and what its published build for Linux brings along: made by `installer/supply.py lock`.",
}
WRITTEN = tuple(HEADS)  # the other locks are written by hand but for their hashes

TAGS = re.compile(r"-(?P<python>[^-]+)-(?P<abi>[^-]+)-(?P<platform>[^-]+)\.whl$")
PYTHON = re.compile(r"\b(py3|(cp|py)3\d\d?)\b")
TOO_OLD = re.compile(r"^cp3(\d|10)$")  # with an ABI of their own
ABI = re.compile(r"^(none|abi3|cp3\d+)$")  # not cp314t: free threads
PLATFORM = re.compile(r"any|manylinux.*_(x86_64|aarch64)|win_(amd64|arm64)|macosx_.*_(x86_64|arm64|universal2)")
PIN = re.compile(r"^(?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>[^\s;]+)(?: ; (?P<marker>[^\\\n]+?))?(?: \\)?$")


def canonical(name: str) -> str:
    """A package's name as the locks have it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass(frozen=True)
class Pin:
    """One package. marker: where it is installed, empty for everywhere. hashes: sha256 of each wheel, sorted."""

    name: str
    version: str
    marker: str = ""
    licence: str = ""
    hashes: tuple[str, ...] = ()

    def text(self) -> str:
        head = f"{self.name}=={self.version}" + (f" ; {self.marker}" if self.marker else "")
        lines = [head, *(f"--hash=sha256:{one}" for one in self.hashes)]
        return f"# licence: {self.licence}\n" + " \\\n    ".join(lines)


def locks() -> list[Path]:
    """Every file that pins something."""
    folders = (ROOT / "installer" / "requirements", ROOT / "resources" / "plugins")
    return [CONSTRAINTS, BUILD, TORCH, *(path for folder in folders for path in sorted(folder.glob("*.txt")))]


def read(text: str) -> Iterator[Pin]:
    """The pins of a lock. Raises ValueError for a line that says anything else."""
    found, licence = None, ""
    for line in text.splitlines():
        hashed = re.fullmatch(r"    --hash=sha256:([0-9a-f]{64})(?: \\)?", line)
        if hashed and found:
            found = Pin(found.name, found.version, found.marker, found.licence, (*found.hashes, hashed[1]))
            continue
        if found:
            yield found
        found, pin = None, PIN.match(line)
        if pin:
            found = Pin(pin["name"], pin["version"], pin["marker"] or "", licence)
        elif line and not line.startswith(("#", "-r ")):
            raise ValueError(f"This is no line of a lock: {line!r}.")
        licence = line.removeprefix("# licence: ") if line.startswith("# licence: ") else ""
    if found:
        yield found


# ---- the locks -------------------------------------------------------------------------------------------------------


def lock() -> None:
    """Makes the hashes and licences of every lock anew, and the versions that no longer fit pyproject.toml."""
    before = [pin for path in WRITTEN for pin in read(path.read_text("utf-8"))]
    resolved = resolve(["pyproject.toml", "--extra", "dev", *OF_BUILD], BUILD_TOOLS, before)
    run, build = ({pin.name for pin in resolve(["pyproject.toml", *extra], (), before)} for extra in ([], OF_BUILD))
    extras = {pin.name: pin for pin in before if pin.marker in EXTRAS}
    by_hand = {pin for path in locks()[len(WRITTEN) :] for pin in read(path.read_text("utf-8"))}
    others = resolve(["--no-deps"], {f"{pin.name}=={pin.version}" for pin in (*extras.values(), *by_hand)})
    licences = licences_of([*resolved, *others])
    resolved += [replace(pin, marker=extras[pin.name].marker) for pin in others if pin.name in extras]
    lock_of = {name: TORCH if OF_TORCH.fullmatch(name) else BUILD for name in build - run}
    for path in WRITTEN:
        write(path, (pin for pin in resolved if lock_of.get(pin.name, CONSTRAINTS) == path), licences)
    for path in locks()[len(WRITTEN) :]:
        rewrite(path, {pin.name: replace(pin, licence=licences[pin.name]) for pin in others})


def resolve(arguments: list[str], wanted: Iterable[str], before: Iterable[Pin] = ()) -> list[Pin]:
    """What uv makes of it for every system at once, without licences. Raises CalledProcessError.

    before: what keeps its version.
    """
    with tempfile.TemporaryDirectory() as folder:
        asked, kept, out = (Path(folder) / name for name in ("wanted.in", "kept.txt", "pylock.toml"))
        asked.write_text("\n".join(wanted), "utf-8")
        kept.write_text("\n".join(f"{pin.name}=={pin.version}" for pin in before), "utf-8")
        fixed = ["--universal", "--python-version", "3.11", "--no-build", "--system-certs", "--no-config"]
        asking = [*PIP, "config", "get", "global.index-url"]
        index = subprocess.run(asking, capture_output=True, encoding="utf-8", check=False).stdout.strip()
        fixed += ["--default-index", index] if index else []
        command = [*UV, "pip", "compile", *arguments, str(asked), "-c", str(kept), *fixed, "-o", str(out)]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        packages = tomllib.loads(out.read_text("utf-8"))["packages"]
    return [
        Pin(one["name"], one["version"], where(one.get("marker", "")), hashes=tuple(sorted(hashes_of(one["wheels"]))))
        for one in packages
        if BROWSER not in one.get("marker", "")
    ]


def where(marker: str) -> str:
    """The marker without what is said of browsers: there is no Joinery in one."""
    return "" if marker == BROWSER.replace("==", "!=") else marker


def hashes_of(wheels: Iterable[dict[str, object]]) -> Iterator[str]:
    """Of the wheels that one of our systems may take."""
    for wheel in wheels:
        if fits(str(wheel.get("name") or wheel["url"])):
            yield wheel["hashes"]["sha256"]  # type: ignore[index]


def fits(wheel: str) -> bool:
    """Whether a file name's tags are of a Python and a system that the installer knows."""
    tags = TAGS.search(wheel)
    if tags is None:
        return False
    pythons, abis = tags["python"].split("."), tags["abi"].split(".")
    if not any(PYTHON.fullmatch(one) for one in pythons) or not any(ABI.match(one) for one in abis):
        return False
    old = all(TOO_OLD.match(one) for one in pythons) and "abi3" not in abis and "none" not in abis
    return not old and any(PLATFORM.fullmatch(one) for one in tags["platform"].split("."))


def licences_of(pins: Iterable[Pin]) -> dict[str, str]:
    """By name, as their metadata say it, from pip's report of what it would install on Linux, or else on Windows."""
    names = {pin.name: f"{pin.name}=={pin.version}" for pin in pins}
    windows = [wanted for name, wanted in names.items() if WINDOWS_ALONE.search(name)]
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        elsewhere = ["--platform", "win_amd64", "--python-version", "3.11", "--target", folder]
        for wanted in ([one for one in names.values() if one not in windows], [*elsewhere, *windows]):
            line = [*PIP, "install", "--dry-run", "--quiet", "--ignore-installed", "--no-deps", "--only-binary=:all:"]
            told = subprocess.run([*line, "--report", "-", *wanted], capture_output=True, check=True).stdout
            metadata = [one["metadata"] for one in json.loads(told)["install"]]
            found |= {canonical(one["name"]): licence_of(one) for one in metadata}
    return found


def licence_of(metadata: dict[str, object]) -> str:
    """An expression, else the field if it is a name, else the classifiers."""
    said = str(metadata.get("license_expression") or metadata.get("license") or "").strip()
    if said and "\n" not in said and len(said) < 80:
        return said
    classified = [str(one).rpartition(" :: ")[2] for one in metadata.get("classifier", ()) if "License ::" in str(one)]  # type: ignore[attr-defined]
    return ", ".join(classified) or said.splitlines()[0].strip() if said or classified else "not stated"


def write(path: Path, pins: Iterable[Pin], licences: dict[str, str]) -> None:
    texts = [replace(pin, licence=licences[pin.name]).text() for pin in sorted(pins, key=lambda pin: pin.name)]
    path.write_text("\n".join([f"# {HEADS[path]}", *texts]) + "\n", "utf-8")


def rewrite(path: Path, pins: dict[str, Pin]) -> None:
    """Its lines as they are, but for the hashes and licences of its pins."""
    before = path.read_text("utf-8").splitlines()
    kept = [line for line in before if not line.startswith(("    --hash=", "# licence: "))]
    lines = [pins[found["name"]].text() if (found := PIN.match(line)) else line for line in kept]
    path.write_text("\n".join(lines) + "\n", "utf-8")


# ---- the bill of materials -------------------------------------------------------------------------------------------


def every_pin() -> list[Pin]:
    """By name, each once: a package that stands in several locks has the hashes of all."""
    found: dict[str, Pin] = {}
    for pin in (pin for path in locks() for pin in read(path.read_text("utf-8"))):
        others = found[pin.name].hashes if pin.name in found else ()
        found[pin.name] = replace(pin, hashes=tuple(sorted({*pin.hashes, *others})))
    return sorted(found.values(), key=lambda pin: pin.name)


def bill() -> dict[str, object]:
    """CycloneDX 1.6: every pinned package with its version, licence and the hash of each of its files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version, pins = joinery_version(), every_pin()
    body = repr([version, *pins])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, body)}",  # the same locks, the same number
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "joinery",
                "name": "joinery",
                "version": version,
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": [component(pin) for pin in pins],
        "dependencies": [{"ref": "joinery", "dependsOn": [purl(pin) for pin in pins]}],
    }


def component(pin: Pin) -> dict[str, object]:
    return {
        "type": "library",
        "bom-ref": purl(pin),
        "name": pin.name,
        "version": pin.version,
        "purl": purl(pin),
        "licenses": [{"license": {"name": pin.licence}}],
        # the files of one version differ by system: which of them was installed, its hash tells
        "hashes": [{"alg": "SHA-256", "content": one} for one in pin.hashes],
    }


def purl(pin: Pin) -> str:
    return f"pkg:pypi/{pin.name}@{pin.version}"


def joinery_version() -> str:
    text = (ROOT / "workflows" / "__init__.py").read_text("utf-8")
    return re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)[1]  # type: ignore[index]


def main(arguments: list[str]) -> int:
    match arguments:
        case ["lock"]:
            lock()
        case ["bill", folder]:
            path = Path(folder) / f"joinery-{joinery_version()}.cdx.json"
            path.write_text(json.dumps(bill(), indent=1) + "\n", "utf-8")
            print(path)
        case _:
            print(__doc__)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
