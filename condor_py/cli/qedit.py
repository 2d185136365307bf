"""condor_qedit: changes attributes of jobs in the queue."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from condor_py.cli.common import HELP, check_place, elsewhere, handle_help_and_version
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, Use, match_option, parse
from condor_py.cli.output.values import is_true
from condor_py.cli.suggest import hint
from condor_py.client.progress import ticking
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.exprtree import is_valid
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.texts import as_integer

if TYPE_CHECKING:
    from condor_py.client.elsewhere import OtherSchedd
    from condor_py.client.pool import Pool
    from condor_py.model.selection import Selection

_SUCCESS, _NOT_FOUND = 1, 2
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
#: A number with a unit, as submit commands take it.
_SIZE = re.compile(r"\d[\d.]*\s*[kmgtKMGT][bB]?\Z")

_SPEC = ToolSpec(
    name="condor_qedit",
    usage="[options] <restriction-list> <edit-list>",
    summary="Change attributes of jobs in the queue.",
    positional="<restriction-list> <edit-list>",
    positional_help="job ids, clusters or one user; then ATTR VALUE or ATTR=VALUE, any number of times",
    description=(
        "Restrictions come first. All changes are made in one transaction: either all jobs have all new values, or "
        "nothing changed. Editing a cluster writes its cluster ad and every job."
    ),
    options=(
        HELP,
        Opt("name", 1, "NAME", "the schedd to ask", missing="{tool}: {spelling} requires a SCHEDD name as an argument"),
        Opt("pool", 1, "HOST", "the pool of the schedd that -name names",
            missing="{tool}: {spelling} requires a HTCondor collector name or address as an argument"),
        Opt("debug", 1, help="accepted; messages go to standard error in any case", colon="FLAGS"),
        Opt("diagnostic", 4, help="print what would be done", colon="LEVEL"),
        Opt("dry-run", 3, help="check whether the edit would be allowed, and change nothing"),
        Opt("constraint", 1, "EXPR", "jobs for which EXPR is true", dash_value=True,
            missing="{tool}: {spelling} requires a ClassAd expression an argument"),
        Opt("owner", 1, "USER", "jobs of USER", missing="{tool}: {spelling} requires a owner name argument"),
        Opt("jobids", 1, "LIST", "job ids and clusters, separated by commas",
            missing="{tool}: {spelling} requires a list of job ids as an argument"),
        Opt("edits", 2, "FILE", "read the new values from an ad in FILE; FORM is long, xml, json or new", colon="FORM",
            takes="file", missing="{tool}: {spelling} requires a filename as an argument"),
        Opt("forward", 3, help="accepted; running jobs see new values when they are asked for"),
    ),
    examples=(("condor_qedit 25.0 JobPrio 5", "one attribute of one job"),),
    exit_status="0 when every attribute was set, 1 when none was.",
    unknown="{tool}: {arg} is not a valid option",
    usage_after=("unknown", "usage"),
    see_also=("condor_q", "condor_prio"),
)  # fmt: skip
SPECS = (_SPEC,)


#: What HTCondor's module says when no job was there to be changed, or none may be.
_NO_JOB = "Unable to edit jobs matching constraint"


class Edit:
    """The edits that a command line asks for: job ids, constraints, and name -> new text."""

    def __init__(self) -> None:
        self.ids: list[tuple[int, int | None]] = []
        self.constraints: list[str] = []
        self.values: dict[str, str] = {}
        self.only_mine = True
        self.aborted = False
        #: Whether it is only checked.
        self.is_dry = False

    @property
    def single_jobs(self) -> list[JobId]:
        """The jobs, where full ids are all that restricts."""
        if self.constraints or any(proc is None for _, proc in self.ids):
            return []
        return [JobId(cluster, proc) for cluster, proc in self.ids if proc is not None]

    @property
    def whole_clusters(self) -> tuple[int, ...]:
        """The clusters, where these are all that restricts."""
        if self.constraints or any(proc is not None for _, proc in self.ids):
            return ()
        return tuple(cluster for cluster, _ in self.ids)

    def query(self) -> str:
        """The constraint, as HTCondor writes it."""
        parts = [f"({text})" for text in self.constraints]
        if self.ids:
            parts.append(f"({'|| '.join(_id_text(cluster, proc) for cluster, proc in self.ids)})")
        return f"( {' && '.join(parts)} )"


def _id_text(cluster: int, proc: int | None) -> str:
    return f"ClusterId == {cluster} " if proc is None else f"( ClusterId == {cluster} && ProcId == {proc} )"


def main(argv: list[str]) -> int:
    """Run condor_qedit."""
    split = _words_apart(argv)
    args = parse(_SPEC, split[0])
    if handle_help_and_version(args):
        return 0
    edit = _understand(args, split[1], split[2])
    _check(edit)
    if args.has("diagnostic"):
        sys.stdout.write(_diagnosis(edit))
        return 0
    from condor_py.client.pool import open_pool

    pool = open_pool()
    if (other := elsewhere(args, pool)) is not None:
        if edit.is_dry:
            raise CondorError("condor_qedit: -dry-run asks the pool of this machine only")
        return _perform_elsewhere(other, edit)
    check_place(args, pool, "condor_qedit: No such schedd named {name} in local pool")
    if sys.stderr.isatty():
        from condor_py.cli.suggest import warn_of_names

        warn_of_names(edit.values, edit.values.values())
        _warn_of_commands(edit)
    return _perform(pool, edit)


_REQUESTS = ("RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs")


def _warn_of_commands(edit: Edit) -> None:
    """Say which of the names are submit commands, whose attributes are called otherwise, or misspelled requests: any
    other Request... may be that of a resource of the pool."""
    from condor_py.lang.submit.commands import SIMPLE
    from condor_py.model.spelling import nearest

    attributes = {row.command.lower(): row.attribute for row in SIMPLE}
    attributes |= {f"request_{name[7:].lower()}": name for name in _REQUESTS}
    for name in edit.values:
        if name.lower() == "jobstatus":
            hint("JobStatus is changed by condor_hold, condor_release and condor_rm")
        attribute = attributes.get(name.lower())
        if attribute is not None and attribute.lower() != name.lower():
            sys.stderr.write(f"{name} is a submit command: its attribute is {attribute}\n")
        elif name.startswith("Request") and name not in _REQUESTS and (meant := nearest(name, _REQUESTS)):
            sys.stderr.write(f"{name}: did you mean {meant}?\n")


def _words_apart(argv: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Options with their values, restrictions, and the words of the edit list (which may begin with a dash)."""
    options: list[str] = []
    restrictions: list[str] = []
    edits: list[str] = []
    identified = False
    at = 0
    while at < len(argv):
        arg = argv[at]
        if arg.startswith("-") and len(arg) > 1:
            found = match_option(_SPEC.options, arg)
            count = found[0].value_count if found else 0
            options.extend(argv[at : at + 1 + count])
            identified = identified or (found is not None and found[0].name in ("constraint", "owner", "jobids"))
            at += 1 + count
        elif not identified:
            identified = True
            restrictions.append(arg)
            at += 1
            while arg[:1].isdigit() and at < len(argv) and argv[at][:1].isdigit():
                restrictions.append(argv[at])
                at += 1
        else:
            count = 1 if "=" in arg else 2
            edits.extend(argv[at : at + count])
            at += count
    return options, restrictions, edits


def _understand(args: Args, restrictions: list[str], words: list[str]) -> Edit:
    edit = Edit()
    edit.is_dry = args.has("dry-run")
    for use in args.uses:
        _take_option(edit, use)
    for word in restrictions:
        edit.only_mine = False
        if word[:1].isdigit():
            edit.ids.append(_job_id(word))
        else:
            edit.constraints.append(f'Owner=="{word}"')
    at = 0
    while at < len(words) and not edit.aborted:
        name, equals, value = words[at].partition("=")
        if not equals:
            at += 1
            if at >= len(words):
                raise UsageError(f"condor_qedit : expression required after attribute {name}", _SPEC, kind="usage")
            value = words[at]
        _take_value(edit, name.strip(), value.strip())
        at += 1
    return edit


def _take_option(edit: Edit, use: Use) -> None:
    if use.name == "constraint":
        if not is_valid(str(use.values[0])):
            raise CondorError(f"condor_qedit: invalid constraint: {use.values[0]}")
        edit.constraints.append(str(use.values[0]))
    elif use.name == "owner":
        edit.constraints.append(f'Owner=="{use.values[0]}"')
        edit.only_mine = False
    elif use.name == "jobids":
        edit.ids.extend(_job_id(word) for word in re.split(r"[\s,]+", str(use.values[0])) if word)
        edit.only_mine = False
    elif use.name == "edits":
        _take_file(edit, str(use.values[0]), use.colon or "auto")


def _job_id(word: str) -> tuple[int, int | None]:
    match = re.fullmatch(r"(\d+)(?:\.(\d+))?", word)
    if match is None:
        raise CondorError(f"condor_qedit: {word} is no job id; say CLUSTER or CLUSTER.PROC")
    return as_integer(match[1]), None if match[2] is None else as_integer(match[2])


def _take_file(edit: Edit, path: str, form: str) -> None:
    from condor_py.cli.adfile import read_ads

    try:
        ads = read_ads(path, form)
    except CondorError as error:
        raise CondorError(f"Can't open file of edits: {path}") from error
    if not ads:
        raise CondorError(f"Unable to read file of edits: {path}")
    edit.values.update(ads[0].text_items())


def _take_value(edit: Edit, name: str, value: str) -> None:
    if _NAME.match(name) is None:
        sys.stderr.write(f'Update aborted, illegal attribute-name specified for attribute "{name}".\n')
        edit.aborted = True
    elif not value or "\n" in value or not is_valid(value):
        sys.stderr.write(f"Update aborted, illegal value for : {name}\n")
        hint(f"Not an expression: {value or 'nothing'}")
        if _SIZE.match(value) and sys.stderr.isatty():
            unit = {"requestmemory": "MB", "requestdisk": "KB"}.get(name.lower(), "the attribute's own unit")
            sys.stderr.write(f"An attribute takes a number without a unit: {name} counts in {unit}\n")
        edit.aborted = True
    edit.values[name] = value


def _check(edit: Edit) -> None:
    if not edit.aborted:
        if not edit.ids and not edit.constraints:
            text = (
                "condor_qedit : Error - there were no jobs specified.\n"
                "\tuse -constraint, jobid or owner argument to indicate which jobs to edit"
            )
            raise UsageError(text if edit.values else "", _SPEC, kind="usage")
        if not edit.values:
            raise UsageError("condor_qedit : Error - no attributes specifed.", _SPEC, kind="usage")
        _refuse_fixed_attributes(edit)
    if edit.aborted:
        raise CondorError("Transaction failed.  No attributes were set.")


def _refuse_fixed_attributes(edit: Edit) -> None:
    from condor_py.core.jobs.rights import IMMUTABLE

    for name in sorted(edit.values):
        if name.lower() in IMMUTABLE:
            sys.stderr.write(f'Update of immutable attribute "{name}" is not allowed.\n')
            edit.aborted = True


def _diagnosis(edit: Edit) -> str:
    lines = ["--- effective query ----", "FROM local (local)"]
    single = edit.single_jobs
    if single:
        lines.append(f"QEDIT BY JOBID : {''.join(f'{job} ' for job in single)}")
    else:
        lines.append(f"QEDIT BY CONSTRAINT : {edit.query()}")
    lines.append(f"ONLY_MY_JOBS = {'true' if edit.only_mine else 'false'}")
    lines += [f"{name} = {edit.values[name]}" for name in sorted(edit.values)]
    return "\n".join([*lines, "------------------------", ""])


def _perform_elsewhere(other: OtherSchedd, edit: Edit) -> int:
    """The same in another pool."""
    try:
        count = other.edit(edit.query(), edit.values)
    except CondorError as error:
        if _NO_JOB not in str(error):
            raise
        count = 0
    if not count:
        which = f"for job {edit.single_jobs[0]}." if edit.single_jobs else f"by constraint: {edit.query()}"
        sys.stderr.write(f'Failed to set attribute "{min(edit.values)}" {which}\n')
        raise CondorError("Queue transaction failed.  No attributes were set.")
    _report(edit, count)
    return 0


def _perform(pool: Pool, edit: Edit) -> int:
    from condor_py.model.selection import Selection

    if edit.only_mine and not edit.ids:
        return _perform_by_constraint(pool, edit)
    single = edit.single_jobs
    present = dict(pool.read_queue().jobs())
    jobs = single or [job for job, ad in present.items() if _chosen(edit, job, ad)]
    # All or nothing: what would be refused for one job is not even tried for the others.
    failed = [job for job in jobs if job not in present or not _may_change(pool, present[job])]
    clusters = edit.whole_clusters
    if (jobs or clusters) and not failed:
        done = _change(pool, Selection(ids=tuple(jobs), clusters=clusters), edit)
        if not single:  # those that have left since they were read are none of them
            asked = set(jobs) or done.keys()
            jobs = [job for job, result in done.items() if job in asked and result != _NOT_FOUND]
        failed = [job for job in jobs if done.get(job) != _SUCCESS]
    first = min(edit.values)
    if failed and single:
        sys.stderr.write(f'Failed to set attribute "{first}" for job {failed[0]}.\n')
    elif failed or not jobs:
        sys.stderr.write(f'Failed to set attribute "{first}" by constraint: {edit.query()}\n')
    if failed or not jobs:
        raise CondorError("Queue transaction failed.  No attributes were set.")
    _report(edit, len(jobs))
    return 0


def _change(pool: Pool, selection: Selection, edit: Edit) -> dict[JobId, int]:
    """Make the edit, or only find out what it would do: the result of each job."""
    assignments = sorted(edit.values.items())
    if edit.is_dry:
        return pool.would_edit(selection, assignments)
    with ticking("condor_qedit: changing the queue") as ticker:
        return pool.edit(selection, assignments, ticker.told)


def _report(edit: Edit, count: int) -> None:
    for name in sorted(edit.values):
        sys.stdout.write(f'{"Can " if edit.is_dry else ""}Set attribute "{name}" for {count} matching jobs.\n')


def _perform_by_constraint(pool: Pool, edit: Edit) -> int:
    """Of one's own jobs those that a constraint is true of: none of them can be refused, so no check is made."""
    from condor_py.lang.classad.unparse import quote_string
    from condor_py.model.selection import Selection

    mine = [] if pool.is_superuser else [f"Owner == {quote_string(pool.owner)}"]
    wanted = " && ".join([f"({text})" for text in [*edit.constraints, *mine]])
    done = _change(pool, Selection(constraint=wanted), edit)
    changed = [job for job, result in done.items() if result == _SUCCESS]
    if not changed:
        sys.stderr.write(f'Failed to set attribute "{min(edit.values)}" by constraint: {edit.query()}\n')
        raise CondorError("Queue transaction failed.  No attributes were set.")
    _report(edit, len(changed))
    return 0


def _may_change(pool: Pool, ad: ClassAd) -> bool:
    return pool.is_superuser or ad.eval_str("Owner") == pool.owner


def _chosen(edit: Edit, job: JobId, ad: ClassAd) -> bool:
    if edit.ids and not any(job.cluster == c and p in (None, job.proc) for c, p in edit.ids):
        return False
    from condor_py.lang.classad.exprtree import parse as parse_expression

    return all(is_true(ad.raw(parse_expression(text))) for text in edit.constraints)
