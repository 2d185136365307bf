"""Notices about jobs on their way to a URL (notify_url) or a desktop (NOTIFY_DESKTOP).

They are posted by helpers with the rights of the jobs' owners, one after the other. What cannot be posted is tried
again with longer and longer pauses, and is kept in the spool meanwhile: it survives the schedd and the machine. A
notice of the last two seconds is lost when the schedd dies, as a mail is; one whose answer the schedd did not see
comes twice, with the same id.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from condor_py.daemons.common.helper import Helper
from condor_py.daemons.common.loop import Loop, monotonic
from condor_py.machine.run.identity import Account, UnknownAccount, account
from condor_py.model.errors import StoreError
from condor_py.model.later import Later
from condor_py.model.notices import Notice, names_address, place_of, prefix_for
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.store import notice_file

if TYPE_CHECKING:
    from condor_py.machine.run import posting
else:
    posting = Later("condor_py.machine.run.posting")

#: Notices that wait at most, of one owner and of all.
_MOST, _MOST_OF_ALL = 1_000, 5_000
#: Owners whose notices are posted at the same time.
_MOST_HELPERS = 8
#: Seconds before each further attempt.
_PAUSES = (5.0, 30.0, 120.0, 600.0, 1800.0)
#: Seconds before what waits is kept on disk, and after which a helper without work ends.
_MOMENT, _IDLE = 2.0, 60.0
#: Seconds between two lines in the log about the notices of one owner.
_QUIET = 60.0


@dataclass(slots=True, eq=False)
class _Waiting:
    """A notice, the number of attempts so far, and when the next is due."""

    notice: Notice
    tries: int
    due: float


class Notices:
    """All notices that wait, by owner."""

    def __init__(
        self, loop: Loop, path: str, settings: Callable[[], ScheddSettings], complain: Callable[[str], None]
    ) -> None:
        self._loop = loop
        self._path = path
        self._settings = settings
        self._complain = complain
        self._waiting: dict[str, deque[_Waiting]] = {}
        self._helpers: dict[str, Helper] = {}
        #: Owners whose helper works at the first of their notices that was due.
        self._posting: dict[str, _Waiting] = {}
        #: When the log last had a line about an owner, and how many were left out since.
        self._sent: dict[str, tuple[float, int]] = {}
        #: Whether the file has notices, and whether it has others than those that wait.
        self._kept = self._stale = False
        self._keeping = self._sweeping = False
        self._take_over()

    def _take_over(self) -> None:
        try:
            found = notice_file.read(self._path)
        except StoreError as error:
            self._complain(str(error))
            return
        self._kept = bool(found)
        for notice in found:
            self._enqueue(notice)
        if found:
            self._loop.soon(self._work)

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, notice: Notice) -> None:
        """One more; it is posted in a later turn."""
        if self._enqueue(notice):
            self._loop.soon(self._work)

    def _enqueue(self, notice: Notice) -> bool:
        line = self._waiting.setdefault(notice.owner, deque())
        if len(line) >= _MOST or len(self) >= _MOST_OF_ALL:
            self._tell(notice, "it is lost: too many wait")
            return False
        line.append(_Waiting(notice, 0, monotonic()))
        self._keep_later()
        return True

    def _tell(self, notice: Notice, what: str) -> None:
        """Write a line about a notice, of each owner at most one a minute. Without the URL, which may be a secret."""
        last, left_out = self._sent.get(notice.owner, (0.0, 0))
        if last and monotonic() - last < _QUIET:
            self._sent[notice.owner] = last, left_out + 1
            return
        more = f" ({left_out} more such lines left out)" if left_out else ""
        self._sent[notice.owner] = monotonic(), 0
        self._complain(f"notice of job {notice.job} of {notice.owner}: {what}{more}")

    # ---- posting ------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        """Give each owner's helper the next notice that is due."""
        for owner in list(self._waiting):
            if owner not in self._posting:
                self._work_for(owner)

    def _work_for(self, owner: str) -> None:
        line, present = self._waiting[owner], monotonic()
        for _ in range(len(line)):
            if line[0].due <= present:
                break
            line.rotate(-1)
        else:
            if not line:
                del self._waiting[owner]
            return
        first = line[0]
        request = self._request(first)
        helper = self._helper(owner) if request else None
        if not request:
            line.popleft()
            self._keep_later()
            self._loop.soon(self._work)
        elif helper is not None:
            self._posting[owner] = first
            helper.ask(request, lambda answer, why: self._answered(owner, first, answer, why))

    def _request(self, waiting: _Waiting) -> dict[str, Any]:
        """Return what a helper is to do; nothing for a URL that is not allowed (any more) and no desktop."""
        settings, notice = self._settings(), waiting.notice
        found: dict[str, Any] = {}
        prefix = prefix_for(notice.url, settings.notify_urls) if notice.url else None
        if prefix is not None:
            found |= {"url": notice.url, "document": notice.document, "everywhere": names_address(prefix)}
        elif notice.url:
            self._tell(notice, "NOTIFY_URLS does not allow its URL")
        if settings.notify_desktop and not waiting.tries:
            program = _notify_send()
            if program:
                found |= {"program": program, "line": notice.line}
            else:
                self._tell(notice, "NOTIFY_DESKTOP is set, and there is no notify-send")
        return found

    def _helper(self, owner: str) -> Helper | None:
        """Return the helper of an owner; None when there can be no more of them now."""
        helper = self._helpers.get(owner)
        if helper is not None and helper.lives:
            return helper
        if len(self._helpers) >= _MOST_HELPERS and not self._free_one():
            return None
        try:
            self._helpers[owner] = Helper(self._loop, _account(owner), _serve, posting.load)
        except OSError:  # no room for one more process
            self._loop.after(_PAUSES[0], self._work)
            return None
        except UnknownAccount as error:
            self._tell(self._waiting[owner].popleft().notice, f"it is lost: {error}")
            self._loop.soon(self._work)
            return None
        if not self._sweeping:
            self._sweeping = True
            self._loop.after(_IDLE, self._sweep)
        return self._helpers[owner]

    def _free_one(self) -> bool:
        for owner, helper in self._helpers.items():
            if not helper.busy:
                helper.close()
                del self._helpers[owner]
                return True
        return False

    def _sweep(self) -> None:
        self._sweeping = False
        while self._free_one():
            pass
        if self._helpers:
            self._sweeping = True
            self._loop.after(_IDLE, self._sweep)

    def _answered(self, owner: str, first: _Waiting, answer: Any, why: str) -> None:
        """Take the answer of a helper: "" for done, else whether to try again and the reason."""
        del self._posting[owner]
        line = self._waiting[owner]
        line.remove(first)
        self._keep_later()
        again, reason = (True, why) if answer is None else (bool(answer[0]), str(answer[1]))
        if reason and again and first.tries < len(_PAUSES):
            pause = _PAUSES[first.tries]
            line.append(_Waiting(first.notice, first.tries + 1, monotonic() + pause))
            self._loop.after(pause, self._work)
        elif reason:
            self._tell(first.notice, f"it is lost: {reason[:200]}")
        del self._waiting[owner]
        if line:
            self._waiting[owner] = line  # behind the others, who get its helper where there are not enough
        self._loop.soon(self._work)

    # ---- on disk ------------------------------------------------------------------------------------------------

    def _keep_later(self) -> None:
        self._stale = True
        if not self._keeping:
            self._keeping = True
            self._loop.after(_MOMENT, self._keep)

    def _keep(self) -> None:
        self._keeping = False
        waiting = [waiting.notice for line in self._waiting.values() for waiting in line]
        if not self._stale or not (waiting or self._kept):
            return
        try:
            notice_file.write(self._path, waiting)
            self._kept, self._stale = bool(waiting), False
        except StoreError as error:
            self._complain(str(error))
            self._keep_later()

    def close(self) -> None:
        """The schedd ends: what waits is kept for the next one."""
        self._keep()
        for helper in self._helpers.values():
            helper.close()
        self._helpers.clear()


def _account(owner: str) -> Account | None:
    return account(owner) if os.geteuid() == 0 else None


def _notify_send() -> str:
    from shutil import which

    return which("notify-send") or ""


def _serve(request: dict[str, Any]) -> tuple[bool, str]:
    """In a helper: show a notice and post it. Return whether to try again and the reason, "" when that worked."""
    if "program" in request:
        posting.show(request["program"], request["line"])
    place = place_of(request.get("url", ""))
    if place is None:
        return False, ""
    try:
        posting.post(place, request["document"], everywhere=bool(request["everywhere"]))
    except posting.Failed as error:
        return True, str(error)
    except posting.Refused as error:
        return False, str(error)
    return False, ""
