"""Other people's code: imported where a bundle names it and a person allowed that version of it, and never else."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from workflows.cli import run
from workflows.common.errors import JoineryError, RequestError
from workflows.common.paths import home
from workflows.common.plugins import allow, forbid, installed, load

ROOT = Path(__file__).parents[3]


def distribution(folder: Path, name: str, version: str, source: str, module: str = "canary_module") -> Path:
    """A fake installed distribution whose plugin `sing` is `module:sing`."""
    facts = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (facts / "entry_points.txt").write_text(f"[joinery.plugins]\nsing = {module}:sing\n")
    (folder / f"{module}.py").write_text(source)
    return facts


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A distribution that leaves a file when it is imported; gives that file's path."""
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    trace = tmp_path / "sung"
    source = f"open({str(trace)!r}, 'a').write('x')\ndef sing(context):\n    return 'tweet'\n"
    distribution(tmp_path / "site", "Canary.Bird", "1.0", source)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    yield trace
    sys.modules.pop("canary_module", None)


def test_what_was_not_allowed_is_not_imported(canary: Path) -> None:
    """Neither by looking, nor by asking for it; the sentence names the command."""
    found = [(one.library, one.version, one.allowed) for one in installed() if one.entry_point == "sing"]
    assert found == [("Canary.Bird", "1.0", False)]
    with pytest.raises(RequestError, match=r"version 1\.0 with `joinery plugins allow canary-bird`"):
        load("canary-bird", "sing")
    with pytest.raises(RequestError, match="is not installed"):
        load("canary-bird", "dance")
    assert not canary.exists() and "canary_module" not in sys.modules


def test_what_was_allowed_runs_until_it_is_forbidden(canary: Path) -> None:
    assert allow("canary_bird") == "1.0"
    loaded = load("canary-bird", "sing")
    assert callable(loaded) and loaded(None) == "tweet" and canary.read_text() == "x"
    forbid("Canary.Bird")
    with pytest.raises(RequestError, match="may not run"):
        load("canary-bird", "sing")
    with pytest.raises(RequestError, match="were not allowed"):
        forbid("canary-bird")


def test_another_version_is_other_code(canary: Path, tmp_path: Path) -> None:
    allow("canary-bird")
    facts = next((tmp_path / "site").glob("*.dist-info"))
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: Canary.Bird\nVersion: 1.1\n")
    with pytest.raises(RequestError, match=r"allow version 1\.1"):
        load("canary-bird", "sing")
    assert not canary.exists()


def test_the_current_folder_gives_no_plugins(canary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a module of the same name, which Python would find first, nor a distribution that says it is the same."""
    allow("canary-bird")
    here, trace = tmp_path / "here", tmp_path / "cuckoo"
    source = f"open({str(trace)!r}, 'w')\ndef sing(context):\n    return 'cuckoo'\n"
    distribution(here, "canary-bird", "1.0", source)
    monkeypatch.chdir(here)
    for front in ("", str(here)):
        monkeypatch.setattr(sys, "path", [front, *sys.path])
        assert load("canary-bird", "sing")(None) == "tweet"  # type: ignore[operator]
        sys.modules.pop("canary_module")
    assert not trace.exists()


def test_another_module_of_that_name_is_not_taken_for_it(canary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allow("canary-bird")
    monkeypatch.setitem(sys.modules, "canary_module", sys.modules[__name__])
    with pytest.raises(RequestError, match="Another module canary_module"):
        load("canary-bird", "sing")


def test_a_plugin_that_cannot_be_imported_is_one_sentence(
    canary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distribution(tmp_path / "more", "broken", "1", "raise OSError('no\\nluck')\n", "broken_module")
    monkeypatch.syspath_prepend(str(tmp_path / "more"))
    allow("broken")
    with pytest.raises(JoineryError, match="The import of the plugin sing of broken failed") as raised:
        load("broken", "sing")
    assert "\n" not in str(raised.value) and "broken_module" not in sys.modules


def test_a_damaged_list_allows_nothing(canary: Path) -> None:
    home().mkdir(parents=True)
    for text in ("{", "[]", '{"allowed": 3}'):
        (home() / "plugins.json").write_text(text)
        with pytest.raises(RequestError, match="allow plugins anew"):
            load("canary-bird", "sing")
    assert not canary.exists()


def test_the_command_line_lists_allows_and_forbids(canary: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def listed() -> list[bool]:
        assert run(["plugins", "list", "--json"]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        return [one["allowed"] for one in lines if one["library"] == "Canary.Bird"]

    assert listed() == [False]
    assert run(["plugins", "allow", "canary-bird"]) == 0
    capsys.readouterr()
    assert listed() == [True]
    assert run(["plugins", "forbid", "canary-bird"]) == 0
    assert run(["plugins", "allow", "nobody"]) == 2 and not canary.exists()


def test_what_is_shipped_is_there() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["joinery.plugins"]
    for target in said.values():
        module, name = target.split(":")
        assert callable(getattr(import_module(module), name))
    assert set(said) == {"greedy", "jacobi"}
