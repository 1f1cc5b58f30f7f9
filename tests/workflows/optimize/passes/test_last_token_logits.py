from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.workflows.conftest import make_qwen3
from tests.workflows.optimize.making import apply, check_refuses, parse, values, weights
from workflows.builder import BuildRequest, build
from workflows.generate import GenerateOptions, open_engine
from workflows.wire.events import GenerationDone

X = {"x": weights(1, 5, 8)}
GRAPH = "g (float[1,S,8] x) => (float[1,S,24] logits) { h = Neg(x) m = MatMul(h, w) logits = Tanh(m) }"
GEMM = """g (float[1,S,8] x) => (float[1,S,24] logits) <int64[2] f = {-1, 8}, int64[3] u = {1, -1, 24}>
  { h = Neg(x) r = Reshape(h, f) m = Gemm(r, w) logits = Reshape(m, u) }"""


@pytest.mark.parametrize("text", [GRAPH, GEMM])
def test_the_last_row_alone(text: str) -> None:
    model = parse(text, w=weights(8, 24))
    (every,) = values(model, X)
    assert apply(model, "last_token_logits")[0].modified
    (last,) = values(model, X)
    np.testing.assert_allclose(last, every[:, -1:], atol=1e-6)
    assert str(model.graph.outputs[0].shape) == "[1,1,24]"
    check_refuses(model, "last_token_logits", "its logits are of one token already")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (GRAPH.replace("[1,S,", "[1,64,"), "its sequence axis is fixed to 64, and what pads it comes last"),
        (GRAPH.replace("logits", "hidden"), "no output logits of three axes"),
        (GRAPH.replace("m = MatMul(h, w)", "z = MatMul(h, w) m = Softmax(z)"), "no MatMul over the sequence"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    check_refuses(parse(text, w=weights(8, 24)), "last_token_logits", reason)


@pytest.mark.slow
def test_the_engine_takes_such_a_graph(tmp_path: Path, stage_cache: None) -> None:
    """Prompts of one chunk, of several and of a part of one give the same tokens as with every row."""
    checkpoint = make_qwen3(tmp_path / "checkpoint", tie_word_embeddings=True)
    found = {}
    for on in (False, True):
        out = tmp_path / str(on)
        build(BuildRequest(str(checkpoint), out, {"capacity": 256, "passes": {"last_token_logits": on}}))
        engine = open_engine(out)
        assert engine.machine.program.decode.logits[1].shape[1] == (1 if on else "logits_rows")
        for length in (1, 63, 64, 65, 130):
            prompt = [int(i) for i in np.random.default_rng(length).integers(3, 900, length)]
            *_, done = engine.generate(prompt, GenerateOptions(max_new_tokens=12))
            assert isinstance(done, GenerationDone)
            found[on, length] = done.token_ids
    assert all(found[True, length] == tokens for (on, length), tokens in found.items() if not on)
