"""Effects that a startd requests. The daemon carries them out in the order in which they were returned. Messages to the
schedd and to starters are effects as they are. ``claim`` is the id of a claim, as in messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from condor_py.lang.classad import ClassAd
from condor_py.model.messages.claims import ClaimLost, ClaimRefused, FilesStaged
from condor_py.model.messages.runs import ContinueJob, HardKill, RunEnded, SoftKill, StartJob, StopStarter, SuspendJob


@dataclass(slots=True)
class ClaimGranted:
    """Answer to a ClaimRequest: the claim and the ad of the slot that was claimed (the dynamic slot, if one was
    cut)."""

    request_id: str
    claim: str
    slot_name: str
    slot_ad: ClassAd


@dataclass(slots=True)
class StartStarter:
    """Fork a starter for the claim; StarterReady or StarterGone must follow."""

    claim: str
    slot_name: str


@dataclass(slots=True)
class KillStarter:
    """The starter did not obey a HardKill within KILLING_TIMEOUT: kill it with all its family. StarterGone
    follows."""

    claim: str


@dataclass(slots=True)
class StartBenchmarks:
    """Run all benchmarks; BenchmarksDone must follow."""


@dataclass(slots=True)
class StartBackfill:
    """Start the backfill client of all slots, or that of one ``slot`` (BACKFILL_SYSTEM = COMMAND); BackfillStarted must
    follow."""

    slot: str = ""


@dataclass(slots=True)
class StopBackfill:
    """Kill the backfill client (of one ``slot``) and all that it started; BackfillGone must follow."""

    slot: str = ""


@dataclass(slots=True)
class Sleep:
    """Put the machine into a low power state; Woken must follow. It is to wake ``early`` seconds before the next job
    that waits for its time."""

    state: str
    early: int


@dataclass(slots=True)
class FetchWork:
    """Run the fetch hook ``program`` for a slot, whose ad it reads; WorkFetched must follow."""

    slot_name: str
    program: str


@dataclass(slots=True)
class ReplyFetch:
    """Tell the hook whether its job was taken (``claim``) or refused (``claim`` "")."""

    program: str
    accept: bool
    job_ad: ClassAd
    slot_ad: ClassAd
    claim: str


@dataclass(slots=True)
class EvictFetched:
    """Tell the hook that a fetched job is being evicted."""

    program: str
    job_ad: ClassAd
    slot_ad: ClassAd
    claim: str


@dataclass(slots=True)
class FetchedJob:
    """The ad of a fetched job, which StartJob with these numbers hands to the starter."""

    claim: str
    job: str
    run: int
    job_ad: ClassAd


@dataclass(slots=True)
class Publish:
    """Ads have changed; write them soon."""


@dataclass(slots=True)
class DrainReply:
    """Answer to Drain and CancelDrain. Error codes 10001 already draining, 10002 unknown id, 10003 check false."""

    ok: bool
    request_id: str = ""
    error_code: int = 0
    text: str = ""


@dataclass(slots=True)
class RememberDrain:
    """State of draining for the next startd, when this one ends: JSON-ready."""

    remembered: Mapping[str, Any]


@dataclass(slots=True)
class ShutdownMachine:
    """Shut the machine down because no user wants it (STARTD_NOCLAIM_SHUTDOWN): the master stops all its daemons."""


@dataclass(slots=True)
class Reread:
    """Read the configuration again."""


@dataclass(slots=True)
class Exit:
    """Nothing runs any more: leave. ``restart`` asks the master for a new startd, ``stay_away`` for none until
    condor_on."""

    restart: bool
    stay_away: bool = False


@dataclass(slots=True)
class RunOver:
    """A run has ended: its record for STARTD_HISTORY."""

    ad: ClassAd


@dataclass(slots=True)
class EpEvent:
    """A line of the startd's event log: ``where`` are the numbers of slot and dynamic slot (0 for the machine)."""

    number: int
    name: str
    where: tuple[int, int]
    attributes: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Log:
    """A line for the StartLog, without its time stamp; of a ``block`` of lines only the first one gets one."""

    text: str
    category: str = "D_ALWAYS"
    block: bool = False


Effect = (
    ClaimGranted
    | ClaimRefused
    | StartStarter
    | StartJob
    | FilesStaged
    | SoftKill
    | HardKill
    | SuspendJob
    | ContinueJob
    | StopStarter
    | KillStarter
    | ClaimLost
    | RunEnded
    | FetchWork
    | ReplyFetch
    | EvictFetched
    | FetchedJob
    | StartBenchmarks
    | StartBackfill
    | StopBackfill
    | Sleep
    | Publish
    | DrainReply
    | RememberDrain
    | Reread
    | ShutdownMachine
    | Exit
    | RunOver
    | EpEvent
    | Log
)
