"""URLs that are moved without a plugin: ``http``, ``https``, ``dav`` and ``davs`` (which are the same), ``ftp`` and
``file``. Everything runs with the rights that the caller has at the moment.

``NAME+https://...`` sends the token NAME of the job's credentials along.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import IO, TYPE_CHECKING, NamedTuple

from condor_py.machine.run.copying import copy_content
from condor_py.machine.run.failures import UrlError, scheme_of
from condor_py.machine.run.userfiles import user_file

if TYPE_CHECKING:
    import urllib.error
    import urllib.request


#: Seconds that a transfer may take before its progress is checked, and between two checks.
PATIENCE = 30.0
#: Seconds between two checks whether a look is due.
_PERIOD = 0.5


class Stalled(Exception):
    """The transfer does not get on."""


class Pace:
    """The progress of a transfer; ``bytes`` is the number that has come or gone so far."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.bytes = 0
        self._patience = patience
        self._looked = 0.0
        self._seen = 0

    def count(self, moved: int) -> None:
        """Add the bytes of one step."""
        self.bytes += moved

    def stalls(self, seconds: float) -> bool:
        """Whether the transfer is to be given up, ``seconds`` after it began."""
        if seconds <= self._patience:
            return False
        if not self.bytes:
            return True
        if seconds - self._looked <= self._patience:
            return False
        slow = self.bytes - self._seen < seconds - self._looked
        self._looked, self._seen = seconds, self.bytes
        return slow


class Counted:
    """A file that counts in ``pace`` the bytes that are read."""

    def __init__(self, file: IO[bytes], pace: Pace) -> None:
        self._file = file
        self._pace = pace

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        self._pace.count(len(data))
        return data


@contextmanager
def watched(pace: Pace) -> Iterator[None]:
    """Raises Stalled inside when the pace says so, whatever is waited for there. In the main thread only: others are
    not watched."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    begun = time.monotonic()

    def look(_number: int, _frame: FrameType | None) -> None:
        if pace.stalls(time.monotonic() - begun):
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise Stalled

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _PERIOD, _PERIOD)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


_CHUNK = 1 << 20
_MOST_RETRIES = 20
_TRIES = 3
_HTTP_TIMEOUT = 60.0
#: What every signed URL has (``signing``), and bytes of an answer about one that are read.
_SIGNED, _MOST_OF_AN_ANSWER = "&X-Amz-Signature=", 8192
_DAV = {"dav": "http", "davs": "https"}
#: Characters of a credential that are read.
_MOST_OF_A_TOKEN = 1 << 20
#: The version of HTCondor's plugin that this passes for.
_CURL_PLUGIN_VERSION = "0.2"
_About = dict[str, str | int | bool]


class Wishes(NamedTuple):
    """A job's settings of HTCondor's plugin by variables: how often to try again after a transient failure, and whether
    to use HTTP proxies. ``patience`` is in seconds, see ``progress``; ``credentials`` is the directory of the job's."""

    tries: int = _TRIES
    proxies: bool = True
    patience: float = PATIENCE
    credentials: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str], credentials: str = "") -> Wishes:
        """The wishes of CURL_MAX_RETRY_ATTEMPTS and CURL_IGNORE_HTTP_PROXY."""
        retries = environment.get("CURL_MAX_RETRY_ATTEMPTS", "")
        return cls(
            tries=min(int(retries), _MOST_RETRIES) + 1 if retries.isdecimal() and retries.isascii() else _TRIES,
            proxies="CURL_IGNORE_HTTP_PROXY" not in environment,
            credentials=credentials,
        )


def load_movers() -> None:
    """Imports what moving URLs takes, with our own rights: a job's owner may not be allowed to read it."""
    for name in (
        "email.parser", "encodings.idna", "ftplib", "hashlib", "hmac", "http.client", "json", "urllib.error",
        "urllib.request",
    ):  # fmt: skip
        import_module(name)


def move(url: str, path: str, upload: bool, wishes: Wishes) -> None:
    """Moves one URL from or to a path. UrlError."""
    name, _, scheme = scheme_of(url).rpartition("+")
    if scheme == "file":
        local = _local_path(url)
        try:
            copy_content(*((path, local) if upload else (local, path)))
        except OSError as error:
            about = {} if upload else _about(37, "Specification")
            raise UrlError(url, f"{error.strerror}: {error.filename}", about=about) from None
        return
    headers = {"Authorization": f"Bearer {_token(url, name, wishes.credentials)}"} if name else {}
    plain = f"{_DAV.get(scheme, scheme)}://{url.partition('://')[2]}" if name or scheme in _DAV else url
    pace = Pace(wishes.patience)
    try:
        with watched(pace):
            (_put if upload else _get)(plain, path, headers, wishes, pace)
    except Stalled:
        about = _about(42, "Transfer", FailedServer="Unknown", FailureType="TooSlow")
        raise UrlError(url, "Aborted due to lack of progress", about=about) from None


def _token(url: str, name: str, credentials: str) -> str:
    """Return the token of a credential: the first line that is no comment, or what JSON there calls ``access_token``.
    UrlError."""
    path = os.path.join(credentials, f"{name.replace('.', '_')}.use")
    try:
        with user_file(path) as file:
            text = file.read(_MOST_OF_A_TOKEN)
    except OSError as error:
        number = error.errno or 0
        why = f"Unable to open credential file {path}: {os.strerror(number)} (errno={number})"
        raise UrlError(url, why, about=_about(27, "Parameter")) from None
    line = next((line.strip() for line in text.splitlines() if not line.lstrip().startswith("#")), "")
    token = _token_in_json(url, line) if line.startswith(("{", "[")) else line
    if not token.isascii() or not token.isprintable() or not token or " " in token:
        raise UrlError(url, "The credential is no token", about=_about(27, "Parameter"))
    return token


def _token_in_json(url: str, text: str) -> str:
    """Return the ``access_token`` of a JSON text. UrlError, which does not quote the text: it may be a secret."""
    import json

    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise UrlError(url, "Unable to parse token as JSON", about=_about(27, "Parameter")) from None
    token = found.get("access_token") if isinstance(found, dict) else None
    if not isinstance(token, str) or not token:
        raise UrlError(url, "No 'access_token' key in JSON object", about=_about(27, "Parameter"))
    return token


def _local_path(url: str) -> str:
    from urllib.parse import unquote

    host, slash, rest = url[len("file://") :].partition("/")
    if host not in ("", "localhost", "127.0.0.1"):
        raise UrlError(url, "URL using bad/illegal format or missing URL", about=_malformed())
    return unquote(slash + rest)


def _get(url: str, path: str, headers: Mapping[str, str], wishes: Wishes, pace: Pace) -> None:
    """Fetches with urllib; what may pass by itself is tried again. Stalled."""
    import http.client
    import urllib.error
    import urllib.request

    for attempt in range(1, wishes.tries + 1):
        try:
            request = _for_one_server(urllib.request.Request(url), headers)
            with (
                _opener(wishes).open(request, timeout=_HTTP_TIMEOUT) as answer,
                user_file(path, "wb", links=True) as file,
            ):
                while chunk := answer.read1(_CHUNK):
                    file.write(chunk)
                    pace.count(len(chunk))
                _check_length(answer.headers.get("Content-Length") or "", file.tell())
        except urllib.error.HTTPError as error:
            code = _code_of_s3(url, error)
            if error.code < 500 or attempt == wishes.tries:
                raise _http_error(url, error.code, error.reason + code) from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            if attempt == wishes.tries:
                raise UrlError(url, _why(error), about=_about_fault(url, error)) from None
        else:
            return


def _check_length(promised: str, came: int) -> None:
    """OSError when a server has closed the connection early."""
    if promised.isdecimal() and promised.isascii() and int(promised) != came:
        raise OSError(errno.ECONNRESET, f"transfer closed with {int(promised) - came} bytes remaining to read")


def _opener(wishes: Wishes) -> urllib.request.OpenerDirector:
    import urllib.request

    return urllib.request.build_opener(*([] if wishes.proxies else [urllib.request.ProxyHandler({})]))


def _for_one_server(request: urllib.request.Request, headers: Mapping[str, str]) -> urllib.request.Request:
    """Add headers that a server to which the request is redirected does not get."""
    for name, value in headers.items():
        request.add_unredirected_header(name, value)
    return request


def _put(url: str, path: str, headers: Mapping[str, str], wishes: Wishes, pace: Pace) -> None:
    """Sends a file; while the connection fails it is tried again. UrlError, Stalled."""
    import ftplib
    import http.client
    import urllib.error

    for attempt in range(1, wishes.tries + 1):
        try:
            with user_file(path, "rb", links=True) as file:
                if scheme_of(url) == "ftp":
                    _store(url, Counted(file, pace))
                else:
                    _send(url, file, headers, wishes, pace)
        except urllib.error.HTTPError as error:
            code = _code_of_s3(url, error)
            raise _http_error(url, error.code, error.reason + code) from None
        except ftplib.Error as error:
            raise UrlError(url, str(error), about={"ErrorCode": 67 if str(error).startswith("530") else 25}) from None
        except (OSError, EOFError, ValueError, http.client.HTTPException) as error:
            if attempt == wishes.tries:
                raise UrlError(url, _why(error), about=_about_fault(url, error)) from None
        else:
            return


def _send(url: str, file: IO[bytes], headers: Mapping[str, str], wishes: Wishes, pace: Pace) -> None:
    import urllib.request

    # Without a type urllib calls it a form, which servers take apart.
    about = {"Content-Length": str(os.fstat(file.fileno()).st_size), "Content-Type": "application/octet-stream"}
    request = urllib.request.Request(url, data=Counted(file, pace), method="PUT", headers=about)
    _opener(wishes).open(_for_one_server(request, headers), timeout=_HTTP_TIMEOUT).close()


def _store(url: str, file: Counted) -> None:
    """Sends a file to an FTP server, into a directory that is there. A path begins where the server puts its users."""
    import ftplib
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(url, allow_fragments=False)
    *above, name = map(unquote, url.partition("://")[2].partition("/")[2].split("/"))
    if not name or any(set("\r\n") & set(word) for word in (*above, name)):
        raise ValueError("URL using bad/illegal format or missing URL")
    with ftplib.FTP() as server:
        server.connect(parts.hostname or "", parts.port or ftplib.FTP_PORT, timeout=_HTTP_TIMEOUT)
        server.login(unquote(parts.username or ""), unquote(parts.password or ""))
        for word in above:
            try:
                server.cwd(word or "/")
            except ftplib.error_perm as error:
                about = _about(9, "Authorization", FailedServer=_server(url), FailureType="Unknown")
                raise UrlError(url, str(error), about=about) from None
        server.storbinary(f"STOR {name}", file, _CHUNK)


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    return str(getattr(reason, "strerror", None) or reason) or "the server closed the connection"


def _about(code: int, kind: str, **more: str | bool) -> _About:
    """Return the attributes of a failure in TransferErrorData; ``code`` is libcurl's number for it."""
    return {"ErrorCode": code, "ErrorType": kind, **more}


def _malformed() -> _About:
    return _about(3, "Parameter", PluginLaunched=True, PluginVersion=_CURL_PLUGIN_VERSION)


def _code_of_s3(url: str, error: urllib.error.HTTPError) -> str:
    """Close an answer. Of one about a signed URL return the word for what is wrong: `` (SignatureDoesNotMatch)``."""
    import http.client
    import re

    try:
        text = error.read(_MOST_OF_AN_ANSWER) if _SIGNED in url else b""
    except (OSError, ValueError, http.client.HTTPException):
        text = b""
    finally:
        error.close()
    found = re.search(rb"<Code>([A-Za-z0-9]{1,60})</Code>", text)
    return f" ({found[1].decode()})" if found else ""


def _http_error(url: str, code: int, reason: str) -> UrlError:
    """The server has answered, and the answer is an error."""
    about: _About = {"ErrorCode": 22}
    if code in (400, 404):
        about = _about(22, "Specification", FailedServer=_server(url))
    elif code == 403:
        about = _about(22, "Authorization", FailureType="Authorization", FailedServer=_server(url))
    return UrlError(url, f"HTTP error {code}: {reason}", about=about)


def _about_fault(url: str, error: Exception) -> _About:
    """There was no answer, or it broke off."""
    import http.client
    import socket
    import ssl

    reason = getattr(error, "reason", None) or error
    if isinstance(reason, ValueError | http.client.InvalidURL) and not isinstance(reason, OSError):
        return _malformed()
    if isinstance(reason, socket.gaierror):
        return _about(6, "Resolution", FailedName=_server(url).partition(":")[0], FailureType="Unknown")
    if isinstance(reason, TimeoutError):
        return _about(42, "Transfer", FailedServer="Unknown", FailureType="TooSlow")
    if isinstance(reason, ssl.SSLCertVerificationError):
        return _about(60, "Authorization", FailedServer="Unknown", FailureType="Authentication")
    if isinstance(reason, ConnectionRefusedError | ssl.SSLError):
        return _about(7, "Contact", FailedServer="Unknown")
    return {"ErrorCode": 56}


def _server(url: str) -> str:
    """Host and port of a URL, without a password."""
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2]
