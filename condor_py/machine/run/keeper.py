"""Keeps what one run saves for the next: its checkpoint, or all that changed of a run that is evicted."""

from __future__ import annotations

import os

from condor_py.machine.run.destination import latest, new_one
from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.job import Job
from condor_py.machine.run.medium import Medium
from condor_py.machine.run.spool import JobSpool
from condor_py.machine.run.transfer import Catalogue, Transfer


class Keeper:
    """One run. ``number`` is that of the last checkpoint of the job, -1 for none."""

    def __init__(self, number: int) -> None:
        self.number = number
        #: What the ended program wanted to keep is where it belongs.
        self.done = False
        self._spool: JobSpool | None = None
        self._owner: Account | None = None
        self._medium: Medium | None = None

    def open(
        self, spool: str, job: Job, owner: Account | None, mode: int = 0o700, medium: Medium | None = None
    ) -> None:
        """There is something to keep, below the directory SPOOL and with the rights of ``owner``, in a directory of
        ``mode``; it is to be on the medium, if there is one."""
        self._spool, self._owner, self._medium = JobSpool(spool, job.job_id, owner, job.iwd, mode), owner, medium

    @property
    def left_behind(self) -> str | None:
        """The directory with what an earlier run has left; None when there is none."""
        return None if self._spool is None else self._spool.found()

    def fetch_input(self, job: Job, transfer: Transfer) -> Catalogue:
        """Brings the input and what an earlier run has left. TransferError, InvalidCheckpoint, OSError."""
        left_behind = self.left_behind
        if self._spool is None or not job.wishes.checkpoint_destination:
            return transfer.fetch_input(left_behind)
        return transfer.fetch_input(None, latest(job, self._spool.directory))

    def keep(self, job: Job, transfer: Transfer, before: Catalogue, *, at_checkpoint: bool) -> None:
        """Saves the checkpoint, or all that changed since ``before``, for the next run. TransferError, OSError."""
        if self._spool is None or self.done:
            return
        names = job.wishes.checkpoint_files if at_checkpoint else None
        with as_user(self._owner):
            changed = _changed(job, transfer, before) if names is None else list(names)
        if job.wishes.checkpoint_destination:
            if at_checkpoint:  # other files of a stopped run have no place there
                self._upload(self._spool, job, transfer, changed)
            return
        target = self._spool.prepare()
        with as_user(self._owner):
            transfer.save(target, changed)
        self._spool.commit(self._medium)

    def count(self) -> None:
        """A checkpoint was kept: it has the next number, if it did not get one at its destination."""
        if not self.done:
            self.number, self.done = self.number + 1, True

    def finish(self) -> None:
        """Keep nothing more of the program that has ended."""
        self.done = True

    def begin_again(self) -> None:
        """The program runs again: it may have another checkpoint."""
        self.done = False

    def take(self, number: int) -> None:
        """Take over the number of the checkpoint that a child has kept."""
        self.number = number

    def told(self, now: float, since: float, *, lost: bool) -> dict[str, str]:
        """Return the attributes of the job ad about the last checkpoint of a program that was executed at ``since``;
        ``lost``: the checkpoint did not get to its destination."""
        if lost:
            return {"CheckpointNumber": str(self.number), "FailedCheckpoint": "true"}
        seconds = max(0, int(now - since))
        attributes = {"CheckpointNumber": self.number, "LastCkptTime": int(now), "NewlyCommittedTime": seconds}
        return {name: str(value) for name, value in attributes.items()}

    def _upload(self, spool: JobSpool, job: Job, transfer: Transfer, names: list[str]) -> None:
        """Sends a checkpoint to its destination. TransferError, OSError."""
        spool.open()
        with as_user(self._owner):
            checkpoint = new_one(job, spool.directory, self.number)
            transfer.upload(checkpoint, names)
        # The number is used up even when the checkpoint did not get there: something of it may have.
        self.number, self.done = checkpoint.number, True


def _changed(job: Job, transfer: Transfer, before: Catalogue) -> list[str]:
    """List the files that the program changed, and those of its listed output that exist."""
    listed = (name for name in job.output_files or () if os.path.lexists(os.path.join(transfer.scratch, name)))
    return list(dict.fromkeys((*transfer.changed(before), *listed)))
