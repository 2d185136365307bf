"""The job's ad as the job itself finds it (``.job.ad``): its files are where it runs, and it holds no secrets."""

from __future__ import annotations

from collections.abc import Mapping

from condor_py.lang.classad import ClassAd, quote_string
from condor_py.lang.classad.inorder import lines
from condor_py.machine.run.job import Job
from condor_py.machine.run.places import STDERR_NAME, STDOUT_NAME

#: What only the daemons may know.
_SECRET = frozenset({"claimid", "claimids", "capability", "transferkey"})
#: Attributes that tell what the slot gave, and those of the slot that they come from.
_PROVISIONED = (
    ("CpusProvisioned", "Cpus"), ("DiskProvisioned", "Disk"), ("MemoryProvisioned", "Memory"),
    ("GpusProvisioned", "GPUs"), ("ProvisionedResources", "MachineResources"),
)  # fmt: skip


def provisioned(slot: ClassAd) -> dict[str, str]:
    """Return the attributes that tell a job what the slot gives, the same for all its jobs."""
    pairs = {}
    for name, source in _PROVISIONED:
        text = slot.text(source)
        if text is not None:
            pairs[name] = text
    return pairs


def job_ad_text(ad: ClassAd, given: Mapping[str, str], job: Job, scratch: str) -> str:
    """The text of ``.job.ad``, an attribute a line in the order of names. ``given`` is what the slot gives
    (``provisioned``)."""
    pairs = {**_here(ad, job, scratch), **given} if job.transfer else given
    shown = ad.flat_copy()
    for key in shown.attrs.keys() & _SECRET.union(map(str.lower, pairs)):
        del shown.attrs[key]  # the spelling of ours counts
    shown.set_texts(pairs.items())
    return lines(shown.pairs())


def _here(ad: ClassAd, job: Job, scratch: str) -> dict[str, str]:
    """With file transfer the job runs in its scratch directory; the submitted values have other names."""
    pairs = {"Iwd": quote_string(scratch)}
    for name in ("Cmd", "Iwd"):
        text = ad.text(name)
        if text is not None:
            pairs[f"Orig{name}"] = text
    for name, original, here, streamed in (
        ("Out", "OriginalOut", STDOUT_NAME, job.stream_output),
        ("Err", "OriginalErr", STDERR_NAME, job.stream_error),
    ):
        text = ad.text(name)
        if text is not None and not streamed:
            pairs |= {original: text, name: quote_string(here)}
    return pairs
