"""Where condor_status's ads come from: what this pool's daemons have published, or a file."""

from __future__ import annotations

import os

from condor_py.cli.common import check_pool
from condor_py.cli.options import Args
from condor_py.client.lockfile import lock_holder
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.client.pool import Pool

#: Kinds whose ads the startd publishes; the others are files of their own.
_STARTD_KINDS = ("SLOTS", "STARTD")
_DAEMON_AD = "startd"
#: What MyType says in a file of mixed ads.
_TYPES = {
    "SCHEDD": "scheduler",
    "SUBMITTERS": "submitter",
    "MASTER": "daemonmaster",
    "NEGOTIATOR": "negotiator",
    "ACCOUNTING": "accounting",
    "COLLECTOR": "collector",
    "STARTD": _DAEMON_AD,
}


class NothingPublished(CondorError):
    """No daemon has published anything."""


def read(args: Args, kind: str, my_type: str) -> list[ClassAd]:
    """The ads of a kind; of a file all, whatever they are, as HTCondor takes them.

    Raises CondorError when nothing is published at all, or the file cannot be read.
    """
    path = args.text("ads")
    if path is not None:
        return read_file(path, args.colon("ads") or "long")
    from condor_py.client.pool import open_pool
    from condor_py.store.ad_store import AdStore

    pool = open_pool()
    check_pool(args, pool)
    if args.has("direct") and kind in _STARTD_KINDS:
        pool.freshen()
    store = AdStore(pool.paths.ads)
    kinds = store.kinds()
    if kinds in ([], ["ACCOUNTING"]) or _was_killed(pool):  # the negotiator's records outlive a pool that was stopped
        extra = "" if args.has("expert") else f"No daemon has published anything in {store.directory}: is it running?"
        from condor_py.cli.idle_pool import with_remedy

        raise NothingPublished(with_remedy(f"Error: communication error\n{extra}", pool))
    if kind in ("ANY", ""):
        return _of_kind([ad for each in [*kinds, "COLLECTOR"] for ad in pool.ads(each)], kind, my_type)
    if kind == "COLLECTOR":
        return pool.ads(kind)
    if args.has("absent") and kind in _STARTD_KINDS:
        return _of_kind(pool.ads("STARTD", absent=True), kind, my_type)
    name = "STARTD" if kind in _STARTD_KINDS else kind
    others = "ADVERTISED" in kinds  # what programs advertised, such as machines that sleep
    return _of_kind(pool.ads(name) if others else store.read(name), kind, my_type)


def _was_killed(pool: Pool) -> bool:
    """Whether every daemon that there was is gone without a word: what they published is not true any more."""
    try:
        names = os.listdir(pool.paths.lock)
    except OSError:
        names = []
    locks = [f"{pool.paths.lock}/{name}" for name in names if name.endswith(".lock") and name[0] != "."]
    locks.append(pool.paths.daemon_lock("MASTER"))
    locks = [path for path in locks if os.path.exists(path)]
    return bool(locks) and not any(lock_holder(path) for path in locks)


def check_direct(args: Args) -> None:
    """-direct must name a daemon of this machine. CondorError when it does not."""
    name = args.text("direct")
    if name is None:
        return
    from condor_py.client.pool import open_pool

    pool = open_pool()
    host = pool.settings.host.lower()
    wanted = name.lower()
    known = {host, host.partition(".")[0], "localhost", pool.schedd_name.lower(), pool.settings.startd_name.lower()}
    if wanted in known or wanted in {(ad.eval_str("Name") or "").lower() for ad in pool.ads("STARTD")}:
        return
    daemon = "schedd" if args.has("schedd") or args.has("submitters") else "startd"
    reason = f"Can't find address for {daemon} {name}" if "@" in name else f"unknown host {name}"
    raise CondorError(f"Error: Failed to locate {daemon} {name}\n{reason}")


def read_file(path: str, form: str) -> list[ClassAd]:
    """The ads of a file. CondorError when it cannot be read."""
    from condor_py.cli.adfile import read_ads

    return read_ads(path, form)


def _of_kind(ads: list[ClassAd], kind: str, my_type: str) -> list[ClassAd]:
    """Leaves out what is of another kind; ads that do not say what they are are taken for slots."""
    if kind == "ANY":
        return ads
    if kind == "SLOTS":
        return [ad for ad in ads if _type(ad) in ("machine", "slot", "")]
    wanted = (my_type or _TYPES.get(kind, kind)).lower()
    return [ad for ad in ads if _type(ad) == wanted]


def _type(ad: ClassAd) -> str:
    return (ad.eval_str("MyType") or "").lower()
