"""Encoder-decoder models of transformers: T5 and its kin, BART and Marian.

The encoder runs once and hands the decoder the keys and values of its cross-attention.
"""

from workflows.recipe.families.base import DECODER_PASSES, Family

TASKS = ("translation", "summarization")

# T5's bias is learned over distances between positions, and its graph takes slots for positions.
T5 = Family(
    name="t5",
    model_types=("t5", "mt5"),
    tasks=TASKS,
    layouts=("static", "scatter"),
    refused={
        "window": "its learned position bias needs left-aligned slots, and a ring moves them",
        "gqa": "GroupQueryAttention takes no position bias",
    },
    passes=DECODER_PASSES,
    covers="t5, mt5",
    encoder=True,
)

# Absolute positions are added to the embeddings, so the slots of the keys may be anywhere.
BART = Family(
    name="bart",
    model_types=(
        "bart",
        "mbart",
        "marian",
        "pegasus",
        "blenderbot",
        "blenderbot-small",
        "m2m_100",
        "plbart",
    ),
    tasks=TASKS,
    layouts=("static", "window", "gqa", "scatter"),
    refused={},
    passes=DECODER_PASSES,
    covers="bart, mbart, marian, pegasus, blenderbot, plbart, m2m_100",
    encoder=True,
    source_limited=True,
)

# Rotary positions are baked into the keys. The code comes with the checkpoint, and its attention is its own.
MU = Family(
    name="mu",
    model_types=("mu", "mu2"),
    tasks=("text2text-generation", *TASKS),
    layouts=("static", "window"),
    refused=dict.fromkeys(("gqa", "scatter"), "its attention is its own code, which writes no cache in place"),
    passes=DECODER_PASSES,
    covers="mu, which brings its own code",
    encoder=True,
    remote_code=True,
)
