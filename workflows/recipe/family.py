"""The `Family` class, and the registry (model_type, task) → family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from workflows.common.errors import CheckpointError, RecipeError, printable
from workflows.common.tensor_names import IDS, MASK, PIXELS
from workflows.recipe.target import CONTRIB_PASSES, REPAIR_PASSES, Target
from workflows.recipe.text_config import text_config

UNLIMITED = 1 << 20  # positions of a model whose config sets no limit

TIDYING = ("strip_metadata", "constant_folding", "dead_nodes")
MASKING = ("clamp_constant_values", "remove_isnan_in_attention_mask")
FUSING = ("gelu_fusion", "fuse_rmsnorm", "fuse_rotary", "pack_qkv", "pack_gate_up")
MOVING = ("common_subexpressions", "heads_first", "simplify_layout", "matmul_add_fusion")
ROWS = ("last_token_logits", "logits_rows")
LAST = (*MOVING, *REPAIR_PASSES, "clean_opset_imports")
ENCODER_PASSES = (*TIDYING, *MASKING, *FUSING, "skip_layernorm", *LAST)
DECODER_PASSES = (*TIDYING, *MASKING, *FUSING, *CONTRIB_PASSES, "fold_tied_head", *ROWS, *LAST)
IMAGE_PASSES = (*TIDYING, "gelu_fusion", "fuse_rmsnorm", "pack_qkv", "pack_gate_up", "skip_layernorm", *LAST)
OPTIONAL_PASSES = frozenset({*ROWS, *REPAIR_PASSES})  # evaluation reads every row; some providers cannot select rows

# Model types whose positions begin behind the padding token's id.
PADDED_POSITIONS = ("camembert", "data2vec-text", "roberta", "roberta-prelayernorm", "xlm-roberta", "xlm-roberta-xl",
                    "xmod")  # fmt: skip
SLIDING, CHUNKED, INDEXED = "sliding_attention", "chunked_attention", "indexed_attention"  # in a config's layer_types
NO_ROWS = ("conv", "linear_attention", "mamba", "mlp", "moe")  # there, layers without keys and values
_LAYER_LISTS = ("layer_types", "layers_block_type", "hybrid_override_pattern")  # a kind, or a letter, for each layer
_ATTENTION_LETTER, _MAMBA_LETTER = "*", "M"  # in a pattern of letters
_BOTH = ("conv", "recurrent")
_STATES = {"conv": ("conv",), "linear_attention": _BOTH, "mamba": _BOTH, "hybrid": _BOTH, _MAMBA_LETTER: _BOTH}
_TWO_RANGES = ("longrope", "su")  # rules of rotary angles
_ANY_SIZE = ("pixtral",)  # types of vision encoders that read pictures of any size, whatever the model around them

Sees = Literal["tiles", "packed", "patches", "grids"]
Mutual = Literal["pictures", "windows", "prompt"]

# The keys in transformers' configs, the most common first.
CONFIG_NAMES: dict[str, tuple[str, ...]] = {
    "layers": ("decoder_layers", "n_decoder_layer", "num_decoder_layers", "num_hidden_layers", "n_layer", "n_layers",
               "num_layers"),
    "hidden_size": ("hidden_size", "n_embd", "d_model", "emb_dim", "n_embed"),
    "heads": ("decoder_attention_heads", "num_decoder_attention_heads", "num_attention_heads", "attention_heads",
              "n_head", "n_heads", "num_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "n_kv_head"),
    "head_dim": ("head_dim", "d_kv"),
    "vocabulary": ("vocab_size",),
    "max_positions": ("max_position_embeddings", "n_positions", "max_seq_len", "max_target_positions"),
}  # fmt: skip
_WIDTHS = ("intermediate_size", "moe_intermediate_size", "ffn_dim", "d_ff", "encoder_ffn_dim", "decoder_ffn_dim")


@dataclass(frozen=True)
class LayerCache:
    """What one layer of a model keeps.

    window: how many positions back it attends, itself included; None for all. rows: whether it keeps keys and values.
    states: the names of its state of fixed size.
    """

    window: int | None = None
    rows: bool = True
    states: tuple[str, ...] = ()


@dataclass(frozen=True)
class ModelGeometry:
    """The sizes that a family reads from a config before the export; the cache itself uses the graphs.

    caches: what each layer keeps by the config. After the model has run, what it actually keeps replaces them
    (export/attention.py). latent: keys and values are computed from smaller latent vectors, so head_dim is not that of
    attention. chunked: some layers attend within chunks of the text. indexed: some select keys by an index, which are
    all of them up to max_positions. sees: what its vision encoder reads, which the family or the encoder's type says.
    mutual: which tokens attend to each other in both directions. per_layer: whether a token has an embedding for each
    layer. short_positions: the length of a text up to which the model rotates by other angles than in longer ones; None
    where its angles do not depend on the length.
    """

    caches: tuple[LayerCache, ...]
    hidden_size: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    max_positions: int
    latent: bool = False
    chunked: bool = False
    indexed: bool = False
    sees: Sees | None = None
    mutual: Mutual | None = None
    per_layer: bool = False
    short_positions: int | None = None

    def positions(self, capacity: int) -> int:
        """The positions of a bundle of this capacity, which rotates as texts of one range of lengths do."""
        short = self.short_positions
        return self.max_positions if short is None or capacity > short else short

    def longer_than(self, capacity: int) -> int | None:
        """The length of a text that a bundle of this capacity rotates otherwise than the model does; None without."""
        return self.short_positions if self.short_positions is not None and capacity > self.short_positions else None

    @property
    def layers(self) -> int:
        """The number of layers."""
        return len(self.caches)

    @property
    def state_layers(self) -> int:
        """The number of layers with state of fixed size."""
        return sum(bool(layer.states) for layer in self.caches)

    def kv_bytes_per_token(self, item: int = 4) -> int:
        """Bytes of one token in the cache: keys and values of every layer that keeps them."""
        return 2 * sum(layer.rows for layer in self.caches) * self.kv_heads * self.head_dim * item


@dataclass(frozen=True)
class Family:
    """One architecture family.

    model_types: the types it serves; empty for a generic family. tasks: the first is the default. layouts: supported
    cache layouts; `refused`: unsupported layout → reason. passes: optimizer passes in order, all except OPTIONAL_PASSES
    on by default. covers: the models, if not its types. config_names: Joinery's name → keys in the config, of which the
    first present one counts. serves: for a generic family, whether it serves a model type for a task (or None) that no
    other family names. encoder: the decoder attends to an encoder, which reads `source`: a text, or the spectrogram of
    a sound, of one length. source_limited: the encoder has a position table, so a text is limited to max_positions.
    remote_code: the checkpoint brings the model's code, which runs during the build, with consent. text_part: the part
    of the config that describes the decoder; empty for the whole. sees: a vision encoder gives rows in the place of a
    prompt's placeholders; it reads square tiles, tiles and which of their rows to join, or the patches of pictures of
    any size with these sizes, or with grids that positions of three numbers follow from. takes_sound: a sound encoder
    does, which reads windows of sound and, with masks_frames, the masks of their frames. deepstack: the decoder's first
    layers take rows of their own. mutual: which tokens attend to each other in both directions: the places of a
    picture, those in layers with a window where the config says so, or all of a prompt with pictures. variants:
    supported variants besides `plain`. reads: the input kind of a single graph without a cache; None for a model that
    generates text.
    """

    name: str
    model_types: tuple[str, ...]
    tasks: tuple[str, ...]
    passes: tuple[str, ...]
    covers: str = ""
    layouts: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    config_names: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: CONFIG_NAMES)
    serves: Callable[[str, str | None], bool] | None = None
    encoder: bool = False
    source: Literal["text", "sound"] = "text"
    source_limited: bool = False
    remote_code: bool = False
    text_part: str = ""
    sees: Sees | None = None
    takes_sound: bool = False
    masks_frames: bool = True
    deepstack: bool = False
    mutual: Mutual | None = None
    variants: tuple[str, ...] = ()
    reads: Literal["tokens", "pixels"] | None = None

    @property
    def description(self) -> str:
        """The models that it serves, in words."""
        return self.covers or ", ".join(self.model_types)

    def default_passes(self, target: Target) -> dict[str, bool]:
        """Pass → whether it runs by default, with the target's overrides."""
        return {name: target.passes.get(name, name not in OPTIONAL_PASSES) for name in self.passes}

    @property
    def cached(self) -> bool:
        """Whether its models have a KV cache; otherwise capacity, chunk, cache and graphs have no effect."""
        return self.reads is None

    @property
    def has_features(self) -> bool:
        """Whether an encoder gives rows in the place of a prompt's placeholders."""
        return self.takes_sound or self.sees is not None

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs of a single-graph model; some models that read tokens take token types as well."""
        return {"tokens": (IDS, MASK), "pixels": (PIXELS,)}[self.reads] if self.reads else ()

    def geometry(self, config: Mapping[str, object]) -> ModelGeometry:
        """Reads the sizes in `config`. Raises CheckpointError for one that is missing or not a positive integer."""
        names, sees, mutual = self.config_names, _sees(self.sees, config), self.mutual_of(config)
        if self.text_part:
            config = text_config(config, self.text_part, names)
        heads = _positive_int(config, names["heads"], 1 if _is_recurrent(config) else None)
        hidden = _positive_int(config, names["hidden_size"])
        _check_widths(config)
        _check_rope(config)
        most = min(_position_rows(config, names["max_positions"]), _dense_limit(config))
        short = _short_positions(config, most)
        if self.remote_code:  # its own code chooses the angles, by branches that cannot be traced
            most, short = short or most, None
        return ModelGeometry(
            caches=_caches(config, _positive_int(config, names["layers"], _listed_layers(config))),
            hidden_size=hidden,
            kv_heads=_positive_int(config, names["kv_heads"], heads),
            head_dim=_positive_int(config, names["head_dim"], max(hidden // heads, 1)),
            vocabulary=_positive_int(config, names["vocabulary"]),
            max_positions=most,
            latent=bool(config.get("kv_lora_rank")),
            chunked=CHUNKED in _layer_list(config),
            indexed=_is_indexed(config),
            sees=sees,
            mutual=mutual,
            per_layer=bool(config.get("hidden_size_per_layer_input")),
            short_positions=short,
        )

    def mutual_of(self, config: Mapping[str, object]) -> Mutual | None:
        """Which tokens of this config's model attend to each other in both directions."""
        text = config.get(self.text_part)
        said = text.get("use_bidirectional_attention") if isinstance(text, Mapping) else None
        return None if self.mutual == "windows" and said != "vision" else self.mutual


class FamilyRegistry:
    """(model_type, task) → family. Raises RecipeError when two families claim the same pair."""

    def __init__(self, families: Iterable[Family]) -> None:
        self.families = tuple(families)
        self._by_pair: dict[tuple[str, str], Family] = {}
        for family in self.families:
            for model_type in family.model_types:
                for task in family.tasks:
                    other = self._by_pair.setdefault((model_type, task), family)
                    if other is not family:
                        raise RecipeError(f"{family.name} and {other.name} both claim {model_type} for {task}.")

    @property
    def model_types(self) -> tuple[str, ...]:
        """Every model type that some family builds, sorted."""
        return tuple(sorted({model_type for model_type, _ in self._by_pair}))

    def find(self, model_type: str, task: str | None = None) -> Family:
        named = next((f for f in self.families if model_type in f.model_types), None)
        if task is None and named is not None:
            return named
        if task is not None and (model_type, task) in self._by_pair:
            return self._by_pair[model_type, task]
        served = next((f for f in self.families if f.serves is not None and f.serves(model_type, task)), None)
        if served is not None and (task is None or task in served.tasks):
            return served
        tasks = {t for m, t in self._by_pair if m == model_type} or set(served.tasks if served else ())
        if tasks:
            raise RecipeError(
                f"{printable(model_type)} cannot be built for the task {printable(task)!r}: choose "
                f"{', '.join(sorted(tasks))}."
            )
        families = ", ".join(f"{family.name} ({family.description})" for family in self.families)
        raise RecipeError(
            f"The architecture {printable(model_type)!r} is not one that Joinery can build: its families are "
            f"{families}."
        )


def _sees(known: Sees | None, config: Mapping[str, object]) -> Sees | None:
    """What a vision encoder reads by its own type, or by what is known of the family."""
    vision = config.get("vision_config")
    kind = vision.get("model_type") if isinstance(vision, Mapping) else None
    return "patches" if known and kind in _ANY_SIZE else known


def _is_recurrent(config: Mapping[str, object]) -> bool:
    """Whether the config is of a state-space model without attention: it has the size of a state, and no heads."""
    return config.get("state_size") is not None


def _layer_list(config: Mapping[str, object]) -> Sequence[object]:
    """The kind of each layer, where the config lists them; () where it does not."""
    return next((kinds for name in _LAYER_LISTS if isinstance(kinds := config.get(name), list | str)), ())


def _listed_layers(config: Mapping[str, object]) -> int | None:
    return len(_layer_list(config)) or None


def _caches(config: Mapping[str, object], layers: int) -> tuple[LayerCache, ...]:
    """What each layer keeps: those listed as convolutions or recurrences keep state, and no keys and values.

    Nor do the last ones, where a number of them attends to keys and values of earlier layers.
    """
    kinds = _layer_list(config)
    named = kinds if len(kinds) == layers else [None] * layers
    has_heads = any(config.get(name) is not None for name in CONFIG_NAMES["heads"])
    keeping = [kind == _ATTENTION_LETTER if isinstance(kinds, str) else kind not in NO_ROWS for kind in named]
    windows = _windows(config, layers)
    sharing = _positive_int(config, ("num_kv_shared_layers",)) if config.get("num_kv_shared_layers") else 0
    keeping = [keeps and i < layers - sharing for i, keeps in enumerate(keeping)]
    states = [_STATES.get(str(kind), ()) if has_heads else _BOTH for kind in named]
    return tuple(
        LayerCache(window, has_heads and rows, names)
        for window, rows, names in zip(windows, keeping, states, strict=True)
    )


def _windows(config: Mapping[str, object], layers: int) -> tuple[int | None, ...]:
    """Each layer's window that the config names: of layers listed as sliding, of all but every n-th, or of all."""
    size, kinds, every = (config.get(name) for name in ("sliding_window", "layer_types", "sliding_window_pattern"))
    if type(size) is not int or size <= 0 or config.get("use_sliding_window") is False:
        return (None,) * layers
    if isinstance(kinds, list):
        sliding = {i for i, kind in enumerate(kinds) if kind == SLIDING}
    else:
        sliding = {i for i in range(layers) if not (type(every) is int and every > 0 and (i + 1) % every == 0)}
    return tuple(size if i in sliding else None for i in range(layers))


def _position_rows(config: Mapping[str, object], names: tuple[str, ...]) -> int:
    """The number of positions that a text may have."""
    rows, padding = _positive_int(config, names, UNLIMITED), config.get("pad_token_id", 1)
    skips = config.get("model_type") in PADDED_POSITIONS and type(padding) is int
    return max(1, rows - padding - 1) if skips and isinstance(padding, int) else rows


def _is_indexed(config: Mapping[str, object]) -> bool:
    """Whether an indexer selects the keys; published files of such models do not list their layers."""
    return INDEXED in _layer_list(config) or config.get("index_topk") is not None


def _dense_limit(config: Mapping[str, object]) -> int:
    """The number of positions up to which attention reads all keys: beyond it, BigBird's reads blocks of later tokens.

    Zaheer et al. 2020, section 2: a block attends to 5 others and to random ones before and after. DeepSeek's sparse
    attention reads the keys that an indexer selects (export/own_attention/indexed.py).
    """
    if config.get("model_type") == "doge":  # export/own_attention/doge.py
        return _positive_int(config, ("keep_window_size",), 2048)
    if _is_indexed(config):
        return _positive_int(config, ("index_topk",))
    if config.get("model_type") != "big_bird" or config.get("attention_type") == "original_full":
        return UNLIMITED
    random, size = (
        _positive_int(config, (name,), default) for name, default in (("num_random_blocks", 3), ("block_size", 64))
    )
    return (5 + 2 * random) * size


def keeps_state(config: Mapping[str, object]) -> bool:
    """Whether the config is of a model with layers that keep state of fixed size: it lists some, or their size."""
    kinds = [_STATES.get(str(kind)) for kind in _layer_list(config)]
    return _is_recurrent(config) or config.get("mamba_d_state") is not None or any(kinds)


def fixed_positions(config: Mapping[str, object]) -> int:
    """The number of positions up to which attention and angles do not depend on a text's length."""
    changing = any(_rule_name(rule) == "dynamic" for rule in _rope_rules(config))
    own = _position_rows(config, CONFIG_NAMES["max_positions"]) if changing else UNLIMITED
    return min(_dense_limit(config), _short_positions(config, UNLIMITED) or UNLIMITED, own)


def _short_positions(config: Mapping[str, object], most: int) -> int | None:
    """The length up to which `longrope` rotates by its short factors, in a model of `most` positions; None without."""
    divided = [rule for rule in _rope_rules(config) if _rule_name(rule) in _TWO_RANGES]
    name = "original_max_position_embeddings"
    lengths = [_positive_int({name: rule.get(name) or config.get(name)}, (name,), UNLIMITED) for rule in divided]
    short = min(lengths, default=most)
    return short if short < most else None


def _rope_rules(config: Mapping[str, object]) -> list[Mapping[str, object]]:
    """The rules of rotary angles: one for all layers, or one for each of their types."""
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    kinds = [rope, *rope.values()] if isinstance(rope, Mapping) else []
    return [kind for kind in kinds if isinstance(kind, Mapping)]


def _rule_name(rule: Mapping[str, object]) -> object:
    return rule.get("rope_type") or rule.get("type")


def _check_widths(config: Mapping[str, object]) -> None:
    """Raises CheckpointError for an invalid width of the feed-forward layers."""
    for name in _WIDTHS:
        value = config.get(name)
        for one in value if isinstance(value, list) else [value]:
            _positive_int({name: one}, (name,), 1)


def _check_rope(config: Mapping[str, object]) -> None:
    """Raises CheckpointError for a rotary base that is not a positive number, or a rule that is not a string."""
    rope = config.get("rope_parameters") or {}
    if not isinstance(rope, Mapping):
        raise _invalid_value_error("rope_parameters", rope, "an object")
    for rule in (config, rope, *(rule for rule in rope.values() if isinstance(rule, Mapping))):
        base, kind = rule.get("rope_theta"), rule.get("rope_type")
        if base is not None and (isinstance(base, bool) or not isinstance(base, int | float) or not base > 0):
            raise _invalid_value_error("rope_theta", base, "a positive number")
        if kind is not None and not isinstance(kind, str):
            raise _invalid_value_error("rope_type", kind, "the name of a rule")


def _invalid_value_error(name: str, value: object, wanted: str) -> CheckpointError:
    return CheckpointError(
        f"config.json says {name} = {printable(value, 40)}, which must be {wanted}: correct the file."
    )


def _positive_int(config: Mapping[str, object], names: tuple[str, ...], default: int | None = None) -> int:
    name = next((name for name in names if config.get(name) is not None), None)
    if name is None and default is not None:
        return default
    if name is None:
        raise _missing_value_error(config, names)
    value = config[name]
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise _invalid_value_error(name, value, "a positive whole number")
    return value


def _missing_value_error(config: Mapping[str, object], names: tuple[str, ...]) -> CheckpointError:
    """The error for a config with none of these names."""
    nested = {part: value for part, value in config.items() if isinstance(value, Mapping)}
    parts = [part for part, value in nested.items() if any(value.get(name) is not None for name in names)]
    if parts:
        return CheckpointError(
            f"config.json describes a model of several parts ({printable(', '.join(parts))}), and this version of "
            "Joinery builds models of one part alone."
        )
    return CheckpointError(
        f"config.json has none of {', '.join(names)}: the model cannot be built around a KV cache, or the file is "
        "incomplete."
    )
