"""What condor_submit writes to stderr for bad descriptions, as recorded from HTCondor 25.14 (reference, section 1)."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from condor_py.lang.submit.errors import SubmitError

_CONFTEST = Path(__file__).parents[2] / "unit" / "submit" / "conftest.py"
_CLAUSES = (
    '(TARGET.Arch == "X86_64") && (TARGET.OpSys == "LINUX") && (versionGE(split(TARGET.CondorVersion)[1], "25.12.0")'
    " || (TARGET.Disk >= RequestDisk)) && (TARGET.Memory >= RequestMemory)"
    " && ((TARGET.FileSystemDomain == MY.FileSystemDomain) || (TARGET.HasFileTransfer))"
)


@pytest.fixture
def alice(tmp_path: Path) -> Any:
    """A submitter, as in the unit tests."""
    spec = importlib.util.spec_from_file_location("submit_conftest", _CONFTEST)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Submitter(tmp_path)


CASES = {
    "badexe": (
        "executable = /nonexistent/x\nqueue\n",
        "\nERROR: Can't access executable file /nonexistent/x: No such file or directory\n",
    ),
    "noexe": ("queue\n", "ERROR: No 'executable' parameter was provided\n"),
    "badline": (
        "executable = /bin/true\nthis is no command\nqueue\n",
        "\nERROR: on Line 2 of badline.sub: \n\nERROR: Failed to parse command file (line 2).\n",
    ),
    "badint": (
        "executable = /bin/true\npriority = abc\nqueue\n",
        "ERROR: priority=abc is invalid, must eval to an integer.\n",
    ),
    "badreq": (
        "executable = /bin/true\nrequirements = Memory >\nqueue\n",
        f"ERROR: Parse error in expression: \n\tRequirements = (Memory >) && {_CLAUSES}\n\t\n"
        "WARNING: Could not get attribute references from Requirements: (Memory >)\n",
    ),
    "badqueue": (
        "executable = /bin/true\nqueue abc\n",
        "\nERROR: on Line 2 of badqueue.sub: Invalid Queue count expression\n"
        "\nERROR: Failed to parse command file (line 2).\n",
    ),
    "badqueue2": (
        "executable = /bin/true\nqueue x from nosuchfile\n",
        "\nERROR: on Line 2 of badqueue2.sub: can't open file nosuchfile: No such file or directory\n"
        "\nERROR: Failed to parse command file (line 2).\n",
    ),
    "a": (
        "JOB A a.sub\n",
        "\nERROR: on Line 1 of a.sub: \n"
        "\nERROR: A DAG file was provided. Please provide a submit file or use condor_submit_dag.\n",
    ),
    "empty": ("executable = empty\nqueue\n", "\nERROR: Executable file empty has zero length\n"),
    "dos": (
        "executable = dos\nqueue\n",
        "\nERROR: Executable file dos is a script with CRLF (DOS/Windows) line endings.\n"
        "This generally doesn't work, and you should probably run 'dos2unix dos' -- or a similar tool -- before you "
        "resubmit.\n",
    ),
    "universe": (
        "executable = /bin/true\nuniverse = moon\nqueue\n",
        "ERROR: I don't know about the 'moon' universe.\n",
    ),
    "nodir": ("executable = /bin/true\ninitialdir = /no/dir\nqueue\n", "ERROR: No such directory: /no/dir\n"),
    "wrapped": (
        "executable = /bin/true\nshould_transfer_files = perhaps\nqueue\n",
        "\nERROR: invalid value (perhaps) for ShouldTransferFiles. Please either \n"
        "specify YES, NO, or IF_NEEDED and try again. \n",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_stderr_of_a_bad_description(alice: Any, name: str) -> None:
    text, expected = CASES[name]
    alice.write("empty", "")
    alice.write("dos", "#!/bin/sh\r\ntrue\r\n", mode=0o755)
    with pytest.raises(SubmitError) as caught:
        alice.jobs(text, name=f"{name}.sub")
    assert caught.value.report == expected


def test_queue_argument_conflicts_with_the_file(alice: Any) -> None:
    with pytest.raises(SubmitError) as caught:
        alice.parse("executable = /bin/true\nqueue 3\n", "s.sub", queue_args="queue 3")
    assert caught.value.report == (
        "\nERROR: on Line 2 of s.sub: -queue argument conflicts with queue statement in submit file\n"
        "\nERROR: Failed to parse command file (line 2).\n"
    )


def test_queue_argument_that_swallowed_the_file(alice: Any) -> None:
    with pytest.raises(SubmitError) as caught:
        alice.parse("", "<stdin>", queue_args="queue 2 s.sub")
    assert caught.value.report == (
        "\nERROR: on Line 0 of <stdin>: Invalid Queue count expression\n"
        "\nERROR: Failed to parse command file (line 0).\n"
    )


def test_a_bad_append_line_is_named(alice: Any) -> None:
    with pytest.raises(SubmitError) as caught:
        alice.parse("executable = /bin/true\nqueue\n", "s.sub", appends=["a = 1", "junk"])
    assert caught.value.report.endswith("\nERROR: Failed to parse command file (line 2).\n")
