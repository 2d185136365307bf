"""What people ask of tools and pages: options, formats, dates, and the addresses of condor_web."""

from __future__ import annotations

import contextlib
import io
import os
import posixpath
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import input_ads
from input_maker import Maker, Parser, text_of

from condor_py.cli import entry, times
from condor_py.cli.output.autoformat import add_autoformat, add_format
from condor_py.cli.output.conversion import Conversion
from condor_py.cli.output.mask import Mask
from condor_py.cli.output.printformat import parse_print_format
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.times import parse_abs_time, parse_rel_time

_UNIT = Path(__file__).resolve().parents[1] / "unit"
for _folder in (str(_UNIT / "web"), str(_UNIT / "tools")):
    if _folder not in sys.path:
        sys.path.append(_folder)

NOW = 1_795_300_000
_AD = ClassAd(
    '[ ClusterId = 5; ProcId = 0; Owner = "a"; Cmd = "/bin/sleep"; R = 1.5; Big = 1e300; Neg = -7;'
    ' S = "\u00e9\\n%s"; T = true;'
    ' U = undefined; E = error; L = { 1, "a", { 2 } }; N = [ x = 1 ]; Inf = real("INF"); NaN = real("NaN");'
    " QDate = 1795000000; JobStatus = 2; MemoryUsage = 5; Huge = 9223372036854775807 ]"
)

# formats

_FORMATS = (
    "%d\n", "%5.2f", "%-10s|", "%v", "%V", "%r", "%T", "%Y", "%c", "%x", "%5d %%", "%*d", "%hhd", "%n", "%", "%%",
    "\\n",
    "\\t\\x41\\101", "%1$s", "%.s", "%+ #0-5.3e", "%s%s", "%999999999d", "%.999999999f", "%lld", "%G", "%i", "%u", "%o",
)  # fmt: skip
_SOURCES = (
    "R", "Big", "Neg", "S", "T", "U", "E", "L", "N", "Inf", "NaN", "QDate", "Huge", "ClusterId + 1", "NoSuch", "1/0",
    "S[0]",
    "strcat(S, R)", "(", "",
)  # fmt: skip


def _format(maker: Maker) -> bytes:
    chance = maker.chance
    return maker.pick(
        [f"{chance.choice(_FORMATS)}\0{chance.choice(_SOURCES)}\0{chance.choice(('jlh', 'V,', 'tn', 'g', 'o', 'x'))}"]
    )


def _read_format(data: bytes) -> None:
    fmt, _, rest = text_of(data).partition("\0")
    source, _, letters = rest.partition("\0")
    Conversion(fmt)
    for mask in (Mask(), Mask()):
        known = add_format(mask, fmt, source) if fmt else add_autoformat(mask, [source], letters)
        if known:
            _shown(mask)
    mask = Mask()
    if add_autoformat(mask, [source, "ClusterId"], letters):
        _shown(mask)


def _shown(mask: Mask) -> None:
    mask.heading().encode("utf-8", "surrogateescape")
    row = mask.display(_AD)
    assert isinstance(row, str)
    assert len(row) < (2 << 20) * (1 + len(mask.columns)), f"a row of {len(row)} characters"


_SELECT_LINES = (
    "SELECT", "SELECT FROM JOBS UNIQUE BARE NOHEADER", "SELECT LABEL SEPARATOR '='",
    "SELECT RECORDPREFIX '[' FIELDSUFFIX ','",
    "  ClusterId AS ID NOSUFFIX WIDTH 5", "  ProcId AS ' ' NOPREFIX PRINTF '.%-3d'",
    "  Owner WIDTH -14 PRINTAS OWNER OR ??",
    "  QDate AS SUBMITTED WIDTH 11 PRINTAS QDATE", "  S AS 'a b' WIDTH AUTO", "  R PRINTF %.2f OR -",
    "  Cmd PRINTAS CPU_TIME",
    "  L PRINTAS MEMBER_COUNT", "  strcat(S,\"x\") AS X TRUNCATE LEFT", "WHERE JobStatus == 2", "AND Owner == \"a\"",
    "GROUP BY Owner", "  ClusterId DESCENDING", "SUMMARY STANDARD", "SUMMARY NONE", "SUMMARY", "# comment",
    "  NaN WIDTH 999999999",
    "  Big PRINTAS READABLE_KB", "  U OR", "  E AS", "  N PRINTF", "  Huge PRINTAS DATE", "  Inf PRINTAS ELAPSED_TIME",
)  # fmt: skip


def _read_print_format(data: bytes) -> None:
    chosen = parse_print_format(text_of(data).splitlines(), width_is_format=len(data) % 2 == 0)
    for mask in (chosen.mask, chosen.summary_mask):
        if mask.columns and all(abs(column.width) < 100_000 for column in mask.columns):
            _shown(mask)
    for message in chosen.messages:
        assert message.strip()


# times

_TIMES = (
    "2026-11-21", "2026-11-21T18:00", "18:00", "yesterday", "today", "now", "2h", "3d", "90s", "3 days", "week",
    "month", "1795300000",
    "2026-11-21 18:00:05", "00:00", "24:00", "2026-02-30", "1e3h", "-5d", "1.5h", "1969-12-31", "9999-12-31T23:59:59",
    "1+02:03:04",
    "12:00:00.5", "2026-11-21T18:00:00Z", "2026-11-21T18:00:00+01:00",
)  # fmt: skip


def _read_time(data: bytes) -> None:
    text = text_of(data)
    times.length(text)
    moment = times.moment(text, NOW)
    assert moment is None or abs(moment) < 1 << 62
    parse_abs_time(text)
    parse_rel_time(text)
    first, _, last = text.partition(" ")
    for since, until, length in ((text, None, None), (first, last, None), (None, None, text)):
        try:
            found = times.period("tool", since, until, length, NOW)
        except Parser.errors:
            continue
        assert found.since <= found.until


# tools

_TOOLS: dict[str, tuple[str, ...]] = {
    "condor_q": (
        "-nobatch", "-af", "-af:jh", "ClusterId", "Owner", "-long", "-json", "-xml", "-constraint", "JobStatus == 1",
        "1", "1.0",
        "-hold", "-run", "-analyze", "-better-analyze", "-totals", "-limit", "3", "-format", "%d", "-print-format",
        "pf", "-jobads",
        "ads", "-userlog", "log", "-slotads", "slots", "-wide:80", "-attributes", "A,B", "-group-by", "-autocluster",
        "-dag", "-why",
        "-allusers", "-submitter", "a", "-hold:1/2", "-batch:x", "-io", "-grid", "-forecast", "-unmatchable",
        "-factory", "-global",
    ),
    "condor_history": (
        "-file", "history", "-limit", "2", "-constraint", "true", "-long", "-af", "ClusterId", "-forwards", "-since",
        "1.0", "-json",
        "-completedsince", "5", "-scanlimit", "3", "-userlog", "log", "-print-format", "pf", "1", "a", "-epochs",
        "-search", "-wide",
        "-efficiency", "-xml", "-format", "%s", "-match",
    ),
    "condor_status": (
        "-ads", "slots", "-af", "Name", "-long", "-constraint", "Cpus > 1", "-total", "-compact", "-sort", "Memory",
        "-server",
        "-state", "-run", "-avail", "-claimed", "-json", "-format", "%d", "Cpus", "-print-format", "pf", "-gpus",
        "-schedd", "-any",
        "-statistics", "All:1", "-attributes", "A", "-absent", "-submitters", "-limit", "2",
    ),
    "condor_userprio": (
        "-allusers", "-all", "-quotas", "-most", "-grouporder", "-af", "Name", "-usage", "-inputfile", "ads",
        "-modular", "-history",
        "-activefrom", "1", "2", "2026", "-getreslist", "a@b", "-explain", "-long", "-constraint", "true", "-json",
        "-grouprollup",
    ),
    "condor_config_val": (
        "-dump", "NUM", "-verbose", "SPOOL", "-expand", "$(SPOOL)", "-evaluate", "-raw", "-summary", "-macro",
        "$INT(X)", "-subsystem",
        "SCHEDD", "-unused", "-lint", "-default", "-local-name", "x", "-json", "LOCAL_DIR", "use", "FEATURE:GPUs",
    ),
    "classad_eval": ("-quiet", "-my-ad", "A = 1", "-ad-file", "ads", "-target-ad", "B = 2", "A + B", "-debug",
    "[ x = 1 ]"),
}  # fmt: skip


def _tool(maker: Maker) -> bytes:
    chance = maker.chance
    name = chance.choice(sorted(_TOOLS))
    words = [chance.choice(_TOOLS[name]) for _ in range(chance.randint(0, 6))]
    return maker.pick(["\n".join((name, *words))])


def _prepare_tools(place: str) -> None:
    """A spool without daemons, and files of ads and events."""
    for name in [name for name in os.environ if name.upper().startswith("_CONDOR_")]:
        del os.environ[name]
    os.environ.update(
        {"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOCAL_DIR": f"{place}/local", "_CONDOR_UID_DOMAIN": "example.net"}
    )
    os.makedirs(f"{place}/local/spool", exist_ok=True)
    folder = Path(place)
    (folder / "local" / "spool" / "job_queue.log").write_bytes(_queue())
    (folder / "ads").write_text(_AD.printOld() + "\n")
    (folder / "slots").write_text('MyType = "Machine"\nName = "slot1@h"\nCpus = 4\nMemory = 100\nState = "Unclaimed"\n')
    (folder / "pf").write_text("SELECT\n  ClusterId AS ID\n  Owner WIDTH -14\nSUMMARY NONE\n")
    (folder / "log").write_text("000 (001.000.000) 2026-01-01 00:00:00 Job submitted from host: <1.2.3.4:9618>\n...\n")
    (folder / "history").write_text(_AD.printOld() + '*** Offset = 0 ClusterId = 5 ProcId = 0 Owner = "a"\n')


@cache
def _queue() -> bytes:
    import random

    import damage_of_logs

    return damage_of_logs.queue_log(random.Random(5))


def _no_process(*given: Any, **named: Any) -> None:
    raise FileNotFoundError(2, "No such file or directory", "program")


def _read_tool(data: bytes) -> None:
    name, *words = text_of(data).split("\n")
    if name not in _TOOLS or any("/" in word or "\0" in word for word in words):
        return  # only files of ours are read and written
    subprocess.Popen.__init__ = _no_process  # type: ignore[assignment]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = entry.main(name, words)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    assert code in range(256), f"exit status {code}"
    assert "Traceback" not in err.getvalue(), err.getvalue()[-300:]
    assert "fault in condor_py" not in err.getvalue(), err.getvalue()[-300:]
    if code and not out.getvalue():
        assert err.getvalue().strip() or name == "condor_userprio", "it fails without a word"


# pages

_PLACES = (
    "pool", "queue", "queue/1", "queue/1.0", "why", "why/1.0", "shares", "dag", "dag/1", "history", "history/1.0",
    "machine", "wall",
    "queue?owner=a", "queue?sort=name&order=down", "queue?page=2", "queue?text=x", "queue?state=held",
    "history?since=2d&user=a",
    "shares?user=a@b&factor=5", "shares?group=g&quota=2", "pool?format=json", "queue?format=svg&picture=cores",
    "wall?format=svg",
    "history?page=9999999999999999999", "machine?slot=slot1", "dag/1/graph", "queue/1/0", "openapi.json", "metrics",
    "static/x",
    "events", "history/5.0?format=json", "why?user=a", "queue/99999999999999999999", "login/x", "act",
)  # fmt: skip
_site: list[Any] = []


def _page(maker: Maker) -> bytes:
    return maker.pick(_PLACES)


def _read_page(data: bytes) -> None:
    if not _site:
        from visits import Visited

        _site.append(visited := Visited())
        _site.append(visited.visitor())
    address = text_of(data.replace(b"\0", b"%00")).lstrip("/")
    path = unquote(address.partition("?")[0]).lstrip("/")
    if posixpath.normpath("/" + path).startswith("/events"):
        return  # a stream without end
    visited, browser = _site
    answer = browser.get("/" + quote(address, safe="/?&=%+;:@,.~!*'()", errors="surrogateescape")[:4000])
    assert answer.status_code < 500, f"status {answer.status_code}: {answer.text[:200]!r}"
    assert not visited.complaints, f"{visited.complaints.pop()[-500:]}"


PARSERS = (
    Parser("formats", _format, _read_format, _FORMATS),
    Parser("print-formats", lambda maker: maker.pick([maker.lines(_SELECT_LINES)]), _read_print_format, _SELECT_LINES),
    Parser("times", lambda maker: maker.pick(_TIMES), _read_time, _TIMES),
    Parser("tools", _tool, _read_tool, input_ads.WORDS[:50], prepare=_prepare_tools),
    Parser(
        "pages",
        _page,
        _read_page,
        ("?", "&", "=", "/", "%", "%00", "%ff", "format=json", "sort="),
        prepare=_prepare_tools,
    ),
)
