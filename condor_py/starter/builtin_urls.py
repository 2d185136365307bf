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
            raise UrlError(url, f"{error.strerror}: {error.filename}", 1 << 8) from None
    elif upload:
        _put(url, path)
    else:
        _get(url, path)


def _local_path(url: str) -> str:
    from urllib.parse import unquote

    rest = url[len("file://") :]
    return unquote(rest[rest.index("/") :]) if "/" in rest else rest


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
                raise UrlError(url, f"HTTP error {error.code}: {error.reason}") from None
        except (OSError, ValueError) as error:
            if attempt == _HTTP_TRIES:
                raise UrlError(url, _why(error)) from None
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
        raise UrlError(url, f"HTTP error {error.code}: {error.reason}") from None
    except (OSError, ValueError) as error:
        raise UrlError(url, _why(error)) from None


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
    return str(getattr(reason, "strerror", None) or reason)
