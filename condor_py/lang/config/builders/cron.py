"""Knobs of the programs that a daemon runs for its ads: STARTD_CRON_*, SCHEDD_CRON_*, BENCHMARKS_*."""

from __future__ import annotations

import re
from collections.abc import Iterator

from condor_py.lang.config.settings import Config
from condor_py.model.settings.cron import CronJobSettings, CronMode, CronSettings
from condor_py.model.texts import LARGEST, as_integer

_PERIOD = re.compile(r"(\d+)(.?)", re.ASCII)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_AUTOPUBLISH = ("NEVER", "ALWAYS", "IF_CHANGED")


def startd_cron(config: Config) -> CronSettings:
    """The programs whose output goes into slot ads."""
    return _settings(config, "STARTD_CRON", 0.1, CronMode.PERIODIC)


def schedd_cron(config: Config) -> CronSettings:
    """The programs whose output goes into the ad of the schedd."""
    return _settings(config, "SCHEDD_CRON", 0.1, CronMode.PERIODIC)


def benchmarks(config: Config) -> CronSettings:
    """The benchmarks: all run when RUNBENCHMARKS says so, whatever their mode."""
    return _settings(config, "BENCHMARKS", 1.0, CronMode.ON_DEMAND)


def _settings(config: Config, base: str, max_load: float, mode: CronMode) -> CronSettings:
    jobs: dict[str, CronJobSettings] = {}
    problems: list[str] = []
    for name in config.list(f"{base}_JOBLIST"):
        found = _job(config, base, name, mode)
        if isinstance(found, str):
            problems.append(f"{found}; the job is left out")
        elif name.lower() in jobs:
            problems.append(f"{base}_JOBLIST names {name} twice")
        else:
            jobs[name.lower()] = found
            problems += _wrong_slots(config, f"{base}_{name}_SLOTS")
    autopublish = config.string(f"{base}_AUTOPUBLISH", "NEVER").upper()
    if autopublish not in _AUTOPUBLISH:
        problems.append(f"{base}_AUTOPUBLISH: {autopublish} is not one of {', '.join(_AUTOPUBLISH)}; NEVER is used")
        autopublish = "NEVER"
    return CronSettings(
        name=base,
        jobs=tuple(jobs.values()),
        max_load=config.real(f"{base}_MAX_JOB_LOAD", max_load),
        autopublish=autopublish,
        log_non_zero_exit=config.boolean(f"{base}_LOG_NON_ZERO_EXIT", False),
        config_val=config.path(f"{base}_CONFIG_VAL"),
        problems=tuple(problems),
    )


def _job(config: Config, base: str, name: str, mode: CronMode) -> CronJobSettings | str:
    """The settings of one program; or what is wrong with them."""
    knob = f"{base}_{name}"
    executable = config.path(f"{knob}_EXECUTABLE")
    if not executable:
        return f"{knob}_EXECUTABLE is not set"
    word = config.string(f"{knob}_MODE") if mode is CronMode.PERIODIC else mode.value
    chosen = _mode(word)
    if chosen is None:
        return f"{knob}_MODE: {word!r} is not Periodic, WaitForExit, OneShot or OnDemand"
    period = _period(config.string(f"{knob}_PERIOD"), chosen)
    if isinstance(period, str):
        return f"{knob}_PERIOD{period}"
    slots = config.list(f"{knob}_SLOTS")
    numbers = tuple(as_integer(slot) for slot in slots) if all(slot.isdecimal() for slot in slots) else ()
    return CronJobSettings(
        name=name,
        executable=executable,
        mode=chosen,
        period=period,
        prefix=config.string(f"{knob}_PREFIX"),
        arguments=config.string(f"{knob}_ARGS"),
        environment=config.string(f"{knob}_ENV"),
        directory=config.path(f"{knob}_CWD"),
        kill=config.boolean(f"{knob}_KILL", False),
        reconfig=config.boolean(f"{knob}_RECONFIG", False),
        reconfig_rerun=config.boolean(f"{knob}_RECONFIG_RERUN", False),
        load=config.real(f"{knob}_JOB_LOAD", 0.01 if mode is CronMode.PERIODIC else 1.0),
        condition=config.expression(f"{knob}_CONDITION"),
        metrics=tuple(_metrics(config, knob)),
        slots=numbers,
    )


def _wrong_slots(config: Config, knob: str) -> Iterator[str]:
    wrong = next((slot for slot in config.list(knob) if not slot.isdecimal()), None)
    if wrong is not None:
        yield f"{knob}: {wrong!r} is no number of a slot; the job is for all slots"


def _metrics(config: Config, knob: str) -> Iterator[tuple[str, str]]:
    """``SUM:GPUs, PEAK:GPUsMemory``; what is neither is left out."""
    for word in config.list(f"{knob}_METRICS"):
        kind, colon, resource = word.partition(":")
        for known in ("SUM", "PEAK"):
            if colon and resource and kind.upper().startswith(known):
                yield known, resource


def _mode(word: str) -> CronMode | None:
    if not word:
        return CronMode.PERIODIC
    return next((mode for mode in CronMode if mode.value.lower() == word.lower()), None)


def _period(text: str, mode: CronMode) -> int | str:
    """Seconds; or what is wrong. Programs that run once, or when asked, have none."""
    if mode in (CronMode.ONE_SHOT, CronMode.ON_DEMAND):
        return 0
    if not text:
        return " is not set"
    match = _PERIOD.match(text)
    unit = _UNITS.get(match[2].lower()) if match else None
    if match is None or unit is None:
        return f": {text!r} is not a number with s, m or h behind it"
    seconds = min(as_integer(match[1]) * unit, LARGEST)
    return ": a periodic job needs more than 0" if mode is CronMode.PERIODIC and not seconds else seconds
