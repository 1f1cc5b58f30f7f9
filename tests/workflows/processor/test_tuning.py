"""What was timed on a processor decides its builds' format; what a person chose comes first."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from workflows.bundle.session_options import SessionOptions
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import RequestError
from workflows.processor import tuning
from workflows.processor.tuning import (
    DEFAULT_BLOCK,
    DEFAULT_SYMMETRIC,
    FILE,
    FormatTime,
    ThreadTime,
    Tuning,
    WidthTime,
    fastest_format,
    read_tunings,
    runtime_version,
    save_tunings,
    tuned_threads,
    tuned_width,
    tuning_for,
)
from workflows.recipe import resolve_recipe
from workflows.recipe.resolve import _width_in_place
from workflows.recipe.target import TARGETS
from workflows.runtime.loading import sessions
from workflows.runtime.loading.sessions import session_settings

FORMATS = [
    FormatTime(32, True, 0.0815, 9.0, 100.0),
    FormatTime(64, False, 0.0871, 10.0, 90.0),
    FormatTime(128, True, 0.0973, 7.0, 80.0),
]
WIDE, NARROW = "AMD Up 3000, 2 cores, avx2 avx512f", "AMD Up 2000, 2 cores, avx2"
HERE = Tuning(WIDE, runtime_version(), "a model", FORMATS)


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tuning, "processor_name", lambda: WIDE)


def test_the_default_is_the_targets() -> None:
    own = TARGETS["cpu"].blocks["compact"]
    assert (own["block_size"], own.get("symmetric", False)) == (DEFAULT_BLOCK, DEFAULT_SYMMETRIC)


def test_the_fastest_that_rounds_no_coarser() -> None:
    assert HERE.fastest() == FORMATS[0]
    for slower in (11.0, 9.8):  # a fiftieth is noise
        assert replace(HERE, formats=[replace(FORMATS[0], step_ms=slower), *FORMATS[1:]]).fastest() == FORMATS[1]


@pytest.mark.parametrize(("processor", "expected"), [
    (WIDE, (64, False)), (NARROW, (32, True)), ("Ap ple, 8 cores, asimddp i8mm", (64, False)),
    ("AMD64 Family 23, AuthenticAMD, 12 cores, avx2", (32, True)), ("AMD Ry, 8 cores, avx2 avx_vnni", (64, False)),
    ("In tel, 8 cores, avx2", (64, False)),
    ("AMD avx2, 2 cores, instructions unknown", (64, False)), ("", (64, False)),
])  # fmt: skip
def test_the_instructions_decide_where_nothing_was_timed(
    monkeypatch: pytest.MonkeyPatch, processor: str, expected: tuple[int, bool]
) -> None:
    """On AMD with AVX2 alone a step takes 0.87 of the target's format, and less error is made."""
    monkeypatch.setattr(tuning, "processor_name", lambda: processor)
    checkpoint = open_checkpoint("demo:qwen3")
    settings = resolve_recipe(checkpoint, {"preset": "compact"}).quantize
    assert (settings.block_size, settings.symmetric) == expected
    for options in ({"target": "webgpu"}, {"fast_prefill": True}, {"preset": "balanced"}):
        asked = {"precision": "int4", **options}
        settings = resolve_recipe(checkpoint, asked).quantize
        monkeypatch.setattr(tuning, "processor_name", lambda: WIDE)
        assert settings == resolve_recipe(checkpoint, asked).quantize  # they have blocks of their own
        monkeypatch.setattr(tuning, "processor_name", lambda: processor)
    save_tunings([replace(HERE, processor=processor, formats=[replace(FORMATS[1], step_ms=5.0), *FORMATS])])
    assert fastest_format() == {"block_size": 64, "symmetric": False}  # timed, it is the fastest


def test_a_tuned_processor_s_default_is_that_of_its_instructions() -> None:
    assert HERE.default == FORMATS[1] and replace(HERE, processor=NARROW).default == FORMATS[0]
    even = [FORMATS[0], replace(FORMATS[1], step_ms=8.9), FORMATS[2]]  # a hundredth is noise
    assert replace(HERE, processor=NARROW, formats=even).fastest() == FORMATS[0]
    faster = [FORMATS[0], replace(FORMATS[1], step_ms=8.0), FORMATS[2]]
    assert replace(HERE, processor=NARROW, formats=faster).fastest() == faster[1]


@pytest.mark.parametrize(("options", "expected"), [
    ({"preset": "compact"}, (32, True)),
    ({"preset": "compact", "quantize": {"block_size": 128}}, (128, True)),
    ({"preset": "compact", "quantize": {"block_size": 64, "symmetric": False}}, (64, False)),
    ({"precision": "int4"}, (32, False)),
    ({"preset": "compact", "target": "webgpu"}, (32, False)),
])  # fmt: skip
def test_builds_take_it_unless_someone_chose(options: dict[str, object], expected: tuple[int, bool]) -> None:
    checkpoint = open_checkpoint("demo:qwen3")
    before = resolve_recipe(checkpoint, options)
    save_tunings([HERE, replace(HERE, processor="another")])
    settings = resolve_recipe(checkpoint, options).quantize
    assert (settings.block_size, settings.symmetric) == expected
    save_tunings([replace(HERE, runtime="0.1", formats=FORMATS[1:])])  # of another version: counts for nothing
    (home,) = Path(save_tunings([])).parent.glob(FILE)
    home.unlink()
    assert resolve_recipe(checkpoint, options) == before


def test_another_processor_is_named_by_a_part_of_its_name(tmp_path: Path) -> None:
    slow = [replace(FORMATS[0], step_ms=99.0), *FORMATS[1:]]
    shared = save_tunings([Tuning("Snap Dragon, 12 cores", "1.31.1", "a model", slow)], tmp_path / "shared.json")
    save_tunings([HERE, *read_tunings(shared)])
    assert tuning_for("snap dragon").fastest().settings() == {"block_size": 64, "symmetric": False}
    assert fastest_format() == {"block_size": 32, "symmetric": True}
    save_tunings([replace(read_tunings(shared)[0], widths=[WidthTime(64, 6.0), WidthTime(256, 5.0)])])
    checkpoint, options = open_checkpoint("demo:qwen3"), {"preset": "compact", "cache": "gqa"}
    there, here = (resolve_recipe(checkpoint, options, processor) for processor in ("snap dragon", ""))
    assert (there.quantize.block_size, there.chunk) == (64, 256) and (here.quantize.block_size, here.chunk) == (32, 128)
    with pytest.raises(RequestError, match=r"^No tuned processor has 'pentium' in the name; known: .*Snap Dragon"):
        tuning_for("pentium")
    with pytest.raises(RequestError, match=r"^Several tuned processors have 'cores' in the name"):
        tuning_for("cores")


@pytest.mark.parametrize("text", ["{", "[1]", '[{"processor": "x"}]', "\xff"])
def test_a_file_that_holds_none_is_named(text: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(RequestError, match=r"bad\.json holds no tunings"):
        read_tunings(file)
    without = [asdict(replace(HERE, formats=FORMATS[:1]))]
    file.write_text(json.dumps(without))
    with pytest.raises(RequestError, match="lacks the default format"):
        read_tunings(file)
    with pytest.raises(RequestError, match="cannot be read"):
        read_tunings(tmp_path / "absent.json")


@pytest.mark.parametrize(("odd", "place"), [
    ({"formats": [*FORMATS[:2], replace(FORMATS[2], block_size=7)]}, "formats[2]"),
    ({"formats": [replace(FORMATS[0], step_ms=-1.0), *FORMATS[1:]]}, "formats[0]"),
    ({"formats": [replace(FORMATS[0], error=1e999), *FORMATS[1:]]}, "formats[0]"),
    ({"threads": [ThreadTime(1_000_000, 0.1, 0.1), ThreadTime(16, 9.0, 9.0)]}, "threads[0]"),
    ({"threads": [ThreadTime(8, 0.1, 0.1), ThreadTime(0, 9.0, 9.0)]}, "threads[0]"),
    ({"widths": [WidthTime(64, 1.0), WidthTime(0, 1.0)]}, "widths[1]"),
])  # fmt: skip
def test_what_nobody_can_measure_is_refused(odd: dict[str, Any], place: str, tmp_path: Path) -> None:
    """A million threads would end every process that opens a session, and a block of 7 every build."""
    file = tmp_path / "bad.json"
    text = json.dumps([asdict(HERE), asdict(replace(HERE, **odd))])
    file.write_text(text.replace("Infinity", "1e999"))
    with pytest.raises(RequestError, match=r"bad\.json holds no tunings \(has an impossible value in its ") as raised:
        read_tunings(file)
    assert f"'[1].{place}'" in str(raised.value)


def test_threads_count_while_as_many_cores_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workflows.processor.tuning.usable_cores", lambda: 16)
    times = [ThreadTime(8, 8.0, 90.0), ThreadTime(12, 7.0, 80.0), ThreadTime(16, 10.0, 70.0)]
    assert tuned_threads() is None
    save_tunings([HERE])
    assert tuned_threads() is None  # a result of an older version
    save_tunings([replace(HERE, threads=times)])
    assert tuned_threads() == 12
    options = session_settings(SessionOptions(), {})
    assert options.intra_op_num_threads == 12
    own = session_settings(SessionOptions(intra_op_num_threads=1), {})
    assert own.intra_op_num_threads == 1
    save_tunings([replace(HERE, threads=[replace(times[0], step_ms=9.8), times[2]])])  # a fiftieth is noise
    assert tuned_threads() is None
    assert session_settings(SessionOptions(), {}).intra_op_num_threads == sessions.usable_cores()
    save_tunings([replace(HERE, threads=times)])
    monkeypatch.setattr("workflows.processor.tuning.usable_cores", lambda: 15)
    assert tuned_threads() is None


def test_prompts_go_in_runs_of_the_width_that_is_fastest() -> None:
    """The narrowest of those that are alike; less where a run's scores would take much memory; a chosen one counts."""
    checkpoint = open_checkpoint("demo:qwen3")

    def chunk(**options: object) -> int:
        return resolve_recipe(checkpoint, {"precision": "int4", "cache": "gqa", **options}).chunk

    save_tunings([HERE])
    assert tuned_width() is None and chunk() == 128  # a result of an older version
    times = [WidthTime(64, 6.0), WidthTime(128, 5.5), WidthTime(256, 5.05), WidthTime(512, 5.0)]
    save_tunings([replace(HERE, widths=times)])
    assert tuned_width() == 256 and chunk() == 256
    save_tunings([replace(HERE, widths=[*times[:3], WidthTime(512, 4.0)])])
    assert (chunk(), chunk(capacity=300), chunk(chunk=64), chunk(precision="fp32")) == (512, 300, 64, 128)
    assert (
        _width_in_place(resolve_recipe(checkpoint, {"precision": "int4"}).model_copy(update={"capacity": 8192})) == 256
    )
    slow = [replace(one, token_ms=10 * one.token_ms) for one in times]  # 256 tokens in 13 s
    save_tunings([replace(HERE, widths=slow)])
    assert chunk() == 128
    save_tunings([replace(HERE, widths=[WidthTime(64, 4.0), *times[1:]])])
    assert chunk() == 64


def test_a_damaged_file_of_ones_own_says_what_to_do() -> None:
    save_tunings([]).write_text("{")
    with pytest.raises(RequestError, match=r"tunings\.json holds no tunings \(.*\): remove it, and run joinery tune\."):
        tuned_threads()
