"""The errors with which daemons and tools refuse to start, found by running their builders of settings
(``config.builders``) on the configuration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.subject import place_of, string_of
from condor_py.lang.config.values import to_list
from condor_py.model.errors import ConfigError

if TYPE_CHECKING:
    from condor_py.lang.config import Config
    from condor_py.model.settings.knob import Settings

Build = Callable[["Config"], object]
#: The configuration as a daemon sees it.
Seen = Callable[[str], "Config"]

#: Daemons that only those run who list them in DAEMON_LIST.
_LISTED = ("CREDD", "DEFRAG", "ROOSTER", "JOB_ROUTER", "GANGLIAD", "WEB")
#: A message of ``Config`` begins with the knob and where it is set: that is said anyway.
_PLACE = re.compile(r'\A[\w.]+(?: \((?:"[^"]*", line \d+|<\w+>)\))?: ')


def check_starting(config: Config, seen: Seen, cores: Mapping[str, Sequence[Build]]) -> Iterator[Finding]:
    """Yield an error for every setting with which a daemon or tool does not start; ``cores`` has builders by daemon."""
    running = {word.upper() for word in to_list(string_of(config, "DAEMON_LIST"))}
    found: dict[tuple[str, int, str], Finding] = {}
    for subsystem, builders in _builders(string_of(config, "FULL_HOSTNAME")):
        if subsystem in _LISTED and subsystem not in running:
            continue
        try:
            theirs = seen(subsystem)
        except ConfigError as error:
            yield Finding("error", subsystem, config.root, 0, f"it does not start: {' '.join(str(error).split())}")
            continue
        for build in (*builders, *cores.get(subsystem, ())):
            for one in _refusals(theirs.seen_by(subsystem), subsystem, build):
                found.setdefault((one.file, one.line, one.knob.lower()), one)
    yield from found.values()


def _refusals(config: Config, subsystem: str, build: Build) -> Iterator[Finding]:
    """Everything that ``build`` refuses: a setting that it has refused is taken out, and it is asked again."""
    refused: set[str] = set()
    while True:
        try:
            build(config)
            return
        except ConfigError as error:
            yield refusal(config, subsystem, error)
            macro = config.macros.get(error.knob) if error.knob else None
            if macro is None or macro.name in refused:
                return
            refused.add(macro.name)
            config.macros.unset(macro.name)


def refusal(config: Config, subsystem: str, error: ConfigError) -> Finding:
    """The finding about what keeps ``subsystem`` from starting."""
    knob, file, line = place_of(config, error.knob) if error.knob else (subsystem, config.root, 0)
    message = _PLACE.sub("", " ".join(str(error).split()))
    return Finding("error", knob, file, line, f"{message}; {_who(subsystem)} not start")


def _who(subsystem: str) -> str:
    tools = {"SUBMIT": "condor_submit does", "DAGMAN": "condor_dagman does", "PREEN": "condor_preen does",
             "WEB": "condor_web does"}  # fmt: skip
    return tools.get(subsystem, f"the {subsystem.lower()} does")


def _builders(host: str) -> Iterator[tuple[str, tuple[Build, ...]]]:
    """Each daemon, and the tools with settings of their own, with what reads their settings as they start."""
    yield from _of_access_point()
    yield from _of_execution_point()
    yield from _of_further_daemons(host)
    yield from _of_tools()


def _common(subsystem: str) -> tuple[Build, ...]:
    """Return the builders of the settings that every daemon reads."""
    from condor_py.lang.config.builders import daemon, history

    return (
        lambda config: daemon.daemon(config, subsystem),
        lambda config: history.daemon_history(config, subsystem),
        lambda config: config.integer(f"{subsystem}_MAX_FILE_DESCRIPTORS", 0),
        lambda config: config.integer("MAX_FILE_DESCRIPTORS", 0),
        lambda config: config.boolean("CREATE_CORE_FILES"),
    )


def _log(subsystem: str) -> Build:
    from condor_py.lang.config.builders import daemon

    return lambda config: daemon.log(config, subsystem)


def _fields(settings: type[Settings]) -> Build:
    """Return a builder of settings whose fields are knobs and nothing else."""
    from condor_py.lang.config.build import build

    return lambda config: build(settings, config)


def _of_access_point() -> Iterator[tuple[str, tuple[Build, ...]]]:
    from condor_py.lang.config.builders import (
        checkpoints,
        cron,
        daemon,
        history,
        negotiator,
        schedd,
        submit,
    )
    from condor_py.model.settings.remembered import RememberedSettings

    yield "MASTER", (*_common("MASTER"), daemon.master, daemon.mail, history.pool_history)
    jobs = (schedd.schedd, submit.submit_policy, submit.edit_rules, submit.submit, schedd.shadow_hooks)
    files = (history.userlog, history.history, history.reconnects, checkpoints.checkpoints)
    own = (cron.schedd_cron, daemon.mail, _log("STARTER"), _log("SHADOW"))
    yield "SCHEDD", (*_common("SCHEDD"), *jobs, *files, *own)
    matching = (negotiator.negotiator, negotiator.accountant, history.cycle_history, _fields(RememberedSettings))
    yield "NEGOTIATOR", (*_common("NEGOTIATOR"), *matching, _log("NEGOTIATOR_MATCH"))


def _of_execution_point() -> Iterator[tuple[str, tuple[Build, ...]]]:
    from condor_py.lang.config.builders import backfill, containers, cron, history, machine, startd, starter

    facts = (startd.startd, history.run_history, machine.probes, machine.power)
    programs = (cron.startd_cron, cron.benchmarks, backfill.backfill, containers.docker_test, containers.singularity)
    yield "STARTD", (*_common("STARTD"), *facts, *programs, starter.starter, starter.transfer_queue, _log("STARTER"))
    yield "STARTER", (starter.starter, _log("STARTER"))


def _of_further_daemons(host: str) -> Iterator[tuple[str, tuple[Build, ...]]]:
    from condor_py.lang.config.builders import (
        credentials,
        defrag,
        ganglia,
        grid,
        machine,
        router,
        schedd,
        starter,
        submit,
        web,
    )
    from condor_py.model.settings.credentials import CredentialSettings
    from condor_py.model.settings.grid import GridPlaces

    yield "CREDD", (*_common("CREDD"), _fields(CredentialSettings), credentials.all_local_tokens)
    yield "DEFRAG", (*_common("DEFRAG"), lambda config: defrag.defrag(config, host))
    yield "ROOSTER", (*_common("ROOSTER"), machine.rooster)
    yield "GANGLIAD", (*_common("GANGLIAD"), ganglia.ganglia)
    yield "JOB_ROUTER", (*_common("JOB_ROUTER"), router.job_router, schedd.schedd, submit.submit_policy)
    yield "WEB", (web.web, _log("WEB"))
    yield "GRIDMANAGER", (grid.grid, _fields(GridPlaces), starter.transfer, _log("GRIDMANAGER"))


def _of_tools() -> Iterator[tuple[str, tuple[Build, ...]]]:
    from condor_py.lang.config.builders import dagman, preen, submit

    yield "SUBMIT", (submit.submit, submit.limits)
    yield "DAGMAN", (dagman.dagman, dagman.caps)
    yield "PREEN", (preen.preen,)
