"""The child of the starter that keeps a virtual machine, with the rights of the job's owner: it starts it, obeys the
starter's orders for it, and reports its state.

It represents the program of the job: it lives until the machine has ended, also while that is only a file (a suspended
machine gives its memory back). When the starter dies it ends the machine; when it dies itself the kernel does.
"""

from __future__ import annotations

import fcntl
import gc
import json
import math
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

from condor_py.machine.run.vm import saved
from condor_py.machine.run.vm.machine import Failure, Machine, Outcome

#: Makes a machine: (board, check).
MakeMachine = Callable[[str, Callable[[], None]], Machine]
_MESSAGE = 1 << 16
#: The descriptor of its port of a bridge.
PORT = 4
#: Characters that are reported of a message of qemu, libvirt or a script: a message is whole.
_SHOWN = 2000
#: Seconds between looks at a machine that does not tell when it ends.
_PACE = 0.5
#: Seconds between two presses of a power button.
_AGAIN = 5.0


class Order(StrEnum):
    """The orders of the starter."""

    PAUSE = "pause"
    SUSPEND = "suspend"
    CONTINUE = "continue"
    POWER = "power"
    EVICT = "evict"


class End(StrEnum):
    """The ways in which a machine ends."""

    DONE = "done"
    SAVED = "saved"
    FAILED = "failed"
    NOT_RESUMED = "not resumed"


class Abandoned(Exception):
    """The starter is gone."""


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a keeper. ``make`` makes the machine; ``find`` returns the saved machine of the job,
    or why it cannot resume; ``note`` records that one was saved."""

    directory: str
    make: MakeMachine
    find: Callable[[], tuple[saved.Saved | None, str]]
    note: Callable[[str], None]
    checkpoints: bool
    #: The port of a bridge, -1 for none: in the keeper it is descriptor PORT.
    port: int = -1


class Keeper:
    """One machine. ``control`` is a socket of whole messages."""

    def __init__(self, work: Work, control: socket.socket) -> None:
        self._work, self._control = work, control
        self._machine: Machine | None = None
        self._state = os.path.join(work.directory, saved.STATE)
        self._asleep = ""  # the board of a suspended machine, which is only a file
        self._end: tuple[End, str] | None = None
        self._orders: list[Order] = []
        #: When its power button is pressed again: a system that is just starting does not feel it.
        self._press_at = math.inf

    def serve(self) -> None:
        """Until the machine has ended, or it is not wanted any more."""
        try:
            self._begin()
            while self._end is None:
                self._turn()
            end, said = self._end
            self._tell(end=end.value, said=said)
        except Abandoned:
            return
        finally:
            if self._machine is not None:
                self._machine.off()

    # -- the start

    def _begin(self) -> None:
        found, why = self._work.find()
        if why:
            self._tell(log=f"The saved machine cannot continue, a new one starts: {why}")
        if found is None:
            saved.forget(self._work.directory)
        self._start(found)

    def _start(self, found: saved.Saved | None) -> None:
        machine = self._work.make(found.board if found is not None else "", self._listen)
        try:
            machine.start(found.path if found is not None else "")
        except (Failure, OSError) as error:
            machine.off()
            self._end = (End.NOT_RESUMED if found is not None else End.FAILED, str(error))
            return
        if found is not None:
            saved.forget(self._work.directory)
            self._tell(log="The saved machine continues")
        self._machine = machine
        self._tell(running=True, port=machine.port)

    # -- while it runs

    def _turn(self) -> None:
        machine = self._machine
        watched: list[Any] = [self._control]
        patience: float | None = None
        if machine is not None and machine.fileno() >= 0:
            watched.append(machine)
        elif machine is not None:
            patience = _PACE
        if self._press_at < math.inf:
            patience = min(patience or _AGAIN, _AGAIN)
        if not self._orders:
            select.select(watched, [], [], patience)
            self._listen()
        if time.monotonic() >= self._press_at:
            self._orders.append(Order.POWER)
        if machine is not None:
            machine.look()
            if machine.outcome is not None:
                self._ended(machine.outcome)
        if self._orders and self._end is None:
            self._obey(self._orders.pop(0))

    def _ended(self, outcome: Outcome) -> None:
        self._machine = None
        self._end = (End.DONE, "") if outcome.by_itself else (End.FAILED, outcome.said)

    def _listen(self) -> None:
        """Takes orders. Abandoned when the sender has gone."""
        while select.select([self._control], [], [], 0)[0]:
            try:
                text = self._control.recv(_MESSAGE).decode()
            except OSError:
                text = ""
            if not text:
                raise Abandoned
            self._orders.append(Order(text))

    def _obey(self, order: Order) -> None:
        try:
            _ORDERS[order](self)
        except (Failure, OSError) as error:
            self._tell(log=f"{order.value}: {error}")
            machine = self._machine
            if machine is not None and machine.outcome is not None:
                self._ended(machine.outcome)

    def _pause(self) -> None:
        if self._machine is not None:
            self._machine.pause()

    def _suspend(self) -> None:
        """Its memory goes to a file; where there is no room for that, it keeps it."""
        machine = self._machine
        if machine is None:
            return
        try:
            machine.save(self._state)
        except Failure as error:
            self._tell(log=f"The machine keeps its memory while it is suspended: {error}")
            machine.pause()
            return
        self._machine, self._asleep = None, machine.board

    def _continue(self) -> None:
        if self._machine is not None:
            self._machine.go_on()
        elif self._asleep:
            board, self._asleep = self._asleep, ""
            self._start(saved.Saved(self._state, board))

    def _press(self) -> None:
        if self._machine is not None:
            self._press_at = time.monotonic() + _AGAIN
            self._machine.press()

    def _evict(self) -> None:
        """It is saved, if its job wants that, else shut down."""
        if not self._work.checkpoints:
            self._press()
            return
        board, machine = self._asleep, self._machine
        if machine is not None:
            try:
                machine.save(self._state)
            except Failure as error:
                self._tell(log=f"The machine cannot be saved, it is shut down: {error}")
                self._press()
                return
            board, self._machine = machine.board, None
        try:
            self._work.note(board)
        except OSError as error:  # no run could begin there: it continues, so that it can be shut down
            self._tell(log=f"The machine cannot be saved, it is shut down: {error}")
            self._asleep = ""
            self._start(saved.Saved(self._state, board))
            self._press()
            return
        self._end = (End.SAVED, "")

    def _tell(self, **facts: Any) -> None:
        try:
            self._control.send(_message(facts))
        except OSError:
            raise Abandoned from None


_ORDERS: dict[Order, Callable[[Keeper], None]] = {
    Order.PAUSE: Keeper._pause,
    Order.SUSPEND: Keeper._suspend,
    Order.CONTINUE: Keeper._continue,
    Order.POWER: Keeper._press,
    Order.EVICT: Keeper._evict,
}


def _message(facts: dict[str, Any]) -> bytes:
    cut = {name: value[:_SHOWN] if isinstance(value, str) else value for name, value in facts.items()}
    return json.dumps(cut).encode()


def start_keeper(work: Work, enter: Callable[[], None]) -> tuple[int, socket.socket]:
    """The child, and our end of the line to it. ``enter`` is called in it first, with our rights, and makes it the
    owner's. OSError."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        pid = os.fork()
    except OSError:
        ours.close()
        theirs.close()
        raise
    if not pid:
        _keep(work, enter, theirs)
    theirs.close()
    ours.setblocking(False)
    return pid, ours


def _keep(work: Work, enter: Callable[[], None], control: socket.socket) -> NoReturn:
    """In the child: never returns into the starter's code."""
    status = 1
    try:
        gc.freeze()
        signal.set_wakeup_fd(-1)
        os.setsid()
        control = _keep_only(control, work.port)
        enter()
        Keeper(work, control).serve()
        status = 0
    except BaseException as error:
        control.send(_message({"end": End.FAILED.value, "said": f"{type(error).__name__}: {error}"}))
    finally:
        os._exit(status)


def _keep_only(control: socket.socket, port: int) -> socket.socket:
    """Closes what is the starter's: its connections must end with it."""
    kept = [
        fcntl.fcntl(descriptor, fcntl.F_DUPFD, PORT + 1) for descriptor in (control.detach(), port) if descriptor >= 0
    ]
    null = os.open(os.devnull, os.O_RDWR)
    for place in range(3):
        os.dup2(null, place)
    for place, descriptor in enumerate(kept, 3):
        os.dup2(descriptor, place, inheritable=False)
    os.closerange(3 + len(kept), os.sysconf("SC_OPEN_MAX"))
    return socket.socket(fileno=3)
