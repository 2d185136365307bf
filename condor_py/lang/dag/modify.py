"""Commands that say something of nodes, and those that say something of the whole DAG."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from condor_py.lang.dag import commands as made
from condor_py.lang.dag.commands import Statement
from condor_py.lang.dag.graph import (
    DONE,
    Dag,
    Kind,
    NodeAbort,
    NodeRetry,
    NodeScript,
    NodeTolerance,
    Variable,
)
from condor_py.lang.dag.keywords import Command
from condor_py.lang.dag.messages import Failed, Log
from condor_py.lang.dag.scope import Scope, full_name
from condor_py.model.settings.dagman import LanguageSettings

_MOST_EXIT_CODE = 255


def modify(dag: Dag, scope: Scope, log: Log, command: Statement, munge: str, settings: LanguageSettings) -> None:
    """Carry out a command that makes neither nodes nor edges. Raises Failed; why has been said. The files that it
    names in a splice are not written, as in HTCondor."""
    if scope.prefix != "root" and _names_a_file(command):
        return
    if isinstance(command, made.SubmitDescription):
        scope.describe(command.name, command.description, log)
    elif isinstance(command, made.Vars):
        prepend = not settings.append_vars if command.prepend is None else command.prepend
        for node in scope.find_all(full_name(command.node, munge), log, dag, "."):
            _add_variables(dag, log, node, command.pairs, prepend)
    elif isinstance(command, made.Named):
        if command.command is Command.DONE:
            _done(dag, scope, log, full_name(command.value, munge))
        else:
            _jobstate_log(dag, log, command.value)
    elif isinstance(command, made.Number) and command.command is Command.MAXJOBS:
        scope.limit(command.node, command.value, log)
    else:
        _CARRY_OUT[type(command)](dag, scope, log, command, munge)


def _names_a_file(command: Statement) -> bool:
    """Whether it is DOT, NODE_STATUS_FILE or JOBSTATE_LOG."""
    if isinstance(command, made.Named):
        return command.command is not Command.DONE
    return isinstance(command, made.Dot | made.NodeStatusFile)


def _script(dag: Dag, scope: Scope, log: Log, command: made.Script, munge: str) -> None:
    script = NodeScript(command.line, command.defer, command.debug)
    table = dag.scripts[command.kind]
    for node in scope.find_all(full_name(command.node, munge), log, dag, "."):
        old = table.get(node)
        if old is not None:
            name = dag.names[node]
            text = f"Warning: node {name} already has {command.kind} script <{old.line}> assigned"
            log.say(f"{text}; changing to <{script.line}>")
        table[node] = script


def _retry(dag: Dag, scope: Scope, log: Log, command: made.Retry, munge: str) -> None:
    retry = NodeRetry(command.most, command.unless)
    for node in scope.find_all(full_name(command.node, munge), log, dag, "."):
        _only_jobs(dag, log, node, "RETRY", "have a retry specification")
        before = dag.retries.get(node)
        keeps = before is not None and not retry.unless
        dag.retries[node] = NodeRetry(retry.most, before.unless) if keeps and before is not None else retry


def _abort(dag: Dag, scope: Scope, log: Log, command: made.AbortDagOn, munge: str) -> None:
    for node in scope.find_all(full_name(command.node, munge), log, dag, "."):
        if dag.kinds[node] == Kind.FINAL:
            raise log.error(f"ERROR: FINAL node {dag.names[node]} cannot have an ABORT-DAG-ON specification.")
        dag.aborts[node] = NodeAbort(command.status, command.returns)


def _number(dag: Dag, scope: Scope, log: Log, command: made.Number, munge: str) -> None:
    for node in scope.find_all(full_name(command.node, munge), log, dag):
        if command.command is Command.PRIORITY:
            _priority(dag, log, node, command.value)
        else:
            _pre_skip(dag, log, node, command.value)


def _priority(dag: Dag, log: Log, node: int, value: int) -> None:
    _only_jobs(dag, log, node, "PRIORITY", "have a priority")
    old = dag.priorities.get(node, 0)
    if old not in (0, value):
        log.warning(f"WARNING: New priority {value} for node {dag.names[node]} overrides old value {old}", 2)
    dag.priorities[node] = value


def _pre_skip(dag: Dag, log: Log, node: int, value: int) -> None:
    name = dag.names[node]
    if not 0 <= value <= _MOST_EXIT_CODE:
        reason = f"PRE_SKIP exit code must be between 0 and {_MOST_EXIT_CODE}\n"
        raise log.error(f"ERROR: Failed to add pre skip to {name}: {reason}")
    if value == 0:
        log.say("Warning: exit code 0 for a PRE_SKIP value is weird.")
    old = dag.pre_skips.get(node)
    if old is not None:
        log.warning(f"Warning: new PRE_SKIP value  {value} for node {name} overrides old value {old}", 3)
    dag.pre_skips[node] = value


def _tolerance(dag: Dag, scope: Scope, log: Log, command: made.Tolerance, munge: str) -> None:
    for node in scope.find_all(full_name(command.node, munge), log, dag):
        dag.tolerances[node] = NodeTolerance(command.value, command.percent, command.mode)


def _category(dag: Dag, scope: Scope, log: Log, command: made.Category, munge: str) -> None:
    for node in scope.find_all(full_name(command.node, munge), log, dag):
        _only_jobs(dag, log, node, "CATEGORY", "be added to a category")
        old = dag.categories.get(node)
        if old not in (None, command.name):
            text = f"Warning: new category {command.name} for node {dag.names[node]} overrides old value {old}"
            log.warning(text, 3)
        dag.categories[node] = command.name
        scope.throttles.setdefault(command.name, -1)


def _save_point(dag: Dag, scope: Scope, log: Log, command: made.SavePoint, munge: str) -> None:
    node = scope.find_all(full_name(command.node, munge), log, dag)[0]
    if dag.kinds[node] != Kind.JOB:
        raise log.error("ERROR: Save file can not be applied to SAVE_POINT_FILE node(s)")
    dag.save_points[node] = command.file


def _dot(dag: Dag, scope: Scope, log: Log, command: made.Dot, munge: str) -> None:
    include = command.include or (dag.dot.include if dag.dot else "")
    dag.dot = command._replace(include=include)


def _status_file(dag: Dag, scope: Scope, log: Log, command: made.NodeStatusFile, munge: str) -> None:
    if dag.status_file is None:
        dag.status_file = command
        return
    text = f"Warning: Attempt to set NODE_STATUS_FILE to {command.file} does not override existing value of"
    log.warning(f"{text} {dag.status_file.file}", 3)


def _jobstate_log(dag: Dag, log: Log, file: str) -> None:
    if not dag.jobstate_log:
        dag.jobstate_log = file
        return
    text = f"Warning: Attempt to set JOBSTATE_LOG to {file} does not override existing value of {dag.jobstate_log}"
    log.warning(text, 3)


def _done(dag: Dag, scope: Scope, log: Log, name: str) -> None:
    node = scope.names.get(name)
    if node is None:
        scope.find(name, log)
        raise log.error(f"ERROR: Unknown node {name} referenced")
    if dag.kinds[node] != Kind.JOB:
        log.say("WARNING: DONE node(s) can not be referenced by the DONE command")
        if log.is_fatal(1):
            raise Failed
        return
    dag.flags[node] |= DONE


def _add_variables(dag: Dag, log: Log, node: int, pairs: tuple[tuple[str, str], ...], prepend: bool) -> None:
    there = dag.variables.setdefault(node, [])
    for name, value in pairs:
        for at, old in enumerate(there):
            if old.name == name:
                text = f'Warning: VAR "{name}" is already defined in node "{dag.names[node]}"'
                log.warning(text, 3, f'        Setting VAR "{name}" = "{value}"')
                there[at] = Variable(name, value, old.prepend)
                break
        else:
            there.append(Variable(name, value, prepend))


def _only_jobs(dag: Dag, log: Log, node: int, command: str, what: str) -> None:
    if dag.kinds[node] != Kind.JOB:
        raise log.error(f"ERROR: {command} node {dag.names[node]} can not {what}")


_CARRY_OUT: dict[type, Callable[[Dag, Scope, Log, Any, str], None]] = {
    made.Script: _script,
    made.Retry: _retry,
    made.AbortDagOn: _abort,
    made.Number: _number,
    made.Tolerance: _tolerance,
    made.Category: _category,
    made.SavePoint: _save_point,
    made.Dot: _dot,
    made.NodeStatusFile: _status_file,
}
