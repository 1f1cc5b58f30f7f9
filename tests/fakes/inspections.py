"""What an inspection finds and what a cache looks like, as the worker says it."""

from __future__ import annotations

from dataclasses import replace

from workflows.wire.events import GroupView
from workflows.wire.reports.composite import CompositeTensor, LayerGroup
from workflows.wire.reports.inspection import (
    BuiltPass,
    BuiltStage,
    ComponentReport,
    InspectReport,
    KVGroupReport,
    PassRefusal,
    TensorFacts,
)

DECODE = ComponentReport(
    name="decode",
    file="decode.onnx",
    role="decoder",
    inputs=[TensorFacts("input_ids", [1, "tokens"], "int64")],
    outputs=[TensorFacts("logits", [1, "tokens", 512], "float32")],
    op_counts={"MatMul": 29, "Add": 11},
    opset={"ai.onnx": 23},
    bytes=2048,
)
PREFILL = ComponentReport("prefill", "prefill.onnx", "prefill", [], [], {"Gather": 1}, {"ai.onnx": 23}, 10)
KV = KVGroupReport(
    group="all",
    layout="static",
    layers=[0, 1, 2, 3],
    capacity=256,
    window=None,
    shape=[1, 2, "slots", 32],
    dtype="float32",
    bytes=524_288,
    bytes_per_token=2048,
    writer="host",
)
STATES = [
    LayerGroup(
        (4, 5),
        (CompositeTensor("conv", (1, 64, 3), "float32"), CompositeTensor("recurrent", (1, 2, 16, 16), "float32")),
    )
]
FIXED = KVGroupReport(
    group="state",
    layout="state",
    layers=[4, 5],
    capacity=None,
    window=None,
    shape=[1, 64, 3],
    dtype="float32",
    bytes=5632,
    bytes_per_token=0,
    writer="host",
    states=STATES,
)
FUSED = BuiltPass(
    name="fuse-rotary",
    modified=True,
    nodes_before=50,
    nodes_after=40,
    refused=[PassRefusal("two consumers", "/model/Add_3")],
    seconds=0.2,
    title="Fuse rotary positions",
    bytes=2048,
)
BUNDLE = InspectReport(
    model_type="qwen3",
    task="text-generation",
    family="qwen3",
    route="prefill-decode",
    components=[DECODE],
    kv=[KV],
    stages=[BuiltStage("optimize", "decode", [FUSED], 40, 2048, 0.5)],
    name="demo",
    path="/b/demo",
    precision="",
    layout="",
    capacity=256,
    chunk=None,
    bytes=0,
    metadata={"producer": "joinery"},
)


def single(component: ComponentReport) -> InspectReport:
    """What an .onnx file alone is."""
    return InspectReport(
        model_type="",
        task="",
        family="",
        route="single",
        components=[component],
        kv=[],
        stages=[],
        name=component.name,
        path=component.file,
        precision="",
        layout="",
        capacity=None,
        chunk=None,
        bytes=component.bytes,
        metadata={},
    )


def group(
    layout: str = "static",
    runs: list[tuple[int, int, int]] | None = None,
    *,
    length: int = 0,
    capacity: int = 8,
    allocated: int | None = None,
    evicted: int = 0,
    window: int | None = None,
    layers: list[int] | None = None,
    rewindable: list[tuple[int, int]] | None = None,
    slides: bool = False,
    writer: str = "host",
) -> GroupView:
    """A group of a CacheEvent; a slot of one layer takes 512 bytes."""
    own = [0, 1, 2, 3] if layers is None else layers
    slots = capacity if allocated is None else allocated
    return GroupView(
        name="all",
        layout=layout,
        layers=own,
        capacity=capacity,
        allocated=slots,
        window=window,
        shape=[1, 2, slots, 32],
        dtype="float32",
        bytes=512 * len(own) * slots,
        writer=writer,
        length=length,
        evicted=evicted,
        runs=runs or [],
        rewindable=rewindable or [],
        slides=slides,
    )


def state_group(length: int = 0, rewindable: list[tuple[int, int]] | None = None) -> GroupView:
    """The group of a CacheEvent that has state of fixed size, of the layers of FIXED."""
    return replace(
        group("state", length=length, capacity=0, layers=FIXED.layers, rewindable=rewindable),
        name="state",
        shape=FIXED.shape,
        bytes=5632,
        states=STATES,
    )
