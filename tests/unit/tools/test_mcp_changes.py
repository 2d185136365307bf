"""condor_mcp in the same process: what its answers say of jobs, what a change is called, and the limits of a submit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool, run

pytest.importorskip("mcp.server.mcpserver", reason="the extra mcp is not installed")

from mcp.server.mcpserver.exceptions import ToolError

from condor_py.cli import mcp
from condor_py.cli.entry import TRACEBACK
from condor_py.cli.mcp import changing, looking, server
from condor_py.cli.mcp.answers import Part
from condor_py.cli.mcp.limits import Limits, cut, left_out, text
from condor_py.client.pool import open_pool
from condor_py.model.errors import CondorError

LIMITS = Limits(50, 20_000)


def act(action: str, *jobs: str, constraint: str = "", limits: Limits = LIMITS, confirm: str = "") -> Any:
    return changing.act(open_pool(), action, looking.asked(jobs, constraint), "", confirm, limits)


def submit(description: str, confirm: str = "") -> Any:
    return changing.submit(open_pool(), description, "", confirm)


def jobs_of(spool: Spool) -> list[Any]:
    return list(looking.queue(open_pool(), looking.asked([], ""), True, 50, LIMITS).jobs)


# -- the command line


@pytest.mark.parametrize(
    ("words", "limits", "read_only"),
    [
        ("", (50, 20_000), False),
        ("-rows 1", (1, 20_000), False),
        ("-rows 1000 -bytes 1000", (1000, 1000), False),
        ("-bytes 1000000 -read-only", (50, 1_000_000), True),
    ],
)
def test_what_is_served(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: str, limits: tuple[int, int], read_only: bool
) -> None:
    served: list[tuple[Any, ...]] = []
    monkeypatch.setattr(mcp, "_server", lambda: lambda *given: served.append((*given, os.getcwd())))
    Path("there").mkdir()
    done = run("condor_mcp", "-directory", "there", *words.split())
    assert (done.out, done.code) == ("", 0)
    assert served == [(limits, read_only, os.getcwd())]
    assert Path.cwd().name == "there"


@pytest.mark.parametrize("words", ["-rows 0", "-rows 1001", "-bytes 999", "-bytes 1000001"])
def test_limits_that_are_refused(spool: Spool, words: str) -> None:
    done = run("condor_mcp", *words.split())
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith(f"condor_mcp: {words.split()[0]} takes a number from ")


def test_a_person_at_a_terminal_is_told_who_speaks(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "_server", lambda: lambda limits, read_only: None)
    for is_terminal in (True, False):
        monkeypatch.setattr("sys.stdin.isatty", lambda answer=is_terminal: answer, raising=False)
        said = "condor_mcp: waiting for an agent on standard input; ^D ends it\n" if is_terminal else ""
        assert run("condor_mcp") == ("", said, 0)


# -- hints and errors of the tools


class Tools:
    """The tools that are added, with their hints."""

    def __init__(self) -> None:
        self.tools: dict[str, Any] = {}
        self.hints: dict[str, Any] = {}
        server.add_looking(self, LIMITS)  # type: ignore[arg-type]
        server.add_changing(self, LIMITS)  # type: ignore[arg-type]

    def add_tool(self, function: Any, annotations: Any, structured_output: bool) -> None:
        self.tools[function.__name__], self.hints[function.__name__] = function, annotations


def test_which_tools_destroy_something() -> None:
    """An agent asks its user before it calls these; none of the tools reaches other machines."""
    hints = Tools().hints
    assert {name for name, hint in hints.items() if hint.destructive_hint} == {"hold", "remove"}
    changing = {"submit", "release", "prio", "edit", "hold", "remove"}
    assert {name for name, hint in hints.items() if hint.read_only_hint is False} == changing
    assert {hint.open_world_hint for hint in hints.values()} == {False}


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (CondorError("two\n  lines"), "two lines"),
        (OSError(2, "No such file", "name"), "name: No such file"),
        (OSError("odd"), "system: odd"),
        (KeyError("x"), "internal error: KeyError: 'x'"),
    ],
)
def test_errors_of_a_tool(spool: Spool, monkeypatch: pytest.MonkeyPatch, raised: Exception, said: str) -> None:
    def fails(*words: object) -> None:
        raise raised

    monkeypatch.setattr(looking, "slots", fails)
    monkeypatch.delenv(TRACEBACK, raising=False)
    with pytest.raises(ToolError) as error:
        Tools().tools["slots"]()
    assert str(error.value) == said
    monkeypatch.setenv(TRACEBACK, "1")
    with pytest.raises(KeyError if isinstance(raised, KeyError) else ToolError):
        Tools().tools["slots"]()


# -- jobs


def test_what_is_said_of_a_job(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A running job has what its slot gave it, an idle one what it asks for."""
    common = {"RequestCpus": "3", "CpusProvisioned": "4", "RequestMemory": "100", "MemoryUsage": "7"}
    slot = {"RemoteHost": '"slot1@vm"', "EnteredCurrentStatus": "1795212600"}
    for cluster, status in ((1, "1"), (2, "2"), (3, "5"), (4, "6"), (5, "7"), (6, "77")):
        spool.add(cluster, 1, None, JobStatus=status, HoldReason='"why"', **common, **slot)
    found = jobs_of(spool)
    assert [(job.id, job.state) for job in found] == [
        ("1.0", "idle"), ("2.0", "running"), ("3.0", "held"), ("4.0", "transferring_output"), ("5.0", "suspended"),
        ("6.0", "other"),
    ]  # fmt: skip
    runs = [job.id in ("2.0", "4.0", "5.0") for job in found]
    assert [job.cpus for job in found] == [4 if one else 3 for one in runs]
    assert [job.memory_mb for job in found] == [7 if one else 100 for one in runs]
    assert [job.slot for job in found] == ["slot1@vm" if one else "" for one in runs]
    assert found[2].note == "it is held: why"
    assert (found[0].command, found[0].since, found[0].submitted) == (
        "/bin/sleep 60", "2026-11-20T22:10:00", "2026-11-20T22:09:23",
    )  # fmt: skip
    spool.add(9, RequestCpus="undefined", RequestMemory="undefined")
    assert [(job.cpus, job.memory_mb) for job in jobs_of(spool) if job.id == "9.0"] == [(1, 0)]


def record(number: int, **attributes: str) -> str:
    """A record of the history."""
    items = {
        "ClusterId": str(number), "ProcId": "0", "Owner": '"ann"', "JobStatus": "4", "ExitCode": "3",
        "ExitBySignal": "false", "CompletionDate": "1795212563", "EnteredCurrentStatus": "1795212570",
        "QDate": "1795212000", "RemoteWallClockTime": "60.9", "RemoteUserCpu": "5.5", "RemoteSysCpu": "0.25",
        "MemoryUsage": "12", "RequestMemory": "128", "NumJobStarts": "2",
    } | attributes  # fmt: skip
    lines = "".join(f"{name} = {value}\n" for name, value in items.items())
    return f'{lines}*** ProcId = 0 ClusterId = {number} Owner = "ann" CompletionDate = 1795212563\n'


def test_how_jobs_ended(spool: Spool) -> None:
    (spool.path.parent / "history").write_text(
        record(1)
        + record(2, ExitBySignal="true", ExitSignal="9", ExitCode="0")
        + record(3, JobStatus="3", RemoveReason='"by ann"', CompletionDate="0")
        + record(4, JobStatus="3", ExitBySignal="true", ExitSignal="15", CompletionDate="0")
        + record(5, RemoteUserCpu="undefined", RemoteSysCpu="undefined", RemoteWallClockTime="undefined")
    )
    found = looking.history(open_pool(), looking.asked([], ""), 9, LIMITS).jobs[::-1]
    assert [(job.exit_code, job.exit_signal, job.reason) for job in found] == [
        (3, None, ""), (None, 9, ""), (None, None, "by ann"), (None, None, ""), (3, None, ""),
    ]  # fmt: skip
    assert [job.ended for job in found[1:3]] == ["2026-11-20T22:09:23", "2026-11-20T22:09:30"]
    first, last = found[0], found[-1]
    assert (first.wall_seconds, first.cpu_seconds, first.memory_mb, first.requested_memory_mb, first.starts) == (
        60, 5.75, 12, 128, 2,
    )  # fmt: skip
    assert (last.wall_seconds, last.cpu_seconds) == (0, 0.0)
    told = looking.why(open_pool(), looking.asked(["1", "2", "3", "4"], ""), LIMITS).explained
    assert [row.state for row in told] == [
        "removed at 2026-11-20T22:09:30: no reason is given",
        "removed at 2026-11-20T22:09:30: by ann",
        "ended by signal 9 at 2026-11-20T22:09:23",
        "ended with exit code 3 at 2026-11-20T22:09:23",
    ]


def test_the_output_of_a_job_that_has_left(spool: Spool) -> None:
    """It is found by the history; one that neither has is named."""
    Path("out").write_text("done\n")
    (spool.path.parent / "history").write_text(
        record(5, Owner=f'"{spool.me}"', Out='"out"', Iwd=f'"{os.getcwd()}"', Err='"err"')
    )
    found = looking.log(open_pool(), "5.0", "output", 4096, LIMITS)
    assert (found.job, found.path, found.bytes, found.text, found.left_out) == (
        "5.0", f"{os.getcwd()}/out", 5, "done\n", "",
    )  # fmt: skip
    assert looking.log(open_pool(), "5", "output", 3, LIMITS).text == "ne\n"
    assert looking.log(open_pool(), "5", "output", 4096, Limits(50, 2)).text == "e\n"
    with pytest.raises(CondorError, match=r"^cannot read .*/err: No such file or directory$"):
        looking.log(open_pool(), "5.0", "error", 4096, LIMITS)
    with pytest.raises(CondorError, match=r"^job 5\.0 writes no events: UserLog is not set$"):
        looking.log(open_pool(), "5.0", "events", 4096, LIMITS)
    with pytest.raises(CondorError, match=r"^job 6\.0 is neither in the queue nor in the history$"):
        looking.log(open_pool(), "6.0", "output", 4096, LIMITS)


@pytest.mark.parametrize(("status", "which", "is_where_it_runs"), [
    ("2", "output", True), ("6", "error", True), ("7", "output", True), ("1", "output", False), ("5", "error", False),
    ("2", "events", False),
])  # fmt: skip
def test_where_the_output_of_a_job_is(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, status: str, which: str, is_where_it_runs: bool
) -> None:
    """In its sandbox while it runs; the event log is never there."""
    for name in ("here", "there"):
        Path(name).write_text(name)

    class Place:
        """In place of the sandbox of a job."""

        class sandbox:
            account = staticmethod(lambda: None)

        def stream(self, attribute: str) -> str:
            assert attribute == {"output": "Out", "error": "Err"}[which]
            return f"{os.getcwd()}/there"

    monkeypatch.setattr(looking, "find", lambda directories, job, owner: Place())
    files = dict.fromkeys(("Out", "Err", "UserLog"), '"here"')
    spool.add(1, 1, None, JobStatus=status, Iwd=f'"{os.getcwd()}"', **files)
    found = looking.log(open_pool(), "1.0", which, 100, LIMITS)
    assert found.text == ("there" if is_where_it_runs else "here")


# -- changes


def held(spool: Spool, cluster: int, procs: int) -> None:
    """Queue jobs that their user holds."""
    spool.add(cluster, procs, HoldReasonCode="1")
    for proc in range(procs):
        spool.set(f"{cluster}.{proc}", "JobStatus", "5")


def test_the_jobs_of_a_change_are_in_order(spool: Spool) -> None:
    """However they are named; the token is the same."""
    for cluster in (1, 2, 10):
        spool.add(cluster)
    one, other = act("hold", "10.0", "2.0", "1"), act("hold", "1", "2.0", "10.0")
    assert one.jobs == other.jobs == ["1.0", "2.0", "10.0"]
    assert one.confirm == other.confirm != ""
    assert act("hold", "1.0").confirm != act("release", "1.0").confirm


def test_how_a_change_is_called(spool: Spool) -> None:
    spool.add(1)
    held(spool, 2, 2)
    dry = act("hold", "1", "2")
    assert (dry.done, dry.summary, dry.count) == (False, "would hold 1 job; 2 would stay as they are", 1)
    assert dry.refused == ["Job 2.0 already held", "Job 2.1 already held"]
    wet = act("hold", "1", "2", confirm=f" {dry.confirm} ")
    assert (wet.done, wet.summary, wet.jobs, wet.confirm) == (True, "held 1 job", ["1.0"], "")
    assert act("release", "1", "2").summary == "would release 3 jobs"
    nothing = act("hold", constraint="false")
    assert (nothing.done, nothing.summary, nothing.confirm) == (False, "no job is meant", "")
    refused = act("hold", "2")
    assert (refused.summary, refused.confirm) == ("would hold 0 jobs; 2 would stay as they are", "")
    released = act("release", "1", "2", confirm=act("release", "1", "2").confirm)
    assert released.summary == "released 3 jobs"


def test_what_is_left_out_of_a_change(spool: Spool) -> None:
    spool.add(1, procs=4)
    held(spool, 2, 22)
    found = act("hold", "1", "2", limits=Limits(3, 20_000))
    assert (found.jobs, len(found.refused)) == (["1.0", "1.1", "1.2"], 20)
    assert found.left_out == "1 more jobs and 2 more refusals"


def test_the_most_attributes_of_one_edit(spool: Spool) -> None:
    spool.add(1)
    values = {f"A{number}": "1" for number in range(51)}
    with pytest.raises(CondorError, match="give 1 to 50 attributes"):
        changing.edit(open_pool(), looking.asked(["1"], ""), values, "", LIMITS)
    del values["A50"]
    assert changing.edit(open_pool(), looking.asked(["1"], ""), values, "", LIMITS).count == 1
    missing = changing.edit(open_pool(), looking.asked(["7.0"], ""), {"A": "1"}, "", LIMITS)
    assert (missing.refused, missing.confirm) == (["Job 7.0 not found"], "")


# -- submits


def test_what_is_shown_before_a_submit(spool: Spool) -> None:
    """What matters of the first job, in the words of its ad; what would be queued, and after the token what was."""
    description = (
        "executable = /bin/echo\narguments = $(Process)\noutput = o.$(Process)\nrequest_cpus = 2\n"
        "request_memory = 64\nrequest_disk = 10\nrank = Memory\npriority = 3\nlog = l\nqueue 2\n"
    )
    dry = submit(description)
    assert (dry.done, dry.summary, dry.count, dry.clusters) == (False, "would queue 2 jobs", 2, [])
    shown = {name: dry.first_job[name] for name in ("Cmd", "Args", "Arguments", "Out") if name in dry.first_job}
    assert shown.pop("Arguments" if "Arguments" in shown else "Args") == '"0"'
    assert shown == {"Cmd": '"/bin/echo"', "Out": '"o.0"'}
    numbers = {"RequestCpus": "2", "RequestMemory": "64", "RequestDisk": "10", "JobPrio": "3", "JobUniverse": "5"}
    assert numbers.items() <= dry.first_job.items()
    assert {"Iwd", "UserLog", "Requirements", "Rank", "ShouldTransferFiles"} <= dry.first_job.keys()
    assert not {"ClusterId", "ProcId", "QDate", "Owner"} & dry.first_job.keys()
    wet = submit(description, dry.confirm)
    assert (wet.done, wet.summary, wet.clusters, wet.confirm) == (True, "queued 2 jobs in cluster 1", [1], "")
    assert submit("executable = /bin/true\nqueue\n").summary == "would queue 1 job"


def test_warnings_of_a_submit(spool: Spool) -> None:
    found = submit("executable = /bin/true\nrequest_cpu = 2\nqueue\n")
    assert [
        line for line in found.warnings if "request_cpu " in line or "'request_cpu" in line or "request_cpu=" in line
    ]
    assert any("Did you mean request_cpus?" in line for line in found.warnings)
    assert submit("executable = /bin/true\nrequest_cpus = 2\nqueue\n").warnings == []


def test_a_second_queue_statement_that_fails(spool: Spool) -> None:
    """None of the jobs is queued, nor shown as if it were."""
    with pytest.raises(CondorError):
        submit("executable = /bin/true\nqueue\nqueue x from nowhere\n")


def test_a_program_is_no_description(spool: Spool) -> None:
    Path("a.sub").write_bytes(b"executable = /bin/true\nqueue\n\0")
    with pytest.raises(CondorError, match=r"^'a\.sub' is no submit description$"):
        changing.submit(open_pool(), "", "a.sub", "")


def test_the_longest_description(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "executable = /bin/true\nqueue\n"
    Path("a.sub").write_text(said)
    monkeypatch.setattr(changing, "_LONGEST", len(said))
    assert submit(said).count == 1
    assert changing.submit(open_pool(), "", "a.sub", "").count == 1
    with pytest.raises(CondorError, match=rf"^the description has more than {len(said)} characters$"):
        submit(said + "\n")
    Path("a.sub").write_text(said + "\n")
    with pytest.raises(CondorError, match=rf"^a\.sub has more than {len(said)} characters$"):
        changing.submit(open_pool(), "", "a.sub", "")
    with pytest.raises(CondorError, match="and not both"):
        changing.submit(open_pool(), said, "a.sub", "")


# -- limits


def test_texts_that_are_cut() -> None:
    assert [text(None), text(5), text("x" * 400), text("x" * 401)] == [
        "", "5", "x" * 400, f"{'x' * 400}... (1 more characters)",
    ]  # fmt: skip
    assert text("abcdef", 4) == "abcd... (2 more characters)"
    assert text("a\udcff") == "a\ufffd"


def test_rows_that_are_cut() -> None:
    rows = [Part(used=1, total=2)] * 5
    size = len(rows[0].model_dump_json())
    assert [len(cut(rows, Limits(9, size * count))) for count in (0, 1, 2, 5, 6)] == [1, 1, 2, 5, 5]
    assert len(cut(rows, Limits(9, size * 2 - 1))) == 1
    assert [len(cut(rows, Limits(4, 9_999), wanted)) for wanted in (0, 1, 3, 4, 9)] == [1, 1, 3, 4, 4]
    assert [left_out(*pair, "x") for pair in ((2, 2), (3, 2), (1, 4))] == ["", "", "3 of 4 left out: x"]
