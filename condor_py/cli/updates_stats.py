"""condor_updates_stats: what a collector knows about lost updates, from ads in long form (manual page)."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse

_SPEC = ToolSpec(
    name="condor_updates_stats",
    usage="[options]",
    summary="Show which updates of ads a collector has missed.",
    description=(
        "It reads ads in long form from standard input, such as condor_status -long prints for a pool of HTCondor's "
        "with a collector, and shows UpdatesTotal, UpdatesSequenced, UpdatesLost and UpdatesHistory, the latest "
        "update first. Equal neighbours of a history are shown as dots. The ads of this pool have none of these "
        "attributes: its daemons publish by files, and no update is lost."
    ),
    options=(
        Opt("help", 1, help="this text"),
        Opt("long", 1, help="each update of a history"),
        Opt("summary", 1, help="no histories"),
        Opt("history", 1, "MIN-MAX", "only these updates of a history", dash_value=True),
        Opt("interval", 1, "SECONDS", "time between two updates where an ad does not say it; shows their times"),
        Opt("notime", 1, help="no times"),
        Opt("time", 1, help="times, where they are known (the default)"),
        Opt("version", 1, help="the version and the platform"),
    ),
    examples=(("condor_status -pool cm.example.com -long | condor_updates_stats -s", "who loses updates?"),),
    exit_status="0 on success, 1 when the command line is wrong.",
    unknown="condor_updates_stats: unknown argument: '{arg}'",
    see_also=("condor_status",),
)
SPECS = (_SPEC,)

_WITH_VALUE = re.compile(r"--?(?:(history)=(\d*(?:-\d+)?)|(interval)=(\d+))")
_LINE = re.compile(r"(\w*)\s*=\s*(.*)$")
_NAME = "UpdatesTotal", "UpdatesSequenced", "UpdatesLost", "UpdatesHistory"


def main(argv: list[str]) -> int:
    """Run condor_updates_stats."""
    args = parse(_SPEC, [word for one in argv for word in _split(one)])
    if handle_help_and_version(args):
        return 0
    if args.positional:
        raise UsageError(_SPEC.unknown.format(arg=args.positional[0]), _SPEC, kind="unknown")
    report = _Report(args)
    for ad in _ads():
        if any(name.startswith("UpdatesHistory") for name in ad):
            sys.stdout.write(report.of(ad))
    return 0


def _split(word: str) -> list[str]:
    """``--history=1-3`` as an option and its value; anything else as it is."""
    found = _WITH_VALUE.fullmatch(word)
    if found is None:
        return [word]
    return ["--history", found[2]] if found[1] else ["--interval", found[4]]


def _ads() -> Iterator[dict[str, str]]:
    """The ads of standard input: attributes and their texts, without quotes."""
    ad: dict[str, str] = {}
    for line in sys.stdin.buffer:
        found = _LINE.search(line.decode("utf-8", "surrogateescape").rstrip("\n"))
        if found is not None:
            text = found[2]
            ad[found[1]] = text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text
        elif ad:
            yield ad
            ad = {}
    yield ad


class _Report:
    """The text about one ad, as the command line wants it."""

    def __init__(self, args: Args) -> None:
        self._long, self._summary = args.has("long"), args.has("summary")
        first, _, last = args.text("history", "").partition("-")
        try:
            self._from, self._to = int(first or 0), int(last or 99999)
            self._interval = int(args.text("interval") or 0)
        except ValueError:
            word = args.text("history") or args.text("interval", "")
            raise UsageError(_SPEC.unknown.format(arg=word), _SPEC, kind="unknown") from None
        use = args.last("time", "notime", "interval")
        self._times = use is None or use.name != "notime"

    def of(self, ad: dict[str, str]) -> str:
        """Return the title of an ad, and a paragraph for all updates and for each kind of them."""
        name = ad.get("Name", ad.get("Machine", "*Unknown*"))
        kinds = [found[1] for one in ad if (found := re.match(r"Updates(?!History).*_(.*)", one))]
        parts = [self._part(ad, ""), *(self._part(ad, kind) for kind in dict.fromkeys(kinds))]
        return f"*** Name/Machine = '{name}' MyType = '{ad.get('MyType', '*Unknown*')}' ***\n" + "".join(parts)

    def _part(self, ad: dict[str, str], kind: str) -> str:
        total, sequenced, lost, history = (ad.get(f"{name}_{kind}" if kind else name) for name in _NAME)
        text = f" Type: {kind or 'Main'}\n"
        if total is not None:
            share = 100.0 * _number(lost) / _number(sequenced) if _number(sequenced) else 0.0
            text += f"   Stats: Total={total}, Seq={sequenced or ''}, Lost={lost or ''} ({share:.2f}%)\n"
        if self._summary or history is None:
            return text
        return text + "".join(self._updates(ad, _missed(history))) + "\n"

    def _updates(self, ad: dict[str, str], missed: list[bool]) -> Iterator[str]:
        given = ad.get("UpdateInterval", "")
        interval = _number(given) if given[:1].isdigit() else self._interval
        now = _number(ad["LastHeardFrom"]) if "LastHeardFrom" in ad else time.time()
        before, dotted = None, False
        for number, is_missed in enumerate(missed):
            if not self._from <= number <= self._to:
                continue
            if self._long or is_missed != before or number == len(missed) - 1:
                when = f" @ {_clock(now - number * interval)}" if interval and self._times else ""
                yield f"  {number:4d}{when}: {'Missed' if is_missed else 'Ok'}\n"
                dotted = False
            elif not dotted:
                yield "  ...\n"
                dotted = True
            before = is_missed


def _number(text: str | None) -> float:
    """Return the number at the beginning of a text; 0 for none, and for one that is too large to be true."""
    found = re.match(r"\d{1,15}(?:\.\d{1,15})?", text or "")
    return float(found[0]) if found else 0.0


def _clock(seconds: float) -> str:
    try:
        return time.ctime(seconds)
    except (OverflowError, ValueError, OSError):
        return "?"


def _missed(history: str) -> list[bool]:
    """Return whether each update was missed, the latest first; a history is a number in hexadecimal digits."""
    digits = history[2:] if history[:2].lower() == "0x" else history
    values = [int(digit, 16) if digit in "0123456789abcdefABCDEF" else 0 for digit in digits]
    return [bool(value & mask) for value in values for mask in (8, 4, 2, 1)]
