"""condor_job_router_info: the routes that are configured, and what they would do to jobs from a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.states import Universe

if TYPE_CHECKING:
    from condor_py.core.routes.core import Room, Router
    from condor_py.core.routes.table import Route, RoutingTable
    from condor_py.lang.classad import ClassAd
    from condor_py.lang.submit.transform_run import Log
    from condor_py.model.ids import JobId


_SPEC = ToolSpec(
    name="condor_job_router_info",
    usage="[options]",
    summary="Show the routes of the job router, and what they would do to jobs.",
    options=(
        Opt("help", 1, help="this text"),
        Opt("version", 1, help="print the version and exit"),
        Opt("debug", 1, help="accepted; there are no further messages", colon="FLAGS"),
        Opt("diagnostic", 4, help="tell how the table was read", colon="match"),
        Opt("config", 2, help="print the routes in the order in which they are tried"),
        Opt("match-jobs", 2, help="print the first route that takes each job of -jobads"),
        Opt("route-jobs", 5, "FILE", "write the copies that routes would make to FILE (- is standard output, -2 "
            "standard error)", takes="file", dash_value=True),
        Opt("log-steps", 2, help="with -route-jobs: print each statement when it is executed"),
        Opt("ignore-prior-routing", 2, help="take the jobs as if they were idle and had never been routed"),
        Opt("jobads", 1, "FILE", "the jobs, as condor_q -long prints them (- is standard input)", takes="file"),
    ),
    description="Neither the queue nor the daemon is asked; nothing is changed.",
    examples=(
        ("condor_job_router_info -config", "see how the routes were understood"),
        ("condor_q -long > jobs; condor_job_router_info -match-jobs -jobads jobs", "which job would go where"),
    ),
    missing="-{name} requires an argument",
    unknown="ERROR: {arg} is not a valid argument",
    see_also=("condor_job_router", "condor_transform_ads", "condor_router_q"),
)  # fmt: skip
SPECS = (_SPEC,)
#: What HTCondor begins another line for.
_LONG = 150
#: Standard output and standard error as a FILE.
_STREAMS = ("-", "-2")
_PRIOR = ("Managed", "RoutedBy", "StageInStart", "StageInFinish")


def main(argv: list[str]) -> int:
    """Run condor_job_router_info."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    if args.text("route-jobs", "-").startswith("-") and args.text("route-jobs", "-") not in _STREAMS:
        raise UsageError("-route-jobs requires an argument", _SPEC, "route-jobs", kind="missing")
    router = _router(args)
    if not router.table.enabled:
        sys.stderr.write("".join(f"{note}\n" for note in router.table.notes) + "JobRouter is disabled.\n")
    elif args.has("diagnostic"):
        sys.stdout.write("".join(f"{note}\n" for note in router.table.notes))
        names = ", ".join(route.name for route in router.table.routes.values())
        sys.stdout.write(f"Routes will be matched in this order: {names}\n")
    if args.has("config"):
        sys.stdout.write("\n\n" + shown_table(router.table))
    if args.has("match-jobs") or args.has("route-jobs"):
        _match(args, router)
    old = [note for note in router.table.notes if note.startswith("WARNING: JOB_ROUTER_") and "older" in note]
    sys.stdout.write("".join(f"\n{note}\n" for note in old))
    return 0


def _router(args: Args) -> Router:
    from condor_py.core.routes.core import Router
    from condor_py.lang.config import load
    from condor_py.lang.config.builders import expressions
    from condor_py.lang.config.builders.router import job_router
    from condor_py.model.ids import JobId

    config = load(os.environ, subsystem="TOOL")
    expressions.install(config, "TOOL")
    ads: list[ClassAd] = []
    for path in args.texts("jobads"):
        ads += _ads(path)
    jobs: dict[JobId, ClassAd] = {}
    for ad in ads:
        cluster, proc = ad.eval_int("ClusterId", None), ad.eval_int("ProcId", None)
        if cluster is None or proc is None:
            sys.stderr.write("Skipping ad because it doesn't have a ClusterId and/or ProcId attribute\n")
            continue
        if args.has("ignore-prior-routing"):
            for name in _PRIOR:
                ad.delete(name)
            ad.set_int("JobStatus", 1)
        jobs[JobId(cluster, proc)] = ad
    return Router(job_router(config), Jobs(jobs), 0)


def _ads(path: str) -> list[ClassAd]:
    from condor_py.cli.adfile import read_jobs

    try:
        return read_jobs(path)[0]
    except CondorError:
        if path != "-" and not os.path.exists(path):
            sys.stderr.write(f"Can't open file of job ads: {path}\n")
            return []
        raise


def shown_table(table: RoutingTable) -> str:
    """The transforms and the routes as -config prints them."""
    from condor_py.core.routes.table import shown

    lines: list[str] = []
    for kind, transforms in (("Pre", table.pre_route), ("Post", table.post_route)):
        for transform in transforms:
            lines.append(f"{kind}-Route Transform : {transform.name}")
            lines += [*(f"\t{line}" for line in shown(transform, transform.name)), ""]
    for number, route in enumerate(table.routes.values() if table.enabled else (), 1):
        lines += [*_shown_route(number, route), ""]
    return "".join(f"{line}\n" for line in lines)


def _shown_route(number: int, route: Route) -> list[str]:
    return [
        f"Route {number}",
        f'Name         : "{route.name}"',
        f"Source       : {route.name}",
        f"Universe     : {route.universe}",
        f"MaxJobs      : {route.max_jobs}",
        f"MaxIdleJobs  : {route.max_idle_jobs}",
        f"GridResource : {route.grid_resource if route.universe == Universe.GRID else ''}",
        f"Requirements : {route.transform.requirements}",
        *(f"\t{line}" for line in route.lines()),
    ]


def _match(args: Args, router: Router) -> None:
    """-match-jobs and -route-jobs."""
    sys.stdout.write("\nMatching jobs against routes to find candidate jobs.\n")
    if not any(True for _ in router.queue.jobs()):
        sys.stdout.write("There are no jobs to match\n")
        return
    if not router.table.enabled:
        return
    detailed = args.has("diagnostic") or args.has("log-steps")
    if detailed:
        _say(_summary(router))
    found = _candidates(router, router.room(), detailed)
    _say(f"{len(found)} candidate jobs found")
    if args.has("route-jobs"):
        _write_routed(args, router, found)


def _candidates(router: Router, room: Room, detailed: bool) -> list[tuple[JobId, Route]]:
    found = []
    for job in sorted(router.pairs.waiting):
        ad = router.queue.job(job)
        if not room.is_open or ad is None:
            break
        if not router.takes(ad):
            continue
        if detailed:
            _say(f"Checking Job src={job} against all routes")
        route = router.choose(ad, room)
        if route is None:
            if detailed:
                _say(f"no route found for src={job}")
            continue
        if detailed:
            _say(f"\tRoute Matches: {route.name}")
        _say(f"Found candidate job src={job},route={route.name}")
        room.take(route)
        found.append((job, route))
    return found


def _summary(router: Router) -> str:
    lines = ["Checking for candidate jobs. routing table is:"]
    lines.append("Route Name               Source      Submitted/Max        Idle/Max     Throttle")
    for route in router.table.routes.values():
        limits = f"{0:7d}/{route.max_jobs:7d} {0:7d}/{route.max_idle_jobs:7d}"
        lines.append(f"{route.name:<24} {route.name:<11} {limits} {'none':>8}")
    return "\n".join(lines)


def _say(text: str) -> None:
    """A message as HTCondor's tool prints it: what is long stands apart."""
    sys.stdout.write(("\n" if len(text) >= _LONG else "") + text + "\n")


def _write_routed(args: Args, router: Router, found: list[tuple[JobId, Route]]) -> None:
    path = str(args.text("route-jobs"))
    if path in _STREAMS:
        _route(args, router, found, sys.stdout if path == "-" else sys.stderr)
        return
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            _route(args, router, found, file)
    except OSError as error:
        raise CondorError(f"could not open {path}: {error.strerror}") from None


def _route(args: Args, router: Router, found: list[tuple[JobId, Route]], out: IO[str]) -> None:
    from condor_py.lang.submit.transform_run import Log

    steps = args.has("log-steps")
    log = Log(_say, _complain) if steps else Log(error=_complain)
    for job, route in found:
        ad = router.queue.job(job)
        if ad is not None:
            if steps:
                _say(f"(src={job},route={route.name}): claimed job")
            _route_one(router, job, ad, route, log, out)


def _complain(text: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(text + "\n")


def _route_one(router: Router, job: JobId, ad: ClassAd, route: Route, log: Log, out: IO[str]) -> None:
    from condor_py.core.routes import copying
    from condor_py.core.routes.table import is_met
    from condor_py.lang.submit.transform import TransformError

    try:
        if is_met(route.edit_in_place, ad):
            made = ad.copy()
            copying.apply_rules(made, route, router.table, router.session, log)
        else:
            ad.set_str("Managed", "External")
            ad.set_str("ManagedManager", router.settings.name)
            made = copying.routed(job, ad, route, router.table, router.settings.name, router.session, log)
            sys.stdout.write(
                f"submit_job as {ad.eval_str('Owner', '')}@{ad.eval_str('NTDomain', '')} to local schedd:\n"
            )
    except TransformError as error:
        _complain(f"(src={job},route={route.name}): {error}")
        return
    sys.stdout.flush()
    out.write("".join(f"{name} = {text}\n" for name, text in sorted(made.pairs())) + "\n")


class Jobs:
    """Some jobs, which do not change."""

    def __init__(self, ads: Mapping[JobId, ClassAd]) -> None:
        self._ads = ads

    def job(self, job: JobId) -> ClassAd | None:
        """The ad of a job."""
        return self._ads.get(job)

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        """All of them."""
        return iter(self._ads.items())
