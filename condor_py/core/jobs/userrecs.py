"""Records of users and projects in the queue: adding, enabling, disabling, changing, removing them.

A user's record is made by the user's first submit, a project's by the first job that names it once there are records of
projects. Disabled users and projects get no new jobs; those in the queue run, as in HTCondor, unless MaxJobsRunning
says otherwise (``quotas``). Source: condor_qusers(1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from condor_py.lang.classad import ClassAd, ClassAdParseError, ExprTree, is_true, parse, quote_string, value_text
from condor_py.lang.classad.changes import is_storable
from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET, Change, is_attribute_name
from condor_py.model.states import JobStatus, Universe
from condor_py.model.texts import as_integer, one_line

ACTIONS = ("enable", "disable", "edit", "remove")
#: What an update does not touch.
_RESERVED = frozenset({"user", "name", "owner", "osuser", "mytype", "enabled", "targettype", "requirements"})
#: Attributes that count the jobs in the queue: made when the record is shown, and never stored.
_COUNTS = ("Jobs", "Idle", "Running", "Removed", "Completed", "Held", "Suspended")
_OF_SCHEDULER = _COUNTS[:-1]
_LIVE = frozenset(
    [f"num{name}".lower() for name in _COUNTS] + [f"numscheduler{name}".lower() for name in _OF_SCHEDULER]
)
#: Asks an enabling request to change attributes, too.
UPDATE = "_userrec_opt_update"
#: The attribute with the most running jobs; HTCondor's largest limit.
_LIMIT, _MOST = "MaxJobsRunning", 2**31 - 1
_NOT_FOUND, _IN_USE, _UNCLEAR = 4, 16, 1


class Users(Protocol):
    """The queue's interface for user records."""

    @property
    def user_records(self) -> dict[int, ClassAd]: ...

    @property
    def next_user(self) -> int: ...

    def clusters(self) -> list[int]: ...

    def cluster(self, cluster: int) -> ClassAd | None: ...


class CountedUsers(Users, Protocol):
    """A queue whose jobs are counted."""

    def procs(self, cluster: int) -> Sequence[int]: ...

    def own_texts(self, cluster: int, procs: Iterable[int], keys: tuple[str, ...]) -> list[list[str | None]]: ...


class UserRequest(NamedTuple):
    """Whom to act on: a user (``name@domain``) or project by ``name``, or those for whom ``constraint`` is true.

    ``items`` are attributes (name, expression text) for new and edited records; ``create`` makes missing ones.
    """

    name: str | None = None
    constraint: str | None = None
    items: tuple[tuple[str, str], ...] = ()
    create: bool = False


def from_wire(item: list[object]) -> UserRequest:
    """A request of another user. ValueError or TypeError for anything but name, constraint, items, create."""
    name, constraint, items, create = item
    if not isinstance(items, list) or not all(text is None or isinstance(text, str) for text in (name, constraint)):
        raise ValueError("not a request about a user")
    pairs = tuple((str(attr), str(text)) for attr, text in items)
    return UserRequest(name, constraint, pairs, bool(create))  # type: ignore[arg-type]


@dataclass
class Answer:
    """Result: the number of records acted on, HTCondor's result code (0 is success) and the message."""

    count: int = 0
    code: int = 0
    error: str = ""
    set: int = 0
    reserved: int = 0
    invalid: int = 0
    records: list[Change] = field(default_factory=list)

    def ad(self, action: str) -> ClassAd:
        """The ad that a client gets."""
        ad = ClassAd({"NumAds": self.count, "Result": self.code})
        if action == "edit":
            ad["NumAttributesSet"] = self.set
        if self.error:
            ad["ErrorString"] = self.error
        elif self.reserved or self.invalid:
            parts = [f"{self.reserved} were reserved attributes"] if self.reserved else []
            parts += [f"{self.invalid} had invalid values"] if self.invalid else []
            ad["Warning"] = f"{'Some' if self.set else 'All'} updates were ignored because {' and '.join(parts)}"
        return ad


def shown(queue: Users, kind: str) -> Iterator[ClassAd]:
    """The records of a kind: "Owner" (users) or "Project"."""
    for _, ad in sorted(queue.user_records.items()):
        if ad.eval_str("MyType", "Owner") == kind:
            yield ad


def counted(queue: CountedUsers, kind: str) -> Iterator[ClassAd]:
    """The same records with the numbers of their jobs in the queue by status (NumIdle and its like)."""
    counts = _counts(queue, kind)
    for record in shown(queue, kind):
        ad = record.flat_copy()
        name = ad.eval_str("Name", "").lower() if kind == "Project" else ad.eval_str("User", "")
        _add_counts(ad, "Num", _COUNTS, counts.get((name, False), Counter()))
        _add_counts(ad, "NumScheduler", _OF_SCHEDULER, counts.get((name, True), Counter()))
        ad.set_str("MyType", kind)
        yield ad


def _counts(queue: CountedUsers, kind: str) -> dict[tuple[str, bool], Counter[int]]:
    """Numbers of jobs by status, for each user or project and for the scheduler universe apart."""
    found: dict[tuple[str, bool], Counter[int]] = {}
    for number in queue.clusters():
        cluster = queue.cluster(number)
        if cluster is None:
            continue
        name = cluster.eval_str("ProjectName", "").lower() if kind == "Project" else cluster.eval_str("User", "")
        if name:
            key = name, cluster.eval_int("JobUniverse", 0) == Universe.SCHEDULER
            (texts,) = queue.own_texts(number, queue.procs(number), ("jobstatus",))
            counter = found.setdefault(key, Counter())
            for text, count in Counter(texts).items():
                if text is None or not text.isdecimal():
                    text = str(cluster.eval_int("JobStatus", 0))
                status = as_integer(text)
                counter[JobStatus.RUNNING if status == JobStatus.TRANSFERRING_OUTPUT else status] += count
    return found


def _add_counts(ad: ClassAd, prefix: str, names: tuple[str, ...], counts: Counter[int]) -> None:
    numbers = {name: counts[JobStatus[name.upper()]] for name in names[1:]}
    ad.set_int(f"{prefix}Jobs", sum(numbers.values()))
    for name, number in numbers.items():
        ad.set_int(f"{prefix}{name}", number)


def with_defaults(changes: list[Change], text: str) -> list[Change]:
    """Add default attributes to the changes that make a record; ``text`` has a line ``NAME = EXPRESSION`` each.

    Expressions are evaluated for the record: those that come to no value, are no expressions or name attributes that
    say who the record is for are left out (SCHEDD_USER_DEFAULT_PROPERTIES).
    """
    if not text:
        return changes
    record = ClassAd.from_text_items([(change.name, change.value) for change in changes if change.op == SET])
    made = list(changes)
    for line in text.splitlines():
        name, equals, expression = (part.strip() for part in line.partition("="))
        known = name.lower() in _RESERVED | _LIVE | {"disablereason"} or name.startswith("_")
        if not equals or known or not is_attribute_name(name) or not is_storable(expression):
            continue
        literal = value_text(record.raw(parse(expression)))
        if literal not in ("undefined", "error"):
            made.append(Change(SET, changes[0].key, name, literal))
    return made


def act(
    queue: Users,
    kind: str,
    action: str,
    requests: Iterable[UserRequest],
    uid_domain: str,
    reason: str = "",
    defaults: str = "",
) -> Answer:
    """Carry requests out, all or none: the records to commit, and the answer. ``defaults`` as for with_defaults."""
    answer = Answer()
    work = _Work(queue, kind, action, uid_domain, reason, answer, defaults)
    for request in requests:
        work.one(request)
        if answer.code:
            answer.records.clear()
            break
    if answer.error and not answer.count and not answer.code:
        answer.code = _IN_USE
    return answer


def _record_key(number: int) -> str:
    return f"0.{number}"


class _Work:
    def __init__(
        self, queue: Users, kind: str, action: str, domain: str, reason: str, answer: Answer, defaults: str
    ) -> None:
        self._defaults = defaults
        self._queue, self._kind, self._action = queue, kind, action
        self._domain, self._reason, self._answer = domain, reason, answer
        self._next = queue.next_user
        self._key = "Name" if kind == "Project" else "User"

    def one(self, request: UserRequest) -> None:
        """Carries out one request: for the records that its constraint chooses, or the one that it names."""
        if request.constraint is not None:
            condition = _condition(request.constraint)
            found = [(number, ad) for number, ad in self._records() if is_true(ad.evaluate(condition))]
            for number, ad in found:
                self._change(number, ad, request)
            return
        name = self._full(request.name)
        if not name:
            self._answer.code = _UNCLEAR
            what = "project" if self._kind == "Project" else "user"
            self._answer.error = f"SCHEDD:{_UNCLEAR}:Dont know what {what} to act on."
            return
        known = next(
            ((number, ad) for number, ad in self._records() if self._is(ad.eval_str(self._key, ""), name)), None
        )
        if known is not None:
            self._change(*known, request)
        elif self._action == "enable" and request.create:
            self._create(name, request)
        elif self._kind != "Project":
            self._answer.code = _NOT_FOUND
            self._answer.error = f"SCHEDD:{_NOT_FOUND}:No record of user {name}"

    def _records(self) -> list[tuple[int, ClassAd]]:
        every = sorted(self._queue.user_records.items())
        return [(number, ad) for number, ad in every if ad.eval_str("MyType", "Owner") == self._kind]

    def _full(self, name: str | None) -> str | None:
        return name if not name or self._kind == "Project" or "@" in name else f"{name}@{self._domain}"

    def _create(self, name: str, request: UserRequest) -> None:
        key = _record_key(self._next)
        self._next += 1
        texts = [(self._key, quote_string(name))]
        if self._kind != "Project":
            owner = quote_string(name.rpartition("@")[0])
            texts += [("Owner", owner), ("OsUser", owner)]
        enabled = {attr.lower(): text for attr, text in request.items}.get("enabled", "true")
        texts.append(("Enabled", "0" if enabled.lower() in ("false", "0") else "1"))
        made = [Change(NEW_AD, key, self._kind), *(Change(SET, key, attr, text) for attr, text in texts)]
        self._answer.records += with_defaults(made, self._defaults)
        self._update(key, request)
        self._answer.count += 1

    def _change(self, number: int, ad: ClassAd, request: UserRequest) -> None:
        key, records = _record_key(number), self._answer.records
        items = {name.lower(): text for name, text in request.items}
        if self._action == "enable":
            if UPDATE in items:
                self._update(key, request, ad)
                self._limit(key, items, ad)
            if not is_enabled(ad):
                records += [Change(SET, key, "Enabled", "1"), Change(DELETE, key, "DisableReason")]
        elif self._action == "disable":
            records.append(Change(SET, key, "Enabled", "0"))
            if self._reason:
                records.append(Change(SET, key, "DisableReason", quote_string(one_line(self._reason))))
            self._limit(key, items, ad)
        elif self._action == "edit":
            self._update(key, request, ad)
        elif not self._in_use(ad):
            records.append(Change(DESTROY_AD, key))
        elif self._kind == "Project":
            self._answer.error = f"SCHEDD:{_IN_USE}:Project {ad.eval_str('Name', '')} is in use"
            return
        else:
            records.append(Change(SET, key, "Enabled", "0"))
        self._answer.count += 1

    def _limit(self, key: str, items: dict[str, str], ad: ClassAd) -> None:
        """Set or, by undefined, negative and huge values, remove the limit that goes with enabling or disabling."""
        text = items.get(_LIMIT.lower())
        if text is None:
            return
        number = ClassAd.from_text_items([(_LIMIT, text)]).eval_int(_LIMIT, None) if is_storable(text) else None
        if number is not None and 0 <= number < _MOST:
            self._answer.records.append(Change(SET, key, _LIMIT, str(number)))
        elif number is not None or text.lower() == "undefined":
            self._answer.records.append(Change(DELETE, key, _LIMIT))

    def _update(self, key: str, request: UserRequest, ad: ClassAd | None = None) -> None:
        for name, text in request.items:
            if name.lower() in _RESERVED or name.startswith("_"):
                counts = name.lower() not in (self._key.lower(), "enabled", UPDATE)
                self._answer.reserved += counts
            elif name.lower() in _LIVE or (name.lower() == "disablereason" and ad is not None and is_enabled(ad)):
                self._answer.reserved += 1
            elif ad is not None and text.strip().lower() == "delete" and is_attribute_name(name):
                self._answer.records.append(Change(DELETE, key, name))
                self._answer.set += 1
            elif is_attribute_name(name) and is_storable(text):
                self._answer.records.append(Change(SET, key, name, text))
                self._answer.set += 1
            else:
                self._answer.invalid += 1

    def _in_use(self, ad: ClassAd) -> bool:
        attribute = "ProjectName" if self._kind == "Project" else "User"
        if ad.text("ocus") is not None:
            return True
        name = ad.eval_str(self._key, "")
        for number in self._queue.clusters():
            cluster = self._queue.cluster(number)
            if cluster is not None and self._is(cluster.eval_str(attribute, ""), name):
                return True
        return False

    def _is(self, name: str, other: str) -> bool:
        """Whether two names are those of one user or project. The case of a project's does not matter."""
        return name.lower() == other.lower() if self._kind == "Project" else name == other


def _condition(text: str) -> ExprTree:
    try:
        return parse(text)
    except ClassAdParseError:
        raise ValueError(f"cannot parse the constraint {text}") from None


def is_enabled(ad: ClassAd) -> bool:
    """Whether the user or project of a record may submit."""
    return bool(ad.eval_bool("Enabled", True))


def refusal(ad: ClassAd | None) -> str:
    """Why a user may not submit; "" for one who may."""
    if ad is None or is_enabled(ad):
        return ""
    return f"User {ad.eval_str('User', '')} is disabled{_reason(ad)}\nUser is disabled"


def project_refusal(ad: ClassAd) -> str:
    """Why no job of a project may be submitted; "" if one may."""
    return "" if is_enabled(ad) else f"Project {ad.eval_str('Name', '')} is suspended{_reason(ad)}"


def _reason(ad: ClassAd) -> str:
    reason = ad.eval_str("DisableReason", "")
    return f" : {reason}" if reason else ""


def unknown_user(user: str) -> str:
    """Why a user without a record may not submit where only known users may."""
    return f"Unknown User {user}. Use condor_qusers to add user before submitting jobs.\nUser is disabled"
