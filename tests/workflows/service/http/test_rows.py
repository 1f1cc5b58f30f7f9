"""Several clients of a bundle with a batch: each reply is that of the text alone, whoever comes and goes beside it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.workflows.conftest import Built
from tests.workflows.service.http.serving import TOKEN, Server, running
from tests.workflows.service.http.test_robust import until

HEADERS = {"Authorization": f"Bearer {TOKEN}"}
LENGTHS = (1, 7, 64, 65, 130)


@pytest.fixture(scope="module")
def bundles(built: Built) -> dict[str, Path]:
    return {"alone": built("demo:qwen3", cache="gqa"), "rows": built("demo:qwen3", cache="gqa", batch=3)}


@pytest.fixture(scope="module")
def server(bundles: dict[str, Path]) -> Iterator[Server]:
    with running(bundles) as one:
        yield one


def ask(server: Server, model: str, body: dict[str, Any]) -> str:
    answer = httpx.post(f"{server.url}/completions", json={"model": model, **body}, headers=HEADERS, timeout=120)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["choices"][0]["text"])


def texts() -> list[dict[str, Any]]:
    chances, made = random.Random(4), []
    for number in range(20):
        ids = [chances.randrange(300, 1000) for _ in range(LENGTHS[number % len(LENGTHS)])]
        body: dict[str, Any] = {"prompt": ids, "max_tokens": chances.choice((1, 9, 40))}
        if number % 3 == 1:
            body |= {"temperature": 1.1, "seed": number, "top_p": 0.9}
        if number % 3 == 2:
            body |= {"frequency_penalty": 1.0, "stop": ["e"]}
        made.append(body)
    return made


def state(server: Server) -> dict[str, Any]:
    return dict(httpx.get(f"{server.url}/models/rows", headers=HEADERS).json())


def test_each_reply_is_that_of_the_text_alone(server: Server) -> None:
    alone = [ask(server, "alone", body) for body in texts()]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda body: ask(server, "rows", body), texts()))
    assert together == alone and len(set(alone)) > 10
    assert state(server)["rows"] == 3


def test_some_leave_beside_others(server: Server) -> None:
    body = {"prompt": "8*7=", "max_tokens": 400, "model": "rows", "logit_bias": {"2": -100}, "stream": True}

    def leave(seconds: float) -> None:
        try:
            with httpx.stream("POST", f"{server.url}/completions", json=body, headers=HEADERS, timeout=seconds) as one:
                lines = one.iter_lines()
                next(lines)
        except (httpx.HTTPError, StopIteration):
            pass

    wanted = [ask(server, "alone", one) for one in texts()[:6]]
    with ThreadPoolExecutor(8) as pool:
        leaving = [pool.submit(leave, 0.05 * (number % 5) + 0.02) for number in range(20)]
        found = list(pool.map(lambda one: ask(server, "rows", one), texts()[:6]))
        for one in leaving:
            one.result()
    assert found == wanted
    assert until(lambda: state(server)["running"] == 0 and state(server)["waiting"] == 0)
