"""Small real tokenizers of every kind that language models come with, made on the spot."""

from __future__ import annotations

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = [
    "The quick brown fox doesn't jump over the lazy dog, does it? No!",
    "naïve Zürich, ça va? Ελληνικά русский 日本語のテキスト 漢字 👩‍👩‍👧 🧵",
    "def f(x):\n    return {'a': [1, 2, 3], \"b\": x ** 2}  # 3.14",
    "we 've seen that they 're late . I 'm sure , she 's not ' quoted ' !",
]
SPECIAL = ["<unk>", "<s>", "</s>"]


def byte_level() -> Tokenizer:
    """GPT-2's, Llama 3's and Qwen's kind; one special token, and one that is not and has a space in it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_special_tokens(["<|end|>"])
    tokenizer.add_tokens([AddedToken("two words", normalized=False)])
    return tokenizer


def byte_fallback(strip: bool = True) -> Tokenizer:
    """Llama 2's, Mistral's and Phi-3's kind (Gemma's without the strip): what it does not know is spelled in bytes."""
    pieces = [*SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256)), *"▁abcdefghijklmnopqrstuvwxyz,.!?'", "é", "▁▁"]
    merges = [("▁", "t"), ("▁t", "h"), ("▁th", "e"), ("o", "x"), ("▁", "▁")]
    pieces += [a + b for a, b in merges[:-1]]
    vocabulary = {piece: place for place, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    chain = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence([*chain, decoders.Strip(" ", 1, 0)] if strip else chain)
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A", "<s> $A <s> $B", [("<s>", 1)])
    return tokenizer


def unigram() -> Tokenizer:
    """T5's and XLM-R's kind."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=200, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(CORPUS * 4, trainer)
    return tokenizer


def word_piece() -> Tokenizer:
    """BERT's kind."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=250, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def word_level(decoder: decoders.Decoder | None = None, words: str = "a b</w> c</w>d | <pad> ▁the '") -> Tokenizer:
    """A word a token, under any decoder."""
    vocabulary = {word: place for place, word in enumerate(words.split())}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, "a"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if decoder is not None:
        tokenizer.decoder = decoder
    return tokenizer
