"""Names of URLs, and what is told of one that was not moved."""

from __future__ import annotations

from collections.abc import Mapping


class UrlError(Exception):
    """A URL that was not moved; the text is for the reason of the hold.

    ``subcode`` is HTCondor's: the exit status of the plugin shifted by 8 bits, or the signal that it died by. From
    -1000 downwards it is not the job's fault: the run is given up and the job tries again. ``about`` is what programs
    are told of it (an ad of TransferErrorData), ErrorString left out.
    """

    def __init__(
        self, url: str, text: str, subcode: int = 1 << 8, about: Mapping[str, str | int | bool] | None = None
    ) -> None:
        super().__init__(f"{text} ( URL file = {without_secrets(url)} )")
        self.scheme = scheme_of(url)
        self.subcode = subcode
        self.text = text
        self.about = {} if about is None else dict(about)


def scheme_of(name: str) -> str:
    """The scheme of a URL in lower case, empty for a path."""
    scheme, found, _ = name.partition("://")
    if not found and name[:5].lower() == "data:":
        return "data"
    return scheme.lower() if found and scheme and all(c.isalnum() or c in "+-." for c in scheme) else ""


def without_secrets(url: str) -> str:
    """A URL as logs may show it: a query may hold a signature."""
    return url.partition("?")[0] + ("?..." if "?" in url else "")
