"""What comes with a prompt besides its tokens: a source for an encoder, pictures, sound; read once, kept, and placed.

given ──the sessions that run once──▶ outputs ─┬─ whole ──▶ a decoder that attends to them
                                               └─ rows ───▶ the runs whose tokens are their places
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.outline import Port
from workflows.common.errors import PromptError, printable
from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache.cache_inputs import IDS, POSITIONS
from workflows.kvcache.geometry import SOURCE_MASK
from workflows.kvcache.grid_positions import GridPositions
from workflows.kvcache.layouts import Positions
from workflows.runtime.binding import Binding, Observer
from workflows.runtime.loading.sessions import OpenSession
from workflows.runtime.program.program import InputSource, Program, ProgramPhase

InputValue = Array | Sequence[Array]
NamedInputs = Mapping[str, InputValue]
"""By an input's name, or `session.input`; a list for a session that runs for each of them."""


class PromptInputs:
    """What one prompt has come with. kept: the outputs of the sessions that ran once, by (session, tensor)."""

    def __init__(self, program: Program, sessions: Mapping[str, OpenSession], ids: Sequence[int] = ()) -> None:
        self.kept: dict[Port, Array] = {}
        self.tokens, self.width = 0, 0  # of a source
        self._program, self._sessions = program, sessions
        self._ids = np.asarray(ids, np.int64)
        self._given: dict[str, InputValue] = {}

    # -- reading -----------------------------------------------------------------------------------------------

    def read(self, given: NamedInputs, run: Callable[[Binding], None], observer: Observer | None = None) -> None:
        """Runs every session that has something to read; `run` runs one that is bound.

        Raises PromptError for what is missing, is not asked for, or does not fit the prompt's tokens.
        """
        source = self._program.source
        if source is None:
            if given:
                raise PromptError(f"The model takes a prompt alone, and {printable(next(iter(given)))} was given.")
            return
        self._given = self._named(source, given)
        self._size(source)
        for name in source.sessions:
            if self._has_what(source, name):
                self._read(source, name, run, observer)

    def _named(self, source: ProgramPhase, given: NamedInputs) -> dict[str, InputValue]:
        """By `session.input`."""
        ports = {".".join(port): feed for port, feed in source.fed_by("given").items()}
        for key in given:
            if not any(key in (name, name.split(".", 1)[1]) for name in ports):
                raise PromptError(f"The model reads no {printable(key)}: it reads {', '.join(ports)}.")
        plain = {name: name.split(".", 1)[1] for name in ports}
        return {name: given[name] if name in given else given[plain[name]] for name in ports
                if name in given or plain[name] in given}  # fmt: skip

    def _size(self, source: ProgramPhase) -> None:
        """The length of a text source, which is padded on the right to the encoder's fixed length."""
        texts = [self._given[".".join(port)] for port, feed in source.fed_by("given").items()
                 if feed.name == IDS and ".".join(port) in self._given]  # fmt: skip
        self.tokens = np.shape(texts[0])[-1] if texts else 0
        self.width = source.columns or self.tokens

    def _has_what(self, source: ProgramPhase, name: str) -> bool:
        """Whether a session has all that it reads; False where it has nothing, and none but features come of it."""
        feeds = {port: feed for port, feed in source.feeds.items() if port[0] == name}
        known = {port: self._is_there(port, feed) for port, feed in feeds.items()}
        if all(known.values()):
            return True
        some = any(there for port, there in known.items() if feeds[port].name != SOURCE_MASK)
        if some or not self._feeds_features_alone(name):
            missing = next(port for port, there in known.items() if not there)
            raise PromptError(f"{'.'.join(missing)} is missing: the model reads it with the prompt.")
        return False

    def _is_there(self, port: Port, feed: InputSource) -> bool:
        if feed.kind == "edge":
            return feed.source in self.kept
        return ".".join(port) in self._given or (feed.name == SOURCE_MASK and self.tokens > 0)

    def _feeds_features_alone(self, name: str) -> bool:
        runs = self._program.runs.items()
        takers = [(port, feed, run) for run, one in runs for port, feed in one.feeds.items()
                  if feed.source is not None and feed.source[0] == name]  # fmt: skip
        return all(
            self._feeds_features_alone(port[0]) if run == "source" else feed.kind == "features"
            for port, feed, run in takers
        )

    def _read(self, source: ProgramPhase, name: str, run: Callable[[Binding], None], observer: Observer | None) -> None:
        """One session; where it loops, once for each of what is given, and the rows are put one after another."""
        ports = [(name, spec.name) for spec in self._sessions[name].inputs]
        fed = {port: self._fed(source.feeds[port], port) for port in ports}
        loops = name in self._program.loops
        counts = {len(value) for port, value in fed.items() if loops and source.feeds[port].kind == "given"}
        if len(counts) > 1:
            raise PromptError(f"{name} runs for each picture, and was given lists of {sorted(counts)}.")
        pieces: list[dict[Port, Array]] = []
        for i in range(counts.pop() if counts else 1):
            one = {port: value[i] if loops and source.feeds[port].kind == "given" else value
                   for port, value in fed.items()}  # fmt: skip
            arrays = {port: self._array(port, value) for port, value in one.items()}
            plain = ProgramPhase((name,), {port: InputSource("given") for port in ports})
            bound = Binding(plain, self._sessions, {}, arrays, self._program.taken, observer)
            run(bound)
            pieces.append(bound.outputs)
        for port in pieces[0] if pieces else ():
            self.kept[port] = pieces[0][port] if len(pieces) == 1 else _joined([piece[port] for piece in pieces])

    def _fed(self, feed: InputSource, port: Port) -> InputValue:
        if feed.source is not None:
            return self.kept[feed.source]
        name = ".".join(port)
        if name in self._given:
            return self._padded(self._given[name]) if feed.name == IDS else self._given[name]
        return self.mask(self._spec(port))

    def _spec(self, port: Port) -> TensorSpec:
        return next(spec for spec in self._sessions[port[0]].inputs if spec.name == port[1])

    def _padded(self, ids: InputValue) -> Array:
        row = np.zeros((1, self.width), np.int64)
        row[0, : self.tokens] = np.asarray(ids).reshape(-1)
        return row

    def _array(self, port: Port, value: InputValue) -> Array:
        """In the input's own type. Raises PromptError for one whose shape does not fit."""
        spec = self._spec(port)
        array = np.asarray(value)
        fits = array.ndim == len(spec.shape) and all(
            isinstance(axis, str) or axis == size for axis, size in zip(spec.shape, array.shape, strict=True)
        )
        if not fits:
            wanted = ", ".join(map(str, spec.shape))
            raise PromptError(f"{'.'.join(port)} is [{wanted}], and {list(array.shape)} was given.")
        return np.ascontiguousarray(array, spec.numpy_dtype)

    def mask(self, spec: TensorSpec) -> Array:
        """Which columns of the source are tokens: [1, 1, 1, width] to be added, or [1, width] of ones and zeros.

        Raises PromptError where no text was read, whose columns it could tell of.
        """
        if not self.tokens:
            raise PromptError(f"{spec.name} says which tokens of a source are there, and no source was given.")
        if len(spec.shape) == 2:
            return (np.arange(self.width)[None] < self.tokens).astype(spec.numpy_dtype)
        mask = np.full((1, 1, 1, self.width), spec.lowest, spec.numpy_dtype)
        mask[..., : self.tokens] = 0
        return mask

    # -- placing -----------------------------------------------------------------------------------------------

    def arrays(self, run: ProgramPhase, start: int, tokens: Sequence[int]) -> dict[Port, Array]:
        """What a run of `tokens` at position `start` is fed of it: what was kept, masks, and the rows of its places."""
        found = dict(self.kept)
        for port in run.fed_by("given"):
            found[port] = self.mask(self._spec(port))
        for port, feed in run.features.items():
            found[port] = self._rows(port, feed, start, tokens)
        return found

    def moving(self, run: ProgramPhase, start: int, tokens: Sequence[int]) -> bool:
        """Whether a run of these tokens is fed rows that no other is."""
        return any(self._place(feed) in tokens for feed in run.features.values())

    def check_places(self) -> None:
        """Raises PromptError where the prompt has more places, or fewer, than there are features."""
        for port, feed in self._placed.items():
            places, rows = self._before(feed, len(self._ids)), len(self._features(port, feed))
            if places != rows:
                raise PromptError(
                    f"The prompt has {places:,} places for {feed.name} features (token {self._place(feed)}), and what "
                    f"was given has {rows:,}: one place a feature."
                )

    def positions(self) -> Callable[[Positions], NDArray[np.int64]] | None:
        """What stands for positions where the graphs take three numbers a token; None where they take one."""
        program = self._program
        spec = program.drivers.get(POSITIONS)
        if spec is None or len(spec.shape) != 3:
            return None
        grids = self._grids()
        if grids is None or not self._placed:
            return lambda positions: np.broadcast_to(positions, (3, len(positions)))
        port, feed = min(self._placed.items(), key=lambda one: one[1].name == "audio")  # grids are of what is seen
        return GridPositions(self._ids.tolist(), self._place(feed), grids, len(self._features(port, feed)))

    @property
    def _placed(self) -> dict[Port, InputSource]:
        return {**self._program.prefill.features, **self._program.decode.features}

    def _grids(self) -> NDArray[np.int64] | None:
        found = [value for name, value in self._given.items() if name.split(".", 1)[1] == self._program.grid]
        return np.concatenate([np.asarray(one).reshape(-1, 3) for one in found[0]]).astype(np.int64) if found else None

    def _place(self, feed: InputSource) -> int:
        return (self._program.places or {})[feed.name]  # type: ignore[index]

    def _before(self, feed: InputSource, end: int) -> int:
        return int(np.count_nonzero(self._ids[:end] == self._place(feed)))

    def _features(self, port: Port, feed: InputSource) -> Array:
        """All rows, [rows, D]; none where nothing was given."""
        assert feed.source is not None
        found = self.kept.get(feed.source)
        if found is not None:
            return found.reshape(-1, found.shape[-1])
        spec = self._spec(port)
        size = spec.shape[-1]
        return np.zeros((0, size if isinstance(size, int) else 0), spec.numpy_dtype)

    def _rows(self, port: Port, feed: InputSource, start: int, tokens: Sequence[int]) -> Array:
        """The rows whose places are among the tokens, [k, D] or [1, k, D]."""
        first, last = self._before(feed, start), self._before(feed, start + len(tokens))
        wanted = int(np.count_nonzero(np.asarray(tokens) == self._place(feed)))
        if last - first != wanted:
            raise PromptError(
                f"The token {self._place(feed)} is a place for {feed.name} features, and none are left for it."
            )
        rows = np.ascontiguousarray(self._features(port, feed)[first:last])
        return rows if len(self._spec(port).shape) == 2 else rows[None]


def check_source(tokens: int, run: ProgramPhase | None, limit: int | None) -> None:
    """Raises PromptError for a source of more tokens than what reads it takes. limit: the model's own, besides."""
    width = run.columns if run else None
    most = min((one for one in (width, limit) if one), default=tokens)
    if tokens <= most:
        return
    remedy = f"shorten it or build with source_length={tokens} or more" if width else "shorten it"
    raise PromptError(f"The source has {tokens:,} tokens and the encoder reads {most:,} at most: {remedy}.")


def _joined(pieces: Sequence[Array]) -> Array:
    """The rows of several runs: along the first axis, or the second where the first is a batch of one."""
    return np.concatenate(pieces, axis=1 if pieces[0].ndim > 2 and all(one.shape[0] == 1 for one in pieces) else 0)
