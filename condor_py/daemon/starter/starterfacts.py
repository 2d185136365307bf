"""What a starter reads out of the ad of its slot, and what its log tells of a start."""

from __future__ import annotations

import re

from condor_py.classad import ClassAd
from condor_py.starter.job import Job


def starting(job: Job, pid: int) -> str:
    """What the log tells of a start, in the original's words."""
    return (
        f"Starting a VANILLA universe job with ID: {job.job_id}\nIWD: {job.iwd}\nOutput file: {job.stdout}\n"
        f"Error file: {job.stderr}\nRunning job as user {job.owner}\n"
        f"About to exec {' '.join((job.cmd, *job.arguments))}\nCreate_Process succeeded, pid={pid}"
    )


def assigned(slot: ClassAd) -> tuple[tuple[str, str], ...]:
    """Custom resources with ids: (name, comma-separated ids)."""
    found = []
    for name, _ in slot.text_items("sorted"):
        if name.lower().startswith("assigned") and (ids := slot.eval_str(name, None)):
            found.append((name[len("assigned") :], ids))
    return tuple(found)


def gpu_uuids(slot: ClassAd) -> tuple[tuple[str, str], ...]:
    """The whole UUIDs of the slot's GPUs by the ids that the slot has: (id, "GPU-..."), where they are known."""
    found = []
    for device in (slot.eval_str("AssignedGPUs", None) or "").replace(",", " ").split():
        uuid = slot.eval_text(f"GPUs_{re.sub('[^A-Za-z0-9]', '_', device)}.DeviceUuid")
        if isinstance(uuid, str):
            found.append((device, uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"))
    return tuple(found)
