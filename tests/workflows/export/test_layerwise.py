"""Several runs of a model at once, layer by layer: the values of single runs, with one layer's weights at most."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import torch
from transformers import PreTrainedModel

from tests.workflows.conftest import make_qwen3
from workflows.checkpoint import find_checkpoint
from workflows.checkpoint.checkpoint import read_checkpoint
from workflows.export import stand_ins
from workflows.export.attention import ATTENTION_NAME
from workflows.export.decoder import cached_steps, causal_layers, run_step
from workflows.export.layerwise import _decoder_layers, run_layerwise
from workflows.export.load import load_model
from workflows.export.stand_ins import NotStreamedError, StandIns, is_stand_in

LAYERS = 3
IDS = torch.randint(0, 997, (1, 37), generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[PreTrainedModel, PreTrainedModel, StandIns]]:
    """The model with its weights, the same of stand-ins, and these."""
    folder = make_qwen3(tmp_path_factory.mktemp("layers"), num_hidden_layers=LAYERS)
    checkpoint = read_checkpoint(*find_checkpoint(str(folder)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stand_ins, "REAL_BELOW", 1 << 10)
        stand = StandIns(checkpoint)
        yield (
            load_model(checkpoint, "text-generation"),
            load_model(checkpoint, "text-generation", stand_ins=stand),
            stand,
        )


def own(model: PreTrainedModel) -> torch.Tensor:
    logits: torch.Tensor = model(input_ids=IDS, use_cache=False).logits[0]
    return logits


def test_runs_together_give_what_runs_alone_give(
    models: tuple[PreTrainedModel, PreTrainedModel, StandIns], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, hollow, stand = models
    layers = causal_layers(whole)
    ends = [20, 36, 37]
    plan = cached_steps(layers, ends)
    steps = [(ATTENTION_NAME, lambda step=step: run_step(hollow, IDS, step)) for step in plan]
    phases: list[tuple[int, int]] = []
    monkeypatch.setattr(stand, "on_layer", lambda done, total: phases.append((done, total)))
    expected, *found = run_layerwise(hollow, LAYERS, [("eager", lambda: own(hollow)), *steps], stand)
    whole.set_attn_implementation("eager")
    with torch.no_grad():
        assert torch.equal(expected, own(whole))
        whole.set_attn_implementation(ATTENTION_NAME)
        for step, logits in zip(cached_steps(layers, ends), found, strict=True):
            assert torch.equal(logits, run_step(whole, IDS, step))
    assert phases == [(phase, LAYERS + 1) for phase in range(LAYERS + 1)]
    assert all(is_stand_in(weight) for weight in hollow.parameters() if weight.numel() >= 1 << 10)


def test_one_layers_weights_are_in_memory_at_most(
    models: tuple[PreTrainedModel, PreTrainedModel, StandIns], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, hollow, stand = models
    held: list[int] = []
    read = stand.read

    def watched(weight: torch.Tensor) -> torch.Tensor:
        held.append(sum(one.numel() for one in hollow.parameters() if not is_stand_in(one)))
        return read(weight)

    monkeypatch.setattr(stand, "read", watched)
    run_layerwise(hollow, LAYERS, [("eager", lambda: own(hollow))] * 3, stand)
    large = [weight.numel() for weight in hollow.parameters() if weight.numel() >= 1 << 10]
    layer = sum(weight.numel() for weight in hollow.model.layers[0].parameters())
    table = hollow.model.embed_tokens.weight.numel()
    assert len(held) == len(large) - 1  # once each, for all runs; of the table of tokens a few rows alone
    assert max(held) < layer + table + sum(weight.numel() for weight in hollow.parameters()) - sum(large)


def test_a_run_that_fails_ends_the_others(models: tuple[PreTrainedModel, PreTrainedModel, StandIns]) -> None:
    _, hollow, stand = models

    def fail(*_: object) -> None:
        raise ValueError("the second layer")

    before = threading.active_count()
    hook = hollow.model.layers[1].mlp.register_forward_hook(fail)
    try:
        with pytest.raises(ValueError, match="the second layer"):
            run_layerwise(hollow, LAYERS, [("eager", lambda: own(hollow))] * 3, stand)
    finally:
        hook.remove()
    assert threading.active_count() == before
    assert all(is_stand_in(weight) for weight in hollow.parameters() if weight.numel() >= 1 << 10)


def test_a_layer_that_does_not_run_is_noticed(models: tuple[PreTrainedModel, PreTrainedModel, StandIns]) -> None:
    _, hollow, stand = models

    def twice() -> torch.Tensor:
        own(hollow)
        return own(hollow)

    with pytest.raises(NotStreamedError, match="one after the other"):
        run_layerwise(hollow, LAYERS, [("eager", twice)], stand)
    with pytest.raises(NotStreamedError, match="its 5 layers are not in a list"):
        run_layerwise(hollow, 5, [("eager", twice)], stand)


@pytest.mark.parametrize(("model_type", "config", "expected"), [
    ("modernbert-decoder", {"num_hidden_layers": 3}, "ModernBertDecoderLayer"),
    ("gemma3", {"text_config": {"num_hidden_layers": 3}, "vision_config": {"num_hidden_layers": 3}},
     "Gemma3DecoderLayer"),
])  # fmt: skip
def test_the_layers_are_the_decoders(model_type: str, config: dict[str, object], expected: str) -> None:
    """Where a head is called the decoder, and where an encoder of pictures has as many layers."""
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText

    auto = AutoModelForImageTextToText if "vision_config" in config else AutoModelForCausalLM
    with torch.device("meta"):
        model = auto.from_config(AutoConfig.for_model(model_type, **config))
    assert [type(layer).__name__ for layer in _decoder_layers(model, 3)] == [expected] * 3
