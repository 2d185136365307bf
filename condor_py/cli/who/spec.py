"""The command line of condor_who, in HTCondor's matching order."""

from __future__ import annotations

from condor_py.cli.options import Opt, ToolSpec

_DAEMONS = "Daemons"
_WHERE = "Which startd"
_FORM = "Output"
_HINT = '\nUse "{tool} -help" for details'
_NEEDS_ATTRIBUTE = "Error: Argument {spelling} requires at least one attribute parameter" + _HINT

_OPTIONS = (
    Opt("help", 1, help="this text"),
    Opt("debug", 1, help="accepted; messages go to standard error in any case", colon="FLAGS"),
    Opt("daemons", 3, help="a table of the daemons: alive, pid, address", group=_DAEMONS),
    Opt("quickdaemons", 4, help="the readiness ad of the master", group=_DAEMONS),
    Opt("wait-for-ready", 4, "EXPR", "wait up to SECONDS until EXPR is true of the readiness ad", colon="SECONDS",
        group=_DAEMONS, dash_value=True, missing="Error: Argument {spelling} requires a requirements expression"),
    Opt("timed", 5, help="accepted; nothing is measured", hidden=True),
    Opt("address", 4, "ADDRESS", "the startd at this address", group=_WHERE,
        missing="Error: Argument -address requires a host address"),
    Opt("logdir", 3, "DIR", "the pool whose daemons log in DIR", group=_WHERE, takes="dir",
        missing="Error: Argument -logdir requires a directory"),
    Opt("pid", 3, "PID", "the startd with this process id", group=_WHERE,
        missing="Error: Argument -pid requires a process id parameter"),
    Opt("allpids", 2, help="every startd of this machine", group=_WHERE),
    Opt("wide", 1, help="do not cut rows (or cut them at N columns)", colon="N", group=_FORM),
    Opt("long", 1, help="whole ads", colon="FORM", group=_FORM),
    Opt("snapshot", 4, help="JOB_DIR is the scratch directory; -long has set-up, state and claim as ads of their own",
        colon="DETAIL", group=_FORM),
    Opt("statistics", 4, "SET:N", "accepted; all statistics are published", group=_FORM,
        missing="Error: Argument -statistics requires a value"),
    Opt("format", 1, "FMT EXPR", "print EXPR by a printf format; may be repeated", group=_FORM, dash_value=True,
        missing="Error: Argument -format requires format and attribute parameters"),
    Opt("autoformat", 5, "EXPR", "print values; LETTERS are of jlhVrTY,tng", colon="LETTERS", variadic=True,
        group=_FORM, missing=_NEEDS_ATTRIBUTE),
    Opt("af", 2, "EXPR", colon="LETTERS", variadic=True, same_as="autoformat", missing=_NEEDS_ATTRIBUTE),
    Opt("aaf", 3, "EXPR", "append columns to the table", colon="LETTERS", variadic=True, group=_FORM,
        missing=_NEEDS_ATTRIBUTE),
    Opt("print-format", 2, "FILE", "columns as a print-format file says", group=_FORM, takes="file",
        missing="Error: Argument -print-format requires a filename argument"),
    Opt("constraint", 3, "EXPR", "ads for which EXPR is true", group=_FORM, dash_value=True,
        missing="Error: -constraint requires an expression"),
    Opt("limit", 3, "N", "at most N ads", group=_FORM, missing="Error: -limit requires a number"),
    Opt("verbose", 4, help="also the log of each daemon", group=_DAEMONS),
    Opt("diagnostic", 4, help="accepted; nothing is measured", hidden=True),
    Opt("jobs", 3, help="the jobs instead of the slots", group=_FORM),
    Opt("startd", 6, help="the startd's own ad instead of the slots", group=_FORM),
)  # fmt: skip

SPEC = ToolSpec(
    name="condor_who",
    usage="[help-opt] [addr-opt] [display-opt]",
    summary="Show whose jobs run on this machine.",
    description=(
        "Reads what the startd has published. With -daemons, -quickdaemons or -wait-for-ready it tells about the "
        "daemons of the pool instead."
    ),
    options=_OPTIONS,
    examples=(
        ("condor_who", "running jobs with owner, slot, run time, pid and directory"),
        ("condor_who -daemons", "are the daemons alive?"),
        ("condor_who -wait:60 'IsReady && STARTD_State =?= \"Ready\"'", "wait until the pool can run jobs"),
    ),
    unknown="Error: {arg} is not a valid argument",
    usage_after=(),
    see_also=("condor_status", "condor_q"),
)
SPECS = (SPEC,)
