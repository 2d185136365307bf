"""Jobs whose input is in the spool: what ``condor_submit -spool`` changes in their ads. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from condor_py.core.jobs.actions import release_records, set_string, set_text
from condor_py.core.jobs.jobad import status_of
from condor_py.core.jobs.parts import JobTable
from condor_py.core.jobs.rights import Caller
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.commonfiles import list_attributes, split_list
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.states import HoldCode, JobStatus

_REASON = "Data files spooled"
#: Attributes that name one file, and the attribute that says whether it is transferred.
_FILES = (("Cmd", "TransferExecutable"), ("In", "TransferIn"), ("x509userproxy", ""))
_EVENT_LOG = ("UserLog", "")
#: The file or directory among the input that is the image of the job's container.
_IMAGE = "ContainerImageFullPath"


def awaits_input(ad: ClassAd) -> bool:
    """Whether a job is held until its input files are in the spool."""
    held = status_of(ad) == JobStatus.HELD
    return held and ad.eval_int("HoldReasonCode", 0) == HoldCode.SPOOLING_INPUT


def log_begins(ad: ClassAd) -> bool:
    """Whether the event log of a job that has just been released begins in the spool, where it has no event yet."""
    spooled = ad.eval_int("LastHoldReasonCode", 0) == HoldCode.SPOOLING_INPUT
    return spooled and ad.text("SUBMIT_UserLog") is not None


def awaiting(jobs: JobTable, caller: Caller, ids: Iterable[JobId]) -> list[tuple[JobId, ClassAd]]:
    """Those of ``ids`` that the caller may bring input files for now."""
    found = ((job, jobs.job(job)) for job in ids)
    return [(job, ad) for job, ad in found if ad is not None and caller.may_change(ad) and awaits_input(ad)]


def input_files(ad: ClassAd) -> list[tuple[str, str]]:
    """The files and directories that a job brings along, as its ad names them, and the path of each in the spool."""
    names = [name for attribute, wanted in _FILES if (name := _file(ad, attribute, wanted)) is not None]
    listed = dict.fromkeys(name for attribute in _lists(ad) for name in _listed(ad, attribute))
    places = [(name, place(ad, name)) for name in listed if not is_url(name)]
    return [(name, path.rstrip("/")) for name, path in (*((name, base(name)) for name in names), *places)]


def is_url(name: str) -> bool:
    """Whether a plugin fetches it, from wherever it is."""
    return "://" in name


def _file(ad: ClassAd, attribute: str, wanted: str) -> str | None:
    """The file of an attribute; None for what stays where it is."""
    name = ad.eval_str(attribute, None)
    if not name or name == "/dev/null" or (wanted and ad.eval_bool(wanted, True) is False):
        return None
    return name


def _lists(ad: ClassAd) -> Iterator[str]:
    """The attributes that list input files."""
    yield "TransferInput"
    yield from list_attributes(ad.eval_str)


def _listed(ad: ClassAd, attribute: str) -> list[str]:
    if attribute != "TransferInput":
        return list(split_list(ad.eval_str(attribute, None)))
    text = ad.eval_str(attribute, "")
    return [part.strip() for part in text.split(",") if part.strip()]


def staged_in(job: JobId, ad: ClassAd, folder: str, begun: int, now: int, log_too: bool = False) -> Iterator[Change]:
    """The records of a job whose input has arrived in ``folder``: it looks there for what it needs, and is released.

    What the attributes said before is kept as ``SUBMIT_<name>``. ``begun`` and ``now`` are Unix times.
    ``log_too``: its event log is in ``folder``, too.
    """
    yield set_text(job, "SUBMIT_Iwd", ad.text("Iwd") or "undefined")
    yield set_string(job, "Iwd", folder)
    for attribute, wanted in (*_FILES, _EVENT_LOG) if log_too else _FILES:
        name = _file(ad, attribute, wanted)
        if name is not None and name != base(name):
            yield set_string(job, f"SUBMIT_{attribute}", name)
            yield set_string(job, attribute, base(name))
    for attribute in _lists(ad):
        listed = _listed(ad, attribute)
        moved = [name if is_url(name) else place(ad, name) for name in listed]
        if moved != listed:
            yield set_string(job, f"SUBMIT_{attribute}", ",".join(listed))
            yield set_string(job, attribute, ",".join(moved))
    image = ad.eval_str(_IMAGE, "")
    if image and not is_url(image) and image != place(ad, image):
        yield set_string(job, f"SUBMIT_{_IMAGE}", image)
        yield set_string(job, _IMAGE, place(ad, image))
    yield from _without_remaps(job, ad)
    yield set_text(job, "StageInStart", str(begun))
    yield set_text(job, "StageInFinish", str(now))
    yield from release_records(job, ad, _REASON, now)


def _without_remaps(job: JobId, ad: ClassAd) -> Iterator[Change]:
    """Output gets its other names when it is fetched; only what goes to a URL goes there at once."""
    text = ad.eval_str("TransferOutputRemaps", None)
    if text is None:
        return
    remaps = [part.strip() for part in text.split(";") if part.strip()]
    urls = [remap for remap in remaps if is_url(remap.partition("=")[2])]
    yield set_string(job, "SUBMIT_TransferOutputRemaps", ";".join(remap for remap in remaps if remap not in urls))
    yield set_text(job, "TransferOutputRemaps", quote_string(";".join(urls)) if urls else "undefined")


def place(ad: ClassAd, name: str) -> str:
    """Path in the spool of an item of a list: with preserve_relative_paths ``a/b`` and ``a/b/`` stay what they are. The
    image of a container is always ``b``."""
    if name == ad.eval_str(_IMAGE, None):
        return base(name).rstrip("/")
    if name.startswith("/") or ad.eval_bool("PreserveRelativePaths", False) is not True:
        return base(name)
    slash = "/" if name.endswith("/") else ""
    inside = posixpath.normpath(f"/{name}").lstrip("/")
    return inside + slash if inside else base(name)


def base(name: str) -> str:
    """Path of a file in the spool: ``a/b`` and ``a/b/`` (the directory's contents) become ``b`` and ``b/``."""
    slash = "/" if name.endswith("/") else ""
    last = name.rstrip("/").rpartition("/")[2]
    return ("directory" if last in ("", "..") else last) + slash
