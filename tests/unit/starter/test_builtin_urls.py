"""URLs that the starter moves itself: what arrives, and what a failure is called in the transfer's record."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import socketserver
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from condor_py.machine.run import builtin_urls
from condor_py.machine.run.builtin_urls import Pace, Wishes, move
from condor_py.machine.run.failures import UrlError


class Handler(BaseHTTPRequestHandler):
    """GET /CODE answers so; /short promises more than it sends; PUT keeps the body."""

    kept: list[tuple[str, bytes, str]]
    asked: int
    tokens: list[str | None]

    def do_GET(self) -> None:
        type(self).asked += 1
        self.tokens.append(self.headers["Authorization"])
        word = self.path.strip("/")
        if word == "moved":
            self.send_response(302)
            self.send_header("Location", "/200")
            self.end_headers()
            return
        if word == "odd":
            self.wfile.write(b"no answer of HTTP\r\n\r\n")
            return
        if word.startswith("denied"):
            self.send_response(403)
            self.end_headers()
            self.wfile.write(b"<?xml version='1.0'?><Error><Code>SignatureDoesNotMatch</Code><Message>secret</Message>")
            return
        code = int(word) if word.isdecimal() else 200
        self.send_response(code)
        self.send_header("Content-Length", "9" if word == "short" else "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.kept.append((self.path, body, self.headers["Content-Length"]))
        self.tokens.append(self.headers["Authorization"])
        self.send_response(201 if self.path == "/ok" else 403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words: object) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    Handler.kept, Handler.asked, Handler.tokens = [], 0, []
    made = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    thread.join()
    made.server_close()


def failed(url: str, path: Path, upload: bool = False, tries: int = 2) -> UrlError:
    with pytest.raises(UrlError) as caught:
        move(url, str(path), upload, Wishes(tries, proxies=False))
    return caught.value


def test_what_is_there_arrives(server: str, tmp_path: Path) -> None:
    move(f"{server}/200", str(tmp_path / "got"), False, Wishes(proxies=False))
    assert (tmp_path / "got").read_text() == "hello"
    move(f"{server}/ok", str(tmp_path / "got"), True, Wishes(proxies=False))
    assert Handler.kept == [("/ok", b"hello", "5")]
    move(f"dav{server[4:]}/200", str(tmp_path / "by dav"), False, Wishes(proxies=False))
    assert (tmp_path / "by dav").read_text() == "hello"
    move(f"file://localhost{tmp_path}/a%20b", str(tmp_path / "got"), True, Wishes())
    assert (tmp_path / "a b").read_text() == "hello"
    move(f"file://{tmp_path}/a%20b", str(tmp_path / "again"), False, Wishes())
    assert (tmp_path / "again").read_text() == "hello"


def test_a_server_that_speaks_s3_says_what_is_wrong(server: str, tmp_path: Path) -> None:
    signed = failed(f"{server}/denied?a=b&X-Amz-Signature=f0", tmp_path / "got", tries=1)
    assert str(signed) == f"HTTP error 403: Forbidden (SignatureDoesNotMatch) ( URL file = {server}/denied?... )"
    assert failed(f"{server}/denied?a=b", tmp_path / "got", tries=1).text == "HTTP error 403: Forbidden"


def test_a_credential_in_front_of_the_scheme_is_sent_along(server: str, tmp_path: Path) -> None:
    creds = tmp_path / "creds"
    creds.mkdir()
    (creds / "mine_readonly.use").write_text("# no token\n  t0.k-en \nmore\n")
    (creds / "other.use").write_text('{"access_token": "j", "expires_in": 7}')
    wishes = Wishes(1, proxies=False, credentials=str(creds))
    got = str(tmp_path / "got")
    move(f"mine.readonly+{server}/200", got, False, wishes)
    move(f"other+{server}/ok", got, True, wishes)
    move(f"other+{server}/moved", got, False, wishes)
    move(f"{server}/200", got, False, wishes)
    assert Handler.tokens == ["Bearer t0.k-en", "Bearer j", "Bearer j", None, None]
    for text, why in (
        ("{secret", "Unable to parse token as JSON"), ('{"secret": 1}', "No 'access_token' key in JSON object"),
        ("se\x01cret", "The credential is no token"), ("", "The credential is no token"), ("[" * 99999, "Unable"),
    ):  # fmt: skip
        (creds / "bad.use").write_text(text)
        with pytest.raises(UrlError, match=why) as caught:
            move(f"bad+{server}/200", got, False, wishes)
        assert "secret" not in str(caught.value)
    with pytest.raises(UrlError, match=r"Unable to open credential file .*/nosuch.use: No such file or directory"):
        move(f"nosuch+{server}/200", got, False, wishes)


@pytest.mark.parametrize(
    ("path", "tries", "text", "about"),
    [
        ("404", 1, "HTTP error 404: Not Found",
         {"ErrorCode": 22, "ErrorType": "Specification", "FailedServer": "HOST"}),
        ("400", 1, "HTTP error 400: Bad Request",
         {"ErrorCode": 22, "ErrorType": "Specification", "FailedServer": "HOST"}),
        ("403", 1, "HTTP error 403: Forbidden",
         {"ErrorCode": 22, "ErrorType": "Authorization", "FailureType": "Authorization", "FailedServer": "HOST"}),
        ("500", 3, "HTTP error 500: Internal Server Error", {"ErrorCode": 22}),
        ("410", 1, "HTTP error 410: Gone", {"ErrorCode": 22}),
        ("odd", 3, "no answer of HTTP", {"ErrorCode": 56}),
        ("short", 3, "transfer closed with 4 bytes remaining to read", {"ErrorCode": 56}),
    ],
)  # fmt: skip
def test_an_answer_that_is_an_error(
    server: str, tmp_path: Path, path: str, tries: int, text: str, about: dict[str, object]
) -> None:
    error = failed(f"{server}/{path}", tmp_path / "got", tries=3)
    host = server.removeprefix("http://")
    assert text in str(error)
    assert error.about == {name: host if value == "HOST" else value for name, value in about.items()}
    assert Handler.asked == tries, "what may pass by itself is tried again"


def test_an_upload_that_is_refused(server: str, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("12")
    error = failed(f"{server}/no", tmp_path / "mine", upload=True)
    assert "HTTP error 403: Forbidden" in str(error)
    assert error.about["ErrorType"] == "Authorization"


def test_an_upload_is_tried_again_while_the_connection_fails(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").write_text("12")
    send, tries = (
        builtin_urls._send,
        iter([ConnectionResetError(104, "broke off"), http.client.BadStatusLine(""), None]),
    )

    def fails(*words: object) -> None:
        if (error := next(tries)) is not None:
            raise error
        send(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(builtin_urls, "_send", fails)
    assert failed(f"{server}/ok", tmp_path / "mine", upload=True).about == {"ErrorCode": 56}
    move(f"{server}/ok", str(tmp_path / "mine"), True, Wishes(1, proxies=False))
    assert [body for _, body, _ in Handler.kept] == [b"12"]


class FtpHandler(socketserver.StreamRequestHandler):
    """An FTP server with a directory ``up``; ``said`` are the commands, ``came`` what was stored."""

    said: list[str]
    came: bytes

    def handle(self) -> None:
        self.wfile.write(b"220 hello\r\n")
        answers = {"USER": "331 who", "PASS": "230 in", "TYPE": "200 ok", "CWD": "250 ok", "QUIT": "221 bye"}
        for line in self.rfile:
            words = line.decode().strip()
            self.said.append(words)
            verb = words.partition(" ")[0]
            with contextlib.ExitStack() as stack:
                answer = answers.get(verb, "500 what")
                if words in ("PASS wrong", "CWD none", "STOR full"):
                    answer = "530 no" if verb == "PASS" else "550 no" if verb == "CWD" else "452 no space"
                elif verb in ("PASV", "EPSV"):
                    door = socket.create_server(("127.0.0.1", 0))
                    high, low = divmod(door.getsockname()[1], 256)
                    answer = f"227 at (127,0,0,1,{high},{low})"
                elif verb == "STOR":
                    self.wfile.write(b"150 go on\r\n")
                    stack.enter_context(door)
                    came = stack.enter_context(door.accept()[0])
                    type(self).came = b"".join(iter(partial(came.recv, 4096), b""))
                    answer = "226 have it"
                self.wfile.write(f"{answer}\r\n".encode())


@pytest.fixture
def ftp() -> Iterator[str]:
    FtpHandler.said, FtpHandler.came = [], b""
    with socketserver.TCPServer(("127.0.0.1", 0), FtpHandler) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"127.0.0.1:{made.server_address[1]}"
        made.shutdown()
        thread.join()


def test_files_are_stored_by_ftp(ftp: str, tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"x" * 3000)
    move(f"ftp://me:se%40cret@{ftp}//up/a%20b", str(tmp_path / "mine"), True, Wishes())
    assert FtpHandler.came == b"x" * 3000
    wanted = ["USER me", "PASS se@cret", "CWD /", "CWD up", "STOR a b"]
    assert [words for words in FtpHandler.said if words in wanted] == wanted
    move(f"ftp://{ftp}/mine", str(tmp_path / "mine"), True, Wishes())
    assert {"USER anonymous", "STOR mine"} <= set(FtpHandler.said)


@pytest.mark.parametrize(
    ("place", "text", "code"),
    [("me:wrong@HOST/x", "530 no", 67), ("HOST/none/x", "550 no", 9), ("HOST/full", "452 no space", 25),
     ("HOST/up/", "URL using bad/illegal format", 3), ("HOST/a%0D%0ADELE%20b", "URL using bad/illegal format", 3)],
)  # fmt: skip
def test_what_an_ftp_server_refuses(ftp: str, tmp_path: Path, place: str, text: str, code: int) -> None:
    (tmp_path / "mine").write_text("12")
    error = failed(f"ftp://{place.replace('HOST', ftp)}", tmp_path / "mine", upload=True)
    assert text in error.text
    assert error.about["ErrorCode"] == code
    assert not any(words.startswith("DELE") for words in FtpHandler.said)


@pytest.mark.parametrize(
    ("url", "text", "about"),
    [
        ("file://elsewhere/x", "URL using bad/illegal format or missing URL",
         {"ErrorCode": 3, "ErrorType": "Parameter", "PluginLaunched": True, "PluginVersion": "0.2"}),
        ("file:///nonexistent/x", "No such file or directory: /nonexistent/x",
         {"ErrorCode": 37, "ErrorType": "Specification"}),
        ("http://127.0.0.1:1/x", "Connection refused",
         {"ErrorCode": 7, "ErrorType": "Contact", "FailedServer": "Unknown"}),
        ("http://127.0.0.1:port/x", "",
         {"ErrorCode": 3, "ErrorType": "Parameter", "PluginLaunched": True, "PluginVersion": "0.2"}),
        ("http://me:secret@nowhere.invalid:80/x", "",
         {"ErrorCode": 6, "ErrorType": "Resolution", "FailedName": "nowhere.invalid", "FailureType": "Unknown"}),
    ],
)  # fmt: skip
def test_places_that_cannot_be_reached(tmp_path: Path, url: str, text: str, about: dict[str, object]) -> None:
    error = failed(url, tmp_path / "got", tries=1)
    assert text in str(error)
    if error.about["ErrorCode"] == about["ErrorCode"] or "invalid" not in url:
        assert error.about == about


@pytest.mark.parametrize(
    ("variables", "tries", "proxies"),
    [
        ({}, 3, True),
        ({"CURL_MAX_RETRY_ATTEMPTS": "0"}, 1, True),
        ({"CURL_MAX_RETRY_ATTEMPTS": "5"}, 6, True),
        ({"CURL_MAX_RETRY_ATTEMPTS": "500"}, 21, True),
        ({"CURL_MAX_RETRY_ATTEMPTS": "x"}, 3, True),
        ({"CURL_MAX_RETRY_ATTEMPTS": "-1"}, 3, True),
        ({"CURL_IGNORE_HTTP_PROXY": ""}, 3, False),
    ],
)
def test_a_job_says_how_often_and_by_which_way(variables: dict[str, str], tries: int, proxies: bool) -> None:
    wishes = Wishes.of(variables)
    assert (wishes.tries, wishes.proxies) == (tries, proxies)


# ---- parts --------------------------------------------------------------------------------------------------


def gone(reason: Exception) -> urllib.error.URLError:
    return urllib.error.URLError(reason)


@pytest.mark.parametrize(
    ("error", "about"),
    [
        (ValueError("odd"), (3, "Parameter")),
        (http.client.InvalidURL("odd"), (3, "Parameter")),
        (gone(socket.gaierror(-2, "unknown")), (6, "Resolution")),
        (TimeoutError("late"), (42, "Transfer")),
        (gone(TimeoutError("late")), (42, "Transfer")),
        (gone(ssl.SSLCertVerificationError("bad")), (60, "Authorization")),
        (gone(ConnectionRefusedError(111, "no")), (7, "Contact")),
        (gone(ssl.SSLError("odd")), (7, "Contact")),
        (gone(ConnectionResetError(104, "broke off")), (56, None)),
        (http.client.IncompleteRead(b""), (56, None)),
    ],
)
def test_faults_have_the_numbers_of_curl(error: Exception, about: tuple[int, str | None]) -> None:
    found = builtin_urls._about_fault("http://u:p@host:80/x", error)
    assert (found["ErrorCode"], found.get("ErrorType")) == about
    if about[0] == 6:
        assert (found["FailedName"], found["FailureType"]) == ("host", "Unknown")
    if about[0] == 42:
        assert (found["FailedServer"], found["FailureType"]) == ("Unknown", "TooSlow")
    if about[0] == 60:
        assert (found["FailedServer"], found["FailureType"]) == ("Unknown", "Authentication")


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (gone(OSError(111, "Connection refused")), "Connection refused"), (OSError(2, "No such file"), "No such file"),
        (gone(ValueError("odd")), "odd"), (ValueError("bare"), "bare"),
    ],
)  # fmt: skip
def test_why_something_failed_in_words(error: Exception, why: str) -> None:
    assert builtin_urls._why(error) == why


def test_proxies_are_used_unless_the_job_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")

    def proxies(wishes: Wishes) -> dict[str, str]:
        handlers = builtin_urls._opener(wishes).handlers  # type: ignore[attr-defined]
        return next((each.proxies for each in handlers if type(each).__name__ == "ProxyHandler"), {})

    assert proxies(Wishes()).get("http") == "http://proxy.example:3128"
    assert proxies(Wishes(proxies=False)) == {}


@pytest.mark.parametrize(("promised", "came", "good"), [("5", 5, True), ("", 5, True), ("x", 5, True), ("6", 5, False),
                                                        ("4", 5, False), ("\u0665", 4, True)])  # fmt: skip
def test_a_connection_that_was_closed_early_is_noticed(promised: str, came: int, good: bool) -> None:
    if good:
        builtin_urls._check_length(promised, came)
        return
    with pytest.raises(OSError, match=f"transfer closed with {int(promised) - came} bytes remaining") as caught:
        builtin_urls._check_length(promised, came)
    assert caught.value.errno == 104


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("# c\nab\n", "ab"), ("  # c\n\nab", None), ('{"access_token": 5}', None), ('{"access_token": ""}', None),
        ("[1]", None), ("a b", None), ("\u00e9", None), ('{"access_token": "t"}', "t"),
    ],
)  # fmt: skip
def test_tokens(tmp_path: Path, text: str, token: str | None) -> None:
    (tmp_path / "a_b.use").write_text(text)
    if token is not None:
        assert builtin_urls._token("a.b+http://h", "a.b", str(tmp_path)) == token
        return
    with pytest.raises(UrlError) as caught:
        builtin_urls._token("a.b+http://h", "a.b", str(tmp_path))
    assert (caught.value.about["ErrorCode"], caught.value.about["ErrorType"]) == (27, "Parameter")


def test_only_the_main_thread_is_watched() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with builtin_urls.watched(Pace(10)):
        assert signal.getsignal(signal.SIGALRM) is not before
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    seen: list[object] = []

    def other() -> None:
        with builtin_urls.watched(Pace(10)):
            seen.append(signal.getsignal(signal.SIGALRM))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == [before]


def test_what_stalls_is_aborted(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stalls(*words: object) -> None:
        raise builtin_urls.Stalled

    monkeypatch.setattr(builtin_urls, "_get", stalls)
    error = failed(f"{server}/200", tmp_path / "got")
    assert error.text == "Aborted due to lack of progress"
    assert error.about == {
        "ErrorCode": 42, "ErrorType": "Transfer", "FailedServer": "Unknown", "FailureType": "TooSlow",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("url", "plain"), [("dav://h/x", "http://h/x"), ("davs://h/x", "https://h/x"), ("https://h/x", "https://h/x")]
)
def test_other_names_of_http(monkeypatch: pytest.MonkeyPatch, url: str, plain: str) -> None:
    asked: list[str] = []
    monkeypatch.setattr(builtin_urls, "_get", lambda url, *more: asked.append(url))
    move(url, "/x", False, Wishes())
    assert asked == [plain]


def test_a_file_is_uploaded_as_bytes_that_are_counted(server: str, tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"x" * 3000)
    pace = Pace(10)
    builtin_urls._put(f"{server}/ok", str(tmp_path / "mine"), {}, Wishes(proxies=False), pace)
    assert pace.bytes == 3000
    (tmp_path / "link").symlink_to("mine")
    builtin_urls._put(f"{server}/ok", str(tmp_path / "link"), {}, Wishes(proxies=False), pace)
    assert [len(body) for _, body, _ in Handler.kept] == [3000, 3000]
    with pytest.raises(UrlError, match="No such file"):
        builtin_urls._put(f"{server}/ok", str(tmp_path / "none"), {}, Wishes(proxies=False), pace)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_put_says_that_it_is_no_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    sent: list[str] = []

    class Opener:
        def open(self, request: urllib.request.Request, timeout: float) -> Path:
            sent.append(f"{request.get_method()} {request.full_url} {request.get_header('Content-type')}")
            return Path(os.devnull)  # something to be closed

    monkeypatch.setattr(builtin_urls, "_opener", lambda wishes: Opener())
    monkeypatch.setattr(Path, "close", lambda path: sent.append("closed"), raising=False)
    (tmp_path / "x").touch()
    builtin_urls._put(f"{scheme}://h/x", str(tmp_path / "x"), {}, Wishes(), Pace(10))
    assert sent == [f"PUT {scheme}://h/x application/octet-stream", "closed"]


def test_files_that_cannot_be_copied_name_the_fault(tmp_path: Path) -> None:
    upload = failed(f"file://{tmp_path}/none/x", tmp_path / "missing", upload=True)
    assert upload.about == {}
    assert "No such file or directory: " in upload.text
