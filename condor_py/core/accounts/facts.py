"""Reading numbers and strings out of ads: ClassAds, or plain mappings of values or of expression texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd


def value_of(ad: ClassAd | Mapping[str, Any], name: str) -> Any:
    """The value of an attribute, lists and ads as evaluation leaves them; None, Value.Undefined or Value.Error where
    there is none."""
    raw = getattr(ad, "raw", None)
    return ad.get(name) if raw is None else raw(name)


def number(ad: ClassAd | Mapping[str, Any], name: str, default: float) -> float:
    """A number; the default where there is none."""
    value = value_of(ad, name)
    if type(value) in (int, float, bool):
        return value  # type: ignore[no-any-return]
    if type(value) is str:
        try:
            return float(value)
        except ValueError:
            return default
    return default


def string(ad: ClassAd | Mapping[str, Any], name: str) -> str:
    """A string (without the quotes that an expression text has); empty where there is none."""
    raw = getattr(ad, "raw", None)
    value = ad.get(name) if raw is None else raw(name)
    if type(value) is not str:
        return ""
    if raw is None and len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return value
