"""Composites of sound and pictures in the released onnxruntime-genai: its tokens are ours and eager Hugging Face's.

The wheel reads the files itself: its features, its pixels and its tokens of a prompt are compared with them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from string import Template
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from PIL import Image

from tests.workflows.conftest import Built
from tests.workflows.families.models import VOCABULARY, WITH_TILES, save_qwen_vl, save_with_tiles
from tests.workflows.generate.speech.test_transcriber import save_listener
from tests.workflows.graph.making import model, node, value
from tests.workflows.interop.letters import save_letters
from workflows.common.errors import BundleError
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate.picture_prompts import PicturePrompts, single_pictures
from workflows.generate.speech.settings import SpeechOptions
from workflows.generate.speech.transcriber import Transcriber
from workflows.interop.genai_export import Qwen25VLExport, composite_export, composite_fault, export_genai
from workflows.interop.genai_graphs import StepEnds
from workflows.interop.genai_import import import_genai
from workflows.interop.genai_pictures import Gemma3Export, _PictureEnds
from workflows.interop.genai_speech import WhisperExport, _encoder
from workflows.kvcache import StateTensor
from workflows.kvcache.token_blocks import TokenBlocks
from workflows.wire.events import GenerationDone

wheel = pytest.mark.skipif(find_spec("onnxruntime_genai") is None, reason="onnxruntime-genai is not installed")

CLIPS = Path("resources") / "demos" / "whisper-clips"
IMAGE, BEFORE, BEHIND, COUNT = 200, 204, 205, 6
GIVE = {
    "transcribe": """
named = model.create_multimodal_processor()([case["prompt"]], audios=og.Audios.open(*case["files"]))
generator.set_inputs(named)
""",
    "look": """
pictures = og.Images.open(*case["files"]) if case["files"] else None
generator.set_inputs(model.create_multimodal_processor()(case["prompt"], images=pictures))
""",
    "features": """
generator.set_model_input("input_features", np.load(case["files"][0]))
generator.append_tokens(case["prompt"])
""",
}
ASK = """
import json, sys
import numpy as np
import onnxruntime_genai as og
model = og.Model(sys.argv[1])
for case in json.loads(sys.argv[2]):
    parameters = og.GeneratorParams(model)
    parameters.set_search_options(do_sample=False, max_length=case["longest"])
    generator = og.Generator(model, parameters)
{give}
    prompt, tokens = [int(token) for token in generator.get_sequence(0)], []
    while len(tokens) < case["count"] and not generator.is_done():
        generator.generate_next_token()
        tokens.append(int(generator.get_next_tokens()[0]))
    print(json.dumps([prompt, tokens]))
"""


def ask(folder: Path, how: str, cases: list[dict[str, Any]]) -> list[tuple[list[int], list[int]]]:
    """The wheel's prompt and tokens in each case; it runs in a process of its own."""
    give = "".join(f"    {line}\n" for line in GIVE[how].strip().splitlines())
    code = ASK.replace("{give}", give)
    command = [sys.executable, "-c", code, str(folder), json.dumps(cases)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    return [(prompt, tokens) for prompt, tokens in lines]


# -- nodes at the graphs' ends -------------------------------------------------------------------------------------

INTEGER, NUMBER = onnx.TensorProto.INT64, onnx.TensorProto.FLOAT


def graph(inputs: dict[str, Any], outputs: dict[str, Any], *nodes: onnx.NodeProto) -> onnx.ModelProto:
    """A graph of nodes; inputs, outputs: name → (shape, type)."""
    ends = [[value(name, *one) for name, one in side.items()] for side in (inputs, outputs)]
    return model(list(nodes), inputs=ends[0], outputs=ends[1], ir_version=9)


def run(changed: onnx.ModelProto, **feeds: Any) -> Any:
    """The first output."""
    onnx.checker.check_model(changed)
    session = ort.InferenceSession(changed.SerializeToString())
    assert {one.name for one in session.get_inputs()} == set(feeds)
    return session.run(None, feeds)[0]


IDS = [5, 9, 9, 9, 4, 9, 9, 3, 9]


@pytest.mark.parametrize(("past", "window"), [(0, None), (0, 2), (4, None), (4, 3)])
def test_the_places_of_a_picture_attend_to_each_other(past: int, window: int | None) -> None:
    """As where Joinery runs the graph; what was in steps before is behind all of this one."""
    shape = (1, 1, "n", "total")
    wide = graph({"inputs_embeds": ((1, "n", 2), NUMBER), "attention_mask": (shape, NUMBER)},
                 {"seen": (shape, NUMBER)}, node("Identity", ["attention_mask"], ["seen"]))  # fmt: skip
    ends = StepEnds(wide, blocks=9)
    ends.mask(ends.specs["attention_mask"], window)
    changed = ends.model()
    changed.graph.input.append(value("input_ids", (1, "n"), INTEGER))
    total = past + len(IDS)
    feeds = {"input_ids": np.array([IDS]), "attention_mask": np.ones((1, total), np.int64)}
    seen = run(changed, inputs_embeds=np.zeros((1, len(IDS), 2), np.float32), **feeds)[0, 0] == 0
    queries, keys = np.arange(past, total), np.arange(total)
    wanted = queries[:, None] >= keys
    if window is not None:
        wanted &= queries[:, None] - keys < window
    ahead = TokenBlocks([0] * past + IDS, 9).ahead(queries)
    assert ahead is not None
    wanted[:, past:] |= ahead | ahead.T
    np.testing.assert_array_equal(seen, wanted)


def test_rows_of_the_first_layers_go_with_the_embeddings() -> None:
    narrow, more = ((1, "n", 2), NUMBER), ((1, "n", 4), NUMBER)
    made = _PictureEnds(graph({"a": narrow, "b": more}, {"inputs_embeds": narrow, "deepstack_embeds": more},
                              node("Identity", ["a"], ["inputs_embeds"]),
                              node("Identity", ["b"], ["deepstack_embeds"])))  # fmt: skip
    made.join_deepstack()
    one, two = np.arange(6, dtype=np.float32).reshape(1, 3, 2), np.arange(12, dtype=np.float32).reshape(1, 3, 4)
    whole = run(made.model(), a=one, b=two)
    np.testing.assert_array_equal(whole, np.concatenate([one, two], axis=2))
    read = _PictureEnds(graph({"inputs_embeds": narrow, "deepstack_embeds": more}, {"out": more},
                              node("Concat", ["inputs_embeds", "inputs_embeds"], ["twice"], axis=2),
                              node("Sub", ["deepstack_embeds", "twice"], ["out"])))  # fmt: skip
    read.divide_deepstack()
    np.testing.assert_array_equal(run(read.model(), inputs_embeds=whole), two - np.concatenate([one, one], axis=2))


@pytest.mark.parametrize("frames", [200, 3000])
def test_the_sound_of_thirty_seconds(frames: int) -> None:
    """The encoder reads its first frames; its rows are followed by zeros, which the decoder does not read."""
    rows = frames // 2
    shape = (1, 2, rows, 3)
    read = graph({"input_features": ((1, 3, frames), NUMBER)}, {"cross.0.key": (shape, NUMBER)},
                 node("ReduceSum", ["input_features"], ["sum"], keepdims=1),
                 node("Expand", ["sum", "shape"], ["cross.0.key"]))  # fmt: skip
    read.graph.initializer.append(onnx.numpy_helper.from_array(np.array(shape), "shape"))
    sound = np.zeros((1, 3, 3000), np.float32)
    sound[0, 0, frames - 1], sound[0, 0, min(frames, 2999)] = 7, 7
    made = _encoder(read)
    key, hidden = ort.InferenceSession(made.SerializeToString()).run(None, {"input_features": sound})
    assert key.shape == (1, 2, 1500, 3) and hidden.shape == (1, 1500, 6) and not hidden.any()
    assert (key[:, :, :rows] == 7).all() and not key[:, :, rows:].any()
    decoder = graph({"cross.0.key": (shape, NUMBER)}, {"out": (shape, NUMBER)},
                    node("Identity", ["cross.0.key"], ["out"]))  # fmt: skip
    ends = StepEnds(decoder)
    ends.shorten(ends.specs["cross.0.key"], 2, 1500)
    np.testing.assert_array_equal(run(ends.model(), **{"cross.0.key": key}), key[:, :, :rows])


@pytest.mark.parametrize(("past", "best"), [(0, 1), (2, 2)])
def test_tokens_that_are_never_chosen(past: int, best: int) -> None:
    """And those that are not chosen first: behind an empty cache."""
    tensor = StateTensor("past", "present", 0, "key", (1, 1, "slots", 1), "float32", "host")
    plain = graph({"given": ((1, "n", 4), NUMBER), "past": ((1, 1, "slots", 1), NUMBER)},
                  {"logits": ((1, "n", 4), NUMBER)}, node("Identity", ["given"], ["logits"]))  # fmt: skip
    ends = StepEnds(plain, tensor)
    ends.suppress([3], [2])
    changed = ends.model()
    logits = run(changed, given=np.arange(8, dtype=np.float32).reshape(1, 2, 4), past=np.zeros((1, 1, past, 1), "f4"))
    assert logits.argmax(axis=2).tolist() == [[best] * 2] and np.isfinite(logits).all()


# -- what has no type there ----------------------------------------------------------------------------------------


class Files:
    """A bundle as far as the types look at it."""

    def __init__(self, model_type: str, **files: Any) -> None:
        metadata = SimpleNamespace(model_type=model_type, genai={})
        self.pipeline, self._files = SimpleNamespace(metadata=metadata), files

    def json_object(self, name: str) -> Any:
        return self._files.get(Path(name).stem)


def program(*sessions: str, **more: Any) -> Any:
    runs = {"step": SimpleNamespace(sessions=sessions)}
    return SimpleNamespace(**{"places": None, "required_inputs": (), "runs": runs} | more)


@pytest.mark.parametrize(
    ("kind", "more", "why"),
    [
        ("llama", {}, None),
        ("t5", {}, None),
        ("whisper", {"required_inputs": (("encoder", "input_features"),)}, None),
        ("qwen3_vl", {"places": {"image": 3}}, None),
        ("smolvlm", {"places": {"image": 3}}, "reads pictures as smolvlm does: Joinery exports qwen2_vl"),
        ("mistral3", {"places": {"image": 3}}, "scales pictures otherwise than mistral3"),
        ("qwen2_audio", {"places": {"audio": 3}}, "reads sound as qwen2_audio does: Joinery exports whisper"),
    ],
)
def test_models_without_a_type(kind: str, more: dict[str, Any], why: str | None) -> None:
    bundle: Any = Files(kind)
    fault = composite_fault(bundle, program(**more))
    assert (fault is None) == (why is None) and (why or "") in (fault.message if fault else "")
    assert (composite_export(bundle, program(**more)) is not None) == (kind in ("whisper", "qwen3_vl"))


SOUND = {"feature_size": 80, "chunk_length": 30}
SEEN = {"image_processor_type": "Gemma3ImageProcessor", "size": {"height": 32, "width": 32}}
GRID = {"image_processor_type": "Qwen2VLImageProcessor"}


@pytest.mark.parametrize(
    ("made", "sessions", "files", "why"),
    [
        (WhisperExport, "encoder decoder", {"preprocessor_config": SOUND}, None),
        (WhisperExport, "encoder prefill decode", {"preprocessor_config": SOUND}, "build with graphs=single"),
        (WhisperExport, "encoder decoder", {"preprocessor_config": SOUND | {"hop_length": 80}}, "100 frames a second"),
        (WhisperExport, "encoder decoder", {"preprocessor_config": SOUND | {"sampling_rate": 8000}}, "16,000 Hz"),
        (WhisperExport, "encoder decoder", {"preprocessor_config": SOUND | {"chunk_length": 31}}, "reads 3,100"),
        (WhisperExport, "encoder decoder", {"preprocessor_config": SOUND | {"dither": 0.5}}, "dither = 0.5"),
        (Gemma3Export, "vision embeddings decoder",
         {"preprocessor_config": SEEN, "config": {"mm_tokens_per_image": 256}}, None),
        (Gemma3Export, "vision embeddings decoder",
         {"preprocessor_config": SEEN, "config": {"mm_tokens_per_image": 16}}, "256 tokens, and this model has 16"),
        (Gemma3Export, "vision embeddings decoder",
         {"preprocessor_config": SEEN | {"resample": 4}, "config": {"mm_tokens_per_image": 256}}, "no filter 4"),
        (Qwen25VLExport, "vision embeddings decoder", {"preprocessor_config": GRID}, "names no vision_start_token_id"),
        (Qwen25VLExport, "vision embeddings decoder", {}, "no tokenizer/preprocessor_config.json"),
    ],
)  # fmt: skip
def test_what_a_type_cannot_take(made: Any, sessions: str, files: dict[str, Any], why: str | None) -> None:
    faults = list(made(Files("x", **files), program(*sessions.split())).faults())
    assert bool(faults) == (why is not None)
    assert why is None or why in faults[0].message


def test_samples_are_programs() -> None:
    facts = {"name": "a", "context": "9", "chat": "True", "placeholder": "<p>", "prefix": '"<s>"', "seconds": "2"}
    for page in ("genai_pictures", "genai_sound"):
        text = (resources.files("resources") / "samples" / f"{page}.py.txt").read_text("utf-8")
        compile(Template(text).substitute(facts), page, "exec")


# -- recordings ----------------------------------------------------------------------------------------------------


@wheel
@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"cache": "static", "precision": "int4"}])
def test_the_demos_clips(options: dict[str, str], built: Built, tmp_path: Path) -> None:
    """Each clip of one window, in the bundle, in the wheel, and in the bundle that its folder becomes again."""
    bundle = built("demo:whisper", **options)
    export_genai(bundle, tmp_path / "g")
    import_genai(tmp_path / "g", tmp_path / "again")
    prompt = "<|startoftranscript|><|{}|><|transcribe|><|notimestamps|>"
    files = sorted(path for path in CLIPS.glob("*.wav") if path.stem != "en-long")
    assert len(files) == 5
    cases = [
        {"prompt": prompt.format(file.stem[:2]), "files": [str(file)], "longest": 32, "count": 32} for file in files
    ]
    found = ask(tmp_path / "g", "transcribe", cases)
    for own in (bundle, tmp_path / "again"):
        with open_engine(own) as engine:
            ours = [_transcribed(engine, file) for file in files]
        assert ours == [tokens for _, tokens in found]
    assert not all(tokens == found[0][1] for _, tokens in found)


def _transcribed(engine: Engine, file: Path) -> list[int]:
    transcriber = Transcriber(engine)
    options = GenerateOptions(), SpeechOptions(language=file.stem[:2])
    *_, done = transcriber.transcribe(transcriber.listen(file), *options)
    assert isinstance(done, GenerationDone)
    return list(done.token_ids)


@wheel
@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_random_listener(language: str, built: Built, tmp_path: Path) -> None:
    """Suppressed tokens are those of generation_config.json: everywhere, and behind the prompt."""
    import torch
    from transformers import WhisperForConditionalGeneration

    checkpoint = save_listener(tmp_path / "checkpoint")
    export_genai(built(checkpoint), tmp_path / "g")
    eager = WhisperForConditionalGeneration.from_pretrained(checkpoint, attn_implementation="eager").eval()
    sound = torch.randn(1, 80, 200, generator=torch.Generator().manual_seed(3)) * 0.7
    with torch.no_grad():
        wanted = eager.generate(sound, language=language, max_new_tokens=24)[0].tolist()
    silence = np.zeros((1, 80, 2800), np.float32)  # behind the two seconds that the encoder reads
    np.save(tmp_path / "sound.npy", np.concatenate([sound.numpy(), silence], axis=2))
    prompt = [3, {"en": 4, "fr": 6}[language], 8, 100]
    case = {"prompt": prompt, "files": [str(tmp_path / "sound.npy")], "longest": 300, "count": 24}
    (found,) = ask(tmp_path / "g", "features", [case])
    assert found == (prompt, wanted[-24:])


# -- pictures ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seeing:
    """A small model of one type, and how its prompts write a picture: there, and in Joinery."""

    model_type: str
    there: str
    here: str
    options: dict[str, Any]


QWEN = ("<|vision_start|><|vision_end|>", "<|vision_start|><|image_pad|><|vision_end|>")
GEMMA = ("<start_of_image>", "<start_of_image>")
TYPES = [
    Seeing("qwen2_vl", *QWEN, {"cache": "static"}),
    Seeing("qwen2_5_vl", *QWEN, {}),
    Seeing("qwen3_vl", *QWEN, {}),
    Seeing("qwen3_5", *QWEN, {}),
    Seeing("gemma3", *GEMMA, {"chunk": 640}),
]
SIZES = [(24, 40), (24, 40), (37, 51), (9, 8)]  # rows and columns of pixels
CASES = [("hello there", []), ("look {} now", [0]), ("a {} b {}c", [0, 1]), ("{}", [2]), ("{} at what", [3])]
"""A prompt, and the pictures in it."""


def save_type(seeing: Seeing, folder: Path) -> Path:
    """A checkpoint with a tokenizer that both read, and the settings of its pictures."""
    if seeing.model_type == "gemma3":
        vision = {**WITH_TILES["gemma3"][1]["vision_config"], "image_size": 128}
        save_with_tiles("gemma3", folder, IMAGE, vision_config=vision, mm_tokens_per_image=256)
        tokens = {"<image_soft_token>": IMAGE, "<start_of_image>": BEFORE, "<end_of_image>": BEHIND}
        kind, settings = "Gemma3", {"size": {"height": 128, "width": 128}, "image_seq_length": 256}
        save_letters(folder, "GemmaTokenizer", tokens, VOCABULARY)
    else:
        save_qwen_vl(seeing.model_type, folder, IMAGE)
        tokens = {"<|image_pad|>": IMAGE, "<|vision_start|>": BEFORE, "<|vision_end|>": BEHIND}
        kind, settings = "Qwen2VL", {"patch_size": 4, "merge_size": 2, "min_pixels": 64, "max_pixels": 4096}
        save_letters(folder, "Qwen2Tokenizer", tokens, VOCABULARY)
    settings |= {"image_processor_type": f"{kind}ImageProcessor", "processor_class": f"{kind}Processor"}
    (folder / "preprocessor_config.json").write_text(json.dumps(settings), "utf-8")
    return folder


def drawn(folder: Path) -> list[Path]:
    """Files of random pixels."""
    chances, files = np.random.default_rng(0), []
    for number, size in enumerate(SIZES):
        files.append(folder / f"{number}.png")
        Image.fromarray(chances.integers(0, 256, (*size, 3), np.uint8)).save(files[-1])
    return files


def greedy(eager: Any, model_type: str, ids: list[int], given: dict[str, Any]) -> list[int]:
    """The model's own tokens, the whole computed anew at each step; a reply has no placeholder."""
    import torch

    ids, before = list(ids), len(ids)
    tensors = {name: torch.from_numpy(value) for name, value in given.items()}
    for _ in range(COUNT):
        row = torch.tensor([ids])
        types = (row == IMAGE).int()
        name = "token_type_ids" if model_type == "gemma3" else "mm_token_type_ids"
        if model_type != "gemma3":
            eager.model.rope_deltas = None
        with torch.no_grad():
            logits = eager(input_ids=row, use_cache=False, **tensors, **({name: types} if given else {})).logits[0, -1]
        logits[IMAGE] = -torch.inf
        ids.append(int(logits.argmax()))
    return ids[before:]


@wheel
@pytest.mark.slow
@pytest.mark.parametrize("seeing", TYPES, ids=lambda one: one.model_type)
def test_pictures(seeing: Seeing, built: Built, tmp_path: Path) -> None:
    """Prompts with no picture, one, two, and ones that are scaled."""
    from transformers import AutoModelForImageTextToText

    checkpoint = save_type(seeing, tmp_path / "checkpoint")
    bundle, files = built(checkpoint, **seeing.options), drawn(tmp_path)
    export_genai(bundle, tmp_path / "g")
    cases = [
        {"prompt": text.format(*[seeing.there] * 2), "files": [str(files[i]) for i in chosen], "longest": 900,
         "count": COUNT} for text, chosen in CASES
    ]  # fmt: skip
    found = ask(tmp_path / "g", "look", cases)
    eager = AutoModelForImageTextToText.from_pretrained(checkpoint, attn_implementation="eager").eval()
    with open_engine(bundle) as engine:
        prompts = PicturePrompts.of_bundle(engine.bundle)
        for (text, chosen), (ids, tokens) in zip(CASES, found, strict=True):
            read = prompts.read([files[i] for i in chosen])
            whole, tensors, _ = prompts.prepare(text.format(*[seeing.here] * 2), read)
            assert engine.text.encode(whole, special=False) == ids
            *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=COUNT), inputs=tensors or None, eos=())
            assert isinstance(done, GenerationDone)
            assert done.token_ids == tokens, text
            assert greedy(eager, seeing.model_type, ids, dict(tensors)) == tokens, text
    if seeing.model_type != "gemma3":  # whose embeddings leave the shape of their features open
        with open_engine(tmp_path / "g") as engine:
            named = single_pictures(tensors)
            *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=COUNT), inputs=named, eos=())
            assert isinstance(done, GenerationDone) and done.token_ids == tokens


@pytest.mark.slow
def test_the_demo_that_sees(built: Built, tmp_path: Path) -> None:
    """SmolVLM has no type there."""
    with pytest.raises(BundleError, match=r"genai has no type of model that reads pictures as idefics3 does"):
        export_genai(built("demo:vision"), tmp_path / "g")
    assert not (tmp_path / "g").exists()
