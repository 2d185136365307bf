"""Records of users and projects in the queue: adding, enabling, disabling, changing, removing them.

A user's record is made by the user's first submit; a disabled user cannot submit. Source: condor_qusers(1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from condor_py.lang.classad import ClassAd, ClassAdParseError, ExprTree, is_true, parse, quote_string
from condor_py.lang.classad.changes import is_storable
from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET, Change, is_attribute_name
from condor_py.model.texts import one_line

ACTIONS = ("enable", "disable", "edit", "remove")
#: What an update does not touch.
_RESERVED = frozenset({"user", "name", "owner", "osuser", "mytype", "enabled", "targettype", "requirements"})
_NOT_FOUND, _IN_USE, _UNCLEAR = 4, 16, 1


class Users(Protocol):
    """The queue's interface for user records."""

    @property
    def user_records(self) -> dict[int, ClassAd]: ...

    @property
    def next_user(self) -> int: ...

    def clusters(self) -> list[int]: ...

    def cluster(self, cluster: int) -> ClassAd | None: ...


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


def act(
    queue: Users, kind: str, action: str, requests: Iterable[UserRequest], uid_domain: str, reason: str = ""
) -> Answer:
    """Carry requests out, all or none: the records to commit, and the answer."""
    answer = Answer()
    work = _Work(queue, kind, action, uid_domain, reason, answer)
    for request in requests:
        work.one(request)
        if answer.code:
            answer.records.clear()
            break
    return answer


def _record_key(number: int) -> str:
    return f"0.{number}"


class _Work:
    def __init__(self, queue: Users, kind: str, action: str, domain: str, reason: str, answer: Answer) -> None:
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
        known = next(((number, ad) for number, ad in self._records() if ad.eval_str(self._key, "") == name), None)
        if known is not None:
            self._change(*known, request)
        elif self._action == "enable" and request.create:
            self._create(name, request)
        elif self._kind != "Project":
            self._answer.code = _NOT_FOUND

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
            owner = quote_string(name.partition("@")[0])
            texts += [("Owner", owner), ("OsUser", owner)]
        enabled = {attr.lower(): text for attr, text in request.items}.get("enabled", "true")
        texts.append(("Enabled", "0" if enabled.lower() in ("false", "0") else "1"))
        self._answer.records.append(Change(NEW_AD, key, self._kind))
        self._answer.records += [Change(SET, key, attr, text) for attr, text in texts]
        self._update(key, request)
        self._answer.count += 1

    def _change(self, number: int, ad: ClassAd, request: UserRequest) -> None:
        key, records = _record_key(number), self._answer.records
        if self._action == "enable":
            if not is_enabled(ad):
                records += [Change(SET, key, "Enabled", "1"), Change(DELETE, key, "DisableReason")]
        elif self._action == "disable":
            records.append(Change(SET, key, "Enabled", "0"))
            if self._reason:
                records.append(Change(SET, key, "DisableReason", quote_string(one_line(self._reason))))
        elif self._action == "edit":
            self._update(key, request)
        elif not self._in_use(ad):
            records.append(Change(DESTROY_AD, key))
        elif self._kind == "Project":
            self._answer.error = f"SCHEDD:{_IN_USE}:Project {ad.eval_str('Name', '')} is in use"
            return
        else:
            records.append(Change(SET, key, "Enabled", "0"))
        self._answer.count += 1

    def _update(self, key: str, request: UserRequest) -> None:
        for name, text in request.items:
            if name.lower() in _RESERVED or name.startswith("_"):
                self._answer.reserved += 0 if name.lower() in (self._key.lower(), "enabled") else 1
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
            if cluster is not None and cluster.eval_str(attribute, "") == name:
                return True
        return False


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
    reason = ad.eval_str("DisableReason", "")
    return f"User {ad.eval_str('User', '')} is disabled{' : ' + reason if reason else ''}\nUser is disabled"
