"""The pool that this process uses: one configuration a process, read when first needed.

Objects (a ``Schedd``, a ``Startd``) keep the pool under whose configuration they were made.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING

from condor_py.bindings.errors import HTCondorException, HTCondorIOError
from condor_py.lang.classad import ClassAd, ExprTree
from condor_py.lang.classad.record import COMPUTED
from condor_py.model.errors import CondorError
from condor_py.model.messages.codec import A, Refused, Request

if TYPE_CHECKING:
    from condor_py.client.pool import Pool

_pool: Pool | None = None
#: Ads of daemons by identity, with the pool that they are of; and pools by their address.
_homes: dict[int, tuple[weakref.ref[ClassAd], Pool]] = {}
_seen: dict[str, Pool] = {}
_subsystem = "TOOL"


def pool() -> Pool:
    """The pool of the configuration. HTCondorException when it cannot be read."""
    global _pool
    if _pool is None:
        from condor_py.client.pool import Pool

        try:
            _pool = Pool(_subsystem)
        except CondorError as error:
            raise HTCondorException(str(error)) from None
    return _pool


def reload_config(root_config_file: str | None = None) -> None:
    """Read the configuration again, from ``root_config_file`` when given, else from where it was found.

    Raises HTCondorException when it is wrong; what was read before stays in force then.
    """
    global _pool
    before, named = _pool, os.environ.get("CONDOR_CONFIG")
    _pool = None
    if root_config_file is not None:
        os.environ["CONDOR_CONFIG"] = root_config_file
    try:
        pool()
    except HTCondorException:
        _pool = before
        raise
    finally:
        if root_config_file is not None:
            _restore("CONDOR_CONFIG", named)


def _restore(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def use_subsystem(name: str) -> None:
    """Read the configuration from now on as the subsystem ``name`` does."""
    global _pool, _subsystem
    _pool, _subsystem = None, name


def ask(where: Pool, daemon: str, request: Request[A]) -> A:
    """A daemon's answer. HTCondorIOError when it does not run, HTCondorException when it refuses."""
    from condor_py.client.wire import WireError

    try:
        answer = where.ask(daemon, request)
    except WireError as error:
        raise HTCondorIOError(f"Unable to connect to the {daemon}: {error}") from None
    if isinstance(answer, Refused):
        raise HTCondorException(answer.error)
    return answer


def reach(where: Pool, daemon: str) -> None:
    """Raise HTCondorIOError when no process listens on a daemon's socket."""
    from condor_py.client import wire

    try:
        wire.connect(where.paths.socket(daemon), 5.0).close()
    except wire.WireError as error:
        raise HTCondorIOError(f"Unable to connect to the {daemon}: {error}") from None


def version() -> str:
    """HTCondor's version line, of the release that this module follows."""
    from condor_py.model.version import CONDOR_VERSION

    return CONDOR_VERSION


def check_ad(value: object, name: str) -> None:
    """TypeError for what is no ad."""
    if not isinstance(value, ClassAd):
        raise TypeError(f"{name} must be a ClassAd")


def of_pool(where: Pool, ad: ClassAd) -> ClassAd:
    """Return ``ad`` and let ``pool_for`` know that it belongs to this pool."""
    key = id(ad)
    _homes[key] = (weakref.ref(ad, lambda _: _homes.pop(key, None)), where)
    _seen[_endpoint(where.schedd_address)] = where
    return ad


def pool_for(location: ClassAd | str | None) -> Pool:
    """The pool of a daemon's ad or address: that from which the ad came, else the one that is configured now."""
    current = pool()
    if location is None:
        return current
    if isinstance(location, ClassAd):
        known = _homes.get(id(location))
        if known is not None and known[0]() is location:
            return known[1]
        location = location.eval_str("MyAddress", "") or ""
    if is_local(current, location) and os.path.exists(current.paths.socket("master")):
        return current
    return _seen.get(_endpoint(location), current)


def address_of(location: ClassAd | None, where: Pool) -> str:
    """The address of the daemon that ``location`` names (None: one of ``where``). TypeError, KeyError."""
    if location is None:
        return where.schedd_address
    check_ad(location, "location")
    return str(location["MyAddress"])


def is_local(where: Pool, address: str) -> bool:
    """Whether an address is that of this pool: its daemons share one."""
    return _endpoint(address) == _endpoint(where.schedd_address)


def _endpoint(address: str) -> str:
    return address.strip("<>").partition("?")[0]


def constraint_of(constraint: str | bool | ExprTree | None, failed: str = "") -> str | None:
    """A constraint as text; None for one that lets everything pass. HTCondorException (with the words ``failed``, if
    given) when it does not parse."""
    from condor_py.lang.classad import ClassAdParseError, parse

    if constraint is None or constraint is True or str(constraint).strip().lower() in ("", "true"):
        return None
    text = str(constraint)
    try:
        parse(text)
    except ClassAdParseError:
        raise HTCondorException(failed or f"Unable to parse the constraint: {text}") from None
    return text


def is_true(ad: ClassAd, constraint: str | None) -> bool:
    """Whether a constraint holds for an ad."""
    if constraint is None:
        return True
    from condor_py.lang.classad import is_true as holds

    return holds(ad.eval_text(constraint))


def projection_of(names: object) -> list[str]:
    """The attributes of a projection; TypeError for what is no list."""
    if not isinstance(names, list):
        raise TypeError("projection must be a list")
    return [str(name) for name in names]


def projected(ad: ClassAd, names: Iterable[str]) -> ClassAd:
    """A copy of an ad, chained attributes included, with the named attributes only (all of them for no names). What
    their expressions refer to comes along, as in HTCondor's answers."""
    wanted = list(names)
    if not wanted:
        return ad.flat_copy()
    copy = ClassAd()
    for name in wanted:
        binding = ad.find(name.lower())
        if binding is None:
            continue
        copy.put(binding)
        if binding.value is COMPUTED:
            for other in ad.internalRefs(ExprTree.of(binding.node)):
                found = ad.find(other.lower())
                if found is not None:
                    copy.put(found)
    return copy
