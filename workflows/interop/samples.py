"""Programs that run a bundle without Joinery, in Python, C# and C++ with plain onnxruntime, and of curl for the server.

bundle ──check_graphs──▶ Program ──_facts──▶ names, shapes, tags ──pages of resources/samples──▶ files

A line of a page that ends in `#? tag` or `//? tag` belongs to bundles with that tag alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template

from workflows.bundle import Bundle, read_bundle
from workflows.common import tensor_names
from workflows.common.errors import RequestError
from workflows.generate.chat_template import ChatTemplate
from workflows.inspection.contents import check_graphs
from workflows.kvcache.geometry import StateTensor
from workflows.runtime.program.program import Program

_TAG = re.compile(r" *(?:#|//)\? (\w+)$")
_PAGES = {
    "generate.py": "onnxruntime.py.txt", "generate.cpp": "onnxruntime.cpp.txt", "Generate.cs": "onnxruntime.cs.txt",
    "serve.sh": "serve.sh.txt",
}  # fmt: skip
_IN_FLOATS = ("generate.cpp", "Generate.cs")
_DRIVERS = (
    tensor_names.IDS, tensor_names.POSITIONS, tensor_names.SEQLENS, tensor_names.TOTAL_LENGTH,
    tensor_names.WRITE_INDICES, tensor_names.VALID_LENGTH,
)  # fmt: skip
_TYPES = ("float32", "float16")


@dataclass(frozen=True)
class WrittenSamples:
    """files: those that were written. reasons: by file, why another one was not."""

    files: tuple[Path, ...]
    reasons: Mapping[str, str]


def write_samples(folder: Path, out: Path) -> WrittenSamples:
    """Writes the samples of the bundle in `folder` to the folder `out`; files of these names are replaced.

    Raises RequestError for a bundle that the samples do not fit, with the reason.
    """
    bundle = read_bundle(folder)
    program = check_graphs(bundle)
    if program is None:
        raise RequestError(f"{bundle.where} has no KV cache, and the samples generate text.")
    for reason in _reasons(program):
        raise RequestError(f"{bundle.where} has no samples: {reason}.")
    facts, tags = _facts(bundle, program), _tags(bundle, program)
    other = next((facts[kind] for kind in ("cache_type", "mask_type", "logits_type") if facts[kind] != "float32"), None)
    reasons = dict.fromkeys(_IN_FLOATS, f"it has float32 alone, and the bundle has {other}") if other else {}
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for name, page in _PAGES.items():
        if name not in reasons:
            text = (resources.files("resources") / "samples" / page).read_text("utf-8")
            own = facts | _LANGUAGES[name](bundle, program)
            (out / name).write_text(Template(_selected(text, tags)).substitute(own), "utf-8")
            written.append(out / name)
    return WrittenSamples(tuple(written), reasons)


def _selected(text: str, tags: Set[str]) -> str:
    """The page's lines without a tag, and those with one of `tags`, without it."""
    found = ((line, _TAG.search(line)) for line in text.split("\n"))
    return "\n".join(
        line if tag is None else line[: tag.start()] for line, tag in found if tag is None or tag.group(1) in tags
    )


def _reasons(program: Program) -> Iterator[str]:
    """Why the samples cannot run the program."""
    if program.source is not None or program.final is not None or len(program.prefill.sessions) > 1:
        yield "they run one graph that reads tokens and gives logits, and this bundle has several"
    if program.prefill.sessions != program.decode.sessions or program.prefill.columns is not None:
        yield "they read prompts and reply tokens with one graph of any length"
    if program.all_carried:
        yield f"they keep keys and values alone, and the bundle has the state {program.all_carried[0].past}"
    for (_, name), feed in program.prefill.feeds.items():
        is_mask = name in _windows(program)
        if feed.kind == "driver" and not is_mask and name not in _DRIVERS:
            yield f"they do not make its input {name}"
        if feed.kind not in ("driver", "state"):
            yield f"its input {name} comes from elsewhere than the prompt ({feed.kind})"
    facts = program.facts
    if facts.joins == "slide" or facts.right_aligned or facts.mutual or any(group.chunked for group in facts.groups):
        yield "its cache or its attention has a form that they do not make"
    if program.state[0].gives == "rows" and not _windows(program):
        yield "they mask the cache's free slots, and its graph takes no mask"
    for tensor in program.state:
        if tensor.role == "both" or tensor.gives == "joined" or tensor.dtype not in _TYPES:
            yield f"its cache tensor {tensor.past} is {tensor.dtype} and gives {tensor.gives}, which they do not keep"


def _windows(program: Program) -> dict[str, int | None]:
    """Mask input → how many tokens a token sees; None for all before it."""
    inputs = {name for _, name in program.prefill.feeds}
    return {group.mask: group.window for group in program.facts.groups if group.mask in inputs}


def _tags(bundle: Bundle, program: Program) -> set[str]:
    """What the pages' lines are chosen by."""
    tags = {name for _, name in program.prefill.feeds} | {program.state[0].gives}
    if _windows(program):
        tags |= {"mask"} | ({"masked_buffer"} if program.state[0].gives == "buffer" else set())
    return tags | ({"chat"} if ChatTemplate.of_bundle(bundle) is not None else set())


def _facts(bundle: Bundle, program: Program) -> dict[str, str]:
    """What all pages state."""
    assert program.prefill.logits is not None  # of a program that generates
    (session, logits), spec = program.prefill.logits
    pipeline = bundle.pipeline
    masks = [program.drivers[name] for name in _windows(program) if name in program.drivers]
    return {
        "name": "".join(one if one.isalnum() or one in "-._" else "_" for one in bundle.folder.resolve().name)[:80],
        "file": pipeline.pipeline.sessions[session].file,
        "capacity": str(_capacity(bundle, program)),
        "chunk": str(min(pipeline.metadata.chunk or 1, _capacity(bundle, program))),
        "ends": ", ".join(map(str, pipeline.tokens.eos)),
        "logits": logits,
        "logits_type": spec.dtype,
        "cache_type": program.state[0].dtype,
        "mask_type": masks[0].dtype if masks else "float32",
    }


def _capacity(bundle: Bundle, program: Program) -> int:
    """Slots of the samples' cache: the graph's own where they are fixed."""
    fixed = program.state[0].capacity
    known = [one for one in (bundle.pipeline.capacity, program.facts.positions) if one]
    return fixed if fixed is not None else min(known, default=tensor_names.DEFAULT_CAPACITY)


def _in_language(bundle: Bundle, program: Program, tensor: str, brackets: str, mask: str, none: str) -> dict[str, str]:
    def line(one: StateTensor) -> str:
        axes = ", ".join(map(str, one.sized(_capacity(bundle, program))))
        return tensor.format(past=one.past, present=one.present, shape=brackets.format(axes))

    windows = _windows(program).items()
    return {
        "tensors": "\n".join(map(line, program.state)),
        "masks": ", ".join(mask.format(name=name, window=none if size is None else size) for name, size in windows),
    }


def _python(bundle: Bundle, program: Program) -> dict[str, str]:
    return _in_language(bundle, program, '    ("{past}", "{present}", {shape}),', "({})", '"{name}": {window}', "None")


def _cpp(bundle: Bundle, program: Program) -> dict[str, str]:
    return _in_language(
        bundle, program, '    {{"{past}", "{present}", {shape}}},', "{{{}}}", '{{"{name}", {window}}}', "0"
    )


def _csharp(bundle: Bundle, program: Program) -> dict[str, str]:
    return _in_language(
        bundle, program, '        ("{past}", "{present}", {shape}),', "new long[] {{ {} }}", '("{name}", {window})', "0"
    )


_LANGUAGES: Mapping[str, Callable[[Bundle, Program], dict[str, str]]] = {
    "generate.py": _python, "generate.cpp": _cpp, "Generate.cs": _csharp, "serve.sh": _python,
}  # fmt: skip
