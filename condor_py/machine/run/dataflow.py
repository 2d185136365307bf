"""skip_if_dataflow: a job whose output is newer than all that it is made of need not run."""

from __future__ import annotations

import os

from condor_py.machine.run.job import Job


def is_done(job: Job) -> bool:
    """Whether every named output file is newer than every input file, the program and the standard input.

    URLs do not count, nor do input files that are missing (file_transfer.cpp). Called with the rights of the job's
    owner.
    """
    names = [name for name in (*job.input_files, *job.common_files) if "://" not in name]
    must = [job.cmd] if job.stdin == os.devnull else [job.cmd, job.stdin]
    try:
        newest = max(_changed(job, name) for name in must)
        oldest = min((_changed(job, name) for name in job.output_files or ()), default=0)
    except OSError:
        return False
    for name in names:
        try:
            newest = max(newest, _changed(job, name))
        except OSError:
            continue
    return oldest > newest


def _changed(job: Job, name: str) -> int:
    return os.stat(os.path.join(job.iwd, name)).st_mtime_ns
