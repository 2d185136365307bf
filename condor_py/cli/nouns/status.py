"""``htcondor server status``, ``htcondor ap`` and ``htcondor cm``: how the daemons are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.bindings import session
from condor_py.bindings.collector import Collector
from condor_py.bindings.enums import AdType
from condor_py.bindings.schedd import Schedd
from condor_py.cli.nouns import health
from condor_py.client.pool import why_closed
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.nouns.words import Say
    from condor_py.lang.classad import ClassAd

_NO_PID, _MISSING, _UNKNOWN = "-----", "Missing", "UNKNOWN"


def server(say: Say) -> None:
    """A row for each daemon of DAEMON_LIST, and a word for all of them."""
    from condor_py.cli.who.daemons import readiness

    pool = session.pool()
    ready = readiness(pool)
    if ready is None and (closed := why_closed(pool.paths)):
        raise CondorError(closed)
    if ready is None:
        say("There are no HTCondor daemons currently running")
        return
    names = list(dict.fromkeys(name.upper() for name in pool.config.list("DAEMON_LIST")))
    points = {found.kind: found.points for found in health.daemons(Collector().query())}
    rows = [
        (name, str(ready.eval_int(f"{name}_PID", 0) or _NO_PID), ready.eval_str(name, None) or _MISSING,
         health.word(points[name]) if name in points else _UNKNOWN)
        for name in names
    ]  # fmt: skip
    _table(say, [("Daemon", "PID", "Status", "Health"), *rows])
    overall = sum(points.get(name, 0.0) for name in names)
    say(f"\nOverall HTCondor Health: {health.word(overall, max(1, len(names)))}\n")


def _table(say: Say, rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        say("   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def access_points(say: Say, hostnames: list[str]) -> None:
    """A row for each machine with a schedd."""
    ads = [ad for ad in Collector().query(AdType.Schedd) if not hostnames or ad.eval_str("Machine") in hostnames]
    if not ads:
        what = "specified Access Point(s)" if hostnames else "any Access Point information"
        raise CondorError(f"Failed to locate {what}")
    rows = [("Access Point", "Health", "DutyCycle")]
    for machine, found in _by_machine(ads).items():
        duty = 100 * (found[0][0].eval_real("RecentDaemonCoreDutyCycle", 0.0))
        rows.append((machine, _together(found), f"{duty:.2f}%"))
    _table(say, [*rows])
    say("")
    for host in hostnames:
        if host not in [row[0] for row in rows]:
            say.error(f"Failed to find the following host: {host}")


def central_managers(say: Say) -> None:
    """A row for each machine with a collector or a negotiator."""
    ads = [ad for kind in (AdType.Collector, AdType.Negotiator) for ad in Collector().query(kind)]
    if not ads:
        raise CondorError("Failed to locate any Central Managers")
    rows = [(machine, _together(found)) for machine, found in _by_machine(ads).items()]
    _table(say, [("Central Manager", "Health"), *rows])
    say("")


_Found = list[tuple["ClassAd", health.Daemon]]


def _by_machine(ads: list[ClassAd]) -> dict[str, _Found]:
    found: dict[str, _Found] = {}
    for ad in ads:
        daemon = health.daemon(ad)
        if daemon is not None:
            found.setdefault(daemon.machine, []).append((ad, daemon))
    return found


def _together(found: _Found) -> str:
    return health.word(sum(daemon.points for _, daemon in found), len(found))


def claims(say: Say, name: str | None) -> None:
    """A row for each slot that the schedd holds."""
    location = None
    if name:
        ads = [ad for ad in Collector().query(AdType.Schedd) if name in (ad.eval_str("Name"), ad.eval_str("MyAddress"))]
        if not ads:
            raise CondorError(f"Failed to query claims: there is no access point {name}")
        location = ads[0]
    found = Schedd(location).get_claims()
    if not found:
        say("No active claims")
        return
    _table(say, [("Name", "Activity", "Source", "Activations"), *map(_claim, found)])
    say("")


def _claim(ad: ClassAd) -> tuple[str, ...]:
    source = "DirectAttach" if ad.eval_bool("IsDirectAttach", False) else "Negotiator"
    source = "OCU" if ad.eval_bool("OCU", False) else source
    activity = ad.eval_str("Activity", None) or "Unknown"
    return ad.eval_str("Name", None) or "???", activity, source, str(ad.eval_int("NumJobStarts", 0))
