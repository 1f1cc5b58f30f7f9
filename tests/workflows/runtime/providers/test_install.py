"""Installing a plugin: what pip is asked, what its failure says, how it is stopped. A module stands for pip."""

from __future__ import annotations

import os
import re
import sys
import zipfile
from pathlib import Path

import pytest

from workflows.common.errors import Cancelled, DeviceError
from workflows.runtime.providers import PROVIDERS, install
from workflows.runtime.providers.install import PLUGIN_VERSIONS, describe_plugin, install_plugin, remove_plugin
from workflows.wire.events import Event, ProgressEvent

PLUGINS = Path(__file__).parents[4] / "resources" / "plugins"


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a pip may be written, before the one that is installed."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path / "pip.py"


def said(events: list[Event]) -> list[str]:
    return [event.message for event in events if isinstance(event, ProgressEvent)]


def test_the_plugin_alone_is_requested_in_the_version_that_was_tried(pip: Path) -> None:
    pip.write_text("import sys\nprint(*sys.argv[1:])\nprint('Successfully installed')")
    events: list[Event] = []
    install_plugin("qnn", events.append)
    asked, done = said(events)
    assert asked.split()[0] == "install" and asked.endswith("-r " + str(PLUGINS / "onnxruntime-qnn.txt"))
    assert {"--require-hashes", "--no-deps", "--only-binary=:all:", "--no-input"} <= set(asked.split())
    assert done == "Successfully installed"


def test_what_pip_refuses_is_one_sentence_with_its_last_line(pip: Path) -> None:
    complaint = "print('WARNING: x\\nERROR: No matching distribution found', file=sys.stderr)"
    pip.write_text(f"import sys\nprint('Collecting')\n{complaint}\nsys.exit(1)")
    with pytest.raises(DeviceError, match=r"pip could not install onnxruntime-ep-webgpu==0.4.0: ERROR: No matching"):
        install_plugin("webgpu")


def test_a_file_with_another_hash_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pip that is installed, and a folder that has a file of the right name."""
    tags = "py3-none-manylinux_2_28_x86_64.manylinux_2_28_aarch64.win_amd64.win_arm64.macosx_14_0_universal2"
    with zipfile.ZipFile(tmp_path / f"onnxruntime_ep_webgpu-0.4.0-{tags}.whl", "w") as wheel:
        info = "onnxruntime_ep_webgpu-0.4.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: onnxruntime-ep-webgpu\nVersion: 0.4.0\n")
        wheel.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tags}\n")
        wheel.writestr(f"{info}/RECORD", "")
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(DeviceError, match=r"a file for onnxruntime-ep-webgpu==0.4.0 whose hash is none of those"):
        install_plugin("webgpu")


def test_removing_asks_pip_for_that_package_alone(pip: Path) -> None:
    pip.write_text("import sys\nprint(*sys.argv[1:])")
    events: list[Event] = []
    remove_plugin("webgpu", events.append)
    (asked,) = said(events)
    assert asked.split()[:2] == ["uninstall", "--yes"] and asked.split()[-1] == "onnxruntime-ep-webgpu"
    pip.write_text("import sys\nsys.exit('ERROR: externally managed')")
    with pytest.raises(DeviceError, match="pip could not remove onnxruntime-ep-webgpu: ERROR: externally managed"):
        remove_plugin("webgpu")


def test_what_is_asked_about_is_what_pip_would_do(pip: Path) -> None:
    """The environment's settings win; a name and a password stay with pip."""
    settings = [
        "global.index-url='https://somewhere.example/simple'",
        ":env:.index-url='https://me:secret@mirror.example/simple'",
        "global.extra-index-url='https://a.example\\nhttps://b.example'",
        "install.find-links='/srv/wheels'",
        "global.timeout='60'",
    ]
    pip.write_text(f"import sys\nassert sys.argv[1:] == ['config', 'list']\nprint({chr(10).join(settings)!r})")
    plugin = describe_plugin("qnn")
    assert (plugin.provider, plugin.package, plugin.version) == ("qnn", "onnxruntime-qnn", "2.7.0")
    assert plugin.sources == ["https://mirror.example/simple", "https://a.example", "https://b.example", "/srv/wheels"]
    assert plugin.environment == sys.prefix
    lock = (PLUGINS / "onnxruntime-qnn.txt").read_text("utf-8")
    assert len(plugin.hashes) > 4 and all(f"--hash={one}" in lock for one in plugin.hashes)
    pip.write_text("print()")
    assert describe_plugin("qnn").sources == ["https://pypi.org/simple"]
    pip.write_text("print(\":env:.no-index='1'\")")
    assert describe_plugin("qnn").sources == []


def test_it_can_be_stopped(pip: Path) -> None:
    pip.write_text("import time\nprint('Downloading', flush=True)\ntime.sleep(600)")
    events: list[Event] = []
    with pytest.raises(Cancelled):
        install_plugin("qnn", events.append, lambda: bool(events))
    assert said(events) == ["Downloading"]


@pytest.mark.parametrize("name", ["cpu", "dml", "openvino", "gpu"])
def test_what_has_no_plugin_is_refused_with_those_that_have(name: str) -> None:
    with pytest.raises(DeviceError, match=rf"no plugin to install for '{name}': there are plugins for qnn, webgpu\."):
        install_plugin(name)


def test_an_environment_without_pip_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DeviceError, match=r"has no pip: install onnxruntime-qnn==2.7.0 with the tool"):
        install_plugin("qnn")


def test_versions_are_those_of_the_locks_and_of_the_plugins() -> None:
    texts = [path.read_text("utf-8") for path in PLUGINS.glob("*.txt")]
    assert dict(re.findall(r"^([\w-]+)==(\S+) ", "\n".join(texts), re.MULTILINE)) == PLUGIN_VERSIONS
    assert PLUGIN_VERSIONS.keys() == {one.brought_by for one in PROVIDERS.values() if one.package}


def test_a_plugin_that_lacks_names_what_would_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    webgpu = PROVIDERS["webgpu"]
    monkeypatch.setattr(type(webgpu), "installed", property(lambda self: False))
    assert webgpu.find().install == "onnxruntime-ep-webgpu"
    assert webgpu.unusable("broken.", webgpu.reinstallation_hint()).install == "onnxruntime-ep-webgpu"
    assert webgpu.unusable("no adapter.", webgpu.missing_device()).install == ""
    assert PROVIDERS["dml"].find().install == ""
