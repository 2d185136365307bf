"""The server of condor_web in this process: where it listens, whom it lets in, and how it ends."""

from __future__ import annotations

import contextlib
import io
import os
import pwd
import re
import signal
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool

from condor_py.cli.web import places, serve
from condor_py.client.pool import Pool
from condor_py.model.errors import CondorError
from condor_py.model.settings.web import WebSettings


class Said(io.StringIO):
    """Output that says when it has a line."""

    def __init__(self) -> None:
        super().__init__()
        self.line = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if "\n" in text:
            self.line.set()
        return written


def log_in() -> str:
    """What the socket for logins answers: a server that answers takes signals."""
    with socket.socket(socket.AF_UNIX) as login:
        login.connect(places.own_socket(Pool()))
        return login.recv(1000).decode()


def served(settings: WebSettings, work: Callable[[str], None], *, wall: bool = False) -> tuple[str, str]:
    """What a server prints on stdout and stderr, which ends by SIGTERM after ``work`` with the first line of stdout."""
    out, errors = Said(), io.StringIO()
    failed: list[BaseException] = []

    def visit() -> None:
        out.line.wait()
        try:
            log_in()
            work(out.getvalue().splitlines()[0])
        except BaseException as error:
            failed.append(error)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=visit)
    thread.start()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        assert serve.serve(Pool(), settings, wall=wall) == 0
    thread.join()
    if failed:
        raise failed[0]
    return out.getvalue(), errors.getvalue()


def test_an_address_lets_in_and_another_can_be_asked_for(spool: Spool) -> None:
    told: list[str] = []

    def work(address: str) -> None:
        with urllib.request.urlopen(address) as page:
            told.append(page.headers["Refresh"])
        told.append(log_in())
        with pytest.raises(CondorError, match="the pages are served already: condor_web -login lets you in"):
            serve.serve(Pool(), WebSettings(port=0), wall=False)

    out, errors = served(WebSettings(port=0), work)
    place = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/login/\S+\n", out)
    assert place is not None
    assert errors.startswith("Open it within a minute; condor_web -login prints another. ^C ends this.\n")
    assert told[0] == "0; url=/"
    assert re.fullmatch(rf"{re.escape(place[1])}/login/\S+\n", told[1])
    assert not os.path.exists(places.own_socket(Pool()))


def test_the_wall(spool: Spool) -> None:
    out, _ = served(WebSettings(port=0), lambda address: None, wall=True)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/login/\S+\?to=wall\n", out)
    out, errors = served(WebSettings(port=0, wall=True), lambda address: None, wall=True)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/wall\n", out)
    assert errors == ""


def test_a_unix_socket_and_names_of_a_proxy(spool: Spool, tmp_path: Path) -> None:
    path = f"{tmp_path}/web"

    def work(address: str) -> None:
        with socket.socket(socket.AF_UNIX) as browser:
            browser.connect(path)
            browser.sendall(b"GET /pool HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            answers.append(b"".join(iter(lambda: browser.recv(65536), b"")))

    answers: list[bytes] = []
    out, _ = served(WebSettings(socket=path), work)
    assert out.startswith("http://localhost/login/")
    assert answers[0].startswith(b"HTTP/1.1 401")
    assert not os.path.exists(path)
    out, _ = served(WebSettings(socket=path, host_names=("pool.example.net", "b")), lambda address: None)
    assert out.startswith("https://pool.example.net/login/")
    Path(path).write_text("a file")
    with pytest.raises(CondorError, match=r"^condor_web: .*/web is there, and is no socket$"):
        serve.serve(Pool(), WebSettings(socket=path), wall=False)


def test_a_port_that_is_in_use(spool: Spool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = f"condor_web: cannot listen on port {port} of 127.0.0.1: Address already in use (see WEB_PORT)"
        with pytest.raises(CondorError) as error:
            serve._listening(WebSettings(port=port))
        assert str(error.value) == said
    with pytest.raises(CondorError, match=r"cannot listen on /none/web: No such file or directory"):
        serve._listening(WebSettings(socket="/none/web"))


def test_the_server_of_a_master_writes_its_log_and_ends_with_it(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    monkeypatch.setenv(serve.PARENT_FD, str(reading))
    log = spool.path.parent.parent / "log" / "WebLog"
    log.parent.mkdir(exist_ok=True)

    def end() -> None:
        while True:
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):  # it has a name before it listens
                log_in()
                break
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGHUP)
        os.close(writing)

    thread = threading.Thread(target=end)
    thread.start()
    assert serve.serve(Pool(), WebSettings(port=0), wall=False) == 0
    thread.join()
    os.close(reading)
    text = log.read_text()
    assert re.search(r"Serving the pages at http://127\.0\.0\.1:\d+$", text, re.MULTILINE)
    assert text.rstrip().endswith("The condor_master is gone: Exiting.")


def test_administrators_are_those_of_the_tools(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = pwd.getpwuid(os.stat(spool.path.parent).st_uid).pw_name
    sees = serve.administrator(Pool())
    assert [sees(name) for name in ("root", "condor", owner, "ann")] == [True, True, True, False]
    monkeypatch.setenv("_CONDOR_QUEUE_SUPER_USERS", "ann, bea")
    sees = serve.administrator(Pool())
    assert [sees(name) for name in ("root", "condor", owner, "ann", "bea")] == [
        True,
        owner == "condor",
        True,
        True,
        True,
    ]
