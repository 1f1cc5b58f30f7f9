"""The architecture families: how each is divided into components, and which cache layouts it supports.

decoder-only, qwen3, text-part
                      positions are inputs and the mask determines what a token attends to, so keys may be in any slots
smolvlm, llava, llava_next, mistral3, gemma3, gemma4, paligemma, qwen2_vl, qwen3_vl, qwen3_5, glm4v
                      a vision encoder before a decoder-only model, which takes embeddings
qwen2_audio           a sound encoder before a decoder-only model, which takes embeddings
t5, bart, mu          the encoder runs once and computes the keys and values of the decoder's cross-attention
whisper               the same, with an encoder that reads the spectrogram of a window of sound
encoder, image, depth one graph without a cache: text encoders, image models, depth estimation
text-decoder          the same of a decoder: vectors of texts, or labels by the last token

FAMILIES is the registry; the order of imports does not matter. The properties of a layer are detected when the model
runs (export/attention.py), not read from its config.
"""

from dataclasses import replace

from workflows.recipe.family import DECODER_PASSES, ENCODER_PASSES, IMAGE_PASSES, Family, FamilyRegistry


def _is_causal_lm(model_type: str, task: str | None) -> bool:
    """Whether transformers has such a causal LM; the decoder of an encoder-decoder only where a task is given."""
    from transformers.models.auto import modeling_auto as known

    both = {**known.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES, **known.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES}
    return model_type in known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and (task is not None or model_type not in both)


DECODER = Family(
    name="decoder-only",
    model_types=(),
    tasks=("text-generation",),
    layouts=("static", "window", "gqa", "scatter"),
    variants=("transformer-only",),
    passes=DECODER_PASSES,
    covers="any causal LM with a cache: llama, qwen2, mistral, gemma3, phi3, smollm3, gpt2 …",
    serves=_is_causal_lm,
)


def _has_text_part(model_type: str, task: str | None) -> bool:
    """Whether transformers has such a model of several parts that generates, one of which is a decoder of text."""
    from transformers import CONFIG_MAPPING
    from transformers.models.auto import modeling_auto as known

    generating = {
        **known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        **known.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
        **known.MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES,
    }
    return model_type in generating and "text_config" in CONFIG_MAPPING[model_type].sub_configs


# The text part of a model of several parts, alone.
TEXT_PART = replace(
    DECODER,
    name="text-part",
    covers="the text part of models that read pictures or sound beside it",
    serves=_has_text_part,
    text_part="text_config",
)
QWEN3 = replace(DECODER, name="qwen3", model_types=("qwen3",), covers="", serves=None)

# The vision encoder reads square tiles; its rows take the place of placeholders among the tokens' embeddings.
TILES = replace(
    DECODER,
    name="smolvlm",
    model_types=("idefics3", "smolvlm"),
    tasks=("image-text-to-text",),
    variants=(),
    covers="",
    serves=None,
    text_part="text_config",
    sees="tiles",
)

# The same with pictures of one size, or tiles of that size, without empty ones.
LLAVA = replace(TILES, name="llava", model_types=("llava", "vipllava", "internvl", "aya_vision"))

# Tiles of the resolution that is nearest the picture: rows of features of what was padded are left out.
LLAVA_NEXT = replace(TILES, name="llava_next", model_types=("llava_next", "llava_onevision"), sees="packed")

# Pictures have any size; positions are plain numbers.
MISTRAL3 = replace(TILES, name="mistral3", model_types=("mistral3",), sees="patches")

# The places of a picture attend to each other in both directions, so that they go through the decoder in one run.
GEMMA3 = replace(
    TILES,
    name="gemma3",
    model_types=("gemma3",),
    layouts=("static", "scatter"),
    refused={
        "window": "the places of a picture attend to each other, and a window may have lost some of them",
        "gqa": "GroupQueryAttention is causal, and the places of a picture attend to each other in both directions",
    },
    mutual="pictures",
)

# Pictures have any size; in layers with a window their places attend to each other, where the config says so.
GEMMA4 = replace(TILES, name="gemma4", model_types=("gemma4",), sees="patches", mutual="windows")

# A prompt with pictures is read as a whole, each of its tokens attending to all; what follows it is causal.
PALIGEMMA = replace(
    GEMMA3,
    name="paligemma",
    model_types=("paligemma",),
    refused={
        "window": "the tokens of a prompt attend to each other, and a window may have lost some of them",
        "gqa": "GroupQueryAttention is causal, and the tokens of a prompt attend to each other in both directions",
    },
    mutual="prompt",
)

# A position has three numbers, and pictures have any size.
GRIDS = replace(TILES, name="qwen2_vl", model_types=("qwen2_vl", "qwen2_5_vl"), sees="grids")

GLM = replace(GRIDS, name="glm4v", model_types=("glm4v", "glm46v", "glm4v_moe", "glm_ocr"))

# The decoder's first layers add rows of features of their own.
DEEPSTACK = replace(GRIDS, name="qwen3_vl", model_types=("qwen3_vl", "qwen3_vl_moe"), deepstack=True)

# The same pictures and positions, over layers that keep state of fixed size.
QWEN3_5 = replace(GRIDS, name="qwen3_5", model_types=("qwen3_5", "qwen3_5_moe"))

# The sound encoder reads windows of one length, and gives a row for every few frames of sound.
HEARING = replace(
    DECODER,
    name="qwen2_audio",
    model_types=("qwen2_audio", "audioflamingo3", "glmasr"),
    tasks=("audio-text-to-text",),
    variants=(),
    covers="",
    serves=None,
    text_part="text_config",
    takes_sound=True,
)

# Of each window all frames are read, the silence behind a recording's end too.
WHOLE_WINDOWS = replace(HEARING, name="voxtral", model_types=("voxtral",), masks_frames=False)

TASKS = ("translation", "summarization")

# T5 learns a bias over distances between positions, and its graph uses slots as positions.
T5 = Family(
    name="t5",
    model_types=("t5", "mt5"),
    tasks=TASKS,
    layouts=("static", "scatter"),
    refused={
        "window": "its learned position bias needs left-aligned slots, which a ring buffer does not keep",
        "gqa": "GroupQueryAttention takes no position bias",
    },
    passes=DECODER_PASSES,
    encoder=True,
)

_BART_TYPES = ("bart", "mbart", "marian", "pegasus", "blenderbot", "blenderbot-small", "m2m_100", "plbart")
# Absolute positions are added to the embeddings, so keys may be in any slots.
BART = Family(
    name="bart",
    model_types=_BART_TYPES,
    tasks=TASKS,
    layouts=("static", "window", "gqa", "scatter"),
    passes=DECODER_PASSES,
    covers="bart, mbart, marian, pegasus, blenderbot, plbart, m2m_100",
    encoder=True,
    source_limited=True,
)

# Positions are absolute, and end with the table.
WHISPER = Family(
    name="whisper",
    model_types=("whisper",),
    tasks=("automatic-speech-recognition",),
    layouts=("static", "gqa", "scatter"),
    refused={"window": "the transcript of a window of sound ends before the table of its positions does"},
    passes=DECODER_PASSES,
    encoder=True,
    source="sound",
)

# Rotary positions are applied to the keys. The model and its attention are the checkpoint's own code.
MU = Family(
    name="mu",
    model_types=("mu", "mu2"),
    tasks=("text2text-generation", *TASKS),
    layouts=("static", "window"),
    refused=dict.fromkeys(("gqa", "scatter"), "its attention is its own code, which does not write a cache in place"),
    passes=DECODER_PASSES,
    covers="mu, which brings its own code",
    encoder=True,
    remote_code=True,
)

_ENCODER_TYPES = ("albert", "bert", "camembert", "deberta", "deberta-v2", "distilbert", "electra", "modernbert",
                  "mpnet", "roberta", "xlm-roberta")  # fmt: skip
ENCODER = Family(
    name="encoder",
    model_types=_ENCODER_TYPES,
    tasks=("feature-extraction", "fill-mask", "text-classification", "token-classification"),
    passes=ENCODER_PASSES,
    covers="bert, roberta, distilbert, deberta and variants",
    reads="tokens",
)

READING_TASKS = ("feature-extraction", "text-classification", "token-classification")


def _reads_texts(model_type: str, task: str | None) -> bool:
    """Whether transformers has such a decoder of text alone for a task without generation."""
    from transformers import CONFIG_MAPPING
    from transformers.models.auto import modeling_auto as known

    if task not in READING_TASKS or not _is_causal_lm(model_type, None):
        return False
    heads = {
        "feature-extraction": known.MODEL_MAPPING_NAMES,
        "text-classification": known.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES,
        "token-classification": known.MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES,
    }
    is_encoder = model_type in known.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    return model_type in heads[task] and not is_encoder and "text_config" not in CONFIG_MAPPING[model_type].sub_configs


TEXT_DECODER = Family(
    name="text-decoder",
    model_types=(),
    tasks=READING_TASKS,
    passes=ENCODER_PASSES,
    covers="decoders that make vectors of texts, or label or rank them",
    serves=_reads_texts,
    reads="tokens",
)

_IMAGE_TYPES = ("beit", "convnext", "convnextv2", "deit", "dinov2", "efficientnet", "mobilenet_v2",
                "regnet", "resnet", "swin", "vit")  # fmt: skip
IMAGE = Family(
    name="image",
    model_types=_IMAGE_TYPES,
    tasks=("image-classification", "feature-extraction"),
    passes=IMAGE_PASSES,
    covers="resnet, convnext, vit and variants",
    reads="pixels",
)

DEPTH = Family(
    name="depth",
    model_types=("depth_anything", "depth_pro", "dpt", "glpn", "zoedepth"),
    tasks=("depth-estimation",),
    passes=IMAGE_PASSES,
    covers="depth_pro, dpt, depth_anything",
    reads="pixels",
)

FAMILIES = FamilyRegistry(
    [
        *(QWEN3, TILES, LLAVA, LLAVA_NEXT, MISTRAL3, GEMMA3, GEMMA4, PALIGEMMA, GRIDS, GLM, DEEPSTACK, QWEN3_5),
        *(HEARING, WHOLE_WINDOWS),
        *(T5, BART, WHISPER, MU, ENCODER, IMAGE, DEPTH, TEXT_DECODER, TEXT_PART, DECODER),
    ]
)


def family_for(model_type: str, task: str | None = None) -> Family:
    """The family that builds `model_type` for `task`. Raises RecipeError that lists the families."""
    return FAMILIES.find(model_type, task)


def tasks_of(model_type: str) -> tuple[str, ...]:
    """The tasks for which `model_type` can be built, the default first. Raises RecipeError like family_for."""
    tasks = FAMILIES.find(model_type).tasks
    return (*tasks, *(task for task in READING_TASKS if task not in tasks and _reads_texts(model_type, task)))
