"""The command line of condor_status, in HTCondor's matching order."""

from __future__ import annotations

from condor_py.cli.options import Opt, ToolSpec
from condor_py.model.texts import leading_number

_WHAT = "What to show"
_SLOTS = "Slot displays"
_FORM = "Output forms"
_RESTRICT = "Restrictions"
_POOL = "Pool"
_HINT = '\nUse "{tool} -help" for details'
_ONE_MORE = "{tool}: -{name} requires one additional argument" + _HINT
_ANOTHER = "{tool}: -{name} requires another argument" + _HINT
_NEEDS_ATTRIBUTE = "Error: Argument {spelling} requires at least one attribute parameter" + _HINT


_OPTIONS = (
    Opt("avail", 2, help="slots that could take a job", group=_SLOTS),
    Opt("pool", 1, "HOST", "the pool to ask; this machine is the only one", group=_POOL,
        missing="{tool}: -pool requires a hostname as an argument." + _HINT),
    Opt("ads", 2, "FILE", "read ads from FILE; FORM is long, xml, json, new or auto", colon="FORM", group=_POOL,
        takes="file", missing="{tool}: -ads requires a filename argument" + _HINT),
    Opt("format", 1, "FMT EXPR", "print EXPR by a printf format; may be repeated", group=_FORM, dash_value=True,
        missing="{tool}: -format requires two other arguments" + _HINT),
    Opt("autoformat", 5, "EXPR", "print values; LETTERS are of lhVr,tngTY", colon="LETTERS", variadic=True,
        group=_FORM, missing=_NEEDS_ATTRIBUTE),
    Opt("af", 2, "EXPR", colon="LETTERS", variadic=True, same_as="autoformat", missing=_NEEDS_ATTRIBUTE),
    Opt("aaf", 3, "EXPR", "append columns to the table", colon="LETTERS", variadic=True, group=_FORM,
        missing=_NEEDS_ATTRIBUTE),
    Opt("print-format", 2, "FILE", "columns as a print-format file says", colon="...", group=_FORM, takes="file",
        missing="Error: Argument -print-format requires a filename argument"),
    Opt("wide", 3, help="do not cut rows (or cut them at N columns)", colon="N", group=_FORM),
    Opt("natural", 3, help="accepted; slot2 comes before slot10 in any case", colon="HOW", group=_FORM),
    Opt("target", 4, "FILE", "evaluate -af and -format against the ad in FILE", group=_FORM, takes="file",
        missing=_ONE_MORE),
    Opt("constraint", 3, "EXPR", "ads for which EXPR is true", group=_RESTRICT, dash_value=True, missing=_ANOTHER),
    Opt("direct", 3, "NAME", "the daemon of this name or host, which must be of this machine", group=_POOL,
        missing=_ANOTHER),
    Opt("diagnose", 3, help="what would be asked and shown, without looking", colon="FILE", group=_POOL),
    Opt("debug", 2, help="accepted; messages go to standard error in any case", colon="FLAGS", group=_POOL),
    Opt("defrag", 3, help="the defrag daemon", group=_WHAT),
    Opt("help", 1, help="this text"),
    Opt("limit", 2, "N", "at most N ads", group=_RESTRICT, dash_value=True, convert=leading_number, missing=_ONE_MORE),
    Opt("long", 1, help="whole ads; FORM is nosort, xml, json, jsonl, new or newl", colon="FORM", group=_FORM),
    Opt("xml", 1, help="whole ads as XML", group=_FORM),
    Opt("json", 2, help="whole ads as JSON", group=_FORM),
    Opt("toml", 4, help="whole ads as TOML", group=_FORM),
    Opt("attributes", 2, "NAMES", "only these attributes in -long, -xml and -json", group=_FORM, missing=_ONE_MORE),
    Opt("group-by", 5, "NAMES", "after the table, group the ads by these attributes", group=_FORM,
        missing=_ONE_MORE),
    Opt("claimed", 2, help="claimed slots and their users", group=_SLOTS),
    Opt("data", 2, help="file transfer of schedds", group=_WHAT),
    Opt("run", 1, help="running jobs of schedds; with -slots the claimed slots", group=_WHAT),
    Opt("cod", 3, hidden=True),
    Opt("gpus", 3, help="slots with GPUs", group=_SLOTS),
    Opt("java", 1, help="slots that can run Java", group=_RESTRICT),
    Opt("annex-slots", 5, "NAME", hidden=True, optional=True),
    Opt("annex-name", 10, "NAME", hidden=True, missing="{tool}: -annex-name requires an annex name" + _HINT),
    Opt("absent", 2, help="slots that went away", group=_RESTRICT),
    Opt("offline", 2, help="slots that are off line", group=_RESTRICT),
    Opt("merge", 5, "FILE", "compare with the ads in FILE: only here, in both, only there", group=_RESTRICT,
        takes="file", missing="{tool}: -merge requires a filename argument" + _HINT),
    Opt("vm", 2, help="slots that can run virtual machines", group=_RESTRICT),
    Opt("slots", 2, help="slots (the default)", group=_WHAT),
    Opt("compact", 3, help="one row a machine", group=_SLOTS),
    Opt("nocompact", 5, help="one row a slot (the default)", group=_SLOTS),
    Opt("server", 2, help="sizes and speeds", group=_SLOTS),
    Opt("state", 4, help="states and the times spent in them", group=_SLOTS),
    Opt("broken", 4, help="slots that could not be made", group=_SLOTS),
    Opt("lvm", 3, help="limited disks of jobs; with -startd the volume that holds them", group=_SLOTS,
        colon="..."),
    Opt("healthy", 4, help="health of machines; HOW is verbose", colon="HOW", group=_WHAT),
    Opt("snapshot", 4, help="accepted; a published ad is a snapshot", hidden=True, colon="..."),
    Opt("statistics", 5, "SET:N", "accepted; all statistics are published", group=_POOL, missing=_ANOTHER),
    Opt("startd", 4, help="startd daemons", group=_WHAT),
    Opt("schedd", 2, help="schedds", group=_WHAT),
    Opt("grid", 1, help="grid resources", group=_WHAT),
    Opt("subsystem", 4, "NAME", "ads of this kind", group=_WHAT, missing=_ANOTHER),
    Opt("license", 2, help="licenses", group=_WHAT),
    Opt("storage", 3, help="storage servers", group=_WHAT),
    Opt("negotiator", 1, help="the negotiator", group=_WHAT),
    Opt("generic", 2, help="generic ads", group=_WHAT),
    Opt("any", 2, help="all ads", group=_WHAT),
    Opt("sort", 2, "EXPR", "sort by EXPR; no keeps the order", group=_RESTRICT, dash_value=True, missing=_ANOTHER),
    Opt("submitters", 4, help="submitters", group=_WHAT),
    Opt("master", 1, help="masters", group=_WHAT),
    Opt("collector", 3, help="collectors", group=_WHAT),
    Opt("world", 1, same_as="collector", hidden=True),
    Opt("ckptsrvr", 2, help="checkpoint servers", group=_WHAT),
    Opt("totals", 1, help="only the totals", group=_FORM),
    Opt("expert", 1, help="short error messages"),
    Opt("version", 3, help="the version and the platform"),
)  # fmt: skip

SPEC = ToolSpec(
    name="condor_status",
    usage="[help-opt] [query-opt] [custom-opts] [display-opts] [name ...]",
    summary="Show the slots of this machine, or what daemons and submitters publish.",
    positional="NAME",
    positional_help="only ads of this slot or machine (with -claimed: of this user)",
    description=(
        "Without options it shows the slots with their states and totals. It reads the ads that the daemons "
        "publish as files; no daemon is asked."
    ),
    options=_OPTIONS,
    examples=(
        ("condor_status", "the slots"),
        ("condor_status -compact", "one row a machine"),
        ("condor_status -schedd -long", "all about the schedd"),
        ("condor_status -af:h Name State Cpus Memory", "a table of your own"),
    ),
    unknown="Error:  Unknown option {arg}",
    dash=False,
    see_also=("condor_q", "condor_userprio", "condor_drain"),
)
SPECS = (SPEC,)
