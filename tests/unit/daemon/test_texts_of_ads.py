"""Texts of users, starters and engines that become strings of an ad: any of them, in a form that an ad can hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from queue_clients import Batches, User, two_accounts

from condor_py.model.ids import JobId
from condor_py.model.messages import claims
from condor_py.model.messages.codec import head_of
from condor_py.model.messages.runs import RunEnded, RunUpdate
from condor_py.model.report import ExitReport
from condor_py.model.texts import one_line

_NASTY = "two\nlines\r\n\0\x1b[2J\u2028\ud800."
_FIT = "two lines  ??[2J ?."


@pytest.mark.parametrize(
    ("given", "fit"),
    [
        ("plain", "plain"), ("l\u00e4nge", "l\u00e4nge"), ("a\u00a0b", "a\u00a0b"), ("", ""), ("\n", ""), ("x\n", "x"),
        (_NASTY, _FIT), ("\udc9b", "\udc9b"), ("a\tb", "a b"), ("a\u202eb", "a\u202eb"),
    ],
)  # fmt: skip
def test_one_line(given: str, fit: str) -> None:
    assert one_line(given) == fit


@pytest.mark.parametrize(
    ("action", "attribute"), [("hold", "HoldReason"), ("remove", "RemoveReason"), ("release", "ReleaseReason")]
)
@pytest.mark.promise("S73")
def test_reasons_of_several_lines_are_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str, attribute: str
) -> None:
    uid = two_accounts(monkeypatch)[0]
    daemon = Batches(tmp_path)
    user = User(daemon, uid)
    user.ask({"op": "new-clusters", "count": 1})
    daemon.turn()
    first = user.answers[-1]["first"]
    user.submits(first)
    daemon.turn()
    for each in {"hold", action} if action == "release" else {action}:
        user.ask({"op": "act", "action": each, "ids": [[first, 0]], "reason": "two\nlines\0"})
        daemon.turn()
        assert user.answers[-1]["ok"]
    if action == "release":
        user.ask({"op": "act", "action": action, "ids": [[first, 0]], "reason": "two\nlines\0"})
        daemon.turn()
    ad = daemon.queue.job(JobId(first, 0))
    assert ad is not None
    assert ad.eval_str(attribute, "") == f"two lines? (by user user{uid})"


def test_what_an_engine_said_is_a_reason() -> None:
    report = ExitReport("claim", "1.0", 1, hold_code=35, hold_reason=_NASTY, error=_NASTY)
    head = head_of(RunEnded(report, vacate_reason=_NASTY))
    told = claims.FROM_STARTD.read(head)
    assert isinstance(told, RunEnded)
    assert (told.report.hold_reason, told.report.error, told.vacate_reason) == (_FIT, _FIT, _FIT)


def test_an_update_has_only_what_the_queue_can_hold() -> None:
    """A record that it cannot hold would take the batch of everybody with it."""
    attributes = {"Good": "1", "TransferErrorData": '"a\nb\0"', "bad name": "2", "": "3"}
    told = claims.FROM_STARTD.read(head_of(RunUpdate("claim", JobId(1, 0), 1, attributes)))
    assert isinstance(told, RunUpdate)
    assert told.attributes == {"Good": "1", "TransferErrorData": '"a b?"'}
