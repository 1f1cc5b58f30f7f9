"""OpenVINO GenAI: it reads the GGUF file that llama.cpp gets. It gives no logits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

import numpy as np
import openvino
import openvino_genai as genai
from lines import THREADS, Peer, serve


class OpenVino(Peer):
    """Its pipeline, by its own clocks."""

    versions: ClassVar = {name: version(name) for name in ("openvino-genai", "openvino")}

    def open(self, folder: str, capacity: int) -> None:
        file = next(Path(folder).glob("*.gguf"))
        self._pipeline = genai.LLMPipeline(str(file), "CPU", INFERENCE_NUM_THREADS=THREADS)

    def run(self, ids: Sequence[int], new: int, ends: int | None) -> tuple[list[int], list[float]]:
        config = genai.GenerationConfig(max_new_tokens=new, do_sample=False, ignore_eos=ends is None)
        config.apply_chat_template = False
        if ends is not None:
            config.eos_token_id = ends
            config.stop_token_ids = {ends}
        given = openvino.Tensor(np.asarray([ids], np.int64))
        mask = openvino.Tensor(np.ones((1, len(ids)), np.int64))
        began = time.perf_counter()
        result = self._pipeline.generate(genai.TokenizedInputs(given, mask), config)
        took = (time.perf_counter() - began) * 1000
        steps = [float(ms) / 1000 for ms in result.perf_metrics.raw_metrics.m_durations]
        first = float(result.perf_metrics.get_ttft().mean)
        return list(result.tokens[0]), [first, *(steps[-(new - 1) :] or [took - first])]


if __name__ == "__main__":
    serve(OpenVino())
