"""Folders of adapters: what is read, what is refused by name, and which base they find."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from workflows.checkpoint.peft.adapter import is_adapter, open_adapter
from workflows.checkpoint.peft.base import find_base
from workflows.checkpoint.peft.settings import LoraSettings
from workflows.common.errors import CheckpointError

PATH = "base_model.model.model.layers.0.self_attn.q_proj"
PAIR = {f"{PATH}.lora_A.weight": np.ones((2, 8), np.float32), f"{PATH}.lora_B.weight": np.ones((6, 2), np.float32)}
PLAIN = {"peft_type": "LORA", "r": 2, "lora_alpha": 4, "target_modules": ["q_proj"], "base_model_name_or_path": None}


def write(folder: Path, tensors: dict[str, Any] = PAIR, **settings: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "adapter_config.json").write_text(json.dumps({**PLAIN, **settings}))
    save_file(tensors, folder / "adapter_model.safetensors")
    return folder


def test_an_adapter_is_read(tmp_path: Path) -> None:
    norm = {"base_model.model.model.norm.weight": np.ones(8, np.float32)}
    adapter = open_adapter(write(tmp_path / "mine", {**PAIR, **norm}), 0.5)
    assert (adapter.name, adapter.scale, len(adapter.sha256)) == ("mine", 0.5, 64)
    assert list(adapter.layers) == ["model.layers.0.self_attn.q_proj"]
    layer = adapter.layers["model.layers.0.self_attn.q_proj"]
    assert (layer.left.shape, layer.right.shape) == ((6, 2), (2, 8))
    assert adapter.replaced["model.norm.weight"].shape == (8,)
    assert adapter.settings.scale("model.layers.0.self_attn.q_proj") == 2.0
    assert open_adapter(write(tmp_path / "mine", lora_alpha=5)).sha256 != adapter.sha256


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"peft_type": "IA3"}, "is of the kind IA3"),
        ({"peft_type": "PROMPT_TUNING"}, "is of the kind PROMPT_TUNING"),
        ({"peft_type": "NEW_ONE"}, "is of the kind NEW_ONE"),
        ({"peft_type": None}, "is of the kind None"),
        ({"layer_replication": [[0, 2]]}, r"has layer_replication = \[\[0, 2\]\]"),
        ({"trainable_token_indices": [3]}, "has trainable_token_indices"),
        ({"use_qalora": True}, "has use_qalora"),
        ({"alora_invocation_tokens": [1]}, "has alora_invocation_tokens"),
        ({"init_lora_weights": "pissa"}, "has init_lora_weights = pissa"),
        ({"invented": 3}, "has invented = 3"),
        ({"r": 0}, "r in its adapter_config.json is wrong"),
        ({"lora_alpha": "x"}, "lora_alpha in its"),
        ({"target_modules": "(q"}, r"'\(q' in its adapter_config.json is no regular expression"),
    ],
)
def test_other_settings_are_refused_by_name(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        open_adapter(write(tmp_path / "one", **settings))


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({f"{PATH}.lora_A.weight": PAIR[f"{PATH}.lora_A.weight"]}, "lacks lora_B of model.layers.0"),
        ({f"{PATH}.lora_B.weight": PAIR[f"{PATH}.lora_B.weight"]}, "lacks lora_A of model.layers.0"),
        ({**PAIR, f"{PATH}.lora_B.weight": np.ones((6, 3), np.float32)}, r"has the shape \[6, 3\], which does not fit"),
        ({**PAIR, f"{PATH}.lora_magnitude_vector": np.ones(5, np.float32)}, "has 5 numbers for 6 outputs"),
        ({**PAIR, f"{PATH}.lora_A.weight": np.ones((2, 8), np.int8)}, "is stored in int8"),
        ({**PAIR, f"{PATH}.lora_E": np.ones(2, np.float32)}, "belongs to a variant of LoRA"),
        ({**PAIR, "lora_A.weight": np.ones((2, 8), np.float32)}, "is not named as peft names"),
    ],
)
def test_other_tensors_are_refused_by_name(tmp_path: Path, tensors: dict[str, Any], message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        open_adapter(write(tmp_path / "one", tensors))


def test_other_folders_are_refused(tmp_path: Path) -> None:
    assert not is_adapter(tmp_path)
    with pytest.raises(CheckpointError, match="is no adapter of peft"):
        open_adapter(tmp_path)
    with pytest.raises(CheckpointError, match="is no adapter of peft"):
        open_adapter(tmp_path / "missing")


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "one") / "adapter_model.safetensors"
    file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(CheckpointError, match="is damaged"):
        open_adapter(tmp_path / "one")


def test_an_expression_without_an_end_is_refused() -> None:
    settings = LoraSettings(target_modules="(a|aa)+")
    with pytest.raises(CheckpointError, match="was not matched within 1 s"):
        settings.targets("a" * 60 + "!", is_linear=True)


def test_the_base_is_found_on_this_machine_alone(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    by_path = write(tmp_path / "a", base_model_name_or_path=str(tmp_path / "base"))
    assert find_base(by_path) == str(tmp_path / "base")
    beside = write(tmp_path / "b", base_model_name_or_path="../base")
    assert Path(find_base(beside)).samefile(tmp_path / "base")
    hub = tmp_path / "hub" / "models--org--model"
    snapshot = hub / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (hub / "refs").mkdir()
    (hub / "refs" / "main").write_text("0" * 40)
    named = write(tmp_path / "c", base_model_name_or_path="org/model")
    assert find_base(named, tmp_path / "hub") == str(snapshot)
    for base in ("org/other", "", None, "//host/share", "\\\\host\\share"):
        folder = write(tmp_path / "d", base_model_name_or_path=base)
        with pytest.raises(CheckpointError, match=r"is not on this machine: give the base beside it, `joinery build"):
            find_base(folder, tmp_path / "hub")
