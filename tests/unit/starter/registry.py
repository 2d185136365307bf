"""A repository of images for tests: what an engine needs to pull one, and nothing else."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
_CONFIG = "application/vnd.docker.container.image.v1+json"
_LAYER = "application/vnd.docker.image.rootfs.diff.tar"


class Registry:
    """Serves images on the loopback interface until ``close``. ``asked`` are the names that were asked for. Without
    ``secret`` (NAME:PASSWORD), if there is one, nobody gets anything."""

    def __init__(self) -> None:
        self._blobs: dict[str, tuple[str, bytes]] = {}
        self._manifests: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.secret = ""
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                registry.answer(self)

            do_HEAD = do_GET

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def add(self, name: str, files: dict[str, bytes], architecture: str = "amd64") -> str:
        """An image with these files; what it is called."""
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for path in sorted({path.rpartition("/")[0] for path in files} - {""}):
                directory = tarfile.TarInfo(path)
                directory.type, directory.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(directory)
            for path, data in files.items():
                info = tarfile.TarInfo(path)
                info.size, info.mode = len(data), 0o755
                archive.addfile(info, io.BytesIO(data))
        layer = self._keep(_LAYER, out.getvalue())
        config = {
            "architecture": architecture, "os": "linux", "config": {"Env": ["PATH=/bin"]},
            "rootfs": {"type": "layers", "diff_ids": [layer["digest"]]},
        }  # fmt: skip
        told = self._keep(_CONFIG, json.dumps(config).encode())
        manifest = {"schemaVersion": 2, "mediaType": _MANIFEST, "config": told, "layers": [layer]}
        text = json.dumps(manifest).encode()
        self._manifests[name] = text
        self._keep(_MANIFEST, text)
        return f"{self.address}/{name}"

    def _keep(self, kind: str, data: bytes) -> dict[str, object]:
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        self._blobs[digest] = kind, data
        return {"mediaType": kind, "size": len(data), "digest": digest}

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        if self.secret and handler.headers["Authorization"] != f"Basic {b64encode(self.secret.encode()).decode()}":
            handler.send_response(401)
            handler.send_header("WWW-Authenticate", 'Basic realm="images"')
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        words = handler.path.strip("/").split("/")
        kind, data, code = "application/json", b"{}", 200
        if len(words) > 3 and words[-2] == "blobs":
            kind, data = self._blobs.get(words[-1], ("", b""))
        elif len(words) > 3:
            name = "/".join(words[1:-2])
            self.asked.append(name)
            kind, data = self._blobs.get(words[-1]) or (_MANIFEST, self._manifests.get(name, b""))
        if not data:
            code, kind, data = 404, "application/json", b'{"errors": [{"code": "MANIFEST_UNKNOWN"}]}'
        handler.send_response(code)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(data)))
        if kind == _MANIFEST:
            handler.send_header("Docker-Content-Digest", f"sha256:{hashlib.sha256(data).hexdigest()}")
        handler.end_headers()
        if handler.command == "GET":
            handler.wfile.write(data)
