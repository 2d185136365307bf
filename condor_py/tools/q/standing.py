"""User priorities in the analysis of jobs (``-better-analyze:priority``, ``-userprios``)."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.classad.ad import ClassAd
from condor_py.classad.exprtree import ExprTree, is_valid, parse
from condor_py.tools.options import Args
from condor_py.tools.output.values import is_true
from condor_py.tools.q.source import Source


class Standing(NamedTuple):
    """Effective priorities by submitter, and what must hold for a running job to give way (None: it never does)."""

    priorities: dict[str, float]
    preemption: ExprTree | None

    def of(self, job: ClassAd) -> float | None:
        """The effective priority under which a job waits."""
        return self.priorities.get(_submitter(job))

    def heading(self, job: ClassAd) -> str:
        """The line that tells a job's standing; "" where nothing is known of its submitter."""
        priority = self.of(job)
        return "" if priority is None else f"Submittor {_submitter(job)} has a priority of {priority:.3f}\n"

    def gives_way(self, job: ClassAd, slot: ClassAd) -> bool:
        """Whether the job that runs on a slot would be preempted for this one."""
        own, other = self.of(job), self.priorities.get(slot.eval_str("RemoteUser") or "")
        if self.preemption is None or own is None or other is None:
            return False
        told = slot.flat_copy()
        told.set_real("SubmitterUserPrio", own)
        told.set_real("RemoteUserPrio", other)
        return is_true(told.raw(self.preemption, job))

    def is_behind(self, job: ClassAd, slot: ClassAd) -> bool:
        """Whether a slot serves somebody with a priority at least as good."""
        own, other = self.of(job), self.priorities.get(slot.eval_str("RemoteUser") or "")
        return own is None or other is None or other <= own


def _submitter(job: ClassAd) -> str:
    """``group.alice@domain``: the account that a job waits under."""
    user = job.eval_str("User") or ""
    group = job.eval_str("AccountingGroup")
    return user if group is None else f"{group}@{user.rpartition('@')[2]}"


def standing(args: Args, source: Source, how: list[str]) -> Standing | None:
    """What the command line wants known of priorities; None to ignore them. ``how`` are the words after the colon."""
    asked = args.last("userprios", "nouserprios")
    if args.has("userprios"):
        from condor_py.tools.adfile import read_ads

        ads = read_ads(args.text("userprios") or "", "long")
    elif source.pool is not None and any(len(word) > 1 and "priority".startswith(word) for word in how):
        from condor_py.access.accounting_ads import accounting_ads

        ads = accounting_ads(source.pool)
    else:
        return None
    if asked is not None and asked.name == "nouserprios":
        return None
    return Standing(_priorities(ads), _preemption(source))


def _priorities(ads: list[ClassAd]) -> dict[str, float]:
    """User names and effective priorities out of ``condor_userprio -l`` (one ad each, or one numbered ad)."""
    found: dict[str, float] = {}
    for ad in ads:
        count = ad.eval_int("NumSubmittors")
        for suffix in [""] if count is None else [str(number) for number in range(1, count + 1)]:
            name, priority = ad.eval_str(f"Name{suffix}"), ad.eval_real(f"Priority{suffix}")
            if name is not None and priority is not None:
                found[name] = priority
    return found


def _preemption(source: Source) -> ExprTree | None:
    """PREEMPTION_REQUIREMENTS, where the negotiator considers preemption at all."""
    if source.pool is None or not source.pool.config.boolean("NEGOTIATOR_CONSIDER_PREEMPTION"):
        return None
    text = source.pool.config.string("PREEMPTION_REQUIREMENTS")
    return parse(text) if text.strip() and is_valid(text) else None
