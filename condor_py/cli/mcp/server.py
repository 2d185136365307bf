"""The server of condor_mcp: its tools as an agent sees them."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from typing import Annotated, Literal, ParamSpec, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from condor_py.cli.entry import TRACEBACK
from condor_py.cli.mcp import changing, looking
from condor_py.cli.mcp.answers import Change, History, JobAd, Log, Queue, Slots, Submitted, Users, Why
from condor_py.cli.mcp.limits import Limits, text
from condor_py.cli.mcp.looking import asked
from condor_py.client.pool import open_pool
from condor_py.model.errors import CondorError
from condor_py.model.version import HTCONDOR_VERSION

_INSTRUCTIONS = """The tools of a pool of condor_py, HTCondor for one machine: jobs are queued with a submit \
description, get slots by the priorities of their users, and leave for the history. Job ids are CLUSTER.PROC; \
constraints are ClassAd expressions about the attributes of jobs, such as JobStatus == 5 (held) or \
JobBatchName == "night". Tools act with the rights of the account that runs this server. Tools that change something \
only say at first what they would do: show that to the person whom you work for, then call again with the same \
arguments and the token in confirm. Answers are cut: left_out says what is missing."""

_Jobs = Annotated[list[str], Field(description='job ids: "12" for all jobs of cluster 12, "12.3" for one of them')]
_Constraint = Annotated[str, Field(description="a ClassAd expression that must be true of the jobs")]
_Own = Annotated[str, Field(description="a ClassAd expression; chooses among the jobs of the caller only")]
_Mine = Annotated[bool, Field(description="only jobs of the caller")]
_Rows = Annotated[int, Field(ge=1, description="rows of the table, at most; the server has a limit of its own")]
_Reason = Annotated[str, Field(max_length=500, description="is recorded in the jobs and their event logs")]
_Confirm = Annotated[
    str, Field(max_length=100, description='"" for a dry run, or the token that the dry run returned to act')
]
_ManyJobs = Annotated[_Jobs, Field(max_length=10_000)]

P = ParamSpec("P")
Answer = TypeVar("Answer")


def serve(limits: Limits, read_only: bool) -> None:
    """Answer requests on standard input until it ends."""
    server = MCPServer(
        "condor_py", title="condor_py", instructions=_INSTRUCTIONS, version=HTCONDOR_VERSION, log_level="WARNING"
    )
    add_looking(server, limits)
    if not read_only:
        add_changing(server, limits)
    server.run("stdio")


#: Tools run in threads; what they use is made for one.
_turn = threading.Lock()


def _tool(function: Callable[P, Answer]) -> Callable[P, Answer]:
    """Return a tool that answers one call at a time and words its errors in one line."""

    @functools.wraps(function)
    def answer(*args: P.args, **kwargs: P.kwargs) -> Answer:
        with _turn:
            try:
                return function(*args, **kwargs)
            except CondorError as error:
                raise ToolError(text(" ".join(str(error).split()), 2_000)) from None
            except OSError as error:
                raise ToolError(text(f"{error.filename or 'system'}: {error.strerror or error}")) from None
            except Exception as error:
                if os.environ.get(TRACEBACK):
                    raise
                raise ToolError(text(f"internal error: {type(error).__name__}: {error}")) from None

    return answer


def add_looking(server: MCPServer, limits: Limits) -> None:
    """Add the tools that change nothing."""

    @_tool
    def queue(
        jobs: _ManyJobs = [],  # noqa: B006  (never changed)
        constraint: _Constraint = "",
        mine: _Mine = False,
        each_job: Annotated[bool, Field(description="a row for each job in place of each batch")] = False,
        rows: _Rows = 50,
    ) -> Queue:
        """Show the jobs in the queue: batches with counts by state, or single jobs with what they wait for."""
        return looking.queue(open_pool(), asked(jobs, constraint, mine), each_job, rows, limits)

    @_tool
    def job(
        job: Annotated[str, Field(description="CLUSTER.PROC")],
        attributes: Annotated[list[str], Field(max_length=200, description="names of attributes; all when empty")] = [],  # noqa: B006
    ) -> JobAd:
        """Show the attributes of one job, in the queue or in the history."""
        return looking.job(open_pool(), job, attributes, limits)

    @_tool
    def why(jobs: _ManyJobs = [], constraint: _Constraint = "", mine: _Mine = False) -> Why:  # noqa: B006
        """Explain why jobs do not run, who holds what they wait for, what would help, and how jobs that left ended.
        Without jobs and constraint: what all jobs wait for or are held for, those with the same reasons together."""
        if not jobs and not constraint.strip():
            return looking.why_all(open_pool(), mine, limits)
        return looking.why(open_pool(), asked(jobs, constraint, mine), limits)

    @_tool
    def history(
        jobs: _ManyJobs = [],  # noqa: B006
        constraint: _Constraint = "",
        mine: _Mine = False,
        rows: _Rows = 20,
    ) -> History:
        """Show jobs that have left the queue, the newest first: exit code, times, memory, reason of a removal."""
        return looking.history(open_pool(), asked(jobs, constraint, mine), rows, limits)

    @_tool
    def log(
        job: Annotated[str, Field(description="CLUSTER.PROC")],
        which: Annotated[
            Literal["output", "error", "events"],
            Field(description="standard output, standard error, or the event log"),
        ] = "output",
        max_bytes: Annotated[int, Field(ge=1, description="bytes from the end of the file, at most")] = 4096,
    ) -> Log:
        """Show the end of what a job writes, while it runs or afterwards."""
        return looking.log(open_pool(), job, which, max_bytes, limits)

    @_tool
    def slots() -> Slots:
        """Show the slots, who uses them, and how much of the machine is in use."""
        return looking.slots(open_pool(), limits)

    @_tool
    def users() -> Users:
        """Show the users with jobs or slots: priority, share of the pool now, share that each is entitled to."""
        return looking.users(open_pool(), limits)

    annotations = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    for function in (queue, job, why, history, log, slots, users):
        server.add_tool(function, annotations=annotations, structured_output=True)


def add_changing(server: MCPServer, limits: Limits) -> None:
    """Add the tools that change something: a dry run unless ``confirm`` has its token."""

    @_tool
    def submit(
        description: Annotated[
            str, Field(description="the text of a submit description, with its queue statement")
        ] = "",
        file: Annotated[str, Field(description="or a file with it, below the working directory")] = "",
        confirm: _Confirm = "",
    ) -> Submitted:
        """Queue jobs. Without confirm nothing is queued: the answer says what would be, what is odd about it, and
        whether the pool could ever run it."""
        return changing.submit(open_pool(), description, file, confirm)

    @_tool
    def hold(jobs: _ManyJobs = [], constraint: _Own = "", reason: _Reason = "", confirm: _Confirm = "") -> Change:  # noqa: B006
        """Put jobs on hold; running ones stop. Without confirm the answer says which these would be."""
        return changing.act(open_pool(), "hold", asked(jobs, constraint), reason, confirm, limits)

    @_tool
    def release(jobs: _ManyJobs = [], constraint: _Own = "", reason: _Reason = "", confirm: _Confirm = "") -> Change:  # noqa: B006
        """Release held jobs. Without confirm the answer says which these would be."""
        return changing.act(open_pool(), "release", asked(jobs, constraint), reason, confirm, limits)

    @_tool
    def remove(jobs: _ManyJobs = [], constraint: _Own = "", reason: _Reason = "", confirm: _Confirm = "") -> Change:  # noqa: B006
        """Remove jobs from the queue; running ones stop, and their work is lost. Without confirm the answer says how
        many and which these would be."""
        return changing.act(open_pool(), "remove", asked(jobs, constraint), reason, confirm, limits)

    @_tool
    def prio(
        priority: Annotated[int, Field(ge=-(2**31), lt=2**31, description="larger goes first; 0 by default")],
        jobs: _ManyJobs = [],  # noqa: B006
        constraint: _Own = "",
        confirm: _Confirm = "",
    ) -> Change:
        """Order jobs among the other jobs of their user. Without confirm the answer says which these would be."""
        return changing.edit(open_pool(), asked(jobs, constraint), {"JobPrio": str(priority)}, confirm, limits)

    @_tool
    def edit(
        attributes: Annotated[
            dict[str, str], Field(description='ClassAd expressions by attribute: {"RequestMemory": "2048"} (MB)')
        ],
        jobs: _ManyJobs = [],  # noqa: B006
        constraint: _Own = "",
        confirm: _Confirm = "",
    ) -> Change:
        """Set attributes of queued jobs, such as what they request. Without confirm the answer says of which jobs."""
        return changing.edit(open_pool(), asked(jobs, constraint), attributes, confirm, limits)

    mild = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
    harsh = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)
    for function in (submit, release, prio, edit):
        server.add_tool(function, annotations=mild, structured_output=True)
    for function in (hold, remove):
        server.add_tool(function, annotations=harsh, structured_output=True)
