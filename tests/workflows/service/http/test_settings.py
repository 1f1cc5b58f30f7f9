"""Settings: the file's, over it the environment's, over both the command line's; a sentence for a wrong one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.predict.text_bundles import made_bundle
from workflows.bundle.text_tasks import ClassificationSettings
from workflows.common.errors import RequestError
from workflows.service.http.served_model import ServedModel
from workflows.service.http.settings import read_settings


def test_each_source_takes_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "serve.toml"
    file.write_text(
        'port = 1\nqueue = 2\nseconds = 3\nkey = "k.pem"\ncertificate = "c.pem"\n[bundles]\na = "b"\n', "utf-8"
    )
    monkeypatch.setenv("JOINERY_SERVE_QUEUE", "20")
    monkeypatch.setenv("JOINERY_SERVE_SECONDS", "30")
    found = read_settings(file, {"seconds": 300.0, "port": None})
    assert (found.port, found.queue, found.seconds) == (1, 20, 300)
    assert found.bundles == {"a": tmp_path / "b"} and found.key == tmp_path / "k.pem"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, r"setting bundles cannot be"),
        ({"bundles": {"a": Path("b")}, "port": 70_000}, r"setting port cannot be '70000'"),
        ({"bundles": {"a": Path("b")}, "host": "0.0.0.0"}, r"others can reach 0\.0\.0\.0: give a token"),
        ({"bundles": {"a": Path("b")}, "key": Path("k")}, r"TLS takes a certificate and its key"),
        ({"bundles": {"a": Path("b")}, "token": "short"}, r"setting token cannot be: .*8 char"),
    ],
)
def test_wrong_ones(given: dict[str, Any], said: str) -> None:
    with pytest.raises(RequestError, match=said) as raised:
        read_settings(None, given)
    assert "short" not in str(raised.value)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("= 1")
    with pytest.raises(RequestError, match="cannot be read as TOML"):
        read_settings(tmp_path / "a.toml", {})


def test_a_bundle_that_no_route_is_for(tmp_path: Path) -> None:
    labels = ClassificationSettings(labels=["a", "b"])
    bundle = made_bundle(tmp_path / "b", "logits", 2, task="token-classification", classification=labels)
    with pytest.raises(RequestError, match="spans is a single graph for token-classification, which no route"):
        ServedModel("spans", bundle, read_settings(None, {"bundles": {"spans": bundle}}))
