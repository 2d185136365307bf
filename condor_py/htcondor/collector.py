"""Finding daemons and reading their ads. There is no collector process: daemons publish their ads as files."""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.classad import ClassAd
from condor_py.htcondor import session
from condor_py.htcondor.enums import AdType, DaemonType
from condor_py.htcondor.errors import HTCondorException, HTCondorLocateError

#: Kind -> (file of published ads, MyType; the startd publishes its own ad beside those of its slots).
_KINDS: dict[AdType, tuple[str, str]] = {
    AdType.Startd: ("STARTD", "Machine"),
    AdType.Slot: ("STARTD", "Machine"),
    AdType.StartDaemon: ("STARTD", "StartD"),
    AdType.Schedd: ("SCHEDD", ""),
    AdType.Master: ("MASTER", ""),
    AdType.Submitter: ("SUBMITTERS", ""),
    AdType.Collector: ("COLLECTOR", ""),
    AdType.Negotiator: ("NEGOTIATOR", ""),
    AdType.Accounting: ("ACCOUNTING", ""),
    AdType.Defrag: ("DEFRAG", ""),
}
#: Everything a collector would hold.
_ALL = ("NEGOTIATOR", "SCHEDD", "MASTER", "STARTD", "SUBMITTERS", "ACCOUNTING", "DEFRAG", "COLLECTOR")
_OF_DAEMON = {
    DaemonType.Master: AdType.Master,
    DaemonType.Schedd: AdType.Schedd,
    DaemonType.Startd: AdType.Startd,
    DaemonType.Negotiator: AdType.Negotiator,
    DaemonType.Collector: AdType.Collector,
}
#: What ``locate`` tells of a daemon.
_LOCATION = ("MyAddress", "AddressV1", "CondorVersion", "CondorPlatform", "Name", "Machine", "MyType")


class Collector:
    """The ads of this machine's pool."""

    def __init__(
        self, pool: str | ClassAd | list[str] | tuple[str, ...] | None = None, security: object = None
    ) -> None:
        """``pool`` may name this machine; HTCondorException for another one. ``security`` is accepted."""
        if isinstance(pool, ClassAd):
            session.check_location(pool, "collector")
        elif isinstance(pool, (list, tuple)):
            for name in pool:
                _check_host(name)
        elif isinstance(pool, str):
            _check_host(pool)
        elif pool is not None:
            raise TypeError("pool is not a string, list (or tuple) of strings, or a ClassAd")

    def query(
        self,
        ad_type: AdType = AdType.Any,
        constraint: str | None = None,
        projection: list[str] | None = None,
        statistics: str | None = None,
    ) -> list[ClassAd]:
        """The ads of a kind for which ``constraint`` is true, with the attributes of ``projection`` (None: all)."""
        if not isinstance(ad_type, AdType):
            raise TypeError("ad_type must be an htcondor.AdType")
        wanted = session.constraint_of(constraint)
        return [
            session.projected(ad, projection or ()) if projection else ad
            for ad in _ads(ad_type)
            if session.is_true(ad, wanted)
        ]

    def locate(self, daemon_type: DaemonType, name: str | None = None) -> ClassAd | None:
        """Where a daemon is; None when there is none of that name.

        HTCondorLocateError when the local one is asked for and does not run.
        """
        found = self._locate(daemon_type, name)
        if not found and name is None:
            raise HTCondorLocateError(f"Unable to locate the local {DaemonType(daemon_type).name}: is it running?")
        return found[0] if found else None

    def locateAll(self, daemon_type: DaemonType) -> list[ClassAd]:
        """Where all daemons of a kind are."""
        return self._locate(daemon_type, None)

    def directQuery(
        self,
        daemon_type: DaemonType,
        name: str | None = None,
        projection: list[str] | None = None,
        statistics: str | None = None,
    ) -> ClassAd:
        """The ad of one daemon."""
        constraint = None if name is None else _named(name)
        found = self.query(_ad_type(daemon_type), constraint, projection, statistics)
        if not found:
            raise HTCondorLocateError(f"Unable to locate the {DaemonType(daemon_type).name} {name or ''}".rstrip())
        return found[0]

    def advertise(self, ad_list: list[ClassAd], command: str = "UPDATE_AD_GENERIC", use_tcp: bool = True) -> None:
        """Not available: only this machine's daemons publish ads. Raises HTCondorException."""
        raise HTCondorException(f"{command}: this pool holds the ads of its own daemons only")

    def _locate(self, daemon_type: DaemonType, name: str | None) -> list[ClassAd]:
        constraint = None if name is None else _named(name)
        return [
            session.projected(ad, _LOCATION)
            for ad in _ads(_ad_type(daemon_type))
            if session.is_true(ad, constraint) and ad.get("MyAddress")
        ]


def _named(name: str) -> str:
    from condor_py.classad import quote

    text = quote(name)
    return f"Name == {text} || Machine == {text}"


def _ad_type(daemon_type: DaemonType) -> AdType:
    kind = _OF_DAEMON.get(daemon_type)
    if kind is None:
        raise HTCondorLocateError(f"there is no {DaemonType(daemon_type).name} daemon in a pool of one machine")
    return kind


def _ads(ad_type: AdType) -> Iterable[ClassAd]:
    pool = session.pool()
    if ad_type is AdType.Any:
        for kind in _ALL:
            yield from pool.ads(kind)
    elif ad_type in _KINDS:
        kind, my_type = _KINDS[ad_type]
        yield from (ad for ad in pool.ads(kind) if not my_type or ad.eval_str("MyType", None) == my_type)


def _check_host(name: str) -> None:
    config = session.pool().config
    own = session.pool().settings.host.lower()
    known = {own, own.split(".")[0], "localhost", "127.0.0.1", "::1", ""}
    known.update(config.string(knob).lower().partition(":")[0] for knob in ("CONDOR_HOST", "COLLECTOR_HOST"))
    address = session.pool().schedd_address.strip("<>").partition("?")[0].rpartition(":")[0]
    host = name.strip("<>").partition("?")[0].lower()
    bare = host.rpartition(":")[0] or host
    if not {host, bare} & {*known, address}:
        raise HTCondorException(f"unknown host {name}: the pool of this machine is the only one that can be asked")
