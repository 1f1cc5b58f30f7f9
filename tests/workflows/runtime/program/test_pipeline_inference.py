"""What graphs are to each other, told from signatures alone: the forms in which others export them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from workflows.common.tensors import TensorSpec
from workflows.kvcache.geometry import StatePatterns
from workflows.runtime.program.compiler import compile_program
from workflows.runtime.program.pipeline_inference import InferredPipeline, infer_pipeline
from workflows.runtime.program.signature import FileSignature

Axes = tuple[int | str, ...]
Tensors = Mapping[str, tuple[str, Axes]]
INT, FLOAT = "int64", "float32"


def graph(takes: Tensors, gives: Tensors, metadata: Mapping[str, str] | None = None) -> FileSignature:
    """name → (type, shape) on both sides."""
    sides = [tuple(TensorSpec(name, shape, kind) for name, (kind, shape) in side.items()) for side in (takes, gives)]
    return FileSignature(*sides, metadata or {})


def cache(past: Axes, present: Axes, patterns: StatePatterns | None = None, layers: int = 2) -> tuple[Tensors, Tensors]:
    """Past and present of so many layers."""
    named = patterns or StatePatterns()
    pairs = [(before % i, after % i) for i in range(layers) for _, before, after in named.pairs()]
    return {one: (FLOAT, past) for one, _ in pairs}, {one: (FLOAT, present) for _, one in pairs}


def inferred(graphs: Mapping[str, FileSignature], **said: object) -> InferredPipeline:
    return infer_pipeline(graphs, {name: f"{name}.onnx" for name in graphs}, said)


def run(graphs: Mapping[str, FileSignature], **said: object) -> dict[str, tuple[tuple[str, ...], int | None]]:
    """Run → its sessions and columns, of graphs that lack nothing."""
    found = inferred(graphs, **said)
    assert found.pipeline is not None and not found.problems, found.problems
    program = compile_program(found.pipeline, graphs)
    return {name: (one.sessions, one.columns) for name, one in program.runs.items()}


def decoder(
    columns: int | str, slots: int | str = "slots", mask: Axes = (1, "all"), patterns: StatePatterns | None = None
) -> FileSignature:
    """ids, positions and a mask; present are the new rows."""
    past, present = cache((1, 2, slots, 4), (1, 2, columns, 4), patterns)
    takes = {"input_ids": (INT, (1, columns)), "attention_mask": (INT, mask), "position_ids": (INT, (1, columns))}
    return graph({**takes, **past}, {"logits": (FLOAT, (1, columns, 50)), **present})


OTHERS = StatePatterns("past_%d_key", "past_%d_value", "present_%d_key", "present_%d_value")


@pytest.mark.parametrize("names", [("prefill", "decode"), ("decode", "prefill"), ("a", "b")])
def test_a_prompt_s_graph_and_a_step_s_of_fixed_shapes(names: tuple[str, str]) -> None:
    """winml-cli's: past_0_key, a mask as wide as past; the narrow one is the step, whatever it is called."""
    wide, narrow = (decoder(columns, 256, (1, 256), OTHERS) for columns in (64, 1))
    graphs = {names[0]: wide, names[1]: narrow}
    assert run(graphs) == {"prefill": ((names[0],), 64), "decode": ((names[1],), 1)}
    pipeline = inferred(graphs).pipeline
    assert pipeline and (pipeline.chunk, pipeline.metadata.layout, pipeline.route) == (64, "static", "prefill-decode")


def test_a_name_breaks_a_tie_and_nothing_else_does() -> None:
    """Two graphs of any width, each of which could be the other."""
    same = decoder("n")
    for prefill, decode in (("prefill", "gen"), ("my_prompt", "my_decode"), ("prompt-0", "token-0"), ("x", "decode")):
        assert run({decode: same, prefill: same})["prefill"][0] == (prefill,)
    (lack,) = inferred({"a": same, "decoder": same}).problems
    assert lack == (
        "a and decoder keep the same layers of the cache, and nothing says which of them read a prompt: call one "
        "prefill and the other decode, or say when each runs under pipeline.flow in --pipeline."
    )
    assert inferred({"a": same, "b": same, "c": same}).pipeline is None
    said = {"flow": [{"run": "a", "when": "init"}, {"run": "b"}], "state": {"kv_cache": {}}}
    assert run({"a": same, "b": same}, pipeline=said)["decode"][0] == ("b",)


def test_a_scatter_cache() -> None:
    """mobius': key_cache.0, write_indices and nonpad_kv_seqlen, and the whole buffer as what is updated."""
    named = StatePatterns("key_cache.%d", "value_cache.%d", "updated_key_cache.%d", "updated_value_cache.%d")
    past, present = cache((1, 128, 8), (1, 128, 8), named)
    takes = {"input_ids": (INT, (1, "n")), "position_ids": (INT, (1, "n")),
             "write_indices": (INT, (1,)), "nonpad_kv_seqlen": (INT, (1,))}  # fmt: skip
    found = inferred({"model": graph({**takes, **past}, {"logits": (FLOAT, (1, "n", 50)), **present})})
    assert not found.problems and found.pipeline
    assert found.pipeline.metadata.layout == "scatter"
    kept = found.pipeline.pipeline.state.kv_cache
    assert kept and (kept.past_key_pattern, kept.present_value_pattern) == ("key_cache.%d", "updated_value_cache.%d")


def test_keys_and_values_in_one_tensor() -> None:
    """GPT-2's, as some export it."""
    past, present = cache((2, 1, 2, "slots", 4), (2, 1, 2, "n", 4), StatePatterns("past_%d", "", "present_%d", ""))
    takes = dict.fromkeys(("input_ids", "position_ids"), (INT, (1, "n")))
    takes["attention_mask"] = (FLOAT, (1, 1, "n", "all"))
    found = inferred({"gpt2": graph({**takes, **past}, {"logits": (FLOAT, (1, "n", 50)), **present})})
    assert not found.problems and found.pipeline
    assert found.pipeline.route == "combined"


def test_an_encoder_and_a_decoder_of_fixed_shapes() -> None:
    """The encoder's output is called as the decoder's input; it is read once, and the source's mask is given."""
    past, present = cache((1, 2, 32, 4), (1, 2, 1, 4), OTHERS)
    takes = {
        "input_ids": (INT, (1, 1)),
        "encoder_hidden_states": (FLOAT, (1, 16, 8)),
        "encoder_attention_mask": (INT, (1, 16)),
        "attention_mask": (INT, (1, 32)),
        "cache_position": (INT, (1,)),
    }
    graphs = {
        "decoder": graph({**takes, **past}, {"logits": (FLOAT, (1, 1, 50)), **present}),
        "encoder": graph({"input_ids": (INT, (1, 16)), "attention_mask": (INT, (1, 16))},
                         {"encoder_hidden_states": (FLOAT, (1, 16, 8))}),
    }  # fmt: skip
    decode = (("decoder",), 1)
    assert run(graphs) == {"source": (("encoder",), 16), "prefill": decode, "decode": decode}
    pipeline = inferred(graphs).pipeline
    assert pipeline and [pipeline.metadata.role(name) for name in graphs] == ["decoder", "encoder"]


def test_a_mask_of_a_source_that_nobody_reads() -> None:
    """The decoder's one lack is told by what would feed it."""
    past, present = cache((1, 2, "slots", 4), (1, 2, "n", 4))
    takes = {"input_ids": (INT, (1, "n")), "position_ids": (INT, (1, "n")), "encoder_attention_mask": (INT, (1, "s"))}
    (lack,) = inferred({"text": graph({**takes, **past}, {"logits": (FLOAT, (1, "n", 50)), **present})}).problems
    assert lack == (
        "Nothing feeds text.encoder_attention_mask: it masks the source of an encoder, so give the encoder's graph."
    )


def test_parts_of_every_width_go_where_they_fit() -> None:
    """Embeddings, pieces and heads, a set of 64 columns and one of 1, as an NPU wants them; one table of angles."""
    graphs: dict[str, FileSignature] = {}
    for columns in (64, 1):
        hidden = (FLOAT, (1, columns, 8))
        graphs[f"embed{columns}"] = graph({"input_ids": (INT, (1, columns))}, {"h0": hidden})
        for i in range(2):
            named = {f"past_key_values.{i}.{role}": (FLOAT, (1, 2, 128, 4)) for role in ("key", "value")}
            new = {f"present.{i}.{role}": (FLOAT, (1, 2, columns, 4)) for role in ("key", "value")}
            beside = {"cos": (FLOAT, (1, columns, 4)), "attention_mask": (FLOAT, (1, 1, columns, "all"))}
            graphs[f"piece{columns}_{i}"] = graph({f"h{i}": hidden, **beside, **named}, {f"h{i + 1}": hidden, **new})
        graphs[f"head{columns}"] = graph({"h2": hidden}, {"logits": (FLOAT, (1, columns, 50))})
    graphs["angles"] = graph({"position_ids": (INT, (1, "n"))}, {"cos": (FLOAT, (1, "n", 4))})
    found = run(dict(sorted(graphs.items())))
    assert found["prefill"] == (("angles", "embed64", "piece64_0", "piece64_1", "head64"), 64)
    assert found["decode"] == (("angles", "embed1", "piece1_0", "piece1_1", "head1"), 1)


def test_positions_of_pictures() -> None:
    """Three numbers a token, from the grids that the reader of pictures is given."""
    past, present = cache((1, 2, "slots", 4), (1, 2, "n", 4))
    graphs = {
        "vision": graph({"pixel_values": (FLOAT, ("p", 12)), "image_grid_thw": (INT, ("images", 3))},
                        {"image_features": (FLOAT, ("rows", 8))}),
        "embed": graph({"input_ids": (INT, (1, "n")), "image_features": (FLOAT, ("rows", 8))},
                       {"inputs_embeds": (FLOAT, (1, "n", 8))}),
        "text": graph({"inputs_embeds": (FLOAT, (1, "n", 8)), "attention_mask": (INT, (1, "all")),
                       "position_ids": (INT, (3, 1, "n")), **past}, {"logits": (FLOAT, (1, "n", 50)), **present}),
    }  # fmt: skip
    (lack,) = inferred(graphs).problems
    assert lack.startswith("embed.image_features takes image features, and their placeholder token is unknown")
    tokens = {"image_token": 49}
    assert run(graphs, tokens=tokens)["source"][0] == ("vision",)
    pipeline = inferred(graphs, tokens=tokens).pipeline
    assert pipeline and pipeline.positions.grid_source == "vision.image_grid_thw"
    assert [pipeline.metadata.role(name) for name in graphs] == ["vision", "embeddings", "transformer"]


def test_what_the_judge_says_is_lacking_too() -> None:
    """Where every input is fed and the whole still cannot run: the program's own sentence, with its path."""
    past, present = cache((1, 2, "slots", 4), (1, 2, "n", 4))
    text = graph({"inputs_embeds": (FLOAT, (1, "n", 8)), "attention_mask": (INT, (1, "all")),
                  "position_ids": (INT, (1, "n")), **past}, {"logits": (FLOAT, (1, "n", 50)), **present})  # fmt: skip
    embed = graph({"input_ids": (INT, (1, "n"))}, {"inputs_embeds": ("float16", (1, "n", 8))})
    (lack,) = inferred({"embed": embed, "text": text}).problems
    assert "at pipeline.dataflow[0]: embed.inputs_embeds [1, n, 8] float16 cannot feed" in lack


def test_a_person_s_keys_win_one_by_one() -> None:
    """metadata.chunk and generation.max_length are theirs, and the rest is the graphs'."""
    found = inferred({"model": decoder("n")}, metadata={"chunk": 7}, generation={"max_length": 99}, tokens={"eos": 3})
    assert found.pipeline and not found.problems
    assert (found.pipeline.chunk, found.pipeline.capacity, found.pipeline.tokens.eos) == (7, 99, [3])
    assert (found.pipeline.metadata.vocabulary, found.pipeline.metadata.layout) == (50, "static")
    for said in ({"pipeline": []}, {"metadata": 3}, {"nonsense": {}}, {"tokens": {"eos": "x"}}, {"generation": None}):
        assert inferred({"model": decoder("n")}, **said).problems
