"""Programs of other accounts: root's rights are given up before anything of theirs is touched."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from condor_py.machine.run import spawning
from condor_py.machine.run.identity import account, as_user
from condor_py.machine.run.spawning import Launch, answer_of, start, start_on

Run = Callable[[Launch], str]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A directory that everybody may enter, behind a door that only root may pass."""
    inner = tmp_path / "private" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "private").chmod(0o700)
    inner.chmod(0o755)
    return inner


@pytest.fixture(params=["native", "fork"])
def wrote(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Starts a program in each of the two ways; what it wrote, behind its exit status."""
    if request.param == "fork":
        monkeypatch.setattr(spawning, "_native", None)
    elif not spawning.quick():
        pytest.skip("the C module is not built")
    out = os.open(tmp_path / "out", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    none = os.open(os.devnull, os.O_RDONLY)

    def run(launch: Launch) -> str:
        os.ftruncate(out, 0)
        program = start_on(launch, (none, out, out))
        program.returncode = os.waitstatus_to_exitcode(os.waitpid(program.pid, 0)[1])
        return f"{program.returncode} {os.pread(out, 4096, 0).decode()}"

    yield run
    os.close(none)
    os.close(out)


def shell(text: str, **more: Any) -> Launch:
    return Launch(["/bin/bash", "-c", text], {"A": "b c"}, "/", program="/bin/bash", **more)


def test_both_ways_start_the_same_program(wrote: Run) -> None:
    """A session of its own, three streams and nothing else, no signal ignored or blocked, mask and directory."""
    text = wrote(
        shell(
            'echo "$A"; pwd; umask; ls /proc/self/fd | wc -l; [ $(ps -o sid= -p $$) = $$ ] && echo leader;'
            'grep -E "^Sig(Blk|Ign)" /proc/self/status; kill -TERM $$',
            umask=0o027,
        )
    )
    quiet = "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
    assert text == f"-15 b c\n/\n0027\n4\nleader\n{quiet}"


def test_niceness_and_address_space(wrote: Run) -> None:
    own = os.getpriority(os.PRIO_PROCESS, 0)
    nicer = min(own + 3, 19)  # the tests may be as nice as can be
    launch = shell("nice; ulimit -v; ulimit -Hv", niceness=nicer, address_space=1 << 30)
    assert wrote(launch) == f"0 {nicer}\n{1 << 20}\n{1 << 20}\n"


@needs_root  # who may lower a niceness
def test_nothing_runs_before_a_pool_that_is_nice_itself(wrote: Run) -> None:
    own = os.nice(2)
    try:
        assert wrote(shell("nice", niceness=own - 1)) == f"0 {own}\n"
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, own - 2)


def test_what_cannot_be_started_says_why(wrote: Run, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        wrote(Launch(["x"], {}, "/", program=f"{tmp_path}/none"))
    assert missing.value.filename == f"{tmp_path}/none"
    with pytest.raises(FileNotFoundError) as nowhere:
        wrote(Launch(["true"], {}, f"{tmp_path}/none", program="/bin/true"))
    assert nowhere.value.filename == f"{tmp_path}/none"
    (tmp_path / "text").write_text("no program")
    (tmp_path / "text").chmod(0o755)
    with pytest.raises(OSError, match="Exec format error"):
        wrote(Launch(["x"], {}, "/", program=f"{tmp_path}/text"))
    for odd in ("a\0b", "a=b"):
        with pytest.raises(ValueError):
            wrote(Launch(["true"], {odd: "x"}, "/", program="/bin/true"))
    with pytest.raises(ValueError):
        wrote(Launch(["true", "a\0b"], {}, "/", program="/bin/true"))


@needs_root
def test_both_ways_become_the_user(wrote: Run, private: Path) -> None:
    user = account("nobody")
    facts = "grep -E '^(Uid|Gid|CapPrm|Groups)' /proc/self/status | tr -s '\\t ' ' '"
    groups = " ".join(map(str, sorted(user.groups)))
    said = wrote(shell(facts, user=user))
    assert [line.strip() for line in said.splitlines()] == [
        f"0 Uid: {user.uid} {user.uid} {user.uid} {user.uid}", f"Gid: {user.gid} {user.gid} {user.gid} {user.gid}",
        f"Groups: {groups}", "CapPrm: 0000000000000000",
    ]  # fmt: skip
    with pytest.raises(subprocess.SubprocessError):
        wrote(Launch(["true"], {}, str(private), user, "/bin/true"))
    with as_user(user):
        assert wrote(shell("echo $UID $EUID", user=user)) == f"0 {user.uid} {user.uid}\n"
    assert os.geteuid() == 0


def said(launch: Launch) -> str:
    process = start(launch, subprocess.DEVNULL, subprocess.PIPE, subprocess.PIPE)
    return process.communicate()[0].decode()


@needs_root
@pytest.mark.promise("S42")
def test_the_directory_is_entered_with_the_rights_of_the_user(private: Path) -> None:
    launch = Launch(["/bin/pwd"], {}, str(private))
    assert said(launch) == f"{private}\n"
    with pytest.raises((OSError, subprocess.SubprocessError)):
        said(Launch(["/bin/pwd"], {}, str(private), account("nobody")))


@needs_root
@pytest.mark.promise("S41")
def test_nothing_of_root_is_left() -> None:
    user = account("nobody")
    text = said(Launch(["/bin/cat", "/proc/self/status"], {}, "/", user))
    facts = {line.partition(":")[0]: line.partition(":")[2].split() for line in text.splitlines()}
    assert facts["Uid"] == [str(user.uid)] * 4
    assert facts["Gid"] == [str(user.gid)] * 4
    assert facts["Groups"] == [str(group) for group in sorted(user.groups)]
    assert facts["CapPrm"] == facts["CapEff"] == ["0" * 16]


@needs_root
def test_who_works_as_somebody_else_for_a_while_hands_nothing_on() -> None:
    """A shell that is root by its real user id would be root again at once."""
    user = account("nobody")
    with as_user(user):
        assert said(Launch(["/bin/bash", "-c", "echo $UID $EUID"], {}, "/", user)) == f"{user.uid} {user.uid}\n"


@needs_root
def test_what_needs_root_in_the_new_process_comes_first() -> None:
    user = account("nobody")
    seen, told = os.pipe()

    def enter() -> None:
        os.write(told, b"%d" % os.geteuid())

    assert said(Launch(["/bin/sh", "-c", "id -u; pwd"], {}, "/tmp", user, enter=enter)) == f"{user.uid}\n/tmp\n"
    assert os.read(seen, 100) == b"0"
    os.close(seen)
    os.close(told)


def test_without_root_there_is_one_identity_and_no_step_between(tmp_path: Path) -> None:
    assert said(Launch(["sh", "-c", "pwd"], {"PATH": "/bin:/usr/bin"}, str(tmp_path))) == f"{tmp_path}\n"


@pytest.mark.skipif(not spawning.quick(), reason="the C module is not built")
def test_a_program_stands_still_at_its_first_instruction() -> None:
    user = account("nobody") if os.geteuid() == 0 else None
    none = os.open(os.devnull, os.O_RDWR)
    program = start_on(Launch(["/bin/true"], {}, "/", user, "/bin/true", stops=True), (none, none, none))
    ended = os.waitid(os.P_PID, program.pid, os.WSTOPPED | os.WEXITED)
    assert ended is not None
    assert (ended.si_code, ended.si_status) == (os.CLD_STOPPED, signal.SIGSTOP)
    with open(f"/proc/{program.pid}/cmdline", "rb") as file:
        assert file.read() == b"/bin/true\0", "it is the program itself"
    os.kill(program.pid, signal.SIGCONT)
    assert os.waitpid(program.pid, 0)[1] == 0
    with pytest.raises(FileNotFoundError):
        start_on(Launch(["/nosuch"], {}, "/", user, "/nosuch", stops=True), (none, none, none))
    os.close(none)


def test_a_program_that_takes_too_long_is_not_waited_for_nor_what_it_has_started() -> None:
    begun = time.monotonic()
    launch = Launch(["/bin/sh", "-c", "sleep 600; true"], {"PATH": "/bin:/usr/bin"}, "/")
    process = start(launch, subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT)
    assert answer_of(process, 0.2) is None
    assert time.monotonic() - begun < 60
    assert process.returncode == -9


def test_only_the_last_bytes_of_an_endless_output_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawning, "_MOST_SAID", 1000)
    script = "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done; echo words >&2"
    launch = Launch(["/bin/sh", "-c", script], {"PATH": "/bin:/usr/bin"}, "/")
    said = answer_of(start(launch, subprocess.DEVNULL, subprocess.PIPE, subprocess.PIPE), 60)
    assert said is not None
    assert (len(said[0]), said[1]) == (1000, b"words\n")
    assert said[0].endswith(b"line 1998\nline 1999\n")


def test_a_program_that_closes_its_pipes_is_waited_for() -> None:
    launch = Launch(["/bin/sh", "-c", "echo x; exec >&- 2>&-; sleep 0.3; exit 3"], {"PATH": "/bin:/usr/bin"}, "/")
    process = start(launch, subprocess.DEVNULL, subprocess.PIPE, subprocess.PIPE)
    assert answer_of(process, 60) == (b"x\n", b"")
    assert process.returncode == 3


@needs_root
def test_a_plugin_is_asked_with_the_rights_of_the_job(open_path: Path) -> None:
    """Also by a shell script: it would take root's real user id for its own."""
    from condor_py.machine.run.plugins import ask

    plugin = open_path / "plugin"
    plugin.write_text('#!/bin/bash\necho "SupportedMethods = \\"m$EUID\\""\n')
    plugin.chmod(0o755)
    user = account("nobody")
    with as_user(user):
        found = ask(str(plugin))
    assert found is not None
    assert found.methods == (f"m{user.uid}",)
