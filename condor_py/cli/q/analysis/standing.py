"""User priorities in the analysis of jobs (``-better-analyze:priority``, ``-userprios``)."""

from __future__ import annotations

import os
import re
import struct
import sys
from typing import NamedTuple

from condor_py.cli.options import Args
from condor_py.cli.q.source import Source
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree, parse
from condor_py.model.errors import CondorError

#: How much better a priority must be before it takes a slot from another.
_BETTER = parse("MY.RemoteUserPrio > TARGET.SubmitterUserPrio + 0.500000")
_PREFERS = parse("MY.Rank >= MY.CurrentRank")
_NICE = "nice-user"
_LINE = re.compile(r"\s*([^0-9\s]*?)(\d+)\s*=\s*(.*)")


class Standing(NamedTuple):
    """Effective priorities by submitter, what must hold for a running job to give way, and the domain of users."""

    priorities: dict[str, float]
    preemption: ExprTree
    domain: str

    def submitter(self, job: ClassAd) -> str | None:
        """The submitter of a job where its priority is known."""
        user = job.eval_str("User", "")
        full = user if "@" in user else f"{user}@{self.domain}"
        name = f"{_NICE}.{full}" if is_nice(job) else full
        return name if name in self.priorities else None

    def tell(self, ads: list[ClassAd]) -> None:
        """Writes into slot ads what is known of the users that they serve."""
        for ad in ads:
            priority = self.priorities.get(ad.eval_str("RemoteUser", ""))
            if priority is not None and ad.has("RemoteUser"):
                ad.set_real("RemoteUserPrio", priority)

    def is_behind(self, job: ClassAd, slot: ClassAd) -> bool:
        """Whether a slot serves a user with a priority at least as good."""
        return slot.raw(_BETTER, job) is not True

    def is_kept(self, job: ClassAd, slot: ClassAd) -> bool:
        """Whether the job that runs on a slot stays although its user has a worse priority."""
        return slot.raw(_PREFERS, job) is True and slot.raw(self.preemption, job) is False


def is_nice(job: ClassAd) -> bool:
    """Whether a job gives way to those of all other users."""
    return bool(job.eval_int("NiceUser", 0))


def standing(args: Args, source: Source, considered: bool) -> Standing | None:
    """Return the priorities that the command line asks for, or None. CondorError where a file cannot be read."""
    if not args.has("userprios") and not considered:
        return None
    if args.has("verbose"):
        sys.stderr.write("Fetching user priorities...")
    if args.has("userprios"):
        priorities, count = _from_file(args.text("userprios", ""))
    else:
        priorities = _from_pool(source)
        count = len(priorities)
    if args.has("verbose"):
        sys.stderr.write(f" {count} submitters\n")
    text, domain = _settings(source)
    try:
        return Standing(priorities, parse(text), domain)
    except ClassAdParseError:
        raise CondorError(f"\nError:  Failed parse of PREEMPTION_REQUIREMENTS expression: \n\t{text}\n") from None


def _from_pool(source: Source) -> dict[str, float]:
    if source.pool is None:
        raise CondorError("Error: Could not connect to negotiator: name a file with -userprios")
    from condor_py.client.accounting_ads import accounting_ads

    found: dict[str, float] = {}
    for ad in accounting_ads(source.pool):
        name, priority = ad.eval_str("Name"), ad.eval_real("Priority")
        if name is not None and priority is not None:
            found.setdefault(name, _single(priority))
    return found


def _from_file(path: str) -> tuple[dict[str, float], int]:
    """Names and priorities out of ``condor_userprio -l`` (one numbered ad), and the highest number in it."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError as error:
        raise CondorError(f"Can't open file of user priorities: {path}") from error
    names: dict[int, str] = {}
    values: dict[int, float] = {}
    for line in lines:
        match = _LINE.match(line.strip())
        number = int(match[2]) if match is not None else 0
        if match is None or number <= 0:
            continue
        if match[1] == "Name":
            names[number] = match[3][1:-1] if match[3].startswith('"') else match[3]
        elif match[1] == "Priority":
            start = re.match(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", match[3])
            values[number] = _single(float(start[0]) if start is not None else 0.0)
    found: dict[str, float] = {}
    for number in sorted(names):
        found.setdefault(names[number], values.get(number, 0.0))
    return found, max([0, *names, *values])


def _single(value: float) -> float:
    """A number in the precision that priorities are kept in here."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _settings(source: Source) -> tuple[str, str]:
    """PREEMPTION_REQUIREMENTS and UID_DOMAIN."""
    if source.pool is not None:
        config = source.pool.config
    else:
        from condor_py.lang.config import load

        config = load(os.environ)
    return config.string("PREEMPTION_REQUIREMENTS").strip() or "false", config.string("UID_DOMAIN")
