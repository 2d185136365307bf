"""The table of 80 columns (-wide:80), which HTCondor has kept from its early days."""

from __future__ import annotations

from condor_py.cli.output import renderers
from condor_py.cli.output.conversion import elapsed
from condor_py.cli.output.terminal import cut, pad
from condor_py.cli.output.values import integer
from condor_py.lang.classad.ad import ClassAd

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
            f"{cluster:4d}.{proc:<3d} {_cut(owner, 14)} {_date(submitted, ad):11} {_time(used or 0):12} "
            f"{_letter(status):2} {_date(completed, ad):11} {_cut(command, 15)}\n"
        )


def _with_arguments(command: str, arguments: str | None) -> str:
    room = 14 - len(command)
    return command if arguments is None or room <= 0 else f"{command} {arguments[:room]}"


def _cut(text: str, width: int) -> str:
    return pad(cut(text, width), width, True)


def _date(seconds: int, ad: ClassAd) -> str:
    return (renderers.date(seconds, ad) or "") if seconds else " ??? "


def _time(seconds: int) -> str:
    return elapsed(seconds) if seconds >= 0 else "[?????]"


def _letter(status: int) -> str:
    letters = "IRXCH>SFBP"
    return letters[status - 1] if 1 <= status <= len(letters) else _UNKNOWN_STATUS
