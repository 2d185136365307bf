"""The server: it listens, lets people log in through a Unix socket, and stops when it is asked to."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pwd
import signal
import socket
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from condor_py.cli.web.app import Site
from condor_py.cli.web.live import Watch
from condor_py.cli.web.login import Doorkeeper
from condor_py.cli.web.peer import Gone, local_peer
from condor_py.cli.web.places import login_sockets, own_socket
from condor_py.cli.web.security import LONGEST_HEAD
from condor_py.client import wire
from condor_py.client.accounts import account_name, is_super_user
from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.service import PARENT_FD
from condor_py.daemons.common.strangers import serves_others
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.lang.config.builders.superusers import super_users
from condor_py.lang.config.builders.web import web
from condor_py.model.errors import CondorError
from condor_py.model.settings.web import WebSettings

if TYPE_CHECKING:
    from condor_py.client.pool import Pool

#: Connections at a time, and seconds that a stop waits for answers.
_MOST_CONNECTIONS, _PATIENCE = 256, 2
#: Connections of one account at a time, bytes of answers that it has not read when it asks for more, and seconds
#: between two checks whether a connection stands still.
_MOST_OF_ACCOUNT, _MOST_UNREAD, _CHECKED = 64, 1 << 24, 10.0
#: What a server says to an account that may not log in.
_TURNED_AWAY = "these pages are of a personal pool: other accounts do not get in"


def serve(pool: Pool, settings: WebSettings, *, wall: bool) -> int:
    """Serve until a signal ends it. CondorError when it cannot listen."""
    parent = os.environ.pop(PARENT_FD, "")
    server = _Server(pool, settings, int(parent) if parent.isdecimal() else None)
    server.announce(wall)
    asyncio.run(server.run())
    return 0


def administrator(pool: Pool) -> Callable[[str], bool]:
    """Return whether an account sees everything, as the tools decide: root, QUEUE_SUPER_USERS, the owner of a pool."""
    listed = {"root", *super_users(pool.config)}
    with contextlib.suppress(OSError, KeyError):
        listed.add(pwd.getpwuid(os.stat(pool.paths.spool).st_uid).pw_name)
    return lambda account: is_super_user(account, listed)


class _Server:
    """One server with its socket for logins. ``parent`` is the end of a pipe of the condor_master; None for a person's
    command."""

    def __init__(self, pool: Pool, settings: WebSettings, parent: int | None) -> None:
        self._pool = pool
        self._parent = parent
        self._log = DaemonLog(daemon_knobs.log(pool.config, "WEB"), "web") if parent is not None else None
        self._refuse_second()
        self._path = settings.socket
        self._socket = _listening(settings)
        self._login_path = own_socket(pool)
        is_public = pool.config.boolean("PERSONAL_POOL_IS_PUBLIC")
        everyone = os.geteuid() == 0 or (pool.owns_spool and serves_others(is_public))
        self._login = wire.listen(self._login_path, 0o666 if everyone else 0o600)
        self._door = Doorkeeper(settings, administrator(pool), "" if everyone else pool.owner, time.monotonic)
        self._site = Site(Watch(), self._door, self._complain)
        self._logins: asyncio.Server | None = None
        _Protocol.proxies = frozenset(settings.proxy_addresses)
        self._uvicorn = _Uvicorn(_configuration(self._site))

    def _refuse_second(self) -> None:
        """CondorError where this account serves the pages of this pool already."""
        for path in login_sockets(self._pool):
            with contextlib.suppress(wire.WireError), wire.connect(path, _PATIENCE) as other:
                if wire.peer_of(other).uid == os.geteuid():
                    raise CondorError("condor_web: the pages are served already: condor_web -login lets you in")

    def announce(self, wall: bool) -> None:
        """Print or log the address."""
        place = self._address()
        if self._log is not None:
            self._log.write_banner("web", "WEB")
            self._log.write(f"Serving the pages at {place}")
            return
        if wall and self._door.settings.wall:
            sys.stdout.write(f"{place}/wall\n")
            sys.stdout.flush()
            return
        token = self._door.token(self._pool.owner)
        sys.stdout.write(f"{place}/login/{token}{'?to=wall' if wall else ''}\n")
        sys.stdout.flush()
        sys.stderr.write("Open it within a minute; condor_web -login prints another. ^C ends this.\n")

    async def run(self) -> None:
        """Serve until a signal, or the end of the parent."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            loop.add_signal_handler(number, self._stop, signal.Signals(number).name)
        if self._parent is not None:
            loop.add_signal_handler(signal.SIGHUP, self._reconfigure)
            loop.add_reader(self._parent, self._stop, "The condor_master is gone")
        else:
            loop.add_signal_handler(signal.SIGHUP, self._stop, "SIGHUP")
        logging.getLogger("uvicorn.error").addHandler(_Complaints(self._complain))
        self._logins = await asyncio.start_unix_server(self._log_in, sock=self._login)
        try:
            await self._uvicorn.serve(sockets=[self._socket])
        finally:
            self._close()

    def _close(self) -> None:
        """Take no more logins."""
        if self._logins is None:
            return
        self._logins.close()
        self._logins = None
        for path in filter(None, (self._login_path, self._path)):
            with contextlib.suppress(OSError):
                os.unlink(path)

    def _stop(self, why: str) -> None:
        if self._log is not None:
            self._log.write(f"{why}: Exiting.")
            if self._parent is not None:
                asyncio.get_running_loop().remove_reader(self._parent)
        self._close()
        self._site.streams.close()
        self._uvicorn.should_exit = True

    def _reconfigure(self) -> None:
        """Use knobs that have changed; those about where it listens count from the next start."""
        from condor_py.client.pool import open_pool

        try:
            pool = open_pool("WEB")
            self._door.settings = web(pool.config)
            self._site.watch.pool.configure(pool.config)
        except CondorError as error:
            self._complain(f"the old configuration stays in force: {error}")

    def _complain(self, text: str) -> None:
        if self._log is not None:
            self._log.write(text)
        else:
            first = text.partition("\n")[0] if "CONDOR_PY_TRACEBACK" not in os.environ else text
            sys.stderr.write(f"condor_web: {first}\n")

    async def _log_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a caller of condor_web -login with an address that lets it in."""
        try:
            uid = wire.peer_of(writer.get_extra_info("socket")).uid
            user = pwd.getpwuid(uid).pw_name
        except (OSError, KeyError):
            user = ""
        place = self._address()
        answer = f"{place}/login/{self._door.token(user)}" if self._door.admits(user) else _TURNED_AWAY
        with contextlib.suppress(OSError):
            writer.write(f"{answer}\n".encode())
            await writer.drain()
        writer.close()

    def _address(self) -> str:
        """Return where browsers reach the site."""
        names = self._door.settings.host_names
        if names:
            return f"https://{names[0]}"
        if self._socket.family == socket.AF_UNIX:
            return "http://localhost"
        host, port = self._socket.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _listening(settings: WebSettings) -> socket.socket:
    """Return the socket for browsers. CondorError."""
    if settings.socket:
        if os.path.lexists(settings.socket) and not stat.S_ISSOCK(os.lstat(settings.socket).st_mode):
            raise CondorError(f"condor_web: {settings.socket} is there, and is no socket")
        try:
            return wire.listen(settings.socket, 0o666)
        except OSError as error:
            raise CondorError(f"condor_web: cannot listen on {settings.socket}: {error.strerror}") from None
    family = socket.AF_INET6 if ":" in settings.interface else socket.AF_INET
    sock = socket.socket(family)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((settings.interface, settings.port))
        sock.listen(128)
    except OSError as error:
        sock.close()
        place = f"port {settings.port} of {settings.interface}"
        raise CondorError(f"condor_web: cannot listen on {place}: {error.strerror} (see WEB_PORT)") from None
    return sock


def _configuration(site: Site) -> uvicorn.Config:
    return uvicorn.Config(
        site.application(),
        loop="asyncio",
        http=_Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        h11_max_incomplete_event_size=LONGEST_HEAD,
        timeout_graceful_shutdown=_PATIENCE,
    )


class _Uvicorn(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: they are handled above."""
        yield


class _Protocol(H11Protocol):
    """HTTP that knows which account is at the other end of a connection of this machine: its client is called
    ``account:NAME`` on a Unix socket, ``local:UID`` on a loopback address. None of them but a proxy may have all
    connections."""

    #: Connections by account, and accounts that may have any number of them.
    accounts: ClassVar[Counter[str]] = Counter()
    proxies: ClassVar[frozenset[str]] = frozenset()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Name the account at the other end, and refuse one that has too many connections."""
        super().connection_made(transport)
        self._seen: tuple[object, int] | None = None
        self._checks = self.loop.call_later(_CHECKED, self._check)
        gone = False
        try:
            self._name_client(transport.get_extra_info("socket"))
        except Gone:
            gone = True
        self._account = self.client[0] if self.client else ""
        self._is_proxy = self._account.removeprefix("account:") in self.proxies
        self.accounts[self._account] += 1
        if gone or (self.accounts[self._account] > _MOST_OF_ACCOUNT and not self._is_proxy):
            transport.abort()
            self.connections.discard(self)  # it ends in a later turn, and counts for no account until then

    def data_received(self, data: bytes) -> None:
        """Take a part of a request, unless the account does not read the answers that it has."""
        unread = sum(each.transport.get_write_buffer_size() for each in self.connections if self._is_like(each))
        if unread > _MOST_UNREAD and not self._is_proxy:
            self.transport.abort()
        else:
            super().data_received(data)

    def _is_like(self, other: object) -> bool:
        return isinstance(other, _Protocol) and other._account == self._account

    def _name_client(self, sock: socket.socket) -> None:
        if sock.family == socket.AF_UNIX:
            self.client = (f"account:{account_name(wire.peer_of(sock).uid)}", 0)
        elif (owner := local_peer(sock)) is not None:
            self.client = (f"local:{owner}", 0)

    def _check(self) -> None:
        """Close a connection that stands still since the last check: with a part of a request, or with an answer that
        is not read."""
        unread = self.transport.get_write_buffer_size()
        waits = self.cycle is None or self.cycle.response_complete
        if (waits or unread) and self._seen == (self.cycle, unread):
            self.transport.abort()
            return
        self._seen = self.cycle, unread
        self._checks = self.loop.call_later(_CHECKED, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._checks.cancel()
        self.accounts[self._account] -= 1
        if not self.accounts[self._account]:
            del self.accounts[self._account]


class _Complaints(logging.Handler):
    """Log lines of the server, where they are warnings or errors."""

    def __init__(self, complain: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._complain = complain

    def emit(self, record: logging.LogRecord) -> None:
        """Write one."""
        self._complain(self.format(record))
