"""What a daemon tells of its own process."""

from __future__ import annotations

import time

from condor_py.machine.probes.selfview import SelfView


def test_a_process_sees_itself() -> None:
    now = time.time()
    view = SelfView(now - 100)
    found = dict(view.look(now, 3))
    assert (found["MonitorSelfAge"], found["MonitorSelfRegisteredSocketCount"]) == ("100", "3")
    assert int(found["MonitorSelfResidentSetSize"]) > 1000
    assert 0.0 <= float(found["DaemonCoreDutyCycle"]) <= 1.0
    assert 0.0 <= float(dict(view.look(now + 1, 3))["MonitorSelfCPUUsage"]) <= 100.0


def test_starting_is_not_being_busy() -> None:
    now = time.time()
    view = SelfView(now)
    assert float(dict(view.look(now + 0.01, 0))["RecentDaemonCoreDutyCycle"]) == 0.0
    assert float(dict(view.look(now + 10_000, 0))["RecentDaemonCoreDutyCycle"]) < 0.5
