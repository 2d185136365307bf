"""The monitor protocol of qemu, with a socket in its place."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from condor_py.machine.run.vm import qmp
from condor_py.machine.run.vm.qmp import Hangup, Monitor, Refusal


class Line:
    """A monitor, and what qemu has got and is to send."""

    def __init__(self) -> None:
        ours, self.theirs = socket.socketpair()
        self.theirs.settimeout(5)
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.checks = 0
        self.monitor = Monitor(ours, lambda event, data: self.events.append((event, data)), self._check)

    def _check(self) -> None:
        self.checks += 1

    def send(self, *messages: object) -> None:
        self.theirs.sendall(b"".join(json.dumps(each).encode() + b"\n" for each in messages))

    def got(self) -> list[Any]:
        return [json.loads(line) for line in self.theirs.recv(1 << 16).splitlines()]


@pytest.fixture
def line() -> Iterator[Line]:
    made = Line()
    yield made
    made.monitor.close()
    made.theirs.close()


GREETING = {"QMP": {"version": {"qemu": {"major": 8, "minor": 1, "micro": 7}}}}


def test_a_greeting_tells_the_version(line: Line) -> None:
    line.send(GREETING, {"return": {}})
    assert line.monitor.greet(5) == "8.1"
    assert line.got() == [{"execute": "qmp_capabilities"}]


def test_commands_have_arguments_with_hyphens(line: Line) -> None:
    line.send({"return": {"a": 1}}, {"return": 2})
    assert line.monitor.run("migrate", 5, max_bandwidth=7, uri="fd:x") == {"a": 1}
    assert line.monitor.run("stop", 5) == 2
    assert line.got() == [
        {"execute": "migrate", "arguments": {"max-bandwidth": 7, "uri": "fd:x"}}, {"execute": "stop"},
    ]  # fmt: skip


def test_descriptors_are_handed_over(line: Line) -> None:
    line.send({"return": {}})
    null = os.open(os.devnull, os.O_RDONLY)
    line.monitor.run("getfd", 5, (null,), fdname="saved")
    os.close(null)
    data, files, _, _ = socket.recv_fds(line.theirs, 1 << 16, 4)
    assert json.loads(data)["execute"] == "getfd"
    assert [os.readlink(f"/proc/self/fd/{each}") for each in files] == [os.devnull]
    for each in files:
        os.close(each)


def test_events_before_an_answer_are_told(line: Line) -> None:
    line.send({"event": "STOP"}, {"event": "SHUTDOWN", "data": {"guest": True}}, {"timestamp": 5}, {"return": 3})
    assert line.monitor.run("cont", 5) == 3
    assert line.events == [("STOP", {}), ("SHUTDOWN", {"guest": True})]


@pytest.mark.parametrize(
    ("error", "text"), [({"class": "GenericError", "desc": "no room"}, "no room"), ({"class": "X"}, "{'class': 'X'}")]
)
def test_a_refusal_is_told_in_qemus_words(line: Line, error: dict[str, str], text: str) -> None:
    line.send({"error": error})
    with pytest.raises(Refusal) as caught:
        line.monitor.run("cont", 5)
    assert str(caught.value) == text


def test_what_has_come_is_taken_without_waiting(line: Line) -> None:
    line.monitor.look()
    assert line.events == []
    line.send({"event": "STOP"}, {"event": "RESUME"})
    line.monitor.look()
    assert [event for event, _ in line.events] == ["STOP", "RESUME"]
    line.send({"return": 1}, {"event": "LATE"})
    assert line.monitor.run("cont", 5) == 1
    line.monitor.look()
    assert line.events[-1][0] == "LATE", "it came with the answer"


def test_an_answer_that_does_not_come_is_not_waited_for(line: Line) -> None:
    with pytest.raises(TimeoutError, match="qemu does not answer"):
        line.monitor.run("cont", 0.02)
    assert line.checks >= 1, "meanwhile the machine may become unwanted"
    line.theirs.sendall(b'{"half":')
    with pytest.raises(TimeoutError):
        line.monitor.run("cont", 0.02)


def test_a_check_may_end_the_wait(line: Line) -> None:
    class Unwanted(Exception):
        pass

    def check() -> None:
        raise Unwanted

    line.monitor._check = check
    with pytest.raises(Unwanted):
        line.monitor.run("cont", 5)


def test_a_closed_connection_is_the_end(line: Line) -> None:
    assert line.monitor.fileno() >= 0
    line.theirs.close()
    for act in (lambda: line.monitor.run("cont", 5), line.monitor.look):
        with pytest.raises(Hangup):
            act()
    line.monitor.close()
    assert line.monitor.fileno() == -1


def test_a_message_without_an_end_is_the_end(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qmp, "_MOST", 10)
    line.theirs.sendall(b"x" * 11)
    with pytest.raises(TimeoutError):
        line.monitor.run("cont", 0.0)
    line.theirs.sendall(b"x")
    with pytest.raises(Hangup):
        line.monitor.run("cont", 5)
