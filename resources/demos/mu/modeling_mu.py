"""Mu, a small encoder-decoder: rotary positions in self-attention, grouped keys and values, a norm before and after.

    input_ids [B,T] ─▶ MuEncoder ─▶ last_hidden_state [B,T,D]
                                          │ project_source, in each decoder layer
    decoder_input_ids [B,S] ─▶ MuDecoder ─┴▶ lm_head ─▶ logits [B,S,V]

The decoder keeps apart where a token stands in the text (`position_id`, which turns its query and key) and where its
key and value go in the cache (`cache_position`). The angle is part of the cached key, so a cache may move its slots,
as long as it is given an `attention_mask` over them.
"""

import torch
from torch import nn
from torch.nn import functional
from transformers import DynamicCache, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput, BaseModelOutputWithPastAndCrossAttentions, Seq2SeqLMOutput

from .configuration_mu import MuConfig


class MuRMSNorm(nn.Module):
    """Root mean square norm, computed in float32."""

    def __init__(self, size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, hidden):
        wide = hidden.float()
        wide = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return self.weight * wide.to(hidden.dtype)


def rotary_angles(position_id, head_dim, theta, dtype):
    """Cosine and sine, both [B, 1, S, head_dim], for absolute positions [B, S]."""
    steps = torch.arange(0, head_dim, 2, dtype=torch.float32, device=position_id.device)
    angles = position_id[..., None].float() * theta ** (-steps / head_dim)  # [B, S, head_dim / 2]
    angles = torch.cat((angles, angles), dim=-1)[:, None]
    return angles.cos().to(dtype), angles.sin().to(dtype)


def rotate(states, angles):
    """`states` [B, H, S, head_dim], each half turned against the other."""
    cosine, sine = angles
    first, second = states.chunk(2, dim=-1)
    return states * cosine + torch.cat((-second, first), dim=-1) * sine


class MuAttentionSDPA(nn.Module):
    """Attention with `n_head` queries over `n_kv_head` keys and values.

    As self-attention it turns queries and keys by `angles` and writes to `past_key_value`, any cache with transformers'
    `update(key, value, layer_idx, cache_kwargs)`. As cross-attention it turns nothing and caches nothing: its keys and
    values come from `project_source`, which depends on the source alone.
    """

    def __init__(self, config, layer_idx):
        super().__init__()
        self.layer_idx = layer_idx
        self.n_head = config.n_head
        self.n_kv_head = config.n_kv_head
        self.head_dim = config.head_dim
        self.q_proj = nn.Linear(config.d_model, config.n_head * config.head_dim, bias=False)
        self.k_proj = nn.Linear(config.d_model, config.n_kv_head * config.head_dim, bias=False)
        self.v_proj = nn.Linear(config.d_model, config.n_kv_head * config.head_dim, bias=False)
        self.o_proj = nn.Linear(config.n_head * config.head_dim, config.d_model, bias=False)

    def split(self, states, heads):
        """[B, S, heads * head_dim] → [B, heads, S, head_dim]."""
        return states.view(states.shape[0], states.shape[1], heads, self.head_dim).transpose(1, 2)

    def project_source(self, hidden_states):
        """Key and value [B, n_kv_head, S, head_dim] of what is attended to, before any rotation."""
        key = self.split(self.k_proj(hidden_states), self.n_kv_head)
        value = self.split(self.v_proj(hidden_states), self.n_kv_head)
        return key, value

    def forward(
        self,
        hidden_states,
        attention_mask=None,
        angles=None,
        encoder_hidden_states=None,
        past_key_value=None,
        cache_position=None,
    ):
        query = self.split(self.q_proj(hidden_states), self.n_head)
        if encoder_hidden_states is not None:
            key, value = self.project_source(encoder_hidden_states)
        else:
            key, value = self.project_source(hidden_states)
            query, key = rotate(query, angles), rotate(key, angles)
            if past_key_value is not None:
                key, value = past_key_value.update(key, value, self.layer_idx, {"cache_position": cache_position})
        attended = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=attention_mask, enable_gqa=self.n_head != self.n_kv_head
        )  # [B, n_head, S, head_dim]
        return self.o_proj(attended.transpose(1, 2).flatten(2))


class MuFeedForward(nn.Module):
    """Gated by SiLU."""

    def __init__(self, config):
        super().__init__()
        self.gate_proj = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.up_proj = nn.Linear(config.d_model, config.d_ff, bias=False)
        self.down_proj = nn.Linear(config.d_ff, config.d_model, bias=False)

    def forward(self, hidden_states):
        return self.down_proj(functional.silu(self.gate_proj(hidden_states)) * self.up_proj(hidden_states))


class MuSublayer(nn.Module):
    """hidden + post_norm(block(pre_norm(hidden)))."""

    def __init__(self, config, block):
        super().__init__()
        self.pre_norm = MuRMSNorm(config.d_model, config.norm_eps)
        self.block = block
        self.post_norm = MuRMSNorm(config.d_model, config.norm_eps)

    def forward(self, hidden_states, **kwargs):
        return hidden_states + self.post_norm(self.block(self.pre_norm(hidden_states), **kwargs))


class MuEncoderLayer(nn.Module):
    """Self-attention, feed-forward."""

    def __init__(self, config, layer_idx):
        super().__init__()
        self.self_attention = MuSublayer(config, MuAttentionSDPA(config, layer_idx))
        self.feed_forward = MuSublayer(config, MuFeedForward(config))

    def forward(self, hidden_states, attention_mask, angles):
        hidden_states = self.self_attention(hidden_states, attention_mask=attention_mask, angles=angles)
        return self.feed_forward(hidden_states)


class MuDecoderLayer(nn.Module):
    """Self-attention, cross-attention, feed-forward."""

    def __init__(self, config, layer_idx):
        super().__init__()
        self.self_attention = MuSublayer(config, MuAttentionSDPA(config, layer_idx))
        self.cross_attention = MuSublayer(config, MuAttentionSDPA(config, layer_idx))
        self.feed_forward = MuSublayer(config, MuFeedForward(config))

    def forward(
        self,
        hidden_states,
        attention_mask,
        angles,
        encoder_hidden_states,
        encoder_attention_mask,
        past_key_value=None,
        cache_position=None,
    ):
        hidden_states = self.self_attention(
            hidden_states,
            attention_mask=attention_mask,
            angles=angles,
            past_key_value=past_key_value,
            cache_position=cache_position,
        )
        hidden_states = self.cross_attention(
            hidden_states, attention_mask=encoder_attention_mask, encoder_hidden_states=encoder_hidden_states
        )
        return self.feed_forward(hidden_states)


class MuPreTrainedModel(PreTrainedModel):
    """What Mu's models share."""

    config_class = MuConfig
    base_model_prefix = "model"
    main_input_name = "input_ids"
    _supports_sdpa = True
    _no_split_modules = ["MuEncoderLayer", "MuDecoderLayer"]

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=self.config.init_std)
        elif isinstance(module, MuRMSNorm):
            nn.init.ones_(module.weight)


def source_mask(attention_mask):
    """[B, 1, 1, T] for attention: from a mask [B, T] that is true (or 1) at real tokens, or one that is 4-D already."""
    if attention_mask is None or attention_mask.dim() == 4:
        return attention_mask
    return attention_mask.to(torch.bool)[:, None, None, :]


class MuEncoder(MuPreTrainedModel):
    """`input_ids` [B,T] and a boolean `attention_mask` [B,T] → `last_hidden_state` [B,T,D]."""

    def __init__(self, config, embed_tokens=None):
        super().__init__(config)
        self.embed_tokens = embed_tokens or nn.Embedding(config.vocab_size, config.d_model)
        self.layers = nn.ModuleList(MuEncoderLayer(config, i) for i in range(config.n_encoder_layer))
        self.norm = MuRMSNorm(config.d_model, config.norm_eps)
        self.post_init()

    def get_input_embeddings(self):
        return self.embed_tokens

    def set_input_embeddings(self, value):
        self.embed_tokens = value

    def forward(self, input_ids, attention_mask=None, **kwargs):
        hidden_states = self.embed_tokens(input_ids)
        mask = source_mask(attention_mask)
        position_id = torch.arange(input_ids.shape[1], device=input_ids.device)[None]
        angles = rotary_angles(position_id, self.config.head_dim, self.config.rope_theta, hidden_states.dtype)
        for layer in self.layers:
            hidden_states = layer(hidden_states, mask, angles)
        return BaseModelOutput(last_hidden_state=self.norm(hidden_states))


class MuDecoder(MuPreTrainedModel):
    """The tokens [B,S] after those in `past_key_values` → `last_hidden_state` [B,S,D].

    cache_position: [S], the slots of these tokens in the cache; by default the next ones.
    position_id: [B,S] or [1,S], their places in the text; by default the same as their slots.
    attention_mask: [B,1,S,K] over the slots, boolean or added to the scores; by default a token sees the slots up to
    its own.
    """

    def __init__(self, config, embed_tokens=None):
        super().__init__(config)
        self.embed_tokens = embed_tokens or nn.Embedding(config.vocab_size, config.d_model)
        self.layers = nn.ModuleList(MuDecoderLayer(config, i) for i in range(config.n_decoder_layer))
        self.norm = MuRMSNorm(config.d_model, config.norm_eps)
        self.post_init()

    def get_input_embeddings(self):
        return self.embed_tokens

    def set_input_embeddings(self, value):
        self.embed_tokens = value

    def forward(
        self,
        input_ids,
        encoder_hidden_states,
        encoder_attention_mask=None,
        attention_mask=None,
        position_id=None,
        past_key_values=None,
        cache_position=None,
        **kwargs,
    ):
        hidden_states = self.embed_tokens(input_ids)
        if cache_position is None:
            past = past_key_values.get_seq_length() if past_key_values is not None else 0
            cache_position = torch.arange(input_ids.shape[1], device=input_ids.device) + past
        if position_id is None:
            position_id = cache_position[None]
        if attention_mask is None:
            attention_mask = self.causal_mask(cache_position, past_key_values)
        angles = rotary_angles(position_id, self.config.head_dim, self.config.rope_theta, hidden_states.dtype)
        cross_mask = source_mask(encoder_attention_mask)
        for layer in self.layers:
            hidden_states = layer(
                hidden_states,
                attention_mask,
                angles,
                encoder_hidden_states,
                cross_mask,
                past_key_value=past_key_values,
                cache_position=cache_position,
            )
        return BaseModelOutputWithPastAndCrossAttentions(
            last_hidden_state=self.norm(hidden_states), past_key_values=past_key_values
        )

    @staticmethod
    def causal_mask(cache_position, past_key_values):
        """[1, 1, S, K], true where the slot is at or before the token's own."""
        slots = cache_position.shape[0]
        if past_key_values is not None:
            slots, _ = past_key_values.get_mask_sizes(slots, 0)
        return (torch.arange(slots, device=cache_position.device)[None] <= cache_position[:, None])[None, None]


class MuForConditionalGeneration(MuPreTrainedModel):
    """Encoder, decoder and a head on the shared embedding."""

    _tied_weights_keys = {
        "encoder.embed_tokens.weight": "shared.weight",
        "decoder.embed_tokens.weight": "shared.weight",
        "lm_head.weight": "shared.weight",
    }

    def __init__(self, config):
        super().__init__(config)
        self.shared = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder = MuEncoder(config, self.shared)
        self.decoder = MuDecoder(config, self.shared)
        self.lm_head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.post_init()

    def get_encoder(self, modality=None):
        return self.encoder

    def get_decoder(self):
        return self.decoder

    def get_input_embeddings(self):
        return self.shared

    def set_input_embeddings(self, value):
        self.shared = value
        self.encoder.set_input_embeddings(value)
        self.decoder.set_input_embeddings(value)

    def get_output_embeddings(self):
        return self.lm_head

    def set_output_embeddings(self, value):
        self.lm_head = value

    def forward(
        self,
        input_ids=None,
        attention_mask=None,
        decoder_input_ids=None,
        decoder_attention_mask=None,
        position_id=None,
        encoder_outputs=None,
        past_key_values=None,
        cache_position=None,
        use_cache=None,
        **kwargs,
    ):
        if encoder_outputs is None:
            encoder_outputs = self.encoder(input_ids, attention_mask)
        if past_key_values is None and (self.config.use_cache if use_cache is None else use_cache):
            past_key_values = DynamicCache()
        decoded = self.decoder(
            decoder_input_ids,
            encoder_outputs[0],
            encoder_attention_mask=attention_mask,
            attention_mask=decoder_attention_mask,
            position_id=position_id,
            past_key_values=past_key_values,
            cache_position=cache_position,
        )
        return Seq2SeqLMOutput(
            logits=self.lm_head(decoded.last_hidden_state),
            past_key_values=decoded.past_key_values,
            encoder_last_hidden_state=encoder_outputs[0],
        )
