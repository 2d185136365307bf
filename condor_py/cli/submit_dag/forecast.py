"""``condor_submit_dag -forecast`` (ours): how a DAG will run on this machine, without running it.

The core of condor_dagman runs it in virtual time on the slots that the startd advertises. Every job succeeds and other
people's jobs are not seen.
"""

from __future__ import annotations

import os
import posixpath
import time
from typing import TYPE_CHECKING

from condor_py.cli.submit_dag.forecasttext import forecast_text
from condor_py.cli.submit_dag.foreseen import Durations, Requests
from condor_py.client.dag.files import DagFiles
from condor_py.client.pool import Pool
from condor_py.core.dag import rescue
from condor_py.daemons.dagman.limits import with_options
from condor_py.daemons.dagman.submitter import inside
from condor_py.lang.config.rooms.dagman import caps
from condor_py.lang.dag.build import Builder
from condor_py.lang.dag.graph import Dag
from condor_py.lang.dag.messages import QUIET, DagError
from condor_py.lang.dag.options import DagmanOptions
from condor_py.model.errors import CondorError
from condor_py.model.settings.dagman import DagmanSettings
from condor_py.simulate.dagmachine import Need, Slot
from condor_py.simulate.dagruns import DagSimulation, Job, Plan, Stuck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from condor_py.lang.classad import ClassAd


def forecast(options: DagmanOptions, settings: DagmanSettings, pool: Pool) -> str:
    """The forecast as text. Raises CondorError."""
    settings = with_options(settings, options, caps(pool.config), lambda text: None)
    planner = _Planner(pool, options, settings)
    plan = planner.plan(options.dag_files, os.getcwd(), options.is_multi)
    slots = slots_of(pool)
    now = int(time.time())
    try:
        outcome = DagSimulation(slots, settings, now).go(plan)
    except Stuck as stuck:
        asked = ", ".join(f"{value:.0f} {what}" for value, what in zip(stuck.need, _UNITS, strict=True) if value)
        raise CondorError(f"ERROR: node {stuck.node} will never run: its job asks for {asked}") from None
    problems = planner.requests.problems
    return forecast_text(options.primary, plan.dag, outcome, slots, planner.durations.sources, problems, now)


_UNITS = ("core(s)", "MB of memory", "KB of disk", "GPU(s)")


def slots_of(pool: Pool) -> list[Slot]:
    """The slots that the startd advertises; without one, one slot of all cores and memory."""
    found = [slot for ad in pool.ads("STARTD") if (slot := _slot(ad)) is not None]
    if found:
        return found
    from condor_py.machine.probes import cores, memory

    return [Slot(Need(cores.count(), memory.total_mb(), 1e12))]


def _slot(ad: ClassAd) -> Slot | None:
    if not ad.has("SlotID") or ad.eval_bool("DynamicSlot") or ad.eval_bool("BackfillSlot"):
        return None
    parts = ad.eval_bool("PartitionableSlot")
    amounts = (
        (ad.eval_real(f"TotalSlot{what}") if parts else None) or ad.eval_real(what, 0.0) or 0.0
        for what in ("Cpus", "Memory", "Disk", "GPUs")
    )
    return Slot(Need(*amounts), whole=not parts)


class _Planner:
    """Plans of a DAG and of those inside it."""

    def __init__(self, pool: Pool, options: DagmanOptions, settings: DagmanSettings) -> None:
        self._options = options
        self._settings = settings
        self.requests = Requests(pool)
        self.durations = Durations(pool, options.texts["Durations"])
        self._open: list[str] = []

    def plan(self, files: Sequence[str], directory: str, several: bool = False) -> Plan:
        """The plan of a DAG, seen from ``directory``. Raises CondorError."""
        path = os.path.realpath(os.path.join(directory, files[0]))
        if path in self._open:
            raise CondorError(f"ERROR: {files[0]} is a sub-DAG of itself")
        self._open.append(path)
        with inside(directory):
            dag = self._read(files, several)
            log = self._nodes_log(files[0])
            jobs = [self._jobs(dag, node, log) for node in range(len(dag))]
            inner = {
                node: self.plan([file], os.path.join(os.getcwd(), dag.directories[node]))
                for node, file in dag.sub_dags.items()
            }
        self._open.pop()
        priority = self._options.numbers["Priority"] or self._settings.default_priority
        return Plan(dag, lambda node: jobs[node], inner, priority)

    def _jobs(self, dag: Dag, node: int, log: str) -> list[Job]:
        if node in dag.sub_dags or dag.is_settled(node):
            return []
        asked = self.requests.of(dag, node)
        job = Job(asked.need, self.durations.of(dag.names[node], asked.program, log))
        return [job] * asked.jobs

    def _nodes_log(self, file: str) -> str:
        """Where the last run of a DAG has left its events."""
        path = self._settings.default_node_log
        path = path.replace("@(DAG_DIR)", posixpath.dirname(file) or ".").replace("@(DAG_FILE)", os.path.basename(file))
        return os.path.abspath(path)

    def _read(self, files: Sequence[str], several: bool) -> Dag:
        options, language = self._options, self._settings.language
        builder = Builder(DagFiles(), os.getcwd(), language, options.on("UseDagDir"), several=several)
        try:
            for number, name in enumerate(files):
                builder.add(name, number)
            begun = self._begun(files[0], several)
            if begun:
                builder.add_partial(begun)
            builder.check_throttles()
            return builder.finish()
        except DagError as error:
            said = [note.text for note in error.notes if note.level <= QUIET]
            raise CondorError("\n".join(said) or f"ERROR: cannot read {files[0]}") from None

    def _begun(self, primary: str, several: bool) -> str:
        """The rescue or save point file that condor_dagman would go on from; "" for none."""
        options, most = self._options, self._settings.max_rescue_num
        if not self._open[1:]:
            if options.texts["SaveFile"]:
                return rescue.save_point_name(primary, options.texts["SaveFile"], os.getcwd())
            if options.texts["RescueFile"]:
                return options.texts["RescueFile"]
            if options.numbers["DoRescueFrom"] > 0:
                return rescue.rescue_name(primary, several, options.numbers["DoRescueFrom"])
        if not options.numbers["AutoRescue"] or options.on("Force"):
            return ""
        last, _ = rescue.last_rescue(primary, several, most, os.path.exists)
        return rescue.rescue_name(primary, several, last) if last else ""
