"""llama.cpp by its C interface: the shared libraries of an npm package, found in JOINERY_LLAMA.

Structures that the library takes by value are opaque here: its own defaults, with the few fields set whose place is
checked against those defaults.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from lines import THREADS, Peer, serve
from numpy.typing import NDArray

LIBRARIES = Path(os.environ["JOINERY_LLAMA"])
_N_CTX, _N_BATCH, _N_UBATCH = 0, 4, 8  # offsets in llama_context_params; its defaults are 512, 2,048 and 512


class Opaque(ctypes.Structure):
    """At least as long as any structure of parameters: by value, what is behind its end is never looked at."""

    _fields_ = (("data", ctypes.c_uint8 * 1024),)

    def put(self, offset: int, value: int, expected: int) -> None:
        """Sets a 32-bit field. Raises ValueError where the default is another than expected: the layout changed."""
        found = struct.unpack_from("<i", self.data, offset)[0]
        if found != expected:
            raise ValueError(f"llama.cpp's parameters have {found} at byte {offset}, {expected} was expected.")
        struct.pack_into("<i", self.data, offset, value)


class Batch(ctypes.Structure):
    """llama_batch."""

    _fields_ = (("count", ctypes.c_int32), ("arrays", ctypes.c_void_p * 6))


def load() -> ctypes.CDLL:
    """The library, with the processor's best kernels."""
    names = ("libggml-base.so", "libggml.v*.so", "libllama.v*.so")
    _, ggml, llama = (ctypes.CDLL(str(next(LIBRARIES.glob(name))), ctypes.RTLD_GLOBAL) for name in names)
    ggml.ggml_backend_load_all_from_path.argtypes = [ctypes.c_char_p]
    ggml.ggml_backend_load_all_from_path(str(LIBRARIES).encode())
    pointer, number = ctypes.c_void_p, ctypes.c_int32
    for name, result, arguments in (
        ("llama_model_default_params", Opaque, []),
        ("llama_context_default_params", Opaque, []),
        ("llama_model_quantize_default_params", Opaque, []),
        ("llama_model_quantize", ctypes.c_uint32, [ctypes.c_char_p, ctypes.c_char_p, pointer]),
        ("llama_model_load_from_file", pointer, [ctypes.c_char_p, Opaque]),
        ("llama_model_get_vocab", pointer, [pointer]),
        ("llama_vocab_n_tokens", number, [pointer]),
        ("llama_token_to_piece", number, [pointer, number, ctypes.c_char_p, number, number, ctypes.c_bool]),
        ("llama_init_from_model", pointer, [pointer, Opaque]),
        ("llama_set_n_threads", None, [pointer, number, number]),
        ("llama_get_memory", pointer, [pointer]),
        ("llama_memory_clear", None, [pointer, ctypes.c_bool]),
        ("llama_batch_get_one", Batch, [pointer, number]),
        ("llama_decode", number, [pointer, Batch]),
        ("llama_get_logits_ith", ctypes.POINTER(ctypes.c_float), [pointer, number]),
    ):
        function = getattr(llama, name)
        function.restype, function.argtypes = result, arguments
    return llama


def release() -> str:
    """The release that the libraries were built of."""
    noted = json.loads((LIBRARIES / "_nlcBuildMetadata.json").read_text())
    return str(noted["buildOptions"]["llamaCpp"]["release"])


class LlamaCpp(Peer):
    """A GGUF file."""

    versions: ClassVar = {"llama.cpp": release()}

    def open(self, folder: str, capacity: int) -> None:
        self._lib = load()
        file = next(Path(folder).glob("*.gguf"))
        model = self._lib.llama_model_load_from_file(str(file).encode(), self._lib.llama_model_default_params())
        if not model:
            raise OSError(f"llama.cpp does not load {file.name}; its reason is in the log.")
        self._vocabulary = self._lib.llama_model_get_vocab(model)
        self._size = self._lib.llama_vocab_n_tokens(self._vocabulary)
        asked = self._lib.llama_context_default_params()
        asked.put(_N_CTX, capacity, 512)
        asked.put(_N_BATCH, 2048, 2048)
        asked.put(_N_UBATCH, 512, 512)
        self._context = self._lib.llama_init_from_model(model, asked)
        self._lib.llama_set_n_threads(self._context, THREADS, THREADS)
        self._memory = self._lib.llama_get_memory(self._context)
        self._piece = ctypes.create_string_buffer(64)

    def begin(self, ids: Sequence[int], ends: bool) -> int:
        self._lib.llama_memory_clear(self._memory, False)
        return self._choose(self._feed(ids))

    def step(self) -> int:
        return self._choose(self._feed([self._token]))

    def rows(self, prompt: Sequence[int], following: Sequence[int]) -> list[NDArray[np.float32]]:
        self._lib.llama_memory_clear(self._memory, True)
        return [self._feed(fed).copy() for fed in (prompt, *([token] for token in following))]

    def _choose(self, logits: NDArray[np.float32]) -> int:
        self._token = int(logits.argmax())
        self._lib.llama_token_to_piece(self._vocabulary, self._token, self._piece, 64, 0, True)
        return self._token

    def _feed(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """The logits [V] after the last of `ids`, in the library's memory. Raises OSError where it fails."""
        for at in range(0, len(ids), 2048):
            part = np.asarray(ids[at : at + 2048], np.int32)
            failed = self._lib.llama_decode(self._context, self._lib.llama_batch_get_one(part.ctypes.data, len(part)))
            if failed:
                raise OSError(f"llama_decode gave {failed} for {len(part)} tokens.")
        return np.ctypeslib.as_array(self._lib.llama_get_logits_ith(self._context, -1), (self._size,))


if __name__ == "__main__":
    serve(LlamaCpp())
