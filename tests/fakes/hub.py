"""A small hub on the loopback interface: the file endpoints that clients use, and the ways in which they fail.

    with FakeHub({"org/model": {"config.json": b"{}"}}) as hub:
        open_checkpoint("org/model", endpoint=hub.endpoint, cache=tmp_path)

Speaks: model info with blobs, HEAD and GET of `resolve` with ETag, X-Repo-Commit, X-Linked-Size and Range, a redirect
of large files to `/cdn/`, and the refusals 401, 403 and 404 with X-Error-Code.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LFS_SUFFIXES = (".safetensors", ".bin", ".model")
_API = re.compile(r"/api/models/(?P<repo>[^/]+/[^/]+)(?:/revision/(?P<revision>[^/]+))?")
_RESOLVE = re.compile(r"/(?P<repo>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<name>.+)")
_CDN = re.compile(r"/cdn/(?P<repo>[^/]+/[^/]+)/(?P<name>.+)")


@dataclass
class Request:
    """What was asked for, for a test to look at."""

    method: str
    path: str
    headers: dict[str, str]


@dataclass
class FakeHub:
    """`repositories` maps a model's name to its files. The other fields may be changed while it runs."""

    repositories: dict[str, dict[str, bytes]]
    gated: set[str] = field(default_factory=set)
    wrong: dict[str, bytes] = field(default_factory=dict)  # file: the body sent in place of its own
    no_blobs: bool = False  # the listing has names alone, as on some mirrors
    no_range: bool = False  # Range is ignored, as behind some proxies
    drop_after: int = 0  # close the connection after so many bytes of a large file, once
    stall_after: int = 0  # send no more after so many bytes of a large file, until `released`
    cdn: str = ""  # another server's address for large files
    requests: list[Request] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> FakeHub:
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="fake-hub")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def endpoint(self) -> str:
        """The address to give to a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def paths(self, method: str = "GET") -> list[str]:
        """The paths asked for so far."""
        return [request.path for request in self.requests if request.method == method]


def is_lfs(name: str) -> bool:
    """Whether the hub would keep this file in LFS."""
    return name.endswith(LFS_SUFFIXES)


def etag_of(name: str, body: bytes) -> str:
    """SHA-256 for LFS, git's blob id for the rest."""
    if is_lfs(name):
        return hashlib.sha256(body).hexdigest()
    return hashlib.sha1(f"blob {len(body)}\0".encode() + body).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: FakeHub

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.requests.append(Request(self.command, path, {k.lower(): v for k, v in self.headers.items()}))
        if match := _API.fullmatch(path):
            self._info(match["repo"], match["revision"] or "main")
        elif match := _CDN.fullmatch(path):
            self._body(match["repo"], match["name"])
        elif match := _RESOLVE.fullmatch(path):
            self._resolve(match["repo"], match["revision"], match["name"])
        else:
            self._refuse(404, "RepoNotFound")

    def _refuse(self, status: int, code: str) -> None:
        self._send(status, b"", {"X-Error-Code": code, "X-Error-Message": code})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def _known(self, repo: str, revision: str) -> dict[str, bytes] | None:
        if repo not in self.hub.repositories:
            self._refuse(401, "RepoNotFound")
        elif revision not in ("main", COMMIT):
            self._refuse(404, "RevisionNotFound")
        else:
            return self.hub.repositories[repo]
        return None

    def _info(self, repo: str, revision: str) -> None:
        files = self._known(repo, revision)
        if files is None:
            return
        siblings: list[dict[str, Any]] = []
        for name, body in files.items():
            entry: dict[str, Any] = {"rfilename": name}
            if not self.hub.no_blobs:
                entry |= {"size": len(body), "blobId": hashlib.sha1(name.encode()).hexdigest()}
                if is_lfs(name):
                    entry["lfs"] = {"sha256": etag_of(name, body), "size": len(body), "pointerSize": 130}
                else:
                    entry["blobId"] = etag_of(name, body)
            siblings.append(entry)
        answer = {"id": repo, "modelId": repo, "sha": COMMIT, "siblings": siblings, "gated": repo in self.hub.gated}
        self._send(200, json.dumps(answer).encode(), {"Content-Type": "application/json"})

    def _resolve(self, repo: str, revision: str, name: str) -> None:
        files = self._known(repo, revision)
        if files is None:
            return
        if repo in self.hub.gated:
            self._refuse(403 if "authorization" in self.headers else 401, "GatedRepo")
        elif name not in files:
            self._refuse(404, "EntryNotFound")
        elif is_lfs(name):
            linked = {"X-Linked-ETag": f'"{etag_of(name, files[name])}"', "X-Linked-Size": str(len(files[name]))}
            location = {"Location": f"{self.hub.cdn or self.hub.endpoint}/cdn/{repo}/{name}", "X-Repo-Commit": COMMIT}
            self._send(302, b"", linked | location)
        else:
            self._body(repo, name)

    def _body(self, repo: str, name: str) -> None:
        right = self.hub.repositories[repo][name]
        body, start = self.hub.wrong.get(name, right), 0
        if (asked := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))) and not self.hub.no_range:
            start = int(asked[1])
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body) - start))
        self.send_header("ETag", f'"{etag_of(name, right)}"')
        self.send_header("X-Repo-Commit", COMMIT)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.end_headers()
        if self.command == "GET":
            self._write(name, body[start:])

    def _write(self, name: str, body: bytes) -> None:
        limit = self.hub.drop_after or self.hub.stall_after
        if not limit or not is_lfs(name) or len(body) <= limit:
            self._quietly(body)
            return
        self._quietly(body[:limit])
        if self.hub.drop_after:
            self.hub.drop_after = 0
            time.sleep(0.02)
            self.close_connection = True
            return
        self.hub.released.wait(30)
        self._quietly(body[limit:])

    def _quietly(self, body: bytes) -> None:
        try:
            self.wfile.write(body)
            self.wfile.flush()
        except OSError:
            self.close_connection = True  # the client has gone
