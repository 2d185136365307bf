"""Sessions with condor_submit as recorded from HTCondor 25.14: stdout, stderr and exit code."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.cli import entry

Run = Callable[..., tuple[int, str, str]]

S_SUB = "executable = /bin/sleep\narguments = 200\noutput = s.$(Process).out\nerror = s.$(Process).err\nqueue 3\n"
MONITOR = "To monitor your job(s), run: condor_watch_q -clusters {}\n"
_HELP = "https://htcondor.readthedocs.io/en/latest/auto-redirect.html"
SEVERAL = (
    "\nWarning: Use of multiple queue statements in a single submit file is deprecated.\n"
    "         This functionality will be removed in the 25.x feature series. To see\n"
    "         how multiple queue statements can be converted into one visit:\n"
    f"{_HELP}?category=example&tag=convert-multi-queue-statements\n"
)


@pytest.fixture
def submit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs condor_submit in a directory with a pool of its own: (exit code, stdout, stderr)."""
    config = tmp_path / "condor_config"
    config.write_text(
        f"LOCAL_DIR = {tmp_path}/pool\nSPOOL = $(LOCAL_DIR)/spool\nLOG = $(LOCAL_DIR)/log\n"
        "DAEMON_SOCKET_DIR = $(LOCAL_DIR)/sockets\nUID_DOMAIN = example.net\n"
    )
    monkeypatch.setenv("CONDOR_CONFIG", str(config))
    monkeypatch.chdir(tmp_path)

    def run(*argv: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        code = entry.main("condor_submit", list(argv))
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    (tmp_path / "s.sub").write_text(S_SUB)
    return run


def test_submit(submit: Run) -> None:
    assert submit("s.sub") == (0, "Submitting job(s)...\n3 job(s) submitted to cluster 1.\n", MONITOR.format(1))
    assert submit("-terse", "s.sub") == (0, "2.0 - 2.2\n", "")
    assert submit("-terse", "s.sub", "hold=true", "foo=bar") == (
        0,
        "3.0 - 3.2\n",
        "WARNING: the line 'foo = bar' was unused by condor_submit. Is it a typo?\n",
    )


def test_several_queue_statements(submit: Run) -> None:
    Path("mq.sub").write_text("executable = /bin/sleep\narguments = 1\nqueue 2\narguments = 2\nqueue\n")
    assert submit("mq.sub") == (
        0,
        "Submitting job(s)...\n3 job(s) submitted to cluster 1.\n",
        SEVERAL + MONITOR.format(1),
    )


def test_two_clusters(submit: Run) -> None:
    Path("two.sub").write_text("executable = /bin/sleep\nqueue 2\nuniverse = local\nexecutable = /bin/true\nqueue\n")
    code, out, err = submit("two.sub")
    assert (code, out) == (
        0,
        "Submitting job(s)...\n2 job(s) submitted to cluster 1.\n1 job(s) submitted to cluster 2.\n",
    )
    assert err == SEVERAL + MONITOR.format("1 2")
    assert submit("-single-cluster", "two.sub")[0] == 1


def test_unused_lines_are_named_newest_first(submit: Run) -> None:
    Path("u.sub").write_text("executable = /bin/sleep\nmy_unused = 1\nreqest_memory = 10\nqueue\n")
    assert submit("u.sub")[2] == (
        MONITOR.format(1)
        + "WARNING: the line 'reqest_memory = 10' was unused by condor_submit. Is it a typo?\n"
        + "WARNING: the line 'my_unused = 1' was unused by condor_submit. Is it a typo?\n"
    )
    assert submit("-unused", "u.sub")[2] == MONITOR.format(2)


@pytest.mark.parametrize(
    ("argv", "out", "err"),
    [
        (("nosuch.sub",), "", "\nERROR: Failed to open command file (nosuch.sub) (No such file or directory)\n"),
        (("-maxjobs", "x", "s.sub"), "", "Error: Unable to convert argument (x) to a number for -maxjobs.\n"),
        (
            ("-maxjobs", "2", "s.sub"),
            "Submitting job(s)..",
            "\nERROR: Number of submitted jobs would exceed -maxjobs (2)\n",
        ),
        (("-name", "nosuch", "s.sub"), "", "condor_submit: unknown host nosuch\n"),
        (
            ("s.sub", "-queue", "3"),
            "Submitting job(s)",
            "\nERROR: on Line 5 of s.sub: -queue argument conflicts with queue statement in submit file\n"
            "\nERROR: Failed to parse command file (line 5).\n",
        ),
        (
            ("-queue", "2", "s.sub"),
            "Submitting job(s)",
            "\nERROR: on Line 0 of <stdin>: Invalid Queue count expression\n"
            "\nERROR: Failed to parse command file (line 0).\n",
        ),
        (("-dump",), "", "condor_submit: -dump requires another argument\n"),
        (
            ("-dry-run", "a", "-dump", "b", "s.sub"),
            "",
            "condor_submit: -dump <file> and -dry-run <file> cannot be used together\n",
        ),
        (("s.sub", "a b=1"), "", "condor_submit: invalid attribute name 'a b' for attrib=value assigment\n"),
        (("s.sub", "-dry-run:wrong", "-"), "", "unknown option wrong for -dry-run:<opts>\n"),
    ],
)
def test_failures(submit: Run, argv: tuple[str, ...], out: str, err: str) -> None:
    assert submit(*argv) == (1, out, err)


def test_an_unknown_option_shows_the_usage(submit: Run) -> None:
    code, out, err = submit("-bogus")
    assert (code, out) == (1, "")
    assert err.startswith("Usage: condor_submit ")


def test_a_failed_submit_leaves_nothing_in_the_queue(submit: Run) -> None:
    Path("bad.sub").write_text("executable = /bin/sleep\nqueue priority in (1 2 x)\n")
    code, out, err = submit("bad.sub")
    assert (code, out) == (1, "Submitting job(s)..")
    assert err == (
        "ERROR: priority=x is invalid, must eval to an integer.\nERROR: in item 3 of the queue statement on line 2: x\n"
    )
    log = Path("pool/spool/job_queue.log")
    assert "Cmd" not in (log.read_text() if log.exists() else "")


def test_empty_queue_statements(submit: Run) -> None:
    Path("emptyin.sub").write_text("executable = /bin/sleep\nqueue x in ()\n")
    assert submit("emptyin.sub") == (
        0,
        "Submitting job(s)\n",
        '\nWARNING: "emptyin.sub" has only empty "queue" commands -- no jobs queued\n',
    )


def test_queue_on_the_command_line(submit: Run) -> None:
    Path("noq.sub").write_text("executable = /bin/true\n")
    assert submit("-terse", "noq.sub", "-queue", "2")[1] == "1.0 - 1.1\n"
    assert submit("-terse", "executable=/bin/true", "-queue", "x", "in", "(a,b,c)")[1] == "2.0 - 2.2\n"
    assert submit("-terse", "noq.sub", "-append", "queue 4")[1] == "3.0 - 3.3\n"


def test_standard_input(submit: Run) -> None:
    assert submit("-terse", "-", stdin=S_SUB)[:2] == (0, "1.0 - 1.2\n")
    assert submit(stdin=S_SUB)[1] == "Submitting job(s)...\n3 job(s) submitted to cluster 2.\n"
    assert submit("-", stdin=S_SUB)[1].startswith("\n** Proc 3.0:\nArgs = ")


def test_verbose_shows_the_whole_ads_sorted(submit: Run) -> None:
    Path("noq.sub").write_text("executable = /bin/true\n")
    code, out, _ = submit("-verbose", "noq.sub")
    lines = out.splitlines()
    assert (code, lines[:5]) == (
        0,
        ["Submitting job(s)", "** Proc 1.0:", 'Arguments = ""', "ClusterId = 1", 'Cmd = "/bin/true"'],
    )
    names = [line.split(" = ")[0].lower() for line in lines if " = " in line]
    assert names == sorted(names)


def test_dry_run_to_standard_output(submit: Run) -> None:
    code, out, err = submit("-dry-run", "-", "s.sub")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[:5] == ["Dry-Run job(s)", "ClusterId=1", 'In="/dev/null"', 'Cmd="/bin/sleep"', 'Err="s.0.err"']
    tail = ["CumulativeSuspensionTime=0", "ProcId=0", "JobStatus=1", "."]
    for proc in (1, 2):
        tail += [f"ProcId={proc}", "JobStatus=1", f'Err="s.{proc}.err"', f'Out="s.{proc}.out"', "."]
    assert lines[lines.index("CumulativeSuspensionTime=0") :] == [*tail, "3 job(s) dry-run to cluster 1."]
    assert not Path("pool/spool/job_queue.log").exists()


def test_dry_run_and_dump_to_a_file(submit: Run) -> None:
    assert submit("-dry-run", "x.out", "s.sub") == (0, "Dry-Run job(s)...\n3 job(s) dry-run to cluster 1.\n", "")
    assert Path("x.out").read_text().startswith('\nClusterId=1\nIn="/dev/null"\n')
    assert submit("-terse", "-dry-run:cluster=9", "x.out", "s.sub") == (0, "9.0 - 9.2\n", "")
    assert submit("-dump", "dump.out", "s.sub") == (
        0,
        "Storing job ClassAd(s)...\n3 job(s) submitted to cluster 1.\n",
        MONITOR.format(1),
    )
    assert Path("dump.out").read_text().count("ProcId=") == 3


def test_dry_run_full_writes_whole_ads(submit: Run) -> None:
    submit("-dry-run:full", "full.out", "s.sub")
    ads = Path("full.out").read_text().split("\n\n")
    assert [line for line in ads[1].splitlines() if line.startswith(("ClusterId", "ProcId", "Out"))] == [
        "ClusterId = 1",
        'Out = "s.1.out"',
        "ProcId = 1",
    ]


def test_an_output_file_needs_a_submit_file(submit: Run) -> None:
    code, _, err = submit("-dry-run", "x.sub")
    assert code == 1
    assert err.startswith("\nERROR: No submit filename was provided, and 'x.sub'\n")


def test_limits_of_the_queue(submit: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_MAX_JOBS_PER_SUBMISSION", "2")
    assert submit("s.sub") == (
        1,
        "Submitting job(s)..",
        "\nERROR: Failed to create proc\nNumber of submitted jobs would exceed MAX_JOBS_PER_SUBMISSION\n",
    )


def test_capabilities(submit: Run) -> None:
    code, out, _ = submit("-capabilities")
    assert code == 0
    assert out.splitlines()[0].startswith("Schedd ")
    assert out.splitlines()[1] == " Has Late Materialization enabled"


def test_crlf_script(submit: Run) -> None:
    Path("dos.sh").write_bytes(b"#!/bin/sh\r\ntrue\r\n")
    Path("dos.sub").write_text("executable = dos.sh\nqueue\n")
    assert submit("dos.sub")[0] == 1
    code, out, err = submit("-allow-crlf-script", "dos.sub")
    assert (code, out) == (0, "Submitting job(s).\n1 job(s) submitted to cluster 1.\n")
    assert "is a script with CRLF (DOS/Windows) line endings." in err
