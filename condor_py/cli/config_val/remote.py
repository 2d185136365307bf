"""Asking a running daemon what its configuration is, and changing it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from condor_py.cli.config_val.show import Look, assignment, block, look_of, used, words
from condor_py.cli.config_val.spec import CHANGES, DAEMONS, SPEC
from condor_py.cli.options import UsageError
from condor_py.lang.config.dynamic import assigned
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.options import Args
    from condor_py.lang.config import Config
    from condor_py.model.messages.codec import A, Refused, Request


class Answer(NamedTuple):
    """One setting as a daemon holds it: ``value`` is expanded, ``name`` as it was found."""

    name: str
    value: str
    raw: str
    place: str
    default: str | None
    uses: int
    references: int


def answer(args: Args, config: Config) -> int:
    """All that a command line with a location option or a change asks for; the exit code."""
    whole = args.has("dump") or args.has("stats") or args.has("summary")
    if not args.positional and not whole and not args.has("config"):
        raise UsageError("", SPEC)
    change = args.last(*CHANGES)
    if change is not None:
        _suggest_knobs(args.positional, config)
    daemon = Daemon(args, config)
    daemon.find()
    if args.has("dump") and not look_of(args).form:
        print(f"# Configuration from {daemon.words}")
    if change is not None:
        return change_all(args, daemon, change.name)
    position = [name.lower() for name in args.positional]
    if "use" in position:
        shown = args.positional[position.index("use") + 1 : position.index("use") + 2]
        raise CondorError(f"remote query not supported for use {''.join(shown)}")
    if whole:
        return _whole(args, daemon)
    return _names(args, daemon)


def _suggest_knobs(changes: Iterable[str], config: Config) -> None:
    """Of names that are not known here a person at a terminal hears what they are like."""
    from condor_py.cli.config_val.nearest import suggest_knob
    from condor_py.lang.config.dynamic import assigned

    for text in changes:
        suggest_knob(assigned(text.lstrip()) or text.strip(), config)


class Daemon:
    """The daemon that is asked. There is one pool and one daemon of a kind; the master acts as the collector."""

    def __init__(self, args: Args, config: Config) -> None:
        from condor_py.lang.config.builders.daemon import daemon as daemon_knobs
        from condor_py.lang.config.builders.paths import paths

        asked = args.last(*DAEMONS)
        self.kind = asked.name if asked else "master"
        self._diagnostic = args.has("diagnostic")
        self._asked_name = args.text("name")
        self._asked_address = args.text("address")
        self._asked_pool = args.text("pool")
        settings = daemon_knobs(config, "MASTER")
        names = {"master": settings.master_name, "schedd": settings.schedd_name, "startd": settings.startd_name}
        self.name = names.get(self.kind, settings.host)
        self.address = settings.address
        self._host = settings.host
        self.paths = paths(config)
        self._socket = self.paths.socket("master" if self.kind == "collector" else self.kind)

    @property
    def words(self) -> str:
        """``schedd on HOST <ADDRESS>``."""
        return f"{self.kind} on {self.name} {self.address}"

    def find(self) -> None:
        """CondorError when the options name no daemon of this pool, or it does not run."""
        from condor_py.client.wire import WireError, connect

        if self._asked_address is not None:
            self._check_address(self._asked_address)
        elif self._asked_name is not None and not self._is_ours(self._asked_name):
            raise self._not_found()
        try:
            connect(self._socket, 5.0).close()
        except WireError:
            raise self._not_found() from None

    def _is_ours(self, name: str) -> bool:
        host = self._host.lower()
        ours = (host, host.partition(".")[0], "localhost")
        return name.lower() == self.name.lower() or name.lower().rpartition("@")[2] in ours

    def _check_address(self, text: str) -> None:
        """Refuse an address other than ``<IP:PORT>`` of this pool; what follows a question mark is ignored."""
        plain = text.strip("<>").partition("?")[0]
        host, colon, port = plain.rpartition(":")
        if not (text.startswith("<") and text.endswith(">") and colon and host and port.isdigit()):
            words(
                f"{SPEC.name}: invalid address {text}\n"
                'Address must be of the form "<111.222.333.444:555>\n'
                "   where 111.222.333.444 is the ip address and 555 is the port\n"
                "   you wish to connect to (the punctuation is important).\n"
            )
            raise self._not_found()
        if plain != self.address.strip("<>").partition("?")[0]:
            raise CondorError(f"Can't connect to {self.kind} on  {text}")

    def _not_found(self) -> CondorError:
        from condor_py.client.pool import why_closed

        if closed := why_closed(self.paths):
            return CondorError(closed)
        pool = self._asked_pool or "local pool"
        return CondorError(
            f"Can't find address for {self.kind} '{self._asked_name or 'default'}' in {pool}\n"
            "Perhaps you need to query another pool."
        )

    def answer_to(self, request: Request[A]) -> A | Refused:
        """One request and its answer; CondorError when the daemon does not give one."""
        from condor_py.client.wire import WireError, ask
        from condor_py.model.messages.codec import head_of

        if self._diagnostic:
            words(f"sending {head_of(request)}\n")
        try:
            found = ask(self._socket, request, timeout=30.0)
        except WireError:
            raise CondorError(f"Can't receive reply from {self.words}") from None
        if self._diagnostic:
            words(f"result: {head_of(found)}\n")
        return found

    def ask(self, request: Request[A]) -> A:
        """Send one request and return its answer; CondorError when none comes or it is refused."""
        from condor_py.model.messages.codec import Refused

        found = self.answer_to(request)
        if isinstance(found, Refused):
            raise CondorError(found.error)
        return found

    def values(self, names: list[str]) -> list[Answer | None]:
        """Return the daemon's value for each of ``names``; None for one that is not defined."""
        from condor_py.model.messages.common import ConfigGet

        return [None if one is None else Answer(*one) for one in self.ask(ConfigGet(names)).values]


# -- names -----------------------------------------------------------------------------------------------------


def _names(args: Args, daemon: Daemon) -> int:
    look = look_of(args)
    names = list(args.positional)
    answers = daemon.values(names)
    if look.form:
        from condor_py.cli.config_val.structured import write

        write({name: _entry(found) for name, found in zip(names, answers, strict=True)}, look.form)
        return 1 if None in answers else 0
    missing = 0
    evaluator = _Evaluator(args, daemon)
    for name, found in zip(names, answers, strict=True):
        if args.has("raw") or args.has("default") or look.verbose:
            missing += not _print_in_full(args, name, found, look, evaluator)
        else:
            print(evaluator.of(found.value) if found is not None and found.value else evaluator.undefined)
            if found is None:
                from condor_py.cli.suggest import hint

                hint(f"The {daemon.kind} has no {name}")
    return 1 if missing and not look.info else 0


def _print_in_full(args: Args, name: str, found: Answer | None, look: Look, evaluator: _Evaluator) -> bool:
    """One setting with -raw, -default or -verbose; whether it is defined."""
    if found is None:
        value = None
    elif args.has("default"):
        value = found.default or None
    else:
        value = found.raw if args.has("raw") and not look.verbose else found.value
    if value is None:
        words(f"Not defined: {name.upper()}\n")
    else:
        value = evaluator.of(value)
        print(assignment(name.upper(), value) if look.verbose else value)
    if look.verbose:
        if found is not None:
            _details(found, look)
        print()
    return value is not None


def _details(found: Answer, look: Look) -> None:
    if look.info:
        from condor_py.cli.config_val.knob import print_description

        print_description(found.name)
    print(f" # at: {found.place}")
    print(f" # raw: {block(f'{found.name.upper()} = {found.raw}', ' #   ')}")
    if found.default:
        print(f" # default: {block(found.default, ' #   ')}")
    if look.info:
        from condor_py.cli.config_val.knob import print_expected

        print_expected(found.name)
    if look.uses:
        print(f" # use_count: {used(found.uses, found.references)}")


class _Evaluator:
    """-evaluate: the value of an expression in the daemon's own ad."""

    def __init__(self, args: Args, daemon: Daemon) -> None:
        self._wanted = args.has("evaluate")
        self._daemon = daemon
        self._ad: Any = None
        self.undefined = "undefined" if self._wanted else "Not defined"

    def of(self, text: str) -> str:
        """Return ``text``, evaluated if the command line asks for it; what is no expression is named on stderr."""
        if not self._wanted:
            return text
        from condor_py.lang.classad import ClassAdError, parse, value_text

        try:
            return value_text(self._own_ad().raw(parse(text)), old=False)
        except ClassAdError:
            words(f"Warning: Failed to evaluate '{text}', returning it as config value\n")
            return text

    def _own_ad(self) -> Any:
        if self._ad is None:
            from condor_py.lang.classad import ClassAd
            from condor_py.store.ad_store import AdStore

            kind = "MASTER" if self._daemon.kind == "collector" else self._daemon.kind.upper()
            ads = AdStore(self._daemon.paths.ads).read(kind)
            self._ad = ads[0] if ads else ClassAd()
        return self._ad


def _entry(found: Answer | None) -> dict[str, str] | None:
    from condor_py.cli.config_val.structured import entry

    return None if found is None else entry(found.value, found.raw, found.place, found.default)


# -- the whole configuration -------------------------------------------------------------------------------------


def _whole(args: Args, daemon: Daemon) -> int:
    from condor_py.model.messages.common import ConfigStats

    for pattern in args.positional or ("",):
        if args.has("stats"):
            stats = daemon.ask(ConfigStats()).stats
            print("".join(f"{name} = {stats[name]}\n" for name in sorted(stats)))
            if not args.has("dump"):
                continue
        if args.has("summary"):
            _summary(args, daemon)
        else:
            _dump(args, daemon, pattern)
    return 0


def _summary(args: Args, daemon: Daemon) -> None:
    from condor_py.model.messages.common import ConfigSummary
    from condor_py.model.version import CONDOR_VERSION

    colon = args.colon("summary") or ""
    detected = any(len(word) >= 3 and "detected".startswith(word) for word in colon.replace(":", ",").split(","))
    print(f"# {daemon.kind.upper()} {CONDOR_VERSION}\n#  at {daemon.name} {daemon.address}")
    look = look_of(args)
    for source, settings in daemon.ask(ConfigSummary(detected)).sources:
        print(f"\n#\n# from {source}\n#")
        answers = daemon.values([name for name, _ in settings]) if look.verbose else [None] * len(settings)
        for (name, raw), one in zip(settings, answers, strict=True):
            print(assignment(name, raw))
            if one is not None:
                _dump_details(args, one, look)
    print()


def _dump(args: Args, daemon: Daemon, pattern: str) -> None:
    from condor_py.model.messages.common import ConfigList

    look = look_of(args)
    if pattern and not look.form:
        print(f"\n# Parameters with names that match {pattern}:")
    try:
        matches = re.compile(pattern, re.IGNORECASE).search
    except re.error as error:
        words(f"error:regex:{error.pos or 0}: {error.msg}\n")
        return
    names = [name for name in daemon.ask(ConfigList()).names if matches(name)]
    if look.form:
        from condor_py.cli.config_val.structured import write

        write({name: _entry(one) for name, one in zip(names, daemon.values(names), strict=True)}, look.form)
        return
    sources: set[str] = set()
    for name, one in zip(names, daemon.values(names), strict=True):
        if one is None or ((args.has("used") or args.has("unused")) and _is_used(one) is args.has("unused")):
            continue
        if args.has("default") and one.default:
            print(assignment(name, one.default))
        else:
            print(assignment(name, one.value if args.has("expanded") else one.raw))
        if look.verbose:
            _dump_details(args, one, look)
        sources.add(one.place.partition(", line")[0])
    if sources and not look.verbose:
        print("# Contributing configuration file(s):")
        print("".join(f"#\t{source}\n" for source in sorted(sources)), end="")


def _is_used(one: Answer) -> bool:
    return one.uses + one.references > 0


def _dump_details(args: Args, one: Answer, look: Look) -> None:
    print(f" # at: {one.place}")
    if args.has("expanded"):
        print(f" # raw: {block(f'{one.name.upper()} = {one.raw}', ' #   ')}")
    else:
        print(f" # expanded: {block(one.value, ' #   ')}")
    if one.default:
        print(f" # default: {block(one.default, ' #   ')}")
    if look.uses:
        print(f" # use_count: {used(one.uses, one.references)}")
    sys.stdout.flush()


_NAME = re.compile(r"\$?[\w.]+\Z", re.ASCII)


def change_all(args: Args, daemon: Daemon, how: str) -> int:
    """Carry out every change of the command line, until one fails. CondorError then."""
    for text in args.positional:
        _change(daemon, text.lstrip(), how, mixed_case=args.has("mixedcase"))
    return 0


def _change(daemon: Daemon, text: str, how: str, *, mixed_case: bool) -> None:
    sets = how in ("set", "rset")
    key = _key(text, sets=sets)
    from condor_py.model.messages.codec import Refused
    from condor_py.model.messages.common import ConfigSet, ConfigUnset

    kind = ConfigSet if sets else ConfigUnset
    found = daemon.answer_to(kind(key if mixed_case else key.lower(), text if sets else "", how in ("set", "unset")))
    verb = "set" if sets else "unset"
    place = f"{daemon.kind} {daemon.name} {daemon.address}"
    if isinstance(found, Refused):
        raise CondorError(f'Attempt to {verb} configuration "{text}" on {place} failed.\n{found.error}')
    print(
        f'Successfully {verb} configuration "{text}" on {place}. '
        "The change will take effect on the next condor_reconfig."
    )


def _key(text: str, *, sets: bool) -> str:
    """The name under which the daemon keeps the setting. CondorError for a text that is no setting."""
    is_template = text.lower().startswith("use ")
    key = assigned(text)
    if (sets or is_template) and not key and "=" not in text:
        raise CondorError(
            f'{SPEC.name}: Can\'t set configuration value ("{text}")\n'
            'You must specify "macro_name = value" or "use category:option"'
        )
    if not (sets or is_template):
        if ":" in text or "=" in text:
            raise CondorError(
                f'{SPEC.name}: Can\'t unset configuration value ("{text}")\n'
                "To unset, you only specify the name of the attribute"
            )
        key = text.partition(" ")[0]
    if _NAME.match(key) is None:
        raise CondorError(
            f"{SPEC.name}: Error: Configuration variable name ({key.removeprefix('$')}) is not valid, "
            "alphanumeric and _ only"
        )
    return key
