"""URLs that the starter moves itself: what arrives, and what a failure is called in the transfer's record."""

from __future__ import annotations

import http.client
import signal
import socket
import ssl
import threading
import urllib.error
from collections.abc import Iterator
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
    assert "cannot write to ftp URLs" in str(failed("ftp://here/x", tmp_path / "mine", upload=True))


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
    with pytest.raises(UrlError, match="No such file"):
        builtin_urls._put(f"{server}/ok", str(tmp_path / "none"), {}, Wishes(proxies=False), pace)


def test_files_that_cannot_be_copied_name_the_fault(tmp_path: Path) -> None:
    upload = failed(f"file://{tmp_path}/none/x", tmp_path / "missing", upload=True)
    assert upload.about == {}
    assert "No such file or directory: " in upload.text
