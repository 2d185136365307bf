"""Actions of people on their jobs from a page, where WEB_ALLOW_ACTIONS says so: as themselves, by the ways of tools."""

from __future__ import annotations

import hmac
import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from condor_py.cli.web.errand import as_owner
from condor_py.cli.web.page import BadRequest, Data, Forbidden, Viewer
from condor_py.model.ids import JobId

#: Bytes of a form, jobs and clusters that one names, and the priorities that it may set.
LONGEST_FORM, _MOST_NAMED, _MOST_PRIORITY = 1 << 15, 1000, 1_000_000
#: Seconds that the schedd may take.
_PATIENCE = 30.0
#: Actions in the order of their buttons, with the word for what was done.
ACTIONS = {"hold": "held", "release": "released", "remove": "removed", "prio": "changed"}
_WORD = re.compile(r"([1-9][0-9]{0,8})(?:\.(0|[1-9][0-9]{0,8}))?\Z", re.ASCII)


class Wish(NamedTuple):
    """The wish of a form."""

    action: str
    jobs: tuple[JobId, ...]
    clusters: tuple[int, ...]
    priority: int


def checked(form: Mapping[str, str], token: str, allowed: bool) -> Wish:
    """Return what a form asks for. Forbidden without its ``token`` or where nothing is ``allowed``; BadRequest."""
    if not allowed:
        raise Forbidden("Nothing can be changed here: WEB_ALLOW_ACTIONS is not set.")
    if not hmac.compare_digest(form.get("token", "").encode("utf-8", "replace"), token.encode()):
        raise Forbidden("This form is not from a page of yours: open the page again.")
    action = form.get("action", "")
    if action not in ACTIONS:
        raise BadRequest(f"action is one of {', '.join(ACTIONS)}")
    words = form.get("jobs", "").split()
    if not 0 < len(words) <= _MOST_NAMED:
        raise BadRequest(f"jobs names 1 to {_MOST_NAMED} jobs or clusters")
    jobs, clusters = [], []
    for word in words:
        found = _WORD.match(word)
        if found is None:
            raise BadRequest(f"jobs names jobs (17.0) and clusters (17), not {word[:40]}")
        if found[2] is None:
            clusters.append(int(found[1]))
        else:
            jobs.append(JobId(int(found[1]), int(found[2])))
    return Wish(action, tuple(jobs), tuple(clusters), _priority(form) if action == "prio" else 0)


def _priority(form: Mapping[str, str]) -> int:
    text = form.get("priority", "").strip()
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", text, re.ASCII) or abs(int(text)) > _MOST_PRIORITY:
        raise BadRequest(f"priority is a whole number from -{_MOST_PRIORITY} to {_MOST_PRIORITY}")
    return int(text)


def act(wish: Wish, viewer: Viewer) -> Data:
    """Do it as the viewer; return how many jobs it was, and how many it could not be. CannotDo."""
    found: Data = as_owner(viewer.name, lambda: _act(wish, viewer.name), _PATIENCE, rests=False)
    return found


def _act(wish: Wish, name: str) -> Data:
    """In the process of the user."""
    from condor_py.client.pool import open_pool
    from condor_py.model.selection import Selection

    pool = open_pool()
    constraint = " || ".join(f"ClusterId == {cluster}" for cluster in wish.clusters) or None
    selection = Selection(ids=wish.jobs, constraint=constraint)
    if wish.action == "prio":
        results = pool.edit(selection, [("JobPrio", str(wish.priority))])
    else:
        results = pool.act(wish.action, selection, "via condor_web").results
    counts = Counter(results.values())
    done = counts.pop(_SUCCESS, 0)
    return {
        "action": wish.action,
        "done": done,
        "refused": {_WORDS.get(code, "failed"): counts[code] for code in counts},
    }


_SUCCESS = 1
_WORDS = {2: "not found", 3: "in a state that does not allow it", 4: "so already", 5: "of another user"}


def told(result: Data) -> str:
    """Return the outcome in words."""
    jobs = f"{result['done']} job{'s' if result['done'] != 1 else ''} {ACTIONS[result['action']]}"
    others = [f"{count} {why}" for why, count in result["refused"].items()]
    return "; ".join([jobs, *others])
