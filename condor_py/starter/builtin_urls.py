"""URLs that are moved without a plugin: ``http``, ``https``, ``ftp`` and ``file``. Everything runs with the rights that
the caller has at the moment.
"""

from __future__ import annotations

import os
import shutil
from importlib import import_module

from condor_py.starter.urls import UrlError, scheme_of

_CHUNK = 1 << 20
_HTTP_TIMEOUT = 60.0
_HTTP_TRIES = 3
#: The version of HTCondor's plugin that this passes for.
_CURL_PLUGIN_VERSION = "0.2"
_About = dict[str, str | int | bool]


def load_movers() -> None:
    """Imports what moving URLs takes, with our own rights: a job's owner may not be allowed to read it."""
    for name in ("email.parser", "encodings.idna", "ftplib", "urllib.error", "urllib.request"):
        import_module(name)


def move(url: str, path: str, upload: bool) -> None:
    """Moves one URL from or to a path. UrlError."""
    scheme = scheme_of(url)
    if scheme == "file":
        local = _local_path(url)
        try:
            shutil.copyfile(*((path, local) if upload else (local, path)))
        except OSError as error:
            about = {} if upload else _about(37, "Specification")
            raise UrlError(url, f"{error.strerror}: {error.filename}", about=about) from None
    elif upload:
        _put(url, path)
    else:
        _get(url, path)


def _local_path(url: str) -> str:
    from urllib.parse import unquote

    host, slash, rest = url[len("file://") :].partition("/")
    if host not in ("", "localhost", "127.0.0.1"):
        raise UrlError(url, "URL using bad/illegal format or missing URL", about=_malformed())
    return unquote(slash + rest)


def _get(url: str, path: str) -> None:
    """Fetches with urllib; what may pass by itself is tried again."""
    import urllib.error
    import urllib.request

    for attempt in range(1, _HTTP_TRIES + 1):
        try:
            with urllib.request.urlopen(url, timeout=_HTTP_TIMEOUT) as answer, open(path, "wb") as file:
                while chunk := answer.read(_CHUNK):
                    file.write(chunk)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code < 500 or attempt == _HTTP_TRIES:
                raise _http_error(url, error.code, error.reason) from None
        except (OSError, ValueError) as error:
            if attempt == _HTTP_TRIES:
                raise UrlError(url, _why(error), about=_about_fault(url, error)) from None
        else:
            return


def _put(url: str, path: str) -> None:
    import urllib.error
    import urllib.request

    if scheme_of(url) not in ("http", "https"):
        raise UrlError(url, f"cannot write to {scheme_of(url)} URLs")
    try:
        with open(path, "rb") as file:
            length = {"Content-Length": str(os.path.getsize(path))}
            request = urllib.request.Request(url, data=file, method="PUT", headers=length)
            urllib.request.urlopen(request, timeout=_HTTP_TIMEOUT).close()
    except urllib.error.HTTPError as error:
        error.close()
        raise _http_error(url, error.code, error.reason) from None
    except (OSError, ValueError) as error:
        raise UrlError(url, _why(error), about=_about_fault(url, error)) from None


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
    return str(getattr(reason, "strerror", None) or reason)


def _about(code: int, kind: str, **more: str | bool) -> _About:
    """What TransferErrorData has of a failure; ``code`` is libcurl's number for it."""
    return {"ErrorCode": code, "ErrorType": kind, **more}


def _malformed() -> _About:
    return _about(3, "Parameter", PluginLaunched=True, PluginVersion=_CURL_PLUGIN_VERSION)


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
    import socket
    import ssl

    reason = getattr(error, "reason", None) or error
    if isinstance(reason, ValueError) and not isinstance(reason, OSError):
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
