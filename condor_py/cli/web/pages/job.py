"""One job: what everybody may see of it, and for its owner its ad, events and files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from markupsafe import Markup

from condor_py.cli.history.lives import run_of
from condor_py.cli.output import renderers
from condor_py.cli.waiting import Around, why_it_waits
from condor_py.cli.web import svg
from condor_py.cli.web.errand import CannotDo
from condor_py.cli.web.page import NUMBER, TEXT, TRUTH, WHOLE, Data, NotHere, Viewer, array, maybe, record
from condor_py.cli.web.pages import life
from condor_py.cli.web.texts import memory, span
from condor_py.cli.web.userfiles import files_of, look
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.cli.top.look import LiveJobs
    from condor_py.cli.web.live import Watch
    from condor_py.cli.web.page import Asked
    from condor_py.lang.classad import ClassAd

#: Seconds in which the history is searched for a job.
_PATIENCE = 0.4
#: Seconds after which the end of a file that a running job writes is worth reading again.
_FOLLOW = 2
_RUNS = (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED)
#: Resource, what the job asked for, what it got, what it used at most.
_RESOURCES = (
    ("cores", "RequestCpus", "CpusProvisioned", "CpusUsage"),
    ("memory", "RequestMemory", "MemoryProvisioned", "MemoryUsage"),
    ("disk", "RequestDisk", "DiskProvisioned", "DiskUsage"),
    ("GPUs", "RequestGPUs", "GPUsProvisioned", "GPUsAverageUsage"),
)


def row(jobs: LiveJobs, job: JobId, viewer: Viewer) -> Data | None:
    """Return a line of a table of jobs; None when it has left the queue. Arguments are for those who may see them."""
    found, ad = jobs.row(job), jobs.view.job(job)
    if found is None or ad is None:
        return None
    return {
        "id": str(job),
        "owner": found.owner,
        "state": state(found.status),
        "seconds": max(0, found.seconds),
        "cpus": found.cpus,
        "memory": found.memory,
        "slot": found.slot,
        "command": command(ad, viewer.may_see(found.owner)),
        "note": found.note,
    }


def state(status: int) -> str:
    """Return the word for a JobStatus."""
    try:
        return JobStatus(status).name.lower()
    except ValueError:
        return "unknown"


def command(ad: ClassAd, whole: bool) -> str:
    """Return what a job runs; ``whole`` with its arguments."""
    if whole:
        return renderers.description(None, ad) or ""
    return ad.eval_str("JobDescription") or ad.eval_str("Cmd", "").rpartition("/")[2]


def view(watch: Watch, asked: Asked, job: JobId) -> Data:
    """Return everything about a job that the viewer may see. NotHere."""
    jobs = watch.jobs
    ad, history = jobs.view.job(job), False
    if ad is None:
        ad, history = _from_history(watch, job), True
    owner = ad.eval_str("Owner", "")
    mine = asked.viewer.may_see(owner)
    status = ad.eval_int("JobStatus", 0)
    data: Data = {
        "id": str(job),
        "cluster": job.cluster,
        "owner": owner,
        "batch": renderers.batch_name(None, ad) or f"ID: {job.cluster}",
        "state": state(status),
        "from_history": history,
        "mine": mine,
        "command": command(ad, mine),
        "priority": ad.eval_int("JobPrio", 0),
        "slot": (ad.eval_str("RemoteHost") or ad.eval_str("LastRemoteHost", "")).partition("@")[0],
        "submitted": ad.eval_int("QDate", None),
        "started": ad.eval_int("JobCurrentStartDate", None) if status in _RUNS or history else None,
        "ended": (_ended(ad) if history else ad.eval_int("CompletionDate", None)) or None,
        "seconds": _seconds(ad, status, asked.now),
        "starts": ad.eval_int("NumJobStarts", 0),
        "ending": _ending(ad, status),
        "reasons": [] if history else _reasons(watch, ad),
        "resources": _resources(ad),
        "ad": _lines(ad) if mine else None,
        "events": [],
        "files": [],
        "file": None,
        "tail": None,
        "problem": "",
        "life": _life(watch, asked, job, ad, mine),
        "again": 0,
    }
    if mine:
        data.update(_files(watch, asked, job, ad, owner, status in _RUNS))
    data["again"] = data["again"] or data["life"]["again"]
    return data


def _ended(ad: ClassAd) -> int | None:
    """Return when a job of the history ended."""
    return ad.eval_int("CompletionDate", None) or ad.eval_int("EnteredCurrentStatus", None)


def _life(watch: Watch, asked: Asked, job: JobId, ad: ClassAd, mine: bool) -> Data:
    """Return the charts of the job's runs; its use in a run that is not over is asked for where it is the viewer's."""
    run = run_of(ad, asked.now)
    if run is not None and mine:
        run = life.with_use(watch, asked.viewer, job, run)
    wanted = life.Wanted((job.cluster,), job.proc, ad.eval_int("QDate", 0))
    return life.shown(watch, wanted, [] if run is None else [run])


def left(watch: Watch, cluster: int) -> Iterator[tuple[JobId, ClassAd]]:
    """Yield the jobs of a cluster in the history, the newest first, as far as they are found soon."""
    from condor_py.store.history import records_newest_first

    deadline = time.monotonic() + _PATIENCE
    for number, found in enumerate(records_newest_first(watch.pool.paths.history)):
        job = found.job()
        if job is not None and job.cluster == cluster:
            yield job, found.ad()
        if number % 64 == 0 and time.monotonic() > deadline:
            return


def past_row(job: JobId, ad: ClassAd, viewer: Viewer) -> Data:
    """Return a line of a table of jobs that have left."""
    owner, status = ad.eval_str("Owner", ""), ad.eval_int("JobStatus", 0)
    return {
        "id": str(job), "owner": owner, "state": state(status), "seconds": _seconds(ad, status, 0) or 0,
        "ended": _ended(ad),
        "ending": _ending(ad, status), "command": command(ad, viewer.may_see(owner)),
    }  # fmt: skip


def _from_history(watch: Watch, job: JobId) -> ClassAd:
    """Return the ad of a job that has left the queue. NotHere."""
    found = next((ad for other, ad in left(watch, job.cluster) if other == job), None)
    if found is None:
        raise NotHere(f"Job {job} is neither in the queue nor among the newest of the history.")
    return found


def _seconds(ad: ClassAd, status: int, now: int) -> int | None:
    """Seconds of the run, or of all runs that are over."""
    begun = ad.eval_int("ShadowBday", None) if status in _RUNS else None
    if begun:
        return max(0, now - begun)
    spent = ad.eval_real("RemoteWallClockTime", 0.0)
    return int(spent) if spent else None


def _ending(ad: ClassAd, status: int) -> str:
    """Return how the job ended, or why it is held or removed."""
    if status == JobStatus.HELD:
        return f"on hold: {ad.eval_str('HoldReason') or 'no reason is given'}"
    if status == JobStatus.REMOVED:
        return f"removed: {ad.eval_str('RemoveReason') or 'no reason is given'}"
    if status != JobStatus.COMPLETED:
        return ""
    if ad.eval_bool("ExitBySignal", False):
        return f"ended by signal {ad.eval_int('ExitSignal', 0)}"
    return f"ended with exit code {ad.eval_int('ExitCode', 0)}"


def _reasons(watch: Watch, ad: ClassAd) -> list[str]:
    around = watch.reasoned_jobs().around or Around([], watch.jobs.now)
    return [reason.text for reason in why_it_waits(ad, around)]


def _resources(ad: ClassAd) -> list[Data]:
    found = []
    for name, *attributes in _RESOURCES:
        asked, given, used = (ad.eval_real(attribute, None) for attribute in attributes)
        if asked or given or used:
            found.append({"name": name, "asked": asked, "given": given, "used": used})
    return found


def _lines(ad: ClassAd) -> list[list[str]]:
    """Return the attributes of an ad, by name."""
    return [[name, text] for name, text in sorted(ad.text_items(), key=lambda item: item[0].lower())]


def _files(watch: Watch, asked: Asked, job: JobId, ad: ClassAd, owner: str, running: bool) -> Data:
    """Return the files and events, as the owner may read them."""
    wanted = asked.text("file")
    execute = [watch.pool.config.string(knob) for knob in ("EXECUTE", "LOCAL_UNIV_EXECUTE")]
    files = files_of(ad)
    if wanted and wanted not in [file.name for file in files]:
        raise NotHere(f"Job {job} names no such file.")
    try:
        found = look(owner, files, wanted, job, [path for path in execute if path], running)
    except CannotDo as error:
        return {"problem": str(error)}
    return {**found, "file": wanted or None, "again": _FOLLOW if running and wanted else 0}


# ---- the picture ----------------------------------------------------------------------------------------------------

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 720.0, 160.0, 60.0, 22.0, 8.0


def picture(data: Data) -> Markup:
    """Return the memory of a job over time by the record of its use, or else as its events tell. NotHere when they tell
    too little."""
    if (data.get("life") or {}).get("memory"):
        return life.PICTURES["memory"](data)
    sizes = [(event["time"], event["memory"]) for event in data.get("events", ()) if event["memory"] is not None]
    if len(sizes) < 2 or sizes[-1][0] <= sizes[0][0]:
        raise NotHere("The events of this job tell too little of its memory for a picture.")
    begin, end = sizes[0][0], sizes[-1][0]
    asked = next((entry["asked"] for entry in data["resources"] if entry["name"] == "memory"), None)
    most = max(1.0, asked or 0.0, *(value for _, value in sizes)) * 1.1

    def place(when: float, value: float) -> tuple[float, float]:
        across = _LEFT + (_WIDTH - _LEFT - 8) * (when - begin) / (end - begin)
        return across, _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - value / most)

    drawn = [svg.line([place(begin, 0), place(end, 0)], "grid"), svg.line([place(*each) for each in sizes], "line")]
    if asked:
        drawn.append(svg.line([place(begin, asked), place(end, asked)], "limit"))
        drawn.append(svg.words(_LEFT - 6, place(begin, asked)[1] + 4, memory(asked), "faint", "end"))
    drawn.append(svg.words(_LEFT, _HEIGHT - 4, "start", "faint"))
    drawn.append(svg.words(_WIDTH - 8, _HEIGHT - 4, span(end - begin), "faint", "end"))
    return svg.picture(_WIDTH, _HEIGHT, "Memory of the job over time", *drawn)


ROW = record(
    id=TEXT, owner=TEXT, state=TEXT, seconds=WHOLE, cpus=NUMBER, memory=NUMBER, slot=TEXT, command=TEXT, note=TEXT
)
PAST_ROW = record(id=TEXT, owner=TEXT, state=TEXT, seconds=WHOLE, ended=maybe(WHOLE), ending=TEXT, command=TEXT)
_EVENT = record(number=WHOLE, time=WHOLE, title=TEXT, text=TEXT, memory=maybe(WHOLE))
_FILE = record(name=TEXT, path=TEXT, size=maybe(WHOLE), problem=TEXT)
#: The schema of the fields of a job.
FIELDS = {
    "id": TEXT, "cluster": WHOLE, "owner": TEXT, "batch": TEXT, "state": TEXT, "from_history": TRUTH, "mine": TRUTH,
    "command": TEXT, "priority": maybe(WHOLE), "slot": TEXT, "submitted": maybe(WHOLE), "started": maybe(WHOLE),
    "ended": maybe(WHOLE), "seconds": maybe(WHOLE), "starts": WHOLE, "ending": TEXT, "reasons": array(TEXT),
    "resources": array(record(name=TEXT, asked=maybe(NUMBER), given=maybe(NUMBER), used=maybe(NUMBER))),
    "ad": maybe(array(array(TEXT))), "events": array(_EVENT), "files": array(_FILE), "file": maybe(TEXT),
    "tail": maybe(record(text=TEXT, cut=TRUTH, problem=TEXT)), "problem": TEXT,
    "life": life.LIFE, "again": NUMBER,
}  # fmt: skip
