"""Any composite runs: small real graphs of each kind against numpy over the whole sequence, value by value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.workflows.runtime.toy_bundles import AUDIO, IMAGE, D, Toy, V, write_encoder, write_reader, write_scorer
from workflows.bundle.schema import parse_pipeline
from workflows.common.errors import BundleError, GraphError, PromptError, RequestError, RewindError
from workflows.generate.prefill import feed_tokens, start_prompt
from workflows.runtime import Machine, device_named
from workflows.runtime.execution.binding import Binding
from workflows.runtime.loading.machines import make_machine
from workflows.runtime.loading.sessions import SessionPlan, open_session
from workflows.runtime.program.program import ProgramPhase

CHUNK = 8
IDS = np.random.default_rng(1).integers(0, IMAGE, 40).tolist()
LENGTHS = (1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3)


def opened(
    folder: Path, flow: Sequence[Mapping[str, Any]], edges: Sequence[tuple[str, str]] = (), **more: Any
) -> Machine:
    """The graphs of `folder` under a pipeline file with this flow and these edges. more: other keys of the file."""
    names = list(dict.fromkeys(stage["run"] for stage in flow))
    files = more.pop("files", {})
    data = {
        "pipeline": {
            "sessions": {name: {"file": files.get(name, f"{name}.onnx")} for name in names},
            "flow": list(flow),
            "dataflow": [{"from": source, "to": target} for source, target in edges],
            "state": {"kv_cache": {}} | more.pop("state", {}),
        },
        "tokens": more.pop("tokens", {}),
        "generation": {"max_length": more.pop("capacity", 64)},
        "metadata": {"model_type": "toy", "vocabulary": V, "chunk": CHUNK} | more.pop("metadata", {}),
    }
    data["pipeline"] |= more
    device = device_named("cpu")
    sessions = {
        name: open_session(SessionPlan(name, folder / one["file"], device))
        for name, one in data["pipeline"]["sessions"].items()
    }
    return make_machine(parse_pipeline(data, "the file"), sessions, device)


def fed(machine: Machine, ids: Sequence[int]) -> NDArray[Any]:
    """The logits after each run: the prompt but three tokens in chunks, then these one by one."""
    alone = min(3, len(ids) - 1)
    rows = [one.logits.copy() for one in feed_tokens(machine, ids[: len(ids) - alone])][-1:]
    rows += [machine.step([token])[-1].copy() for token in ids[len(ids) - alone :]] if alone else []
    return np.array(rows)


def check(machine: Machine, truth: NDArray[Any], ids: Sequence[int]) -> None:
    """What the machine gives after `ids` is the last of what numpy gives."""
    found = fed(machine, ids)
    np.testing.assert_allclose(found, truth[-len(found) :], atol=2e-4)


STEP = [{"run": "decoder"}]


@pytest.mark.parametrize("length", LENGTHS)
def test_layers_may_begin_anywhere_and_have_gaps(length: int, tmp_path: Path) -> None:
    toy = Toy(layers=(1, 4))
    toy.write(tmp_path, ["decoder"])
    machine = opened(tmp_path, STEP)
    check(machine, toy.truth(IDS[:length]), IDS[:length])
    assert [group.layers for group in machine.cache.groups] == [(1, 4)]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("said", ["combined", "auto"])
def test_keys_and_values_in_one_tensor(length: int, said: str, tmp_path: Path) -> None:
    """[2, 1, H, S, D] a layer, as GPT-2 is exported by others; a window slides there as elsewhere."""
    toy = Toy(combined=True)
    toy.write(tmp_path, ["decoder"])
    check(opened(tmp_path, STEP, state={"kv_cache": {"format": said}}), toy.truth(IDS[:length]), IDS[:length])


@pytest.mark.parametrize("length", LENGTHS)
def test_layers_split_over_sessions_share_one_cache(length: int, tmp_path: Path) -> None:
    """Table, two bodies with a layer each, head: edges of any names, one table of slots."""
    toy = Toy()
    toy.write(tmp_path, ["table", "body0", "body1", "head"])
    parts = ("table", "body0", "body1", "head")
    edges = [(f"{one}.hidden_out", f"{two}.hidden_in") for one, two in pairwise(parts)]
    machine = opened(tmp_path, [{"run": part} for part in parts], edges)
    check(machine, toy.truth(IDS[:length]), IDS[:length])
    assert [tensor.layer for tensor in machine.program.state] == [0, 0, 1, 1]


@pytest.mark.parametrize("length", LENGTHS)
def test_a_prefill_of_fixed_width_and_steps_of_one_column(length: int, tmp_path: Path) -> None:
    """Activation edges that nobody calls inputs_embeds tell the body's columns."""
    toy = Toy()
    for tag, columns in (("8", 8), ("1", 1)):
        toy.write(tmp_path, ["body"], columns, tag)
    toy.write(tmp_path, ["table", "head"])
    both = ("init", "step")
    flow = [{"run": "table", "when": when} for when in both] + [{"run": "prefill", "when": "init"}, {"run": "body"}]
    flow += [{"run": "head", "when": when} for when in both]
    edges = [("table.hidden_out", f"{name}.hidden_in") for name in ("prefill", "body")]
    edges += [(f"{name}.hidden_out", "head.hidden_in") for name in ("prefill", "body")]
    machine = opened(tmp_path, flow, edges, files={"prefill": "body8.onnx", "body": "body1.onnx"})
    assert (machine.program.prefill.columns, machine.program.decode.columns) == (8, 1)
    check(machine, toy.truth(IDS[:length]), IDS[:length])


def test_what_is_carried_from_step_to_step(tmp_path: Path) -> None:
    """A convolution beside the cache: right at every length, no way back but to the beginning, saved with the rest."""
    toy = Toy(convolves=True)
    toy.write(tmp_path, ["decoder"])
    machine = opened(tmp_path, STEP)
    for length in LENGTHS:
        machine.cache.reset()
        check(machine, toy.truth(IDS[:length]), IDS[:length])
    with pytest.raises(RewindError, match="it can go to 0 and 19"):
        machine.cache.rewind(5)
    machine.cache.plan(IDS[:3])  # never committed: leaves nothing
    check_next = machine.step(IDS[19:20])[-1]
    np.testing.assert_allclose(check_next, toy.truth(IDS[:20])[-1], atol=2e-4)


def test_a_carried_state_is_saved_with_the_cache(tmp_path: Path) -> None:
    """What goes on after loading is what would have gone on."""
    from workflows.kvcache.cache_file import load_cache, save_cache

    toy = Toy(convolves=True)
    toy.write(tmp_path, ["decoder"])
    one, other = opened(tmp_path, STEP), opened(tmp_path, STEP)
    fed(one, IDS[:11])
    save_cache(one.cache, IDS[:11], "toy", tmp_path / "saved")
    assert load_cache(other.cache, "toy", tmp_path / "saved") == IDS[:11]
    np.testing.assert_allclose(other.step(IDS[11:12])[-1], toy.truth(IDS[:12])[-1], atol=2e-4)


def test_what_is_carried_takes_no_padding(tmp_path: Path) -> None:
    """A prefill of fixed width goes token by token where its chunk would be padded."""
    toy = Toy(convolves=True)
    toy.write(tmp_path, ["decoder"], 8, "8")
    toy.write(tmp_path, ["decoder"])
    flow = [{"run": "prefill", "when": "init"}, {"run": "decoder"}]
    machine = opened(tmp_path, flow, files={"prefill": "decoder8.onnx"})
    assert [(len(chunk), phase) for chunk, phase in machine.chunks(IDS[:11])] == [(8, "prefill")] + [(1, "decode")] * 3
    for length in LENGTHS:
        machine.cache.reset()
        check(machine, toy.truth(IDS[:length]), IDS[:length])


@pytest.mark.parametrize("prefix", [(), (7, 3, 11)])
def test_a_decoder_linked_by_hidden_states_and_a_mask(prefix: tuple[int, ...], tmp_path: Path) -> None:
    """Other exporters' form, whether the file names the encoder as the source or not; prefixes of several tokens."""
    toy = Toy(attends=True)
    toy.write(tmp_path, ["decoder"])
    write_encoder(tmp_path, toy)
    edges = [("encoder.last_hidden_state", "decoder.encoder_hidden_states")]
    init = {"run": "encoder", "when": "init"}
    for flow in ([init, {"run": "decoder"}], [init, {"run": "decoder", "cross_attention_from": "encoder"}]):
        machine = opened(tmp_path, flow, edges, tokens={"decoder_start": 1})
        for source in (IDS[:5], IDS[5:20]):
            pipeline = parse_pipeline(
                {"pipeline": {"sessions": {"a": {"file": "a"}}, "flow": [{"run": "a"}]}, "tokens": {"decoder_start": 1},
                 "metadata": {"model_type": ""}}, "x",
            )  # fmt: skip
            start = start_prompt(machine, pipeline, source, prefix)
            assert start == [1, *prefix]
            ids = [*start, *IDS[20:26]]
            check(machine, toy.truth(ids, source=source), ids)


PICTURES = {"run": "image", "when": "init", "loop": "per_image"}
SOUND = {"run": "audio", "when": "init"}
SEES = [("image.image_features", "table.image_features")]
HEARS = [("audio.audio_features", "table.audio_features")]
CHAIN = [("table.hidden_out", "body.hidden_in"), ("body.hidden_out", "head.hidden_in")]
PARTS = [{"run": "table"}, {"run": "body"}, {"run": "head"}]


def rows(*counts: int, size: int = 3) -> list[NDArray[Any]]:
    """Patches of pictures of different sizes."""
    chances = np.random.default_rng(sum(counts))
    return [chances.normal(size=(count, size)).astype(np.float32) for count in counts]


@pytest.mark.parametrize("table", ["step", "init"])
def test_pictures_of_different_sizes_go_to_their_places(table: str, tmp_path: Path) -> None:
    """One run a picture; a chunk gets the rows whose places are in it; the table at init runs with every token too."""
    toy = Toy(modalities=["image"])
    toy.write(tmp_path, ["table", "body", "head"])
    write_reader(tmp_path, toy, "image")
    flow = [PICTURES, {"run": "table", "when": table}, *PARTS[1:]]
    machine = opened(tmp_path, flow, [*SEES, *CHAIN], tokens={"image_token": IMAGE})
    pictures = rows(5, 2)
    ids = [3, *[IMAGE] * 5, 9, 4, *[IMAGE] * 2, *IDS[:9]]  # the first one lies across two chunks
    machine.start({"pixel_values": pictures}, ids)
    check(machine, toy.truth(ids, {"image": np.concatenate(pictures)}), ids)
    alike = [3, *[IMAGE] * 3, 9, 4, *[IMAGE] * 3, *IDS[:9]]
    stacked = np.stack(rows(3, 3))  # an array of pictures of one size
    machine.cache.reset()
    machine.start({"pixel_values": stacked}, alike)
    check(machine, toy.truth(alike, {"image": np.concatenate([*stacked])}), alike)
    machine.start({}, IDS[:10])
    machine.cache.reset()
    check(machine, toy.truth(IDS[:10]), IDS[:10])  # a text alone
    for wrong in (ids[1:2] + ids, [1, 2, 3]):
        with pytest.raises(PromptError, match=r"placeholders for image features \(token 38\), and there are 7"):
            machine.start({"pixel_values": pictures}, wrong)
    with pytest.raises(PromptError, match=r"The model reads no pictures: it reads image\.pixel_values"):
        machine.start({"pictures": pictures}, ids)


def test_pictures_in_one_run(tmp_path: Path) -> None:
    """batched: one array [pictures, patches, 3]."""
    toy = Toy(modalities=["image"])
    toy.write(tmp_path, ["table", "body", "head"])
    write_reader(tmp_path, toy, "image", batched=True)
    flow = [{"run": "image", "when": "init"}, *PARTS]
    machine = opened(tmp_path, flow, [*SEES, *CHAIN], tokens={"image_token": IMAGE})
    ids, pictures = [*[IMAGE] * 4, 7, *[IMAGE] * 4, 5, 6], np.stack(rows(4, 4))
    machine.start({"image.pixel_values": pictures}, ids)
    check(machine, toy.truth(ids, {"image": pictures.reshape(-1, 3)}), ids)


def test_pictures_and_sound_in_one_pass(tmp_path: Path) -> None:
    """Three modalities: each features' rows go to the places of their own token."""
    toy = Toy(modalities=["image", "audio"])
    toy.write(tmp_path, ["table", "body", "head"])
    write_reader(tmp_path, toy, "image")
    write_reader(tmp_path, toy, "audio")
    tokens = {"image_token": IMAGE, "audio_token": AUDIO}
    machine = opened(tmp_path, [PICTURES, SOUND, *PARTS], [*SEES, *HEARS, *CHAIN], tokens=tokens)
    seen, heard = rows(3, 4), rows(5, size=5)[0]
    ids = [1, *[IMAGE] * 3, 2, *[AUDIO] * 5, 3, *[IMAGE] * 4, *IDS[:5]]
    truth = toy.truth(ids, {"image": np.concatenate(seen), "audio": heard})
    machine.start({"pixel_values": seen, "audio_embeds": heard}, ids)
    check(machine, truth, ids)
    machine.start({"audio_embeds": heard}, [1, *[AUDIO] * 5, 3])  # one of the two alone
    check(machine, toy.truth([1, *[AUDIO] * 5, 3], {"audio": heard}), [1, *[AUDIO] * 5, 3])


def test_positions_of_time_height_and_width(tmp_path: Path) -> None:
    """mrope_3d: a picture's places have its coordinates, the text goes on after the largest."""
    toy = Toy(modalities=["image"], grid=True)
    toy.write(tmp_path, ["table", "body", "head"])
    write_reader(tmp_path, toy, "image")
    ids = [3, 4, *[IMAGE] * 6, 9, 8, 7, 6]
    places = np.array([[0, 1, *[2] * 6, 5, 6, 7, 8], [0, 1, 2, 2, 2, 3, 3, 3, 5, 6, 7, 8],
                       [0, 1, 2, 3, 4, 2, 3, 4, 5, 6, 7, 8]])  # fmt: skip
    state = {"position_ids": {"strategy": "mrope_3d", "grid_source": "image.image_grid_thw"}}
    machine = opened(tmp_path, [PICTURES, *PARTS], [*SEES, *CHAIN], tokens={"image_token": IMAGE}, state=state)
    grids = [np.array([[1, 2, 3]])]
    machine.start({"pixel_values": rows(6), "image_grid_thw": grids}, ids)
    check(machine, toy.truth(ids, {"image": rows(6)[0]}, positions=places), ids)
    machine.start({"pixel_values": rows(6), "image_grid_thw": [np.array([[1, 4, 6]])]}, ids)  # 2 × 2 patches a feature
    check(machine, toy.truth(ids, {"image": rows(6)[0]}, positions=places), ids)


def test_the_input_of_positions_may_have_another_name(tmp_path: Path) -> None:
    """state.position_ids.input_name; a name that no session has is refused with its path."""
    import onnx

    toy = Toy()
    toy.write(tmp_path, ["decoder"])
    model = onnx.load(tmp_path / "decoder.onnx")
    for node in model.graph.node:
        node.input[:] = ["where" if name == "position_ids" else name for name in node.input]
    next(value for value in model.graph.input if value.name == "position_ids").name = "where"
    onnx.save(model, tmp_path / "decoder.onnx")
    machine = opened(tmp_path, STEP, state={"position_ids": {"input_name": "where"}})
    check(machine, toy.truth(IDS[:12]), IDS[:12])
    assert not machine.program.facts.counts  # it is told positions, so its slots may be more than its tokens
    with pytest.raises(BundleError, match=r"at pipeline\.state\.position_ids\.input_name: no session has an input"):
        opened(tmp_path, STEP, state={"position_ids": {"input_name": "elsewhere"}})


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_final_runs_once_on_what_the_last_step_gave(steps: int, tmp_path: Path) -> None:
    """Also where the prompt went through sessions of its own and no token followed."""
    toy = Toy()
    toy.write(tmp_path, ["table", "body", "head"])
    toy.write(tmp_path, ["decoder"], 8, "8")
    write_scorer(tmp_path)
    flow = [{"run": "prefill", "when": "init"}, *PARTS, {"run": "scorer", "when": "final"}]
    edges = [*CHAIN, ("body.hidden_out", "scorer.row")]
    machine = opened(tmp_path, flow, edges, files={"prefill": "decoder8.onnx"})
    for _ in feed_tokens(machine, IDS[:12]):
        pass
    for token in IDS[12 : 12 + steps]:
        machine.step([token])
    score = machine.finish()["score"]
    ids, head = IDS[: 12 + steps], toy.weights["head"]
    hidden = toy.truth(ids)[-1] @ np.linalg.pinv(head)  # the logits are its image, and the head is injective
    np.testing.assert_allclose(score, [hidden.sum()], atol=1e-3)
    with pytest.raises(RequestError, match="there was none"):
        machine.finish()
    assert hidden.shape == (D,)


def test_rows_of_a_step_are_those_of_its_tokens(tmp_path: Path) -> None:
    """step(tokens, rows): the logits after each of several tokens, as a draft is verified."""
    toy = Toy()
    toy.write(tmp_path, ["decoder"])
    machine = opened(tmp_path, STEP)
    found = machine.step(IDS[:6], rows=4)
    np.testing.assert_allclose(found, toy.truth(IDS[:6])[2:], atol=2e-4)
    with pytest.raises(GraphError, match="3 were requested"):
        machine.step(IDS[6:8], rows=3)


@pytest.mark.parametrize(("window", "sinks"), [(12, 0), (12, 4), (20, 1)])
def test_a_window_with_sinks(window: int, sinks: int, tmp_path: Path) -> None:
    """The first tokens stay visible, the others for as long as the ring; against numpy with that mask."""
    toy = Toy(layers=(0,))  # with one layer what is forgotten is forgotten: no later row has heard of it
    toy.write(tmp_path, ["decoder"])
    options = {"runtime": {"sliding_window": {"size": window, "sink_tokens": sinks}}}
    sessions = {"decoder": {"file": "decoder.onnx", "session_options": options}}
    machine = opened(tmp_path, STEP, sessions=sessions)
    ids = IDS[:37]
    query, key = np.arange(len(ids))[:, None], np.arange(len(ids))[None]
    visible = (key <= query) & ((query - key < window - sinks) | (key < sinks))
    check(machine, toy.truth(ids, visible=visible), ids)
    assert machine.cache.evicted == len(ids) - window


def test_sinks_and_cache_types_that_cannot_be_are_refused(tmp_path: Path) -> None:
    """By the JSON path of what asks for them."""
    toy = Toy()
    toy.write(tmp_path, ["decoder"])

    def asked(runtime: dict[str, Any]) -> Machine:
        sessions = {"decoder": {"file": "decoder.onnx", "session_options": {"runtime": runtime}}}
        return opened(tmp_path, STEP, sessions=sessions)

    path = r"at pipeline\.sessions\.decoder\.session_options\.runtime"
    for runtime, told in (
        ({"kv_cache": {"dtype": "fp16"}}, rf"{path}\.kv_cache\.dtype: the graph's cache is float32"),
        ({"kv_cache": {"quant": "per_token"}}, rf"{path}\.kv_cache\.quant: the graph's cache has no scales"),
        ({"kv_cache": {"dtype": "awq"}}, r"kv_cache: awq quantizes weights.*session_options\.build_requires"),
        ({"paging": {"enabled": True}}, rf"{path}\.paging: Joinery does not support paged caches"),
        ({"sliding_window": {"size": 4, "sink_tokens": 4}}, "4 sink tokens leave no room in a window of 4"),
        ({"quantization": "int4"}, r"quantization belongs to session_options\.build_requires"),
    ):
        with pytest.raises(BundleError, match=told):
            asked(runtime)
    library = {"provider_options": [{"qnn": {"backend_path": "../evil.so"}}]}
    with pytest.raises(
        BundleError, match=r"session_options: provider_options\.backend_path refers to a file outside the bundle"
    ):
        opened(tmp_path, STEP, sessions={"decoder": {"file": "decoder.onnx", "session_options": library}})
    assert asked({"kv_cache": {"dtype": "fp32"}, "prefix_cache": {"enabled": False}}).cache.length == 0


def test_a_source_that_was_not_read_has_no_mask(tmp_path: Path) -> None:
    """A decoder that is told of it cannot run before."""
    toy = Toy(attends=True)
    toy.write(tmp_path, ["decoder"])
    write_encoder(tmp_path, toy)
    edges = [("encoder.last_hidden_state", "decoder.encoder_hidden_states")]
    machine = opened(tmp_path, [{"run": "encoder", "when": "init"}, {"run": "decoder"}], edges)
    with pytest.raises(PromptError, match="encoder_attention_mask masks the tokens of a source"):
        machine.step([1])


def test_a_closed_machine_is_reported(tmp_path: Path) -> None:
    """`with` lets go of the sessions."""
    Toy().write(tmp_path, ["decoder"])
    with opened(tmp_path, STEP) as machine:
        machine.step([1])
    with pytest.raises(RequestError, match="The model is closed: open the bundle again"):
        machine.step([2])


def test_what_is_bound_for_a_draft_is_kept_and_not_for_the_end_of_a_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A binding holds a row of logits a column: ends of prompts have any width, and of wide drafts the last is kept."""
    made: list[ProgramPhase] = []

    class Counted(Binding):
        def __init__(self, run: ProgramPhase, *others: Any) -> None:
            made.append(run)
            super().__init__(run, *others)

    monkeypatch.setattr("workflows.runtime.execution.binding_cache.Binding", Counted)
    Toy().write(tmp_path, ["decoder"])
    machine = opened(tmp_path, STEP)
    for tokens, rows, wanted in ((5, 1, 1), (5, 1, 2), (1, 1, 3), (1, 1, 3), (5, 5, 4), (5, 2, 4), (CHUNK, 1, 5),
                                 (CHUNK, 1, 5)):  # fmt: skip
        machine.step(IDS[:tokens], rows=rows)
        assert len(made) == wanted, (tokens, rows)
    monkeypatch.setattr("workflows.runtime.execution.binding_cache._NARROW", 3)
    machine.start()
    machine.cache.reset()
    made.clear()
    for tokens, wanted in ((5, 1), (5, 1), (6, 2), (5, 3), (3, 4), (5, 4), (CHUNK, 5), (5, 5)):
        machine.step(IDS[:tokens], rows=tokens)
        assert len(made) == wanted, tokens
