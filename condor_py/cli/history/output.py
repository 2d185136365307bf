"""The output of condor_history: a table, the user's columns, or whole ads."""

from __future__ import annotations

import re
import sys
from typing import Any

from condor_py.cli.options import Args, leading_number
from condor_py.cli.output import ads as forms
from condor_py.cli.output import renderers
from condor_py.cli.output.autoformat import add_autoformat, add_format
from condor_py.cli.output.conversion import elapsed
from condor_py.cli.output.mask import Column, Mask
from condor_py.cli.output.terminal import cut, display_width, pad
from condor_py.cli.output.values import integer
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import parse
from condor_py.model.errors import CondorError

# The table of 80 columns (-wide:80), which HTCondor has kept from its early days.

SHORT_WIDTH = 80
_HEADING = (" ", "ID     ", "OWNER         ", "  SUBMITTED", "    RUN_TIME", "ST", "  COMPLETED", "CMD            ")
_NUMBERS = ("ClusterId", "ProcId", "QDate", "CompletionDate", "JobStatus", "JobPrio", "ImageSize")
_UNKNOWN_STATUS = " "


class ShortTable:
    """Columns of fixed widths; a job that lacks one of its attributes is a row of question marks."""

    def heading(self) -> str:
        """The line above the jobs."""
        return _HEADING[0] + " ".join(_HEADING[1:]) + "\n"

    def display(self, ad: ClassAd) -> str:
        """The row of a job."""
        numbers = [integer(ad.raw(name)) for name in _NUMBERS]
        owner, command = ad.eval_str("Owner"), ad.eval_str("Cmd")
        if None in numbers or owner is None or command is None:
            return " --- ???? --- \n"
        cluster, proc, submitted, completed, status = [number or 0 for number in numbers[:5]]
        used = integer(ad.raw("RemoteWallClockTime"))
        used = integer(ad.raw("RemoteUserCpu")) if used is None else used
        command = _with_arguments(command, ad.eval_str("Args"))
        return (
            f"{cluster:4d}.{proc:<3d} {_short_cut(owner, 14)} {_date(submitted, ad):11} {_time(used or 0):12} "
            f"{_letter(status):2} {_date(completed, ad):11} {_short_cut(command, 15)}\n"
        )


def _with_arguments(command: str, arguments: str | None) -> str:
    room = 14 - len(command)
    return command if arguments is None or room <= 0 else f"{command} {arguments[:room]}"


def _short_cut(text: str, width: int) -> str:
    return pad(cut(text, width), width, True)


def _date(seconds: int, ad: ClassAd) -> str:
    return (renderers.date(seconds, ad) or "") if seconds else " ??? "


def _time(seconds: int) -> str:
    return elapsed(seconds) if seconds >= 0 else "[?????]"


def _letter(status: int) -> str:
    letters = "IRXCH>SFBP"
    return letters[status - 1] if 1 <= status <= len(letters) else _UNKNOWN_STATUS


def _moment(value: Any, ad: ClassAd) -> int | None:
    return integer(value)


def _table() -> Mask:
    return Mask(
        [
            Column("ClusterId", " ID         ", -12, render=renderers.job_id, auto=True),
            Column("Owner", "OWNER", -14, render=renderers.owner, truncate=True, alt="??"),
            Column("QDate", "  SUBMITTED", 11, "%Y", _moment, truncate=True, alt="??"),
            Column("RemoteWallClockTime ?:(RemoteUserCpu?:0)", "  RUN_TIME  ", 12, "%T", truncate=True),
            Column("JobStatus", "ST", -2, render=renderers.job_status, auto=True),
            Column("CompletionDate", "  COMPLETED", 11, "%Y", _moment, truncate=True),
            Column("Cmd", "CMD", 0, render=renderers.description),
        ]
    )


def _daemon_table() -> Mask:
    """``-daemon``: how busy the schedd was."""
    counts = (
        ("TotalRunningJobs", "RunningJobs", "%11d"), ("TotalIdleJobs", "  IdleJobs", "%10d"),
        ("TotalHeldJobs", "  HeldJobs", "%10d"), ("TransferQueueNumDownloading", "Download", "%8d"),
        ("TransferQueueNumWaitingToDownload", "Waiting", "%7d"),
        ("FileTransferMBWaitingToDownload", "WaitingMB", "%9.2f"), ("TransferQueueNumUploading", "  Upload", "%8d"),
        ("TransferQueueNumWaitingToUpload", "Waiting", "%7d"), ("FileTransferMBWaitingToUpload", "WaitingMB", "%9.2f"),
    )  # fmt: skip
    return Mask(
        [
            Column("RecordWriteDate", "TIMESTAMP  ", -11, "%Y", _moment, truncate=True, alt="??"),
            Column("(RecentDaemonCoreDutyCycle?:0) * 100", "DUTY_CYCLE", -10, "%7.2f%%", auto=True),
            *(Column(source, heading, -len(heading), fmt, auto=True) for source, heading, fmt in counts),
        ]
    )


class Printer:
    """The output that the command line asks for, ad by ad: ``start``, ``show`` each, ``end``."""

    def __init__(self, args: Args) -> None:
        self.where = ""
        self.mask: Mask | ShortTable | None = None
        self.form = next((form for form in ("xml", "json", "jsonl", "toml", "long") if args.has(form)), "")
        self._shown = False
        if self.form:
            names = re.split(r"[\s,]+", ",".join(args.texts("attributes"))) if args.has("attributes") else None
            self._frame = forms.HISTORY_FRAMES[self.form]
            self._render = forms.renderer(self.form, names, True)
            return
        self.mask, self._heading = _mask(args)
        if args.has("print-format"):
            self.mask = self._print_format(args.text("print-format") or "")
        self.mask.max_width = _cut(args)
        if self.mask.max_width == SHORT_WIDTH and is_standard(args):
            self.mask = ShortTable()

    def _print_format(self, path: str) -> Mask:
        from condor_py.cli.output.printformat import parse_print_format

        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                chosen = parse_print_format(file.read().splitlines())
        except OSError as error:
            raise CondorError(
                f"Can't open select file: {path}\nError: cannot execute print-format file {path}"
            ) from error
        for message in chosen.messages:
            sys.stderr.write(message + "\n")
        self._heading, self.where = chosen.header, chosen.where
        return chosen.mask

    def start(self) -> str:
        """Return the text before the first ad, also where there is no ad."""
        if self.mask is None:
            return self._frame.header
        return self.mask.heading() if self._heading else ""

    def show(self, ad: ClassAd) -> str:
        """One ad."""
        if self.mask is not None:
            return self.mask.display(ad)
        lead = self._frame.between if self._shown else ""
        self._shown = True
        return f"{lead}{self._frame.before}{self._render(ad)}{self._frame.after}"

    def end(self) -> str:
        """Return the text after the last ad."""
        return "" if self.mask is not None else self._frame.footer


def is_standard(args: Args) -> bool:
    """Whether the table is asked for by nothing but -wide:80."""
    chosen = ("autoformat", "format", "print-format", "daemon")
    return args.has("wide") and not any(args.has(name) for name in chosen)


def _mask(args: Args) -> tuple[Mask, bool]:
    """The columns, and whether they have a heading line."""
    mask = Mask()
    for use in args.uses:
        if use.name == "autoformat":
            if not add_autoformat(mask, use.values, use.colon):
                raise CondorError(f"Error: invalid expression : {_first_bad(use.values)}")
        elif use.name == "format" and not add_format(mask, use.values[0], use.values[1]):
            raise CondorError(f"Error: invalid expression : {use.values[1]}")
    if mask.columns:
        return mask, mask.has_headings()
    if args.has("transfer-history") and not args.has("print-format"):
        raise CondorError(
            "Error: -transfer-history does not have a default print table. "
            "Please use -long, -json, -xml, or a custom print format."
        )
    return _daemon_table() if args.has("daemon") else _table(), True


def _first_bad(expressions: tuple[str, ...]) -> str:
    for expression in expressions:
        try:
            parse(expression)
        except ClassAdParseError:
            return expression
    return ""


def _cut(args: Args) -> int | None:
    use = args.last("wide")
    if use is not None:
        asked = 0 if use.colon is None else leading_number(use.colon)
        return asked if asked > 0 else None
    if args.has("autoformat") or args.has("format"):
        return None
    width = display_width()
    return None if width is None else width - 1
