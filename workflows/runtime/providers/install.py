"""Installing a provider's plugin into this environment, by its own pip in a process that can be stopped.

    install_plugin("qnn") ──starts──▶ pip install -r onnxruntime-qnn.txt ──its lines──▶ report │ DeviceError

The plugin alone is installed, from a file whose hash resources/plugins has, without what it asks for: that is an
onnxruntime, which is here, and must stay the one that Joinery was tested with. One that is broken, or that was stopped
half-way, is put in place anew.
"""

from __future__ import annotations

import importlib
import importlib.util
import runpy
import sys
from collections.abc import Callable, Sequence
from importlib import resources

from workflows.errors import DeviceError, printable
from workflows.processes import run_apart, stay_with_parent
from workflows.runtime.providers.table import PROVIDERS
from workflows.wire.events import Event, ProgressEvent

VERSIONS = {"onnxruntime-qnn": "2.7.0", "onnxruntime-ep-webgpu": "0.4.0"}
"""Those that were tried, as resources/plugins has them."""
_SECONDS = 3600.0  # a slow line; a person stops it before
_PIP = ("install", "--require-hashes", "--no-deps", "--force-reinstall", "--only-binary=:all:", "--no-input")
_WRONG_HASH = "DO NOT MATCH THE HASHES"  # pip's words


def install_plugin(
    name: str, report: Callable[[Event], None] = lambda _: None, cancelled: Callable[[], bool] = lambda: False
) -> None:
    """Installs the plugin of the provider called `name`.

    Raises DeviceError for a provider without a plugin, an environment without pip, and what pip refuses; Cancelled.
    """
    provider = PROVIDERS.get(name)
    if provider is None or provider.brought_by not in VERSIONS:
        known = ", ".join(one.name for one in PROVIDERS.values() if one.brought_by in VERSIONS)
        raise DeviceError(f"There is nothing to install for {printable(name)!r}: plugins there are for {known}.")
    wanted = f"{provider.brought_by}=={VERSIONS[provider.brought_by]}"
    if importlib.util.find_spec("pip") is None:
        raise DeviceError(f"This environment has no pip: install {wanted} the way that the environment was made.")

    def tell(line: str) -> None:
        report(ProgressEvent(stage="install", message=printable(line, 200)))

    with resources.as_file(resources.files("resources") / "plugins" / f"{provider.brought_by}.txt") as lock:
        asked = [*_PIP, "--disable-pip-version-check", "-r", str(lock)]
        ended = run_apart("workflows.runtime.providers.install", asked, _SECONDS, heard=tell, cancelled=cancelled)
    importlib.invalidate_caches()
    if ended.why and _WRONG_HASH in ended.log:
        raise DeviceError(
            f"pip was given a file for {wanted} whose hash is none of those that Joinery was tested with, and "
            "installed nothing: look at where pip gets its packages from."
        )
    if ended.why:
        last = ended.log.strip().rpartition("\n")[2]  # pip complains on stderr
        raise DeviceError(f"pip could not install {wanted}: {printable(last, 200) or ended.why}")


def main(arguments: Sequence[str]) -> None:
    """pip, in a process that ends with the one that started it."""
    stay_with_parent()
    sys.argv = ["pip", *arguments]
    runpy.run_module("pip", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
