"""Counters for Prometheus: requests, tokens, the cache's hits, waits, first tokens and steps, by bundle."""

from __future__ import annotations

import time
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from workflows.service.http.served_model import ServedModel
from workflows.wire.events import ChunkEvent, Event, GenerationDone, TokenEvent

_MODEL = ("model",)
_STEPS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_FIRST = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        its = self.registry
        self.requests = Counter("joinery_requests", "Responses.", ("route", "status"), registry=its)
        self.prompt = Counter("joinery_prompt_tokens", "Tokens of prompts.", _MODEL, registry=its)
        self.reused = Counter("joinery_prompt_tokens_reused", "Of these, that the cache held.", _MODEL, registry=its)
        self.made = Counter("joinery_generated_tokens", "Tokens of replies.", _MODEL, registry=its)
        self.first = Histogram("joinery_first_token_seconds", "From the request.", _MODEL, buckets=_FIRST, registry=its)
        self.step = Histogram("joinery_step_seconds", "From token to token.", _MODEL, buckets=_STEPS, registry=its)
        self.cache = Gauge("joinery_cache_used_share", "Of the cache's slots.", _MODEL, registry=its)
        self._waiting = Gauge("joinery_waiting_requests", "Before their turn.", _MODEL, registry=its)
        self._running = Gauge("joinery_running_requests", "Having their turn.", _MODEL, registry=its)

    def follow(self, model: str) -> GenerationMeter:
        """Counts one generation."""
        return GenerationMeter(self, model)

    def text(self, models: Iterable[ServedModel]) -> bytes:
        """All of it, in Prometheus' form."""
        for one in models:
            self._waiting.labels(one.name).set(one.waiting)
            self._running.labels(one.name).set(one.running)
        return generate_latest(self.registry)


class GenerationMeter:
    """Counts the events of one generation."""

    def __init__(self, metrics: Metrics, model: str) -> None:
        self._metrics, self._model, self._began = metrics, model, time.monotonic()
        self._is_first_run = True

    def take(self, event: Event) -> None:
        """Counts an event."""
        counters, model = self._metrics, self._model
        if isinstance(event, ChunkEvent) and self._is_first_run:
            self._is_first_run = False
            counters.reused.labels(model).inc(event.start)
        elif isinstance(event, TokenEvent):
            counters.made.labels(model).inc()
            if event.phase == "prefill":
                counters.first.labels(model).observe(time.monotonic() - self._began)
            else:
                counters.step.labels(model).observe(event.latency_ms / 1000)
            counters.cache.labels(model).set(event.cache_used / max(event.cache_capacity, 1))
        elif isinstance(event, GenerationDone):
            counters.prompt.labels(model).inc(len(event.prompt_ids))
