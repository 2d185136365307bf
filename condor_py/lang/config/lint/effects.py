"""Settings that do nothing: daemons not here, names in lists that are not defined, slot types without slots."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from condor_py.lang.config.builders.daemon import KNOWN
from condor_py.lang.config.builders.isolation import is_on, promise_of
from condor_py.lang.config.lint.finding import Finding, Severity
from condor_py.lang.config.lint.known import base_name, no_effect
from condor_py.lang.config.lint.subject import Subject, finding, place_of
from condor_py.lang.config.values import to_list
from condor_py.lang.macro import Macro
from condor_py.model.errors import ConfigError
from condor_py.model.spelling import Speller, nearest

#: Lists of names, and the knob that each name means ("{}" is the name).
_LISTS = {
    "job_transform_names": "JOB_TRANSFORM_{}",
    "job_router_route_names": "JOB_ROUTER_ROUTE_{}",
    "job_router_pre_route_transform_names": "JOB_ROUTER_TRANSFORM_{}",
    "job_router_post_route_transform_names": "JOB_ROUTER_TRANSFORM_{}",
    "submit_template_names": "SUBMIT_TEMPLATE_{}",
    "docker_mount_volumes": "DOCKER_VOLUME_DIR_{}",
    "submit_requirement_names": "SUBMIT_REQUIREMENT_{}",
    "startd_cron_joblist": "STARTD_CRON_{}_EXECUTABLE",
    "schedd_cron_joblist": "SCHEDD_CRON_{}_EXECUTABLE",
    "schedd_classad_user_map_names": "CLASSAD_USER_MAPFILE_{}",
    **{f"system_periodic_{action}_names": f"SYSTEM_PERIODIC_{action.upper()}_{{}}"
       for action in ("hold", "release", "remove", "vacate")},
}  # fmt: skip
_ATTRIBUTES = ("startd_attrs", "submit_attrs", "schedd_attrs", "negotiator_attrs", "master_attrs")
#: Daemons that HTCondor has and a machine by itself does not need.
_OTHERS = frozenset(
    ("HAD", "REPLICATION", "KBDD", "VIEW_SERVER", "TRANSFERD", "STARTER", "SHADOW", "GRIDMANAGER",
     "LEASEMANAGER", "QUILL", "ANNEXD", "HDFS", "DAGMAN", "CREDMON_OAUTH", "CREDMON_KRB", "VIEW_COLLECTOR", "DOCKERD",
     "EVENTD")
)  # fmt: skip
#: Knobs that do nothing without another.
_PAIRS = {
    "schedd_preemption_requirements": "SCHEDD_PREEMPTION_RANK",
    "schedd_preemption_rank": "SCHEDD_PREEMPTION_REQUIREMENTS",
}
_SLOT_TYPE = re.compile(r"slot_type_(\d+)(?:_partitionable|_backfill|_name_prefix)?\Z", re.IGNORECASE)
_USERID = re.compile(r"(\w+)_userid\Z")
_ROUTE = re.compile(r"job_router_route_(?!names\Z)\w+\Z")
_GRID_RESOURCE = re.compile(r"^[^\S\n]*(?:SET\s+)?GridResource\s*=?\s*\"?(\w+)", re.IGNORECASE | re.MULTILINE)
_GRID_TYPES = frozenset(("arc", "azure", "batch", "condor", "ec2", "gce", "lsf", "nordugrid", "pbs", "sge", "slurm"))


def check_effects(subject: Subject) -> Iterator[Finding]:
    """A note or a warning for every setting, or part of one, that nothing comes of."""
    for macro in subject.settings:
        name = base_name(macro.name).lower()
        why = "" if macro.origin.template else promise_of(name)
        if why and is_on(subject.expand(macro.value) or ""):
            yield finding("warning", macro, f"what it asks for does not exist here: {why}")
        elif not macro.origin.template and (why := no_effect(macro.name)):
            yield finding("note", macro, f"it has no effect here: {why}")
        if name in _LISTS:
            yield from _undefined(subject, macro, _LISTS[name], "warning")
        elif name in _ATTRIBUTES:
            yield from _undefined(subject, macro, "{}", "note")
        elif name.endswith("_job_hook_keyword"):
            yield from _hooks(subject, macro)
        elif _ROUTE.match(name) and not macro.value.lstrip().startswith("["):
            yield from _grid_resources(macro)
        elif name in _PAIRS and subject.string(macro.name) and not subject.string(_PAIRS[name]):
            yield finding("warning", macro, f"no parallel job is preempted, as {_PAIRS[name]} is not set")
        elif name == "daemon_list":
            yield from _daemons(subject, macro)
        elif (match := _USERID.match(name)) is not None and macro.value:
            if match[1].upper() in ("MASTER", "COLLECTOR", *KNOWN):
                what = "only programs of DAEMON_LIST that are no daemons of condor_py run as an account of their own"
                yield finding("warning", macro, what)
        elif (match := _SLOT_TYPE.match(name)) is not None:
            count = f"NUM_SLOTS_TYPE_{match[1]}"
            if macro.value and match[1] != "0" and not subject.string(count):
                yield finding("warning", macro, f"no slot of this type is made, as {count} is not set")


def _undefined(subject: Subject, macro: Macro, form: str, severity: Severity) -> Iterator[Finding]:
    for item in to_list(subject.expand(macro.value) or ""):
        knob = form.format(item.removeprefix("+"))
        known = (knob, knob.replace("_EXECUTABLE", "_JOB_EXECUTABLE"), knob.replace("MAPFILE", "MAPDATA"))
        if not any(subject.is_set(name) for name in known):
            yield finding(severity, macro, f"it lists {item}, but {knob} is not set")


def _hooks(subject: Subject, macro: Macro) -> Iterator[Finding]:
    keyword = (subject.expand(macro.value) or "").strip()
    if keyword and not any(one.name.lower().startswith(f"{keyword.lower()}_hook_") for one in subject.settings):
        yield finding("warning", macro, f"there is no hook of this keyword: no {keyword}_HOOK_... is set")


def check_programs(subject: Subject) -> Iterator[Finding]:
    """Cron programs that are left out, with the setting that is to blame."""
    from condor_py.lang.config.builders.cron import benchmarks, schedd_cron, startd_cron

    for read in (startd_cron, schedd_cron, benchmarks):
        try:
            problems = read(subject.config).problems
        except ConfigError:
            continue  # found with what the daemons refuse
        for problem in problems:
            knob, _, why = problem.partition(" ")
            place = place_of(subject.config, knob.removesuffix(":"))
            if not place[2]:  # what is not set is missed where the list is
                place = (knob.removesuffix(":"), *place_of(subject.config, f"{_base_of(knob)}_JOBLIST")[1:])
            yield Finding("error", *place, why if knob.endswith(":") else problem)


def _base_of(knob: str) -> str:
    return next(base for base in ("STARTD_CRON", "SCHEDD_CRON", "BENCHMARKS") if knob.startswith(base))


def _grid_resources(macro: Macro) -> Iterator[Finding]:
    """Name grid resources of a route that are of no type."""
    for match in _GRID_RESOURCE.finditer(macro.value):
        word = match[1].lower()
        if word == "slurm":  # HTCondor's short forms are pbs, sge and lsf
            yield finding("warning", macro, f"GridResource {match[1]} is a batch system: write batch {word}")
        elif word not in _GRID_TYPES:
            like = nearest(word, _GRID_TYPES)
            hint = f", did you mean {like}?" if like else ""
            yield finding("warning", macro, f"GridResource {match[1]} is of no type of grid resources{hint}")


def _daemons(subject: Subject, macro: Macro) -> Iterator[Finding]:
    from condor_py.lang.config.builders.daemon import BUILT_IN, KNOWN, built_in, programs

    try:
        others, no_process = programs(subject.config), built_in(subject.config)
    except ConfigError:
        return  # found with what the daemons refuse
    for item in to_list(subject.expand(macro.value) or ""):
        if item.upper() in KNOWN:
            continue
        if item.upper() in others:
            path = others[item.upper()]
            if not os.access(path, os.X_OK) or os.path.isdir(path):
                ours = subject.config.macros.get(item)
                severity: Severity = "note" if ours is not None and ours.origin.template else "warning"
                yield finding(severity, macro, f"{item} is {path}, which is no program that can be executed")
            continue
        if item.upper() in no_process:
            continue
        like = "" if item.upper() in _OTHERS else Speller((*KNOWN, *BUILT_IN)).nearest(item)
        if like or not (item.upper() in _OTHERS or subject.is_set(item)):
            hint = f", did you mean {like}?" if like else ""
            yield finding("warning", macro, f"{item} is no daemon, nothing is started for it{hint}")
        else:
            yield finding("note", macro, f"{item} is no daemon of this pool, nothing is started for it")
