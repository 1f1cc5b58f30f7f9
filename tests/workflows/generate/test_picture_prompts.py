"""A built SmolVLM sees what eager Hugging Face sees: pixel values, tokens, logits' choices, in every layout."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.workflows.conftest import Built
from tests.workflows.families.models import VOCABULARY, save_smolvlm
from workflows.bundle import Bundle
from workflows.cli import run
from workflows.common.errors import BundleError, MediaError, PromptError
from workflows.generate import Engine, GenerateOptions, open_engine
from workflows.generate.picture_prompts import PicturePrompts, single_pictures
from workflows.generate.prompt_encoder import media_content
from workflows.media import Picture
from workflows.wire.events import GenerationDone

IMAGE, EDGE, WHOLE, END, ROWS = 200, 201, 202, 203, 4
TEMPLATE = (
    "{% for m in messages %}w1 {% for c in m.content %}"
    "{% if c.type == 'text' %}{{ c.text }}{% else %}<image>{% endif %}{% endfor %}<end_of_utterance>\n{% endfor %}"
    "{% if add_generation_prompt %}w5 w6{% endif %}"
)
PICTURES = {"image_processor_type": "SmolVLMImageProcessor", "processor_class": "SmolVLMProcessor",
            "size": {"longest_edge": 64}, "max_image_size": {"longest_edge": 32}, "resample": 1}  # fmt: skip


def save_seeing(folder: Path) -> Path:
    """A SmolVLM of 32 pixels a tile, four rows each, with a tokenizer of numbered words and a chat template."""
    from tokenizers import AddedToken, Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import PreTrainedTokenizerFast

    save_smolvlm(folder, image_token_id=IMAGE)
    tiles = {f"<row_{r}_col_{c}>": 190 + 3 * (r - 1) + c for r in (1, 2) for c in (1, 2)}
    special = {"<image>": IMAGE, "<fake_token_around_image>": EDGE, "<global-img>": WHOLE, "<end_of_utterance>": END}
    special |= tiles
    words = {f"w{i}": i for i in range(VOCABULARY) if i not in special.values()} | special
    tokenizer = Tokenizer(WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.add_special_tokens([AddedToken(word, special=True, normalized=False) for word in special])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="w0", eos_token="w2")
    fast.save_pretrained(folder)
    (folder / "preprocessor_config.json").write_text(json.dumps(PICTURES), "utf-8")
    (folder / "processor_config.json").write_text(json.dumps({"image_seq_len": ROWS}), "utf-8")
    (folder / "chat_template.jinja").write_text(TEMPLATE, "utf-8")
    return folder


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_seeing(tmp_path_factory.mktemp("smolvlm") / "checkpoint")


@pytest.fixture(scope="module", params=["gqa", "prefill-decode"])
def bundle(request: pytest.FixtureRequest, checkpoint: Path, built: Built) -> Path:
    kind = request.param
    return built(checkpoint, **({"graphs": kind, "chunk": 16} if "-" in kind else {"cache": kind}))


@pytest.fixture(scope="module")
def engine(bundle: Path) -> Iterator[Engine]:
    with open_engine(bundle) as opened:
        yield opened


@pytest.fixture(scope="module")
def eager(checkpoint: Path) -> Any:
    from transformers import AutoModelForImageTextToText

    return AutoModelForImageTextToText.from_pretrained(checkpoint, attn_implementation="eager").eval()


def greedy(eager: Any, ids: list[int], tiles: Any, count: int) -> list[int]:
    """The model's own tokens, the whole computed anew at each step; a placeholder is never the next token."""
    import torch

    given = {} if tiles is None else {"pixel_values": torch.from_numpy(tiles)[None]}
    ids, before = list(ids), len(ids)
    for _ in range(count):
        with torch.no_grad():
            logits = eager(input_ids=torch.tensor([ids]), use_cache=False, **given).logits[0, -1]
        logits[IMAGE] = -torch.inf
        ids.append(int(logits.argmax()))
    return ids[before:]


def tokens(engine: Engine, ids: list[int], tiles: Any, count: int) -> list[int]:
    given = None if tiles is None else {"pixel_values": tiles}
    *_, done = engine.generate(ids, GenerateOptions(max_new_tokens=count), inputs=given, eos=())
    assert isinstance(done, GenerationDone)
    return done.token_ids


@pytest.mark.slow
def test_tokens_are_those_of_the_model(engine: Engine, eager: Any) -> None:
    """No tile, one, several; before, within and behind a chunk; another picture after one."""
    chances = np.random.default_rng(0)
    for count, before, behind in ((0, 5, 20), (1, 3, 5), (3, 1, 1), (2, 14, 40), (5, 70, 3), (17, 2, 64)):
        words = [int(token) for token in chances.integers(1, 190, before + behind)]
        ids = [*words[:before], *[IMAGE] * (ROWS * count), *words[before:]]
        tiles = chances.normal(size=(count, 3, 32, 32)).astype(np.float32) if count else None
        assert tokens(engine, ids, tiles, 6) == greedy(eager, ids, tiles, 6), (count, before, behind)


@pytest.mark.slow
def test_the_command_sees_files_as_the_processor_does(
    bundle: Path, checkpoint: Path, eager: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two files of different sizes in a chat: the tokens are those of eager with the PIL processor's values."""
    from PIL import Image
    from transformers import AutoTokenizer, SmolVLMImageProcessorPil

    chances, files = np.random.default_rng(1), []
    for name, size in (("a.png", (50, 80)), ("b.png", (64, 30))):
        pixels = chances.integers(0, 255, (*size, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / name)
        files.append(Image.fromarray(pixels))
    images = [word for name in ("a.png", "b.png") for word in ("--image", tmp_path / name)]
    call = ["generate", bundle, *images, "--chat", "--prompt", "w7 w8", "--max-new-tokens", 8, "--json"]
    assert run([str(word) for word in call]) == 0
    done = json.loads(capsys.readouterr().out.splitlines()[-1])
    processor = SmolVLMImageProcessorPil(**{k: v for k, v in PICTURES.items() if not k.endswith(("type", "class"))})
    seen = processor([files], return_row_col_info=True, return_tensors="np")
    from transformers.models.smolvlm.processing_smolvlm import get_image_prompt_string

    edge, whole = "<fake_token_around_image>", "<global-img>"
    texts = [
        get_image_prompt_string(rows, columns, ROWS, edge, "<image>", whole)
        for rows, columns in zip(seen["rows"][0], seen["cols"][0], strict=True)
    ]
    prompt = f"w1 {''.join(texts)}w7 w8<end_of_utterance>\nw5 w6"
    ids = AutoTokenizer.from_pretrained(checkpoint)(prompt)["input_ids"]
    assert done["prompt_ids"] == ids
    wanted = greedy(eager, ids, seen["pixel_values"][0].astype(np.float32), 8)
    assert done["token_ids"] == wanted[: len(done["token_ids"])]


@pytest.mark.slow
def test_a_later_turn_and_a_text_without_pictures(engine: Engine, eager: Any) -> None:
    """The cache's prefix is not reused across other pictures, and a text alone needs none."""
    chances = np.random.default_rng(2)
    first, second = chances.normal(size=(2, 1, 3, 32, 32)).astype(np.float32)
    ids = [3, *[IMAGE] * ROWS, 9]
    assert tokens(engine, ids, first, 6) == greedy(eager, ids, first, 6)
    assert tokens(engine, ids, second, 6) == greedy(eager, ids, second, 6)
    longer = [*ids, 17, *[IMAGE] * ROWS, 30]
    both = np.concatenate([second, first])
    assert tokens(engine, longer, both, 6) == greedy(eager, longer, both, 6)
    assert tokens(engine, [3, 9, 20], None, 6) == greedy(eager, [3, 9, 20], None, 6)


@pytest.mark.slow
def test_guidance_leads_away_from_a_text_alone(
    bundle: Path, engine: Engine, eager: Any, tmp_path: Path, cli: Callable[..., tuple[int, str, str]]
) -> None:
    """The negative prompt has no pictures, in --image's command, too; an amateur would need them."""
    import torch

    tiles = np.random.default_rng(3).normal(size=(1, 3, 32, 32)).astype(np.float32)
    ids, negative = [3, *[IMAGE] * ROWS, 9], [5, 6]
    *_, done = engine.generate(
        ids, GenerateOptions(max_new_tokens=5, guidance=1.7, negative_prompt=negative), inputs={"pixel_values": tiles},
        eos=(),
    )  # fmt: skip
    assert isinstance(done, GenerationDone)
    told = list[int]()
    with torch.no_grad():
        for _ in range(5):
            seen = eager(torch.tensor([ids + told]), pixel_values=torch.from_numpy(tiles)[None]).logits[0, -1]
            unseen = eager(torch.tensor([negative + told])).logits[0, -1].log_softmax(-1)
            guided = 1.7 * (seen.log_softmax(-1) - unseen) + unseen
            guided[IMAGE] = -torch.inf
            told.append(int(guided.argmax()))
    assert done.token_ids == told

    from PIL import Image

    Image.new("RGB", (40, 40)).save(tmp_path / "a.png")
    call = ["generate", bundle, "--image", tmp_path / "a.png", "--chat", "--prompt", "w7", "--max-new-tokens", 2]
    code, _, err = cli(*call, "--guidance", 1.7, "--negative-prompt", "w8")
    assert code == 0 and "Guidance keeps a second cache" in err
    code, _, err = cli(*call, "--alpha", 0.5, "--amateur", bundle)
    assert code == 2 and "needs a prompt of text alone" in err


def prompts(preprocessor: str | None, processor: str | None, places: bool = True) -> PicturePrompts:
    """Of a bundle with these files."""
    files = {"tokenizer/preprocessor_config.json": preprocessor, "tokenizer/processor_config.json": processor}
    pipeline: Any = SimpleNamespace(feature_tokens={"image": 7} if places else {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Bundle, "text", lambda bundle, name: files[name])
        return PicturePrompts.of_bundle(Bundle(Path(), pipeline, {}, "", ""))


def test_placeholders_and_what_takes_their_place() -> None:
    one = prompts(json.dumps(PICTURES), json.dumps({"image_seq_len": 2}))
    assert one.with_placeholders("x", 2) == "<image><image>x" and one.with_placeholders("a<image>b", 1) == "a<image>b"
    text, tensors, rows = one.prepare("no picture", [])
    assert (text, tensors, rows) == ("no picture", {}, [])
    with pytest.raises(MediaError, match="1 placeholders <image> for 0 pictures"):
        one.prepare("a<image>b", [])
    assert media_content("x", 1) == [{"type": "image"}, {"type": "text", "text": "x"}]


def test_a_prompt_that_has_its_special_tokens() -> None:
    """PaliGemma's; the number of a picture's tokens is in the picture processor's file."""
    pictures = {
        "image_processor_type": "SiglipImageProcessor",
        "size": {"height": 16, "width": 16},
        "image_seq_length": 3,
    }
    pali = prompts(json.dumps(pictures), json.dumps({"processor_class": "PaliGemmaProcessor"}))
    seen = [Picture(np.zeros((5, 7, 3), np.uint8))] * 2
    text, tensors, rows = pali.prepare(pali.with_placeholders("caption en", 2), seen)
    assert (text, rows) == ("<image>" * 6 + "<bos>caption en\n", [3, 3])
    assert pali.writes_special_tokens and tensors["pixel_values"].shape == (2, 3, 16, 16)
    assert not prompts(json.dumps(PICTURES), json.dumps({"image_seq_len": 2})).writes_special_tokens


def test_the_tokens_of_a_picture_follow_from_both_files() -> None:
    """LLaVA's from the size of its pictures; InternVL's processor divides them, whatever their settings say."""
    cut = {"image_processor_type": "CLIPImageProcessor", "size": {"shortest_edge": 28}, "crop_size": 28}
    patches = {"patch_size": 14, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    seen = [Picture(np.zeros((32, 64, 3), np.uint8))]
    llava = prompts(json.dumps(cut), json.dumps({"processor_class": "LlavaProcessor", **patches}))
    text, tensors, rows = llava.prepare(llava.with_placeholders("x", 1), seen)
    assert rows == [4] and text == "<image>" * 4 + "x" and np.shape(tensors["pixel_values"]) == (1, 3, 28, 28)
    tiles = {"image_processor_type": "GotOcr2ImageProcessorFast", "size": {"height": 32, "width": 32},
             "crop_to_patches": False, "processor_class": "InternVLProcessor"}  # fmt: skip
    internvl = prompts(json.dumps(tiles), json.dumps({"image_seq_length": 2}))
    text, tensors, rows = internvl.prepare("a<IMG_CONTEXT>b", seen)
    assert rows == [6] and text == f"a<img>{'<IMG_CONTEXT>' * 6}</img>b"
    assert np.shape(tensors["pixel_values"]) == (3, 3, 32, 32)


@pytest.mark.parametrize(("preprocessor", "processor", "places", "error", "why"), [
    ("{}", "{}", False, PromptError, "reads no pictures"),
    (None, None, True, BundleError, "has no tokenizer/preprocessor_config.json"),
    ("[1]", None, True, BundleError, "is not a JSON object"),
    ("{", None, True, BundleError, "build the bundle again"),
    ('{"image_processor_type": "X"}', None, True, MediaError, "Pictures cannot be prepared"),
])  # fmt: skip
def test_a_bundle_that_does_not_say_how_it_sees(
    preprocessor: str | None, processor: str | None, places: bool, error: type[Exception], why: str
) -> None:
    with pytest.raises(error, match=why):
        prompts(preprocessor, processor, places)


def test_a_bundle_of_text_sees_nothing(demo_bundle: Path, cli: Callable[..., tuple[int, str, str]]) -> None:
    code, _, err = cli("generate", demo_bundle, "--image", "x.png", "--prompt", "y")
    assert code == 2 and "reads no pictures" in err and err.count("\n") == 1
    code, _, err = cli("generate", demo_bundle, "--image", "x.png", "--prompt-ids", "3")
    assert code == 2 and "--image puts a picture before a text" in err


def test_the_tensors_of_each_picture() -> None:
    """By the grids of patches, where there are some."""
    patches = np.arange(22).reshape(11, 2)
    each = single_pictures({"pixel_values": patches, "image_grid_thw": np.array([[1, 2, 3], [1, 1, 5]])})
    assert [one.tolist() for one in each["pixel_values"]] == [patches[:6].tolist(), patches[6:].tolist()]
    tiles = {"pixel_values": patches}
    assert single_pictures(tiles) is tiles  # an array is divided where it is read
