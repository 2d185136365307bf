"""What the schedd wants decides how soon the negotiator works."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.core.accounts import Accountant
from condor_py.daemons.common.demand import elsewhere_of, gangs_of, job_ads_of, promises_of, submitters_of, wants_slots
from condor_py.daemons.negotiator.daemon import NegotiatorDaemon
from condor_py.daemons.schedd import links
from condor_py.daemons.schedd.links import NegotiatorLink
from condor_py.model.messages.codec import Refused
from condor_py.model.messages.cycles import Demand
from condor_py.model.record import SET, Change
from condor_py.model.settings.negotiator import AccountantSettings
from condor_py.store.accountant_log import AccountantLog


@pytest.mark.parametrize(
    ("submitters", "promises", "wants"),
    [
        ([], [], False),
        ([{"name": "a@b", "running": 2, "requests": []}], [], False),
        ([{"name": "a@b", "requests": []}, {"name": "c@b", "requests": [[1, [[8, 0]]]]}], [], True),
        ([], [["a@b", "slot1@m", [], 1.0, []]], True),
        (["nothing that can be read"], [], True),
    ],
)
def test_a_cycle_has_time_where_nothing_waits_for_a_slot(
    submitters: list[Any], promises: list[Any], wants: bool
) -> None:
    assert wants_slots(Demand(submitters, {}, promises)) is wants


WANTS = {"running_weight": 0.0, "idle_weight": 1.0, "running": 0, "idle": 1, "job_prio": 0}
AD = {"RequestCpus": "1"}


def test_what_cannot_be_read_of_one_submitter_leaves_the_others() -> None:
    good = {**WANTS, "name": "a@b", "requests": [[1, [[8, 0]]]]}
    sums = {**good, "name": "inf@b", "idle_weight": float("inf")}
    unknown = {**good, "name": "c@b", "requests": [[7, [[9, 0]]]]}
    told: list[str] = []
    demand = Demand(
        [sums, "nothing", unknown, good],
        {"1": AD, "x": AD, "3": 5},
        [["a@b", "s", [], 1.0, []], 5],
        [3],
        [["s1", "s2"], 9],
    )
    ads = job_ads_of(demand, told.append)
    assert [one.name for one in submitters_of(demand, ads, "local", told.append)] == ["a@b"]
    assert [one.submitter for one in promises_of(demand, told.append)] == ["a@b"]
    assert elsewhere_of(demand, told.append) == {}
    assert gangs_of(demand, told.append) == [("s1", "s2")]
    assert len(told) == 8
    assert any(line.startswith("submitter 'inf@b' is left out of this cycle") for line in told), told


def test_what_could_not_be_sent_is_sent_with_the_next_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negotiator left all jobs of these kinds out of its cycles until the schedd was started again."""
    sent: list[Demand] = []
    link: Any = SimpleNamespace(
        peer=SimpleNamespace(up=True, send=sent.append),
        _core=None,
        _known_ads={1},
        _pausing=False,
        _loop=SimpleNamespace(after=lambda seconds, call: None),
        _rested=None,
    )
    lacks_memory = [True, False]

    def demand(core: object, known: set[int]) -> Demand:
        fresh = {2, 3} - known
        known |= fresh
        if lacks_memory.pop(0):
            raise MemoryError
        return Demand([], {str(number): AD for number in fresh})

    monkeypatch.setattr(links, "demand_message", demand)
    with pytest.raises(MemoryError):
        NegotiatorLink.call(link)
    NegotiatorLink.call(link)
    assert [sorted(each.ads) for each in sent] == [["2", "3"]]
    assert link._known_ads == {1, 2, 3}
    link._log = lambda line: None
    NegotiatorLink._message(link, link, Refused("it cannot be understood"), b"")
    assert link._known_ads == set()


def _fail(daemon: NegotiatorDaemon, name: str) -> None:
    with daemon._up_to_date() as transaction:
        daemon.accountant.row("kept@b")
        daemon.accountant.row(name)
        transaction.extend([*daemon.accountant.take_log(), Change(SET, "a b", "x", "1")])


def test_the_accountant_goes_back_to_its_log_when_a_transaction_fails(tmp_path: Path) -> None:
    """Or records that were never written would be changed in the log later, and be gone after a restart."""
    daemon = object.__new__(NegotiatorDaemon)
    daemon.table = AccountantLog(str(tmp_path / "Accountantnew.log"))
    daemon.accountant = Accountant(AccountantSettings())
    daemon._log_limit = 1 << 20
    for name in ("lost@b", "a b@b"):
        with pytest.raises(ValueError, match="not a record"):
            _fail(daemon, name)
    with daemon._up_to_date() as transaction:
        daemon.accountant.row("kept@b")
        daemon.accountant.update(5)
        transaction.extend(daemon.accountant.take_log())
    assert {"kept@b", "<none>"} >= AccountantLog(daemon.table.path, readonly=True).customers().keys() >= {"kept@b"}
