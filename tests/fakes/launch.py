"""The client of fork_server: `python -I -S launch.py SOCKET ARGUMENT…`. It imports built-in modules alone."""

import _signal  # type: ignore[import-not-found]
import _socket
import marshal
import os
import sys


def main() -> None:
    """Hands over the streams, passes signals on, and ends as the fork ends."""
    streams = [number for number in range(3) if _is_open(number)]
    data = marshal.dumps((streams, sys.argv[2:], os.getcwd(), dict(os.environ)))  # noqa: PTH109 (pathlib is slow)
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    server.connect(sys.argv[1])
    rights = b"".join(number.to_bytes(4, sys.byteorder) for number in streams)
    server.sendmsg([len(data).to_bytes(4, sys.byteorder)], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
    server.sendall(data)
    for number in streams:
        os.close(number)
    process = _number(server)
    for one in (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP):
        _signal.signal(one, lambda number, _: os.kill(process, number))
    code = _number(server)
    if code < 0:
        if -code != _signal.SIGKILL:
            _signal.signal(-code, _signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _number(server: _socket.socket) -> int:
    data = server.recv(4)
    if not data:
        os._exit(1)  # the server is gone
    return int.from_bytes(data, sys.byteorder, signed=True)


main()
