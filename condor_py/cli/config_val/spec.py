"""The table of condor_config_val's options."""

from __future__ import annotations

from condor_py.cli.options import EXACT, Opt, ToolSpec

DAEMONS = ("master", "schedd", "startd", "collector", "negotiator")
CHANGES = ("set", "unset", "rset", "runset")

_FILES = "Which configuration"
_DAEMON = "Asking a daemon"
_SHOW = "What to show"
_CHANGE = "Changing the configuration of a daemon"

SPEC = ToolSpec(
    name="condor_config_val",
    usage="[options] [use] NAME ...",
    summary="Print values of the configuration, where they come from, or what a template contains.",
    positional="NAME",
    positional_help="a knob; a regular expression with -dump; text with -macro; CATEGORY or CATEGORY:NAME after 'use'",
    description="Values are shown with their macros expanded, as daemons see them. Without an option that names a "
    "daemon, they are those of the files and the environment now; with one, what that daemon holds since it started "
    "or was last reconfigured.",
    options=(
        Opt("name", 1, arg="DAEMON", help="ask the daemon of this name", group=_DAEMON, dash_value=True),
        Opt("address", 1, arg="ADDRESS", help="ask the daemon at this address", group=_DAEMON, dash_value=True),
        Opt("pool", 1, arg="HOST", help="find the daemon in this pool", group=_DAEMON, dash_value=True),
        Opt(
            "local-name",
            2,
            arg="NAME",
            help="look knobs up under NAME. first",
            group=_FILES,
            dash_value=True,
            missing="-local_name requires an argument",
        ),
        Opt("subsystem", 3, arg="NAME", help="look knobs up as this daemon does", group=_FILES, dash_value=True),
        Opt("owner", 1, help="print the account that the daemons run as"),
        Opt("tilde", 1, help="print the home directory of the account condor"),
        Opt("master", 2, help="ask the master", group=_DAEMON),
        Opt("schedd", 2, help="ask the schedd", group=_DAEMON),
        Opt("startd", 2, help="ask the startd", group=_DAEMON),
        Opt("collector", 3, help="ask the master, in place of the collector", group=_DAEMON),
        Opt("negotiator", 3, help="ask the negotiator", group=_DAEMON),
        Opt("set", 2, help="set 'NAME = VALUE' for good", group=_CHANGE),
        Opt("unset", 3, help="undo -set of NAME", group=_CHANGE),
        Opt("rset", 3, help="set 'NAME = VALUE' until the daemon restarts", group=_CHANGE),
        Opt("runset", 5, help="undo -rset of NAME", group=_CHANGE),
        Opt("mixedcase", 2, help="with -set and the like: keep the case of the name", group=_CHANGE),
        Opt("diagnostic", 4, help="say on stderr what is sent and received", group=_DAEMON),
        Opt("raw", 3, help="the text as it was written, macros not expanded", group=_SHOW),
        Opt("default", 3, help="the default", group=_SHOW),
        Opt("config", 2, help="the configuration files", group=_SHOW),
        Opt("reconfig", 5, arg="FILE", help="read this file last", group=_FILES, dash_value=True, takes="file"),
        Opt("swap", 4, help="accepted; there is one table of settings only", hidden=True),
        Opt("verbose", 1, colon="use", help="also file, line and text; with :use how often it is used", group=_SHOW),
        Opt("dump", 1, help="all knobs, or those that match NAME", group=_SHOW),
        Opt("trace", 2, help="also every earlier setting of NAME", group=_SHOW),
        Opt("stats", 4, colon="keep", help="numbers about the configuration", group=_SHOW),
        Opt("info", 3, colon="x", help="also what a knob is for and what it may be", group=_SHOW),
        Opt("expanded", 2, help="with -dump: expanded values", group=_SHOW),
        Opt("macro", 3, colon="path", help="expand the macros of the text NAME", group=_SHOW),
        Opt("evaluate", 2, help="with a daemon: the value of the expression in its ad", group=_SHOW),
        Opt("unused", 4, help="with -dump: knobs that are never read", group=_SHOW),
        Opt("used", 2, help="with -dump: knobs that are read", group=_SHOW),
        Opt("summary", 3, colon="detected", help="what files and environment set", group=_SHOW),
        Opt("writeconfig", 3, arg="FILE", colon="FILTER", help="write it to FILE", group=_SHOW, dash_value=True),
        Opt("root-config", 4, arg="FILE", help="read this file first", group=_FILES, dash_value=True, takes="file"),
        Opt("json", 1, help="the answer as JSON", group=_SHOW),
        Opt("toml", 2, help="the answer as TOML", group=_SHOW),
        Opt("lint", 2, help="what is probably wrong with the configuration, and where; exit status 1 for errors"),
        Opt(
            "help-knob", 6, arg="NAME", help="what a knob is for, default, type, range, and when a change takes effect"
        ),
        Opt("check-if", EXACT, arg="CONDITION", help="whether 'if CONDITION' is understood, and its value"),
        Opt("debug", 2, colon="FLAGS", help="accepted; messages go to standard error in any case"),
        Opt("help", 2, help="this text"),
        Opt("version", 3, help="the version and the platform"),
    ),
    examples=(
        ("condor_config_val -verbose SPOOL", "the value, the file and the line that set it"),
        ("condor_config_val -dump _LOG", "every knob whose name contains _LOG"),
        ("condor_config_val use ROLE:Personal", "what a template sets"),
        ("condor_config_val -schedd MAX_JOBS_RUNNING", "what the running schedd holds"),
        ("condor_config_val -schedd -rset 'MAX_JOBS_RUNNING = 50'", "set it until the schedd restarts"),
        ("condor_config_val -lint", "misspelled knobs, values out of range, expressions that cannot work"),
        ("condor_config_val -dump -json | jq .SPOOL.at", "where SPOOL was set, for a script"),
    ),
    exit_status="0; 1 when a name is not defined, -lint finds an error, the configuration is wrong or the command line "
    "is; 2 when the file of -writeconfig cannot be written. A daemon that is asked for a name that is not defined "
    "answers 'Not defined', with exit status 0.",
    missing="-{name} requires an argument",
    unknown="{arg} is not a valid argument",
    usage_after=("unknown", ""),
    see_also=("condor_config(5)", "condor_reconfig", "condor_master"),
)
