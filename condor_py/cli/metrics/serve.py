"""``condor_metrics -listen``: the figures for whoever asks on a Unix socket or on a loopback address, by HTTP."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import signal
import socket
import socketserver
import stat
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

from condor_py.cli.signals import interrupted_by
from condor_py.model.errors import CondorError

#: Seconds that one request may take to come in.
_PATIENCE = 5.0
_TYPES = {
    True: "application/openmetrics-text; version=1.0.0; charset=utf-8",
    False: "text/plain; version=0.0.4; charset=utf-8",
}
#: The text of the figures; whether as OpenMetrics.
Text = Callable[[bool], str]


def serve(address: str, text: Text) -> int:
    """Answers until a signal ends it. CondorError when the address is not ours to listen on, or not loopback."""
    family, place = _place(address)

    class Handler(_Handler):
        produce = staticmethod(text)

    class Server(socketserver.TCPServer):
        address_family = family
        allow_reuse_address = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Whoever asked has gone: nothing is said of a request."""
            if not isinstance(sys.exc_info()[1], OSError):
                super().handle_error(request, client_address)  # type: ignore[arg-type]

    if family == socket.AF_UNIX:
        _free(str(place))
    try:
        server = Server(place, Handler)  # type: ignore[arg-type]
    except OSError as error:
        raise CondorError(f"condor_metrics: cannot listen on {address}: {error.strerror}") from None
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    with server, contextlib.suppress(KeyboardInterrupt), interrupted_by(*numbers):
        sys.stderr.write(f"condor_metrics: listening on {_shown(server)}\n")
        sys.stderr.flush()
        server.serve_forever()
    if family == socket.AF_UNIX:
        with contextlib.suppress(OSError):
            os.unlink(str(place))
    return 0


def _shown(server: socketserver.TCPServer) -> str:
    found = server.socket.getsockname()
    return f"unix:{found}" if isinstance(found, str) else f"http://{found[0]}:{found[1]}/metrics"


def _place(address: str) -> tuple[socket.AddressFamily, str | tuple[str, int]]:
    path = address.removeprefix("unix:")
    if path.startswith("/"):
        return socket.AF_UNIX, path
    host, _, port = address.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if host == "localhost":
        host = "127.0.0.1"
    try:
        found = ipaddress.ip_address(host)
        number = int(port)
    except ValueError:
        raise CondorError(
            f"condor_metrics: -listen wants unix:/PATH, PORT or LOOPBACK-ADDRESS:PORT, not {address}"
        ) from None
    if not found.is_loopback or not 0 <= number < 65536:
        raise CondorError(f"condor_metrics: {address} is not a port of a loopback address: put a proxy in front of it")
    return (socket.AF_INET6 if found.version == 6 else socket.AF_INET), (str(found), number)


def _free(path: str) -> None:
    """Takes the socket of one that has ended away; one that answers, or any other file, stays."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            return  # the kernel refuses connections to files as well
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)


class _Handler(BaseHTTPRequestHandler):
    timeout = _PATIENCE
    produce: Text

    def do_GET(self) -> None:
        """``/metrics``, and ``/`` for people who forget it."""
        if self.path.partition("?")[0] not in ("/", "/metrics"):
            self.send_error(404)
            return
        openmetrics = "openmetrics" in self.headers.get("Accept", "")
        try:
            body = self.produce(openmetrics).encode()
        except (CondorError, OSError) as error:
            self.send_error(503, str(error).replace("\n", " ")[:200])
            return
        self.send_response(200)
        self.send_header("Content-Type", _TYPES[openmetrics])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def address_string(self) -> str:
        """Who asks; on a Unix socket nobody has an address."""
        return str(self.client_address[0]) if self.client_address else "local"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is said of a request."""
