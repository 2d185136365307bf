"""Finding daemons and reading their ads. There is no collector process: daemons publish their ads as files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from condor_py.bindings import session
from condor_py.bindings.enums import AdType, DaemonType
from condor_py.bindings.errors import HTCondorException, HTCondorIOError, HTCondorLocateError
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.bindings.commands import SecurityContext
    from condor_py.client.pool import Pool

#: Kind -> (file of published ads, MyType; the startd publishes its own ad together with those of its slots).
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
    AdType.Generic: ("GENERIC", ""),
    AdType.License: ("LICENSE", ""),
    AdType.HAD: ("HAD", ""),
    AdType.Credd: ("CREDD", ""),
    AdType.Grid: ("GRID", ""),
    AdType.Placementd: ("PLACEMENTD", ""),
}
#: Everything a collector would hold.
_ALL = tuple(dict.fromkeys(["NEGOTIATOR", "SCHEDD", "MASTER", "STARTD", *(file for file, _ in _KINDS.values())]))
_OF_DAEMON = {
    DaemonType.Any: AdType.Any,
    DaemonType.Master: AdType.Master,
    DaemonType.Schedd: AdType.Schedd,
    DaemonType.Startd: AdType.Startd,
    DaemonType.Collector: AdType.Collector,
    DaemonType.Negotiator: AdType.Negotiator,
    DaemonType.HAD: AdType.HAD,
    DaemonType.Generic: AdType.Generic,
    DaemonType.Credd: AdType.Credd,
    DaemonType.Placementd: AdType.Placementd,
}
#: Daemons that this pool may have, by their sockets.
_SOCKETS = {
    DaemonType.Master: "master",
    DaemonType.Schedd: "schedd",
    DaemonType.Startd: "startd",
    DaemonType.Negotiator: "negotiator",
    DaemonType.Collector: "master",
}
#: Private attributes of a slot that are sent: not the secret of its claim, which no client needs.
_PRIVATE = ("Name", "MyType", "MyAddress")


class Collector:
    """The ads of this machine's pool."""

    #: What ``locate`` tells of a daemon, and its MyType.
    _for_location: ClassVar[list[str]] = [
        "MyAddress",
        "AddressV1",
        "CondorVersion",
        "CondorPlatform",
        "Name",
        "Machine",
    ]

    def __init__(
        self,
        pool: str | ClassAd | list[str] | tuple[str, ...] | None = None,
        security: SecurityContext | None = None,
    ) -> None:
        """``pool`` names the pool: this machine's is the only one that answers. ``security`` is accepted."""
        self._pool = session.pool_for(pool if isinstance(pool, (ClassAd, str)) else None)
        self.default = pool is None
        if isinstance(pool, ClassAd):
            address = pool.get("MyAddress")
            if address is None:
                raise ValueError("if ClassAd, pool must have MyAddress attribute")
            self._hosts = [str(address)]
        elif isinstance(pool, (list, tuple)):
            self._hosts = [str(name) for name in pool]
        elif pool is None or isinstance(pool, str):
            self._hosts = [] if pool is None else [pool]
        else:
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
        names = session.projection_of([] if projection is None else projection)
        wanted = session.constraint_of(constraint, "Unknown error from collector query.")
        absent = wanted is not None and _asks_for_absent(wanted)
        found = [ad for ad in self._ads(ad_type, absent=absent) if session.is_true(ad, wanted)]
        if names:
            names.append("MyType")
        return [session.of_pool(self._pool, session.projected(ad, names)) for ad in found]

    def locate(self, daemon_type: DaemonType, name: str | None = None) -> ClassAd | None:
        """Return the ad with a daemon's address; None without one of that name.

        HTCondorLocateError when the local one is asked for and does not run.
        """
        if name is not None:
            found = self._locate(daemon_type, name)
            return found[0] if found else None
        if not self.default:
            found = self._locate(daemon_type, None)
            return found[0] if found else None
        return self._local(DaemonType(daemon_type))

    def _local(self, daemon_type: DaemonType) -> ClassAd:
        found = self._locate(daemon_type, None)
        if found:
            return found[0]
        socket = _SOCKETS.get(daemon_type)
        try:  # it may run and not have published its ad yet
            if socket is not None:
                session.reach(self._pool, socket)
                return self._location(daemon_type)
        except HTCondorIOError:
            pass
        raise HTCondorLocateError("Unable to locate local daemon.")

    def _location(self, daemon_type: DaemonType) -> ClassAd:
        from condor_py.model.version import CONDOR_VERSION

        settings = self._pool.settings
        name = settings.schedd_name if daemon_type == DaemonType.Schedd else settings.host
        ad = ClassAd({"MyAddress": self._pool.schedd_address, "Name": name, "Machine": settings.host})
        ad["MyType"] = {"Schedd": "Scheduler", "Master": "DaemonMaster", "Startd": "Machine"}.get(
            daemon_type.name, daemon_type.name
        )
        ad["CondorVersion"], ad["CondorPlatform"] = CONDOR_VERSION, self._pool.config.string("CondorPlatform")
        return session.of_pool(self._pool, ad)

    def locateAll(self, daemon_type: DaemonType) -> list[ClassAd]:
        """Return the ads with the addresses of all daemons of a kind."""
        return self._locate(daemon_type, None)

    def directQuery(
        self,
        daemon_type: DaemonType,
        name: str | None = None,
        projection: list[str] | None = None,
        statistics: str | None = None,
    ) -> ClassAd:
        """The ad of one daemon. HTCondorLocateError when it does not exist."""
        constraint = None if name is None else _named(name)
        found = self.query(_ad_type(daemon_type), constraint, projection, statistics)
        if not found:
            raise HTCondorLocateError("Unable to locate local daemon." if name is None else f"Unable to locate {name}.")
        return found[0]

    def advertise(self, ad_list: list[ClassAd], command: str = "UPDATE_AD_GENERIC", use_tcp: bool = True) -> None:
        """Publish ads in addition to those of the daemons (``UPDATE_…``), or take such ads away (``INVALIDATE_…``).

        They expire after CLASSAD_LIFETIME seconds, or what their ClassAdLifetime says. Only who may write the pool's
        published ads can.
        ValueError for an unknown command.
        """
        from condor_py.client.advertising import advertise, order_of

        order = order_of(command)
        if order is None:
            raise ValueError(f"invalid command {command}")
        if not all(isinstance(ad, ClassAd) for ad in ad_list):
            raise TypeError("ad_list must be a list of ClassAds")
        if not ad_list:
            return
        try:
            advertise(self._here("Failed to advertise to collector."), order, ad_list)
        except CondorError as error:
            raise HTCondorIOError(f"Failed to advertise to collector. {error}") from None

    def _here(self, words: str = "Failed communication with collector.") -> Pool:
        if self._hosts and not any(_is_this(self._pool, name) for name in self._hosts):
            raise HTCondorIOError(words)
        return self._pool

    def _ads(self, ad_type: AdType, *, absent: bool = False) -> Iterator[ClassAd]:
        pool = self._here()
        if ad_type is AdType.Any:
            for kind in _ALL:
                yield from pool.ads(kind, absent=absent)
        elif ad_type is AdType.StartdPrivate:
            slots = (ad for ad in pool.ads("STARTD") if ad.eval_str("MyType", None) == "Machine")
            yield from (session.projected(ad, _PRIVATE) for ad in slots if not ad.eval_bool("DynamicSlot", False))
        elif ad_type in _KINDS:
            kind, my_type = _KINDS[ad_type]
            yield from (
                ad for ad in pool.ads(kind, absent=absent) if not my_type or ad.eval_str("MyType", None) == my_type
            )

    def _locate(self, daemon_type: DaemonType, name: str | None) -> list[ClassAd]:
        constraint = None if name is None else _named(name)
        return [
            session.of_pool(self._pool, session.projected(ad, [*self._for_location, "MyType"]))
            for ad in self._ads(_ad_type(daemon_type))
            if session.is_true(ad, constraint) and ad.get("MyAddress")
        ]


def _asks_for_absent(constraint: str) -> bool:
    """Whether a constraint asks for absent machines; otherwise they are left out."""
    from condor_py.lang.classad import parse

    empty = ClassAd()
    names = [*empty.externalRefs(parse(constraint)), *empty.internalRefs(parse(constraint))]
    return any(name.lower().rpartition(".")[2] == "absent" for name in names)


def _named(name: str) -> str:
    from condor_py.lang.classad import quote

    text = quote(name)
    return f"Name == {text} || Machine == {text}"


def _ad_type(daemon_type: DaemonType) -> AdType:
    kind = _OF_DAEMON.get(daemon_type)
    if kind is None:
        raise HTCondorException(f"Unable to determine the ad type of {daemon_type!r}.")
    return kind


def _is_this(pool: Pool, name: str) -> bool:
    own = pool.settings.host.lower()
    known = {own, own.split(".")[0], "localhost", "127.0.0.1", "::1", ""}
    known.update(pool.config.string(knob).lower().partition(":")[0] for knob in ("CONDOR_HOST", "COLLECTOR_HOST"))
    address = pool.schedd_address.strip("<>").partition("?")[0]
    host = name.strip("<>").partition("?")[0].lower()
    bare, _, port = host.rpartition(":")
    if port.isdigit() and bare and port != address.rpartition(":")[2] and bare in ("localhost", "127.0.0.1", "::1"):
        return _is_collector_port(pool, port)
    return bool({host, bare or host} & {*known, address.rpartition(":")[0]})


def _is_collector_port(pool: Pool, port: str) -> bool:
    """Whether a port of this machine is the one that COLLECTOR_HOST names, or the usual one."""
    named = pool.config.string("COLLECTOR_HOST").rpartition(":")[2]
    return port in ("9618", named, str(pool.config.string("COLLECTOR_PORT")))
