"""Every command without the build part: a table of what each does on bundles that were made elsewhere.

python tests/workflows/run_part.py PLACES.json ──runs the table in this process──▶ {use: [exit code, output]} as JSON
"""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

TIMES = "What is 8 times 7?"


@dataclass(frozen=True)
class Use:
    """A command line. Words in capitals stand for files, `~` for a space. says: what it prints with every part.

    code: its exit code. build: whether it needs the build part, and names it where that is missing.
    """

    line: str
    says: str
    code: int = 0
    build: bool = False
    slow: bool = False

    def arguments(self, places: dict[str, str]) -> list[str]:
        """The command line's words, with the paths of what they stand for."""
        words = []
        for word in self.line.split():
            for name, path in places.items():
                word = word.replace(name, path)
            words.append(word.replace("~", " "))
        return words


USES: dict[str, Use] = {
    "build": Use("build demo:qwen3 --out OUT/built", "decoder, 2.1 MiB, built in", build=True),
    "generate": Use("generate BUNDLE --prompt 8*7= --max-new-tokens 4", " 56"),
    "generate --image": Use(
        "generate SEEING --chat --image PICTURE --prompt How~many~squares? --max-new-tokens 8", "four"
    ),
    "generate --audio": Use("generate LISTENING --audio CLIP", "nine"),
    "chat": Use("chat BUNDLE", "56"),
    "embed": Use("embed EMBEDDER --text the~cat --text dog", "2 vectors of 6 numbers: mean pooling, normalized"),
    "rank": Use("rank RERANKER --query cat --text the~dog --text a~cat", "the dog"),
    "classify": Use("classify CLASSIFIER --text the~cat", "good"),
    "depth": Use("depth BUNDLE --picture PICTURE --out OUT/depth.png", "give a bundle for depth-estimation", code=2),
    "serve": Use("serve BUNDLE --host 0.0.0.0", "give a token", code=2),
    "inspect": Use("inspect BUNDLE", "optimize decoder"),
    "bench": Use("bench BUNDLE --prompt-tokens 4 --new-tokens 2 --repeats 1", "tokens that fit beside the weights"),
    "devices": Use("devices", "CPU: usable"),
    "verify": Use("verify BUNDLE", "all as they were built"),
    "assemble": Use("assemble decoder=BUNDLE/decoder.onnx --tokenizer BUNDLE/tokenizer --out OUT/a", "assembled"),
    "eval": Use("eval BUNDLE --against BUNDLE --prompts PROMPTS --steps 1", "positions"),
    "eval --against CHECKPOINT": Use(
        "eval BUNDLE --against demo:qwen3 --prompts PROMPTS --steps 1", "positions", build=True
    ),
    "sweep": Use("sweep PLAN --out OUT/sweep", "3 of 3 steps done", build=True),
    "tune --list": Use("tune --list", "No processor was tuned"),
    "tune": Use("tune", "Prompts go through a graph in runs", slow=True),
    "diverge": Use("diverge BUNDLE BUNDLE --prompt 8*7= --steps 1", "no divergence"),
    "preflight": Use("preflight BUNDLE --provider cpu", "decoder"),
    "profile": Use("profile BUNDLE --steps 1", "more"),
    "compile": Use("compile BUNDLE --provider cpu", "CPU makes no compiled contexts", code=2),
    "report": Use("report BUNDLE --out OUT/report.md", "report.md"),
    "export-genai": Use("export-genai BUNDLE --out OUT/genai", "written for onnxruntime-genai"),
    "import": Use("import OUT/genai --out OUT/imported", "imported"),
    "generate, imported": Use("generate OUT/imported --prompt 8*7= --max-new-tokens 4", " 56"),
    "export-gguf": Use("export-gguf BUNDLE --out OUT/model.gguf", "model.gguf", build=True),
    "samples": Use("samples BUNDLE --out OUT/samples", "generate.cpp"),
    "plugins": Use("plugins list", "greedy"),
    "cache": Use("cache list", "MiB"),
    "remote": Use("remote list", "There is no machine yet"),
    "runs": Use("runs list", "bench"),
}
"""In order: `import` reads what `export-genai` wrote, and `runs` lists what `bench` measured."""
MISSING = "needs the part build of Joinery, whose package "


def judge(use: Use, code: int, output: str, *, build: bool) -> str:
    """What is wrong with an outcome; empty if nothing is. build: whether the build part is installed."""
    if build or not use.build:
        return "" if code == use.code and use.says in output else f"{use.line}: exit code {code}: {output[-800:]}"
    [*_, last] = output.strip().splitlines() or [""]
    named = MISSING in last and last.endswith("-m pip install 'joinery[build]'.") and "Traceback" not in output
    return "" if code == 1 and named else f"{use.line}: names no part, exit code {code}: {output[-800:]}"


def main() -> None:
    """Runs the uses that PLACES.json has files for; `slow` as a second argument: the slow ones, too."""
    from workflows.cli import run

    places = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    outcomes = {}
    for name, use in USES.items():
        words = use.arguments(places)
        if any(word.split("/")[0].isupper() for word in words):
            continue  # a bundle that this run was given none of
        if use.slow and "slow" not in sys.argv:
            continue
        output = io.StringIO()
        with redirect_stdout(output), redirect_stderr(output), patch.object(sys, "stdin", io.StringIO(f"{TIMES}\n")):
            code = run(words)
        outcomes[name] = [code, output.getvalue()]
    print(json.dumps(outcomes))


if __name__ == "__main__":
    main()
