"""Grid Engine: qsub, qstat, qdel."""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.machine.batch.system import Found, NotUnderstood, OfOneVersion, Order, any_of
from condor_py.model.gridjobs import Seen, Stand

_AWAY = (
    "unable to contact qmaster",
    "can't get configuration from qmaster",
    "commlib error",
    "unable to send message",
    "unable to initialize environment",
    "can't connect",
    "error: failed receiving gdi request",
)


class GridEngine(OfOneVersion):
    """Son of Grid Engine and its relatives."""

    name = "sge"
    variable = "JOB_ID"

    def job_name(self, name: str) -> str:
        """A name must not begin with a digit."""
        return f"c{name}" if name[:1].isdigit() else name

    def submit(self, order: Order) -> list[str]:
        """Several cpus come from the parallel environment ``smp``, which other arguments may override."""
        words = ["qsub", "-terse", "-N", self.job_name(order.name), "-wd", order.directory, "-S", "/bin/sh"]
        # -C: no line of the script is an option, whatever the job's words have in them.
        words += ["-o", "/dev/null", "-e", "/dev/null", "-r", "n", "-C", ""]
        for option, value in (("-q", order.queue), ("-A", order.project)):
            if value:
                words += [option, value]
        if order.runtime:
            words += ["-l", f"h_rt={order.runtime}"]
        if order.memory:
            words += ["-l", f"mem_free={order.memory}M"]
        if order.gpus:
            words += ["-l", f"gpu={order.gpus}"]
        if order.cpus > 1 and "-pe" not in order.extra:
            words += ["-pe", "smp", str(order.cpus)]
        return [*words, *order.extra, order.script]

    def submitted(self, printed: str, order: Order) -> str:
        """The number, alone on the last line."""
        number = printed.strip().splitlines()[-1].strip() if printed.strip() else ""
        if not number.isdigit():
            raise NotUnderstood(f"qsub printed no job id: {printed.strip()[:200]!r}")
        return number

    def looks(self, user: str, numbers: Iterable[str]) -> list[list[str]]:
        """As XML, where names are whole."""
        return [["qstat", "-xml", "-u", user]]

    def looked(self, printed: str, command: list[str], user: str) -> list[Found]:
        """Jobs that wait or run; it does not know others any more."""
        from xml.etree import ElementTree

        try:
            root = ElementTree.fromstring(printed)
        except ElementTree.ParseError as error:
            raise NotUnderstood(f"qstat printed no XML: {error}") from None
        found = []
        for job in root.iter("job_list"):
            number, name = job.findtext("JB_job_number", ""), job.findtext("JB_name", "")
            found.append(Found(name, Seen(number, *_stand(job.findtext("state", "")))))
        return found

    def cancel(self, number: str) -> list[str]:
        """qdel."""
        return ["qdel", number]

    def knows_nothing(self, printed: str) -> bool:
        """It has ended."""
        return any_of(printed, ("does not exist", "denied: job"))

    def is_away(self, printed: str) -> bool:
        """The qmaster does not answer."""
        return any_of(printed, _AWAY)


def _stand(state: str) -> tuple[Stand, str]:
    if "E" in state:
        return Stand.STOPPED, f"Job is in an error state of the batch system (Grid Engine: {state})"
    if "h" in state and "r" not in state:
        return Stand.HELD, ""
    if state.lower().strip("r") in ("s", "t") and state != "t":
        return Stand.SUSPENDED, ""
    return (Stand.WAITS if "q" in state else Stand.RUNS), ""
