"""The pool that this process talks to: one configuration a process, read when first needed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from condor_py.classad import ClassAd, ExprTree
from condor_py.htcondor.errors import HTCondorException, HTCondorIOError, HTCondorLocateError
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from typing import Any

    from condor_py.tools.access import Pool

_pool: Pool | None = None
_subsystem = "TOOL"


def pool() -> Pool:
    """The pool of the configuration. HTCondorException when it cannot be read."""
    global _pool
    if _pool is None:
        from condor_py.tools.access import Pool

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


def ask(daemon: str, head: dict[str, Any]) -> dict[str, Any]:
    """A daemon's answer. HTCondorIOError when it does not run, HTCondorException when it refuses."""
    from condor_py.daemon.wire import WireError

    try:
        answer = pool().request(daemon, head)
    except WireError as error:
        raise HTCondorIOError(f"Unable to connect to the {daemon}: {error}") from None
    if answer.get("error"):
        raise HTCondorException(str(answer["error"]))
    return answer


def reach(daemon: str) -> None:
    """HTCondorIOError when nobody listens on a daemon's socket."""
    from condor_py.daemon import wire

    try:
        wire.connect(pool().paths.socket(daemon), 5.0).close()
    except wire.WireError as error:
        raise HTCondorIOError(f"Unable to connect to the {daemon}: {error}") from None


def check_location(location: ClassAd | None, kind: str) -> str:
    """The address of the daemon that ``location`` names (None: the local one).

    TypeError for what is no ad, HTCondorLocateError for a daemon of another machine.
    """
    own = pool().schedd_address
    if location is None:
        return own
    if not isinstance(location, ClassAd):
        raise TypeError("location must be a ClassAd")
    address = location.get("MyAddress")
    if not isinstance(address, str):
        raise HTCondorLocateError(f"the location of the {kind} has no MyAddress")
    if _endpoint(address) != _endpoint(own):
        raise HTCondorLocateError(f"{address} is no {kind} of this machine's pool ({own})")
    return address


def _endpoint(address: str) -> str:
    return address.strip("<>").partition("?")[0]


def constraint_of(constraint: str | bool | ExprTree | None) -> str | None:
    """A constraint as text; None for one that lets everything pass. HTCondorException when it does not parse."""
    from condor_py.classad import ClassAdParseError, parse

    if constraint is None or constraint is True or str(constraint).strip().lower() in ("", "true"):
        return None
    text = str(constraint)
    try:
        parse(text)
    except ClassAdParseError:
        raise HTCondorException(f"Unable to parse the constraint: {text}") from None
    return text


def is_true(ad: ClassAd, constraint: str | None) -> bool:
    """Whether a constraint holds for an ad."""
    if constraint is None:
        return True
    from condor_py.classad import is_true as holds

    return holds(ad.eval_text(constraint))


def projection_of(names: object) -> list[str]:
    """The attributes of a projection; TypeError for what is no list."""
    if names is None:
        return []
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError("projection must be a list")
    return [str(name) for name in names]


def projected(ad: ClassAd, names: Iterable[str]) -> ClassAd:
    """A copy of an ad, chained attributes included, with the named attributes only (all of them for no names)."""
    wanted = list(names)
    copy = ClassAd()
    for name in wanted or [*ad.keys()]:
        value = ad.lookup(name) if name in ad else None
        if value is not None:
            copy[name] = value
    return copy
