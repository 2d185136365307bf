"""The Chirp protocol: our server with our client, and with HTCondor's own program and module where they are there."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from condor_py.client import wire
from condor_py.client.chirp import condor_chirp
from condor_py.client.chirp_client import HTChirp
from condor_py.client.chirpwire import INVALID_REQUEST, LINE_MAX, NOT_AUTHORIZED, TOO_BIG, quoted, words
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.starter.chirp import ChirpServer, Delayed, grants_of
from condor_py.daemons.starter.chirpsession import Grants
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.starter import ChirpSettings

REAL = shutil.which("condor_chirp", path=os.environ.get("HTCONDOR_LIBEXEC", "/usr/libexec/condor"))


class _Job:
    job_id = "7.0"

    def __init__(self, iwd: str) -> None:
        self.iwd = iwd


class _Run:
    """What the server asks of a run."""

    owner = submitter = None

    def __init__(self, iwd: str) -> None:
        self.job = _Job(iwd)


class Server:
    """A server in a process of its own. ``iwd`` is the directory at the access point."""

    def __init__(self, root: Path, ad: dict[str, str], limits: tuple[str, ...] = (), **given: Any) -> None:
        self.iwd = root / "iwd"
        self.iwd.mkdir()
        told, tell = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            try:
                self._serve(root, ad, limits, ChirpSettings(**given), tell)
            finally:
                os._exit(0)
        os.close(tell)
        with open(told, "rb") as file:
            self.variables = {"_CONDOR_CHIRP_CONFIG": file.read().decode()}

    def _serve(self, root: Path, ad: dict[str, str], limits: tuple[str, ...], given: ChirpSettings, tell: int) -> None:
        loop, job_ad = Loop(), ClassAd()
        for name, text in ad.items():
            job_ad.set_text(name, text)
        server = ChirpServer(loop, given, str(root), set(), lambda line: None)
        loop.on_signal(signal.SIGTERM, lambda: server.drain(loop.stop))
        variables = server.open(_Run(str(self.iwd)), job_ad, str(root / "no-schedd"), limits)  # type: ignore[arg-type]
        os.write(tell, variables["_CONDOR_CHIRP_CONFIG"].encode())
        os.close(tell)
        loop.run()
        server.close()

    def close(self) -> None:
        """The end of the program: what was sent is served, then it is over."""
        if self._pid:
            os.kill(self._pid, signal.SIGTERM)
            os.waitpid(self._pid, 0)
        self._pid = 0

    def raw(self) -> socket.socket:
        host, port, _ = Path(self.variables["_CONDOR_CHIRP_CONFIG"]).read_text().split()
        return socket.create_connection((host, int(port)), 10)

    def entered(self) -> socket.socket:
        sock = self.raw()
        cookie = Path(self.variables["_CONDOR_CHIRP_CONFIG"]).read_text().split()[2]
        sock.sendall(b"cookie " + cookie.encode() + b"\n")
        assert sock.recv(10) == b"0\n"
        return sock


Make = Callable[..., Server]
WANTED = {"WantIOProxy": "true", "Owner": '"alice"', "Cmd": '"/bin/with \\"quotes\\""', "Env": f'"{"x" * 1_000_000}"'}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients may show the cookie as late as they do on a busy machine."""
    monkeypatch.setattr("condor_py.daemons.starter.chirp._PATIENCE", 300.0)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Server] = []

    def one(ad: dict[str, str] | None = None, **given: Any) -> Server:
        made.append(Server(tmp_path, WANTED if ad is None else ad, **given))
        return made[-1]

    yield one
    for server in made:
        server.close()


@pytest.fixture
def client(make: Make, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, HTChirp]]:
    server = make()
    monkeypatch.setenv("_CONDOR_CHIRP_CONFIG", server.variables["_CONDOR_CHIRP_CONFIG"])
    with HTChirp() as chirp:
        yield server, chirp


@pytest.mark.parametrize("word", ["plain", "two words", "a\\b", "tab\there", "line\nend", "ümlaut", "\\"])
def test_words_survive_the_line(word: str) -> None:
    assert words(b"ulog " + quoted(word)) == [b"ulog", word.encode()]


def test_what_is_granted() -> None:
    def granted(settings: ChirpSettings, **ad: str) -> Grants:
        made = ClassAd()
        for name, text in ad.items():
            made.set_text(name, text)
        return grants_of(settings, made)

    assert granted(ChirpSettings()) == Grants(False, False, True)
    assert granted(ChirpSettings(), WantIOProxy="true") == Grants(True, True, True)
    assert granted(ChirpSettings(), WantRemoteUpdates="true", WantDelayedUpdates="false") == Grants(False, True, False)
    assert granted(ChirpSettings(files=False), WantIOProxy="true") == Grants(False, False, True)
    assert granted(ChirpSettings(updates=False), WantIOProxy="true") == Grants(True, False, True)
    assert not granted(ChirpSettings(False, False, False), WantIOProxy="true").any


def test_delayed_changes_are_limited() -> None:
    ad = ClassAd()
    delayed = Delayed(ChirpSettings(delayed_names=("Chirp*", "Owner"), most_delayed=2), ad)
    assert delayed.set("Owner", '"root"') == NOT_AUTHORIZED
    assert delayed.set("ChirpA", "1 + 1") == 0
    assert delayed.set("chirpB", "2") == 0
    assert delayed.set("ChirpA", "3") == 0
    assert delayed.set("ChirpC", "4") == NOT_AUTHORIZED
    assert delayed.set("Other", "4") == NOT_AUTHORIZED
    assert delayed.set("Owner", '"root"') == NOT_AUTHORIZED
    assert delayed.set("ChirpA", "((") == INVALID_REQUEST
    assert delayed.set("ChirpA", "1" * 1000) == TOO_BIG
    assert delayed.set("ChirpA", '"' + "\udcff" * 1000 + '"') == TOO_BIG
    assert delayed.set("ChirpB", '"\udcff"') == 0
    assert delayed.get("CHIRPA") == "3"
    assert delayed.take() == {"ChirpA": "3", "ChirpB": '"\udcff"'}
    assert delayed.take() == {}


def test_files(client: tuple[Server, HTChirp], tmp_path: Path) -> None:
    server, chirp = client
    (server.iwd / "given").write_bytes(b"0123456789")
    assert chirp.fetch("given", str(tmp_path / "got")) == 10
    assert (tmp_path / "got").read_bytes() == b"0123456789"
    assert chirp.read("given", 4) == b"0123"
    assert chirp.read("given", 4, 3) == b"3456"
    assert chirp.read("given", 4, 0, 2, 5) == b"0156"
    assert chirp.put(str(tmp_path / "got"), "a file") == 10
    assert chirp.write(b"xy", "a file", "w", None, None, 8) == 2
    assert chirp.write(b"abcd", "a file", "w", None, None, 0, 2, 4) == 4
    assert (server.iwd / "a file").read_bytes() == b"ab23cd67xy"
    chirp.write(b"more", "a file", "wa")
    chirp.rename("a file", "other")
    assert chirp.stat("other")["size"] == 14
    chirp.mkdir("d")
    chirp.link("other", "d/l")
    chirp.symlink("../other", "d/s")
    assert chirp.readlink("d/s") == b"../other"
    assert chirp.getdir("d") == ["l", "s"]
    assert chirp.getdir("d", True) == {"l": chirp.stat("d/l"), "s": chirp.stat("d/s")}
    with pytest.raises(HTChirp.NotEmpty):  # type: ignore[attr-defined]
        chirp.rmdir("d")
    chirp.rmdir("d", True)
    with pytest.raises(HTChirp.DoesntExist):  # type: ignore[attr-defined]
        chirp.fetch("d/l", str(tmp_path / "got"))
    assert chirp.statfs(".")["f_bsize"] > 0
    assert (chirp.whoami(), chirp.whoareyou("x")) == ("CONDOR", "UNKNOWN")


def test_command_lines(client: tuple[Server, HTChirp], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    server, _ = client
    (server.iwd / "given").write_bytes(b"0123456789")
    (server.iwd / "soft").symlink_to("given")
    for line, code, told in (
        ("fetch given -", 0, "0123456789"), ("readlink soft 3", 0, "giv\n"), ("statfs .", 0, "f_ffree: "),
        ("read given x", 1, "LENGTH must be a number, not x"), ("read -offset", 1, "condor_chirp read [-offset N]"),
        ("chmod given 999", 1, "MODE must be an octal number, not 999"),
        ("truncate given y", 1, "LENGTH must be a number, not y"),
        ("utime given now 1", 1, "ATIME must be a number, not now"),
        ("remove none", 1, "There is no object by that name."),
    ):  # fmt: skip
        assert condor_chirp(line, return_exit_code=True) == code, line
        sys.stdout.flush()
        assert told in b"".join(capfdbinary.readouterr()).decode(), line


def test_a_fetched_file_follows_what_the_output_has(make: Make, tmp_path: Path) -> None:
    server = make()
    (server.iwd / "given").write_bytes(b"0123456789")
    program = [sys.executable, "-I", str(Path(__file__).parents[3] / "condor_py" / "__main__.py")]
    with (tmp_path / "out").open("wb", 0) as out:
        out.write(b"before ")
        done = subprocess.run(
            [*program, "condor_chirp", "fetch", "given", "-"],
            stdout=out,
            env={**os.environ, **server.variables},
            check=False,
        )
    assert (done.returncode, (tmp_path / "out").read_bytes()) == (0, b"before 0123456789")


def test_a_pipe_is_not_waited_for(client: tuple[Server, HTChirp], tmp_path: Path) -> None:
    server, chirp = client
    os.mkfifo(server.iwd / "pipe")
    with pytest.raises(HTChirp.ChirpError):
        chirp.fetch("pipe", str(tmp_path / "got"))


def test_the_job_ad(client: tuple[Server, HTChirp]) -> None:
    _, chirp = client
    assert chirp.get_job_attr("owner") == '"alice"'
    assert chirp.get_job_attr("Cmd") == WANTED["Cmd"]
    assert chirp.get_job_attr("Nothing") == "UNDEFINED"
    assert len(chirp.get_job_attr("Env")) == 1_000_002
    chirp.set_job_attr_delayed("ChirpA", '"two words"')
    assert chirp.get_job_attr_delayed("ChirpA") == '"two words"'
    with pytest.raises(HTChirp.TryAgain):  # type: ignore[attr-defined]
        chirp.set_job_attr("A", "1")  # there is no schedd


def test_directories_may_be_limited(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = make(limits=(str(tmp_path / "iwd"),))
    monkeypatch.setenv("_CONDOR_CHIRP_CONFIG", server.variables["_CONDOR_CHIRP_CONFIG"])
    (tmp_path / "secret").write_text("x")
    (server.iwd / "link").symlink_to("../secret")
    with HTChirp() as chirp:
        for name in ("../secret", str(tmp_path / "secret"), "link"):
            with pytest.raises(HTChirp.NotAuthorized):  # type: ignore[attr-defined]
                chirp.read(name, 1)
        with pytest.raises(HTChirp.NotAuthorized):  # type: ignore[attr-defined]
            chirp.rename("link", "../other")
        chirp.unlink("link")


def test_nothing_without_the_cookie(make: Make) -> None:
    server = make()
    with server.raw() as sock:
        sock.sendall(b"getdir /\n")
        assert sock.recv(10) == b"-1\n"
        assert sock.recv(10) == b""
    with server.raw() as sock:
        try:
            sock.sendall(b"cookie " + b"x" * LINE_MAX * 2)
            assert sock.recv(10) == b""
        except OSError:
            return  # it was thrown out at once


def test_bad_requests_are_answered(make: Make) -> None:
    server = make()
    for line, answer in (
        (b"\n", b"-8\n"),
        (b"nonsense 1 2\n", b"-8\n"),
        (b"open onlyaname\n", b"-8\n"),
        (b"read x y\n", b"-8\n"),
        (b"close 0\n", b"-12\n"),
        (b"close 3\n", b"-12\n"),
        (b"read 1 9\n", b"-12\n"),
        (b"close 99999999999999999999999999\n", b"-8\n"),
        (b"getfile \xff\xfe\n", b"-3\n"),
        (b"getfile a\0b\n", b"-8\n"),
        (b"get_job_attr \xff\xfe\n", b"-8\n"),
        (b"getfile .\n", b"-13\n"),
        (b"x" * (LINE_MAX + 1) + b"\n", b"-5\n"),
    ):
        with server.entered() as sock:
            sock.sendall(line)
            assert sock.recv(100) == answer, line[:40]


class Talk:
    """Requests of one connection and their answers."""

    def __init__(self, server: Server) -> None:
        self._sock = server.entered()
        self._file = self._sock.makefile("rb")

    def __call__(self, request: str, data: bytes = b"") -> int:
        self._sock.sendall(request.encode() + b"\n" + data)
        return int(self._file.readline())

    def data(self, request: str) -> bytes:
        return self._file.read(self(request))

    def numbers(self, request: str) -> list[int]:
        assert self(request) >= 0
        return self._line()

    def opened(self, request: str) -> tuple[int, list[int]]:
        """The number of the file that is open now, and what its fstat says."""
        file = self(request)
        assert file >= 0
        return file, self._line()

    def _line(self) -> list[int]:
        return [int(word) for word in self._file.readline().split()]

    def close(self) -> None:
        self._file.close()
        self._sock.close()


@pytest.fixture
def talk(make: Make) -> Iterator[tuple[Path, Talk]]:
    server = make()
    (server.iwd / "given").write_bytes(b"0123456789")
    made = Talk(server)
    yield server.iwd, made
    made.close()


def test_an_open_file_is_read_and_changed(talk: tuple[Path, Talk]) -> None:
    iwd, ask = talk
    size_at = 7
    file, facts = ask.opened("open given rw 420")
    assert ask(f"fsync {file}") == 0
    assert facts[size_at] == 10
    assert facts == ask.numbers(f"fstat {file}") == ask.numbers("stat given") == ask.numbers("lstat given")
    assert facts[1] == os.stat(iwd / "given").st_ino
    assert [ask(f"lseek {file} {offset} {whence}") for offset, whence in ((4, 0), (2, 1), (-1, 2))] == [4, 6, 9]
    assert [ask(f"lseek {file} 0 {whence}") for whence in (3, -1)] == [-8, -8]
    assert ask(f"lseek {file} -1 0") < 0
    assert ask.data(f"read {file} 5") == b"9"
    assert ask.data(f"read {file} 5") == b""
    assert ask.data(f"read {file} 0") == ask.data(f"pread {file} 0 3") == b""
    assert ask.data(f"pread {file} 3 8") == b"89"
    assert ask.data(f"sread {file} 5 1 2 3") == b"12457"
    assert ask.data(f"sread {file} 9 6 2 3") == b"679"
    assert ask(f"sread {file} 0 1 2 3") == -8
    assert ask(f"pwrite {file} 2 1", b"ab") == 2
    assert ask(f"swrite {file} 5 4 2 3", b"vwxyz") == 5
    assert (iwd / "given").read_bytes() == b"0ab3vw6xy9z"
    assert ask(f"write {file} 2", b"!!") == 2
    assert ask(f"ftruncate {file} 3") == 0
    assert (iwd / "given").read_bytes() == b"0ab"
    assert ask(f"fchmod {file} {0o640}") == 0
    assert (iwd / "given").stat().st_mode & 0o7777 == 0o640
    assert ask(f"fchown {file} {os.geteuid()} {os.getegid()}") == 0
    if not os.geteuid():
        assert ask(f"fchown {file} 5 6") == 0
        assert ((iwd / "given").stat().st_uid, (iwd / "given").stat().st_gid) == (5, 6)
    assert ask.numbers(f"fstatfs {file}")[:2] == [0, os.statvfs(iwd).f_bsize]
    assert ask(f"close {file}") == 0
    for request in ("fsync {}", "close {}", "read {} 1", "fstat {}", "ftruncate {} 0", "fchmod {} 0"):
        assert ask(request.format(file)) == -12, request


def test_files_by_name(talk: tuple[Path, Talk]) -> None:
    iwd, ask = talk
    os.symlink("given", iwd / "soft")
    assert ask.numbers("stat soft") == ask.numbers("stat given")
    assert ask.numbers("lstat soft")[1] == os.lstat(iwd / "soft").st_ino
    assert (ask("access given 4"), ask("access none 4"), ask("access given 0")) == (0, -3, 0)
    if not os.geteuid():
        assert (ask("lchown soft 5 6"), ask("chown soft 7 8")) == (0, 0)
        found = os.lstat(iwd / "soft"), os.stat(iwd / "given")
        assert [(one.st_uid, one.st_gid) for one in found] == [(5, 6), (7, 8)]
    (iwd / "given").chmod(0o600)
    assert ask("access given 1") == -2
    assert ask(f"chmod given {0o4751}") == 0
    assert (iwd / "given").stat().st_mode & 0o7777 == 0o4751
    assert ask("access given 1") == 0
    assert ask(f"chown given {os.geteuid()} {os.getegid()}") == 0
    assert ask(f"lchown soft {os.geteuid()} {os.getegid()}") == 0
    assert ask("truncate given 4") == 0
    assert ask("truncate given -1") == -8
    assert ask("utime given 5 7") == 0
    assert (os.stat(iwd / "given").st_atime, os.stat(iwd / "given").st_mtime) == (5.0, 7.0)
    assert ask.data("getfile given") == b"0123"
    assert ask(f"putfile new {0o640} 0") == 0
    assert ask(f"mkdir d {0o750}") == 0
    assert (iwd / "d").stat().st_mode & 0o700 == 0o700
    assert ask("rename new d/new") == 0
    assert ask("rmdir d") == -15
    assert ask("unlink d/new") == 0
    assert ask("rmdir d") == 0
    assert ask("rmdir d") == -3
    assert ask.data("whoami 6") == b"CONDOR"
    assert ask("whoami 5") == -6
    assert ask.data("whoareyou here 7") == b"UNKNOWN"


def test_no_files_without_wantioproxy(make: Make) -> None:
    with make({}).entered() as sock:
        for request in (b"getdir .\n", b"get_job_attr Owner\n", b"ulog x\n", b"version\n"):
            sock.sendall(request)
            assert sock.recv(100) == b"-8\n"
        sock.sendall(b"set_job_attr_delayed ChirpA 1\n")
        assert sock.recv(100) == b"0\n"


def test_a_request_that_is_still_on_its_way_is_served(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """HTCondor's program leaves as soon as it has sent a file."""
    monkeypatch.setattr("condor_py.daemons.starter.chirp._REST", 300.0)
    server = make()
    with server.entered() as sock:
        sock.sendall(b"putfile late 420 300000\n")
        sock.recv(10)
        sock.sendall(b"y" * 300000)
    server.close()
    assert (server.iwd / "late").stat().st_size == 300000


def test_a_request_that_stays_on_its_way_is_not_waited_for(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.daemons.starter.chirp._REST", 0.1)
    server = make()
    with server.entered() as sock:
        sock.sendall(b"putfile late 420 300000\n")
        assert sock.recv(10) == b"0\n"
        server.close()
        assert sock.recv(10) == b""


def test_a_file_is_sent_up_to_the_largest_size(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.daemons.starter.chirpsession.MOST", 1000)
    server = make()
    (server.iwd / "fits").write_bytes(b"x" * 1000)
    (server.iwd / "large").write_bytes(b"x" * 1001)
    with server.entered() as sock:
        sock.sendall(b"getfile fits\n")
        with sock.makefile("rb") as answers:
            assert (answers.readline(), answers.read(1000)) == (b"1000\n", b"x" * 1000)
            sock.sendall(b"getfile large\n")
            assert int(answers.readline()) == TOO_BIG


def test_a_client_that_waits_for_a_place_is_turned_away_at_the_end(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.daemons.starter.chirp._MOST_SESSIONS", 1)
    monkeypatch.setattr("condor_py.daemons.starter.chirp._REST", 0.1)
    server = make()
    cookie = Path(server.variables["_CONDOR_CHIRP_CONFIG"]).read_text().split()[2]
    with server.entered(), server.raw() as waiting:
        waiting.sendall(b"cookie " + cookie.encode() + b"\n")
        with server.raw() as stranger:  # which is served after that
            stranger.sendall(b"cookie nonsense\n")
            assert int(stranger.recv(10)) < 0
        server.close()
        assert int(waiting.recv(10)) == -9


@pytest.mark.promise("S35")
def test_many_connections(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strangers cannot keep the job out, and of its own connections so many are served that one more has to wait."""
    server = make()
    strangers = [server.raw() for _ in range(40)]
    opened = [server.entered() for _ in range(32)]
    monkeypatch.setenv("_CONDOR_CHIRP_CONFIG", server.variables["_CONDOR_CHIRP_CONFIG"])
    threading.Timer(0.2, opened[0].close).start()
    assert condor_chirp("whoami") == "CONDOR"
    for sock in strangers + opened:
        sock.close()


# -- HTCondor's own clients --------------------------------------------------------------------------------------------

_COMMANDS = [
    ["put", "local", "remote"],
    ["put", "-perm", "600", "local", "secret"],
    ["put", "-mode", "wa", "local", "remote"],
    ["stat", "secret"],
    ["write", "-offset", "2", "remote", "local", "3"],
    ["fetch", "remote", "back"],
    ["fetch", "remote", "-"],
    ["read", "-stride", "1", "3", "remote", "4"],
    ["set_job_attr_delayed", "ChirpX", '"a b\\\\c"'],
    ["get_job_attr_delayed", "ChirpX"],
    ["get_job_attr", "Cmd"],
    ["link", "-s", "remote", "soft"],
    ["readlink", "soft", "100"],
    ["getdir", "."],
    ["access", "remote", "rw"],
    ["chmod", "remote", "444"],
    ["truncate", "secret", "1"],
    ["utime", "secret", "1", "2"],
    ["remove", "remote"],
    ["remove", "remote"],
    ["getdir", "-l", "."],
]


def _session(run: Callable[[list[str], Path], Any], here: Path) -> tuple[list[Any], dict[str, bytes]]:
    here.mkdir()
    (here / "local").write_text("some text\n")
    answers = [run(command, here) for command in _COMMANDS if command[0] != "getdir" or "-l" not in command]
    return answers, {path.name: path.read_bytes() for path in here.iterdir()}


@pytest.mark.skipif(REAL is None, reason="HTCondor's condor_chirp is not here")
def test_the_real_program_does_the_same(make: Make, tmp_path: Path) -> None:
    """Same commands with both programs: same files, same output, success and failure alike."""

    def runner(program: list[str]) -> Callable[[list[str], Path], Any]:
        def run(command: list[str], here: Path) -> Any:
            done = subprocess.run(
                [*program, *command], cwd=here, env=environment, capture_output=True, timeout=60, check=False
            )
            counts = command[0] in ("read", "write", "getdir", "readlink")  # theirs leaves with the number of bytes
            shown = done.stdout if command[0] != "stat" and done.returncode != 255 else b""
            return command[0], counts or done.returncode == 0, shown.rstrip(b"\n")

        return run

    found = []
    ours = [sys.executable, "-I", str(Path(__file__).parents[3] / "condor_py" / "__main__.py"), "condor_chirp"]
    for name, program in (("theirs", [str(REAL)]), ("ours", ours)):
        root = tmp_path / name
        root.mkdir()
        server = Server(root, WANTED)
        environment = {**os.environ, **server.variables}
        try:
            answers, files = _session(runner(program), root / "here")
        finally:
            server.close()
        found.append((answers, files, {path.name: path.lstat().st_mode for path in server.iwd.iterdir()}))
    assert found[0] == found[1]


def _real_module() -> Any:
    for place in (os.environ.get("HTCONDOR_PYTHON", ""), *sys.path):
        for path in (Path(place) / "htchirp" / "htchirp.py", Path(place) / "htcondor2" / "htchirp" / "htchirp.py"):
            if place and path.is_file() and "shims" not in str(path):
                spec = importlib.util.spec_from_file_location("real_htchirp", path)
                assert spec is not None
                assert spec.loader is not None
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    pytest.skip("HTCondor's htchirp is not here")


def test_the_real_module_does_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = _real_module().condor_chirp
    found = []
    for name, chirp in (("theirs", theirs), ("ours", condor_chirp)):
        root = tmp_path / name
        root.mkdir()
        server = Server(root, WANTED)
        monkeypatch.setenv("_CONDOR_CHIRP_CONFIG", server.variables["_CONDOR_CHIRP_CONFIG"])

        def run(command: list[str], here: Path, chirp: Any = chirp) -> Any:
            if command[0] == "write" or command[-1] in ("-", "100"):
                return None  # the module has no such form, or fails in it
            monkeypatch.chdir(here)
            try:
                told = chirp(list(command))
            except Exception as error:  # of another class with the same name
                return type(error).__name__
            return sorted(told) if isinstance(told, dict | list) else told

        try:
            answers, files = _session(run, root / "here")
        finally:
            server.close()
        found.append((answers, files))
    assert found[0] == found[1]


def test_the_module_has_the_same_names() -> None:
    theirs = _real_module().HTChirp
    names = {name for name in vars(theirs) if not name.startswith("_")}
    assert names <= {name for name in dir(HTChirp) if not name.startswith("_")}


def test_each_run_has_its_own_cookie_in_a_file_that_only_it_can_read(tmp_path: Path) -> None:
    loop = Loop()
    server = ChirpServer(loop, ChirpSettings(), str(tmp_path), set(), lambda line: None)
    ad = ClassAd()
    ad.set_text("WantIOProxy", "true")
    told, inodes = [], []
    for spoil in (None, None, "text", "mode", "link", "gone"):
        path = Path(server.open(_Run("/"), ad, str(tmp_path / "no-schedd"), ())["_CONDOR_CHIRP_CONFIG"])  # type: ignore[arg-type]
        told.append(path.read_text().split())
        inodes.append(path.stat().st_ino)
        assert (path.stat().st_mode & 0o7777, path.stat().st_nlink) == (0o700, 1)
        server.close()
        if spoil == "text":
            path.write_text(
                "something longer than what was there before, from a program that is at the end of its run\n"
            )
        elif spoil == "mode":
            path.chmod(0o777)
        elif spoil == "link":
            path.rename(tmp_path / "kept")
            path.symlink_to(tmp_path / "kept")
        elif spoil == "gone":
            path.unlink()
    assert len({port for _, port, _ in told}) == 1
    assert len({cookie for _, _, cookie in told}) == len(told)
    assert inodes[0] == inodes[1]
    assert told[4][2] in (tmp_path / "kept").read_text()


@pytest.fixture
def schedd(tmp_path: Path) -> Iterator[list[dict[str, Any]]]:
    """The requests to a schedd that does what it is asked, but refuses what has the word "forbidden"."""
    asked: list[dict[str, Any]] = []

    def serve() -> None:
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            with sock:
                decoder = wire.Decoder()
                while (message := decoder.next()) is None:
                    decoder.add(sock.recv(65536))
                asked.append(message[0])
                if "forbidden" in str(message[0]):
                    answer: dict[str, Any] = {"error": "no"}
                else:
                    answer = {"spans": [[1, 0, 0, 1]]} if message[0]["op"] == "edit" else {}
                sock.sendall(wire.encode(answer))

    listener = wire.listen(str(tmp_path / "no-schedd"), 0o600)
    listener.setblocking(True)
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield asked
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(10)


def test_a_job_changes_its_ad_by_way_of_the_schedd(
    schedd: list[dict[str, Any]], client: tuple[Server, HTChirp]
) -> None:
    _, chirp = client
    chirp.set_job_attr("A", "7")
    assert chirp.get_job_attr("A") == "7"
    assert schedd[-1]["assignments"] == [["A", "7"]]
    with pytest.raises(HTChirp.NotAuthorized):  # type: ignore[attr-defined]
        chirp.set_job_attr("forbidden", "1")
    assert chirp.get_job_attr("forbidden") == "UNDEFINED"
    chirp.ulog("a line")
    assert (schedd[-1]["op"], schedd[-1]["text"]) == ("ulog", "a line")
    with pytest.raises(HTChirp.NotAuthorized):  # type: ignore[attr-defined]
        chirp.ulog("forbidden")


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        ("Memory > 5", [["AgentRequirements", "x > 1"], ["Requirements", "(Memory > 5) && AgentRequirements"]]),
        (None, [["AgentRequirements", "x > 1"], ["Requirements", "(true) && AgentRequirements"]]),
        ("AgentRequirements && y", [["AgentRequirements", "x > 1"]]),
        ("forbidden", [["AgentRequirements", "forbidden"]]),
    ],
)
def test_a_job_limits_where_it_runs_next(
    schedd: list[dict[str, Any]], make: Make, before: str | None, asked: list[list[str]]
) -> None:
    talk = Talk(make(WANTED | ({} if before is None else {"Requirements": before})))
    expression = asked[0][1]
    answer = talk(f"constrain {quoted(expression).decode()}")
    assert answer == (NOT_AUTHORIZED if before == "forbidden" else 0)
    assert talk.data("get_job_attr AgentRequirements") == (b"UNDEFINED" if answer else expression.encode())
    talk.close()
    assert [each for one in schedd for each in one["assignments"]] == asked


def test_the_address_follows_the_network_of_the_job(tmp_path: Path) -> None:
    loop, ad = Loop(), ClassAd()
    ad.set_bool("WantIOProxy", True)
    (tmp_path / "user").mkdir()
    server = ChirpServer(loop, ChirpSettings(), str(tmp_path), set(), lambda line: None)
    try:
        for host in ("127.0.0.2", "127.0.0.1"):
            found = server.open(_Run(str(tmp_path)), ad, "schedd", (), host)  # type: ignore[arg-type]
            told, port, _ = Path(found["_CONDOR_CHIRP_CONFIG"]).read_text().split()
            assert told == host
            socket.create_connection((host, int(port)), 10).close()
    finally:
        server.close()
