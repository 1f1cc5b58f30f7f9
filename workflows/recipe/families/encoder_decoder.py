"""Encoder-decoder models of transformers: T5 and its variants, BART and Marian.

The encoder runs once and computes the keys and values of the decoder's cross-attention.
"""

from workflows.recipe.families.base import DECODER_PASSES, Family

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
    covers="t5, mt5",
    encoder=True,
)

# Absolute positions are added to the embeddings, so keys may be in any slots.
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
