"""condor_findhost: the machines whose use would disturb the jobs of the pool least (manual page)."""

from __future__ import annotations

import math
import sys

from condor_py.cli.common import check_pool
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd, ExprTree

_MISSING = "condor_findhost: -{} requires another argument"
_NO_NUMBER = "condor_findhost: -n requires another argument which is an integer greater than 0"

_SPEC = ToolSpec(
    name="condor_findhost",
    usage="[-m] [-n number] [-c c_expr] [-r r_expr] [-p pool]",
    summary="Find machines whose use disturbs the jobs of the pool least.",
    description=(
        "It prints the names of slots: idle ones first, then those whose Rank prefers the request to their job, then "
        "those that PREEMPTION_REQUIREMENTS lets it take, in the order of PREEMPTION_RANK; among equals the rank "
        "expression decides. The request is the ad of a job with Interactive = true."
    ),
    options=(
        Opt("machines", 1, help="whole machines, not slots: a machine counts when all its slots are found"),
        Opt("number", 1, "NUMBER", "how many to find (1)", missing=_MISSING.format("n")),
        Opt("constraint", 1, "EXPR", "only slots for which this is true", missing=_MISSING.format("c"),
            dash_value=True),
        Opt("rank", 1, "EXPR", "prefer slots for which this is greatest", missing=_MISSING.format("r"),
            dash_value=True),
        Opt("pool", 1, "POOL", "the pool to ask; this machine is the only one", missing=_MISSING.format("p")),
        Opt("help", 1, help="this text"),
    ),
    examples=(
        ("condor_findhost -n 4 -r Mips", "the four quickest that are easily had"),
        ('condor_findhost -m -c "Memory > 64000"', "a machine with much memory"),
    ),
    exit_status="0 when all were found; else one more than the number of those found; 1 when something failed.",
    unknown="condor_findhost: unknown option {arg}",
    see_also=("condor_status", "condor_drain", "condor_now"),
)  # fmt: skip
SPECS = (_SPEC,)

#: How a slot can be had, the best last.
_BY_PRIORITY, _BY_RANK, _IDLE = 0, 1, 2
_PRIORITY = 0.00001
_REQUIREMENTS = "PREEMPTION_REQUIREMENTS"


def main(argv: list[str]) -> int:
    """Run condor_findhost."""
    args = parse(_SPEC, argv)
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(_SPEC))
        return 0
    count = _count(args)
    from condor_py.client.pool import open_pool

    pool = open_pool()
    check_pool(args, pool)
    slots = _Chooser(pool, args.text("rank") or "0").sorted(_slots(pool, args.text("constraint", "")))
    found = 0
    for name in _machines(slots) if args.has("machines") else (slot.eval_str("Name", None) or "" for slot in slots):
        sys.stdout.write(f"{name}\n")
        found += 1
        if found == count:
            return 0
    sys.stdout.flush()
    sys.stderr.write(f"\nERROR: {count} machines not available\n")
    return found + 1


def _count(args: Args) -> int:
    text = args.text("number") or "1"
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    if number < 1:
        raise UsageError(_NO_NUMBER, _SPEC, "number", "value", text)
    return number


def _expression(text: str, what: str) -> ExprTree:
    from condor_py.lang.classad import is_valid, parse

    if not is_valid(text):
        raise CondorError(f"\nERROR: Failed to parse {what}.")
    return parse(text)


def _slots(pool: Pool, constraint: str) -> list[ClassAd]:
    """The ads of the slots that a constraint accepts, each with the priority of its user. CondorError."""
    from condor_py.client.accounting_ads import accounting_ads
    from condor_py.lang.classad import is_true

    wanted = _expression(constraint or "true", f"the constraint {constraint}")
    priorities = {ad.eval_str("Name", None): ad.eval_real("Priority", 0.5) for ad in accounting_ads(pool)}
    found = []
    for ad in pool.ads("STARTD"):
        if ad.eval_str("MyType", None) != "Machine" or not is_true(ad.raw(wanted)):
            continue
        user = ad.eval_str("AccountingGroup", None) or ad.eval_str("RemoteUser", None)
        slot = ad.flat_copy()
        if user:
            slot.set_real("RemoteUserPrio", priorities.get(user, 0.5) or 0.5)
        found.append(slot)
    return found


def _machines(slots: Iterable[ClassAd]) -> Iterator[str]:
    """Yield each machine when the last of its slots comes."""
    counts: dict[str, int] = {}
    for slot in slots:
        name = slot.eval_str("Machine", None) or ""
        counts[name] = counts.get(name, 0) + 1
        if counts[name] >= slot.eval_int("TotalSlots", 1):
            yield name


class _Chooser:
    """The order in which slots are had."""

    def __init__(self, pool: Pool, rank: str) -> None:
        config = pool.config
        _expression(rank, f"the rank expression {rank}")
        self._may_preempt = _expression(config.expression("PREEMPTION_REQUIREMENTS") or "true", _REQUIREMENTS)
        self._preemption_rank = _expression(config.expression("PREEMPTION_RANK") or "0", "PREEMPTION_RANK")
        self._prefers = _expression("MY.Rank > MY.CurrentRank", "")
        self._likes = _expression("MY.Rank >= MY.CurrentRank", "")
        self._request = _request(pool, rank)

    def sorted(self, slots: Iterable[ClassAd]) -> list[ClassAd]:
        """Return the slots that can be had, the best first; equals keep their order."""
        ranked = [(found, slot) for slot in slots if (found := self._rank(slot)) is not None]
        ranked.sort(key=lambda pair: pair[0], reverse=True)
        return [slot for _, slot in ranked]

    def _rank(self, slot: ClassAd) -> tuple[int, float, float] | None:
        """Return how a slot can be had, its preemption rank and the rank of the request; None: not at all."""
        from condor_py.cli.output.values import number
        from condor_py.lang.classad import symmetric_match

        if not symmetric_match(self._request, slot):
            return None
        wanted = self._request.eval_real("Rank", 0.0, slot)
        if not (slot.eval_str("AccountingGroup", None) or slot.eval_str("RemoteUser", None)):
            return _IDLE, 0.0, wanted
        how = _BY_RANK if self._holds(self._prefers, slot) else _BY_PRIORITY
        if how == _BY_PRIORITY and not (self._holds(self._may_preempt, slot) and self._holds(self._likes, slot)):
            return None
        value = number(slot.raw(self._preemption_rank, self._request))
        return how, -math.inf if value is None else float(value), wanted

    def _holds(self, expression: ExprTree, slot: ClassAd) -> bool:
        from condor_py.lang.classad import is_true

        return is_true(slot.raw(expression, self._request))


def _request(pool: Pool, rank: str) -> ClassAd:
    """The ad of the job that a slot is wanted for. It asks for as little as a partitionable slot takes."""
    from condor_py.lang.classad import ClassAd
    from condor_py.model.states import Universe

    ad = ClassAd()
    ad.set_texts(
        (
            ("MyType", '"Job"'), ("TargetType", '"Machine"'), ("Interactive", "true"), ("Requirements", "true"),
            ("SubmittorPrio", repr(_PRIORITY)), ("QDate", str(int(pool.now()))), ("Rank", rank),
            ("RequestCpus", "1"), ("RequestMemory", "1"), ("RequestDisk", "1"),
            ("RemoteUserCpu", "0.0"), ("RemoteSysCpu", "0.0"), ("ExitStatus", "0"), ("ImageSize", "0"),
            ("ExecutableSize", "0"), ("DiskUsage", "0"),
        )
    )  # fmt: skip
    ad.set_int("JobUniverse", Universe.VANILLA)
    ad.set_str("Owner", pool.owner)
    ad.set_str("User", pool.user)
    return ad
