"""The demo's draft model: small, of the same tokens, right often enough that its target keeps what it drafts."""

from __future__ import annotations

import json

import pytest

from resources.demos import train_qwen3, train_qwen3_draft
from tests.workflows.conftest import Built
from workflows.generate import GenerateOptions, open_engine
from workflows.generate.speculative.draft_length import DraftLengthTuner
from workflows.wire.events import GenerationDone


def test_it_is_small_and_speaks_the_same_tokens() -> None:
    files = {path.name: path for path in train_qwen3_draft.FOLDER.iterdir()}
    assert sum(path.stat().st_size for path in files.values()) < 500_000
    same = train_qwen3.FOLDER / "tokenizer.json"
    assert files["tokenizer.json"].read_bytes() == same.read_bytes()


@pytest.mark.slow
def test_its_drafts_are_kept_and_change_nothing(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of fifty held-back questions: 4 tokens a draft whatever they cost."""
    monkeypatch.setattr(DraftLengthTuner, "length", lambda self, limit: max(min(4, limit), 0))
    target, draft = built("demo:qwen3"), built("demo:qwen3-draft")
    rows = json.loads(train_qwen3.HELD_BACK_FILE.read_text(encoding="utf-8"))[::12]
    drafted = accepted = 0
    with open_engine(target) as plain, open_engine(target, draft=draft) as fast:
        for row in rows:
            prompt = f"<|im_start|>user\n{row['prompt']}<|im_end|>\n<|im_start|>assistant\n"
            ids, options = plain.text.encode(prompt, special=True), GenerateOptions(max_new_tokens=48)
            wanted, found = ([*one.generate(ids, options)][-1] for one in (plain, fast))
            assert isinstance(wanted, GenerationDone) and isinstance(found, GenerationDone)
            assert found.token_ids == wanted.token_ids and found.finish_reason == wanted.finish_reason
            assert found.speculation is not None
            drafted, accepted = drafted + found.speculation.drafted, accepted + found.speculation.accepted
    assert accepted > 0.6 * drafted > 0
