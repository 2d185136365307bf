"""Who is at the other end of a connection, where logins are taken, and what one account may hold of the server."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import io
import logging
import os
import pwd
import socket
import stat
import struct
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool
from uvicorn.protocols.http.h11_impl import H11Protocol
from visits import Visited

from condor_py.cli.web import peer, places, serve
from condor_py.cli.web.security import LONGEST_HEAD
from condor_py.client import wire
from condor_py.client.pool import Pool
from condor_py.model.errors import CondorError
from condor_py.model.settings.web import WebSettings

# ---- the account behind a connection of TCP --------------------------------------------------------------------------


class Ends:
    """A socket with these two ends."""

    def __init__(self, theirs: str | None) -> None:
        self.theirs = theirs

    def getpeername(self) -> tuple[str, int, int, int]:
        if self.theirs is None:
            raise OSError(errno.ENOTCONN, "not connected")
        return (self.theirs, 4000, 1, 2)

    def getsockname(self) -> tuple[str, int, int, int]:
        return ("127.0.0.1", 9680, 3, 4)


@pytest.mark.parametrize(
    ("theirs", "told", "account"),
    [
        ("127.0.0.1", (1000, 55), 1000),
        ("127.0.0.1", (0, 55), 0),
        ("10.0.0.5", (1000, 55), 1000),
        ("127.0.0.1", (0, 0), peer.Gone),
        ("10.0.0.5", (0, 0), peer.Gone),
        ("127.0.0.1", None, peer.Gone),
        ("::1", None, peer.Gone),
        ("::ffff:127.0.0.1", None, peer.Gone),
        ("10.0.0.5", None, None),
        ("::ffff:10.0.0.5", None, None),
        ("fe80::1%eth0", None, None),
        (None, (1000, 55), peer.Gone),
    ],
)
def test_the_account_at_the_other_end(
    monkeypatch: pytest.MonkeyPatch, theirs: str | None, told: tuple[int, int] | None, account: Any
) -> None:
    """A socket without an inode is closed, and a connection of this machine that the kernel does not know is too."""
    asked: list[Any] = []

    def ask(*ends: Any) -> tuple[int, int] | None:
        asked.append(ends)
        return told

    def refuse(*ends: Any) -> None:
        raise OSError(errno.EPERM, "the kernel does not say")

    for first, second in ((ask, None), (refuse, ask)):
        monkeypatch.setattr(peer, "_asked", first)
        monkeypatch.setattr(peer, "_in_table", second)
        if account is peer.Gone:
            with pytest.raises(peer.Gone):
                peer.local_peer(Ends(theirs))  # type: ignore[arg-type]
        else:
            assert peer.local_peer(Ends(theirs)) == account  # type: ignore[arg-type]
    assert asked == ([((theirs, 4000), ("127.0.0.1", 9680))] * 2 if theirs is not None else [])


class Kernel:
    """A netlink socket that answers with these bytes, and keeps the question."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer
        self.question = b""
        self.made: tuple[object, ...] = ()
        self.patience: float | None = None

    def __call__(self, *made: object) -> Kernel:
        self.made = made
        return self

    def __enter__(self) -> Kernel:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""

    def settimeout(self, patience: float) -> None:
        self.patience = patience

    def sendto(self, question: bytes, place: tuple[int, int]) -> None:
        assert place == (0, 0), "to the kernel itself"
        self.question = question

    def recv(self, most: int) -> bytes:
        return self.answer[:most]


def asked(patch: pytest.MonkeyPatch, answer: bytes, host: str = "127.0.0.1") -> tuple[Any, Kernel]:
    kernel = Kernel(answer)
    patch.setattr(socket, "socket", kernel)
    return peer._asked((host, 4000), (host, 9680)), kernel


def message(kind: int, body: bytes) -> bytes:
    """A message of netlink(7): length, type, flags, sequence number, port."""
    return struct.pack("=IHHII", 16 + len(body), kind, 0, 1, 0) + body


#: The beginning of inet_diag_msg: family, state, timer, retransmissions; the id; three numbers.
FOUND = bytes([socket.AF_INET, 1, 0, 0]) + bytes(48) + bytes(12)


def test_the_question_to_the_kernel_is_that_of_sock_diag(monkeypatch: pytest.MonkeyPatch) -> None:
    for host, family, packed in (
        ("127.0.0.1", socket.AF_INET, bytes([127, 0, 0, 1])),
        ("::ffff:127.0.0.1", socket.AF_INET, bytes([127, 0, 0, 1])),
        ("::1", socket.AF_INET6, bytes(15) + b"\1"),
    ):
        found, kernel = asked(monkeypatch, message(20, FOUND + struct.pack("=II", 1000, 777)), host)
        assert found == (1000, 777)
        assert kernel.made == (socket.AF_NETLINK, socket.SOCK_RAW, 4)
        assert kernel.patience == 1.0
        size, kind, flags = struct.unpack_from("=IHH", kernel.question)
        assert (size, kind, flags) == (72, 20, 1)
        assert len(kernel.question) == 72
        request = kernel.question[16:]
        assert request[:8] == bytes([family, socket.IPPROTO_TCP, 0, 0]) + b"\xff" * 4, "in any state"
        assert struct.unpack_from("!HH", request, 8) == (4000, 9680)
        assert (request[12:28], request[28:44]) == (packed.ljust(16, b"\0"), packed.ljust(16, b"\0"))
        assert request[44:] == bytes(4) + b"\xff" * 8, "on any interface, with any cookie"


def test_what_the_kernel_does_not_find_or_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(monkeypatch, message(2, struct.pack("=i", -errno.ENOENT)))[0] is None
    for kind, body in ((2, struct.pack("=i", -errno.EPERM)), (3, bytes(4)), (3, struct.pack("=i", -errno.ENOENT))):
        with pytest.raises(OSError, match="the kernel does not say") as error:
            asked(monkeypatch, message(kind, body))
        assert error.value.errno == (errno.EPERM if kind == 2 else 0)


TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0FA0 0100007F:25D1 01 00000000:00000000 00:00000000 00000000  1001        5 41 1 0
   1: 0100007F:25D0 0100007F:0FA0 01 00000000:00000000 00:00000000 00000000  1002        6 42 1 0
   2: 0100007F:0FA0 0100007F:25D0 01 00000000:00000000 00:00000000 00000000  1003        7 43 1 0
"""


def test_the_table_of_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are those of x86: 0100007F is 127.0.0.1."""
    monkeypatch.setattr(sys, "byteorder", "little")
    opened: list[str] = []

    def open_(path: str, encoding: str) -> io.StringIO:
        opened.append(path)
        if "tcp6" in path:
            raise FileNotFoundError
        return io.StringIO(TABLE)

    monkeypatch.setattr(peer, "open", open_, raising=False)
    assert peer._in_table(("127.0.0.1", 4000), ("127.0.0.1", 9680)) == (1003, 43)
    assert peer._in_table(("127.0.0.1", 4000), ("127.0.0.1", 9682)) is None
    assert peer._in_table(("::1", 4000), ("::1", 9680)) is None
    assert opened == ["/proc/net/tcp", "/proc/net/tcp", "/proc/net/tcp6"]
    assert peer._as_in_table(bytes(15) + b"\1", 80) == "00000000000000000000000001000000:0050"


# ---- where logins are taken ------------------------------------------------------------------------------------------


def test_places_of_the_socket_for_logins(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool, me = Pool(), os.geteuid()
    mark = hashlib.sha256(os.fsencode(pool.paths.spool)).hexdigest()[:12]
    shared = f"{pool.paths.sockets}/web"
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert places.login_sockets(pool) == [f"{tmp_path}/condor_web-{mark}", shared]
    monkeypatch.setenv("XDG_RUNTIME_DIR", f"{tmp_path}/none")
    assert places.login_sockets(pool) == [f"/tmp/condor_web-{me}/condor_web-{mark}", shared]
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr(os.path, "isdir", lambda path: path == f"/run/user/{me}")
    assert places.login_sockets(pool) == [f"/run/user/{me}/condor_web-{mark}", shared]
    monkeypatch.setattr(os, "access", lambda path, how: (path, how) == (pool.paths.sockets, os.W_OK))
    assert places.own_socket(pool) == shared


def test_a_spool_whose_name_is_no_text_has_a_place(spool: Spool) -> None:
    paths = SimpleNamespace(spool="/a\udcff", sockets="/s")
    mark = hashlib.sha256(b"/a\xff").hexdigest()[:12]
    assert places.login_sockets(SimpleNamespace(paths=paths))[0].endswith(f"/condor_web-{mark}")  # type: ignore[arg-type]


def test_the_folder_for_logins_is_made_for_this_account_alone(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    pool = Pool()
    monkeypatch.setattr(os, "access", lambda path, how: False)
    monkeypatch.setattr(places, "login_sockets", lambda pool: [f"{folder}/x", "/shared/web"])
    before = os.umask(0)
    try:
        assert places.own_socket(pool) == f"{folder}/x"
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert places.own_socket(pool) == f"{folder}/x", "one that is there serves again"
    folder.chmod(0o755)
    assert places.own_socket(pool) == f"{folder}/x", "others may look"
    refused = f"^condor_web: {folder} is not a directory of this account alone: remove it$"
    for mode in (0o775, 0o757):
        folder.chmod(mode)
        with pytest.raises(CondorError, match=refused):
            places.own_socket(pool)
    folder.chmod(0o700)
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: 54321)
        with pytest.raises(CondorError, match=refused):
            places.own_socket(pool)
    folder.rmdir()
    for make in (lambda: folder.symlink_to(tmp_path), lambda: folder.write_text("x")):
        make()
        folder.chmod(0o700, follow_symlinks=True)
        with pytest.raises(CondorError, match=refused):
            places.own_socket(pool)
        folder.unlink()
    monkeypatch.setattr(places, "login_sockets", lambda pool: [f"{tmp_path}/none/folder/x", ""])
    said = f"^condor_web: cannot make the directory {tmp_path}/none/folder: No such file or directory$"
    with pytest.raises(CondorError, match=said):
        places.own_socket(pool)


@pytest.mark.parametrize(
    ("uid", "owner", "trusted"),
    [(0, 5, True), (5, 5, True), (7, 5, True), (6, 5, False), (1, None, False), (0, None, True), (7, None, True)],
)
def test_trusted_servers(monkeypatch: pytest.MonkeyPatch, uid: int, owner: int | None, trusted: bool) -> None:
    """Those of root, of the account of the pool (if it has a place for sockets), and of the caller, here 7."""

    def stat_(path: str) -> Any:
        if owner is None:
            raise FileNotFoundError
        return SimpleNamespace(st_uid=owner)

    monkeypatch.setattr(places, "os", SimpleNamespace(stat=stat_, geteuid=lambda: 7))
    monkeypatch.setattr(wire, "peer_of", lambda client: SimpleNamespace(uid=uid))
    pool = SimpleNamespace(paths=SimpleNamespace(sockets="/s"))
    assert places._is_trusted(None, pool) is trusted  # type: ignore[arg-type]


class Answering:
    """A connection to a server that answers so."""

    def __init__(self, *parts: bytes | OSError) -> None:
        self.parts = list(parts)

    def __enter__(self) -> Answering:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""

    def recv(self, most: int) -> bytes:
        part = self.parts.pop(0) if self.parts else b""
        if isinstance(part, OSError):
            raise part
        return part[:most]


@pytest.mark.parametrize(
    ("parts", "answer"),
    [
        ((b"http://a/lo", b"gin/x\n"), "http://a/login/x"),
        ((b"https://pool.example.net/login/x\n",), "https://pool.example.net/login/x"),
        ((b"ftp://a\n",), "condor_web: ftp://a"),
        ((b"http://a/\x1b[2J\n",), "condor_web: http://a/\x1b[2J"),
        ((b"\xff\n",), "condor_web: \N{REPLACEMENT CHARACTER}"),
        ((b"http://", TimeoutError()), "condor_web: the server does not answer: "),
        ((ConnectionResetError(104, "Connection reset by peer"),),
         "condor_web: the server does not answer: Connection reset by peer"),
    ],
)  # fmt: skip
def test_answers_to_a_login(monkeypatch: pytest.MonkeyPatch, spool: Spool, parts: Any, answer: str) -> None:
    connected: list[float] = []

    def connect(path: str, patience: float) -> Answering:
        connected.append(patience)
        return Answering(*parts)

    monkeypatch.setattr(wire, "connect", connect)
    monkeypatch.setattr(places, "_is_trusted", lambda client, pool: True)
    if answer.startswith("http"):
        assert places.ask_for_login(Pool()) == answer
    else:
        with pytest.raises(CondorError) as error:
            places.ask_for_login(Pool())
        assert str(error.value) == answer
    assert connected == [5.0], "the first that answers counts"


def test_an_answer_without_an_end_is_bounded() -> None:
    assert len(places._all_of(Answering(*[b"x" * 4096] * 9))) == 4096  # type: ignore[arg-type]
    assert len(places._all_of(Answering(*[b"x" * 4095] * 9))) == 8190  # type: ignore[arg-type]


# ---- the server ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("euid", "owns", "public", "mode", "others"),
    [
        (0, False, False, 0o666, True),
        (0, True, True, 0o666, True),
        (1000, True, True, 0o666, True),
        (1000, True, False, 0o600, False),
        (1000, False, True, 0o600, False),
    ],
)
def test_whom_a_server_lets_log_in(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, euid: int, owns: bool, public: bool, mode: int, others: bool
) -> None:
    """Root's server takes all accounts; that of a personal pool the others where the pool is public."""
    monkeypatch.setattr(os, "geteuid", lambda: euid)
    monkeypatch.setattr(Pool, "owns_spool", owns)
    monkeypatch.setattr(Pool, "owner", "ann")
    monkeypatch.setattr(serve, "serves_others", lambda public: public)
    monkeypatch.setattr(serve, "own_socket", lambda pool: f"{spool.path.parent}/login")
    monkeypatch.setenv("_CONDOR_PERSONAL_POOL_IS_PUBLIC", str(public))
    server = serve._Server(Pool(), WebSettings(port=0), None)
    try:
        assert stat.S_IMODE(os.stat(server._login_path).st_mode) == mode
        assert [server._door.admits(user) for user in ("ann", "root", "bea")] == [True, True, others]
        assert (server._log, server._parent) == (None, None)
    finally:
        server._socket.close()
        server._login.close()


def test_a_server_of_another_account_is_not_in_the_way(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    place = f"{spool.path.parent}/login"
    monkeypatch.setattr(serve, "login_sockets", lambda pool: [place])
    monkeypatch.setattr(serve, "own_socket", lambda pool: place)
    first = serve._Server(Pool(), WebSettings(port=0), None)
    try:
        with pytest.raises(CondorError, match="served already"):
            serve._Server(Pool(), WebSettings(port=0), None)
        monkeypatch.setattr(wire, "peer_of", lambda other: SimpleNamespace(uid=54321))
        second = serve._Server(Pool(), WebSettings(port=0), None)
        second._socket.close()
        second._login.close()
    finally:
        first._socket.close()
        first._login.close()


def test_accounts_that_see_everything_where_the_spool_tells_of_none(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_account(uid: int) -> None:
        raise KeyError(uid)

    with monkeypatch.context() as patch:
        patch.setattr(pwd, "getpwuid", no_account)
        sees = serve.administrator(Pool())
        assert [sees(name) for name in ("root", "condor", "ann", "")] == [True, True, False, False]
    monkeypatch.setenv("_CONDOR_SPOOL", "/nowhere")
    monkeypatch.setenv("_CONDOR_QUEUE_SUPER_USERS", "")
    sees = serve.administrator(Pool())
    assert [sees(name) for name in ("root", "condor", "ann")] == [True, True, False]
    monkeypatch.setenv("_CONDOR_QUEUE_SUPER_USERS", "ann")
    sees = serve.administrator(Pool())
    assert [sees(name) for name in ("root", "condor", "ann")] == [True, False, True]


@pytest.mark.parametrize(
    ("family", "name", "names", "address"),
    [
        (socket.AF_INET, ("127.0.0.1", 9680), (), "http://127.0.0.1:9680"),
        (socket.AF_INET6, ("::1", 9680, 0, 0), (), "http://[::1]:9680"),
        (socket.AF_UNIX, "/run/x", (), "http://localhost"),
        (socket.AF_INET, ("127.0.0.1", 9680), ("a.example.net", "b"), "https://a.example.net"),
        (socket.AF_UNIX, "/run/x", ("a.example.net",), "https://a.example.net"),
    ],
)
def test_the_address_of_the_site(family: int, name: Any, names: tuple[str, ...], address: str) -> None:
    server = object.__new__(serve._Server)
    server._socket = SimpleNamespace(family=family, getsockname=lambda: name)  # type: ignore[assignment]
    server._door = SimpleNamespace(settings=WebSettings(host_names=names))  # type: ignore[assignment]
    assert server._address() == address


def test_where_browsers_are_listened_to(tmp_path: Path) -> None:
    with serve._listening(WebSettings(port=0)) as found:
        assert (found.family, found.getsockname()[0]) == (socket.AF_INET, "127.0.0.1")
        assert found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) == 1
        assert found.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR) == 1
    path = tmp_path / "web"
    for _ in range(2):  # the second finds the socket of the first
        with serve._listening(WebSettings(socket=str(path))) as found:
            assert found.family == socket.AF_UNIX
        assert stat.S_IMODE(path.stat().st_mode) == 0o666
    path.unlink()
    path.symlink_to("/nowhere")
    with pytest.raises(CondorError, match="is there, and is no socket"):
        serve._listening(WebSettings(socket=str(path)))


def test_how_the_server_of_pages_is_set_up(spool: Spool) -> None:
    made = serve._configuration(Visited().site)
    assert (made.ws, made.lifespan, made.loop, made.http) == ("none", "off", "asyncio", serve._Protocol)
    assert (made.access_log, made.proxy_headers, made.server_header, made.log_config) == (False, False, False, None)
    assert (made.limit_concurrency, made.h11_max_incomplete_event_size, made.timeout_graceful_shutdown) == (
        256, LONGEST_HEAD, 2,
    )  # fmt: skip


def answered(patch: pytest.MonkeyPatch, names: Any, only: str = "") -> tuple[str, Visited]:
    """What the socket for logins answers an account whose name is looked up so."""
    visited = Visited(only=only)
    server = object.__new__(serve._Server)
    server._door = visited.door
    server._socket = SimpleNamespace(family=socket.AF_UNIX)  # type: ignore[assignment]
    patch.setattr(wire, "peer_of", lambda sock: SimpleNamespace(uid=1000))
    patch.setattr(pwd, "getpwuid", names)
    said: list[bytes] = []
    closed: list[int] = []

    async def drain() -> None:
        raise ConnectionResetError

    writer = SimpleNamespace(
        get_extra_info=lambda name: {"socket": "the socket"}[name], write=said.append, drain=drain,
        close=lambda: closed.append(1),
    )  # fmt: skip
    asyncio.run(server._log_in(None, writer))  # type: ignore[arg-type]
    assert closed == [1], "also where the caller has gone"
    return b"".join(said).decode(), visited


def test_the_kernel_says_who_logs_in(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(uid: int) -> None:
        raise KeyError(uid)

    refused = "these pages are of a personal pool: other accounts do not get in\n"
    said, visited = answered(monkeypatch, lambda uid: SimpleNamespace(pw_name=f"user{uid}"))
    token = said.removeprefix("http://localhost/login/").removesuffix("\n")
    assert visited.door.owner_of(token) == "user1000"
    assert answered(monkeypatch, unknown)[0] == refused
    assert answered(monkeypatch, lambda uid: SimpleNamespace(pw_name="bea"), only="ann")[0] == refused


def test_complaints_go_to_the_log_or_in_one_line_to_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CONDOR_PY_TRACEBACK", raising=False)
    server = object.__new__(serve._Server)
    server._log = None
    complaints = serve._Complaints(server._complain)
    logger = logging.Logger("test")
    logger.addHandler(complaints)
    logger.info("nothing")
    logger.warning("it is %s", "late")
    server._complain("first\nsecond")
    assert capsys.readouterr().err == "condor_web: it is late\ncondor_web: first\n"
    monkeypatch.setenv("CONDOR_PY_TRACEBACK", "1")
    server._complain("first\nsecond")
    assert capsys.readouterr().err == "condor_web: first\nsecond\n"
    lines: list[str] = []
    server._log = SimpleNamespace(write=lines.append)  # type: ignore[assignment]
    server._complain("first\nsecond")
    assert (lines, capsys.readouterr().err) == (["first\nsecond"], "")


# ---- connections -----------------------------------------------------------------------------------------------------


class Transport(asyncio.Transport):
    """The end of a connection that the server has, with bytes that are not read yet."""

    def __init__(self, unread: int = 0) -> None:
        super().__init__()
        self.unread = unread
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        """It ends in a later turn of the loop."""

    def get_write_buffer_size(self) -> int:
        return self.unread


class Connections:
    """Connections of accounts to a server that does not run."""

    def __init__(self, patch: pytest.MonkeyPatch, proxies: tuple[str, ...] = ()) -> None:
        self._patch = patch
        self.config = serve._configuration(Visited().site)
        self.state = serve._Uvicorn(self.config).server_state
        patch.setattr(serve._Protocol, "accounts", Counter())
        patch.setattr(serve._Protocol, "proxies", frozenset(proxies))

    def add(self, account: str, unread: int = 0) -> Any:
        def name(protocol: serve._Protocol, sock: object) -> None:
            if account == "gone":
                raise peer.Gone
            protocol.client = (account, 0)

        self._patch.setattr(serve._Protocol, "_name_client", name)
        made = serve._Protocol(self.config, self.state, {})
        made.connection_made(Transport(unread))
        return made


def run(patch: pytest.MonkeyPatch, work: Any, proxies: tuple[str, ...] = ()) -> Any:
    async def inside() -> Any:
        connections = Connections(patch, proxies)
        try:
            return work(connections)
        finally:
            remaining: list[Any] = list(connections.state.connections)
            for each in remaining:
                each._checks.cancel()

    return asyncio.run(inside())


def test_an_account_has_sixty_four_connections_and_a_proxy_any_number(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(made: Connections) -> None:
        ann = [made.add("local:1000") for _ in range(65)]
        assert [each.transport.aborted for each in ann] == [False] * 64 + [True]
        assert not made.add("local:1001").transport.aborted
        proxy = [made.add("account:www-data") for _ in range(100)]
        assert not any(each.transport.aborted for each in proxy)
        assert made.add("gone").transport.aborted
        assert len(made.state.connections) == 64 + 1 + 100
        for each in ann[:2]:
            each.connection_lost(None)
        assert serve._Protocol.accounts["local:1000"] == 63
        assert not made.add("local:1000").transport.aborted
        for each in proxy:
            each.connection_lost(None)
        assert "account:www-data" not in serve._Protocol.accounts

    run(monkeypatch, work, ("www-data",))


def test_answers_that_an_account_does_not_read_are_bounded_over_its_connections(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixteen megabytes are allowed, and what others do not read does not count."""
    half = 1 << 23
    taken: list[bytes] = []
    monkeypatch.setattr(H11Protocol, "data_received", lambda self, data: taken.append(data))

    def work(made: Connections) -> None:
        first, second = made.add("local:1000", half), made.add("local:1000", half)
        other = made.add("local:1001", half)
        first.data_received(b"exactly")
        assert not first.transport.aborted
        second.transport.unread += 1
        other.data_received(b"other")
        first.data_received(b"more")
        assert [each.transport.aborted for each in (first, second, other)] == [True, False, False]
        proxy = made.add("account:www-data", 4 * half)
        proxy.data_received(b"proxy")
        assert not proxy.transport.aborted

    run(monkeypatch, work, ("www-data",))
    assert taken == [b"exactly", b"other", b"proxy"]


@pytest.mark.parametrize(
    ("looks", "closed"),
    [
        # (the request that is answered, whether it is, bytes that are not read) at each check
        ([(None, False, 0), (None, False, 0)], True),
        ([(None, False, 0), ("a", False, 0), ("a", False, 0)], False),
        ([("a", True, 0), ("a", True, 0)], True),
        ([("a", True, 0), ("b", True, 0)], False),
        ([("a", False, 5), ("a", False, 5)], True),
        ([("a", False, 5), ("a", False, 4)], False),
        ([("a", False, 0), ("a", False, 0)], False),
    ],
)
def test_connections_that_stand_still_between_two_checks(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, looks: list[tuple[str | None, bool, int]], closed: bool
) -> None:
    cycles = {name: [SimpleNamespace(name=name, response_complete=done) for done in (False, True)] for name in "ab"}

    def work(made: Connections) -> bool:
        one = made.add("local:1000")
        for name, done, unread in looks:
            assert not one.transport.aborted
            one.cycle = None if name is None else cycles[name][done]
            one.transport.unread = unread
            one._checks.cancel()
            one._check()
            if not one.transport.aborted:
                assert one._checks.when() - one.loop.time() == pytest.approx(10.0, abs=5.0)
                one._checks.cancel()
        return bool(one.transport.aborted)

    assert run(monkeypatch, work) is closed


def test_what_a_client_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    def named(family: int, name: str | None, owner: int | None = None) -> Any:
        def look(uid: int) -> Any:
            if name is None:
                raise KeyError(uid)
            return SimpleNamespace(pw_name=name)

        monkeypatch.setattr(wire, "peer_of", lambda sock: SimpleNamespace(uid=1000))
        monkeypatch.setattr(pwd, "getpwuid", look)
        monkeypatch.setattr(serve, "local_peer", lambda sock: owner)
        one = object.__new__(serve._Protocol)
        one.client = ("10.0.0.5", 4000)
        one._name_client(SimpleNamespace(family=family))  # type: ignore[arg-type]
        return one.client

    assert named(socket.AF_UNIX, "ann") == ("account:ann", 0)
    assert named(socket.AF_UNIX, None) == ("account:1000", 0)
    assert named(socket.AF_INET, "ann", 0) == ("local:0", 0)
    assert named(socket.AF_INET6, "ann", 1000) == ("local:1000", 0)
    assert named(socket.AF_INET, "ann", None) == ("10.0.0.5", 4000)
