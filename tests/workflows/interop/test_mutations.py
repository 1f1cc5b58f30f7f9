"""A folder of genai's that was changed at random gives the right values or is refused in a sentence; it ends nothing.

Where the configuration is at fault the sentence has its JSON path, where a graph is, the name of its file.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

PATH = re.compile(r" at [a-z_]+[.:\[]| has no pipeline\.state|metadata\.names|is not JSON|is no JSON object")
OF_GRAPHS = re.compile(r"\w\.onnx|The \w+ step failed on|The graph|[a-z_]+\.\d\.|present_\d|The input ")


def check(seed: int, count: int) -> None:
    """Every mutation, and that not all of them were refused, or all accepted."""
    command = [sys.executable, "-m", "tests.workflows.interop.mutations", str(seed), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (done.returncode, lines[-1:], done.stderr[-2000:])
    found = list(zip(lines[::2], lines[1::2], strict=True))
    for changed, outcome in found:
        if "refused" not in outcome:
            assert outcome["same"] and outcome["finite"], (changed, outcome)
            continue
        message, graphs = outcome["refused"], ".onnx" in str(changed["changes"])
        assert "\n" not in message and len(message) < 1000, (changed, message)
        known = (
            PATH.search(message)
            or outcome["kind"] in ("prompt", "promptlength")
            or (graphs and OF_GRAPHS.search(message))
        )
        assert known or message.startswith("The graph has two tensors that would be"), (changed, message)
    refused = sum("refused" in outcome for _, outcome in found)
    assert len(found) == count and count // 10 < refused < count - count // 10


def test_a_hundred() -> None:
    """Seven folders: a decoder of three forms, stages, stages for prompts and tokens, sound, pictures."""
    check(seed=0, count=100)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [100, 600])
def test_a_thousand_more(seed: int) -> None:
    check(seed, count=500)
