"""The typed answers of the tools of condor_mcp."""

from __future__ import annotations

from pydantic import BaseModel, Field

_MOMENT = "local time, as 2026-01-31T12:00:00"
_LEFT_OUT = 'what is missing here, and how to see it; "" when nothing is'


class Batch(BaseModel):
    """Jobs that were submitted together."""

    jobs: str = Field(description="the ids of its jobs: 12.0, 12.0-9 or 12.0 ... 14.3")
    owner: str
    name: str
    submitted: str = Field(description=_MOMENT)
    done: int
    running: int
    idle: int
    held: int
    total: int = Field(description="jobs that were submitted; 0 when that is not known")


class Job(BaseModel):
    """One job of the queue."""

    id: str = Field(description="CLUSTER.PROC")
    owner: str
    batch: str
    state: str = Field(description="idle, running, held, completed, removed, suspended or transferring_output")
    since: str = Field(description=f"when it entered the state; {_MOMENT}")
    submitted: str = Field(description=_MOMENT)
    command: str
    cpus: int
    memory_mb: int = Field(description="used, or requested as long as it does not run")
    slot: str = Field(description='the slot that runs it, or ""')
    note: str = Field(description="why it is held or does not start, in a few words")


class JobAd(BaseModel):
    """The attributes of one job."""

    id: str
    where: str = Field(description="queue or history")
    attributes: dict[str, str] = Field(description="expressions by name, as texts in ClassAd syntax")
    left_out: str = Field(description=_LEFT_OUT)


class Queue(BaseModel):
    """The queue, or the part of it that was asked for."""

    totals: dict[str, int] = Field(description="the number of all jobs that match, by state")
    batches: list[Batch] = Field(description="empty when single jobs were asked for")
    jobs: list[Job] = Field(description="empty unless single jobs were asked for")
    left_out: str = Field(description=_LEFT_OUT)


class Reason(BaseModel):
    """One reason why jobs do not run."""

    text: str
    help: str = Field(description='what would change it, or ""')
    final: bool = Field(description="nothing but a change of the job or of the pool will let it run")


class Explained(BaseModel):
    """Jobs of which the same is true."""

    jobs: list[str]
    count: int
    state: str
    reasons: list[Reason] = Field(description="the one that decides comes first; none for jobs that run or soon will")


class Why(BaseModel):
    """Why jobs wait, are held, or left."""

    explained: list[Explained]
    left_out: str = Field(description=_LEFT_OUT)


class Past(BaseModel):
    """A job that has left the queue."""

    id: str
    owner: str
    batch: str
    state: str = Field(description="completed or removed")
    command: str
    submitted: str = Field(description=_MOMENT)
    ended: str = Field(description=_MOMENT)
    exit_code: int | None = Field(description="null when it did not exit")
    exit_signal: int | None = Field(description="null when no signal ended it")
    wall_seconds: int = Field(description="of all its runs")
    cpu_seconds: float
    memory_mb: int = Field(description="the most that it used")
    requested_memory_mb: int
    starts: int
    reason: str = Field(description='why it was removed, or ""')


class History(BaseModel):
    """Jobs that have left the queue, the newest first."""

    jobs: list[Past]
    records_read: int
    left_out: str = Field(description=_LEFT_OUT)


class Log(BaseModel):
    """The end of a file that a job writes."""

    job: str
    path: str
    bytes: int = Field(description="the size of the whole file")
    text: str
    left_out: str = Field(description=_LEFT_OUT)


class Slot(BaseModel):
    """A slot; a partitionable one has what is left of it."""

    name: str
    state: str
    activity: str
    cpus: float
    memory_mb: int
    gpus: int
    load: float
    user: str
    job: str
    seconds: int = Field(description="for how long it has done what it does")


class Part(BaseModel):
    """A resource of the machine, and the part of it that jobs hold."""

    used: float
    total: float


class Slots(BaseModel):
    """The slots of the pool."""

    cpus: Part
    memory_mb: Part
    gpus: Part
    slots: list[Slot]
    problem: str = Field(description='what keeps the pool from running jobs, or ""')
    left_out: str = Field(description=_LEFT_OUT)


class User(BaseModel):
    """A user with jobs or slots."""

    name: str
    priority: float | None = Field(description="effective user priority: lower is better")
    weighted_slots: float
    share: float | None = Field(description="part of the pool that the user has now, from 0 to 1")
    entitled: float | None = Field(description="part of the pool that the user would get, from 0 to 1")
    running: int
    idle: int
    held: int


class Users(BaseModel):
    """The users of the pool."""

    me: str
    users: list[User]
    left_out: str = Field(description=_LEFT_OUT)


class Change(BaseModel):
    """An action on jobs, done or only planned."""

    done: bool = Field(description="false: nothing was changed")
    summary: str
    count: int = Field(description="the number of jobs that it changed, or would change")
    jobs: list[str] = Field(description="the first of them")
    refused: list[str] = Field(description="jobs that it leaves as they are, with the reasons")
    confirm: str = Field(description='call the tool again with this to do it; "" when it is done, or cannot be')
    left_out: str = Field(description=_LEFT_OUT)


class Submitted(BaseModel):
    """A submit, done or only planned."""

    done: bool = Field(description="false: nothing was queued")
    summary: str
    count: int = Field(description="the number of jobs")
    clusters: list[int] = Field(description="numbers of the clusters that were queued")
    first_job: dict[str, str] = Field(description="the attributes of the first job that matter most, as expressions")
    warnings: list[str]
    never_runs: list[str] = Field(description="why nothing in this pool would ever run the first job")
    confirm: str = Field(description='call the tool again with this to queue them; "" when it is done')
