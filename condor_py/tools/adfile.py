"""Files of ads that people hand to a tool (``-jobads``, ``-ads``, ``-slotads``...)."""

from __future__ import annotations

import sys

from condor_py.classad.ad import ClassAd
from condor_py.model.errors import CondorError

_FORMS = ("auto", "long", "xml", "json", "new")


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
    if form not in _FORMS:
        form = "auto"
    return _parse(text, path, _guess(text) if form == "auto" else form)


def _guess(text: str) -> str:
    start = text.lstrip()[:200]
    if start.startswith("<"):
        return "xml"
    if start.startswith("{"):
        return "new" if start[1:].lstrip().startswith("[") else "json"
    if start.startswith("["):
        return "json" if start[1:].lstrip()[:1] in ("{", "]") else "new"
    return "long"


def _parse(text: str, path: str, form: str) -> list[ClassAd]:
    if form == "long":
        from condor_py.classad.formats.old import read_old

        return list(read_old(text.splitlines(), path))
    if form == "xml":
        from condor_py.classad.formats.xml import parse_xml

        return list(parse_xml(text))
    if form == "json":
        from condor_py.classad.formats.json import parse_json

        return list(parse_json(text))
    from condor_py.classad.api import parseAds

    return list(parseAds(text))
