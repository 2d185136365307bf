"""Commands that make nodes and edges: JOB and its relatives, SPLICE, PARENT, CONNECT, PIN_IN and PIN_OUT."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from condor_py.lang.dag.commands import Connect, Node, Number, ParentChild, Splice, Statement
from condor_py.lang.dag.graph import DONE, JOIN, NONE, NOOP, PRE_DONE, Kind
from condor_py.lang.dag.keywords import ALL_NODES, Command
from condor_py.lang.dag.messages import NORMAL, Failed
from condor_py.lang.dag.scope import Scope

if TYPE_CHECKING:
    from condor_py.lang.dag.build import Builder

#: What condor_submit_dag appends to the name of a .dag file.
SUBMIT_SUFFIX = ".condor.sub"
PIN_COMMANDS = frozenset({Command.CONNECT, Command.PIN_IN, Command.PIN_OUT})
_KINDS = {
    Command.JOB: Kind.JOB,
    Command.SUBDAG: Kind.JOB,
    Command.FINAL: Kind.FINAL,
    Command.PROVISIONER: Kind.PROVISIONER,
    Command.SERVICE: Kind.SERVICE,
}
_NO_PARENT = {
    Kind.FINAL: "Tried to add a parent to a Final node",
    Kind.PROVISIONER: "Tried to add parent to the PROVISIONER node",
    Kind.SERVICE: "Tried to add a parent to a SERVICE node",
}
_NO_CHILD = {
    Kind.FINAL: "Tried to add a child to a Final node",
    Kind.PROVISIONER: "Tried to add child to the PROVISIONER node",
    Kind.SERVICE: "Tried to add a child to a SERVICE node",
}

shared = sys.intern


def full_name(name: str, munge: str) -> str:
    """A node's name in a run of several files: ``0.A``."""
    return munge + name if munge and name.upper() != ALL_NODES else name


def node(builder: Builder, scope: Scope, command: Node, munge: str, directory: str) -> None:
    """Add a node. Raises Failed."""
    log = builder.log
    name = full_name(command.name, munge)
    if name in scope.names:
        raise log.error(f"ERROR: Node {name} already exists in DAG.")
    if name in scope.splices:
        raise log.error(f"ERROR: Node name {name} already associated with a splice in DAG")
    submit, sub_dag = _submit(builder, scope, command, name)
    if builder.use_dag_dir:
        if command.directory:
            raise log.error("ERROR: Node DIR <directory> sub-command can not be used with -UseDagDir")
    else:
        directory = command.directory
    kind = _KINDS[command.command]
    flags = NOOP if command.noop else 0
    if command.done:
        if kind is Kind.JOB:
            flags |= DONE | PRE_DONE
        else:
            log.say(f"WARNING: {command.command.name} node {name} can not be marked as DONE")
            log.is_fatal(1)
    origin = builder.dag.origin(*command.place)
    number = builder.dag.add_node(name, kind, shared(submit), shared(directory), flags, origin)
    if sub_dag:
        builder.dag.sub_dags[number] = sub_dag
    scope.names[name] = number
    _place(builder, scope, number, kind, name)


def _submit(builder: Builder, scope: Scope, command: Node, name: str) -> tuple[str, str]:
    """(The submit file or the name of a description, the .dag file of a sub-DAG or "")."""
    submit = command.submit
    if command.command is Command.SUBDAG:
        return submit + SUBMIT_SUFFIX, submit
    if submit.endswith(SUBMIT_SUFFIX):
        if command.command is not Command.FINAL:
            builder.log.say("Error: The use of the JOB keyword for nested DAGs is prohibited.", NORMAL)
            raise Failed
        return submit, submit.removesuffix(SUBMIT_SUFFIX)
    if command.description is not None:
        submit = f"{name}-InlineDesc{next(builder.described)}"
        scope.describe(submit, command.description, builder.log)
    return submit, ""


def _place(builder: Builder, scope: Scope, number: int, kind: Kind, name: str) -> None:
    """Enter a new node into the scope by its kind. Raises Failed for a second one of a kind of which only one is
    allowed."""
    log, names = builder.log, builder.dag.names
    if kind is Kind.SERVICE:
        scope.services.append(number)
        return
    for only, what in ((Kind.FINAL, "final"), (Kind.PROVISIONER, "provisioner")):
        if kind is not only:
            continue
        there = getattr(scope, what)
        if there != NONE:
            log.error(f"Error: DAG already has a {what} node {names[there]}; attempting to add {what} node {name}")
            raise log.error(f"ERROR: Failed to add node {name} to DAG.")
        setattr(scope, what, number)
    scope.order.append(number)


def splice(builder: Builder, scope: Scope, command: Splice, munge: str, directory: str) -> None:
    """Add a splice. Raises Failed."""
    name = full_name(command.name, munge)
    if name in scope.names:
        raise builder.log.error(f"ERROR: Splice name {command.name} already associated with a node in DAG.")
    if name in scope.splices:
        raise builder.log.error(f"ERROR: Splice named {command.name} already exists in DAG.")
    scope.splices[name] = builder.splice(command, directory, munge)


def dependencies(builder: Builder, scope: Scope, command: ParentChild, munge: str) -> None:
    """Add edges from all parents to all children, through a node between them when both are many. Raises Failed."""
    parents = _ends(builder, scope, command.parents, munge, "parent")
    children = _ends(builder, scope, command.children, munge, "child")
    weak = command.weak
    if builder.settings.use_join_nodes and len(parents) > 1 and len(children) > 1:
        join = _join_node(builder, scope)
        if not _connect(builder, parents, [join], weak):
            raise builder.log.error(f"ERROR: failed to add dependency to join node {builder.dag.names[join]}")
        parents, weak = [join], False
    if not _connect(builder, parents, children, weak):
        raise builder.log.error("ERROR: failed to add dependency between nodes")


def _ends(builder: Builder, scope: Scope, names: list[str], munge: str, what: str) -> list[int]:
    found: set[int] = set()
    for name in names:
        full = full_name(name, munge)
        inner = scope.splices.get(full)
        if inner is not None:
            found.update(inner.terminal if what == "parent" else inner.initial)
            continue
        number = scope.find(full, builder.log)
        if number == NONE:
            raise builder.log.error(f"ERROR: Unknown {what} node {name} specified")
        found.add(number)
    return sorted(found)


def _join_node(builder: Builder, scope: Scope) -> int:
    name = f"_condor_join_node{next(builder.joins)}"
    if name in scope.names or name in scope.splices:
        raise builder.log.error(f"ERROR: Join node name {name} already in use in DAG!!!")
    number = builder.dag.add_node(name, Kind.JOB, "DNE.sub", "", NOOP | JOIN)
    scope.names[name] = number
    scope.order.append(number)
    return number


def _connect(builder: Builder, parents: list[int], children: list[int], weak: bool) -> bool:
    log, kinds, names = builder.log, builder.dag.kinds, builder.dag.names
    if not parents or not children:
        missing = " nor ".join(what for what, nodes in (("parent", parents), ("child", children)) if not nodes)
        log.say(f"ERROR: No {missing} nodes provided for dependency creation")
        return False
    for nodes, reasons in ((parents, _NO_CHILD), (children, _NO_PARENT)):
        for number in nodes:
            if kinds[number]:
                log.error(f"ERROR: {reasons[Kind(kinds[number])]} {names[number]}")
                return False
    for parent in parents:
        for child in children:
            builder.edge(parent, child, weak)
    return True


def pins(builder: Builder, scope: Scope, command: Statement, munge: str) -> None:
    """PIN_IN, PIN_OUT or CONNECT. Raises Failed."""
    if isinstance(command, Connect):
        _connect_splices(builder, scope, command, munge)
    elif isinstance(command, Number):
        name = full_name(command.node, munge)
        number = scope.find(name, builder.log)
        if number == NONE:
            raise builder.log.error(f"ERROR: node {name} not found!")
        table = scope.pins_in if command.command is Command.PIN_IN else scope.pins_out
        table.setdefault(command.value, []).append(number)


def _connect_splices(builder: Builder, scope: Scope, command: Connect, munge: str) -> None:
    log = builder.log
    parent = scope.splices.get(full_name(command.parent, munge))
    child = scope.splices.get(full_name(command.child, munge))
    for what, name, found in (("parent", command.parent, parent), ("child", command.child, child)):
        if found is None:
            log.error(f"ERROR: Connect {what} splice {name} does not exist")
    if parent is None or child is None:
        raise Failed
    _check_pins(builder, parent, child)
    for pin in range(1, max(parent.pins_out) + 1):
        for what, where, way, table in (
            ("parent", parent, "out", parent.pins_out), ("child", child, "in", child.pins_in),
        ):  # fmt: skip
            if pin not in table:
                name = where.prefix.removesuffix("+")
                raise log.error(f"ERROR: {what} splice {name} has no node for pin_{way} {pin}")
        for start in parent.pins_out[pin]:
            for end in child.pins_in[pin]:
                if not _connect(builder, [start], [end], weak=False):
                    raise log.error(f"ERROR: unable to add parent/child dependency for pin {pin}")
    _check_orphans(builder, child)


def _check_pins(builder: Builder, parent: Scope, child: Scope) -> None:
    """Both must have pins, and equally many. Raises Failed."""
    log = builder.log
    outer, inner = parent.prefix.removesuffix("+"), child.prefix.removesuffix("+")
    outs, ins = max(parent.pins_out, default=0), max(child.pins_in, default=0)
    if not outs:
        raise log.error(f"ERROR: parent splice {outer} has 0 pin_outs")
    if not ins:
        raise log.error(f"ERROR: child splice {inner} has 0 pin_ins")
    if outs != ins:
        text = f"ERROR: pin_in/out mismatch:  parent splice {outer} has {outs} pin_outs; child splice {inner} has {ins}"
        raise log.error(f"{text} pin_ins")


def _check_orphans(builder: Builder, child: Scope) -> None:
    """Every node of the child splice must wait for something now. Raises Failed."""
    with_parents = set(builder.ends[child.edges_from :])
    for number in child.order:
        if number not in with_parents:
            name = builder.dag.names[number]
            text = f"ERROR: child splice node {name} has no parents after making pin connections; add pin_in or parent"
            raise builder.log.error(text)
