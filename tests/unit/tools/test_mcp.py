"""condor_mcp: a real client of the protocol, typed answers, dry runs and their tokens, limits, hostile values."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="the extra mcp is not installed")

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.server import MCPServer

from condor_py.cli.mcp import changing, looking
from condor_py.cli.mcp.limits import Limits, cut, text
from condor_py.cli.mcp.server import add_looking
from condor_py.client.pool import open_pool
from condor_py.model.errors import CondorError

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool, run

_MAIN = Path(__file__).resolve().parents[3] / "condor_py" / "__main__.py"
_LIMITS = Limits(50, 20_000)
_SLEEP = "executable = /bin/sleep\narguments = 60\nlog = jobs.log\nqueue 3\n"


def _queued(mine: bool = False) -> Any:
    return looking.queue(open_pool(), looking.asked([], "", mine), False, 50, _LIMITS)


def _act(action: str, *jobs: str, constraint: str = "", confirm: str = "", limits: Limits = _LIMITS) -> Any:
    return changing.act(open_pool(), action, looking.asked(jobs, constraint), "", confirm, limits)


# ---- with a client ------------------------------------------------------------------------------------------


async def _session() -> dict[str, Any]:
    """One conversation of a client with the server: what it got."""
    found: dict[str, Any] = {}
    server = StdioServerParameters(
        command=sys.executable, args=["-I", "-S", str(_MAIN), "condor_mcp"], env=dict(os.environ)
    )
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        found["tools"] = {tool.name: tool for tool in tools}
        for name, arguments in (
            ("submit", {"description": _SLEEP}),
            ("queue", {"each_job": True}),
            ("queue", {"rows": 0}),
            ("log", {"job": "1.0", "which": "events"}),
            ("remove", {"constraint": "true"}),
        ):
            answer = await session.call_tool(name, arguments)
            confirm = (answer.structured_content or {}).get("confirm")
            found.setdefault(name, []).append(answer)
            if confirm:
                found[name].append(await session.call_tool(name, {**arguments, "confirm": confirm}))
    return found


def test_a_client_submits_looks_and_removes(spool: Spool) -> None:
    found = asyncio.run(_session())
    assert set(found["tools"]) == {
        "submit", "queue", "job", "why", "history", "log", "hold", "release", "remove", "prio", "edit", "slots",
        "users",
    }  # fmt: skip
    assert found["tools"]["queue"].annotations.read_only_hint
    assert found["tools"]["remove"].annotations.destructive_hint
    assert found["tools"]["submit"].output_schema["properties"]["confirm"]["type"] == "string"
    dry, wet = (answer.structured_content for answer in found["submit"])
    assert (dry["done"], dry["count"], dry["clusters"]) == (False, 3, [])
    assert dry["first_job"]["Cmd"] == '"/bin/sleep"'
    assert (wet["done"], wet["clusters"], wet["confirm"]) == (True, [1], "")
    jobs, refused = found["queue"]
    assert [job["id"] for job in jobs.structured_content["jobs"]] == ["1.0", "1.1", "1.2"]
    assert json.loads(jobs.content[0].text) == jobs.structured_content
    assert refused.is_error
    assert "000 (001.000.000)" in found["log"][0].structured_content["text"]
    dry, wet = (answer.structured_content for answer in found["remove"])
    assert (dry["summary"], wet["summary"]) == ("would remove 3 jobs", "removed 3 jobs")
    assert set(spool.values("JobStatus").values()) == {"3"}


def test_read_only_has_no_tool_that_changes_something() -> None:
    server = MCPServer("test")
    add_looking(server, _LIMITS)
    tools = asyncio.run(server.list_tools())
    assert {tool.name for tool in tools} == {"queue", "job", "why", "history", "log", "slots", "users"}
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)


def test_the_command_line_is_checked(spool: Spool) -> None:
    assert run("condor_mcp", "-rows", "0").err.startswith("condor_mcp: -rows takes a number from 1 to 1000\n")
    assert run("condor_mcp", "-bytes", "7").err.startswith("condor_mcp: -bytes takes a number from 1000 to 1000000\n")
    done = run("condor_mcp", "-directory", "/no/such/place")
    assert done == ("", "condor_mcp: -directory /no/such/place: No such file or directory\n", 1)


def test_without_the_package_one_line_says_what_to_install(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "condor_py.cli.mcp.server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    done = run("condor_mcp")
    assert done.code == 1
    assert done.err.endswith("has no package mcp (2 or later): pip install 'condor_py[mcp]'\n")


# ---- dry runs and tokens ------------------------------------------------------------------------------------


@pytest.mark.promise("S56")
def test_a_token_acts_once_and_only_on_what_it_was_given_for(spool: Spool) -> None:
    spool.add(1, procs=2)
    dry = _act("hold", "1")
    assert (dry.done, dry.summary) == (False, "would hold 2 jobs")
    assert set(spool.values("JobStatus").values()) == {"1"}
    with pytest.raises(CondorError, match="belongs to something else"):
        _act("remove", "1", confirm=dry.confirm)
    spool.add(2)
    assert _act("hold", "1", confirm=dry.confirm).summary == "held 2 jobs"
    again = _act("hold", "1", confirm=dry.confirm)
    assert (again.done, again.count, again.refused[0]) == (False, 0, "Job 1.0 already held")


def test_a_token_is_void_when_other_jobs_would_be_changed(spool: Spool) -> None:
    spool.add(1)
    dry = _act("remove", constraint="true")
    spool.add(2)
    with pytest.raises(CondorError, match="has changed since"):
        _act("remove", constraint="true", confirm=dry.confirm)
    assert set(spool.values("JobStatus").values()) != {"3"}


def test_a_token_of_a_submit_queues_once(spool: Spool) -> None:
    dry = changing.submit(open_pool(), _SLEEP, "", "")
    assert changing.submit(open_pool(), _SLEEP, "", dry.confirm).clusters == [1]
    with pytest.raises(CondorError, match="has changed since"):
        changing.submit(open_pool(), _SLEEP, "", dry.confirm)
    assert len(spool.values("Cmd")) == 3


def test_a_submit_whose_items_changed_needs_another_dry_run(spool: Spool) -> None:
    Path("items").write_text("a\nb\n", encoding="utf-8")
    Path("jobs.sub").write_text("executable = /bin/echo\narguments = $(Item)\nqueue from items\n", encoding="utf-8")
    dry = changing.submit(open_pool(), "", "jobs.sub", "")
    assert dry.count == 2
    Path("items").write_text("a\nc\n", encoding="utf-8")
    with pytest.raises(CondorError, match="has changed since"):
        changing.submit(open_pool(), "", "jobs.sub", dry.confirm)


def test_a_constraint_never_means_jobs_of_others(spool: Spool) -> None:
    spool.add(1, owner="bob")
    spool.add(2)
    assert _act("remove", constraint="true").jobs == ["2.0"]
    assert _act("hold", constraint='true || Owner == "bob"').jobs == ["2.0"]
    with pytest.raises(CondorError, match="does not parse"):
        _act("hold", constraint='true) || (Owner == "bob"')


def test_attributes_change_after_a_dry_run(spool: Spool) -> None:
    spool.add(1)
    question, values = looking.asked(["1.0"], ""), {"JobPrio": "7", "RequestMemory": "2 * 1024"}
    dry = changing.edit(open_pool(), question, values, "", _LIMITS)
    assert dry.summary == "would set JobPrio = 7, RequestMemory = 2 * 1024 of 1 job"
    assert spool.values("JobPrio") == {"1.0": "0"}
    with pytest.raises(CondorError, match="belongs to something else"):
        changing.edit(open_pool(), question, {"JobPrio": "8"}, dry.confirm, _LIMITS)
    assert changing.edit(open_pool(), question, values, dry.confirm, _LIMITS).done
    assert (spool.values("JobPrio"), spool.values("RequestMemory")) == ({"1.0": "7"}, {"1.0": "2 * 1024"})


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({}, "give 1 to 50"),
        ({"JobStatus": "5"}, "hold, release and remove"),
        ({"Owner": '"root"'}, "immutable"),
        ({"RequestMemory": "2 GB"}, "illegal value"),
        ({"a b": "1"}, "invalid attribute"),
        ({"X": "1\nOwner = 2"}, "illegal value"),
        ({"ClaimId": '"x"'}, "protected"),
    ],
)
def test_an_edit_that_is_refused(spool: Spool, values: dict[str, str], why: str) -> None:
    spool.add(1)
    with pytest.raises(CondorError, match=why):
        changing.edit(open_pool(), looking.asked(["1"], ""), values, "", _LIMITS)


def test_the_attributes_of_a_job(spool: Spool) -> None:
    spool.add(1, Secret='"x"', ClaimId='"capability"', Long='"' + "y" * 50_000 + '"')
    found = looking.job(open_pool(), "1.0", [], _LIMITS)
    assert (found.where, found.attributes["Cmd"], "ClaimId" in found.attributes) == ("queue", '"/bin/sleep"', False)
    assert len(found.model_dump_json()) < 2 * _LIMITS.size
    named = looking.job(open_pool(), "1", ["secret", "NoSuch", "PROCID"], _LIMITS)
    assert named.attributes == {"Secret": '"x"', "ProcId": "0"}
    cut_off = looking.job(open_pool(), "1.0", [], Limits(50, 200))
    assert cut_off.left_out.endswith("left out: name the attributes that matter")
    with pytest.raises(CondorError, match=r"job 7\.0 is neither"):
        looking.job(open_pool(), "7.0", [], _LIMITS)


# ---- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("description", "why"),
    [
        ("executable = /bin/true\nqueue x from touch made |\n", "runs no commands"),
        ("include command : touch made\nexecutable = /bin/true\nqueue\n", "runs no commands"),
        ("executable = /no/such\nqueue\n", "No such file"),
        ("executable = /bin/true\nqueue from /dev/zero\n", "Invalid argument"),
        ("executable = /bin/true\nqueue from pipe\n", "Invalid argument"),
        ("executable = /bin/true\nx509userproxy = pipe\nqueue\n", "unable to read proxy file"),
        ("executable = /bin/true\nqueue 0 from (\n)\n", "queues no jobs"),
        ("what is this\n", "Failed to parse"),
        ("executable = /bin/\0true\nqueue\n", "zero byte"),
        ("x = \ud800\nqueue", "ecut"),
        ("", "give the text"),
    ],
)
def test_a_description_that_is_refused(spool: Spool, description: str, why: str) -> None:
    os.mkfifo("pipe")
    with pytest.raises(CondorError, match=why) as caught:
        changing.submit(open_pool(), description, "", "")
    text(caught.value).encode()
    assert not Path("made").exists()


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "link", "\0", "nosuch", "pipe", "."])
def test_a_file_outside_of_the_directory_is_not_read(spool: Spool, path: str) -> None:
    os.symlink("/etc/passwd", "link")
    os.mkfifo("pipe")
    with pytest.raises(CondorError):
        changing.submit(open_pool(), "", path, "")


def test_questions_about_nothing_are_refused_in_one_line(spool: Spool) -> None:
    for words, constraint in ((["x"], ""), (["1.2.3"], ""), (["1", "-1"], ""), (["9" * 5000], ""), ([], "((")):
        with pytest.raises(CondorError):
            looking.asked(words, constraint)
    with pytest.raises(CondorError, match="name jobs"):
        _act("remove")
    with pytest.raises(CondorError, match="not both"):
        _act("remove", "1", constraint="true")
    assert _act("remove", "7.0").refused == ["Job 7.0 not found"]


def test_files_of_others_and_files_that_are_none_are_not_read(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(1, Out='"out"', Iwd=f'"{os.getcwd()}"', Err='"/dev/null"')
    Path("out").write_bytes(b"x" * 9000 + b"\xff\x1b[2Jlast")
    found = looking.log(open_pool(), "1.0", "output", 20, _LIMITS)
    assert (found.bytes, found.text[-4:], found.left_out) == (9009, "last", "the first 8989 bytes are left out")
    found.model_dump_json()
    with pytest.raises(CondorError, match="writes no error"):
        looking.log(open_pool(), "1.0", "error", 20, _LIMITS)
    os.unlink("out")
    os.mkfifo("out")
    with pytest.raises(CondorError, match="cannot read"):
        looking.log(open_pool(), "1.0", "output", 20, _LIMITS)
    spool.add(3, Out='"/proc/self/environ"')
    assert looking.log(open_pool(), "3.0", "output", 20, _LIMITS).text == ""
    spool.add(2, owner="bob", Out='"out"')
    monkeypatch.setattr("condor_py.client.pool.Pool.is_superuser", property(lambda self: False))
    with pytest.raises(CondorError, match=r"job 2\.0 is a job of bob"):
        looking.log(open_pool(), "2.0", "output", 20, _LIMITS)


# ---- answers and their limits -------------------------------------------------------------------------------


def test_answers_are_cut_and_say_so(spool: Spool) -> None:
    for cluster in range(1, 9):
        spool.add(cluster, procs=3)
    few = Limits(2, 20_000)
    found = looking.queue(open_pool(), looking.asked([], ""), False, 50, few)
    assert found.totals == {"idle": 24}
    assert [batch.jobs for batch in found.batches] == ["8.0-2", "7.0-2"]
    assert found.left_out.startswith("6 of 8 left out: ")
    small = looking.queue(open_pool(), looking.asked([], ""), True, 50, Limits(50, 1_000))
    assert 0 < len(small.jobs) < 6
    dry = _act("remove", constraint="true", limits=few)
    assert (dry.count, dry.jobs, dry.left_out) == (24, ["1.0", "1.1"], "22 more jobs")


def test_odd_values_of_ads_make_valid_answers(spool: Spool) -> None:
    spool.add(1, Cmd='"/bin/\udcff\udc80"', JobBatchName='"' + "n" * 100_000 + '"', QDate="1e300", JobStatus="5")
    found = looking.queue(open_pool(), looking.asked([], ""), True, 50, _LIMITS)
    assert "\ufffd" in found.jobs[0].command
    assert found.jobs[0].batch.endswith("more characters)")
    assert len(found.model_dump_json()) < 3_000
    assert _queued().model_dump_json()


def test_why_of_all_jobs_has_the_largest_group_first(spool: Spool) -> None:
    spool.add(1, JobStatus="5", HoldReason='"bad input"')
    spool.add(2, procs=3)
    spool.add(3, JobStatus="2", RemoteHost='"slot1_1@lab"')
    spool.add(4, owner="ann", JobStatus="5", HoldReason='"bad input"')
    found = looking.why_all(open_pool(), False, _LIMITS).explained
    assert [(row.count, row.state, row.jobs) for row in found] == [
        (3, "idle", ["2.0", "2.1", "2.2"]), (2, "held", ["1.0", "4.0"]),
    ]  # fmt: skip
    assert "bad input" in found[1].reasons[0].text
    assert [row.count for row in looking.why_all(open_pool(), True, _LIMITS).explained] == [3, 1]
    assert looking.why_all(open_pool(), False, Limits(1, 2000)).left_out.endswith("name jobs, or give a constraint")


def test_why_joins_jobs_that_wait_for_the_same(spool: Spool) -> None:
    spool.add(1, procs=3)
    spool.add(2, JobStatus="5", HoldReason='"bad input"')
    found = looking.why(open_pool(), looking.asked(["1", "2", "9"], ""), _LIMITS).explained
    assert [(row.count, row.state) for row in found] == [
        (3, "idle"), (1, "held"), (0, "neither in the queue nor in the history"),
    ]  # fmt: skip
    assert found[0].reasons[0].text == "the pool has no slots"
    assert found[1].reasons[0].text == "it is held: bad input"


def test_the_history_is_found_by_job_and_constraint(spool: Spool) -> None:
    history = spool.path.parent / "history"
    history.write_text(
        "".join(
            f'ClusterId = {number}\nProcId = 0\nOwner = "{owner}"\nJobStatus = {status}\nExitCode = {number}\n'
            f"ExitBySignal = false\nCompletionDate = 1795212563\nQDate = 1795212000\n"
            f'*** ProcId = 0 ClusterId = {number} Owner = "{owner}" CompletionDate = 1795212563\n'
            for number, owner, status in ((1, spool.me, 4), (2, "bob", 3), (3, spool.me, 4))
        ),
        encoding="utf-8",
    )
    found = looking.history(open_pool(), looking.asked([], ""), 2, _LIMITS)
    assert [(job.id, job.state, job.exit_code) for job in found.jobs] == [
        ("3.0", "completed", 3),
        ("2.0", "removed", None),
    ]
    assert found.left_out
    mine = looking.history(open_pool(), looking.asked([], "", mine=True), 9, _LIMITS)
    assert [job.id for job in mine.jobs] == ["3.0", "1.0"]
    one = looking.history(open_pool(), looking.asked([], "ExitCode == 1"), 9, _LIMITS)
    assert ([job.id for job in one.jobs], one.records_read, one.left_out) == (["1.0"], 3, "")
    history.write_text("Cmd = ((\n*** ProcId = 0 ClusterId = 9\n" + history.read_text(encoding="utf-8"))
    damaged = looking.history(open_pool(), looking.asked([], "ExitCode == 1"), 9, _LIMITS)
    assert ([job.id for job in damaged.jobs], damaged.left_out) == (["1.0"], "records that cannot be read: 1")
    assert looking.why(open_pool(), looking.asked(["1"], ""), _LIMITS).explained[0].state.startswith("ended with exit")


def test_rows_are_cut_by_bytes_but_for_the_first() -> None:
    rows = [looking.Part(used=1, total=2)] * 3
    assert cut(rows, Limits(9, 1)) == rows[:1]
    assert cut(rows, Limits(2, 9_999), 50) == rows[:2]
