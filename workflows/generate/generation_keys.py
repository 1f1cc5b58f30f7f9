"""What Joinery does with each key of transformers' GenerationConfig, which generation_config.json may hold.

A test compares the table with the class, so that a key of its next version is decided on; the documentation page
generation-config.md is made of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

Treatment = Literal["applied", "announced", "irrelevant"]
"""applied: as transformers applies it. announced: not applied; a value other than the neutral one is announced with the
first reply. irrelevant: without effect on a reply of Joinery.
"""


@dataclass(frozen=True, slots=True)
class KeyTreatment:
    """`why` is a phrase for the table: how a key is applied, what takes its place, or why it has no effect.

    neutral: the value of an announced key that changes nothing, beside None.
    """

    treatment: Treatment
    why: str = ""
    neutral: Any = None


def _each(treatment: Treatment, why: str, *names: str) -> dict[str, KeyTreatment]:
    return dict.fromkeys(names, KeyTreatment(treatment, why))


_SAMPLING = "replies are greedy until sampling is requested, with settings of its own"
_DRAFTS = "drafts are requested with each reply, and leave greedy tokens as they are"
_OUTPUTS = "chosen with each request"
_LIMIT = "each request names its own limit (--max-new-tokens)"
_CACHE = "the recipe decides on the cache and how prompts are read"

GENERATION_KEYS: dict[str, KeyTreatment] = {
    **_each("applied", "", "bad_words_ids", "begin_suppress_tokens", "encoder_no_repeat_ngram_size",
            "encoder_repetition_penalty", "forced_bos_token_id", "forced_eos_token_id", "min_length", "min_new_tokens",
            "no_repeat_ngram_size", "repetition_penalty", "suppress_tokens"),
    **_each("applied", "ends a reply", "eos_token_id"),
    **_each("applied", "the decoder's first token", "decoder_start_token_id"),
    **_each("applied", "ends a reply, unless the request names stop texts of its own; the text ends before it",
            "stop_strings"),
    **_each("applied", "where beams are requested (--beams)", "early_stopping", "length_penalty"),
    "num_beams": KeyTreatment("announced", "--beams N applies it", 1),
    "guidance_scale": KeyTreatment("announced", "--guidance applies it to text models", 1.0),
    "num_beam_groups": KeyTreatment("announced", "", 1),
    "diversity_penalty": KeyTreatment("announced", "", 0.0),
    "penalty_alpha": KeyTreatment("announced", "", 0.0),
    "sequence_bias": KeyTreatment("announced", "", []),
    "exponential_decay_length_penalty": KeyTreatment("announced", "", []),
    "constraints": KeyTreatment("announced", "", []),
    "force_words_ids": KeyTreatment("announced", "", []),
    "dola_layers": KeyTreatment("announced", "", []),
    "token_healing": KeyTreatment("announced", "", False),
    "renormalize_logits": KeyTreatment("announced", "changes scores of beams alone", False),
    "watermarking_config": KeyTreatment("announced"),
    "max_time": KeyTreatment("announced", "a reply can be cancelled instead"),
    "assistant_ensemble_weight": KeyTreatment("announced", "", 1.0),
    **_each("irrelevant", _SAMPLING, "do_sample", "temperature", "top_k", "top_p", "min_p", "top_h", "typical_p",
            "epsilon_cutoff", "eta_cutoff"),
    **_each("irrelevant", _LIMIT, "max_length", "max_new_tokens"),
    **_each("irrelevant", "logits that are not finite are an error", "remove_invalid_values"),
    **_each("irrelevant", "the tokenizer puts it before a prompt", "bos_token_id"),
    **_each("irrelevant", "a single text is not padded", "pad_token_id"),
    **_each("irrelevant", "a request has one reply", "num_return_sequences"),
    **_each("irrelevant", _DRAFTS, "use_mtp", "is_assistant", "num_assistant_tokens", "num_assistant_tokens_schedule",
            "assistant_confidence_threshold", "assistant_early_exit", "assistant_lookbehind", "target_lookbehind",
            "prompt_lookup_num_tokens", "max_matching_ngram_size", "speculation_type"),
    **_each("irrelevant", _CACHE, "use_cache", "cache_implementation", "cache_config", "max_cache_len",
            "prefill_chunk_size", "continuous_batching_config", "low_memory"),
    **_each("irrelevant", _OUTPUTS, "output_attentions", "output_hidden_states", "output_scores", "output_logits",
            "return_dict_in_generate"),
    **_each("irrelevant", "it is about PyTorch's compiler", "compile_config", "disable_compile"),
    **_each("irrelevant", "it names the version that wrote the file", "transformers_version"),
}  # fmt: skip


def is_announced(name: str, value: object) -> bool:
    """Whether the file sets a key that changes tokens in transformers and is not applied here."""
    entry = GENERATION_KEYS.get(name)
    return entry is not None and entry.treatment == "announced" and value is not None and value != entry.neutral


def table() -> str:
    """The table of the documentation page, in Markdown."""
    rows = ["| key | Joinery | |", "|---|---|---|"]
    for treatment in get_args(Treatment):
        of_it = sorted(name for name, entry in GENERATION_KEYS.items() if entry.treatment == treatment)
        rows += [f"| `{name}` | {treatment} | {GENERATION_KEYS[name].why} |" for name in of_it]
    return "\n".join(rows) + "\n"
