"""The options of condor_history."""

from __future__ import annotations

from condor_py.cli.common import HELP
from condor_py.cli.options import Opt, ToolSpec, leading_number

_SOURCE, _RESTRICT, _FORM = "Sources", "Restrictions", "Output forms"
_NEEDS_ONE = "Error: Argument {spelling} requires another parameter"
_NEEDS_NUMBER = "Error: Argument -match requires a number value as a parameter."
_NEEDS_ATTRIBUTE = (
    "Error: Argument {spelling} requires at least one attribute parameter\n\t\te.g. condor_history {spelling} ClusterId"
)


_OPTIONS = (
    Opt("long", 1, help="whole ads", group=_FORM),
    Opt("xml", 3, help="whole ads as XML", group=_FORM),
    Opt("toml", 3, help="whole ads as TOML", group=_FORM),
    Opt("jsonl", 5, help="whole ads as JSON, one a line", group=_FORM),
    Opt("json", 4, help="whole ads as JSON", group=_FORM),
    Opt("backwards", 1, help="newest first (the default)", group=_RESTRICT),
    Opt("nobackwards", 3, same_as="forwards"),
    Opt("forwards", 4, help="oldest first", group=_RESTRICT),
    Opt("wide", 1, help="do not cut rows (or cut them at N columns)", colon="N", group=_FORM),
    Opt("match", 1, "N", same_as="limit", missing=_NEEDS_NUMBER, convert=leading_number, dash_value=True),
    Opt("limit", 3, "N", "stop after N jobs", missing=_NEEDS_NUMBER, convert=leading_number, dash_value=True,
        group=_RESTRICT),
    Opt("scanlimit", 4, "N", "stop after reading N ads", convert=leading_number, dash_value=True, group=_RESTRICT,
        missing="Error: Argument {spelling} requires a number value  as a parameter."),
    Opt("file", 2, "FILE", "read this history file", group=_SOURCE, takes="file", missing=_NEEDS_ONE),
    Opt("userlog", 1, "FILE", "read jobs from an event log", group=_SOURCE, takes="file", missing=_NEEDS_ONE),
    Opt("local", 2, help="read the history file of this machine (the default)", group=_SOURCE),
    Opt("startd", 3, help="read STARTD_HISTORY, the jobs that ran here", group=_SOURCE),
    Opt("schedd", 3, help="read HISTORY (the default)", group=_SOURCE),
    Opt("stream-results", 6, help="accepted; results come in order in any case", colon="...", hidden=True),
    Opt("attributes", 2, "NAMES", "only these attributes in -long, -xml and -json", group=_FORM,
        missing="Error: Argument -attributes must be followed by a list of attributes"),
    HELP,
    Opt("format", 1, "FMT EXPR", "print EXPR by a printf format; may be repeated", group=_FORM, dash_value=True,
        missing="Error: Argument -format requires a spec and classad attribute name as parameters.\n"
        "\t\te.g. condor_history -format '%d' ClusterId"),
    Opt("af", 2, "EXPR", colon="LETTERS", variadic=True, same_as="autoformat", missing=_NEEDS_ATTRIBUTE),
    Opt("autoformat", 5, "EXPR", "print values; LETTERS are of jlhVr,tngTY", colon="LETTERS", variadic=True,
        group=_FORM, missing=_NEEDS_ATTRIBUTE),
    Opt("print-format", 2, "FILE", "columns as a print-format file says", colon="...", group=_FORM, takes="file",
        missing="Error: Argument -print-format requires a filename argument"),
    Opt("daemon", 3, help="read DAEMON_DAEMON_HISTORY, the ads of a daemon (the schedd's)", colon="DAEMON",
        group=_SOURCE),
    Opt("epochs", 2, help="one row for every execution attempt", colon="d", group=_SOURCE),
    Opt("transfer-history", 2, help="read the records of file transfers: of input, output, checkpoints", colon="ioc",
        group=_SOURCE),
    Opt("type", 2, "TYPES", "records of these kinds: JOB, with -epochs EPOCH; SPAWN, TRANSFER, ALL", group=_SOURCE,
        missing=_NEEDS_ONE),
    Opt("directory", 3, help="read a directory of single records", group=_SOURCE),
    Opt("search", 3, "DIR", "the directory, or the file, to search", group=_SOURCE, takes="dir", missing=_NEEDS_ONE),
    Opt("constraint", 1, "EXPR", "jobs for which EXPR is true", group=_RESTRICT, missing=_NEEDS_ONE, dash_value=True),
    Opt("since", 4, "EXPR|ID", "stop at this job, or when EXPR becomes true", group=_RESTRICT, missing=_NEEDS_ONE,
        dash_value=True),
    Opt("completedsince", 3, "TIME", "jobs that completed after TIME (Unix seconds)", group=_RESTRICT,
        missing="Error: Argument -completedsince requires another parameter."),
    Opt("extract", 2, "FILE", "copy the raw records to FILE", group=_FORM, takes="file",
        missing="Error: Argument -extract requires another parameter."),
    Opt("debug", 3, help="accepted; messages go to standard error in any case", colon="FLAGS"),
    Opt("diagnostic", 4, help="accepted; nothing is measured", hidden=True),
    Opt("no-librarian", 12, help="accepted; there is no librarian", hidden=True),
    Opt("name", 1, "NAME", "the schedd (with -startd the startd) whose configuration says where", group=_SOURCE,
        missing="Error: Argument -name requires name of a remote schedd\n"
        "\t\te.g. condor_history -name submit.example.com "),
    Opt("pool", 1, "HOST", "the pool to ask; this machine is the only one", group=_SOURCE, missing=_NEEDS_ONE),
    Opt("version", 1, help="the version and the platform"),
    Opt("plot", 2, help="draw jobs that ended, cores in use (of the last run of each job; with -epochs of all runs) "
        "and waiting times over time by owner", group=_FORM),
    Opt("svg", 2, "FILE", "draw them as SVG into FILE", group=_FORM, takes="file"),
)  # fmt: skip

SPEC = ToolSpec(
    name="condor_history",
    usage="[source] [restriction-list] [options]",
    summary="Show the jobs that left the queue.",
    positional="CLUSTER | CLUSTER.PROC | OWNER",
    positional_help="show only these jobs",
    description="It reads the history file and needs no daemon. The newest job comes first.",
    options=_OPTIONS,
    examples=(
        ("condor_history -limit 3", "the three jobs that ended last"),
        ("condor_history -plot -completedsince $(date -d -7days +%s)", "what ended in the last week, drawn"),
    ),
    unknown="Error: Unknown argument {arg}",
    usage_stream="stdout",
    see_also=("condor_q", "condor_wait"),
)
