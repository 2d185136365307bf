"""condor_who's tables of daemons, and the readiness ad of the master."""

from __future__ import annotations

import os
import time

from condor_py.cli.output.values import is_true
from condor_py.client.lockfile import lock_holder, serving
from condor_py.client.pool import Pool
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.ad import ClassAd as Ad
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import parse
from condor_py.lang.config.builders.daemon import KNOWN, built_in, listed, programs
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.model.messages.master import MasterStatus

#: What other daemons' work is done by.
_BUILT_IN = {"COLLECTOR": "MASTER", "CREDMON_OAUTH": "CREDD", "CREDMON_KRB": "CREDD"}
_POLL = 0.1


def _names(pool: Pool) -> list[str]:
    """The daemons of DAEMON_LIST that exist here, the master first."""
    known = {*KNOWN, *(_BUILT_IN.keys() & built_in(pool.config)), *programs(pool.config)}
    return ["MASTER", *(name for name in dict.fromkeys(listed(pool.config)) if name in known)]


def _pid(pool: Pool, name: str) -> int:
    if name in programs(pool.config):
        status = _status(pool)
        return status.daemons.get(name, 0) if status is not None else 0
    return lock_holder(pool.paths.daemon_lock(_BUILT_IN.get(name, name)))


def _status(pool: Pool) -> MasterStatus | None:
    """Return the master's view of its daemons; None when it does not answer."""
    from condor_py.model.messages.codec import Refused
    from condor_py.model.messages.master import Status

    try:
        answer = pool.ask("master", Status(), timeout=5.0)
    except CondorError:
        return None
    return None if isinstance(answer, Refused) else answer


def table(pool: Pool) -> str:
    """-daemons: a row a daemon."""
    lines = ["", f'LOG directory "{pool.paths.log}"', "", _row("Daemon", "Alive", "PID", "PPID", "Exit", "Addr",
                                                                "Executable"),
             _row("------", "-----", "---", "----", "----", "----", "----------")]  # fmt: skip
    for name in sorted(_names(pool)):
        pid = _pid(pool, name)
        alive = "yes" if pid else "no"
        parent, program = (_parent(pid), _program(pid)) if pid else ("no", "")
        lines.append(_row(name.capitalize(), alive, str(pid or "no"), parent, "no" if pid else "0",
                          pool.settings.address, program))  # fmt: skip
    return "\n".join(lines) + "\n"


def _row(*cells: str) -> str:
    return " ".join(cell.ljust(width) for cell, width in zip(cells, (12, 6, 6, 6, 6, 24, 0), strict=True))


def _parent(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[1]
    except OSError:
        return "no"


def _program(pid: int) -> str:
    """The script that a daemon executes."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return ""
    return next((os.fsdecode(word) for word in words if word.endswith(b".py")), os.fsdecode(words[0]))


def logs(pool: Pool) -> str:
    """-verbose: each daemon with its log."""

    def row(*cells: str) -> str:
        return " ".join(cell.ljust(width) for cell, width in zip(cells, (12, 8, 10, 24, 0), strict=True))

    lines = ["", f'LOG directory "{pool.paths.log}"', "", row("Daemon", "PID", "Exit", "Addr", "Log, Log.Old"),
             row("------", "---", "----", "----", "---, -------")]  # fmt: skip
    for name in sorted(_names(pool)):
        pid, word = _pid(pool, name), name.capitalize()
        path = pool.config.path(f"{name}_LOG")
        there = (one if os.path.exists(one) else "" for one in (path, f"{path}.old"))
        log, old = (one.removeprefix(f"{pool.paths.log}/") for one in there)
        lines.append(row(word, str(pid or ""), "", pool.settings.address if pid else "", f"{log}, {old}"))
    return "\n".join(lines) + "\n"


def _off(pool: Pool) -> frozenset[str]:
    """The daemons that condor_off has stopped for good."""
    status = _status(pool)
    return frozenset(() if status is None else status.off)


def readiness(pool: Pool) -> Ad | None:
    """The readiness ad: what is alive, and whether all of it is ready. None without a master."""
    if not _pid(pool, "MASTER"):
        return None
    ad = ClassAd()
    names = _names(pool)
    address = pool.settings.address.partition("?")[0] + ">"
    pids = {name: _pid(pool, name) for name in names}
    alive = sum(pid != 0 for pid in pids.values())
    off = _off(pool) if alive < len(names) else frozenset()
    held = sum(not pid and name in off for name, pid in pids.items())
    starting = {name for name, pid in pids.items() if pid and not _is_serving(pool, name)}
    for name, pid in pids.items():
        ad.set_str(name, "Startup" if name in starting else "Alive" if pid else "Hold" if name in off else "Dead")
        if pid:
            ad.set_int(f"{name}_PID", pid)
            ad.set_str(f"{name}_Addr", pool.settings.address if name == "MASTER" else address)
    if pids.get("STARTD"):
        ad.set_str("STARTD_State", "Startup" if "STARTD" in starting else "Ready")
    for name, number in (("Daemons", len(names)), ("Alive", alive - len(starting)), ("Dead", len(names) - alive - held),
                         ("Hold", held), ("Hung", 0), ("Startup", len(starting))):  # fmt: skip
        ad.set_int(f"Num{name}", number)
    ad.set_bool("IsReady", alive + held == len(names) and not starting)
    return ad


def _is_serving(pool: Pool, name: str) -> bool:
    """Whether a daemon that runs has published: the startd its slots."""
    process = _BUILT_IN.get(name, name)
    return process == "MASTER" or name in programs(pool.config) or bool(serving(pool.paths, process))


def wait(pool: Pool, text: str, seconds: float) -> Ad | None:
    """The readiness ad as soon as ``text`` is true of it, or when the time is over. CondorError: not an expression."""
    try:
        wanted = parse(text)
    except ClassAdParseError:
        raise CondorError(f"invalid expression for DC_QUERY_READY ReadyRequirements.  Expr = '{text}'") from None
    deadline = time.monotonic() + seconds
    while True:
        ad = readiness(pool)
        if (ad is not None and is_true(ad.raw(wanted))) or time.monotonic() >= deadline:
            return ad
        time.sleep(_POLL)


def gone(pool: Pool) -> str:
    """Return a text on a master that does not run."""
    last = ""
    try:
        with open(pool.paths.daemon_lock("MASTER"), encoding="ascii", errors="replace") as file:
            last = file.read().strip()
    except OSError:
        return "\nNo master has run here\n"
    return f"\nMaster {pool.settings.address} pid={last} Exited with code=0\n"
