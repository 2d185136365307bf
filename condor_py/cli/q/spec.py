"""The command line of condor_q, in HTCondor's matching order."""

from __future__ import annotations

from condor_py.cli.options import Opt, ToolSpec

_RESTRICT = "Restrictions"
_SHOW = "Displays"
_FORM = "Output forms"
_ANALYZE = "Analysis"
_OFFLINE = "Offline sources"
_POOL = "Pool"
_NEEDS_ONE = "Error: -{name} requires another parameter"
_NEEDS_FILE = "Error: -{name} requires a filename"


def _limit(text: str) -> int:
    return int(text)


def _schedd(text: str) -> str:
    if text.lower() != "schedd":
        raise ValueError(text)
    return text


_OPTIONS = (
    Opt("wide", 1, help="do not cut rows (or cut them at N columns)", colon="N", group=_FORM),
    Opt("long", 1, help="whole ads; FORM is nosort, xml, json, jsonl, new or newl", colon="FORM", group=_FORM),
    Opt("xml", 3, help="whole ads as XML", group=_FORM),
    Opt("toml", 3, help="whole ads as TOML", group=_FORM),
    Opt("json", 2, help="whole ads as JSON", group=_FORM),
    Opt("limit", 3, "N", "only the N newest jobs", convert=_limit, group=_RESTRICT, dash_value=True,
        missing="Error: -limit requires the max number of results as an argument.",
        invalid="Error: Unable to convert ({value}) to a number for -limit."),
    Opt("pool", 1, "HOST", "with -name: another pool, through HTCondor's own Python module", group=_POOL,
        missing="Error: -pool requires a hostname as an argument."),
    Opt("name", 1, "NAME", "the schedd to ask", group=_POOL,
        missing="Error: -name requires the name of a schedd as an argument."),
    Opt("direct", 1, "schedd", "accepted; the schedd is asked in any case", group=_POOL, convert=_schedd,
        missing="Error: -direct requires [schedd]", invalid="Error: -direct may only take 'schedd' as an option."),
    Opt("submitter", 1, "USER", "jobs of USER", group=_RESTRICT,
        missing="Error: -submitter requires the name of a user."),
    Opt("constraint", 1, "EXPR", "jobs for which EXPR is true", group=_RESTRICT, missing=_NEEDS_ONE, dash_value=True),
    Opt("slotconstraint", 5, "EXPR", "slots for which EXPR is true", group=_ANALYZE, missing=_NEEDS_ONE,
        dash_value=True),
    Opt("mconstraint", 2, "EXPR", same_as="slotconstraint", missing=_NEEDS_ONE, dash_value=True),
    Opt("machine", 2, "NAME", "only slots of this machine, or this slot", group=_ANALYZE, missing=_NEEDS_ONE),
    Opt("address", 1, "ADDR", "the schedd at this address", group=_POOL, missing=_NEEDS_ONE),
    Opt("autocluster", 2, help="one row (-long, -af: one ad) for jobs that need the same", colon="...", group=_SHOW),
    Opt("group-by", 2, help="jobs that agree in what -attributes or -af name, counted", colon="...", group=_SHOW),
    Opt("factory", 4, help="clusters that materialize jobs late; WHAT is clusters_only or late_materialize",
        colon="WHAT", group=_SHOW),
    Opt("jobset", 5, help="job sets", colon="...", group=_SHOW),
    Opt("attributes", 2, "NAMES", "only these attributes in -long, -xml and -json", group=_FORM,
        missing="Error: -attributes requires a list of attributes to show"),
    Opt("format", 1, "FMT EXPR", "print EXPR by a printf format; may be repeated", group=_FORM, dash_value=True,
        missing="Error: -format requires format and attribute parameters"),
    Opt("aaf", 3, "EXPR", "append columns to the table", colon="LETTERS", variadic=True, group=_FORM,
        missing="Error: -aaf requires at least one attribute parameter"),
    Opt("autoformat", 5, "EXPR", "print values; LETTERS are of jlhVr,tngTY", colon="LETTERS", variadic=True,
        group=_FORM, missing="Error: -autoformat requires at least one attribute parameter"),
    Opt("af", 2, "EXPR", colon="LETTERS", variadic=True, same_as="autoformat",
        missing="Error: -autoformat requires at least one attribute parameter"),
    Opt("print-format", 2, "FILE", "columns as a print-format file says", colon="...", group=_FORM, takes="file",
        missing="Error: -print-format requires a filename argument"),
    Opt("global", 1, help="every schedd of the pool (there is one)", group=_POOL),
    Opt("allusers", 2, help="jobs of all users", group=_RESTRICT),
    Opt("all-users", 2, same_as="allusers"),
    Opt("schedd-constraint", 5, "EXPR", "only if EXPR is true of the schedd's ad", group=_POOL, dash_value=True,
        missing="Error: -schedd-constraint requires a constraint argument"),
    Opt("help", 1, help="this text"),
    Opt("better-analyze", 2, colon="HOW", group=_ANALYZE,
        help="why jobs do not run; HOW is of summary, reverse, priority, noprune, ifthenelse, slot-exprs"),
    Opt("better-analyse", 2, colon="HOW", same_as="better-analyze"),
    Opt("analyze", 2, colon="HOW", same_as="better-analyze", hidden=True),
    Opt("analyse", 2, colon="HOW", same_as="better-analyze"),
    Opt("reverse-analyze", 3, help="what slots ask of jobs", colon="HOW", group=_ANALYZE),
    Opt("unmatchable", 5, help="jobs that match no slot, not even a drained one", colon="...", group=_ANALYZE),
    Opt("forecast", 4, help="when idle jobs will start if they run SECONDS, or like the last ones (not in HTCondor)",
        colon="SECONDS", group=_ANALYZE),
    Opt("why", 3, group=_ANALYZE,
        help="why jobs wait or are held: a row for the jobs of a batch that wait for the same; of jobs that are named, "
        "all that is known, also how their runs ended; with -json as an array (not in HTCondor)"),
    Opt("plot", 2, group=_SHOW, help="draw the life of the job that is named, or the runs of the jobs of a cluster, as "
        "condor_history -plot does (not in HTCondor)"),
    Opt("dry-run", 3, help="say what would be asked, and ask nothing"),
    Opt("capture-raw-results", 7, help="also write the ads that were found to FILE", colon="FILE"),
    Opt("verbose", 4, help="more detail in analysis, and with -dag in pipes", group=_ANALYZE),
    Opt("run", 1, help="running jobs and where they run", group=_SHOW),
    Opt("hold", 2, help="held jobs and why; only those of hold code CODE and SUB", colon="CODE[/SUB]", group=_SHOW),
    Opt("held", 2, colon="CODE[/SUB]", same_as="hold"),
    Opt("hold-codes", 6, help="held jobs counted by reason", colon="CODE[/SUB]", group=_SHOW),
    Opt("holdcodes", 5, colon="CODE[/SUB]", same_as="hold-codes"),
    Opt("idle", 3, help="idle jobs and what they ask for", group=_SHOW),
    Opt("cputime", 2, help="CPU time in place of run time", group=_SHOW),
    Opt("currentrun", 3, help="run time of the current run (the default)", group=_SHOW),
    Opt("cumulative-time", 3, help="run time of all runs", group=_SHOW),
    Opt("grid", 2, help="grid jobs; TYPE ec2 has its own columns", colon="TYPE", group=_SHOW),
    Opt("debug", 3, help="accepted; messages go to standard error in any case", colon="FLAGS"),
    Opt("io", 2, help="file transfers", group=_SHOW),
    Opt("dag", 2, help="nodes under their DAGs (with -nobatch); on a terminal, or with -verbose, also why nodes failed "
        "or are held", group=_SHOW),
    Opt("batch", 2, help="one row a batch (the default); C prints in place of 0", colon="C", group=_SHOW),
    Opt("progress", 3, colon="C", same_as="batch"),
    Opt("nobatch", 3, help="one row a job", group=_SHOW),
    Opt("totals", 3, help="only the totals; with -long or -af those of an ad", group=_SHOW),
    Opt("expert", 1, help="shorter error messages"),
    Opt("jobads", 1, "FILE", "read job ads from FILE; FORM is long, xml, json or new", colon="FORM", group=_OFFLINE,
        takes="file", missing=_NEEDS_FILE),
    Opt("userlog", 1, "FILE", "read jobs from an event log", group=_OFFLINE, takes="file", missing=_NEEDS_FILE),
    Opt("slotads", 1, "FILE", "read slot ads for analysis from FILE", colon="FORM", group=_OFFLINE, takes="file",
        missing=_NEEDS_FILE),
    Opt("userprios", 5, "FILE", "read user priorities for analysis from FILE", colon="...", group=_OFFLINE,
        takes="file", missing="Error: -userprios requires a filename argument"),
    Opt("nouserprios", 7, help="analyse without user priorities", colon="...", group=_ANALYZE),
    Opt("version", 1, help="the version and the platform"),
    Opt("profile", 4, help="accepted; nothing is measured", colon="...", hidden=True),
    Opt("stream-results", 2, help="accepted; results come in order anyway", hidden=True),
)  # fmt: skip

_WHY = """\
-why -json prints an array with an object for the jobs of a cluster that wait, or are held, for the same reasons.

owner, batch, cluster     whose they are
procs, jobs               spans of procs, first and last, and how many
state, since              idle, held, running ..., and since when (Unix seconds) the first of them
reasons                   of each: what, help, final (nothing but that help ends it), since, text (one line), holders
                          (user, share, jobs, since, until); apart: the negotiator does not decide, until: it ends then
starts                    when the first is expected to start: at, and the span of 8 of 10, early and late; or null
slot, runs                of jobs that are named: where they run, and how their runs ended (see condor_history -why)"""

SPEC = ToolSpec(
    name="condor_q",
    usage="[general-opts] [restriction-list] [output-opts | analyze-opts]",
    summary="Show the jobs in the queue.",
    positional="CLUSTER | CLUSTER.PROC | USER",
    positional_help="show only these jobs",
    description=(
        "Without options it shows your jobs, one row a batch. Job ids and user names add up, every -constraint "
        "narrows. Only your own jobs are shown unless you name jobs or users, say -allusers, or are a queue "
        "superuser. It reads the queue file and works when no daemon runs."
    ),
    options=_OPTIONS,
    examples=(
        ("condor_q -nobatch", "one row a job"),
        ("condor_q -hold", "held jobs and the reasons"),
        ("condor_q -why", "what each batch waits for, who holds that, and when it is expected to start"),
        ("condor_q 12.0 -plot", "the runs of a job and its use of cores, memory and disk until now"),
        ("condor_q -forecast:600", "when idle jobs will start if jobs run 10 minutes each"),
        ("condor_q 25 -af:jh JobStatus RemoteHost", "values of cluster 25 with headings"),
    ),
    usage_stream="stdout",
    dash=False,
    sections=(("Why as JSON", _WHY),),
    see_also=("condor_history", "condor_submit", "condor_rm", "condor_userprio"),
)
SPECS = (SPEC,)
