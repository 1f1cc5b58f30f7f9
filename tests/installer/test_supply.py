"""The locks are whole: every package that may be installed has one version, a licence and hashes; so has the bill."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("joinery_supply", ROOT / "installer" / "supply.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks there
    spec.loader.exec_module(module)
    return module


SUPPLY = load()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = {path: list(SUPPLY.read(path.read_text("utf-8"))) for path in SUPPLY.locks()}
PINS = {pin.name: pin for pin in SUPPLY.every_pin()}
SYSTEMS = [
    {
        "sys_platform": system,
        "platform_machine": machine,
        "python_version": python,
        "python_full_version": f"{python}.1",
        "extra": "",
    }
    for system, machines in {"linux": ("x86_64", "aarch64"), "win32": ("AMD64", "ARM64"), "darwin": ("arm64",)}.items()
    for machine in machines
    for python in ("3.11", "3.12", "3.13", "3.14")
]


HERE = {"extra": ""}


def installed_on(system: dict[str, str]) -> set[str]:
    """What the locks install there by themselves, torch's published build with it."""
    every = [pin for path in SUPPLY.WRITTEN for pin in LOCKS[path]]
    return {pin.name for pin in every if not pin.marker or Marker(pin.marker).evaluate(system)}


def wanted_on(requirements: list[str], system: dict[str, str]) -> set[str]:
    wanted = map(Requirement, requirements)
    return {canonicalize_name(one.name) for one in wanted if not one.marker or one.marker.evaluate(system)}


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_a_lock_is_pins_with_hashes_and_licences(path: Path) -> None:
    """read() refuses any other line; no line names a place that files come from."""
    pins = LOCKS[path]
    assert [pin for pin in pins if not pin.hashes or not pin.licence] == []
    assert all(list(pin.hashes) == sorted(set(pin.hashes)) for pin in pins)
    names = [pin.name for pin in pins]
    assert len(set(names)) == len(names) and names == [canonicalize_name(name) for name in names]
    text = path.read_text("utf-8")
    assert "://" not in text and "index" not in re.sub(r"#.*", "", text)
    assert pins or path.stem == "cpu" or "-r ../../resources/plugins/" in text


def test_what_is_no_line_of_a_lock_is_refused() -> None:
    assert list(SUPPLY.read("# a word\n\n-r other.txt\n")) == []
    for line in ("numpy", "numpy>=2", "--extra-index-url file:///x", "https://host/numpy.whl", "-e ."):
        with pytest.raises(ValueError, match="no line of a lock"):
            list(SUPPLY.read(f"{line}\n"))


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: "-".join(list(one.values())[:3]))
def test_every_dependency_is_locked_on_every_system(system: dict[str, str]) -> None:
    groups = PROJECT["project"]["optional-dependencies"]
    wanted = wanted_on(
        [*PROJECT["project"]["dependencies"], *groups["build"], *groups["dev"], *SUPPLY.BUILD_TOOLS], system
    )
    assert wanted - installed_on(system) == set()
    extras = wanted_on([*groups["qnn"], *groups["webgpu"], *groups["parquet"]], system)
    assert extras - PINS.keys() == set()


def test_versions_are_the_same_everywhere_and_fit_the_project() -> None:
    assert [pin for pins in LOCKS.values() for pin in pins if pin.version != PINS[pin.name].version] == []
    project = PROJECT["project"]
    every = [*project["dependencies"], *(line for group in project["optional-dependencies"].values() for line in group)]
    for one in map(Requirement, every):
        assert one.specifier.contains(PINS[canonicalize_name(one.name)].version), one


def test_what_the_locked_packages_need_is_locked() -> None:
    """As their metadata here say it: nothing is installed but what a lock names, so nothing may lack in one."""
    here = installed_on(HERE)
    lacking = {}
    for name in here - {"torch"}:
        try:
            needs = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # of another system, or torch's published build
        lacking[name] = wanted_on(needs, HERE) - here
    assert {name: lack for name, lack in lacking.items() if lack} == {}
    assert len(lacking) > 70


def test_what_the_build_part_alone_needs_has_locks_of_its_own() -> None:
    """Which a wheel carries, too: nothing of them is needed to run, and nothing else is missing to build."""
    project = PROJECT["project"]
    both = [*LOCKS[SUPPLY.BUILD], *LOCKS[SUPPLY.TORCH]]
    assert wanted_on(project["optional-dependencies"]["build"], HERE) <= {pin.name for pin in both}
    assert not wanted_on(project["dependencies"], HERE) & {pin.name for pin in both}
    assert {"torch", "transformers"} & {pin.name for pin in LOCKS[SUPPLY.CONSTRAINTS]} == set()


def test_the_tested_versions_are_installed() -> None:
    """This environment is what the locks say; torch may be a build of its own."""
    installed = {canonicalize_name(one.name): one.version for one in metadata.distributions()}
    locked = {name: PINS[name].version for name in installed_on(HERE) - {"torch"}}
    assert {name: version for name, version in installed.items() if version != locked.get(name, version)} == {}
    assert installed["torch"].partition("+")[0] == PINS["torch"].version


@pytest.mark.parametrize(
    ("wheel", "kept"),
    [
        ("x-1-py3-none-any.whl", True),
        ("x-1-py2.py3-none-any.whl", True),
        ("x-1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", True),
        ("x-1-cp39-abi3-manylinux2014_aarch64.whl", True),
        ("x-1-cp314-cp314-win_arm64.whl", True),
        ("x-1-cp312-cp312-macosx_11_0_universal2.whl", True),
        ("x-1-cp314-cp314t-win_amd64.whl", False),
        ("x-1-cp310-cp310-win_amd64.whl", False),
        ("x-1-cp311-cp311-musllinux_1_2_x86_64.whl", False),
        ("x-1-cp311-cp311-win32.whl", False),
        ("x-1-pp311-pypy311_pp73-win_amd64.whl", False),
        ("x-1-py2-none-any.whl", False),
        ("x-1.tar.gz", False),
    ],
)
def test_wheels_of_systems_that_the_installer_knows(wheel: str, kept: bool) -> None:
    assert SUPPLY.fits(wheel) is kept


def test_a_lock_is_written_as_it_is_read() -> None:
    for path in SUPPLY.WRITTEN:
        texts = [pin.text() for pin in LOCKS[path]]
        assert path.read_text("utf-8") == "\n".join([f"# {SUPPLY.HEADS[path]}", *texts]) + "\n"


def test_the_hashes_of_a_file_by_hand_are_renewed_and_its_words_stay(tmp_path: Path) -> None:
    path = tmp_path / "variant.txt"
    old = SUPPLY.Pin("x", "1.0", "", "BSD", ("0" * 64, "1" * 64))
    path.write_text(f"# needs: win32\n{old.text()}\n# a reason\n-r other.txt\n", "utf-8")
    new = SUPPLY.Pin("x", "1.0", "", "MIT", ("2" * 64,))
    SUPPLY.rewrite(path, {"x": new})
    assert path.read_text("utf-8") == f"# needs: win32\n{new.text()}\n# a reason\n-r other.txt\n"


def test_the_bill_names_every_pin_with_version_licence_and_hashes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert SUPPLY.main(["bill", str(tmp_path)]) == 0
    [path] = tmp_path.iterdir()
    assert str(path) in capsys.readouterr().out
    bill = json.loads(path.read_text("utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["version"] == metadata.version("joinery")
    named = {
        one["name"]: (one["version"], one["licenses"][0]["license"]["name"], [row["content"] for row in one["hashes"]])
        for one in bill["components"]
    }
    assert named == {pin.name: (pin.version, pin.licence, list(pin.hashes)) for pin in PINS.values()}
    assert len(named) > 100 and all(one["purl"].startswith("pkg:pypi/") for one in bill["components"])
    assert bill == json.loads(json.dumps(SUPPLY.bill())), "the same locks, the same bill"
