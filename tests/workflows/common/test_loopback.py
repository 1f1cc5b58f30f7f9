"""Addresses that only this machine reaches, and others."""

from __future__ import annotations

from workflows.common.loopback import is_loopback


def test_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "::1", "localhost", "127.8.0.1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org", "")))
