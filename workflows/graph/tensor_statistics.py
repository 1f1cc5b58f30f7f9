"""Statistics of one initializer: extremes, mean, standard deviation and a histogram, read in blocks of constant memory.

TensorProto ──blocks──▶ float64 ──one pass──▶ min, max, mean, std … ──another──▶ histogram
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass

import numpy as np
import onnx
import onnx_ir as ir
from numpy.typing import NDArray

from workflows.common.errors import GraphError, RequestError, printable
from workflows.graph.dtypes import byte_count, dtype_name, element_count
from workflows.graph.external_data import check_location, external_location
from workflows.graph.load import GraphFile
from workflows.graph.subgraphs import all_graphs
from workflows.wire.reports.graphs import TensorReport, ValueHistogram

BINS, HEAD = 64, 16
_BLOCK = 1 << 20  # elements; a multiple of what one byte can hold
_PACKED = {"int4", "uint4", "int2", "uint2", "float4e2m1"}
_REFUSED = {"complex64", "complex128", "float6e2m3", "float6e3m2", "unknown"}
BlockReader = Callable[[], Iterator[NDArray[np.float64]]]


def describe_tensor(file: GraphFile, name: str) -> TensorReport:
    """Computes the statistics of the initializer `name`; the figures and the histogram are None without finite values.

    Raises RequestError if there is no such initializer, GraphError if its values cannot be read.
    """
    tensor = _find(file, name)
    shape, blocks = list(tensor.dims), _blocks(file, tensor)
    statistics = _statistics(blocks)
    if statistics.count != element_count(shape):
        raise GraphError(
            f"{printable(name)} holds {statistics.count:,} elements where its shape says {element_count(shape):,}: "
            "get the model anew."
        )
    return TensorReport(
        name=name,
        dtype=dtype_name(tensor.data_type),
        shape=shape,
        bytes=byte_count(tensor.data_type, tensor.dims),
        **asdict(statistics),
        histogram=_histogram(blocks, statistics.min, statistics.max),
        head=[_number(value) for value in next(blocks(), np.zeros(0))[:HEAD]],
    )


def describe_array(name: str, array: NDArray[np.generic]) -> TensorReport:
    """Computes the same of an array of numbers in memory. Raises GraphError for one of texts or complex numbers."""
    if array.dtype.kind not in "biuf":
        raise GraphError(f"{printable(name)} holds {array.dtype}, of which no statistics are made.")
    flat = array.reshape(-1)

    def blocks() -> Iterator[NDArray[np.float64]]:
        return (flat[at : at + _BLOCK].astype(np.float64) for at in range(0, flat.size, _BLOCK))

    statistics = _statistics(blocks)
    return TensorReport(
        name=name,
        dtype=str(array.dtype),
        shape=list(array.shape),
        bytes=array.nbytes,
        **asdict(statistics),
        histogram=_histogram(blocks, statistics.min, statistics.max),
        head=[_number(value) for value in flat[:HEAD].astype(np.float64)],
    )


def _find(file: GraphFile, name: str) -> onnx.TensorProto:
    for graph in all_graphs(file.proto.graph):
        for tensor in graph.initializer:
            if tensor.name == name:
                return tensor
        for sparse in graph.sparse_initializer:
            if sparse.values.name == name:
                raise GraphError(
                    f"{printable(name)} is sparse: {element_count(sparse.values.dims):,} of "
                    f"{element_count(sparse.dims):,} elements are stored, and no statistics are made of them."
                )
    raise RequestError(f"{printable(file.name)} has no initializer {printable(name)}.")


def _blocks(file: GraphFile, tensor: onnx.TensorProto) -> BlockReader:
    """Returns a function that yields the values in float64 blocks. Raises GraphError as describe_tensor does."""
    dtype, name = dtype_name(tensor.data_type), printable(tensor.name)
    if tensor.data_type == onnx.TensorProto.STRING:
        raise GraphError(f"{name} contains strings, which have no statistics.")
    if dtype in _REFUSED:
        raise GraphError(f"{name} is of the type {dtype}, of which no statistics are made.")
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        return _external_blocks(file, tensor)
    if tensor.HasField("raw_data"):
        raw = tensor.raw_data
        return lambda: _decoded((raw[at : at + size] for at, size in _spans(len(raw), tensor)), tensor)
    try:
        values = onnx.numpy_helper.to_array(tensor).astype(np.float64).reshape(-1)
    except (ValueError, TypeError) as error:
        raise GraphError(f"{name} holds other elements than its shape says ({printable(error)}).") from None
    return lambda: iter([values])


def _external_blocks(file: GraphFile, tensor: onnx.TensorProto) -> BlockReader:
    place, name = external_location(tensor), printable(tensor.name)
    if not place.location:
        raise GraphError(
            f"The values of {name} at this stage are not kept: a later pass replaced them, and the bundle holds the "
            "weights of the final graph."
        )
    path = check_location(file.folder, place.location, printable(file.name))
    wanted = byte_count(tensor.data_type, tensor.dims)
    if not path.is_file():
        raise GraphError(f"The values of {name} are in {printable(place.location)}, which is not there.")
    if place.offset < 0 or place.offset + wanted > path.stat().st_size:
        raise GraphError(f"{printable(place.location)} is cut short: {name} ends beyond its last byte.")

    def read() -> Iterator[NDArray[np.float64]]:
        with path.open("rb") as opened:
            opened.seek(place.offset)
            yield from _decoded((opened.read(size) for _, size in _spans(wanted, tensor)), tensor)

    return read


def _decoded(chunks: Iterable[bytes], tensor: onnx.TensorProto) -> Iterator[NDArray[np.float64]]:
    """Decodes the chunks; the padding in the last byte of a packed type is dropped."""
    remaining, packed = element_count(tensor.dims), dtype_name(tensor.data_type) in _PACKED
    for chunk in chunks:
        values = _decode(chunk, tensor.data_type)
        values = values[:remaining] if packed and len(values) - remaining < 8 else values
        remaining -= len(values)
        yield values


def _spans(total: int, tensor: onnx.TensorProto) -> Iterator[tuple[int, int]]:
    """Yields (offset, bytes) of each block."""
    step = _BLOCK * ir.DataType(tensor.data_type).bitwidth // 8
    return ((at, min(step, total - at)) for at in range(0, total, step))


def _decode(raw: bytes, code: int) -> NDArray[np.float64]:
    """Decodes bytes as ONNX stores them, low bits first."""
    kind = ir.DataType(code)
    if dtype_name(code) not in _PACKED:
        whole = len(raw) - len(raw) % int(kind.itemsize)
        numbers: NDArray[np.float64] = np.frombuffer(raw[:whole], kind.numpy()).astype(np.float64)
        return numbers
    bits = kind.bitwidth
    packed = np.frombuffer(raw, np.uint8)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    values = ((packed[:, None] >> shifts) & ((1 << bits) - 1)).astype(np.uint8).reshape(-1)
    if dtype_name(code).startswith("int"):
        values = ((values ^ (1 << (bits - 1))).astype(np.int8) - (1 << (bits - 1))).astype(np.int8)
    elif kind.is_floating_point():
        values = values.view(kind.numpy())
    decoded: NDArray[np.float64] = values.astype(np.float64)
    return decoded


@dataclass(frozen=True)
class _Statistics:
    """Counts, and the figures of the finite values: None without any."""

    count: int
    zeros: int
    nan: int
    inf: int
    min: float | None
    max: float | None
    mean: float | None
    std: float | None


def _statistics(blocks: BlockReader) -> _Statistics:
    """Computes counts, extremes, mean and population standard deviation."""
    count = zeros = nan = inf = finite = 0
    low, high, mean, squares = math.inf, -math.inf, 0.0, 0.0
    for block in blocks():
        count, zeros = count + block.size, zeros + int(np.count_nonzero(block == 0))
        nan, inf = nan + int(np.isnan(block).sum()), inf + int(np.isinf(block).sum())
        good = block[np.isfinite(block)]
        if not good.size:
            continue
        low, high = min(low, float(good.min())), max(high, float(good.max()))
        # Chan, Golub, LeVeque: Updating formulae for computing sample variances (1979)
        share, step = good.size / (finite + good.size), float(good.mean()) - mean
        squares += float(np.square(good - good.mean()).sum()) + step * step * finite * share
        mean, finite = mean + step * share, finite + good.size
    if not finite:
        low = high = mean = math.nan
    spread = math.sqrt(squares / finite) if finite else math.nan
    return _Statistics(count, zeros, nan, inf, *(_number(value) for value in (low, high, mean, spread)))


def _histogram(blocks: BlockReader, low: float | None, high: float | None) -> ValueHistogram | None:
    if low is None or high is None:
        return None
    edges = (low - 0.5, high + 0.5) if low == high else (low, high)
    if not math.isfinite(edges[1] - edges[0]) or not (np.diff(np.linspace(*edges, BINS + 1)) > 0).all():
        return None  # a range beyond float64, or of neighbours in it, cannot be divided
    counts = np.zeros(BINS, np.int64)
    for block in blocks():
        good = block[np.isfinite(block)].astype(np.float64)  # neighbours in float32 can be divided in it
        counts += np.histogram(good, BINS, edges)[0]
    return ValueHistogram(edges[0], edges[1], counts.tolist())


def _number(value: float) -> float | None:
    """Replaces a value that is not finite by None, because JSON has none."""
    return float(value) if math.isfinite(value) else None
