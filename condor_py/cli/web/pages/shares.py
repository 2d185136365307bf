"""Shares: priorities and use of users, quotas of groups, use over time, and what would follow from other numbers."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from condor_py.cli.userprio import whatif
from condor_py.cli.userprio.quotas import Quota, quotas, requested_of, with_quotas
from condor_py.cli.userprio.rows import Detail, Row, Wanted, arrange
from condor_py.cli.web.page import (
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Asked,
    BadRequest,
    Data,
    Page,
    Parameter,
    array,
    maybe,
    record,
)
from condor_py.cli.web.texts import account
from condor_py.cli.web.works import works_of
from condor_py.core.accounts import ROOT
from condor_py.lang.config.builders.negotiator import negotiator as negotiator_knobs
from condor_py.model.errors import CondorError
from condor_py.model.texts import printable

if TYPE_CHECKING:
    from condor_py.cli.userprio.history import Stretch
    from condor_py.cli.web.live import Watch
    from condor_py.cli.web.work import Steps
    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd
    from condor_py.model.settings.negotiator import NegotiatorSettings

_DAY = 86400
#: Times of the charts, with the width of the columns of the table.
_TIMES = {"day": (_DAY, 3600), "week": (7 * _DAY, _DAY), "month": (30 * _DAY, _DAY), "90d": (90 * _DAY, 7 * _DAY)}
#: Users in the tables; columns of the table of use.
_MOST_USERS, _MOST_COLUMNS = 100, 31
#: The power of ten up to which the slider of factors goes.
_MOST_POWER = 7.0


def view(watch: Watch, asked: Asked) -> Data:
    """Return priorities, quotas, use over time, and what would follow from a change. BadRequest."""
    ads = watch.ads("ACCOUNTING")
    weight = whatif.weight_of(watch.slots(), float(watch.pool.config.integer("DETECTED_CPUS", 1)))
    everyone = asked.choice("users", ("recent", "all"), "recent") == "all"
    length = asked.choice("last", tuple(_TIMES), "week")
    use = _use(watch, asked.now, length)
    rows, by_name = _users(ads, asked.now, everyone), _by_name(ads)
    groups = _Groups(negotiator_knobs(watch.pool.config), requested_of(ads), weight)
    return {
        "weight": weight,
        "updated": max((ad.eval_int("LastUpdate", 0) for ad in ads), default=0) or None,
        "users": [_user(row, by_name) for row in rows[:_MOST_USERS]],
        "left_out": max(0, len(rows) - _MOST_USERS),
        "everyone": everyone,
        "groups": _groups(ads, groups.of({})),
        "last": length,
        "times": list(_TIMES),
        "use": use,
        "again": use["again"],
        "what_if": _what_if(watch, asked, ads, groups),
    }


# ---- users -----------------------------------------------------------------------------------------------------------


def _users(ads: Sequence[ClassAd], now: int, everyone: bool) -> list[Row]:
    """Return the rows of condor_userprio, or of condor_userprio -allusers."""
    if not ads:
        return []
    since = -1 if everyone else now - _DAY
    table = arrange(ads, Wanted(Detail.ALL, False, False, False, False, since))
    return [row for row in table.rows if not row.is_group and row.last >= since]


def _by_name(ads: Sequence[ClassAd]) -> dict[str, ClassAd]:
    return {ad.eval_str("Name", ""): ad for ad in ads}


def _user(row: Row, ads: Mapping[str, ClassAd]) -> Data:
    share, limit = (ads[row.name].eval_real(name, 0.0) for name in ("SubmitterShare", "SubmitterLimit"))
    return {
        "name": row.name,
        "group": row.group if row.group_id else None,
        "priority": _finite(row.priority),
        "real_priority": _finite(row.priority / row.factor) if row.factor > 0 else None,
        "factor": _finite(row.factor),
        "in_use": _finite(row.use),
        "share": _finite(share) or None,
        "entitled": _finite(limit) or None,
        "used_hours": _finite(row.accumulated / 3600),
        "last_use": row.last if row.last > 0 else None,
        "ceiling": row.ceiling if row.ceiling >= 0 else None,
        "floor": row.floor or None,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


# ---- groups ----------------------------------------------------------------------------------------------------------


class _Groups(NamedTuple):
    """The groups of the configuration, what they ask for, and the slot weight of the pool."""

    settings: NegotiatorSettings
    requested: Mapping[str, float]
    weight: float

    def of(self, with_quota: Mapping[str, float]) -> list[Quota]:
        """Return the groups with other quotas for some of them."""
        return quotas(self.settings, self.requested, self.weight, with_quota) if self.settings.groups else []


def _groups(ads: Sequence[ClassAd], found: Sequence[Quota]) -> list[Data]:
    """Return the groups, each before its subgroups, with what they use."""
    use = {
        name: ad.eval_real("WeightedResourcesUsed", 0.0)
        for name, ad in _by_name(ads).items()
        if ad.eval_bool("IsAccountingGroup")
    }
    return [{**one._asdict(), "in_use": _with_subgroups(found, at, use)} for at, one in enumerate(found)]


def _with_subgroups(found: Sequence[Quota], at: int, use: Mapping[str, float]) -> float:
    """Return what a group and its subgroups use."""
    total, depth = use.get(found[at].name, 0.0), found[at].depth
    for other in found[at + 1 :]:
        if other.depth <= depth:
            break
        total += use.get(other.name, 0.0)
    return total


# ---- use over time ---------------------------------------------------------------------------------------------------


def _use(watch: Watch, now: int, length: str) -> Data:
    seconds, width = _TIMES[length]
    request = {"since": now + 1 - seconds, "until": now + 1, "width": width}
    state = works_of(watch).ask("use", length, request)
    return {
        "reading": state.works is not None and state.result is None,
        "failed": state.failed,
        "again": state.again,
        "found": state.result,
    }


def work(pool: Pool, request: Mapping[str, Any], steps: Steps) -> Data:
    """Return use and priority from ``since`` to ``until`` (Unix seconds), in columns of ``width`` seconds."""
    from condor_py.cli.plots.chart import Areas, Lines, data
    from condor_py.cli.plots.svg import Series
    from condor_py.cli.userprio.history import read
    from condor_py.cli.userprio.questions import Charts

    try:
        found = read(pool, request["since"], request["until"])
    except CondorError:
        if os.path.exists(pool.paths.accountant_log):
            raise
        found = {}
    if not found:
        return {"charts": [], "columns": [], "rows": [], "left_out": 0}
    charts = Charts(found)
    users = [Series(account(one.name), one.values) for one in charts.use]
    use = Areas("Slot weight in use", charts.begin, charts.width, users)
    users = [Series(account(one.name), one.values) for one in charts.priority]
    priority = Lines("Real priority (smaller is better)", charts.begin, charts.width, users)
    return {"charts": [data(use), data(priority)], **_columns(found, request["width"], request["until"])}


def _columns(found: Mapping[str, Sequence[Stretch]], width: int, until: int) -> Data:
    """Return slot weight hours by user, in columns that begin at round local times; the users with most use first."""
    from condor_py.cli.plots.bins import Bins

    offset = time.localtime(until).tm_gmtoff
    bins = Bins(width, 1 << 20)
    for name, parts in found.items():
        for part in parts:
            bins.spread(name, part.begin + offset, max(part.end, part.begin + 1) + offset, part.use / 3600)
    begin, end = bins.bounds()
    begin = max(begin, end - width * _MOST_COLUMNS)
    hours = {name: [round(value, 6) for value in bins.values(name, begin, end)] for name in found}
    names = sorted((name for name in hours if any(hours[name])), key=lambda name: (-sum(hours[name]), name))
    return {
        "columns": [{"begin": at - offset, "seconds": width} for at in range(begin, end, width)],
        "rows": [{"name": name, "hours": hours[name]} for name in names[:_MOST_USERS]],
        "left_out": max(0, len(names) - _MOST_USERS),
    }


# ---- what if ---------------------------------------------------------------------------------------------------------


def _what_if(watch: Watch, asked: Asked, ads: Sequence[ClassAd], of_config: _Groups) -> Data:
    """Return the shares that would follow from another factor of a user, or another quota of a group."""
    queued = whatif.with_jobs(watch.ads("SUBMITTERS"))
    before = whatif.users_of(ads, asked.now - _DAY, queued)
    weight, groups = of_config.weight, of_config.of({})
    user, changed = _other_factor(asked, ads, before)
    after = dict(before)
    if user is not None:
        before.setdefault(user, whatif.known(ads, user)[1])
        after = {**before, user: before[user]._replace(factor=changed)}
    group, quota = _other_quota(asked, groups, weight)
    new_groups = of_config.of({group.name: quota}) if group is not None else groups
    changed_ads = None if group is None else with_quotas(ads, new_groups)
    found = whatif.outcomes(with_quotas(ads, groups), before, after, weight, changed_ads) if after else []
    command = None
    if user is not None and changed != before[user].factor:
        command = f"condor_userprio -setfactor {user} {changed:.6g}"
    return {
        "choices": sorted(before)[:_MOST_USERS],
        "user": user,
        "factor": None if user is None else changed,
        "factor_now": None if user is None else before[user].factor,
        "alone": user is not None and sum(one.group == after[user].group for one in after.values()) == 1,
        "power": None if user is None else round(math.log10(changed), 2),
        "most_power": _MOST_POWER,
        "group_choices": [{"name": one.name, "quota": one.configured, "most": _most(one, weight)} for one in groups
                          if one.name != ROOT],
        "group": None if group is None else group.name,
        "quota": quota if group is not None else None,
        "quota_now": None if group is None else group.configured,
        "quota_most": None if group is None else _most(group, weight),
        "outcomes": [one._asdict() for one in found[:_MOST_USERS]],
        "groups": [
            {"name": one.name, "depth": one.depth, "quota": one.subtree, "new_quota": new.subtree, "given": one.given,
             "new_given": new.given, "requested": one.requested}
            for one, new in zip(groups, new_groups, strict=True)
        ],
        "command": command,
    }  # fmt: skip


def _most(group: Quota, weight: float) -> float:
    """Return the largest quota of the slider."""
    return 1.0 if group.dynamic else float(math.ceil(weight))


def _other_factor(asked: Asked, ads: Sequence[ClassAd], users: Mapping[str, Any]) -> tuple[str | None, float]:
    """Return the user whose factor is another, and that factor; None without one. BadRequest."""
    name = asked.text("user").strip()
    if not name:
        return None, 0.0
    try:
        user, known = whatif.known(ads, name)
    except CondorError:
        raise BadRequest(f"user: {_short(name)} has never submitted a job here") from None
    factor = _real(asked, "factor", 1.0, 1e15)
    power = _real(asked, "power", 0.0, 15.0)
    if factor is None and power is not None and asked.text("slider_user", user) == user:
        factor = float(f"{10**power:.3g}")
    return user, users.get(user, known).factor if factor is None else factor


def _other_quota(asked: Asked, groups: Sequence[Quota], weight: float) -> tuple[Quota | None, float]:
    """Return the group whose quota is another, and that quota; None without one. BadRequest."""
    name = asked.text("group").strip()
    if not name:
        return None, 0.0
    found = next((one for one in groups if one.name.lower() == name.lower() and one.name != ROOT), None)
    if found is None:
        raise BadRequest(f"group: {_short(name)} is no accounting group of this pool (GROUP_NAMES)")
    if asked.text("slider_group", found.name) != found.name:
        return found, found.configured
    quota = _real(asked, "quota", 0.0, _most(found, weight))
    return found, found.configured if quota is None else quota


def _real(asked: Asked, name: str, least: float, most: float) -> float | None:
    """Return a parameter that is a number; None without one. BadRequest."""
    text = asked.text(name).strip()
    if not text:
        return None
    try:
        value = float(text) if text.isascii() else math.nan
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise BadRequest(f"{name} is a number from {least:g} to {most:g}, not {_short(text)}")
    return value


def _short(text: str) -> str:
    """Return a text of a request in one short line."""
    text = printable(text)
    return text if len(text) <= 60 else f"{text[:57]}..."


_GROUP = record(
    name=TEXT, depth=WHOLE, configured=NUMBER, dynamic=TRUTH, surplus=TRUTH, quota=NUMBER, subtree=NUMBER,
    requested=NUMBER, given=NUMBER, in_use=NUMBER,
)  # fmt: skip
_USER = record(
    name=TEXT, group=maybe(TEXT), priority=maybe(NUMBER), real_priority=maybe(NUMBER), factor=maybe(NUMBER),
    in_use=maybe(NUMBER), share=maybe(NUMBER), entitled=maybe(NUMBER), used_hours=maybe(NUMBER),
    last_use=maybe(WHOLE), ceiling=maybe(NUMBER), floor=maybe(NUMBER),
)  # fmt: skip
_OUTCOME = record(name=TEXT, factor=NUMBER, new_factor=NUMBER, now=NUMBER, then=NUMBER, steady=NUMBER)
PAGE = Page(
    name="shares",
    title="Shares",
    view=view,
    schema=record(
        weight=NUMBER,
        updated=maybe(WHOLE),
        users=array(_USER),
        left_out=WHOLE,
        everyone=TRUTH,
        groups=array(_GROUP),
        last=TEXT,
        times=array(TEXT),
        use=record(reading=TRUTH, failed=TEXT, again=NUMBER, found=maybe({"type": "object"})),
        again=NUMBER,
        what_if=record(
            user=maybe(TEXT),
            factor=maybe(NUMBER),
            factor_now=maybe(NUMBER),
            alone=TRUTH,
            group=maybe(TEXT),
            quota=maybe(NUMBER),
            quota_now=maybe(NUMBER),
            outcomes=array(_OUTCOME),
            command=maybe(TEXT),
        ),
    ),
    parameters=(
        Parameter("users", "recent: those who used the machine during the last day; all"),
        Parameter("last", f"the time of the charts: {', '.join(_TIMES)}"),
        Parameter("user", "what if this user had another factor"),
        Parameter("factor", "the factor, at least 1", NUMBER),
        Parameter("power", "the factor as a power of ten, if there is no factor", NUMBER),
        Parameter("slider_user", "the user that the power was chosen for: it counts for no other"),
        Parameter("group", "what if this accounting group had another quota"),
        Parameter("quota", "the quota: slot weight, or a part (0 to 1) for a dynamic one", NUMBER),
        Parameter("slider_group", "the group that the quota was chosen for: it counts for no other"),
    ),
    subjects=("accounts",),
)
