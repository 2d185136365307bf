"""Ads on their way from daemon to daemon: an object of JSON, old-format texts by name."""

from __future__ import annotations

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.kernel import native
from condor_py.model import jsontext


def read(data: bytes) -> ClassAd:
    """The ad of such an object, as ``write`` and others write it. What ``jsontext.read`` raises; ValueError for what is
    no object of texts."""
    attrs = native.read_texts(data) if native is not None else None
    if attrs is None:
        found = jsontext.read(data)
        if type(found) is not dict or not all(type(text) is str for text in found.values()):
            raise ValueError("an ad is an object of texts")
        return ClassAd.from_text_items(found.items())
    ad = ClassAd()
    ad.attrs = attrs
    return ad


def write(ad: ClassAd) -> bytes:
    """All attributes of an ad, inherited ones as well."""
    text: str | None = native.write_texts(ad.merged()) if native is not None else None
    return (jsontext.write(dict(ad.pairs())) if text is None else text).encode()
