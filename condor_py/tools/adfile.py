"""Files of ads that people hand to a tool (``-jobads``, ``-ads``, ``-slotads``...)."""

from __future__ import annotations

import sys

from condor_py.classad.ad import ClassAd
from condor_py.classad.errors import ClassAdParseError
from condor_py.model.errors import CondorError

_FORMS = {"auto": "FileAuto", "long": "Old", "xml": "XML", "json": "JSON", "new": "New"}


def read_ads(path: str, form: str = "auto") -> list[ClassAd]:
    """The ads in ``path`` (``-``: standard input).

    ``form`` is auto (by the look of the text), long, xml, json or new. Raises CondorError.
    """
    try:
        if path == "-":
            text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
        else:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
    except OSError as error:
        raise CondorError(f"Can't open file of ClassAds: {path}") from error
    return parse_ads(text, path, form)


def parse_ads(text: str, path: str, form: str) -> list[ClassAd]:
    """The ads of ``text`` in ``form``; ``path`` is for complaints."""
    from condor_py.classad.formats.read import read_ads as read_text

    try:
        return list(read_text(text, _FORMS.get(form, "FileAuto")))
    except ClassAdParseError as error:
        raise CondorError(f"{path}: {error}") from error
