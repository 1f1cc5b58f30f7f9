"""Configuration of Mu, a small encoder-decoder."""

from transformers import PretrainedConfig


class MuConfig(PretrainedConfig):
    """Sizes of a Mu model; the layers are counted by `n_encoder_layer` and `n_decoder_layer`."""

    model_type = "mu2"
    is_encoder_decoder = True
    keys_to_ignore_at_inference = ["past_key_values"]

    def __init__(
        self,
        vocab_size=1024,
        d_model=96,
        d_ff=256,
        n_encoder_layer=3,
        n_decoder_layer=1,
        n_head=3,
        n_kv_head=1,
        head_dim=32,
        n_positions=512,
        rope_theta=10000.0,
        norm_eps=1e-6,
        init_std=0.06,
        use_cache=True,
        tie_word_embeddings=True,
        pad_token_id=0,
        bos_token_id=None,
        eos_token_id=1,
        decoder_start_token_id=0,
        is_encoder_decoder=True,
        **kwargs,
    ):
        if n_head % n_kv_head:
            raise ValueError(f"n_head ({n_head}) must be a multiple of n_kv_head ({n_kv_head})")
        self.vocab_size = vocab_size
        self.d_model = d_model
        self.d_ff = d_ff
        self.n_encoder_layer = n_encoder_layer
        self.n_decoder_layer = n_decoder_layer
        self.n_head = n_head
        self.n_kv_head = n_kv_head
        self.head_dim = head_dim
        self.n_positions = n_positions
        self.rope_theta = rope_theta
        self.norm_eps = norm_eps
        self.init_std = init_std
        self.use_cache = use_cache
        # The ids of the special tokens are the parent's business: it sets to None what it is not given.
        super().__init__(
            pad_token_id=pad_token_id,
            bos_token_id=bos_token_id,
            eos_token_id=eos_token_id,
            decoder_start_token_id=decoder_start_token_id,
            is_encoder_decoder=is_encoder_decoder,
            tie_word_embeddings=tie_word_embeddings,
            **kwargs,
        )
