"""condor_test_match: how many machines of a file of ads the jobs of another file could use."""

from __future__ import annotations

import sys

from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd

_MISSING = "ERROR: missing argument to -{name}"

_SPEC = ToolSpec(
    name="condor_test_match",
    usage="[OPTIONS] [command]",
    summary="Estimate how many machines a set of jobs could use.",
    positional="demand",
    positional_help="the command: estimate how many of the machines could be used by the jobs",
    description=(
        "Both files have ads in long form, as condor_status -long and condor_q -long print them. Each job in turn "
        "takes the first machine left that its Requirements accept and that accepts it; nothing else counts, neither "
        "rank nor priorities."
    ),
    options=(
        Opt("help", 1, help="this text"),
        Opt("machine-ads", 1, "FILE", "the machines", missing="ERROR: missing argument to -machineads", takes="file"),
        Opt("machineads", 1, "FILE", same_as="machine-ads", missing=_MISSING, takes="file"),
        Opt("job-ads", 1, "FILE", "the jobs", missing="ERROR: missing argument to -jobads", takes="file"),
        Opt("jobads", 1, "FILE", same_as="job-ads", missing=_MISSING, takes="file"),
        Opt("job-constraint", 1, "EXPR", "only these jobs; may be given again, for further estimates",
            missing=_MISSING, dash_value=True),
        Opt("claimed", 1, "EXPR", "count these machines as taken; once for each -job-constraint",
            missing=_MISSING, dash_value=True),
        Opt("machine-constraint", 1, "EXPR", "only these machines", missing=_MISSING, dash_value=True),
        Opt("show-unmatched-machines", 1, help="name the machines that no job takes"),
        Opt("show-unmatched-jobs", 1, help="name the jobs that find no machine"),
    ),
    examples=(
        ("condor_status -long >slots; condor_q -allusers -long >jobs\n"
         "condor_test_match -machine-ads slots -job-ads jobs demand", "could the queue fill the pool?"),
    ),
    exit_status="0 on success, 1 when ads or expressions cannot be read, 2 when the command line is wrong.",
    unknown="ERROR: unexpected argument: {arg}",
    usage_after=(),
    see_also=("condor_q", "condor_status", "classad_eval"),
)  # fmt: skip
SPECS = (_SPEC,)


class _Refused(CondorError):
    """A command line that cannot be carried out."""

    exit_code = 2


def main(argv: list[str]) -> int:
    """Run condor_test_match."""
    try:
        args = parse(_SPEC, argv)
    except UsageError as error:
        raise _Refused(str(error)) if error.kind == "unknown" else error from None
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stderr.write(help_text(_SPEC))
        return 2
    machines, jobs = _checked(args)
    estimate = _Estimate(args, machines, jobs)
    wanted, claims = args.texts("job-constraint") or [""], args.texts("claimed")
    for number, constraint in enumerate(wanted):
        estimate.show(constraint, claims[number] if claims else "")
    return 0


def _checked(args: Args) -> tuple[str, str]:
    """Return the files of machines and jobs. CondorError."""
    if len(args.positional) != 1 or args.uses[-1].name:
        raise _Refused("ERROR: unrecognized or missing command")
    if args.positional[0].lower() != "demand":
        raise _Refused(f"ERROR: unrecognized command {args.positional[0]}")
    machines, jobs = args.text("machine-ads"), args.text("job-ads")
    if not machines or not jobs:
        raise _Refused("ERROR: you must specify both -job-ads and -machine-ads")
    claims = args.texts("claimed")
    if claims and len(claims) != len(args.texts("job-constraint") or [""]):
        raise _Refused("ERROR: must provide same number of -claimed and -job-constraint arguments")
    return machines, jobs


def _ads(path: str, what: str, constraint: str) -> list[ClassAd]:
    """The ads of a file that a constraint accepts; titles of condor_q are passed over. CondorError."""
    from condor_py.cli.adfile import no_attribute, parse_ads, read_text

    text = "\n".join("" if line.startswith("--") else line for line in read_text(path).split("\n"))
    wrong = no_attribute().search(text)
    if wrong is not None:
        raise CondorError(f"Invalid ClassAd in {path}: {wrong[0]}")
    return _chosen(parse_ads(text, path, "long"), what, constraint)


def _chosen(ads: list[ClassAd], what: str, constraint: str) -> list[ClassAd]:
    from condor_py.lang.classad import is_true, is_valid, parse

    if not constraint:
        return ads
    if not is_valid(constraint):
        raise CondorError(f"Error:  could not parse {what} {constraint}")
    expression = parse(constraint)
    return [ad for ad in ads if is_true(ad.raw(expression))]


class _Estimate:
    """Estimates with the same machines."""

    def __init__(self, args: Args, machines: str, jobs: str) -> None:
        self._names_machines = args.has("show-unmatched-machines")
        self._names_jobs = args.has("show-unmatched-jobs")
        self._machines = _ads(machines, "machine-constraint", args.text("machine-constraint", ""))
        self._jobs = _ads(jobs, "job-constraint", "")

    def show(self, constraint: str, claimed: str) -> None:
        """Print how many machines the jobs that a constraint accepts could use beyond those that are claimed."""
        jobs = _chosen(self._jobs, "job-constraint", constraint)
        taken = {id(machine) for machine in _chosen(self._machines, "claimed expression", claimed)} if claimed else ()
        what = f"machine matches for jobs matching:\n   {constraint}" if constraint else "machine maches for all jobs"
        text = f"\nEstimating total possible {what}\n"
        if claimed:
            text += f"plus machines already claimed:\n   {claimed}\n"
        sys.stdout.write(text)
        left = self._deal(jobs, [machine for machine in self._machines if id(machine) not in taken])
        if self._names_machines:
            for machine in left:
                sys.stdout.write(f"UNMATCHED MACHINE: {machine.eval_str('Name', None) or ''}\n")
        total = len(self._machines)
        matched = total - len(left)
        sys.stdout.write(f"\nFraction of machines matched: {matched / max(1, total):.3f} ({matched} of {total})\n")

    def _deal(self, jobs: list[ClassAd], left: list[ClassAd]) -> list[ClassAd]:
        """Give each job the first machine that fits; return the machines that no job takes."""
        from condor_py.lang.classad import symmetric_match

        for job in jobs:
            found = next((at for at, machine in enumerate(left) if symmetric_match(job, machine)), None)
            if found is not None:
                left.pop(found)
            elif self._names_jobs:
                sys.stdout.write(f"UNMATCHED JOB: {_name(job)}\n")
            if not left:
                break
        return left


def _name(job: ClassAd) -> str:
    number = f"{job.eval_int('ClusterId', -1)}.{job.eval_int('ProcId', -1)}"
    return job.eval_str("GlobalJobId", None) or number
