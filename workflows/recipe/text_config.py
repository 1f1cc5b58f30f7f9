"""The part of a config that describes the decoder, with the sizes that its file leaves to transformers' defaults.

config ──text_config──▶ part, and what it lacks of `names` ──AutoConfig──▶ the part with all sizes

Published files of LLaVA 1.5, Gemma 3 and Qwen2-Audio name few sizes of their text part; the others are the defaults of
the part's configuration class, or of the whole's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def text_config(config: Mapping[str, object], part: str, names: Mapping[str, Sequence[str]]) -> Mapping[str, object]:
    """The part of `config` called `part`, or all of it where older files have no such part.

    names: the sizes, by what they mean; of each, the first key counts that the file or the class has. What neither has
    is left out.
    """
    given = config.get(part)
    text = given if isinstance(given, Mapping) else config
    lacking = [keys for keys in names.values() if all(text.get(key) is None for key in keys)]
    if not lacking or text is config:
        return text
    defaults = _with_defaults(config, part)
    found = (next(((key, defaults[key]) for key in keys if defaults.get(key) is not None), None) for keys in lacking)
    return {**dict(one for one in found if one is not None), **text}


def _with_defaults(config: Mapping[str, object], part: str) -> Mapping[str, object]:
    """The part as transformers completes it; nothing for a file that it cannot read, which loading reports."""
    from huggingface_hub.errors import StrictDataclassError
    from transformers import AutoConfig

    known = {key: value for key, value in config.items() if key != "model_type"}
    try:
        made = getattr(AutoConfig.for_model(config["model_type"], **known), part)
        values: Mapping[str, object] = made.to_dict()
        return values
    except (AttributeError, KeyError, StrictDataclassError, TypeError, ValueError):
        return {}
