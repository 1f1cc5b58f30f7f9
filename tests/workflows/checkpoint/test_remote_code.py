"""Code that a checkpoint brings along: found, hashed, named; run never."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.checkpoint.making import CONFIG, files, write
from workflows.checkpoint import open_checkpoint
from workflows.common.errors import CheckpointError, RemoteCodeError

BOMB = b"raise SystemExit('it ran')\n"


def config(auto_map: Any) -> bytes:
    return json.dumps(CONFIG | {"auto_map": auto_map}).encode()


def test_the_closure_of_imports(tmp_path: Path) -> None:
    code = {
        "modeling_x.py": BOMB + b"from .configuration_x import XConfig\nfrom . import helper, absent_name\nimport os\n",
        "configuration_x.py": b"from .deep.part import (\n    thing,\n)\n",
        "deep/part.py": b"if True:\n    from ..low \\\n        import x; from .side import y\n",
        "deep/side.py": b"",
        "deep/__init__.py": b"",
        "low.py": b"from .modeling_x import X\n",
        "helper.py": b"",
        "tokenization_x.py": b"",
        "unrelated.py": b"",
    }
    tokenizer = b'{"auto_map": {"AutoTokenizer": [null, "tokenization_x.XTokenizer"]}}'
    write(tmp_path, code)
    auto = config({"AutoConfig": "configuration_x.XConfig", "AutoModelForCausalLM": "modeling_x.X"})
    found = open_checkpoint(str(write(tmp_path, files(config__json=auto, tokenizer_config__json=tokenizer))))
    expected = set(code) - {"unrelated.py"}
    assert set(found.remote_code) == expected
    assert found.remote_code["modeling_x.py"] == hashlib.sha256(code["modeling_x.py"]).hexdigest()
    assert expected <= set(found.files)


def test_no_consent_no_code(tmp_path: Path) -> None:
    write(tmp_path, {"modeling_x.py": BOMB})
    found = open_checkpoint(str(write(tmp_path, files(config__json=config({"AutoModel": "modeling_x.X"})))))
    value = hashlib.sha256(BOMB).hexdigest()
    with pytest.raises(RemoteCodeError) as caught:
        found.require_consent(trust_remote_code=False)
    assert str(caught.value) == (
        f"This checkpoint would run its own Python code: modeling_x.py ({value[:12]}); read these files, and if you "
        "trust them say so with --trust-remote-code."
    )
    assert caught.value.files == {"modeling_x.py": value} and caught.value.kind == "remotecode"
    found.require_consent(trust_remote_code=True)
    found.require_consent(False, frozenset({value}))
    with pytest.raises(RemoteCodeError):
        found.require_consent(False, frozenset({"0" * 64}))


def test_consent_is_for_the_contents(tmp_path: Path) -> None:
    write(tmp_path, {"modeling_x.py": b"one = 1\n"})
    contents = files(config__json=config({"AutoModel": "modeling_x.X"}))
    before = frozenset(open_checkpoint(str(write(tmp_path, contents))).remote_code.values())
    write(tmp_path, {"modeling_x.py": b"two = 2\n"})
    with pytest.raises(RemoteCodeError):
        open_checkpoint(str(tmp_path)).require_consent(False, before)


@pytest.mark.parametrize(
    ("auto_map", "code", "expected"),
    [
        ({"AutoModel": "other/repo--modeling_x.X"}, {}, "the code of another repository, which is refused"),
        ({"AutoModel": "../modeling_x.X"}, {}, "which is not of the form module.Class"),
        ({"AutoModel": "a.b.X"}, {}, "which is not of the form module.Class"),
        ({"AutoModel": 3}, {}, "which is not of the form module.Class"),
        ("modeling_x.X", {}, "has an auto_map that is not an object"),
        ({"AutoModel": "modeling_x.X"}, {}, "'modeling_x.py' is missing"),
        (
            {"AutoModel": "modeling_x.X"},
            {"modeling_x.py": b"from .gone import x\n"},
            "imports 'gone.py', which is missing",
        ),
        (
            {"AutoModel": "modeling_x.X"},
            {"modeling_x.py": b"from ..up import x\n"},
            "from outside the checkpoint's folder",
        ),
        ({"AutoModel": "modeling_x.X"}, {"modeling_x.py": b"#" * (2 << 20)}, "is larger than 1 MiB"),
    ],
)
def test_code_that_is_refused(tmp_path: Path, auto_map: Any, code: dict[str, bytes], expected: str) -> None:
    write(tmp_path, code)
    with pytest.raises(CheckpointError, match=expected.replace(".", r"\.")) as caught:
        open_checkpoint(str(write(tmp_path, files(config__json=config(auto_map)))))
    assert not isinstance(caught.value, RemoteCodeError)


def test_an_auto_map_deep_inside_counts(tmp_path: Path) -> None:
    nested = json.dumps(CONFIG | {"text_config": {"parts": [{"auto_map": {"AutoConfig": "deep.C"}}]}}).encode()
    write(tmp_path, {"deep.py": b""})
    assert list(open_checkpoint(str(write(tmp_path, files(config__json=nested)))).remote_code) == ["deep.py"]


@pytest.mark.parametrize(
    ("statement", "file"),
    [
        (b"from .a import x", "a.py"),
        (b"from .import a", "a.py"),
        (b"from . import (  # why\n    # not\n    a as b,\n)", "a.py"),
        (b"x = 1; from . a import y", "a.py"),
        (b"try: from .a import y\nexcept ImportError: pass", "a.py"),
        (b"    from .p.q import z\r\n", "p/q.py"),
    ],
)
def test_ways_to_import(tmp_path: Path, statement: bytes, file: str) -> None:
    write(tmp_path, {"modeling_x.py": statement, "a.py": b"", "p/q.py": b""})
    found = open_checkpoint(str(write(tmp_path, files(config__json=config({"AutoModel": "modeling_x.X"})))))
    assert set(found.remote_code) == {"modeling_x.py", file}


@pytest.mark.parametrize(
    "piece", [b"from ....", b".", b"from . import (", b"from .a", b"import ....", b";from .\n", b" "]
)
def test_no_text_makes_it_slow(tmp_path: Path, piece: bytes) -> None:
    body = (b"from " + piece * (1 << 20))[: 1 << 20]
    write(tmp_path, {"modeling_x.py": body, "a.py": b""})
    started = time.monotonic()
    with contextlib.suppress(CheckpointError):
        open_checkpoint(str(write(tmp_path, files(config__json=config({"AutoModel": "modeling_x.X"})))))
    assert time.monotonic() - started < 60
