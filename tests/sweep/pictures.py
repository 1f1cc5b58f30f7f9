"""Every architecture of transformers that answers a text with pictures, held against eager Hugging Face.

    python -m tests.sweep.pictures [--shard K/N] [--minutes M] [--json FILE] [--table FILE] [--only TYPE …]

Those that Joinery builds are drawn SEEDS times with odd sizes, built with the default options, and compared at the end
of each chunk of a prompt and at STEPS tokens after it. The others are refused. PICTURES.md holds the verdicts.
"""

from __future__ import annotations

import random
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from tests.provenance import header_line
from tests.sweep.case import TOLERANCE, Verdict, save_spread
from tests.sweep.run import Case, command
from tests.sweep.seq2seq import save_tiny
from tests.sweep.table import SOURCES, verdict_rows
from workflows.builder import BuildRequest, build
from workflows.common.errors import JoineryError
from workflows.generate import open_engine
from workflows.media import PictureLayout
from workflows.media.pictures.packed_rows import packed_rows
from workflows.media.pictures.patch_grid import patches_in_blocks
from workflows.media.pictures.resolution_tiles import best_resolution
from workflows.recipe.families import FAMILIES
from workflows.runtime import Machine

SEEDS, STEPS, IMAGE, VOCABULARY = 3, 6, 200, 211
OPTIONS = {"chunk": 64, "capacity": 640}
BESIDE = {"llava": ("pixtral",)}
"""Model type → vision encoders that it may have besides its first, drawn as cases of their own."""
OWN = ("sizes", "pictures")  # what the models themselves read, and the graphs do not
TEXTS: tuple[tuple[int, ...], ...] = ((20,), (1, 1), (62, 3), (64, 5, 30), (130, 2, 1, 7))
"""Lengths of the texts around the pictures: none, one, two and three of them, before, across and behind a chunk."""


def picture_models() -> dict[str, Case]:
    """Every model type that transformers has an image-text-to-text model for → its cases."""
    from transformers import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING

    built = {name for family in FAMILIES.families if family.sees for name in family.model_types}
    cases: dict[str, Case] = {}
    for config, model in sorted(MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING.items(), key=lambda one: one[0].model_type):
        name = config.model_type
        if name in built:
            for kind in (name, *(f"{name} {encoder}" for encoder in BESIDE.get(name, ()))):
                cases |= {f"{kind} {seed}": partial(_built, kind, model, seed) for seed in range(SEEDS)}
        else:
            cases[name] = partial(_refused, name, config, model)
    return cases


def _refused(name: str, config_class: Any, model_class: Any) -> Verdict:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        save_tiny(name, config_class, model_class, folder / "checkpoint")
        return _verdict(name, folder)


def _built(name: str, model_class: Any, seed: int) -> Verdict:
    """The verdict on one drawing of sizes. name: the model type, and its vision encoder where it is one of BESIDE."""
    with tempfile.TemporaryDirectory() as place:
        folder, chances = Path(place), random.Random(f"{name} {seed}")
        config = transformers.AutoConfig.for_model(name.split()[0], **_config(name, chances))
        torch.manual_seed(seed)
        save_spread(model_class(config).eval(), folder / "checkpoint", seed)
        return _verdict(f"{name} {seed}", folder, model_class)


def _verdict(name: str, folder: Path, model_class: Any = None) -> Verdict:
    """model_class: of a model that must be built; None for one that must be refused."""
    try:
        build(BuildRequest(str(folder / "checkpoint"), folder / "bundle", OPTIONS))
        if model_class is None:
            return Verdict(name, "wrong", "built, and no family of models that see has it")
        experts = {"experts_implementation": "eager"} if "moe" in name else {}  # the others take even sizes alone
        model = model_class.from_pretrained(
            folder / "checkpoint", dtype=torch.float32, attn_implementation="eager", **experts
        )
        with open_engine(folder / "bundle") as engine:
            wrong = next((said for texts in TEXTS if (said := _compared(engine.machine, model.eval(), texts))), "")
        return Verdict(name, "wrong" if wrong else "equal", wrong or _sizes(model.config))
    except JoineryError as error:
        return Verdict(name, "refused", str(error).replace(str(folder / "checkpoint"), "the checkpoint"))
    except Exception as error:  # noqa: BLE001 - that anything else comes out is what is looked for
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Verdict(name, "traceback", f"{type(error).__name__} in {Path(where.filename).name}: {error}"[:300])


# -- sizes ---------------------------------------------------------------------------------------------------------


def _config(name: str, chances: random.Random) -> dict[str, Any]:
    """Odd sizes of every part: heads of no multiple of 8, hidden sizes that are not heads × head size."""
    text, vision = _text(name, chances), _vision(chances)
    config: dict[str, Any] = {"text_config": text, "image_token_id": IMAGE, "tie_word_embeddings": False}
    if name.startswith(("qwen", "glm")):
        return config | {"vision_config": _grid_vision(name, text, chances), "video_token_id": 206,
                         "vision_start_token_id": 204, "vision_end_token_id": 205}  # fmt: skip
    own: dict[str, dict[str, Any]] = {
        "smolvlm": {"scale_factor": 2, "pad_token_id": 0},
        "idefics3": {"scale_factor": 2, "pad_token_id": 0},
        "llava_next": {"image_grid_pinpoints": _resolutions(vision["image_size"])},
        "llava_onevision": {"image_grid_pinpoints": _resolutions(vision["image_size"]), "video_token_id": 206,
                            "vision_aspect_ratio": f"anyres_max_{chances.choice([1, 2, 9])}"},
        "mistral3": {"spatial_merge_size": 2, "vision_feature_layer": -1},
        "llava pixtral": {"vision_feature_layer": chances.choice([-1, [-2, 1]]),
                          "vision_feature_select_strategy": "full"},
        "aya_vision": {"vision_feature_layer": chances.choice([-1, -2])},
        "gemma4": {"audio_token_id": 206, "video_token_id": 207},
        "paligemma": {"projection_dim": text["hidden_size"]},
        "gemma3": {"mm_tokens_per_image": (vision["image_size"] // vision["patch_size"] // 2) ** 2},
        "vipllava": {"vision_feature_layers": [-2, 1]},
        "llava": {"vision_feature_layer": chances.choice([-2, -1, [-2, 1]]),
                  "vision_feature_select_strategy": chances.choice(["default", "full"])},
    }  # fmt: skip
    kinds = dict.fromkeys(("gemma3", "llava_onevision", "paligemma", "aya_vision"), "siglip_vision_model")
    kinds |= dict.fromkeys(("llava", "vipllava", "llava_next"), "clip_vision_model")
    if name in ("mistral3", "llava pixtral"):
        kinds[name], vision["head_dim"] = "pixtral", vision["hidden_size"] // vision["num_attention_heads"]
    if name in kinds:
        vision["model_type"] = kinds[name]
    if name == "gemma4":
        vision |= {"num_key_value_heads": vision["num_attention_heads"], "pooling_kernel_size": chances.choice([2, 3]),
                   "head_dim": 4 * chances.choice([2, 3]), "standardize": chances.choice([False, True]),
                   "position_embedding_size": 20, "use_clipped_linears": chances.choice([False, True])}  # fmt: skip
    if name in ("paligemma", "aya_vision"):
        vision["vision_use_head"] = False
    if name == "internvl":
        vision |= {"image_size": [vision["image_size"]] * 2, "patch_size": [vision["patch_size"]] * 2}
    return config | own.get(name, {}) | {"vision_config": vision}


def _resolutions(edge: int) -> list[list[int]]:
    return [[edge, 2 * edge], [2 * edge, edge], [2 * edge, 2 * edge], [edge, 3 * edge]]


_TEXT_TYPES = {"smolvlm": "llama", "idefics3": "llama", "llava": "llama", "vipllava": "mistral", "internvl": "qwen2",
               "gemma3": "gemma3_text", "paligemma": "gemma2",
               "aya_vision": "cohere2", "gemma4": "gemma4_text", "llava_next": "llama", "llava_onevision": "qwen2",
               "mistral3": "mistral", "llava pixtral": "mistral"}  # fmt: skip


def _text(name: str, chances: random.Random) -> dict[str, Any]:
    groups, head = chances.choice([(2, 1), (4, 2), (3, 3), (6, 2)]), chances.choice([10, 12, 18, 20, 24])
    derived = name in ("qwen2_vl", "qwen2_5_vl", "glm4v", "glm46v", "aya_vision")  # their heads are hidden size / heads
    text: dict[str, Any] = {
        "vocab_size": VOCABULARY,
        "hidden_size": groups[0] * (head if derived else chances.choice([13, 15, 22])),
        "intermediate_size": chances.choice([70, 90]),
        "num_hidden_layers": chances.choice([2, 3]),
        "num_attention_heads": groups[0],
        "num_key_value_heads": groups[1],
        "max_position_embeddings": 1024,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": None,
    }
    if not derived:
        text["head_dim"] = head
    if name in _TEXT_TYPES:
        text["model_type"] = _TEXT_TYPES[name]
    if name == "gemma4":
        text |= {"global_head_dim": chances.choice([16, 28]), "vocab_size_per_layer_input": VOCABULARY,
                 "hidden_size_per_layer_input": chances.choice([0, 6]), "num_hidden_layers": 4,
                 "num_kv_shared_layers": chances.choice([0, 2]),
                 "use_bidirectional_attention": chances.choice([None, "vision"])}  # fmt: skip
        text |= {"sliding_window": 24, "layer_types": ["sliding_attention", "full_attention"] * 2}
    if name in ("gemma3", "paligemma", "aya_vision"):
        text |= {"sliding_window": 24, "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}
        text["layer_types"] = text["layer_types"][: text["num_hidden_layers"]]
    if name.startswith(("qwen", "glm")):
        third = head // 6
        sections = [head // 2 - 2 * third, third, third]
        text["rope_parameters"] = {"rope_type": "default", "mrope_section": sections, "rope_theta": 10000.0}
        if name.startswith("glm") and head % 4 == 0:
            text["rope_parameters"] |= {"partial_rotary_factor": 0.5, "mrope_section": [head // 4 - 2, 1, 1]}
    if name.endswith("moe"):
        text |= {"n_routed_experts": 4} if name.startswith("glm") else {}
        text |= {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 48}
    if name.startswith("qwen3_5"):
        keys = chances.choice([1, 2])
        text |= {"layer_types": ["linear_attention", "full_attention", "linear_attention"][: text["num_hidden_layers"]],
                 "linear_num_key_heads": keys, "linear_num_value_heads": 2 * keys, "linear_key_head_dim": 10,
                 "linear_value_head_dim": 12, "shared_expert_intermediate_size": 40}  # fmt: skip
        text["rope_parameters"]["partial_rotary_factor"] = 1.0
    return text


def _vision(chances: random.Random) -> dict[str, Any]:
    """Of tiles: an even number of patches a side."""
    heads, patch = chances.choice([2, 3]), chances.choice([5, 7, 8])
    return {
        "hidden_size": heads * chances.choice([8, 10, 12]),
        "intermediate_size": 50,
        "num_hidden_layers": 3,
        "num_attention_heads": heads,
        "patch_size": patch,
        "image_size": patch * chances.choice([4, 6]),
    }


def _grid_vision(name: str, text: Mapping[str, Any], chances: random.Random) -> dict[str, Any]:
    heads, patch = chances.choice([2, 3]), chances.choice([4, 6])
    size = heads * chances.choice([8, 12, 20])
    common = {"depth": 3, "num_heads": heads, "patch_size": patch, "spatial_merge_size": 2, "temporal_patch_size": 2}
    if name == "qwen2_vl":
        return common | {"embed_dim": size, "hidden_size": text["hidden_size"], "mlp_ratio": 2}
    common |= {"hidden_size": size, "intermediate_size": 50, "out_hidden_size": text["hidden_size"]}
    if name.startswith("glm"):
        kind = {"model_type": "glm4v_vision"} if name == "glm46v" else {}
        return common | kind | {"image_size": patch * chances.choice([5, 7])}
    if name == "qwen2_5_vl":
        return common | {"window_size": 2 * patch * chances.choice([2, 3]), "fullatt_block_indexes": [1]}
    deep = [0, 2][: chances.choice([1, 2])]
    common["num_position_embeddings"] = chances.choice([25, 49])
    return common if name.startswith("qwen3_5") else common | {"deepstack_visual_indexes": deep}


def _sizes(config: Any) -> str:
    text, vision = config.get_text_config(), config.vision_config
    head = text.to_dict().get("head_dim") or text.hidden_size // text.num_attention_heads
    heads = getattr(vision, "num_attention_heads", None) or vision.num_heads
    size = getattr(vision, "embed_dim", None) or vision.hidden_size
    return (
        f"hidden {text.hidden_size}, {text.num_attention_heads}/{text.num_key_value_heads} heads of {head}; "
        f"vision {size}, {heads} heads, patches of {vision.patch_size}"
    )


# -- the comparison ------------------------------------------------------------------------------------------------


def _compared(machine: Machine, model: Any, texts: tuple[int, ...]) -> str:
    """What is wrong for texts of these lengths with pictures between them; empty where nothing is."""
    chances = np.random.default_rng(len(texts) + texts[0])
    given, counts = _pictures(model, len(texts) - 1, chances)
    ids = chances.integers(1, 190, texts[0]).tolist()
    for count, length in zip(counts, texts[1:], strict=True):
        ids += [IMAGE] * count + chances.integers(1, 190, length).tolist()
    rows = dict(_rows(machine, ids, given))  # makes ids longer
    wanted = _eager(model, ids, given)
    for row, logits in rows.items():
        off, scale = float(np.abs(logits - wanted[row]).max()), max(1.0, float(np.abs(wanted[row]).max()))
        if not off <= TOLERANCE * scale:
            return f"texts of {texts}, token {row}: logits of up to {scale:.3g} are off by {off:.3g}"
    return ""


def _rows(machine: Machine, ids: list[int], given: dict[str, np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
    """The number of each run's last token and its logits [V]; `ids` get the STEPS tokens."""
    machine.cache.reset()
    machine.start({name: value for name, value in given.items() if name not in OWN}, ids)
    reached, logits = -1, np.zeros(0)
    for fed, phase in list(machine.chunks(ids)):
        reached, logits = reached + len(fed), np.array(machine.step(fed, phase)[-1], np.float32)
        yield reached, logits.copy()
    for _ in range(STEPS):
        logits[IMAGE] = -np.inf
        ids.append(int(logits[:VOCABULARY].argmax()))
        logits = np.array(machine.step(ids[-1:], "decode")[-1], np.float32)
        yield len(ids) - 1, logits.copy()


def _pictures(model: Any, count: int, chances: np.random.Generator) -> tuple[dict[str, np.ndarray], list[int]]:
    """The graphs' inputs for `count` pictures of several sizes, where they may have, and the rows of each."""
    vision = model.config.vision_config
    if not count:
        return {}, []
    if model.config.model_type.startswith(("qwen", "glm")):
        grids = np.array([(1, 4, 6), (1, 2, 2), (1, 8, 4)][:count])
        size = 3 * 2 * vision.patch_size**2
        pixels = chances.normal(size=(int(grids.prod(axis=1).sum()), size)).astype(np.float32)
        return {"pixel_values": pixels, "image_grid_thw": grids}, (grids.prod(axis=1) // 4).tolist()
    if vision.model_type in ("pixtral", "gemma4_vision"):
        return _sized(model.config, count, chances)
    if hasattr(model.config, "image_grid_pinpoints"):
        return _packed(model.config, count, chances)
    side = vision.image_size if isinstance(vision.image_size, int) else vision.image_size[0]
    tiles = chances.normal(size=(count, 3, side, side)).astype(np.float32)
    batched = tiles[None] if model.config.model_type in ("smolvlm", "idefics3") else tiles
    with torch.no_grad():
        seen = model.model.get_image_features(pixel_values=torch.from_numpy(batched)).pooler_output
    return {"pixel_values": tiles}, [sum(np.prod(rows.shape[:-1]) for rows in seen) // count] * count


def _sized(config: Any, count: int, chances: np.random.Generator) -> tuple[dict[str, np.ndarray], list[int]]:
    """The same for patches of pictures with their sizes; with the pictures, which the graph does not read."""
    patch, pool = config.vision_config.patch_size, getattr(config.vision_config, "pooling_kernel_size", None)
    merge = pool or getattr(config, "spatial_merge_size", 1)
    blocks = [(2, 3), (1, 1), (4, 2)][:count]
    sizes = np.array(blocks) * patch * merge
    pictures = [chances.normal(size=(3, *size)).astype(np.float32) for size in sizes]
    patches = np.concatenate([patches_in_blocks(one, patch, merge) for one in pictures])
    if pool:
        split = patches.reshape(-1, 3, patch, patch).transpose(0, 2, 3, 1)
        given = {"pixel_values": split.reshape(len(patches), -1), "image_sizes": sizes}
        return given, [rows * columns for rows, columns in blocks]
    edge = sizes.max()
    padded = [np.pad(one, ((0, 0), (0, edge - one.shape[1]), (0, edge - one.shape[2]))) for one in pictures]
    given = {"pixel_values": patches, "image_sizes": sizes, "pictures": np.stack(padded)}
    return given, [rows * columns for rows, columns in blocks]


def _packed(config: Any, count: int, chances: np.random.Generator) -> tuple[dict[str, np.ndarray], list[int]]:
    """The same for tiles of which some rows are left out; with the pictures' sizes, which the graph does not read."""
    edge, most = config.vision_config.image_size, getattr(config, "vision_aspect_ratio", "")
    layouts = []
    for size in [(edge + 3, 2 * edge), (3 * edge, edge // 2), (edge, edge)][:count]:
        rows, columns = best_resolution(*size, config.image_grid_pinpoints)
        layouts.append(PictureLayout(rows // edge, columns // edge, *size))
    side, limit = edge // config.vision_config.patch_size, int(most.removeprefix("anyres_max_")) if most else None
    places, weights = packed_rows(layouts, side, limit)
    tiles = chances.normal(size=(sum(1 + one.rows * one.columns for one in layouts), 3, edge, edge))
    given = {"pixel_values": tiles.astype(np.float32), "feature_places": places}
    counts = [len(packed_rows([layout], side, limit)[0]) for layout in layouts]
    sizes = np.array([[one.height, one.width, one.rows * one.columns] for one in layouts])
    return given | {"feature_weights": weights.astype(np.float32), "sizes": sizes}, counts


def _of_packed(given: Mapping[str, np.ndarray]) -> dict[str, torch.Tensor]:
    """The model's own inputs for these."""
    counts, tiles = (given["sizes"][:, 2] + 1).tolist(), torch.from_numpy(given["pixel_values"])
    pictures = torch.nn.utils.rnn.pad_sequence(tiles.split(counts), batch_first=True)
    return {"pixel_values": pictures, "image_sizes": torch.from_numpy(given["sizes"][:, :2])}


def _of_pooled(given: Mapping[str, np.ndarray], patch: int, pool: int) -> dict[str, torch.Tensor]:
    """The model's own inputs for patches in blocks: those of each picture with their places, padded to as many."""
    places = []
    for height, width in given["image_sizes"] // patch // pool:
        blocks = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), -1).reshape(-1, 1, 2) * pool
        inner = np.stack(np.meshgrid(np.arange(pool), np.arange(pool), indexing="ij"), -1).reshape(1, -1, 2)
        places.append(torch.from_numpy((blocks + inner).reshape(-1, 2)[:, ::-1].copy()))
    pad, patches = torch.nn.utils.rnn.pad_sequence, torch.from_numpy(given["pixel_values"])
    split = patches.split([len(one) for one in places])
    return {"pixel_values": pad(split, batch_first=True),
            "image_position_ids": pad(places, batch_first=True, padding_value=-1)}  # fmt: skip


def _eager(model: Any, ids: list[int], given: Mapping[str, np.ndarray]) -> np.ndarray:
    """The model's own logits [S,V]."""
    kind, row = model.config.model_type, torch.tensor([ids])
    tensors = {name: torch.from_numpy(value) for name, value in given.items()}
    if "pictures" in given:
        tensors["pixel_values"] = tensors.pop("pictures")
    if "sizes" in given:
        tensors = _of_packed(given)
    if given and kind in ("smolvlm", "idefics3"):
        tensors["pixel_values"] = tensors["pixel_values"][None]
    if kind.startswith(("qwen", "glm")):
        model.model.rope_deltas = None
        tensors |= {"mm_token_type_ids": (row == IMAGE).int()} if given else {}
    if kind == "gemma4" and given:
        vision = model.config.vision_config
        tensors = _of_pooled(given, vision.patch_size, vision.pooling_kernel_size)
        tensors["mm_token_type_ids"] = (row == IMAGE).int()
    if kind == "paligemma" and given:  # the prompt, and what was generated
        tensors["token_type_ids"] = (torch.arange(len(ids))[None] >= len(ids) - STEPS).int()
    if kind == "gemma3":
        tensors["token_type_ids"] = (row == IMAGE).int()
    with torch.no_grad():
        return np.asarray(model(input_ids=row, use_cache=False, **tensors).logits[0].numpy())


# -- the document --------------------------------------------------------------------------------------------------


def table(verdicts: list[Verdict]) -> str:
    """The verdicts as a document."""
    counts = Counter(one.kind for one in verdicts)
    lines = [
        "# Every architecture of transformers that answers a text with pictures",
        "",
        f"transformers {transformers.__version__}, `python -m tests.sweep.pictures --table tests/sweep/PICTURES.md`:"
        f" random checkpoints of odd sizes, each type drawn {SEEDS} times; none, one, two and three pictures before,"
        f" across and behind a chunk of 64, texts of {', '.join('+'.join(map(str, texts)) for texts in TEXTS)} tokens"
        f" around them; logits at the end of each chunk and at {STEPS} greedy tokens after it against eager Hugging"
        f" Face, within {TOLERANCE} of the largest."
        f" Of {len(verdicts)}: {', '.join(f'{n} {kind}' for kind, n in counts.most_common())}.",
        "",
        header_line(*SOURCES),
        "",
        *verdict_rows(verdicts),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    command("pictures", __doc__, picture_models(), table)
