"""The program of a job and the files around it: what is looked at before the job is accepted."""

from __future__ import annotations

import os
from typing import Any

import pytest

from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.errors import SubmitError

CRLF = "Executable file crlf is a script with CRLF (DOS/Windows) line endings."


def warned(alice: Any, text: str) -> str:
    """The warnings about a whole description."""
    file = alice.parse(text)
    for draft in clusters_of(file):
        list(draft.make(1, alice.options).own)
    return str(file.messages.warnings())


@pytest.fixture
def programs(alice: Any) -> Any:
    """A submitter with good and bad programs."""
    alice.write("good", "#!/bin/sh\n", mode=0o755)
    alice.write("empty", "", mode=0o755)
    for name, text in (
        ("crlf", b"#!/bin/sh\r\necho\r\n"),
        ("second", b"#!/bin/sh\necho\r\n"),
        ("binary", b"\x7fELF\r\n"),
        ("open", b"#!/bin/sh\r"),
        ("long", b"#!/" + b"x" * 122 + b"\r\n"),
        ("longest", b"#!/" + b"x" * 123 + b"\r\n"),
    ):
        (alice.directory / name).write_bytes(text)
    return alice


@pytest.mark.parametrize("name", ["good", "second", "binary", "open", "longest", "$$(Name)", "none$$([x])"])
def test_a_program_that_may_run_is_accepted(programs: Any, name: str) -> None:
    assert len(programs.jobs(f"executable = {name}\nqueue\n")) == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("none", "Can't access executable file none: No such file or directory"),
        ("empty", "Executable file empty has zero length"),
    ],
)
def test_a_program_that_cannot_run_is_refused_or_warned_of(programs: Any, name: str, said: str) -> None:
    with pytest.raises(SubmitError) as caught:
        programs.jobs(f"executable = {name}\nqueue\n")
    assert str(caught.value.report) == f"\nERROR: {said}\n"
    text = f"executable = {name}\nskip_filechecks = Warn\nqueue 2\n"
    assert said in warned(programs, text)
    assert warned(programs, text).count(said) == 1
    with pytest.raises(SubmitError):
        programs.jobs(f"executable = {name}\nskip_filechecks = true\nqueue\n")
    programs.options = BuildOptions(user="alice", check_executable=False)
    assert len(programs.jobs(f"executable = {name}\nqueue\n")) == 1


def test_a_script_with_line_ends_of_windows_is_refused_unless_the_user_insists(programs: Any) -> None:
    for name in ("crlf", "long"):
        with pytest.raises(SubmitError) as caught:
            programs.jobs(f"executable = {name}\nqueue\n")
        assert caught.value.report == (
            f"\nERROR: {CRLF.replace('crlf', name)}\nThis generally doesn't work, and you should probably run"
            f" 'dos2unix {name}' -- or a similar tool -- before you resubmit.\n"
        )
    assert CRLF in warned(programs, "executable = crlf\nskip_filechecks = warn\nqueue\n")
    programs.options = BuildOptions(user="alice", allow_crlf_script=True)
    assert CRLF in warned(programs, "executable = crlf\nqueue\n")


def test_a_program_that_is_not_transferred_is_not_looked_at(programs: Any) -> None:
    job = programs.jobs("executable = none/x\ntransfer_executable = false\nqueue\n")[0]
    assert (job["Cmd"], job["TransferExecutable"]) == ('"none/x"', "false")


@pytest.mark.parametrize(
    ("lines", "report"),
    [
        ("input = none", 'Can\'t open "{here}/none"  with flags 00 (No such file or directory)\n'),
        ("transfer_input_files = none", 'Can\'t open "{here}/none"  with flags 00 (No such file or directory)\n'),
        ("public_input_files = good,none\nshould_transfer_files = yes",
         'Can\'t open "{here}/none"  with flags 00 (No such file or directory)\n'),
        ("output = no/o", 'Can\'t open "{here}/no/o"  with flags 01101 (No such file or directory)\n'),
        ("error = no/o", 'Can\'t open "{here}/no/o"  with flags 01101 (No such file or directory)\n'),
        ("input = good\noutput = good\nerror = dir", None), ("output = new", None), ("input = https://x", None),
        ("input = x$$(y)", None), ("input = /dev/null", None), ("output = dir", None), ("output = no/o$$(y)", None),
        ("input = none\ntransfer_input = false", None), ("output = no/o\ntransfer_output = false", None),
        ("input = none\nskip_filechecks = true", None), ("output = no/o\nskip_filechecks = 1", None),
        ("transfer_input_files = none\nskip_filechecks = true", None),
        ("input = none\nskip_filechecks = warn",
         'Can\'t open "{here}/none"  with flags 00 (No such file or directory)\n'),
        ("input = none\nskip_filechecks = false",
         'Can\'t open "{here}/none"  with flags 00 (No such file or directory)\n'),
        ("skip_filechecks = perhaps", "skip_filechecks=perhaps is invalid, must be 'warn' or a boolean\n"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_opened_are_refused_where_the_site_looks(
    programs: Any, lines: str, report: str | None
) -> None:
    (programs.directory / "dir").mkdir()
    if "perhaps" not in lines:
        assert programs.job(lines)
    programs.set(skip_filechecks=False)
    if report is None:
        assert programs.job(lines)
        return
    with pytest.raises(SubmitError) as caught:
        programs.job(lines)
    assert caught.value.report == "ERROR: " + report.replace("{here}", str(programs.directory))


@pytest.mark.parametrize(
    ("lines", "denied", "refused"),
    [
        ("input = good", ("good", os.R_OK), True), ("input = good", ("good", os.W_OK), False),
        ("output = good", ("good", os.W_OK), True), ("output = good", ("good", os.R_OK), False),
        ("output = new", ("", os.W_OK), True), ("input = good", ("", os.W_OK), False),
        ("output = dir", ("dir", os.W_OK), False),
    ],
)  # fmt: skip
def test_a_file_without_permission_is_refused(
    programs: Any, monkeypatch: pytest.MonkeyPatch, lines: str, denied: tuple[str, int], refused: bool
) -> None:
    (programs.directory / "dir").mkdir()
    programs.set(skip_filechecks=False)
    name, mode = str(programs.directory / denied[0]).rstrip("/"), denied[1]
    monkeypatch.setattr("os.access", lambda path, wanted: not (str(path).rstrip("/") == name and wanted & mode))
    if not refused:
        assert programs.job(lines)
        return
    with pytest.raises(SubmitError, match=r"\(Permission denied\)"):
        programs.job(lines)


@pytest.mark.parametrize(
    ("lines", "attributes"),
    [
        ("shell = echo 'a b' | cat",
         {"Cmd": '"/bin/sh"', "TransferExecutable": "false", "Arguments": "\"-c echo' '''a' 'b''' '|' 'cat\""}),
        ("shell = a\narguments = b\nexecutable = none", {"Cmd": '"/bin/sh"', "Arguments": '"-c a"', "Args": None}),
        ("container_image = docker://a\nexecutable = /bin/x\ntransfer_executable = false", {"Cmd": '"/bin/x"'}),
        ("docker_image = debian\nshell = a", {"Cmd": '"/bin/sh"', "DockerImage": '"debian"'}),
    ],
)  # fmt: skip
def test_a_line_of_a_shell_is_a_program(alice: Any, lines: str, attributes: dict[str, str | None]) -> None:
    job = alice.jobs(f"{lines}\nqueue\n")[0]
    assert {name: job.get(name) for name in attributes} == attributes


def test_a_container_needs_no_program(alice: Any) -> None:
    for lines in ("docker_image = a", "container_image = docker://a", "universe = docker\ndocker_image = a"):
        job = alice.jobs(f"{lines}\nqueue\n")[0]
        assert (job["Cmd"], job["TransferExecutable"]) == ('""', "false")
    with pytest.raises(SubmitError) as caught:
        alice.jobs("queue\n")
    assert caught.value.report == "ERROR: No 'executable' parameter was provided\n"


@pytest.mark.parametrize(
    ("lines", "variables"),
    [
        ("getenv = true", "A=1 B=x;y HOME=/home/alice"),
        ("getenv = TRUE", "A=1 B=x;y HOME=/home/alice"),
        ("getenv = 1", "A=1 B=x;y HOME=/home/alice"),
        ("getenv = false", ""),
        ("getenv = A*, HOME", "A=1 HOME=/home/alice"),
        ("getenv = !A", "B=x;y HOME=/home/alice"),
        ("getenv = *, !A", "B=x;y HOME=/home/alice"),
        ("getenv = a h*", "A=1 HOME=/home/alice"),
        ("getenv = A;HOME", "A=1 HOME=/home/alice"),
        ("getenv = true\nenvironment = \"A=2 C=3\"", "A=2 C=3 HOME=/home/alice"),
        ("getenv = true\nenvironment = A=2;C=3", "A=2 C=3 HOME=/home/alice"),
        ("getenv = true\nenvironment2 = \"A=2 C=3\"", "A=2 B=x;y C=3 HOME=/home/alice"),
        ("get_env = HOME", "HOME=/home/alice"),
    ],
)  # fmt: skip
def test_variables_of_the_submitter(alice: Any, lines: str, variables: str) -> None:
    """What the old syntax cannot hold stays out next to ``environment``, as in HTCondor; what has two lines always."""
    alice.env = {"HOME": "/home/alice", "A": "1", "B": "x;y", "LINES": "a\nb"}
    assert alice.job(lines)["Environment"] == f'"{variables}"'


def test_variables_in_the_old_syntax(alice: Any) -> None:
    alice.env = {"HOME": "/home/alice", "B": "x;y"}
    job = alice.job("getenv = true\nenv = A=2")
    assert (job["Env"], job["EnvDelim"], job.get("Environment")) == ('"A=2;HOME=/home/alice"', '";"', None)


def test_getenv_of_everything_may_be_forbidden_and_names_are_not(alice: Any) -> None:
    alice.set(allow_getenv=False)
    assert alice.job("getenv = HOME")["Environment"] == '"HOME=/home/alice"'
    assert alice.job("getenv = false")["Environment"] == '""'
    with pytest.raises(SubmitError) as caught:
        alice.job("getenv = 1")
    assert caught.value.report == (
        "\nERROR: getenv = true command not allowed because administrator has set SUBMIT_ALLOW_GETENV = false\n"
    )


@pytest.mark.parametrize(
    ("lines", "iwd"),
    [
        ("initialdir = d", "{here}/d"), ("initial_dir = d", "{here}/d"), ("Iwd = d", "{here}/d"),
        ("job_iwd = d", "{here}/d"), ("initialdir = d\ninitial_dir = e", "{here}/d"),
        ("initialdir = d//.", "{here}/d/."), ("", "{here}"), ("initialdir =", "{here}"), ("initialdir = /", "/"),
    ],
)  # fmt: skip
def test_the_directory_of_a_job(alice: Any, lines: str, iwd: str) -> None:
    (alice.directory / "d").mkdir()
    here = str(alice.directory)
    job = alice.job(f"{lines}\nlog = l\narguments = $Ffp(x)\nx = y")
    assert job["Iwd"] == f'"{iwd}"'.replace("{here}", here)
    place = f"{iwd}/".replace("{here}", here).replace("//", "/")
    assert job["UserLog"] == f'"{place}l"'
    assert job["Args"] == f'"{place}"'.replace("//", "/")


def test_a_directory_that_is_not_there_is_refused_for_each_job(alice: Any) -> None:
    (alice.directory / "d").mkdir()
    file = alice.parse("executable = /bin/true\ninitialdir = $(x)\nqueue x in (d none)\n")
    with pytest.raises(SubmitError) as caught:
        list(clusters_of(file)[0].make(1, alice.options).own)
    assert caught.value.report == (
        f"ERROR: No such directory: {alice.directory}/none\nERROR: in item 2 of the queue statement on line 3: none\n"
    )
