"""What one prompt feeds to the runs of its tokens besides these: encoder outputs, source masks, and feature rows.

given (a source text, pictures, sound), by session.input ──SourceReader runs its sessions once──▶ outputs
outputs ─┬─ whole ──▶ a decoder that attends to them
         └─ rows ───▶ the runs whose tokens are their placeholders
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from workflows.bundle.outline import Port
from workflows.common.errors import PromptError, printable
from workflows.common.tensors import Array, TensorSpec
from workflows.kvcache import PositionMap
from workflows.kvcache.cache_inputs import IDS, POSITIONS
from workflows.kvcache.geometry import SOURCE_MASK
from workflows.kvcache.grid_positions import GridPositions
from workflows.kvcache.layouts import Positions
from workflows.kvcache.token_blocks import Mutual, TokenBlocks
from workflows.runtime.execution.binding import Binding, Observer
from workflows.runtime.execution.run_control import RunControl
from workflows.runtime.loading.sessions import OpenSession
from workflows.runtime.program.program import InputSource, Program, ProgramPhase

InputValue = Array | Sequence[Array]
NamedInputs = Mapping[str, InputValue]
"""By an input's name, or `session.input`; a list of items, or an array of all, for a session that runs for each."""


class SourceReader:
    """What came with one prompt, and what the sessions that run once made of it.

    given: the inputs, by `session.input`. outputs: of the sessions that ran, by (session, tensor). tokens, width: of a
    source text, without and with padding; 0 without one.
    """

    def __init__(self, program: Program, sessions: Mapping[str, OpenSession]) -> None:
        self._program, self._sessions = program, sessions
        self.given: dict[str, InputValue] = {}
        self.outputs: dict[Port, Array] = {}
        self.tokens, self.width = 0, 0

    def read(self, inputs: NamedInputs, control: RunControl, observer: Observer | None = None) -> None:
        """Runs every session that has inputs. Raises PromptError for missing, unknown, and misshapen inputs."""
        source = self._program.source
        if source is None:
            if inputs:
                raise PromptError(f"The model takes a prompt alone, and {printable(next(iter(inputs)))} was given.")
            return
        self.given = self._by_session(source, inputs)
        self._set_size(source)
        for name in source.sessions:
            if self._has_inputs(source, name):
                self._run(source, name, control, observer)

    def spec(self, port: Port) -> TensorSpec:
        """The input `port`, (session, tensor)."""
        return next(spec for spec in self._sessions[port[0]].inputs if spec.name == port[1])

    def mask(self, spec: TensorSpec) -> Array:
        """Which columns of the source are tokens: [1, 1, 1, width] to be added, or [1, width] of ones and zeros.

        Raises PromptError where no source was read.
        """
        if not self.tokens:
            raise PromptError(f"{spec.name} masks the tokens of a source, and no source was given.")
        if len(spec.shape) == 2:
            return (np.arange(self.width)[None] < self.tokens).astype(spec.numpy_dtype)
        mask = np.full((1, 1, 1, self.width), spec.lowest, spec.numpy_dtype)
        mask[..., : self.tokens] = 0
        return mask

    def _by_session(self, source: ProgramPhase, given: NamedInputs) -> dict[str, InputValue]:
        """The inputs by `session.input`."""
        ports = {".".join(port): feed for port, feed in source.fed_by("given").items()}
        for key in given:
            if not any(key in (name, name.split(".", 1)[1]) for name in ports):
                raise PromptError(f"The model reads no {printable(key)}: it reads {', '.join(ports)}.")
        plain = {name: name.split(".", 1)[1] for name in ports}
        return {
            name: given[name] if name in given else given[plain[name]]
            for name in ports
            if name in given or plain[name] in given
        }

    def _set_size(self, source: ProgramPhase) -> None:
        """The length of a source text, which is padded on the right to the encoder's fixed length."""
        names = [".".join(port) for port, feed in source.fed_by("given").items() if feed.name == IDS]
        texts = [self.given[name] for name in names if name in self.given]
        self.tokens = np.shape(texts[0])[-1] if texts else 0
        self.width = source.columns or self.tokens

    def _has_inputs(self, source: ProgramPhase, name: str) -> bool:
        """Whether a session has all inputs; False for none where it gives features alone. Else raises PromptError."""
        feeds = {port: feed for port, feed in source.feeds.items() if port[0] == name}
        present = {port: self._is_present(port, feed) for port, feed in feeds.items()}
        if all(present.values()):
            return True
        some = any(there for port, there in present.items() if feeds[port].name != SOURCE_MASK)
        if some or not self._feeds_features_alone(name):
            missing = next(port for port, there in present.items() if not there)
            raise PromptError(f"{'.'.join(missing)} is missing: the model reads it with the prompt.")
        return False

    def _is_present(self, port: Port, feed: InputSource) -> bool:
        if feed.kind == "edge":
            return feed.source in self.outputs
        return ".".join(port) in self.given or (feed.name == SOURCE_MASK and self.tokens > 0)

    def _feeds_features_alone(self, name: str) -> bool:
        takers = [
            (port, feed, run)
            for run, phase in self._program.runs.items()
            for port, feed in phase.feeds.items()
            if feed.source is not None and feed.source[0] == name
        ]
        return all(
            self._feeds_features_alone(port[0]) if run == "source" else feed.kind == "features"
            for port, feed, run in takers
        )

    def _run(self, source: ProgramPhase, name: str, control: RunControl, observer: Observer | None) -> None:
        """Runs one session; a session that loops runs once for each item, and the rows are concatenated."""
        ports = [(name, spec.name) for spec in self._sessions[name].inputs]
        values = {port: self._value(source.feeds[port], port) for port in ports}
        listed = {port for port in ports if name in self._program.loops and source.feeds[port].kind == "given"}
        values |= {port: self._items(port, values[port]) for port in listed}
        counts = {len(values[port]) for port in listed}
        if len(counts) > 1:
            raise PromptError(f"{name} runs for each picture, and was given lists of {sorted(counts)}.")
        pieces: list[dict[Port, Array]] = []
        for i in range(counts.pop() if counts else 1):
            items = {port: value[i] if port in listed else value for port, value in values.items()}
            arrays = {port: self._array(port, value) for port, value in items.items()}
            plain = ProgramPhase((name,), {port: InputSource("given") for port in ports})
            bound = Binding(plain, self._sessions, {}, arrays, self._program.used_outputs, observer)
            control.run(bound, {}, "encoder")
            pieces.append(bound.outputs)
        for port in pieces[0] if pieces else ():
            rows = [piece[port] for piece in pieces]
            self.outputs[port] = rows[0] if len(rows) == 1 else _concatenated(rows)

    def _value(self, feed: InputSource, port: Port) -> InputValue:
        if feed.source is not None:
            return self.outputs[feed.source]
        name = ".".join(port)
        if name in self.given:
            return self._padded(self.given[name]) if feed.name == IDS else self.given[name]
        return self.mask(self.spec(port))

    def _items(self, port: Port, value: InputValue) -> InputValue:
        """The items of a session that loops: those of a list, or [1, …] each of an array that holds all of them."""
        if isinstance(value, np.ndarray) and value.ndim == len(self.spec(port).shape):
            return [value[i : i + 1] for i in range(len(value))]
        return value

    def _padded(self, ids: InputValue) -> Array:
        row = np.zeros((1, self.width), np.int64)
        row[0, : self.tokens] = np.asarray(ids).reshape(-1)
        return row

    def _array(self, port: Port, value: InputValue) -> Array:
        """The value in the input's type. Raises PromptError where its shape does not fit."""
        spec = self.spec(port)
        array = np.asarray(value)
        fits = array.ndim == len(spec.shape) and all(
            isinstance(axis, str) or axis == size for axis, size in zip(spec.shape, array.shape, strict=True)
        )
        if not fits:
            wanted = ", ".join(map(str, spec.shape))
            raise PromptError(f"{'.'.join(port)} is [{wanted}], and {list(array.shape)} was given.")
        return np.ascontiguousarray(array, spec.numpy_dtype)


def check_source(tokens: int, run: ProgramPhase | None, limit: int | None) -> None:
    """Raises PromptError for a source of more tokens than `run`, or the model's `limit`, allows."""
    width = run.columns if run else None
    most = min((one for one in (width, limit) if one), default=tokens)
    if tokens <= most:
        return
    remedy = f"shorten it or build with source_length={tokens} or more" if width else "shorten it"
    raise PromptError(f"The source has {tokens:,} tokens and the encoder reads {most:,} at most: {remedy}.")


def _concatenated(pieces: Sequence[Array]) -> Array:
    """The rows of several runs, along the first axis, or the second where the first is a batch of one."""
    return np.concatenate(pieces, axis=1 if pieces[0].ndim > 2 and all(one.shape[0] == 1 for one in pieces) else 0)


class PromptInputs:
    """The inputs of one prompt. ids: its tokens. source: what came with it, and the outputs of what read that."""

    def __init__(self, program: Program, sessions: Mapping[str, OpenSession], ids: Sequence[int] = ()) -> None:
        self.source = SourceReader(program, sessions)
        self._program = program
        self._ids = np.asarray(ids, np.int64)

    def arrays(self, run: ProgramPhase, start: int, tokens: Sequence[int]) -> dict[Port, Array]:
        """The inputs of a run of `tokens` at position `start`: encoder outputs, source masks, and feature rows.

        Raises PromptError where a token is a placeholder without a feature left for it.
        """
        arrays = dict(self.source.outputs)
        for port in run.fed_by("given"):
            arrays[port] = self.source.mask(self.source.spec(port))
        for port, feed in run.features.items():
            arrays[port] = self._rows(port, feed, start, tokens)
        return arrays

    def feeds_features(self, run: ProgramPhase, tokens: Sequence[int]) -> bool:
        """Whether `tokens` are placeholders of features, so that no other run has the same inputs."""
        return any(self._placeholder(feed) in tokens for feed in run.features.values())

    def check_places(self) -> None:
        """Raises PromptError where the prompt has more placeholders, or fewer, than there are feature rows."""
        for port, feed in self._feature_inputs.items():
            places, rows = self._count(feed, len(self._ids)), len(self._features(port, feed))
            if places != rows:
                raise PromptError(
                    f"The prompt has {places:,} placeholders for {feed.name} features (token "
                    f"{self._placeholder(feed)}), and there are {rows:,} feature rows: they must be as many."
                )

    def position_map(self) -> PositionMap | None:
        """The position ids of graphs that take three numbers per token; None for graphs that take one."""
        spec = self._program.drivers.get(POSITIONS)
        if spec is None or len(spec.shape) != 3:
            return None
        grids, inputs = self._grids(), self._feature_inputs
        if grids is None or not inputs:
            return _repeated
        port, feed = min(inputs.items(), key=lambda one: one[1].name == "audio")  # grids are of pictures and videos
        return GridPositions(self._ids.tolist(), self._placeholder(feed), grids, len(self._features(port, feed)))

    def blocks(self, mutual: Mutual | None) -> TokenBlocks | None:
        """The places of pictures in the prompt, or the prompt; None where no picture came with it. mutual: of which
        tokens attend to each other.
        """
        if mutual is None:
            return None
        for port, feed in self._feature_inputs.items():
            if feed.name == "image" and len(self._features(port, feed)):
                return TokenBlocks(self._ids.tolist(), self._placeholder(feed), mutual)
        return None

    @property
    def _feature_inputs(self) -> dict[Port, InputSource]:
        return {**self._program.prefill.features, **self._program.decode.features}

    def _grids(self) -> NDArray[np.int64] | None:
        given = self.source.given.items()
        values = next((value for name, value in given if name.split(".", 1)[1] == self._program.grid), None)
        if values is None:
            return None
        return np.concatenate([np.asarray(one).reshape(-1, 3) for one in values]).astype(np.int64)

    def _placeholder(self, feed: InputSource) -> int:
        return (self._program.places or {})[feed.name]  # type: ignore[index]

    def _count(self, feed: InputSource, end: int) -> int:
        """The placeholders among the first `end` tokens of the prompt."""
        return int(np.count_nonzero(self._ids[:end] == self._placeholder(feed)))

    def _features(self, port: Port, feed: InputSource) -> Array:
        """All feature rows, [rows, D]; no rows where nothing was given."""
        assert feed.source is not None
        rows = self.source.outputs.get(feed.source)
        if rows is not None:
            return rows.reshape(-1, rows.shape[-1])
        spec = self.source.spec(port)
        size = spec.shape[-1]
        return np.zeros((0, size if isinstance(size, int) else 0), spec.numpy_dtype)

    def _rows(self, port: Port, feed: InputSource, start: int, tokens: Sequence[int]) -> Array:
        """The rows of the placeholders among the tokens, [k, D] or [1, k, D]."""
        first, last = self._count(feed, start), self._count(feed, start + len(tokens))
        wanted = int(np.count_nonzero(np.asarray(tokens) == self._placeholder(feed)))
        if last - first != wanted:
            raise PromptError(
                f"The token {self._placeholder(feed)} is a placeholder for {feed.name} features, and none are left "
                "for it."
            )
        rows = np.ascontiguousarray(self._features(port, feed)[first:last])
        return rows if len(self.source.spec(port).shape) == 2 else rows[None]


def _repeated(positions: Positions) -> NDArray[np.int64]:
    """[n] positions → [3, n], the same number three times."""
    return np.broadcast_to(positions, (3, len(positions)))
