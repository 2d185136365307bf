"""Locations of daemons, in the words of the first version."""

from __future__ import annotations

from typing import Any, NamedTuple

from condor_py.bindings.errors import HTCondorValueError
from condor_py.lang.classad import ClassAd


class DaemonLocation(NamedTuple):
    """A daemon's kind, address and version."""

    daemon_type: Any
    address: str
    version: str


def location_of(place: ClassAd | DaemonLocation | None) -> ClassAd | None:
    """A location as the ad that the second version takes. HTCondorValueError for an ad without an address."""
    if isinstance(place, tuple):
        return ClassAd({"MyAddress": place.address, "CondorVersion": place.version})
    if isinstance(place, ClassAd) and "MyAddress" not in place:
        raise HTCondorValueError("address not specified.")
    if isinstance(place, ClassAd) and "CondorVersion" not in place:
        ad = place.flat_copy()
        ad["CondorVersion"] = ""
        return ad
    return place
