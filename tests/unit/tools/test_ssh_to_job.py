"""condor_ssh_to_job: its command line, the escapes of a session, and terminals that are given back."""

from __future__ import annotations

import os
import termios
from collections.abc import Iterator

import pytest

from condor_py.cli import ssh_to_job
from condor_py.cli.ssh_to_job import session
from condor_py.cli.ssh_to_job.relay import Escape
from condor_py.cli.ssh_to_job.session import Wish
from condor_py.client.pool import Pool
from condor_py.client.terminal import SavedTerminal
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[JobId, Wish]]:
    """What the tool would open sessions for."""
    found: list[tuple[JobId, Wish]] = []

    def attach(pool: Pool, job: JobId, wish: Wish) -> int:
        found.append((job, wish))
        return 0

    monkeypatch.setattr(session, "attach", attach)
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("SHELL", "/bin/zsh")
    return found


@pytest.mark.parametrize(
    ("line", "job", "wish"),
    [
        ("7", (7, 0), {}),
        ("7.3", (7, 3), {}),
        ("7.3.0", (7, 3), {"node": 0}),
        ("7 ls -l -a", (7, 0), {"command": "ls -l -a"}),
        ("7 -- -odd", (7, 0), {"command": "-odd"}),
        ("7 -t top", (7, 0), {"command": "top", "terminal": True}),
        ("-ssh ssh_-T 7", (7, 0), {"terminal": False}),
        ("-s ssh_-qtt 7 top", (7, 0), {"command": "top", "terminal": True}),
        ("-auto-retry -remove-on-interrupt 7", (7, 0), {"retry": True, "remove": True}),
        ("-a -r -d 7", (7, 0), {"retry": True, "remove": True, "debug": True}),
        ("-shells /bin/a,/bin/b 7", (7, 0), {"shells": ("/bin/a", "/bin/b")}),
        ("-keygen-options -b_1024 -X 7", (7, 0), {"display": True}),
        ("-X -x 7", (7, 0), {}),
        ("-x -X 7", (7, 0), {"display": True}),
        ("-ssh ssh_-Y 7", (7, 0), {"display": True}),
        ("-ssh ssh_-x 7", (7, 0), {}),
        ("-ssh ssh_-tT 7", (7, 0), {"terminal": False}),
        ("-ssh ssh_-vqCakn46AKgNf 7", (7, 0), {}),
        ("-ssh /usr/bin/ssh 7", (7, 0), {}),
        ("7 - -t", (7, 0), {"command": "- -t"}),
        ("7.3.12 -T -q a -t", (7, 3), {"node": 12, "terminal": False, "command": "a -t"}),
        ("-- 7 ls", (7, 0), {"command": "ls"}),
        (
            "-oForwardX11_no -o CondorSshToJob=-debug_7 -- host scp -t a",
            (7, 0),
            {"command": "scp -t a", "terminal": False, "debug": True},
        ),
    ],
)
def test_command_lines(
    asked: list[tuple[JobId, Wish]], line: str, job: tuple[int, int], wish: dict[str, object]
) -> None:
    assert ssh_to_job.main([word.replace("_", " ") for word in line.split()]) == 0
    assert asked == [(JobId(*job), Wish(**{"shells": ("/bin/zsh",), **wish}))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "code", "text"),
    [
        ("", 2, "ERROR: You must specify a job!"),
        ("-shells", 2, "-shells requires an argument"),
        ("-none 7", 2, "Unrecognized argument: -none"),
        ("seven", 2, "Invalid job id: seven"),
        ("7.", 2, "Invalid job id: 7."),
        ("-ssh /none/scp 7 a b:", 1, "-ssh scp: cannot run /none/scp: No such file or directory"),
        ("-ssh rsh 7", 1, "-ssh rsh: only ssh, sftp and scp can be asked for"),
        ("-ssh ssh_-oA=b 7", 1, "ssh option -oA=b has no meaning here"),
        ("-ssh ssh_- 7", 1, "ssh option - has no meaning here"),
        ("-ssh ssh_t 7", 1, "ssh option t has no meaning here"),
        ("-ssh ssh_-tz 7", 1, "ssh option -tz has no meaning here"),
        ("-ssh ssh_'t 7", 1, "-ssh ssh 't: No closing quotation"),
        ("7.0.0.0", 2, "Invalid job id: 7.0.0.0"),
        ("7.x", 2, "Invalid job id: 7.x"),
        ("-name other 7", 1, "No such schedd named other in local pool"),
    ],
)
def test_wrong_command_lines(asked: list[tuple[JobId, Wish]], line: str, code: int, text: str) -> None:
    with pytest.raises(CondorError) as caught:
        ssh_to_job.main([word.replace("_", " ") for word in line.split()])
    assert str(caught.value).startswith(text)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == code
    assert asked == []


@pytest.mark.parametrize(
    ("typed", "passed", "wish"),
    [
        (b"ls\r", b"ls\r", ""),
        (b"~.", b"", "leave"),
        (b"ls\r~.more", b"ls\r", "leave"),
        (b"a~.", b"a~.", ""),
        (b"~~.", b"~.", ""),
        (b"~x", b"~x", ""),
        (b"\n~\x1a", b"\n", "suspend"),
        (b"~\r~.", b"~\r", "leave"),
    ],
)
def test_escapes_whole_and_byte_by_byte(typed: bytes, passed: bytes, wish: str) -> None:
    rest = b"more" if typed.endswith(b"more") else b""
    assert Escape().feed(typed) == (passed, wish, rest)
    escape, out, found = Escape(), b"", ""
    for at in range(len(typed)):
        data, found, _ = escape.feed(typed[at : at + 1])
        out += data
        if found:
            break
    assert (out, found) == (passed, wish)


def test_an_escape_may_follow_another() -> None:
    escape = Escape()
    assert escape.feed(b"a\r~\x1a~.") == (b"a\r", "suspend", b"~.")
    assert escape.feed(b"~.") == (b"", "leave", b"")
    assert escape.feed(b"~\x1ab~.") == (b"", "suspend", b"b~.")
    assert escape.feed(b"b~.") == (b"b~.", "", b"")


@pytest.fixture
def terminal() -> Iterator[int]:
    """A terminal."""
    ours, theirs = os.openpty()
    yield theirs
    os.close(ours)
    os.close(theirs)


def test_a_terminal_is_given_back_only_by_who_finds_it_raw(terminal: int) -> None:
    before = termios.tcgetattr(terminal)
    saved = SavedTerminal(terminal)
    saved.make_raw()
    raw = termios.tcgetattr(terminal)
    assert not raw[3] & (termios.ECHO | termios.ICANON | termios.ISIG)
    SavedTerminal(terminal).give_back_if_raw()  # who never knew another state changes nothing
    assert termios.tcgetattr(terminal) == raw
    saved.give_back_if_raw()
    assert termios.tcgetattr(terminal) == before

    saved.make_raw()
    changed = termios.tcgetattr(terminal)
    changed[3] |= termios.ISIG  # a shell has taken it over
    termios.tcsetattr(terminal, termios.TCSANOW, changed)
    saved.give_back_if_raw()
    assert termios.tcgetattr(terminal) == changed
