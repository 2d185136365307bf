"""condor_ping: as whom a daemon sees the caller, and what it lets that user do (manual page)."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.common import host_and_port
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.cli.tokens import DAEMONS, is_named, not_located, runs, type_of
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from condor_py.cli.output.mask import Mask
    from condor_py.client.authorization import Command
    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd

_OUTPUT = "Output (one of)"
_TARGET = "The daemon asked"
_MISSING = "ERROR: -{name} requires an argument.\n"
_LEVELS_HELP = (
    ("ALLOW", "every account that may connect"),
    ("READ", "read the queue and the slots"),
    ("WRITE", "submit jobs and change one's own"),
    ("NEGOTIATOR", "what the negotiator may"),
    ("ADMINISTRATOR", "command the daemons (condor_off, condor_on ...)"),
    ("CONFIG", "change the configuration (condor_config_val -set)"),
    ("DAEMON", "what daemons ask of one another"),
    ("ADVERTISE_STARTD", "publish ads of slots"),
    ("ADVERTISE_SCHEDD", "publish ads of schedds"),
    ("ADVERTISE_MASTER", "publish ads of masters"),
)
_SPEC = ToolSpec(
    name="condor_ping",
    usage="[options] [TOKEN...]",
    summary="Tell as whom a daemon sees you, and what you may do there.",
    positional="TOKEN",
    positional_help="a level of authorization, ALL for each of them, or the name or number of a command of HTCondor "
    "(WRITE)",
    description=(
        "Daemons of this machine know their callers from the kernel, by the sockets that connect them; condor_ping "
        "calls that FS, as HTCondor calls its method for accounts of the same machine. Any account that may connect "
        "may READ; who may WRITE and ADMINISTRATE depends on the account that the pool belongs to. ALLOW_READ, "
        "SEC_DEFAULT_AUTHENTICATION_METHODS and other knobs of HTCondor's security have no effect here."
    ),
    options=(
        Opt("help", 1, "TOPIC", help="this text; with levels, config or all more about authorization",
            optional=True),
        Opt("quiet", 1, help="print nothing; the exit status tells", group=_OUTPUT),
        Opt("table", 2, help="a line for each TOKEN", group=_OUTPUT),
        Opt("verbose", 1, help="everything that is known", group=_OUTPUT),
        Opt("long", 1, help="the ad of what was agreed on", group=_OUTPUT),
        Opt("format", 1, "FMT EXPR", help="print a value of that ad, or Result, Name or From", dash_value=True,
            missing="ERROR: -format requires 2 arguments\n", group=_OUTPUT),
        Opt("af", 2, "EXPR", colon="LETTERS", variadic=True, same_as="autoformat",
            missing="ERROR: could not parse -af option\n"),
        Opt("autoformat", 5, "EXPR", help="print values of that ad; LETTERS are of lhVr,tng", colon="LETTERS",
            variadic=True, missing="ERROR: could not parse -af option\n", group=_OUTPUT),
        Opt("config", 1, "FILE", help="read this file after the configuration", dash_value=True, takes="file",
            missing=_MISSING),
        Opt("root-config", 4, "FILE", help="read this file instead of the configuration", dash_value=True,
            takes="file", missing=_MISSING),
        Opt("pool", 1, "HOST", help="a daemon of that pool", missing=_MISSING, group=_TARGET),
        Opt("name", 1, "NAME", help="the daemon of this name", missing=_MISSING, group=_TARGET),
        Opt("subsystem", 3, "TYPE", same_as="type", missing=_MISSING),
        Opt("type", 4, "TYPE", help=f"its type, of {', '.join(DAEMONS)} (schedd)", missing=_MISSING, group=_TARGET),
        Opt("address", 1, "ADDRESS", help="the daemon at <host:port>", missing=_MISSING, group=_TARGET),
        Opt("version", 4, help="the version and the platform"),
        Opt("debug", 1, help="accepted; messages go to standard error in any case", colon="FLAGS"),
    ),
    unknown="ERROR: Unknown argument: {arg}\n",
    usage_after=("unknown", "missing"),
    examples=(
        ("condor_ping", "whether you may submit, and as whom"),
        ("condor_ping -table ALL", "everything that you may do"),
        ("condor_ping -type startd -quiet ADMINISTRATOR && condor_vacate", "in a script"),
    ),
    exit_status="0 when every TOKEN is granted, 1 when one is not or no daemon answers.",
    see_also=("condor_token_fetch", "condor_who"),
)  # fmt: skip
SPECS = (_SPEC,)
#: Ways to print, at most one of which may be named.
_MODES = ("quiet", "table", "verbose", "long", "autoformat", "format")
#: HTCondor's refusals.
_DENIED = 'SECMAN:2010:Received "DENIED" from server for user {user} using method FS.'
_NOT_KNOWN = "SECMAN:2011:Connection closed during command authorization. Probably due to an unknown command."


class _Question(NamedTuple):
    """A word of the command line, and the command that it means."""

    word: str
    command: Command


class _Answer(NamedTuple):
    """The answer to a question: ``ad`` is what was agreed on, None where it was refused; then ``error`` is the reason
    and ``hint`` what is known all the same."""

    question: _Question
    ad: ClassAd | None
    error: str = ""
    hint: ClassAd | None = None


class _Target(NamedTuple):
    """The daemon asked: its kind, how it is called in the output, and, where it is not of this machine, its pool, its
    name and its address."""

    kind: str
    shown: str
    is_elsewhere: bool = False
    host: str = ""
    name: str = ""
    address: str = ""


def main(argv: list[str]) -> int:
    """Run condor_ping."""
    args = parse(_SPEC, argv)
    if args.has("help"):
        return _help(args)
    if args.has("version"):
        from condor_py.cli.version import version_lines

        sys.stdout.write(version_lines())
        return 0
    mode = _mode(args)
    if args.has("address") and (args.has("pool") or args.has("name")):
        raise _usage("ERROR: -address cannot be used with -pool or -name.\n")
    kind = type_of(args, "schedd")
    mask = _custom(args)
    pool = _open_pool(args)
    try:
        return _ask(args, pool, kind, mode, mask)
    except CondorError:
        if mode != "quiet":
            raise
    return 1


def _ask(args: Args, pool: Pool, kind: str, mode: str, mask: Mask | None) -> int:
    """Ask, print the answers, and return the exit status. CondorError where no daemon can be asked."""
    questions = _questions(args, mode)
    target = _target(args, pool, kind, mode)
    if mode == "table":
        sys.stdout.write("         Instruction Authentication Encryption Integrity Decision Identity\n")
    printer = _Printer(mode, mask, target.shown)
    granted = True
    for answer in _elsewhere(pool, target, questions) if target.is_elsewhere else _here(pool, target, questions):
        printer.show(answer)
        granted = granted and answer.ad is not None
    return 0 if granted else 1


def _help(args: Args) -> int:
    from condor_py.cli.command import help_text

    sys.stdout.write(help_text(_SPEC))
    use = args.last("help")
    topic = use.values[0].lower() if use is not None and use.values else ""
    if topic and ("all".startswith(topic) or "levels".startswith(topic) or "auth".startswith(topic)):
        sys.stdout.write("\nLevels of authorization:\n")
        sys.stdout.writelines(f"    {name:<20} {text}\n" for name, text in _LEVELS_HELP)
    if topic and ("all".startswith(topic) or "config".startswith(topic)):
        sys.stdout.write("\nSecurity configuration:\n    none: the kernel says who calls, and that decides\n")
    return 0


def _usage(text: str) -> UsageError:
    return UsageError(text, _SPEC, kind="unknown")


def _mode(args: Args) -> str:
    used = {use.name for use in args.uses} & set(_MODES)
    custom = used & {"autoformat", "format"}
    if len(used - custom) + bool(custom) > 1:
        raise _usage("ERROR: only one output mode may be specified.\n")
    return "custom" if custom else next(iter(used), "sentence")


def _custom(args: Args) -> Mask | None:
    """The columns of -af and -format; None without. UsageError for expressions that do not parse."""
    if not args.has("autoformat") and not args.has("format"):
        return None
    from condor_py.cli.output.autoformat import add_autoformat, add_format
    from condor_py.cli.output.mask import Mask

    mask = Mask()
    for use in args.uses:
        if use.name == "autoformat" and not add_autoformat(mask, use.values, use.colon):
            raise _usage("ERROR: could not parse -af option\n")
        if use.name == "format" and not add_format(mask, use.values[0], use.values[1]):
            raise _usage(f"ERROR: {use.values[1]} is not a valid expression\n")
    return mask


def _questions(args: Args, mode: str) -> list[_Question]:
    """The words of the command line, ALL as what it stands for. CondorError names those that cannot be understood."""
    from condor_py.client.authorization import LEVELS, command_of

    words: list[str] = []
    for word in args.positional:
        words += LEVELS if word.upper() == "ALL" else [word]
    if not words:
        words = ["WRITE"]
        if mode == "table":
            sys.stderr.write(
                "WARNING: Missing <authz-level | command-name | command-int> argument, defaulting to WRITE.\n"
            )
    found = [(word, command_of(word)) for word in words]
    wrong = [word for word, command in found if command is None]
    if wrong:
        raise CondorError("\n".join(f'ERROR: Could not understand TOKEN "{word}".' for word in wrong))
    return [_Question(word, command) for word, command in found if command is not None]


def _open_pool(args: Args) -> Pool:
    from condor_py.client.pool import open_pool

    root, last = args.text("root-config"), args.text("config")
    if root is not None:
        os.environ["CONDOR_CONFIG"] = root
    pool = open_pool()
    if last is not None:
        from condor_py.lang.config import load

        pool.configure(load(os.environ, root=root, last=last))
    return pool


def _target(args: Args, pool: Pool, kind: str, mode: str) -> _Target:
    """Return the daemon that the options mean. CondorError where it cannot be found."""
    from condor_py.cli.common import check_pool

    name, address, host = args.text("name", ""), args.text("address"), args.text("pool", "")
    if address is not None:
        place = host_and_port(address)
        if not place:
            raise CondorError(f"ERROR: unable to parse sinful string: {address}")
        if place == host_and_port(pool.settings.address):
            return _Target("any", f"daemon at <{place}>")
        return _Target("any", f"daemon at <{place}>", True, address=address)
    if mode == "table" and not args.has("type"):
        sys.stderr.write("WARNING: Missing daemon argument, defaulting to SCHEDD.\n")
    try:
        check_pool(args, pool)
        is_here = not host or not name or is_named(pool, DAEMONS.get(kind, ""), name)
    except CondorError:
        is_here = False
    if not is_here:
        return _Target(kind, f"{kind} {name}" if name else f"{kind} of {host}", True, host, name)
    daemon = DAEMONS.get(kind, "")
    if not daemon or (name and not is_named(pool, daemon, name)) or not runs(pool, daemon):
        raise not_located(pool, f"ERROR: couldn't locate {name or kind}!")
    return _Target(kind, f"local {'daemon' if kind == 'any' else kind}")


def _here(pool: Pool, target: _Target, questions: Sequence[_Question]) -> Iterator[_Answer]:
    """Return the answers of a daemon of this machine. CondorError where there are none."""
    from condor_py.client.authorization import policy_ad
    from condor_py.client.wire import WireError
    from condor_py.lang.classad import ClassAd
    from condor_py.model.messages.access import Ping
    from condor_py.model.messages.codec import Refused

    try:
        pinged = pool.ask(DAEMONS[target.kind], Ping())
    except WireError as error:
        raise CondorError(f"ERROR: failed to make connection to {target.shown}: {error}") from None
    if isinstance(pinged, Refused):
        raise CondorError(f"ERROR: {target.shown}: {pinged.error}")
    for question in questions:
        level = question.command.level(target.kind)
        if level in pinged.levels:
            yield _Answer(question, policy_ad(pinged, question.command, pool.settings.address))
        elif level:
            hint = ClassAd({"Result": "DENIED", "MyRemoteUserName": pinged.user, "AuthMethods": "FS"})
            yield _Answer(question, None, _DENIED.format(user=pinged.user), hint)
        else:
            yield _Answer(question, None, _NOT_KNOWN)


def _elsewhere(pool: Pool, target: _Target, questions: Sequence[_Question]) -> Iterator[_Answer]:
    """Return the answers of a daemon of another pool. CondorError where it cannot be found."""
    from condor_py.client.elsewhere import OtherSchedd

    other = OtherSchedd(pool, target.name, target.host)
    names = [question.command.name for question in questions]
    for question, found in zip(questions, other.ping(target.kind.title(), target.address, names), strict=True):
        if isinstance(found, str):
            yield _Answer(question, None, found)
        else:
            yield _Answer(question, found)


class _Printer:
    """Prints answers in one of the ways of the command line."""

    def __init__(self, mode: str, mask: Mask | None, daemon: str) -> None:
        self._mask, self._daemon = mask, daemon
        self._headed = False
        self._show = {
            "quiet": lambda answer: None, "sentence": self._sentence, "table": self._line,
            "verbose": self._paragraph, "long": self._long, "custom": self._values,
        }[mode]  # fmt: skip

    def show(self, answer: _Answer) -> None:
        """Print one answer."""
        self._show(answer)
        sys.stdout.flush()

    def _sentence(self, answer: _Answer) -> None:
        word, ad = answer.question.word, answer.ad
        if ad is None:
            sys.stdout.write(f"{word} failed!  Use -verbose for more information.\n")
            return
        ways = f"{_encryption(ad, 'no encryption')}, {_integrity(ad, 'no integrity')}, and "
        ways += _method(ad, "no authentication")
        sys.stdout.write(f"{word} command using ({ways}) succeeded as {_user(ad)} to {self._daemon}.\n")

    def _line(self, answer: _Answer) -> None:
        word, ad = answer.question.word, answer.ad
        if ad is None:
            why = "           FAIL       FAIL      FAIL     FAIL FAIL  (use -verbose for more info)"
            sys.stdout.write(f"{word:>20}{why}\n")
            return
        ways = f"{_method(ad, 'none'):>15}{_encryption(ad, 'none'):>11}{_integrity(ad, 'none'):>10}"
        sys.stdout.write(f"{word:>20}{ways}    ALLOW {_user(ad)}\n")

    def _paragraph(self, answer: _Answer) -> None:
        from condor_py.model.version import CONDOR_VERSION

        (word, command), ad = answer.question, answer.ad
        if ad is None:
            sys.stdout.write(f"{word} failed!\n{answer.error}\n\n")
            return
        rows = [
            ("Destination", self._daemon),
            ("Remote Version", _text(ad, "RemoteVersion")),
            ("Local  Version", CONDOR_VERSION),
            ("Session ID", _text(ad, "Sid") or "none"),
            ("Instruction", word),
            ("Command", str(command.number)),
            ("Encryption", _encryption(ad, "none")),
            ("Integrity", _integrity(ad, "none")),
        ]
        if _has(ad, "Authentication"):
            rows += [
                ("Authenticated using", _text(ad, "AuthMethods")),
                ("All authentication methods", _text(ad, "AuthMethodsList")),
            ]
        else:
            rows.append(("Authentication", "none"))
        rows += [("Remote Mapping", _user(ad)), ("Authorized", "TRUE")]
        sys.stdout.writelines(f"{name + ':':<29}{value}\n" for name, value in rows)
        sys.stdout.write("\n")

    def _long(self, answer: _Answer) -> None:
        word, ad = answer.question.word, answer.ad
        if ad is None:
            sys.stdout.write(f"#{answer.error}\n# {word} command to {self._daemon} is FAILED\n")
            return
        from condor_py.store.longform import ad_text

        lines = sorted(ad_text(ad).splitlines(keepends=True), key=str.lower)
        sys.stdout.write(f"# {word} command to {self._daemon} is ALLOWED\n{''.join(lines)}\n")

    def _values(self, answer: _Answer) -> None:
        from condor_py.lang.classad import ClassAd

        assert self._mask is not None
        command, ad = answer.question.command, answer.ad
        if ad is None:
            ad = answer.hint or ClassAd({"Result": "FAILED"})
            ad["AuthCommand"] = command.number
            if answer.hint is None:
                sys.stdout.write(f"#{answer.error}\n")
        else:
            ad["Result"] = "ALLOWED"
        ad["Name"], ad["From"] = command.name, self._daemon
        text = self._mask.display(ad)
        if self._mask.has_headings() and not self._headed:
            self._headed = True
            sys.stdout.write(self._mask.heading())
            text = self._mask.display(ad)
        sys.stdout.write(text)


def _text(ad: ClassAd, name: str) -> str:
    return ad.eval_str(name, "")


def _has(ad: ClassAd, name: str) -> bool:
    return _text(ad, name).lower() != "no"


def _encryption(ad: ClassAd, none: str) -> str:
    return _text(ad, "CryptoMethods") if _has(ad, "Encryption") else none


def _integrity(ad: ClassAd, none: str) -> str:
    if not _has(ad, "Integrity"):
        return none
    return "AES" if _encryption(ad, "") == "AES" else "MD5"


def _method(ad: ClassAd, none: str) -> str:
    return _text(ad, "AuthMethods") if _has(ad, "Authentication") else none


def _user(ad: ClassAd) -> str:
    return _text(ad, "MyRemoteUserName")
