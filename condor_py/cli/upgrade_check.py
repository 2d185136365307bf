"""condor_upgrade_check: what in the configuration the next release of HTCondor takes otherwise, or no more."""

from __future__ import annotations

import os
import re
import stat
import sys

from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from condor_py.lang.config import Config

#: The release that the checks are about, and the configuration of an HTCondor-CE.
_NEXT = 26
_CE_CONFIG = "/etc/condor-ce/condor_config"
_BASE, _DETAILED = 1, 2
_NO_TAG = "condor_upgrade_check: error: argument -{name[0]}/--{name}: expected at least one argument"

_SPEC = ToolSpec(
    name="condor_upgrade_check",
    usage="[-h] [-ce] [-a] [-i TAG [TAG ...]] [-o TAG [TAG ...]] [-w] [-d] [-v] [-t]",
    summary="Check for known incompatibilities with the next release of HTCondor.",
    description=(
        "Each check has a tag, and the version that brought the change. Without -all only checks for changes that are "
        "newer than the release which this one follows are made. Some do not concern condor_py itself, but the same "
        "configuration with HTCondor; the texts say so. condor_setup -upgrade checks another version of condor_py."
    ),
    options=(
        Opt("help", 1, help="this text"),
        Opt("ce", 2, help="check the configuration of an HTCondor-CE"),
        Opt("CE", 2, same_as="ce", help="the same"),
        Opt("all", 1, help="make all checks, those for older changes too"),
        Opt("ignore", 1, "TAG", "leave out these checks", variadic=True, missing=_NO_TAG),
        Opt(
            "only",
            1,
            "TAG",
            "make only these checks; WARNINGS means those that only warn",
            variadic=True,
            missing=_NO_TAG,
        ),
        Opt("warnings", 1, help="make checks that only warn, too (the default)"),
        Opt("no-warnings", 1, help="leave those out"),
        Opt("dump", 1, help="list the checks"),
        Opt("verbose", 1, help="tell more; may be given again"),
        Opt("tags", 1, help="list the tags"),
    ),
    examples=(
        ("condor_upgrade_check --all", "what of this configuration is obsolete?"),
        ("condor_upgrade_check -d -v", "which checks are there?"),
    ),
    exit_status="0 whether or not something was found, 1 when it cannot be checked, 2 when the command line is wrong.",
    unknown="condor_upgrade_check: error: unrecognized arguments: {arg}",
    see_also=("condor_setup", "condor_config_val"),
)
SPECS = (_SPEC,)


class _Refused(CondorError):
    """A command line that cannot be understood."""

    exit_code = 2


class _Check:
    """One check. ``test`` returns lines about what it found, none when all is well."""

    def __init__(
        self,
        tag: str,
        name: str,
        version: tuple[int, int, int],
        synopsis: str,
        test: Callable[[Config], Iterable[str]],
        daemons: tuple[str, ...] = (),
        *,
        warns: bool = False,
        description: str = "",
    ) -> None:
        self.tag, self.name, self.version, self.synopsis, self.test = tag, name, version, synopsis, test
        self.daemons, self.warns, self.description = daemons, warns, description

    def is_chosen(self, ignored: set[str], only: set[str]) -> bool:
        """Whether the command line wants it."""
        wanted = not only or self.tag in only or (self.warns and "WARNINGS" in only)
        return wanted and self.tag not in ignored


# -- the checks: lines about what was found


def _multi_queue(config: Config) -> list[str]:
    return [
        "Warning:",
        "    More than one queue statement in a submit description is deprecated,",
        "    and a later release of HTCondor 25 refuses it.",
    ]


def _python(config: Config) -> list[str]:
    """Programs find the modules ``htcondor`` and ``classad`` here."""
    return []


_ROUTER_KNOBS = tuple(f"JOB_ROUTER_{word}" for word in ("DEFAULTS", "ENTRIES", "ENTRIES_CMD", "ENTRIES_FILE"))


def _router(config: Config) -> list[str]:
    found = [knob for knob in _ROUTER_KNOBS if config.string(knob).strip()]
    if not found:
        return []
    return [
        "Warning:",
        "    Routes in the old syntax work here, but not with HTCondor since 24.10:",
        *(f"        - {knob}" for knob in found),
        "    Write them as JOB_ROUTER_ROUTE_NAMES and JOB_ROUTER_ROUTE_<name>.",
    ]


def _transforms(config: Config) -> list[str]:
    names = [f"JOB_TRANSFORM_{name}" for name in config.list("JOB_TRANSFORM_NAMES")]
    found = [name for name in names if config.string(name).lstrip().startswith("[")]
    if not found:
        return []
    return [
        f"Found {len(found)} job transform{'s' if len(found) > 1 else ''} in the old syntax, which works here, but not",
        "with HTCondor since 25.8. Write statements (SET, DEFAULT, ...) instead:",
        *(f"    - {name}" for name in found),
    ]


def _rank(config: Config) -> list[str]:
    """RANK is about static slots; a number is as good as none."""
    if any(name.upper().startswith("SLOT_TYPE_") for name in _set_names(config)):
        return []
    rank = config.string("RANK").strip()
    try:
        float(rank or "0")
    except ValueError:
        return [
            "Issue found with StartD Rank:",
            f"    RANK = {rank}",
            "    does not order the jobs of a partitionable slot, which is the default since",
            "    23.0. Static slots (use FEATURE:StaticSlots, or SLOT_TYPE_1) have it take effect.",
        ]
    return []


#: A number with a unit, as ClassAds had them.
_WITH_UNIT = re.compile(r"[^A-Za-z_]\d+[BbKkMmGgTt]")
#: Knobs whose values have such words that are no ClassAds.
_OTHER_WORDS = re.compile(
    r"DCSTATISTICS_TIMESPANS|TRANSFER_IO_REPORT_TIMESPANS|JAVA_MAXHEAP_ARGUMENT|JAVA_EXTRA_ARGUMENTS|IPV6_ADDRESS|"
    r"FILE_TRANSFER_DISK_LOAD_THROTTLE_.*|.*_CRON_.*_PERIOD|BENCHMARKS_.*_PERIOD",
    re.IGNORECASE,
)


def _units(config: Config) -> list[str]:
    found = [
        name
        for name in _set_names(config)
        if not _OTHER_WORDS.fullmatch(name) and _WITH_UNIT.search(config.raw(name) or "")
    ]
    if not found:
        return []
    return [
        "Found what may be numbers with units, which ClassAd expressions do not have",
        "any more (submit commands such as request_memory do).",
        "  Macros:",
        *(f"    - {name}" for name in found),
    ]


_METHODS = re.compile(r"SEC_[A-Z]*_AUTHENTICATION_METHODS", re.IGNORECASE)


def _password(config: Config) -> list[str]:
    if not any(_METHODS.fullmatch(name) and "PASSWORD" in config.string(name).upper() for name in _set_names(config)):
        return []
    return [
        "Who authenticates by the pool's password is condor@password with HTCondor since",
        "23.9.6, not condor_pool@$(UID_DOMAIN): ALLOW_* and DENY_* may have to say so. The",
        "pool of this machine takes the identity from the kernel.",
    ]


def _tokens(config: Config) -> list[str]:
    """The files of SEC_TOKEN_SYSTEM_DIRECTORY and SEC_TOKEN_DIRECTORY belong to the pool's account alone."""
    wrong: list[str] = []
    for knob in ("SEC_TOKEN_SYSTEM_DIRECTORY", "SEC_TOKEN_DIRECTORY"):
        place = config.string(knob)
        if place and not place.startswith("~"):
            wrong += _wrong_tokens(place)
    if not wrong:
        return []
    return [f"Found {len(wrong)} token directories or files that others may use:", *(f"    {line}" for line in wrong)]


def _wrong_tokens(place: str) -> Iterator[str]:
    try:
        paths = [place, *(entry.path for entry in os.scandir(place))]
    except FileNotFoundError:
        return
    except OSError as error:
        yield f"{place}: {error.strerror}"
        return
    for path in paths:
        try:
            found = os.lstat(path)
        except OSError as error:
            yield f"{path}: {error.strerror}"
            continue
        if found.st_uid not in (0, os.geteuid()):
            yield f"{path}: it belongs to user {found.st_uid}"
        mode = stat.S_IMODE(found.st_mode)
        if mode & 0o077:
            yield f"{path}: its permissions are {mode:o}, not {'700' if path == place else '600'}"


def _set_names(config: Config) -> list[str]:
    """The knobs that the configuration sets."""
    from condor_py.lang.config.settings import DEFAULT

    return [name for name in config.names() if config.source(name) not in (None, DEFAULT)]


_CHECKS = (
    _Check(
        "JOB-XFORM", "Obsolete Syntax For Schedd Job Transforms", (25, 8, 0),
        "JOB_TRANSFORM_<name> has no form in brackets any more", _transforms, ("SCHEDD",),
    ),
    _Check(
        "PY-API", "Python API Deprecation", (25, 0, 0),
        "HTCondor has no modules htcondor and classad any more; condor_py has them", _python,
    ),
    _Check(
        "OLD-JRC", "Old Job Router Syntax", (24, 10, 2),
        "Old Job Router Configuration Syntax has been removed", _router, ("JOB_ROUTER",),
    ),
    _Check(
        "AD-UNITS", "ClassAd Unit Specifiers", (23, 9, 6),
        "ClassAds have no numbers with units any more", _units,
        description="Numbers as 10G in the values of configuration macros are looked for; some may be no ClassAds.",
    ),
    _Check(
        "PASSWORD", "Pool PASSWORD identity changed", (23, 9, 6),
        "PASSWORD authentication gives condor@password instead of condor_pool@UID_DOMAIN", _password,
    ),
    _Check(
        "MULTI-Q", "Multiple Queue Statement Deprecation", (23, 7, 1),
        "The use of multiple queue statements in one submit file is deprecated", _multi_queue, ("SCHEDD",), warns=True,
    ),
    _Check(
        "TOK-PERM", "Token Permissions", (23, 7, 1), "Verify ownership and permissions of stored tokens", _tokens,
        description="The directories of tokens and the files in them are looked at.",
    ),
    _Check(
        "P-SLOT", "Enable P-Slots as default", (23, 0, 0),
        "RANK does not take effect with the partitionable slot that is the default", _rank, ("STARTD",),
    ),
)  # fmt: skip


# -- the command


def main(argv: list[str]) -> int:
    """Run condor_upgrade_check."""
    args = _parsed(argv)
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(_SPEC))
        return 0
    if args.has("tags"):
        sys.stdout.write("".join(f"{line}\n" for line in _tags()))
    elif args.has("dump"):
        sys.stdout.write("".join(f"{line}\n" for line in _dump(_chosen(args), len(args.all("verbose")) > 0)))
    else:
        _check(args)
    return 0


def _parsed(argv: list[str]) -> Args:
    words = [part for word in argv for part in (["-v"] * (len(word) - 1) if re.fullmatch("-v+", word) else [word])]
    try:
        args = parse(_SPEC, words)
    except UsageError as error:
        raise _Refused(str(error)) from None
    if args.positional:
        raise _Refused(_SPEC.unknown.format(arg=args.positional[0]))
    return args


def _chosen(args: Args) -> list[_Check]:
    ignored, only = ({str(tag).upper() for use in args.all(name) for tag in use.values} for name in ("ignore", "only"))
    return [check for check in _CHECKS if check.is_chosen(ignored, only)]


def _tags() -> Iterator[str]:
    yield from ("", "Incompatibility Check Tags:", "       TAGS   |  Check", "    " + "=" * 20)
    yield from (f"    {check.tag:<10}| '{check.name}'" for check in _CHECKS)


def _dump(checks: list[_Check], verbose: bool) -> Iterator[str]:
    yield from ("", f"Incompatibility Checks for upgrading to HTCondor V{_NEXT}:")
    yield from ("    (For detailed descriptions use -v/--verbose)", "")
    for check in checks:
        yield f"    ({_CHECKS.index(check) + 1}/{len(_CHECKS)}) [{check.tag:<10}] '{check.name}'"
        yield f"          Version : V{'.'.join(map(str, check.version))}"
        yield f"          Synopsis: {check.synopsis}"
        if verbose:
            yield from ("", f"          {check.description or 'No detailed check description provided.'}", "")


def _config(args: Args) -> tuple[str, Config]:
    """Return the name of the system, and its configuration. CondorError."""
    from condor_py.client.pool import open_pool

    if not args.has("ce"):
        return "HTCondor", open_pool().config
    if not os.path.exists(_CE_CONFIG):
        raise CondorError(f"\nError: HTCondor-CE Specified but failed to locate {_CE_CONFIG}")
    os.environ["CONDOR_CONFIG"] = _CE_CONFIG
    return "HTCondor-CE", open_pool().config


def _check(args: Args) -> None:
    """Make the checks that are wanted, and print what they find."""
    from condor_py.model.version import HTCONDOR_VERSION

    system, config = _config(args)
    current = tuple(int(part) for part in HTCONDOR_VERSION.split("."))
    verbosity = _BASE + len(args.all("verbose"))
    warnings = args.last("warnings", "no-warnings")
    daemons = config.string("DAEMON_LIST").upper()
    out = sys.stdout.write
    out(f"\nChecking {system} for possible issues with known incompatibilities upgrading to V{_NEXT}\n")
    made = failed = 0
    for check in _chosen(args):
        if (check.version <= current and not args.has("all")) or any(name not in daemons for name in check.daemons):
            continue
        if check.warns and warnings is not None and warnings.name == "no-warnings":
            continue
        found = list(check.test(config))
        made, failed = made + 1, failed + bool(found)
        if verbosity >= _DETAILED:
            out(f"\nChecking {check.name} [{check.tag}]:\n")
        out("".join(f"{line}\n" for line in (["", *(f"    {line}" for line in found)] if found else ())))
        if verbosity >= _DETAILED:
            verdict = f"Check {check.name} [{check.tag}] failed" if found else "No issue found with check"
            out(f"        {verdict}\n")
    _report(system, made, failed, verbosity)


def _report(system: str, made: int, failed: int, verbosity: int) -> None:
    out = sys.stdout.write
    if verbosity >= _DETAILED:
        out(f"\nFinal Report:\n    {made} checks tested against currently installed {system}.\n")
    if not failed:
        out("" if verbosity >= _DETAILED else "\n")
        out(f"    No issues found with installed {system} for known incompatibilities.\n")
        out(f"    Upgrade to V{_NEXT} should be safe.\n")
    elif verbosity >= _DETAILED:
        out(f"    Current install failed {failed} checks.\n")
