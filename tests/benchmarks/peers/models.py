"""What each engine is given: the checkpoint in its own form, built once and kept with what the build cost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from tests.benchmarks.peers.checkpoint import DEMO, LAYERS, make_shape
from tests.benchmarks.peers.environments import Environment, PeerError, prepare
from tests.benchmarks.peers.processes import Cost, cost_of

Source = Literal["shape", "demo"]
Precision = Literal["int4", "fp32"]
MAKERS = ("joinery", "genai", "llama")  # build a model of their own
CAPACITY = {"shape": 32_768, "demo": 512}
OF_INT4 = ("fast_prefill", "kv_dtype")  # settings that fp32 is measured without
GENAI_INT4 = ("block_size=32", "is_symmetric=true", "accuracy_level=4", "shared_embeddings=true")


@dataclass(frozen=True)
class Built:
    """An engine's folder, its bytes, and what the build cost; no cost where the checkpoint itself is read."""

    folder: Path
    bytes: int
    cost: Cost | None


class Models:
    """The models of a work folder. state: what Joinery's bundles are of: a commit and the recipe's settings.

    layers: of the shape; a work folder is for one number.
    """

    def __init__(self, work: Path, envs: Path, state: str, settings: Sequence[str], layers: int = LAYERS) -> None:
        self._work, self._envs, self._state, self._settings = work, envs, state, list(settings)
        self._layers = layers

    def environment(self, engine: str) -> Environment:
        """Raises PeerError where it cannot be made."""
        return prepare(engine, self._envs)

    def source(self, source: Source) -> Path:
        """The checkpoint's folder."""
        return DEMO if source == "demo" else make_shape(self._work / "checkpoint", self._layers)

    def built(self, engine: str, source: Source, precision: Precision) -> Built:
        """The model, built where it is missing. Raises PeerError where an engine has none such or the build fails."""
        if engine == "huggingface":
            return Built(self.source(source), 0, None)
        if engine == "openvino" and precision == "fp32":
            raise PeerError("not run in fp32: it reads llama.cpp's Q4_0 file")
        maker = "llama" if engine == "openvino" else engine
        out = self._folder(maker, source, precision)
        noted = self._noted(out)
        if not noted.exists():
            noted.write_text(json.dumps(asdict(self._build(maker, source, precision, out))))
        cost = Cost(**json.loads(noted.read_text()))
        size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
        return Built(out, size, None if engine == "openvino" else cost)

    def rebuilt(self, engine: str, source: Source, precision: Precision) -> Built:
        """The model, built anew: a sample of what its build costs. Raises PeerError like `built`.

        Engines that read another one's file, or the checkpoint itself, have nothing to build.
        """
        if engine in MAKERS:
            self._noted(self._folder(engine, source, precision)).unlink(missing_ok=True)
        return self.built(engine, source, precision)

    def _folder(self, maker: str, source: Source, precision: Precision) -> Path:
        name = f"{maker}-{self._state}" if maker == "joinery" else maker
        return self._work / "models" / f"{name}-{source}-{precision}"

    @staticmethod
    def _noted(folder: Path) -> Path:
        """Where the cost stands: beside the folder, for one that is verified has no strange files."""
        return folder.with_name(f"{folder.name}.json")

    def _build(self, maker: str, source: Source, precision: Precision, out: Path) -> Cost:
        environment = self.environment(maker)
        shutil.rmtree(out, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        print(f"building {out.name}", flush=True)
        command = self._command(maker, environment, source, precision, out)
        with TemporaryDirectory(dir=self._work.resolve()) as home:  # of its own: no stage of an earlier build is reused
            variables = environment.variables_of_child | {"JOINERY_HOME": home}
            return cost_of(command, variables, self._work / f"{maker}.log")

    def _command(
        self, maker: str, environment: Environment, source: Source, precision: Precision, out: Path
    ) -> list[str]:
        folder = str(self.source(source))
        if maker == "llama":
            return environment.command("make_gguf.py", folder, str(out), precision)
        if maker == "genai":
            return genai_command(environment, folder, precision, out, self._work / "hub")
        capacity = ["--capacity", str(CAPACITY[source])]
        given = [pair for pair in self._settings if precision == "int4" or not pair.startswith(OF_INT4)]
        settings = [word for pair in given for word in ("--set", pair)]
        asked = "demo:qwen3" if source == "demo" else folder
        words = ["-m", "workflows", "build", asked, "--out", str(out), "--precision", precision]
        return [environment.python, *words, *capacity, *settings, "--json"]


def genai_command(environment: Environment, folder: str, precision: Precision, out: Path, hub: Path) -> list[str]:
    """The command of onnxruntime-genai's builder. hub: where it may cache what it reads."""
    words = ["-m", "onnxruntime_genai.models.builder", "-i", folder, "-o", str(out), "-p", precision]
    extra = ["--extra_options", *GENAI_INT4] if precision == "int4" else []
    return [environment.python, *words, "-e", "cpu", "-c", str(hub), *extra]
