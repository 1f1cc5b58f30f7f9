"""The address that a server listens on."""

from __future__ import annotations

import socket

from workflows.common.errors import RequestError, describe_os_error

_BACKLOG = 2048
_UNSENT = 1 << 16
"""Bytes of a connection that the system keeps beyond what its network takes; with more a reader that stalls would show
late."""


class AddressError(RequestError):
    """Nothing can listen on an address: it is in use, not of this machine, or not allowed."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one. Raises AddressError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # connections have it from their listener; Windows has none
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        why = describe_os_error(error) if error.filename else str(error.strerror or error)
        raise AddressError(f"Nothing can listen on {host}, port {port}: {why}.") from None
    return listener


def shown_address(host: str, port: int, *, encrypted: bool = False) -> str:
    """http://127.0.0.1:8080, as clients write it."""
    shown = f"[{host}]" if ":" in host else host
    return f"http{'s' if encrypted else ''}://{shown}:{port}"
