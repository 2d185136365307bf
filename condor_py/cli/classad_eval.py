"""classad_eval: expressions in the context of ads, both from the command line or from files.

An argument is an ad (``[ a = 1; b = 2 ]``), an assignment (``a = 1``) or an expression, whichever it can be read as
first. Ads and assignments change the context, expressions are evaluated in it, in the order of the command line.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, Use, scan
from condor_py.cli.suggest import hint, unknown_functions
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdEvaluationError, ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree
from condor_py.model.errors import CondorError

_SPEC = ToolSpec(
    name="classad_eval",
    usage="[options] <ad|expr|assignment> [<ad|expr|assignment> ...]",
    summary="Evaluate ClassAd expressions in the context of given attributes.",
    description=(
        "Options, ads, assignments and expressions take effect from left to right. Before an expression the context "
        "is printed when it has changed. Ads in files are in new format; only the first one of a file counts."
    ),
    options=(
        Opt("quiet", EXACT, help="do not print the context from here on"),
        Opt("my-file", EXACT, arg="FILE", dash_value=True, takes="file", help="replace the context by the ad in FILE"),
        Opt("file", EXACT, arg="FILE", dash_value=True, takes="file", same_as="my-file"),
        Opt("target-file", EXACT, arg="FILE", dash_value=True, takes="file", help="take TARGET from the ad in FILE"),
        Opt("debug", EXACT, help="show on stderr what expressions read, and what in them is probably not meant"),
        Opt("help", EXACT, help="this text"),
    ),
    positional="<ad|expr|assignment>",
    positional_help="an ad, an assignment (both change the context) or an expression to evaluate",
    examples=(
        ("classad_eval 'a = 2' 'a * 2'", "prints the context [ a = 2 ] and the value 4"),
        ("classad_eval -quiet -my-file job.ad -target-file slot.ad 'MY.Requirements'", "does the job accept the slot?"),
    ),
    exit_status="0 on success, 1 when a file or an argument cannot be understood, 255 after -help or a missing value.",
    missing="{tool}: {spelling} requires an argument",
    usage_after=(),
    see_also=("condor_q", "condor_status", "classads(5)"),
)
SPECS = (_SPEC,)

_USAGE_EXIT = 255


def main(argv: list[str]) -> int:
    """Run classad_eval."""
    uses, problem = _understood(argv)
    session = _Session()
    for use in uses:
        if use.name == "help":
            from condor_py.cli.command import help_text

            sys.stdout.write(help_text(_SPEC))
            return _USAGE_EXIT
        session.take(use)
    if problem is not None:
        problem.exit_code = _USAGE_EXIT
        raise problem
    return 0


def _understood(argv: Sequence[str]) -> tuple[list[Use], UsageError | None]:
    """The uses up to the first error. Only exact options are options: ``-5`` and ``-x`` are expressions."""
    named = {f"-{option.name}": option for option in _SPEC.options}
    uses: list[Use] = []
    at = 0
    while at < len(argv):
        option = named.get(argv[at])
        if option is None:
            uses.append(Use("", argv[at], None, (argv[at],), at))
            at += 1
            continue
        count = 1 + option.value_count
        try:
            uses += scan(_SPEC, argv[at : at + count])
        except UsageError as error:
            return uses, error
        at += count
    return uses, None


class _Session:
    """The context as it develops: the own ad, the target, and whether the context is to be printed."""

    def __init__(self) -> None:
        self.ad = ClassAd()
        self.target: ClassAd | None = None
        self.changed = True
        self.quiet = False
        self.debug = False

    def take(self, use: Use) -> None:
        """Acts on one argument. CondorError where that is not possible."""
        value = use.values[0] if use.values else ""
        if use.name == "quiet":
            self.quiet = True
        elif use.name == "debug":
            self.debug = True
        elif use.name == "my-file":
            self.ad = _ad_of_file(value)
        elif use.name == "target-file":
            self.target = _ad_of_file(value)
        else:
            self.text(value)

    def text(self, text: str) -> None:
        """An ad, an assignment or an expression."""
        ad = _ad_of_text(text)
        if ad is None:
            self.expression(text)
            return
        self.ad.update(ad)
        self.changed = True

    def expression(self, text: str) -> None:
        """Prints the value of an expression, behind the ad if that has changed."""
        if self.changed and not self.quiet:
            sys.stdout.write(f"{self.ad!r}\n")
        self.changed = False
        if text[1:].isidentifier() and text[0] == "-" and text[1:] not in self.ad:
            hint(f"classad_eval: {text} is no option: it is read as minus {text[1:]}")
        try:
            tree = ExprTree(text)
        except ClassAdParseError as error:
            raise CondorError(f"Unable to turn '{text}' into a ClassAd or an expression.") from error
        for name, meant in unknown_functions(tree.node):
            hint(f"{name}: did you mean {meant}?")
        if self.debug:
            sys.stderr.write(_debug_lines(text, tree, self.ad, self.target))
        try:
            value = tree.simplify(self.ad, self.target)
        except ClassAdEvaluationError as error:
            raise CondorError(f"classad_eval: cannot evaluate '{text}': {error}") from error
        sys.stdout.write(f"{value!r}\n")


def _ad_of_text(text: str) -> ClassAd | None:
    """Return the ad of ``text``, with or without brackets; None when it does not parse."""
    for whole in (text, f"[{text}]"):
        try:
            return ClassAd(whole)
        except ClassAdParseError:
            continue
    return None


def _ad_of_file(path: str) -> ClassAd:
    """The first ad of a file, also inside the braces that ``condor_q -long:new`` prints around ads."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except OSError as error:
        raise CondorError(f"classad_eval: cannot read {path}: {error.strerror}") from error
    if text.startswith("{\n") and text.endswith("\n}\n"):
        text = text[2:]
    ad = _ad_of_text(text)
    if ad is None:
        raise CondorError(f"Unable to turn file '{path}' into a ClassAd.")
    return ad


def _debug_lines(text: str, tree: ExprTree, ad: ClassAd, target: ClassAd | None) -> str:
    """Return the attributes that an expression reads, and the findings of the static analysis."""
    from condor_py.lang.classad.analyze import analyze
    from condor_py.lang.classad.named import reads

    lines = [f"{scope}.{name} = {value}" if scope else f"{name} = {value} (in no ad)"
             for scope, name, value in reads(tree.node, ad, target)]  # fmt: skip
    for finding in analyze(text, ad=ad, target=target):
        start, end = finding.span
        lines.append(f"{finding.kind} at {start}-{end}: {finding.message}; {finding.hint}")
    return "".join(f"{line}\n" for line in lines)
