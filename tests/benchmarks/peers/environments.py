"""Where each engine runs: Joinery and transformers here, the others in environments of their own, made on request."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROGRAMS = Path(__file__).parent / "engines"
NPM_LLAMA = "@node-llama-cpp/linux-x64@3.22.0"
READY = "ready"


class PeerError(Exception):
    """An engine that cannot be had or that failed; the message is its reason in the table."""


@dataclass(frozen=True)
class Peer:
    """An engine: its title in the table, its program, what pip installs for it (None: it runs in this environment).

    lends: whether this environment's packages can be seen in its own, behind its own ones: genai's builder needs torch.
    """

    title: str
    program: str
    packages: tuple[str, ...] | None = None
    lends: bool = False
    npm: str = ""


PEERS = {
    "joinery": Peer("Joinery", "run_joinery.py"),
    # the same onnxruntime as Joinery's, so that the difference is the engine's
    "genai": Peer(
        "onnxruntime-genai",
        "run_genai.py",
        ("onnxruntime-genai==0.18.0", f"onnxruntime=={version('onnxruntime')}"),
        lends=True,
    ),
    "llama": Peer("llama.cpp", "run_llama.py", ("gguf==0.19.0", "safetensors"), npm=NPM_LLAMA),
    "openvino": Peer("OpenVINO GenAI", "run_openvino.py", ("openvino-genai",)),
    "huggingface": Peer("Hugging Face, fp32", "run_huggingface.py"),
}


@dataclass(frozen=True)
class Environment:
    """A Python and the variables that an engine's programs are run with."""

    python: str
    variables: dict[str, str] = field(default_factory=dict)

    def command(self, program: str, *words: str) -> list[str]:
        """The command of one of the programs in engines/."""
        return [self.python, str(PROGRAMS / program), *words]

    @property
    def variables_of_child(self) -> dict[str, str]:
        """All that a child gets; two threads wherever a library asks its environment."""
        threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "2")
        return os.environ | threads | {"ORT_DISABLE_TELEMETRY": "1"} | self.variables


def prepare(name: str, cache: Path) -> Environment:
    """The engine's environment, made under `cache` where it is missing. Raises PeerError where it cannot be made."""
    peer = PEERS[name]
    if peer.packages is None:
        return Environment(sys.executable, {"PYTHONPATH": str(ROOT)})
    folder = (cache / name).resolve()
    python = folder / "bin" / "python"
    if not (folder / READY).exists():
        shutil.rmtree(folder, ignore_errors=True)
        _call(name, [sys.executable, "-m", "venv", str(folder)])
        _call(name, [str(python), "-m", "pip", "install", "--quiet", *peer.packages])
        if peer.npm:
            _call(name, ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder / "npm"), peer.npm])
        if peer.lends:
            packages = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
            (Path(packages) / "lent.pth").write_text(sysconfig.get_path("purelib"))
        (folder / READY).touch()
    variables = {}
    if peer.npm:
        package = folder / "npm" / "node_modules" / peer.npm.rpartition("@")[0]
        variables["JOINERY_LLAMA"] = str(package / "bins" / "linux-x64")
    return Environment(str(python), variables)


def _call(name: str, command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise PeerError(f"not installed: {command[0]} is missing on this machine") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word said"])[-1]
        raise PeerError(f"not installed: {Path(command[0]).name} said {last[:160]!r}")
