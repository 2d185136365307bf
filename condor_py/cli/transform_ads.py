"""condor_transform_ads: ads from files, changed by transform rules, written to standard output."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, Use, parse
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd
    from condor_py.lang.config import Config
    from condor_py.lang.submit.items import ItemSources
    from condor_py.lang.submit.transform import Transform
    from condor_py.lang.submit.transform_old import Iteration
    from condor_py.lang.submit.transform_run import Log, Session

_ARGUMENT = "{tool}: -{name} requires another argument"
_FORMS = ("long", "xml", "json", "new", "auto")
#: Statements that select the ads of a rule, besides those that change them.
_HEADER = re.compile(r"\s*(?:NAME|REQUIREMENTS|UNIVERSE|TRANSFORM)(?:\s(?!\s*=)|$)", re.IGNORECASE)
_RULES_HELP = """
condor_transform_ads rules:

A rules file holds macros (key = value), if/elif/else/endif, and these statements, carried out in order:

   SET       <attr> <expr>      set <attr> to the expression
   DEFAULT   <attr> <expr>      the same, when the ad has no <attr>
   EVALSET   <attr> <expr>      set <attr> to the value that <expr> has now
   EVALMACRO <key> <expr>       set the macro <key> to the value of <expr>
   COPY      <attr> <new>       RENAME <attr> <new>      DELETE <attr>
   COPY      /<regex>/ <new>    RENAME /<regex>/ <new>   DELETE /<regex>/
   NAME      <text>             what messages call the rules
   REQUIREMENTS <expr>          only ads for which <expr> is true are changed
   TRANSFORM [<N>] [<vars>] [in <list> | from <file> | matching <pattern>]

$(key) is a macro, $(MY.attr) an attribute of the ad; \\0 in <new> is the whole match, \\1 its first group.
TRANSFORM comes last and takes what a queue statement takes: it makes one ad for each item.
A file that only defines JOB_TRANSFORM_* or JOB_ROUTER_ROUTE_* is used by a later -jobtransforms or -jobroute.
"""

_SPEC = ToolSpec(
    name="condor_transform_ads",
    usage="[transforms] [options] [<key>=<value>] <infile> [<infile>]",
    summary="Read ads, change them by transform rules, write them.",
    positional="[<key>=<value>] <infile>",
    positional_help="macros for the rules; files of ads, - for standard input",
    options=(
        Opt("verbose", 1, help="print the statements as they are carried out"),
        Opt("terse", 3, help="the opposite of -verbose"),
        Opt("debug", 2, colon="FLAGS", help="accepted; messages go to standard error anyway"),
        Opt("rules", 1, "FILE", "read rules from FILE (- for standard input, config://KNOB/ for a knob)",
            missing=_ARGUMENT, takes="file"),
        Opt("jobtransforms", 4, "NAMES", "apply the rules JOB_TRANSFORM_<name> of the configuration",
            missing=_ARGUMENT),
        Opt("jobroute", 4, "NAME", "apply the rules JOB_ROUTER_ROUTE_<name> of the configuration", missing=_ARGUMENT),
        Opt("in", 1, "FILE", "read ads from FILE; FORM is long, xml, json, new or auto", colon="FORM",
            missing=_ARGUMENT, takes="file"),
        Opt("out", 1, "FILE", "write ads to FILE; nosort keeps the order of attributes", colon="FORM,nosort",
            missing=_ARGUMENT, takes="file"),
        Opt("long", 1, help="the ads are in long form"),
        Opt("json", 2, help="the ads are JSON"),
        Opt("xml", 3, help="the ads are XML"),
        Opt("unit-test", 4, colon="N", hidden=True),
        Opt("testing", 4, colon="repeat,nooutput", hidden=True),
        Opt("help", 1, help="this text; -help rules describes the rules"),
        Opt("convertoldroutes", 4, colon="file", hidden=True),
    ),
    sections=(("RULES", _RULES_HELP.partition("\n\n")[2]),),
    unknown="",
    usage_after=("unknown", "rules"),
    examples=(
        ("condor_transform_ads -rules r.rules job.ads", "apply r.rules to the ads of job.ads"),
        ("condor_transform_ads -jobtransforms Site -verbose job.ads", "see what JOB_TRANSFORM_Site does"),
    ),
    exit_status=(
        "As HTCondor's: 1 after a run that transformed ads, 0 when the last file has no ads or cannot be opened, "
        "255 when rules cannot be read or carried out."
    ),
    see_also=("condor_submit", "condor_q"),
)  # fmt: skip
SPECS = (_SPEC,)


class _Fatal(CondorError):
    exit_code = 255


@dataclass(slots=True)
class _Request:
    """The request on the command line. ``inputs`` are (file, form)."""

    rules: list[Use] = field(default_factory=list)
    inputs: list[tuple[str, str]] = field(default_factory=list)
    given: dict[str, str] = field(default_factory=dict)
    verbose: bool = False
    out: str | None = None
    out_form: str = "long"
    ordered: bool = True
    no_output: bool = False


def main(argv: list[str]) -> int:
    """Run condor_transform_ads."""
    args = parse(_SPEC, argv)
    if args.has("help") and args.positional[:1] == ("rules",):
        sys.stdout.write(_RULES_HELP)
        return 0
    if handle_help_and_version(args):
        return 0
    for name in ("unit-test", "convertoldroutes"):
        if args.has(name):
            raise CondorError(f"condor_transform_ads: -{name} is not supported")
    request = _understand(args)
    if not request.rules:
        text = "ERROR : no transform rules specified." if argv else ""
        raise UsageError(text, _SPEC, kind="rules")
    run = _Run(request)
    run.load_rules()
    if not request.inputs:
        raise CondorError("Warning: no input file specified - nothing to transform.")
    return run.transform_all()


def _understand(args: Args) -> _Request:
    request = _Request()
    form = next((use.name for use in reversed(args.uses) if use.name in ("long", "json", "xml")), "auto")
    for use in args.uses:
        if use.name in ("rules", "jobtransforms", "jobroute"):
            request.rules.append(use)
        elif use.name in ("verbose", "terse"):
            request.verbose = use.name == "verbose"
        elif use.name == "in":
            request.inputs.append((str(use.values[0]), _form(use.colon, form)))
        elif use.name == "out":
            request.out = str(use.values[0])
            request.ordered = "nosort" not in (use.colon or "").lower().split(",")
            request.out_form = _form(use.colon, "long")
        elif use.name == "testing":
            request.no_output = any(word.startswith("noout") for word in (use.colon or "").split(","))
        elif use.name == "":
            _positional(request, str(use.values[0]), form)
    return request


def _form(colon: str | None, default: str) -> str:
    words = [word for word in (colon or "").lower().split(",") if word in _FORMS]
    return words[-1] if words else default


def _positional(request: _Request, word: str, form: str) -> None:
    name, equals, value = word.partition("=")
    if not equals:
        request.inputs.append((word, form))
        return
    name = name.strip()
    if not name.removeprefix("+").replace(".", "").replace("_", "").isalnum():
        raise CondorError(f"condor_transform_ads: invalid attribute name '{name}' for attrib=value assigment")
    request.given["MY." + name[1:] if name.startswith("+") else name] = value.strip()


class _Run:
    """Rules, what they refer to, and the run over all ads."""

    def __init__(self, request: _Request) -> None:
        from condor_py.lang.config import load
        from condor_py.lang.config.builders import expressions
        from condor_py.lang.submit.transform_run import Log, Session

        self.request = request
        self.config: Config = load(os.environ, subsystem="XFORM")
        expressions.install(self.config, "TOOL")
        #: Settings of rules files, by lower-case name.
        self.defined: dict[str, str] = {}
        self.transforms: list[Transform] = []
        self.session: Session = Session(self.config.raw, os.environ, request.given, _read)
        self.log: Log = Log(self._step, _complain) if request.verbose else Log(error=_complain)
        self.iteration: Iteration | None = None
        self._code = 0

    # Rules

    def load_rules(self) -> None:
        """Read all rules. Raises CondorError."""
        for use in self.request.rules:
            if any(transform.iterate for transform in self.transforms):
                raise CondorError(f"Error at {use.values[0]}. Previous transform was an iterating transform")
            self._load(use)

    def _load(self, use: Use) -> None:
        value = str(use.values[0])
        if use.name == "jobtransforms":
            self._from_knobs("JOB_TRANSFORM_%s", value)
        elif use.name == "jobroute":
            self._from_knobs("JOB_ROUTER_ROUTE_%s", value)
        elif value.startswith("config://"):
            knob, _, names = value.removeprefix("config://").partition("/")
            self._from_knobs(knob, names or "_")
        else:
            self._from_file(value)

    def _from_file(self, path: str) -> None:
        from condor_py.lang.submit.transform import TransformError, check_statements, read_rules

        try:
            text = sys.stdin.read() if path == "-" else _read(path)
        except OSError:
            raise _Fatal(f"Can't open rules file: {path}") from None
        name = "<stdin>" if path == "-" else path
        self.session.given.setdefault("rulesfile", name)
        try:
            transform = read_rules(text, name)
        except TransformError as error:
            raise _Fatal(f"ERROR reading transform rules from {name} : {error}") from None
        problem = check_statements(transform)
        if problem:
            sys.stderr.write(f"Invalid rules file {name} : {problem}\n")
        if transform.has_statements or problem:
            self.transforms.append(transform)
        else:
            self._take_settings(text, name)

    def _take_settings(self, text: str, name: str) -> None:
        """A file of settings only: later -jobtransforms find their rules in it."""
        from condor_py.lang.macro.expand import expand
        from condor_py.lang.macro.statements import Assign, Host, StatementReader

        def lookup(wanted: str) -> str | None:
            return self.defined.get(wanted.lower())

        host = Host(lookup=lookup, expand=lambda raw: expand(raw, lookup), read=_read)
        settings = "".join(line for line in text.splitlines(keepends=True) if not _HEADER.match(line))
        for statement in StatementReader(settings, name, host):
            if isinstance(statement, Assign):
                self.defined[statement.name.lower()] = statement.value

    def _from_knobs(self, pattern: str, names: str) -> None:
        from condor_py.lang.submit.transform import TransformError, read_rules
        from condor_py.lang.submit.transform_old import is_old, read_old_rules

        for name in names.replace(",", " ").split():
            knob = pattern.replace("%s", name)
            raw = self.defined.get(knob.lower()) or self.config.raw(knob)
            if not raw:
                raise CondorError(f"condor_transform_ads: {knob} is not defined in the configuration")
            try:
                if is_old(raw):
                    transform = read_old_rules(self.config.expand(raw), name)
                else:
                    transform = read_rules(raw, name, knob, keep_name=True)
            except TransformError as error:
                sys.stderr.write(f"{knob} invalid transform text, ignoring. {error}\n")
                continue
            self.transforms.append(transform)

    # Ads

    def transform_all(self) -> int:
        """Transform every input; the exit code."""
        request = self.request
        out = _open_output(request.out)
        try:
            for piece in self._pieces(self._ads(), request.out_form):
                out.write(piece)
        finally:
            if out is not sys.stdout:
                out.close()
        return self._code

    def _pieces(self, ads: Iterator[ClassAd], form: str) -> Iterator[str]:
        from condor_py.cli.output.ads import write_ads

        if form == "auto":
            form = next((form for _, form in self.request.inputs if form != "auto"), "long")
        return write_ads(ads, form, ordered=self.request.ordered)

    def _ads(self) -> Iterator[ClassAd]:
        """All transformed ads; sets the exit code of the last input file."""
        from condor_py.cli.adfile import parse_ads
        from condor_py.lang.submit.transform import TransformError

        for path, form in self.request.inputs:
            if self.request.verbose:
                sys.stderr.write(f"# Applying transforms to ads from {path}\n")
            self._code = 0
            try:
                text = sys.stdin.read() if path == "-" else _read(path)
            except OSError:
                sys.stderr.write(f"Can't open file of ClassAds: {path}\n")
                continue
            for number, ad in enumerate(parse_ads(text, path, form), 1):
                if self.request.verbose:
                    sys.stderr.write(f"#   {_identity(ad, number)}\n")
                try:
                    for made in self._made_of(ad):
                        if not self.request.no_output:
                            yield made
                except TransformError as error:
                    _complain(f"ERROR: {error}\nTransform of ad {_identity(ad, number)} failed!")
                    self._code = 255
                    break
                self._code = 1

    def _made_of(self, ad: ClassAd) -> Iterator[ClassAd]:
        """Yield the ads that the rules make of one ad."""
        session = self.session
        session.forget()
        rows = list(self._rows())
        if not rows:
            session.items, session.counters = {}, {}
            self._apply(ad)
            yield ad
            return
        for items, counters in rows:
            if counters["step"] == "0":
                session.forget()
            session.items, session.counters = items, counters
            made = ad.copy()
            self._apply(made)
            yield made
        session.items, session.counters = {}, {}

    def _rows(self) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
        last = self.transforms[-1] if self.transforms else None
        if last is None or not last.iterate:
            return iter(())
        if self.iteration is None:
            from condor_py.lang.macro.expand import Expander
            from condor_py.lang.submit.transform_old import Iteration

            session = self.session

            def lookup(name: str) -> str | None:
                return session.macros.get(name.lower()) or self.config.raw(name)

            self.iteration = Iteration(last, Expander(lookup, env=os.environ), _sources())
        return self.iteration.variables()

    def _apply(self, ad: ClassAd) -> None:
        from condor_py.lang.submit.transform_run import Subject, applies, run

        for transform in self.transforms:
            matches = applies(transform, ad)
            if self.request.verbose:
                sys.stderr.write(f"#   Transform {transform.name} {'' if matches else 'Skipped'}\n")
            if matches:
                run(transform, Subject(ad), self.session, self.log)

    def _step(self, text: str) -> None:
        sys.stdout.write(text + "\n")


def _complain(text: str) -> None:
    sys.stdout.flush()
    sys.stderr.write(text + "\n")


def _read(path: str) -> str:
    from condor_py.lang.config.loader import read_text

    return read_text(path)


def _open_output(path: str | None) -> IO[str]:
    if path is None or path == "-":
        return sys.stdout
    try:
        return open(path, "w", encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise CondorError(f"ERROR: Failed to open output file ({error.strerror})") from None


def _identity(ad: ClassAd, number: int) -> str:
    name = ad.eval_str("Name", None)
    if name is not None:
        return name
    cluster, proc = ad.eval_int("ClusterId", None), ad.eval_int("ProcId", None)
    return f"Ad {number}" if cluster is None or proc is None else f"Job {cluster}.{proc}"


def _sources() -> ItemSources:
    from glob import glob

    from condor_py.lang.config.loader import run_command
    from condor_py.lang.submit.items import ItemSources

    def names(pattern: str) -> list[str]:
        return sorted(name + "/" if os.path.isdir(name) else name for name in glob(pattern))

    def read(path: str) -> str:
        return sys.stdin.read() if path == "-" else _read(path)

    def warn(text: str) -> None:
        sys.stderr.write(text)

    return ItemSources(read, lambda command: run_command(command)[1], names, warn)
