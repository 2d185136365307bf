"""From commands to attributes, once in full for the first job and then only what changes from job to job.

Each unit is one step of HTCondor's order of work. While the first job of a queue statement is made, it is noted
which commands each unit asked for, what their values depended on, and which attributes it looked up. A later job
repeats the units whose commands depend on a variable that changes, and the units that look up what those set.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from condor_py.lang.submit import (
    evict,
    extras,
    interactive,
    mistakes,
    policy,
    program,
    requirements,
    resources,
    transfer,
)
from condor_py.lang.submit.base import base_attributes
from condor_py.lang.submit.commands import SIMPLE, Simple, extended, set_simple
from condor_py.lang.submit.job import Attributes, JobMaker
from condor_py.model.states import PARALLEL_NODE, Universe

Unit = Callable[[JobMaker], object]


def _set_vm(job: JobMaker) -> None:
    if job.universe == Universe.VM:
        from condor_py.lang.submit import vm  # few jobs are machines

        vm.set_vm(job)


_BEFORE_REQUESTS: tuple[Unit, ...] = (
    program.set_file_checks,
    program.set_iwd,
    program.set_executable,
    program.set_arguments,
    extras.set_grid,
    program.set_java_arguments,
    policy.set_parallel,
    program.set_environment,
    policy.set_status,
    extras.set_tool_daemon,
    program.set_stdin,
    program.set_stdout,
    program.set_stderr,
    extras.set_proxy,
    extras.set_credentials,
    policy.set_notification,
    policy.set_rank,
    policy.set_periodic,
    policy.set_leave_in_queue,
    policy.set_retries,
    evict.set_on_evict,
    policy.set_kill_signals,
    extras.set_container_services,
    _set_vm,
    resources.warn_misspelled,
    resources.set_cpus,
    resources.set_gpus,
    resources.set_disk,
    resources.set_memory,
)
_AFTER_REQUESTS: tuple[Unit, ...] = (policy.set_concurrency_limits, policy.set_accounting_group)
_AFTER_SIMPLE: tuple[Unit, ...] = (
    policy.set_deferral,
    resources.set_sizes,
    transfer.set_transfer_files,
    policy.set_automatic,
    interactive.set_description,
    policy.set_materialize_limit,
    policy.report_mistakes,
    policy.report_what_does_nothing,
    extras.set_forced_by_config,
)
_LAST: tuple[Unit, ...] = (
    extras.check_job_set,
    transfer.list_common_image,
    resources.set_require_gpus,
    requirements.set_requirements,
    mistakes.report_doubtful,
)


def units_for(job: JobMaker) -> list[Unit]:
    """The steps for the submit file and queue variables as they stand, in order."""
    macros = job.macros
    names = sorted({macro.name for macro in macros.table} | set(macros.items), key=str.lower)
    units = list(_BEFORE_REQUESTS)
    units += [partial(resources.set_custom, name=name) for name in resources.custom_requests(names)]
    units += _AFTER_REQUESTS
    units += _simple_units(job)
    units += [partial(set_simple, row=row) for row in extended(job.settings.extended_commands)]
    units += _AFTER_SIMPLE
    units += [partial(extras.set_forced, macro=name) for name in names if name[:3].lower() == "my."]
    sets = [name for name in names if name[:7].lower() == "jobset."]
    if sets:
        units.append(partial(extras.set_job_set, names=sets))
    units += _LAST
    return units


def _simple_units(job: JobMaker) -> list[Unit]:
    units: list[Unit] = []
    pending: list[Simple] = []
    for row in SIMPLE:
        if not row.other:
            pending = []
        if job.macros.lookup(row.command) is None and job.macros.lookup(row.attribute) is None:
            continue
        if pending:
            units[-1] = partial(_first_given, rows=(*pending, row))
            pending.append(row)
            continue
        units.append(partial(set_simple, row=row))
        pending = [row]
    return units


def _first_given(job: JobMaker, rows: tuple[Simple, ...]) -> None:
    for row in rows:
        if set_simple(job, row):
            return


class Pipeline:
    """Makes the jobs of one queue statement; ``job.macros`` holds their variables.

    Call ``first`` for the first job and ``next`` for each later one; both leave the attributes that differ from
    the cluster in ``job.own``. ``varying`` names the variables that change between these jobs (lower case).
    """

    def __init__(self, job: JobMaker, varying: frozenset[str]) -> None:
        self.job = job
        self.varying = varying
        self._units: list[Unit] = []
        self._live: list[int] = []
        self._readers: dict[str, list[int]] = {}
        self._static: Attributes = {}

    def first(self) -> None:
        """Make the job in full; when the cluster has no attributes yet, they are taken from it."""
        job = self.job
        starts_cluster = not job.cluster
        job.macros.record()
        if starts_cluster:
            job.own = base_attributes(job.settings, job.now)
            program.set_universe(job)
        else:
            job.own = {}
        job.macros.counters["node"] = PARALLEL_NODE if job.universe == Universe.PARALLEL else ""
        self._units = units_for(job)
        static: Attributes = {}
        live_attributes: set[str] = set()
        for index, unit in enumerate(self._units):
            reads, touched = self._observe(unit)
            if not reads.isdisjoint(self.varying) or not job.read.isdisjoint(live_attributes):
                self._live.append(index)
                live_attributes |= touched
            else:
                static.update((key, job.own[key]) for key in touched if key in job.own)
            for key in job.read:
                self._readers.setdefault(key, []).append(index)
        job.macros.freeze(self.varying)
        if starts_cluster:
            self._found_cluster()
        else:
            self._static = static

    def _observe(self, unit: Unit) -> tuple[set[str], set[str]]:
        job = self.job
        job.macros.reads = set()
        job.read = set()
        job.written = set()
        unit(job)
        return job.macros.reads, job.written

    def _found_cluster(self) -> None:
        """The first job's attributes become the cluster's, all but JobStatus."""
        job = self.job
        status = job.own.pop("jobstatus", None)
        job.cluster = job.own
        job.own = {}
        if status is not None:
            self._static = {"jobstatus": status}
            job.own = dict(self._static)

    def keep_static(self, *keys: str) -> None:
        """After ``first``: of the attributes that are the same for all jobs, only these are the job's own.

        The others are in a cluster ad that was made before, and may have been edited since.
        """
        self._static = {key: value for key, value in self._static.items() if key in keys}

    def next(self) -> None:
        """Make the next job."""
        job = self.job
        job.own = dict(self._static)
        job.written = set()
        readers = self._readers
        todo = self._live
        at = 0
        while at < len(todo):
            index = todo[at]
            at += 1
            before = job.written
            job.written = set()
            self._units[index](job)
            if not readers.keys().isdisjoint(job.written):
                todo = self._with_readers(todo, index)
            job.written |= before

    def _with_readers(self, todo: list[int], index: int) -> list[int]:
        """``todo`` with the later units that looked up an attribute which the last unit set for this job only."""
        extra = {
            reader
            for key in self.job.written
            if key in self.job.own
            for reader in self._readers.get(key, ())
            if reader > index
        }
        missing = extra.difference(todo)
        return sorted({*todo, *missing}) if missing else todo
