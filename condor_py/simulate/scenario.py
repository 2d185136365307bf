"""Scenario files: a pool, its users and what happens, as TOML; and the simulation that comes of one.

::

    title = "Two users, one with twice the factor"
    days  = 2            # or until the queue is empty, when left out
    cores = 8
    seed  = 1
    halflife = 86400     # PRIORITY_HALFLIFE
    memory = 65536       # megabytes of the machine; 2 GB a core when left out
    requests = "auto"    # memory found from the history, compared with what the jobs ask for
    cycle = 60           # seconds between negotiation cycles that no news cause; news wait as long

    [factors]            # condor_userprio -setfactor
    ben = 2000

    [knobs]              # of the negotiator: groups and their quotas, preemption, weights ...
    GROUP_NAMES = "physics, chemistry"
    GROUP_QUOTA_physics = 6
    PREEMPTION_REQUIREMENTS = "RemoteUserPrio > SubmitterUserPrio * 1.2"

    [[submit]]
    user = "ann"
    jobs = 100
    mean = 600           # seconds, exponential; or seconds = 600 (each), or low and high (evenly between)
    at   = 3600          # seconds after the start, every = 86400 and times = 5 repeat it
    cpus = 1
    machine_count = 4    # each job is parallel, with so many nodes of that many cpus
    memory = 4096        # megabytes that each asks for; 128 when left out
    uses = 900           # megabytes that each needs, or uses_low and uses_high (evenly between), or uses_median and
                         # uses_sigma (log-normal); a run with less ends half way, and the job is held or tried again
    program = "/bin/fit" # jobs of one user and program are like each other
    stop_seconds = 30    # how long a job continues after its kill signal; 0, that it ends at once, when left out

    [power]              # the machine sleeps; a submit wakes it
    hibernate = 'ifThenElse(State == "Unclaimed" && (time() - NumDynamicSlotsTime) > 1800, "S3", "NONE")'
    interval  = 300      # HIBERNATE_CHECK_INTERVAL
    wake_seconds = 30    # from the submit until it is awake
    awake     = 3600     # HIBERNATION_MINIMUM_UPTIME
    asleep_watts = 5
    idle_watts   = 60
    busy_watts   = 200   # with all cores busy

``trace = "FILE"`` submits what a pool has done: a line a job, as written by
``condor_history -af QDate Owner RemoteWallClockTime RequestCpus``, or with what they asked for and used of memory:
``condor_history -constraint 'JobStatus == 4' -af QDate Owner RemoteWallClockTime RequestCpus RequestMemory
ResidentSetSize_RAW Cmd``.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from typing import Any, NamedTuple

from condor_py.lang.config import load
from condor_py.lang.config.build import build
from condor_py.lang.config.builders.negotiator import accountant as accountant_knobs
from condor_py.lang.config.builders.negotiator import negotiator as negotiator_knobs
from condor_py.lang.config.table import family, knob
from condor_py.model.errors import CondorError, ConfigError
from condor_py.model.settings.sizing import AutoRequests
from condor_py.model.states import Universe
from condor_py.simulate.durations import Constant, Duration, Exponential, LogNormal, Uniform
from condor_py.simulate.pool import PoolSettings, machine
from condor_py.simulate.simulation import Simulation
from condor_py.simulate.sleeping import SleepPolicy

# Traces of a pool, to be repeated: a line a job, QDate Owner RemoteWallClockTime RequestCpus, and perhaps RequestMemory
# ResidentSetSize_RAW Cmd.

_FIELDS, _MORE_FIELDS = 4, 7
#: Neighbours in the trace that differ in nothing are one cluster of at most so many jobs.
_MOST = 1000
#: What a job asks for whose request is no number, in megabytes.
_DEFAULT_MEMORY = 128


class _Traced(NamedTuple):
    """A job of a trace: Unix seconds, seconds, megabytes (``uses`` 0: not known)."""

    moment: int
    user: str
    seconds: float
    cpus: int
    memory: int = _DEFAULT_MEMORY
    uses: int = 0
    program: str = "/bin/job"


def read_trace(simulation: Simulation, path: str) -> int:
    """Submits the jobs of a trace, the first one at the start; how many. Jobs that never ran are left out. ValueError
    names the line; OSError."""
    found = sorted(_lines(path))
    first = found[0].moment if found else 0
    at = 0
    while at < len(found):
        job = found[at]
        end = at + 1
        while end < len(found) and end - at < _MOST and found[end] == job:
            end += 1
        more: dict[str, Any] = {"cpus": job.cpus, "memory": job.memory, "program": job.program}
        uses = Constant(float(job.uses)) if job.uses else None
        simulation.submit(job.user, end - at, Constant(job.seconds), at=float(job.moment - first), uses=uses, **more)
        at = end
    return len(found)


def _lines(path: str) -> list[_Traced]:
    found = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            words = line.split(None, _MORE_FIELDS - 1)
            if not words or words[0].startswith("#"):
                continue
            try:
                job = _traced(words)
            except (ValueError, OverflowError):
                raise ValueError(
                    f"{path}: line {number}: QDate, Owner, RemoteWallClockTime and RequestCpus are needed, and perhaps "
                    "RequestMemory, ResidentSetSize_RAW and Cmd"
                ) from None
            if job.seconds > 0:
                found.append(job)
    return found


def _traced(words: list[str]) -> _Traced:
    """The job of a line. ValueError."""
    if len(words) not in (_FIELDS, _MORE_FIELDS):
        raise ValueError
    moment, user, seconds, cpus = int(words[0]), words[1], float(words[2]), _number(words[3], 1)
    job = _Traced(moment, user, seconds, max(1, cpus))
    if len(words) == _FIELDS:
        return job
    memory, used = _number(words[4], _DEFAULT_MEMORY), _number(words[5], 0)
    return job._replace(memory=max(1, memory), uses=-(-max(0, used) // 1024), program=words[6].strip())


def _number(word: str, unknown: int) -> int:
    return unknown if word == "undefined" else int(float(word))


_SUBMIT = frozenset({"cpus", "memory", "prio", "group", "nice", "stop_seconds", "program"})
_USES = frozenset({"uses", "uses_low", "uses_high", "uses_median", "uses_sigma"})
_TIMES = frozenset({"machine_count", "user", "jobs", "mean", "seconds", "low", "high", "at", "every", "times"})


class BadScenario(CondorError):
    """A scenario that cannot be understood; names the file and the entry."""


def read_scenario(path: str, *, awake: bool = False, as_asked: bool = False) -> tuple[Simulation, float | None, str]:
    """The simulation of a scenario file, the seconds to run it (None: until all jobs are done), and its title. With
    ``awake`` the machine never sleeps, and ``as_asked`` jobs get the memory that they ask for."""
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except OSError as error:
        raise BadScenario(f"{path}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise BadScenario(f"{path}: {error}") from None
    try:
        left_out = {"power"} if awake else {"requests"} if as_asked else set[str]()
        simulation = _simulation({name: data[name] for name in data if name not in left_out})
        if "trace" in data:
            read_trace(simulation, os.path.join(os.path.dirname(path), str(data["trace"])))
        for number, entry in enumerate(data.get("submit", []), 1):
            _submit(simulation, entry, f"submit entry {number}")
    except OSError as error:
        raise BadScenario(f"{path}: {error.filename}: {error.strerror}") from None
    except (ConfigError, KeyError, TypeError, ValueError) as error:
        raise BadScenario(f"{path}: missing or wrong: {error}") from None
    days = data.get("days")
    return simulation, None if days is None else float(days) * 86400, str(data.get("title", path))


def _simulation(data: dict[str, Any]) -> Simulation:
    settings = _settings(data.get("knobs", {}))
    if "halflife" in data:
        accountant = settings.accountant.changed(halflife=float(data["halflife"]))
        settings = replace(settings, accountant=accountant)
    if "cycle" in data:
        settings = replace(settings, interval=float(data["cycle"]), cycle_pause=float(data["cycle"]))
    sleep = SleepPolicy.read(data["power"]) if "power" in data else None
    facts = machine(int(data.get("cores", 8)), int(data.get("memory", 0)))
    requests = data.get("requests", "as asked")
    if requests not in ("auto", "as asked"):
        raise ValueError(f'requests = "{requests}" is neither "auto" nor "as asked"')
    auto = requests == "auto"
    simulation = Simulation(settings, facts, seed=int(data.get("seed", 0)), sleep=sleep, auto=auto)
    for user, factor in data.get("factors", {}).items():
        simulation.at(0, simulation.set_factor, user, float(factor))
    for user, ceiling in data.get("ceilings", {}).items():
        simulation.at(0, simulation.set_ceiling, user, int(ceiling))
    return simulation


def _settings(knobs: dict[str, Any]) -> PoolSettings:
    """The pool's settings with those knobs. ValueError for one that there is not, ConfigError for a value that is
    not valid."""
    if not knobs:
        return PoolSettings()
    unknown = [name for name in knobs if knob(name) is None and family(name) is None]
    if unknown:
        raise ValueError(f"knobs: there is no {', '.join(unknown)}")
    texts = {f"_CONDOR_{name}": str(value) for name, value in knobs.items()}
    config = load({"CONDOR_CONFIG": "ONLY_ENV", **texts}, subsystem="NEGOTIATOR")
    pool = PoolSettings()
    most = config.integer("AUTO_REQUEST_MEMORY_MAX")
    rule = build(AutoRequests, config, memory_max=most)
    return replace(
        pool,
        negotiator=negotiator_knobs(config),
        accountant=accountant_knobs(config),
        schedd=pool.schedd.changed(auto_requests=rule),
        auto_retries=config.integer("AUTO_REQUEST_RETRIES"),
    )


def _submit(simulation: Simulation, entry: dict[str, Any], place: str) -> None:
    unknown = set(entry) - _SUBMIT - _TIMES - _USES
    if unknown:
        raise ValueError(f"{place}: {', '.join(sorted(unknown))}")
    more = {name: value for name, value in entry.items() if name in _SUBMIT} | {"uses": _uses(entry, place)}
    start, step = float(entry.get("at", 0.0)), float(entry.get("every", 0.0))
    for number in range(int(entry.get("times", 1))):
        at = start + number * step
        user, jobs, duration = str(entry["user"]), int(entry["jobs"]), _duration(entry, place)
        if "machine_count" in entry:
            nodes = int(entry["machine_count"])
            together = {"JobUniverse": str(int(Universe.PARALLEL)), "MinHosts": str(nodes), "MaxHosts": str(nodes)}
            for _ in range(jobs):  # a cluster is one parallel job
                simulation.submit(user, 1, duration, at=at, attributes=together, **more)
        else:
            simulation.submit(user, jobs, duration, at=at, **more)


def _uses(entry: dict[str, Any], place: str) -> Duration | None:
    """The megabytes that a job needs; None where the entry does not say."""
    if "uses" in entry:
        return Constant(float(entry["uses"]))
    if "uses_low" in entry and "uses_high" in entry:
        return Uniform(float(entry["uses_low"]), float(entry["uses_high"]))
    if "uses_median" in entry:
        return LogNormal(float(entry["uses_median"]), float(entry.get("uses_sigma", 0.3)))
    if _USES & set(entry):
        raise ValueError(f"{place} needs uses, uses_low and uses_high, or uses_median")
    return None


def _duration(entry: dict[str, Any], place: str) -> Duration:
    if "mean" in entry:
        return Exponential(float(entry["mean"]))
    if "seconds" in entry:
        return Constant(float(entry["seconds"]))
    if "low" in entry and "high" in entry:
        return Uniform(float(entry["low"]), float(entry["high"]))
    raise ValueError(f"{place} needs mean, seconds, or low and high")
