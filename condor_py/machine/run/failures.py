"""Failures with the files of a transfer, and their wording."""

from __future__ import annotations

import os
from collections.abc import Mapping

from condor_py.machine.run.copying import LinkToDirectory
from condor_py.model.states import VacateCode

_MEGABYTE = 1024 * 1024


class TransferError(Exception):
    """A file that cannot be copied: the job is held with ``code``, ``subcode`` (errno) and this text."""

    def __init__(self, code: int, subcode: int, text: str) -> None:
        super().__init__(text)
        self.code = int(code)
        self.subcode = subcode

    @property
    def holds(self) -> bool:
        """Whether the job is at fault; otherwise another try may do better."""
        return self.subcode > -1000 and self.code != VacateCode.JOB_NOT_STARTED


class TooMuch(Exception):
    """The transfer would get larger than the job may have; the text is HTCondor's."""


class Failures:
    """The number of files that failed, and the first error with its path."""

    def __init__(self) -> None:
        self.count = 0
        self.first: OSError | TooMuch | UrlError | None = None
        self.path = ""

    def add(self, error: OSError | TooMuch | UrlError, path: str = "") -> None:
        """Count a failure; the first one is kept."""
        self.count += 1
        if self.first is None:
            self.first, self.path = error, path

    def told(self, doing: str) -> str:
        """The first failure of ``doing`` something with a file."""
        if isinstance(self.first, OSError):
            number = self.first.errno or 0
            text = f"{doing} file {self.path}: (errno {number}) {os.strerror(number)}"
            if isinstance(self.first, LinkToDirectory):
                text += "- Transfer of symlinks to directories is not supported."
            return self.details(text) if doing == "reading from" else text
        return self.details(f"sending file {self.path}: {self.first}")

    def details(self, text: str) -> str:
        """Return ``text`` with the number of failures."""
        return f"{self.count} total failures: first failure: {text}"


def check_size(source: str, before: int, limit: int, word: str) -> None:
    """TooMuch when the files so far and this one are more than ``limit`` megabytes (-1: any number)."""
    if limit < 0:
        return
    size = _size_of(source)
    if before + size > limit * _MEGABYTE:
        this = size // _MEGABYTE
        raise TooMuch(f"max total {word} bytes exceeded (max={limit} MB, this file={this} MB)")


def _size_of(path: str) -> int:
    """Bytes of a file, or of the files in a directory; 0 for what is not there."""
    if os.path.isdir(path):
        return sum(os.lstat(os.path.join(top, name)).st_size for top, _, names in os.walk(path) for name in names)
    return os.path.getsize(path) if os.path.exists(path) else 0


class UrlError(Exception):
    """A URL that was not moved; the text is for the reason of the hold.

    ``subcode`` is HTCondor's: the exit status of the plugin shifted by 8 bits, or the signal that it died by. From
    -1000 downwards it is not the job's fault: the run is given up and the job tries again. ``about`` is what programs
    receive of it (an ad of TransferErrorData), ErrorString left out.
    """

    def __init__(
        self, url: str, text: str, subcode: int = 1 << 8, about: Mapping[str, str | int | bool] | None = None
    ) -> None:
        super().__init__(f"{text} ( URL file = {without_secrets(url)} )")
        self.scheme = method_of(url)
        self.subcode = subcode
        self.text = text
        self.about = {} if about is None else dict(about)


def scheme_of(name: str) -> str:
    """The scheme of a URL in lower case, empty for a path."""
    scheme, found, _ = name.partition("://")
    if not found and name[:5].lower() == "data:":
        return "data"
    return scheme.lower() if found and scheme and all(c.isalnum() or c in "+-." for c in scheme) else ""


def method_of(url: str) -> str:
    """The part of a URL's scheme that says how to move it: ``gdrive`` of ``mine+gdrive://``."""
    return scheme_of(url).replace("-", "+").replace(".", "+").rpartition("+")[2]


def without_secrets(url: str) -> str:
    """A URL as logs may show it, without password and query, which may hold a signature."""
    shown = url.partition("?")[0] + ("?..." if "?" in url else "")
    scheme, found, rest = shown.partition("://")
    authority, slash, path = rest.partition("/")
    account, at, host = authority.rpartition("@")
    if not found or ":" not in account:
        return shown
    return f"{scheme}://{account.partition(':')[0]}:...{at}{host}{slash}{path}"
