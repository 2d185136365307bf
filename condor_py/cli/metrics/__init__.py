"""condor_metrics: the figures of the pool for monitoring systems, in the OpenMetrics format."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import signal
import socket
import socketserver
import stat
import sys
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

from condor_py.cli.common import HELP, VERSION, handle_help_and_version, refuse_words
from condor_py.cli.metrics.families import Family
from condor_py.cli.options import Opt, ToolSpec, UsageError, parse
from condor_py.cli.signals import interrupted_by
from condor_py.client.lockfile import lock_holder
from condor_py.model.errors import CondorError
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd


_SPEC = ToolSpec(
    name="condor_metrics",
    usage="[-file FILE | -listen ADDRESS] [-prometheus]",
    summary="Figures of the pool for monitoring systems, in the OpenMetrics format.",
    description=(
        "Jobs by owner and state, slots by state and activity, free parts of the machine, starts and evictions, the "
        "last negotiation cycle, priorities, shares and limits of submitters, how long it takes to force the queue to "
        "disk, memory of daemons, and room on disks. No daemon has to run: figures that none publishes are left "
        "out."
    ),
    options=(
        Opt("file", 1, "FILE", "write into FILE, which is never seen half written (for cron and the textfile directory "
            "of a node exporter)", takes="file"),
        Opt("listen", 1, "ADDRESS", "answer HTTP requests for /metrics on unix:/PATH, PORT or LOOPBACK-ADDRESS:PORT"),
        Opt("prometheus", 1, help="the older text format of Prometheus (a request names its format itself)"),
        VERSION,
        HELP,
    ),
    examples=(
        ("condor_metrics", "print them"),
        ("condor_metrics -prometheus -file /var/lib/prometheus/node-exporter/condor.prom", "from cron, every minute"),
        ("condor_metrics -listen 9618", "for a Prometheus on this machine"),
    ),
    exit_status="0, 1 when the pool cannot be read or the file not written.",
    see_also=("condor_status", "condor_q", "condor_userprio"),
)  # fmt: skip
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_metrics."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    refuse_words(args)
    path, address = args.text("file"), args.text("listen")
    if path is not None and address is not None:
        raise UsageError("Error: -file and -listen cannot be used together", _SPEC)
    if address is not None:
        return serve(address, _text)
    shown = _text(not args.has("prometheus"))
    if path is None:
        sys.stdout.write(shown)
    else:
        from condor_py.cli.output.files import replace

        replace("condor_metrics", path, shown)
    return 0


def _text(openmetrics: bool) -> str:
    """The figures as they are now."""
    from condor_py.cli.metrics.families import text
    from condor_py.client.pool import open_pool

    return text(families(open_pool()), openmetrics=openmetrics)


_DAEMONS = ("MASTER", "SCHEDD", "STARTD", "NEGOTIATOR")
_STATES = {
    str(int(status)): status.name.lower()
    for status in (
        JobStatus.IDLE, JobStatus.RUNNING, JobStatus.REMOVED, JobStatus.COMPLETED, JobStatus.HELD,
        JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED,
    )
}  # fmt: skip
_CYCLE = "LastNegotiationCycle"


def families(pool: Pool) -> Iterator[Family]:
    """All families; those of which nothing is known have no samples."""
    yield from _daemons(pool)
    yield _jobs(pool)
    yield from _schedd(next(iter(pool.ads("SCHEDD")), None))
    yield from _slots(pool.ads("STARTD"))
    yield from _negotiator(next(iter(pool.ads("NEGOTIATOR")), None))
    yield from _submitters(pool.ads("ACCOUNTING"))
    yield from _disks(pool)


def _number(ad: ClassAd | None, name: str) -> float | None:
    return None if ad is None else ad.eval_real(name, None)


def _daemons(pool: Pool) -> Iterator[Family]:
    up = Family("condor_daemon_up", "gauge", "Whether the daemon runs.")
    memory = Family("condor_daemon_resident_memory_bytes", "gauge", "Resident memory of the daemon.", "bytes")
    duty = Family("condor_daemon_duty_cycle_ratio", "gauge", "Part of the time that the daemon is busy.", "ratio")
    for name in _DAEMONS:
        label = {"daemon": name.lower()}
        pid = lock_holder(pool.paths.daemon_lock(name))
        up.add(int(bool(pid)), label)
        memory.add(_resident(pid), label)
        duty.add(_number(next(iter(pool.ads(name)), None), "RecentDaemonCoreDutyCycle") if pid else None, label)
    yield from (up, memory, duty)


def _resident(pid: int) -> float | None:
    """Bytes in memory of a process; None when it cannot be seen."""
    from condor_py.machine.probes import process

    found = process.stat(pid)
    return None if found is None else found.rss_kb * 1024


def _jobs(pool: Pool) -> Family:
    jobs = Family("condor_jobs", "gauge", "Jobs in the queue by owner and state.")
    counts: Counter[tuple[str, str]] = Counter()
    view = pool.read_queue()
    for cluster, procs in view.groups():
        group = [(cluster, procs)]
        states = view.texts("JobStatus", group)
        owners = view.texts("Owner", group)
        counts.update((owner or "", state or "") for owner, state in zip(owners, states, strict=True))
    for (owner, state), count in sorted(counts.items()):
        jobs.add(count, {"owner": owner.strip('"'), "state": _STATES.get(state, "other")})
    return jobs


def _schedd(ad: ClassAd | None) -> Iterator[Family]:
    for name, attribute, meaning in (
        ("condor_schedd_jobs_started", "JobsStarted", "Jobs that the schedd has started."),
        ("condor_schedd_jobs_completed", "JobsCompleted", "Jobs that have completed."),
        ("condor_schedd_log_syncs", "LogSyncs", "Times that the job queue was forced to disk."),
    ):
        family = Family(name, "counter", f"{meaning} Begins with each schedd.")
        family.add(_number(ad, attribute))
        yield family
    seconds = Family(
        "condor_schedd_log_sync_seconds", "counter", "Time that these took. Begins with each schedd.", "seconds"
    )
    seconds.add(_number(ad, "LogSyncSeconds"))
    yield seconds


def _slots(ads: list[ClassAd]) -> Iterator[Family]:
    slots = Family("condor_slots", "gauge", "Slots by state and activity.")
    counts: Counter[tuple[str, str]] = Counter()
    resources = Family("condor_machine_resources", "gauge", "Resources of the machine (Memory in MB, Disk in KB).")
    free = Family("condor_machine_resources_free", "gauge", "Resources that no claim holds (Memory in MB, Disk in KB).")
    totals: Counter[str] = Counter()
    unused: Counter[str] = Counter()
    machine = [ad for ad in ads if ad.eval_str("State", None) is not None]
    for ad in machine:
        state = ad.eval_str("State", "")
        counts[state, ad.eval_str("Activity", "")] += 1
        for name in ("Cpus", "Memory", "Disk", "GPUs"):
            amount = _number(ad, name) or 0.0
            totals[name] += amount  # type: ignore[assignment]
            unused[name] += amount if state in ("Unclaimed", "Owner") else 0.0  # type: ignore[assignment]
    for (state, activity), count in sorted(counts.items()):
        slots.add(count, {"state": state, "activity": activity})
    for name, amount in totals.items():
        resources.add(amount, {"resource": name})
        free.add(unused[name], {"resource": name})
    load = Family("condor_machine_load", "gauge", "Load of the machine, and the part of it that jobs cause.")
    first = machine[0] if machine else None
    load.add(_number(first, "TotalLoadAvg"), {"of": "all"})
    load.add(_number(first, "TotalCondorLoadAvg"), {"of": "jobs"})
    yield from (slots, resources, free, load)
    for name, attribute, meaning in (
        ("condor_startd_job_starts", "JobStarts", "Starts of jobs."),
        ("condor_startd_evictions", "JobPreemptions", "Jobs that were preempted."),
        ("condor_startd_rank_preemptions", "JobRankPreemptions", "Jobs that were preempted for a higher rank."),
        ("condor_startd_priority_preemptions", "JobUserPrioPreemptions", "Jobs that were preempted for a better user."),
    ):
        family = Family(name, "counter", f"{meaning} Begins with each startd.")
        for ad in ads:
            family.add(_number(ad, attribute) if ad.eval_str("MyType") == "StartD" else None)
        yield family


def _negotiator(ad: ClassAd | None) -> Iterator[Family]:
    for name, attribute, meaning, unit in (
        ("condor_negotiation_cycle_seconds", "Duration0", "Duration of the last cycle.", "seconds"),
        ("condor_negotiation_cycle_cpu_seconds", "CpuTime0", "CPU time of the last cycle.", "seconds"),
        ("condor_negotiation_cycle_matches", "Matches0", "Matches of the last cycle.", ""),
        ("condor_negotiation_cycle_rejections", "Rejections0", "Requests that the last cycle rejected.", ""),
        ("condor_negotiation_cycle_end_timestamp_seconds", "End0", "When the last cycle ended.", "seconds"),
    ):
        family = Family(name, "gauge", meaning, unit)
        family.add(_number(ad, f"{_CYCLE}{attribute}"))
        yield family


def _submitters(ads: list[ClassAd]) -> Iterator[Family]:
    made = [
        (Family(name, kind, meaning), attribute)
        for name, kind, attribute, meaning in (
            ("condor_submitter_priority", "gauge", "Priority", "Effective user priority: lower is better."),
            ("condor_submitter_priority_factor", "gauge", "PriorityFactor", "Priority factor."),
            ("condor_submitter_slots", "gauge", "ResourcesUsed", "Slots in use."),
            ("condor_submitter_weighted_slots", "gauge", "WeightedResourcesUsed", "Weight of the slots in use."),
            (
                "condor_submitter_share_ratio",
                "gauge",
                "SubmitterShare",
                "Part of the pool that the submitter is entitled to.",
            ),
            ("condor_submitter_limit", "gauge", "SubmitterLimit", "Most slots that the submitter may have now."),
            ("condor_submitter_usage", "counter", "WeightedAccumulatedUsage", "Weighted slot seconds used so far."),
        )
    ]
    for ad in ads:
        kind = "group" if ad.eval_bool("IsAccountingGroup", False) else "user"
        labels = {"submitter": ad.eval_str("Name", ""), "kind": kind}
        for family, attribute in made:
            family.add(_number(ad, attribute), labels)
    yield from (family for family, _ in made)


def _disks(pool: Pool) -> Iterator[Family]:
    free = Family("condor_disk_free_bytes", "gauge", "Room that is left for who is not root.", "bytes")
    size = Family("condor_disk_size_bytes", "gauge", "Size of the file system.", "bytes")
    for name, path in (("SPOOL", pool.paths.spool), ("EXECUTE", pool.paths.execute), ("LOG", pool.paths.log)):
        try:
            found = os.statvfs(path)
        except OSError:
            continue
        free.add(found.f_bavail * found.f_frsize, {"directory": name})
        size.add(found.f_blocks * found.f_frsize, {"directory": name})
    yield from (free, size)


#: Seconds that one request may take to come in.
_PATIENCE = 5.0
TYPES = {
    True: "application/openmetrics-text; version=1.0.0; charset=utf-8",
    False: "text/plain; version=0.0.4; charset=utf-8",
}
#: The text of the figures; whether as OpenMetrics.
Text = Callable[[bool], str]


def serve(address: str, text: Text) -> int:
    """Answers until a signal ends it. CondorError when the address is not ours to listen on, or not loopback."""
    family, place = _place(address)

    class Handler(_Handler):
        produce = staticmethod(text)

    class Server(socketserver.TCPServer):
        address_family = family
        allow_reuse_address = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Ignore a client that has disconnected; report any other error."""
            if not isinstance(sys.exc_info()[1], OSError):
                super().handle_error(request, client_address)  # type: ignore[arg-type]

    if family == socket.AF_UNIX:
        _free(str(place))
    try:
        server = Server(place, Handler)  # type: ignore[arg-type]
    except OSError as error:
        raise CondorError(f"condor_metrics: cannot listen on {address}: {error.strerror}") from None
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    with server, contextlib.suppress(KeyboardInterrupt), interrupted_by(*numbers):
        sys.stderr.write(f"condor_metrics: listening on {_shown(server)}\n")
        sys.stderr.flush()
        server.serve_forever()
    if family == socket.AF_UNIX:
        with contextlib.suppress(OSError):
            os.unlink(str(place))
    return 0


def _shown(server: socketserver.TCPServer) -> str:
    found = server.socket.getsockname()
    return f"unix:{found}" if isinstance(found, str) else f"http://{found[0]}:{found[1]}/metrics"


def _place(address: str) -> tuple[socket.AddressFamily, str | tuple[str, int]]:
    path = address.removeprefix("unix:")
    if path.startswith("/"):
        return socket.AF_UNIX, path
    host, _, port = address.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if host == "localhost":
        host = "127.0.0.1"
    try:
        found = ipaddress.ip_address(host)
        number = int(port)
    except ValueError:
        raise CondorError(
            f"condor_metrics: -listen wants unix:/PATH, PORT or LOOPBACK-ADDRESS:PORT, not {address}"
        ) from None
    if not found.is_loopback or not 0 <= number < 65536:
        raise CondorError(f"condor_metrics: {address} is not a port of a loopback address: put a proxy in front of it")
    return (socket.AF_INET6 if found.version == 6 else socket.AF_INET), (str(found), number)


def _free(path: str) -> None:
    """Takes the socket of one that has ended away; one that answers, or any other file, stays."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            return  # the kernel refuses connections to files as well
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)


class _Handler(BaseHTTPRequestHandler):
    timeout = _PATIENCE
    produce: Text

    def do_GET(self) -> None:
        """``/metrics``, and ``/`` for people who forget it."""
        if self.path.partition("?")[0] not in ("/", "/metrics"):
            self.send_error(404)
            return
        openmetrics = "openmetrics" in self.headers.get("Accept", "")
        try:
            body = self.produce(openmetrics).encode()
        except (CondorError, OSError) as error:
            self.send_error(503, str(error).replace("\n", " ")[:200])
            return
        self.send_response(200)
        self.send_header("Content-Type", TYPES[openmetrics])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is said of a request."""
