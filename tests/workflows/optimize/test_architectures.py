"""Every architecture of the generic family through its default passes: they do something, and not one token changes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.workflows.families.models import CORE_DECODERS, DECODERS, VOCABULARY, greedy, save_decoder
from workflows.build import BuildRequest, build
from workflows.build.work import EVIDENCE
from workflows.events import GenerationDone
from workflows.generate import GenerateOptions, open_engine

FUSED = {"pack_qkv", "pack_gate_up", "skip_layernorm", "gqa_attention", "gelu_fusion", "fold_tied_head"}


@pytest.mark.parametrize(
    "model_type", [pytest.param(name, marks=() if name in CORE_DECODERS else pytest.mark.slow) for name in DECODERS]
)
def test_default_passes_keep_every_token(model_type: str, tmp_path: Path) -> None:
    checkpoint = save_decoder(model_type, tmp_path / "checkpoint")
    prompt = [int(i) for i in np.random.default_rng(1).integers(3, VOCABULARY, 70)]
    expected = greedy(checkpoint, prompt, 12)
    for cache in ("static", "gqa"):
        build(BuildRequest(str(checkpoint), tmp_path / cache, {"cache": cache, "capacity": 128}))
        (stage,) = [e for e in json.loads((tmp_path / cache / EVIDENCE).read_text()) if e["name"] == "optimize"]
        assert FUSED & {entry["name"] for entry in stage["passes"] if entry["modified"]}, cache
        *_, done = open_engine(tmp_path / cache).generate(prompt, GenerateOptions(max_new_tokens=12))
        assert isinstance(done, GenerationDone)
        assert done.token_ids == expected, cache
