"""Files of ads that people hand to a tool (``-jobads``, ``-ads``, ``-slotads``...)."""

from __future__ import annotations

import sys
from functools import cache

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_FORMS = {"auto": "FileAuto", "long": "Old", "xml": "XML", "json": "JSON", "new": "New"}


def read_ads(path: str, form: str = "auto") -> list[ClassAd]:
    """The ads in ``path`` (``-``: standard input).

    ``form`` is auto (by the look of the text), long, xml, json or new. Raises CondorError.
    """
    return parse_ads(read_text(path), path, form)


@cache
def no_attribute() -> re.Pattern[str]:
    """A line of the long form that gives no attribute a value, and is neither blank nor a comment."""
    import re

    return re.compile(r"^(?![ \t\r]*(?:#|$|[A-Za-z_'][^=\n]*=[^\n]*[^\s=]))[^\n]+$", re.MULTILINE)


def read_slots(path: str, form: str = "auto") -> list[ClassAd]:
    """The ads in ``path``, in the long form those in front of the first with a line that is no attribute, of which
    standard error tells. Raises CondorError."""
    from condor_py.lang.classad.formats.read import detect

    text = read_text(path)
    kind = _FORMS.get(form, "FileAuto")
    if (detect(text) if kind == "FileAuto" else kind) == "Old":
        bad = no_attribute().search(text)
        if bad is not None:
            sys.stderr.write(f"Warning: {path}: slots from this line on are not read: {bad[0]}\n")
            lines = text[: bad.start()].split("\n")
            last = max((number for number, line in enumerate(lines[:-1]) if not line.strip()), default=0)
            text = "\n".join(lines[:last])
    return parse_ads(text, path, form)


def read_jobs(path: str, form: str = "auto") -> tuple[list[ClassAd], str]:
    """The jobs in ``path`` as `read_ads` reads them, and the schedd that its title names (``Schedd: NAME : ADDRESS``).

    In the long form titles of condor_q (``-- Schedd: ...``) and the lines between events of a log (``...``) are taken
    for the end of an ad, and what does not parse is left out with the rest of its ad. Raises CondorError.
    """
    from condor_py.lang.classad.formats.read import detect

    text = read_text(path)
    kind = _FORMS.get(form, "FileAuto")
    if (detect(text) if kind == "FileAuto" else kind) != "Old":
        return parse_ads(text, path, form), ""
    lines, title = [], ""
    for line in text.split("\n"):
        if line.startswith("-- "):
            title = _schedd(line) or title
        separates = not line or line.startswith(("-- ", "...", "***"))
        if separates or line.strip(" \t"):
            lines.append("" if separates else line)
    return parse_ads("\n".join(lines), path, "long"), title


def _schedd(line: str) -> str:
    """The schedd of a title that has no space before the name; "" for other lines, as HTCondor takes them."""
    import re

    match = re.match(r"-- (Schedd|Submitter):([^: \t\n]+)[: \t\n]+([^ \t\n]+)", line)
    return "" if match is None else f"{match[1]}: {match[2]} : {match[3]}"


class NoAdFile(CondorError):
    """A file of ads that cannot be opened."""


def read_text(path: str) -> str:
    """The text of a file, or of standard input (``-``). NoAdFile."""
    try:
        if path == "-":
            return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as error:
        raise NoAdFile(f"Can't open file of ClassAds: {path}") from error


def parse_ads(text: str, path: str, form: str) -> list[ClassAd]:
    """The ads of ``text`` in ``form``; ``path`` is for complaints."""
    from condor_py.lang.classad.formats.read import read_ads as read_form

    try:
        return list(read_form(text, _FORMS.get(form, "FileAuto")))
    except ClassAdParseError as error:
        raise CondorError(f"{path}: {error}") from error
