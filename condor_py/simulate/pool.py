"""The parts of a simulated pool: the settings of its four daemons, and the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from condor_py.lang.classad import quote_string
from condor_py.model.facts import MachineFacts, OsFacts
from condor_py.model.settings.negotiator import AccountantSettings, NegotiatorSettings
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.settings.startd import StartdSettings
from condor_py.model.settings.submit import SubmitSettings
from condor_py.model.states import Universe
from condor_py.simulate.durations import Duration

#: 2026-01-01 00:00 UTC: when simulations begin by default.
START = 1_767_225_600
DOMAIN = "example.net"
ADDRESS = "<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=vm&noUDP&sock=condor_py>"

_REQUIREMENTS = (
    '(TARGET.Arch == "X86_64") && (TARGET.OpSys == "LINUX") && (TARGET.Disk >= RequestDisk) && '
    "(TARGET.Memory >= RequestMemory) && (TARGET.Cpus >= RequestCpus)"
)


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """The settings of the daemons. ``cycle_pause`` is the least time between two negotiation cycles that news cause,
    ``interval`` the time after which there is one without news; both in seconds."""

    startd: StartdSettings = field(default_factory=lambda: StartdSettings(startd_name="vm", uid_domain=DOMAIN))
    #: Nothing is transferred in a simulation: no files are staged.
    schedd: ScheddSettings = field(
        default_factory=lambda: ScheddSettings(uid_domain=DOMAIN, schedd_address=ADDRESS, forbid_common_files=True)
    )
    negotiator: NegotiatorSettings = field(default_factory=NegotiatorSettings)
    accountant: AccountantSettings = field(default_factory=AccountantSettings)
    interval: float = 60.0
    cycle_pause: float = 1.0
    #: Tries of a job whose memory is found from the history.
    auto_retries: int = SubmitSettings().auto_retries


def machine(cpus: int = 8, memory: int = 0) -> MachineFacts:
    """Return a machine with so many megabytes of memory, or 2 GB a core, and 1 TB of disk."""
    system = OsFacts(opsys="LINUX", name="Debian", short_name="Debian", major_ver=12, opsys_ver=1200)
    return MachineFacts("vm", cpus, memory or cpus * 2048, 1_000_000_000, os=system)


@dataclass(slots=True)
class Submission:
    """One cluster of like jobs.

    ``user`` without domain; ``group`` is an accounting group. ``memory`` MB, ``disk`` KB. ``attributes`` are more
    attributes of the cluster ad, name to expression text. ``stop_seconds``: how long a job continues at most after its
    kill signal; infinity for one that ignores it. ``uses`` is the memory (MB) that a job really needs, and ends for
    want of; None where that does not matter. Jobs of one ``program`` are like each other. ``cluster`` is 0 until the
    jobs are queued.
    """

    user: str
    jobs: int
    duration: Duration
    group: str = ""
    nice: bool = False
    cpus: int = 1
    memory: int = 128
    disk: int = 1024
    prio: int = 0
    attributes: Mapping[str, str] = field(default_factory=dict)
    stop_seconds: float = 0.0
    uses: Duration | None = None
    program: str = "/bin/job"
    cluster: int = 0

    @property
    def nodes(self) -> int:
        """Number of slots that each job gets: more than one for parallel jobs."""
        return int(self.attributes.get("MaxHosts", "1"))

    @property
    def submitter(self) -> str:
        """Whom the jobs are charged to, without domain."""
        group = self.group or ("nice-user" if self.nice else "")
        return f"{group}.{self.user}" if group else self.user

    def cluster_items(self, cluster: int, now: int) -> dict[str, str]:
        """The cluster ad, as condor_submit would write what matters of it."""
        items = {
            "ClusterId": str(cluster),
            "Owner": quote_string(self.user),
            "User": quote_string(f"{self.user}@{DOMAIN}"),
            "MyType": '"Job"',
            "JobUniverse": str(int(Universe.VANILLA)),
            "QDate": str(now),
            "JobPrio": str(self.prio),
            "RequestCpus": str(self.cpus),
            "RequestMemory": str(self.memory),
            "RequestDisk": str(self.disk),
            "Cmd": quote_string(self.program),
            "Requirements": _REQUIREMENTS,
            "Rank": "0.0",
            "OnExitHold": "false",
            "OnExitRemove": "true",
            "NiceUser": "true" if self.nice else "false",
        }
        if self.submitter != self.user:
            items["AccountingGroup"] = quote_string(self.submitter)
            items["AcctGroup"] = quote_string(self.submitter.rpartition(".")[0])
            items["AcctGroupUser"] = quote_string(self.user)
        return {**items, **self.attributes}
