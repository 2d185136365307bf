"""``condor_submit -spool``: the input files of jobs are copied into the spool, where the jobs find them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from condor_py.core.jobs.spooled import input_files
from condor_py.machine.run.copying import copy_file
from condor_py.model.errors import CondorError
from condor_py.store.fs import RealFs, sync_file

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.client.progress import Meter
    from condor_py.lang.classad import ClassAd


def bring_files(pool: Pool, clusters: Iterable[int], meter: Meter) -> None:
    """Copies the input files of the clusters' jobs, and lets the jobs run. CondorError when a file cannot be copied:
    the jobs stay on hold."""
    wanted = frozenset(clusters)
    ads = {job: ad for job, ad in pool.read_queue().jobs() if job.cluster in wanted}
    begun = pool.now()
    rooms = pool.make_room(list(ads))
    for done, (job, folder) in enumerate(rooms.items(), 1):
        _fill(folder, ads[job])
        meter.at(done)
    pool.files_arrived(list(rooms), begun)


def _fill(folder: str, ad: ClassAd) -> None:
    directory = ad.eval_str("Iwd", "/") or "/"
    for name, place in input_files(ad):
        source, target = os.path.join(directory, name), os.path.join(folder, place)
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            copy = _copy_tree if os.path.isdir(source) else _copy
            copy(source, target)
        except OSError as error:
            raise CondorError(f"cannot spool {error.filename or source}: {error.strerror or error}") from None
    for made, _, _ in os.walk(folder):
        RealFs().sync_dir(made)


def _copy_tree(source: str, target: str) -> None:
    os.makedirs(target, exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            there = os.path.join(target, entry.name)
            if entry.is_dir():
                _copy_tree(entry.path, there)
            else:
                _copy(entry.path, there)


def _copy(source: str, target: str) -> None:
    copy_file(source, target)
    sync_file(RealFs(), target)
