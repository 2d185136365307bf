"""condor_rooster: the calls that wake machines."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType, SimpleNamespace
from typing import Any

import pytest

from condor_py.daemons import rooster
from condor_py.daemons.common.program import Ended
from condor_py.daemons.rooster import RoosterDaemon
from condor_py.lang.classad import ClassAd


def test_a_machine_is_not_called_again_while_a_call_to_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that hangs had another one beside it every ROOSTER_INTERVAL seconds, for each machine."""
    calls: list[Callable[[Ended], None]] = []
    logged: list[str] = []
    monkeypatch.setattr(rooster, "Program", lambda loop, words, on_end, **more: calls.append(on_end))
    daemon: Any = SimpleNamespace(
        loop=None, log=SimpleNamespace(write=logged.append), knobs=None, _command=["call"], _calling=set()
    )
    daemon._report = MethodType(RoosterDaemon._report, daemon)
    machines = [ClassAd({"Name": f"slot1@{host}", "MyType": "Machine"}) for host in ("a", "b")]
    for machine in (*machines, *machines):
        RoosterDaemon._wake(daemon, machine)
    assert len(calls) == 2
    assert "still runs" in logged[-1]
    calls[0](Ended(0, 0, b"", b""))
    for machine in machines:
        RoosterDaemon._wake(daemon, machine)
    assert len(calls) == 3
