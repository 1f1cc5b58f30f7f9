"""What a machine can do, and which models fit: against figures that were measured of real builds."""

import json
from pathlib import Path

import pytest

from workflows.common.memory import total_bytes
from workflows.inspection.capabilities import describe_capabilities, model_fit
from workflows.inspection.known_models import known_models
from workflows.wire.codec import dumps, read
from workflows.wire.reports.capabilities import CapabilitiesReport, ModelFit, PresetFit


def fit(name: str, free: int, total: int) -> ModelFit:
    model = next(one for one in known_models() if one.source == name)
    return model_fit(model, free, total)


def presets(of: ModelFit) -> dict[str, PresetFit]:
    return {one.preset: one for one in of.presets}


@pytest.fixture(autouse=True)
def untuned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JOINERY_HOME", str(tmp_path))  # no tuning and no history changes a size


def test_sizes_of_a_model_are_those_of_its_builds() -> None:
    found = presets(fit("Qwen/Qwen3-0.6B", 4 << 30, 8 << 30))
    # 596 million numbers: of 4 bits with a scale of 32 and a zero point of 4 for each 64, and of 8 bits
    assert found["compact"].precision == "int4" and 0.33e9 < found["compact"].bytes < 0.40e9
    assert found["accurate"].precision == "int8" and 0.62e9 < found["accurate"].bytes < 0.72e9
    assert found["compact"].bytes < found["balanced"].bytes < found["accurate"].bytes
    assert found["compact"].kv_bytes_per_token == 2 * 28 * 8 * 128 * 4


def test_context_shrinks_with_the_memory_until_nothing_fits() -> None:
    ample, little, none = (presets(fit("Qwen/Qwen3-4B", free << 20, 8 << 30)) for free in (20_000, 4_000, 2_000))
    assert ample["compact"].tokens == 40_960, "as long as the model can"
    left = (4_000 << 20) - round(1.2 * little["compact"].bytes) - (160 << 20) - 2 * 4 * 64 * 151_936
    assert little["compact"].tokens == left // (2 * 36 * 8 * 128 * 4)
    assert little["compact"].fits and not little["accurate"].fits
    assert none["compact"].tokens == 0 and not none["compact"].fits
    assert none["compact"].could_fit, "with all 8 GiB of the machine"


def test_large_models_fit_no_small_machine() -> None:
    whole = fit("meta-llama/Llama-3.3-70B-Instruct", 16 << 30, 16 << 30)
    assert not any(one.fits or one.could_fit for one in whole.presets)
    assert whole.download_bytes == 2 * 70_553_706_496 and whole.build_memory_bytes > 16 << 30


def test_report_describes_this_machine(tmp_path: Path) -> None:
    report = describe_capabilities(tmp_path)
    assert report.memory_bytes == total_bytes() >= report.free_memory_bytes > 0
    assert report.processor and report.cores >= 1 and report.free_disk_bytes > 0
    assert report.devices[0].name == "cpu" and all(one.usable or one.reason for one in report.devices)
    assert {one.name for one in report.models} == {one.source for one in known_models()}
    assert read(CapabilitiesReport, json.loads(dumps(report))) == report
