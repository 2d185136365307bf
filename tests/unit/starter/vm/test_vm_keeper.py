"""The keeper of a virtual machine: what it does with a machine for each order of the starter, and what it reports."""

from __future__ import annotations

import errno
import gc
import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from condor_py.machine.run.vm import keeper, saved
from condor_py.machine.run.vm.keeper import Keeper, Work, start_keeper
from condor_py.machine.run.vm.machine import Failure, Machine, Outcome


class Recorded:
    """A machine that notes what is done with it. ``failing`` are the methods that fail; it ends by itself when its
    button has been pressed ``presses`` times, or ``outcome`` is what it is found to have ended with."""

    port = 5901

    def __init__(self, board: str, calls: list[str], failing: dict[str, str], presses: int) -> None:
        self.outcome: Outcome | None = None
        self.board = board or "made"
        self._calls, self._failing, self._presses = calls, failing, presses

    def _do(self, name: str, shown: str = "") -> None:
        self._calls.append(f"{name} {shown}".strip())
        if name in self._failing:
            if name == "pause":
                self.outcome = Outcome(False, "it broke")
            raise Failure(self._failing[name])

    def start(self, saved: str = "") -> None:
        self._do("start", Path(saved).name)

    def fileno(self) -> int:
        return -1

    def look(self) -> None:
        if self._presses <= 0:
            self.outcome = Outcome(True)

    def pause(self) -> None:
        self._do("pause")

    def go_on(self) -> None:
        self._do("go on")

    def press(self) -> None:
        self._presses -= 1
        self._do("press")

    def save(self, path: str) -> None:
        self._do("save", Path(path).name)

    def off(self) -> None:
        self._do("off")


class Case:
    """One keeper that has got ``orders``; what was done with its machines, noted, and told."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.calls: list[str] = []
        self.notes: list[str] = []

    def run(
        self,
        *orders: str,
        found: tuple[saved.Saved | None, str] = (None, ""),
        failing: dict[str, str] | None = None,
        checkpoints: bool = False,
        presses: int = 1,
        leaves: bool = False,
        note: Callable[[str], None] | None = None,
    ) -> list[dict[str, object]]:
        def make(board: str, check: Callable[[], None]) -> Recorded:
            check()
            self.calls.append(f"make {board}".strip())
            return Recorded(board, self.calls, failing or {}, presses)

        work = Work(str(self.directory), make, lambda: found, note or self.notes.append, checkpoints)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            for order in orders:
                ours.send(order.encode())
            if leaves:
                ours.shutdown(socket.SHUT_WR)
            Keeper(work, theirs).serve()
            ours.setblocking(False)
            return list(_messages(ours))


def _messages(line: socket.socket) -> Iterator[dict[str, object]]:
    while True:
        try:
            text = line.recv(1 << 16)
        except BlockingIOError:
            return
        yield json.loads(text)


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.setattr(keeper, "_PACE", 0.001)
    monkeypatch.setattr(keeper, "_AGAIN", 3600.0)
    return Case(tmp_path)


RUNNING = {"running": True, "port": 5901}
DONE = {"end": "done", "said": ""}
STATE = "_condor_vm_state"


def test_a_machine_that_is_paused_continues_and_is_shut_down(case: Case) -> None:
    assert case.run("pause", "continue", "power") == [RUNNING, DONE]
    assert case.calls == ["make", "start", "pause", "go on", "press"]


def test_a_suspended_machine_is_a_file_and_continues_on_its_board(case: Case) -> None:
    told = case.run("suspend", "pause", "power", "suspend", "continue", "continue", "power")
    assert told == [RUNNING, {"log": "The saved machine continues"}, RUNNING, DONE]
    assert case.calls == [
        "make", "start", f"save {STATE}", "make made", f"start {STATE}", "go on", "press",
    ]  # fmt: skip


def test_where_it_cannot_be_saved_it_keeps_its_memory(case: Case) -> None:
    told = case.run("suspend", "power", failing={"save": "no room"})
    assert told == [RUNNING, {"log": "The machine keeps its memory while it is suspended: no room"}, DONE]
    assert case.calls == ["make", "start", f"save {STATE}", "pause", "press"]


def test_a_job_with_checkpoints_is_saved_when_it_has_to_go(case: Case) -> None:
    assert case.run("evict", checkpoints=True) == [RUNNING, {"end": "saved", "said": ""}]
    assert (case.calls, case.notes) == (["make", "start", f"save {STATE}"], ["made"])


def test_a_suspended_one_is_saved_already(case: Case) -> None:
    assert case.run("suspend", "evict", checkpoints=True) == [RUNNING, {"end": "saved", "said": ""}]
    assert (case.calls, case.notes) == (["make", "start", f"save {STATE}"], ["made"])


def test_one_that_cannot_be_saved_is_shut_down(case: Case) -> None:
    told = case.run("evict", checkpoints=True, failing={"save": "no room"})
    assert told == [RUNNING, {"log": "The machine cannot be saved, it is shut down: no room"}, DONE]
    assert (case.calls, case.notes) == (["make", "start", f"save {STATE}", "press"], [])


@pytest.mark.parametrize("before", ["", "suspend"])
def test_one_of_which_nothing_can_be_noted_continues_and_is_shut_down(case: Case, before: str) -> None:
    """The file with its memory has taken all the room that there was."""

    def note(board: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "facts")

    told = case.run(*filter(None, (before, "evict")), checkpoints=True, note=note)
    why = "The machine cannot be saved, it is shut down: [Errno 28] No space left on device: 'facts'"
    assert told == [RUNNING, {"log": why}, {"log": "The saved machine continues"}, RUNNING, DONE]
    assert case.calls == ["make", "start", f"save {STATE}", "make made", f"start {STATE}", "press"]


def test_without_checkpoints_it_is_shut_down(case: Case) -> None:
    assert case.run("evict") == [RUNNING, DONE]
    assert case.calls == ["make", "start", "press"]


def test_a_button_is_pressed_again(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that is just starting does not feel it."""
    monkeypatch.setattr(keeper, "_AGAIN", 0.0)
    assert case.run("power", presses=3) == [RUNNING, DONE]
    assert case.calls == ["make", "start", "press", "press", "press"]


def test_a_saved_machine_continues_where_it_was(case: Case) -> None:
    for name in (saved.STATE, saved.FACTS):
        (case.directory / name).write_text("x")
    found = saved.Saved(str(case.directory / saved.STATE), "pc-7.2")
    assert case.run("power", found=(found, "")) == [{"log": "The saved machine continues"}, RUNNING, DONE]
    assert case.calls == ["make pc-7.2", f"start {STATE}", "press"]
    assert list(case.directory.iterdir()) == []


def test_one_that_cannot_continue_is_forgotten_with_the_reason(case: Case) -> None:
    for name in (saved.STATE, saved.FACTS):
        (case.directory / name).write_text("x")
    told = case.run("power", found=(None, "a disk has changed since"))
    assert told[0] == {"log": "The saved machine cannot continue, a new one starts: a disk has changed since"}
    assert told[1:] == [RUNNING, DONE]
    assert list(case.directory.iterdir()) == []


def test_a_machine_that_does_not_start(case: Case) -> None:
    assert case.run("power", failing={"start": "no kvm"}) == [{"end": "failed", "said": "no kvm"}]
    assert case.calls == ["make", "start", "off"]


def test_a_saved_machine_that_does_not_start_is_kept(case: Case) -> None:
    (case.directory / saved.STATE).write_text("x")
    found = saved.Saved(str(case.directory / saved.STATE), "pc-7.2")
    told = case.run("power", found=(found, ""), failing={"start": "bad version"})
    assert told == [{"end": "not resumed", "said": "bad version"}]
    assert (case.directory / saved.STATE).exists()


def test_a_machine_that_breaks_under_an_order(case: Case) -> None:
    told = case.run("pause", failing={"pause": "no answer"})
    assert told == [RUNNING, {"log": "pause: no answer"}, {"end": "failed", "said": "it broke"}]


def test_an_order_that_fails_is_told_and_no_more(case: Case) -> None:
    told = case.run("continue", "power", failing={"go on": "not now"})
    assert told == [RUNNING, {"log": "continue: not now"}, DONE]


def test_without_the_starter_the_machine_ends(case: Case) -> None:
    assert case.run("pause", leaves=True) == []
    case.calls.clear()
    assert case.run(leaves=True) == []
    assert case.calls == []


def test_an_order_that_comes_after_its_end_changes_nothing(case: Case) -> None:
    assert case.run("evict", checkpoints=True, presses=0) == [RUNNING, DONE]
    assert case.notes == []


def test_a_message_is_cut_to_what_is_shown(case: Case) -> None:
    (told,) = case.run("power", failing={"start": "x" * 5000})
    assert told == {"end": "failed", "said": "x" * 2000}


# ---- the child ----------------------------------------------------------------------------------------------


class Tells:
    """A machine that does not start, and says what its process is."""

    def start(self, saved: str = "") -> None:
        files = sorted(int(each) for each in os.listdir("/proc/self/fd"))[:-1]  # the last one is that of the list
        inherited = [each for each in files if os.get_inheritable(each)]
        raise Failure(f"{files} {inherited} {os.getsid(0) == os.getpid()} {os.readlink('/proc/self/fd/1')}")

    def off(self) -> None:
        """It never ran."""


def said(place: Path, enter: Callable[[], None] = lambda: None, port: int = -1) -> tuple[dict[str, object], int]:
    """What a keeper in a child has said, and its exit code."""
    work = Work(
        str(place), lambda board, check: cast(Machine, Tells()), lambda: (None, ""), lambda board: None, False, port
    )
    pid, ours = start_keeper(work, enter)
    assert not ours.getblocking(), "a starter does not wait for it"
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with ours:
        (message,) = _messages_until_end(ours)
    return message, code


def _messages_until_end(line: socket.socket) -> Iterator[dict[str, object]]:
    while text := line.recv(1 << 16):
        yield json.loads(text)


def test_a_keeper_is_a_session_with_its_own_descriptors(tmp_path: Path) -> None:
    entered = tmp_path / "entered"
    message, code = said(tmp_path, entered.touch)
    assert (message, code) == ({"end": "failed", "said": "[0, 1, 2, 3] [0, 1, 2] True /dev/null"}, 0)
    assert entered.exists()
    port = os.open("/dev/zero", os.O_RDWR)
    message, _ = said(tmp_path, port=port)
    os.close(port)
    assert message["said"] == "[0, 1, 2, 3, 4] [0, 1, 2] True /dev/null"


def test_a_keeper_that_cannot_begin_says_why(tmp_path: Path) -> None:
    def enter() -> None:
        raise OSError(1, "not permitted")

    message, code = said(tmp_path, enter)
    assert (message, code) == ({"end": "failed", "said": "PermissionError: [Errno 1] not permitted"}, 1)


def test_a_keeper_that_cannot_be_forked_leaves_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fails)
    gc.collect()  # it closes what tests before this one have forgotten
    before = os.listdir("/proc/self/fd")
    with pytest.raises(BlockingIOError):
        said(tmp_path)
    assert os.listdir("/proc/self/fd") == before
