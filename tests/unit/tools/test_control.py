"""The commands that control daemons: which daemon is asked for what, and what is printed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tool_runner import Done, Spool

from condor_py.client.pool import Pool
from condor_py.client.wire import WireError
from condor_py.lang.classad import ClassAd
from condor_py.model.messages.codec import Refused, answer_of
from condor_py.model.messages.common import Reconfigured
from condor_py.store.ad_store import AdStore

Control = Callable[[str], Done]
ANOTHER = "Perhaps you need to query another pool.\n"


class Daemons:
    """The daemons of a pool: what they were asked, and what they answer other than that it is done."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: dict[str, Any] = {}
        self.down: set[str] = set()

    def ask(self, pool: Pool, daemon: str, request: Any, timeout: float = 30.0) -> Any:
        """In place of the way over the socket."""
        if daemon in self.down:
            raise WireError("nobody is there")
        self.asked.append(f"{daemon} {request}")
        return self.answers.get(daemon) or answer_of(request)()


@pytest.fixture
def daemons(monkeypatch: pytest.MonkeyPatch, spool: Spool) -> Daemons:
    made = Daemons()
    monkeypatch.setenv("_CONDOR_FULL_HOSTNAME", "vm.example.net")
    monkeypatch.setenv("_CONDOR_NETWORK_HOSTNAME", "vm.example.net")
    monkeypatch.setattr("condor_py.client.pool.Pool.ask", lambda *words, **more: made.ask(*words, **more))
    monkeypatch.setattr("condor_py.client.wire.connect", lambda path, timeout=None: _Open())
    return made


class _Open:
    """A connection that nothing is sent over."""

    def close(self) -> None:
        """Nothing is to be done."""


PEACEFUL = ("startd SetPeaceful()", "schedd SetPeaceful()")


@pytest.mark.parametrize(
    ("command", "asked", "printed"),
    [
        ("condor_off", ["master Off(how='graceful', daemon='')"], ['"Kill-All-Daemons" command to local master']),
        ("condor_off -debug:D_ALL", ["master Off(how='graceful', daemon='')"],
         ['"Kill-All-Daemons" command to local master']),
        ("condor_off -fast", ["master Off(how='fast', daemon='')"],
         ['"Kill-All-Daemons-Fast" command to local master']),
        ("condor_off -peaceful", [*PEACEFUL, "master Off(how='peaceful', daemon='')"],
         ['"Set-Peaceful-Shutdown" command to local startd', '"Set-Peaceful-Shutdown" command to local schedd',
          '"Kill-All-Daemons-Peacefully" command to local master']),
        ("condor_off -force -fast", ["master Off(how='fast', daemon='')"],
         ['"Kill-All-Daemons-Fast" command to local master']),
        ("condor_off -fast -force -graceful", [*PEACEFUL, "master Off(how='graceful', daemon='')"],
         ['"Set-Force-Shutdown" command to local startd', '"Set-Force-Shutdown" command to local schedd',
          '"Kill-All-Daemons" command to local master']),
        ("condor_off -startd", ["master Off(how='graceful', daemon='STARTD')"],
         ['"Kill-Daemon" command for "startd" to local master']),
        ("condor_off -startd -peaceful", ["startd SetPeaceful()", "master Off(how='peaceful', daemon='STARTD')"],
         ['"Set-Peaceful-Shutdown" command to local startd', '"Kill-Daemon-Peacefully" command to local master']),
        ("condor_off -daemon negotiator -peaceful", ["master Off(how='peaceful', daemon='NEGOTIATOR')"],
         ['"Kill-Daemon-Peacefully" command for "negotiator" to local master']),
        ("condor_on -preen", ["master On(daemon='PREEN')"],
         ['"Spawn-Daemon" command for "preen" to local master']),
        ("condor_off -daemon master", ["master Shutdown(how='graceful')"],
         ['"Kill-Daemon" command for "master" to local master']),
        ("condor_off -all", ["master Off(how='graceful', daemon='')"],
         ['"Kill-All-Daemons" command to master vm.example.net']),
        ("condor_off vm", ["master Off(how='graceful', daemon='')"],
         ['"Kill-All-Daemons" command to master vm.example.net']),
        ("condor_off -drain -reason x -startd", [
            "master Off(how='graceful', daemon='STARTD', drain=DrainWish(how='graceful', reason='x', check='', "
            "start=''), program=None)"], ['"Shutdown-Daemons" command to local master']),
        ("condor_on", ["master On()"], ['"Spawn-All-Daemons" command to local master']),
        ("condor_on -daemon schedd", ["master On(daemon='SCHEDD')"],
         ['"Spawn-Daemon" command for "schedd" to local master']),
        ("condor_on -master", ["master On()"], ['"Spawn-All-Daemons" command to local master']),
        ("condor_restart", ["master RestartMaster(how='graceful', daemon='')"],
         ['"Restart" command to local master']),
        ("condor_restart -peaceful", [*PEACEFUL, "master RestartMaster(how='peaceful', daemon='')"],
         ['"Set-Peaceful-Shutdown" command to local startd', '"Set-Peaceful-Shutdown" command to local schedd',
          '"Restart-Peaceful" command to local master']),
        ("condor_restart -daemon schedd -fast", ["master Restart(how='fast', daemon='SCHEDD')"],
         ['"Restart-Fast" command to local schedd']),
        ("condor_restart -daemon negotiator", ["master Restart(how='graceful', daemon='NEGOTIATOR')"],
         ['"Restart" command to negotiator vm.example.net']),
        ("condor_restart -daemon master", ["master RestartMaster(how='graceful', daemon='')"],
         ['"Restart" command to local master']),
        ("condor_reconfig -daemon startd", ["startd Reconfig(alone=True)"], ['"Reconfig" command to local startd']),
        ("condor_reschedule", ["schedd Reschedule()"], ['"Reschedule" command to local schedd']),
        ("condor_vacate", ["startd Vacate(slot=None, graceful=True)"],
         ['"Vacate-All-Claims" command to local startd']),
        ("condor_vacate -fast vm", ["startd Vacate(slot=None, graceful=False)"],
         ['"Vacate-All-Claims-Fast" command to startd vm.example.net']),
        ("condor_vacate slot1@vm", ["startd Vacate(slot='slot1@vm', graceful=True)"],
         ['"Vacate-Claim" command to startd slot1@vm']),
        ("condor_vacate -fast -constraint Cpus>1", ["startd Vacate(slot='slot2@vm', graceful=False)"],
         ['"Vacate-Claim-Fast" command to startd slot2@vm']),
        ("condor_off -drain -quick -check A -start B", [
            "master Off(how='graceful', daemon='', drain=DrainWish(how='quick', reason='by {me}', check='A', "
            "start='B'), program=None)"], ['"Shutdown-Daemons" command to local master']),
        ("condor_off -drain -fast -master", [
            "master OffMaster(how='fast', daemon='', drain=DrainWish(how='fast', reason='by {me}', check='', "
            "start=''), program=None)"], ['"Shutdown-Daemons" command to local master']),
        ("condor_off -drain -exec P", [
            "master OffMaster(how='graceful', daemon='', drain=DrainWish(how='graceful', reason='by {me}', check='', "
            "start=''), program='P')"], ['"Shutdown-Daemons" command to local master']),
        ("condor_reconfig -drain", [
            "master ReconfigDrained(how='graceful', daemon='', drain=DrainWish(how='graceful', reason='by {me}', "
            "check='', start=''), program=None)"], ['"Reconfig" command to local master']),
        ("condor_restart -drain -peaceful", [
            "master RestartMaster(how='peaceful', daemon='', drain=DrainWish(how='graceful', reason='by {me}', "
            "check='', start=''), program=None)"], ['"Restart-Peaceful" command to local master']),
        ("condor_off -peaceful -graceful", ["master Off(how='graceful', daemon='')"],
         ['"Kill-All-Daemons" command to local master']),
        ("condor_off -all nohost -constraint false", ["master Off(how='graceful', daemon='')"],
         ['"Kill-All-Daemons" command to master vm.example.net']),
        ("condor_off -name localhost", ["master Off(how='graceful', daemon='')"],
         ['"Kill-All-Daemons" command to master vm.example.net']),
        ("condor_off -subsystem STARTD", ["master Off(how='graceful', daemon='STARTD')"],
         ['"Kill-Daemon" command for "startd" to local master']),
        ("condor_off -daemon schedd -peaceful", ["schedd SetPeaceful()", "master Off(how='peaceful', daemon='SCHEDD')"],
         ['"Set-Peaceful-Shutdown" command to local schedd', '"Kill-Daemon-Peacefully" command to local master']),
        ("condor_vacate vm slot2@vm", ["startd Vacate(slot=None, graceful=True)",
                                       "startd Vacate(slot='slot2@vm', graceful=True)"],
         ['"Vacate-All-Claims" command to startd vm.example.net', '"Vacate-Claim" command to startd slot2@vm']),
        ("condor_set_shutdown -exec P", ["master SetShutdown(program='P')"],
         ['"Set-Shutdown-Program" command to local master']),
    ],
)  # fmt: skip
def test_orders(spool: Spool, daemons: Daemons, command: str, asked: list[str], printed: list[str]) -> None:
    slots = [ClassAd({"Name": f"slot{number}@vm", "Cpus": number}) for number in (1, 2)]
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", slots)
    done = spool.run(*command.split())
    assert daemons.asked == [line.replace("{me}", spool.me) for line in asked]
    assert [line for line in done.out.splitlines() if line.startswith("Sent")] == [f"Sent {line}" for line in printed]
    assert (done.err, done.code) == ("", 0)


def test_a_drain_that_is_refused_is_an_error(spool: Spool, daemons: Daemons) -> None:
    daemons.answers["master"] = Refused("the startd does not drain: Draining already in progress.")
    done = spool.run("condor_off", "-drain")
    assert done == ("", "condor_off: the startd does not drain: Draining already in progress.\n", 1)


@pytest.mark.parametrize("program", ["condor_off", "condor_restart"])
def test_a_program_after_a_drain_is_said(spool: Spool, daemons: Daemons, program: str) -> None:
    assert spool.run(program, "-drain", "-exec", "P").out.startswith("Set exec to P\nSent ")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("condor_off nohost", "condor_off: unknown host nohost\n"),
        ("condor_off -addr <1.2.3.4:5>", "Can't connect to daemon at <1.2.3.4:5>\n"),
        ("condor_reconfig -daemon x", f"Can't find address for local x\n{ANOTHER}"),
        ("condor_vacate slot9@vm",
         f"Can't find address for startd slot9@vm\nCan't find address for slot9@vm\n{ANOTHER}"),
        ("condor_off -constraint false", "Found no ClassAds when querying pool (local)\n"
         f"Can't find addresses for master's for constraint 'false'\n{ANOTHER}"),
    ],
)  # fmt: skip
def test_what_is_not_in_this_pool_is_asked_nothing(spool: Spool, daemons: Daemons, command: str, told: str) -> None:
    assert spool.run(*command.split()) == ("", told, 1)
    assert daemons.asked == []


def test_a_daemon_may_have_any_name(spool: Spool, daemons: Daemons, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_MASTER_NAME", "test@elsewhere")
    assert spool.run("condor_reschedule", "-name", "Test@elsewhere").code == 0
    assert daemons.asked == ["schedd Reschedule()"]


def test_the_collector_is_no_process_of_its_own(
    spool: Spool, daemons: Daemons, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER Collector SCHEDD")
    said = 'Sent "Restart-Fast" command to local collector\n'
    assert spool.run("condor_restart", "-collector", "-fast") == (said, "", 0)
    assert spool.run("condor_reconfig", "-collector") == ('Sent "Reconfig" command to local collector\n', "", 0)
    assert daemons.asked == ["master Status()", "master Reconfig(alone=True)"]
    daemons.asked.clear()
    monkeypatch.setenv("_CONDOR_DAEMON_LIST", "MASTER SCHEDD")
    assert spool.run("condor_restart", "-collector").code == 0
    assert daemons.asked == ["master Restart(how='graceful', daemon='COLLECTOR')"]


def test_a_daemon_that_is_not_there_and_one_that_refuses(spool: Spool, daemons: Daemons) -> None:
    daemons.down = {"master"}
    assert spool.run("condor_on").err.startswith(f"Can't find address for local master\n{ANOTHER}")
    daemons.down = set()
    daemons.answers["master"] = Refused("no")
    done = spool.run("condor_off", "-fast")
    assert done.err == (
        f'ERROR\nSECMAN:2010:Received "DENIED" from server for user {spool.me}@example.net using method FS.\n'
        "Can't send Kill-All-Daemons-Fast command to local master\n"
    )
    assert (done.out, done.code) == ("", 1)


def test_what_daemons_did_not_take_over_is_told_once(spool: Spool, daemons: Daemons) -> None:
    daemons.answers["master"] = Reconfigured(daemons=("SCHEDD", "STARTD"))
    daemons.answers["schedd"] = Reconfigured(refused=("X is wrong",), restart=("Y waits for a restart",))
    daemons.answers["startd"] = Reconfigured(restart=("Y waits for a restart",))
    done = spool.run("condor_reconfig")
    assert daemons.asked == ["master Reconfig(alone=True)", "schedd Reconfig()", "startd Reconfig()"]
    assert done.err == "schedd: X is wrong\nschedd, startd: Y waits for a restart\n"
    assert done.code == 1
    daemons.answers["schedd"] = Reconfigured()
    assert spool.run("condor_reconfig").code == 0
    daemons.answers["startd"] = Reconfigured(failed="no such file")
    assert spool.run("condor_reconfig").err == "startd: the old configuration stays in force: no such file\n"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("condor_on -peaceful", 'ERROR: "-peaceful" is not valid with condor_on\n'),
        ("condor_on -fast", 'ERROR: "-fast" is not valid with condor_on\n'),
        ("condor_restart -force-graceful", 'ERROR: "-force-graceful" is not valid with condor_restart\n'),
        ("condor_off -full", 'ERROR: "-full" is not valid with condor_off\n'),
        ("condor_off -startd -schedd", "ERROR: can only specify one daemon flag."),
        ("condor_off -startd -daemon schedd", "ERROR: can only specify one daemon flag."),
        ("condor_off -daemon schedd -subsystem startd", "ERROR: can only specify one daemon flag."),
        ("condor_off -constraint false -constraint true", "ERROR: only one -constraint argument is allowed\n"),
        ("condor_off -constraint true -name vm", "ERROR: -constraint conflicts with other arguments that have names"),
        ("condor_off -constraint true vm", "ERROR: -constraint conflicts with other arguments that have names"),
        ("condor_reschedule -startd", "ERROR: Can't specify a daemon flag with condor_reschedule."),
        ("condor_vacate -schedd", "ERROR: Can't specify a daemon flag with condor_vacate."),
        ("condor_set_shutdown", 'ERROR: "-exec" required for condor_set_shutdown\n'),
        ("condor_off -exec P", 'ERROR: "-exec" is not valid with condor_off without -drain\n'),
        ("condor_on -exec P", 'ERROR: "-exec" is not valid with condor_on\n'),
        ("condor_off -f", 'ERROR: ambiguous parameter: "-f"\nPlease specify "-full" or "-fast"\n'),
        ("condor_off -a", 'ERROR: ambiguous parameter: "-a"\nPlease specify "-addr" or "-all"\n'),
        ("condor_off -n", 'ERROR: ambiguous parameter: "-n"\nPlease specify "-name" or "-negotiator"\n'),
        ("condor_off -s", 'ERROR: ambiguous argument "-s"\nPlease specify "-subsystem", "-startd" or "-schedd"\n'),
        ("condor_off -quick", 'ERROR: invalid argument "-quick"'),
        ("condor_off -addr nowhere", "condor_off: unknown host nowhere\n"),
        ("condor_off -addr <nowhere>", "Address <nowhere> is not valid.\nShould be of the form"),
        ("condor_vacate -constraint (", "condor_vacate: invalid constraint '('"),
        ("condor_vacate -constraint false", "Found no ClassAds when querying pool (local)\n"
         "Can't find addresses for startd's for constraint 'false'\n"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_asked_nothing(spool: Spool, daemons: Daemons, command: str, told: str) -> None:
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [ClassAd({"Name": "slot1@vm"})])
    done = spool.run(*command.split())
    assert done.err[: len(told)] == told
    assert done.code == 1
    assert daemons.asked == []


def test_a_daemon_that_does_not_run_is_not_restarted(
    spool: Spool, daemons: Daemons, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, timeout: float | None = None) -> None:
        raise WireError("nobody is there")

    monkeypatch.setattr("condor_py.client.wire.connect", refuse)
    assert spool.run("condor_restart", "-startd") == ("", f"Can't find address for local startd\n{ANOTHER}", 1)
    assert daemons.asked == []
    assert spool.run("condor_off", "-peaceful").code == 0
    assert daemons.asked == ["master Off(how='peaceful', daemon='')"], "only what runs is told how it is to end"


def test_a_name_of_this_pool_is_asked_beside_an_address_of_another(spool: Spool, daemons: Daemons) -> None:
    done = spool.run("condor_off", "vm", "-addr", "<1.2.3.4:5>")
    assert daemons.asked == ["master Off(how='graceful', daemon='')"]
    assert (done.err, done.code) == ("Can't connect to daemon at <1.2.3.4:5>\n", 1)
