"""Rescue files, save point files, and the other files next to a .dag file: their names and texts."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from time import gmtime, strftime

from condor_py.core.dag.states import NodeState
from condor_py.lang.dag.graph import Dag, Kind, NodeRetry
from condor_py.model.texts import as_integer

#: The version that rescue files are marked with.
VERSION = "2.1.0"


def rescue_base(primary: str, is_multi: bool) -> str:
    """Common beginning of the names of all rescue files of a DAG."""
    return f"{primary}{'_multi' if is_multi else ''}.rescue"


def rescue_name(primary: str, is_multi: bool, number: int) -> str:
    """The rescue file of this number, from 1."""
    return f"{rescue_base(primary, is_multi)}{number:03d}"


def rescue_number(file: str, primary: str, is_multi: bool) -> int:
    """The number in the name of a rescue file; 0 for another file."""
    digits = ""
    base = rescue_base(primary, is_multi)
    if file.startswith(base):
        for char in file[len(base) :]:
            if not char.isdecimal():
                break
            digits += char
    return as_integer(digits or "0")


def last_rescue(primary: str, is_multi: bool, most: int, exists: Callable[[str], bool]) -> tuple[int, list[str]]:
    """The number of the newest rescue file, 0 without any, and what there is to say about that. ``most`` is
    DAGMAN_MAX_RESCUE_NUM."""
    last = 0
    said: list[str] = []
    for number in range(1, most + 1):
        if exists(rescue_name(primary, is_multi, number)):
            if number > last + 1:
                said.append(f"Warning: Found rescue DAG number {number}, but not rescue DAG number {number - 1}")
            last = number
    if last >= most:
        said.append(f"Warning: Hit maximum rescue DAG number: {most}")
    return last, said


def halt_name(primary: str) -> str:
    """The file whose presence halts a DAG."""
    return f"{primary}.halt"


def save_point_name(primary: str, file: str, directory: str) -> str:
    """Path of a save point file: without a directory in its name in save_files, next to the first .dag file.

    ``directory`` is that of condor_dagman, absolute.
    """
    if "/" in file:
        return file
    own = posixpath.dirname(primary)
    return posixpath.join(directory, own if own not in ("", ".") else "", "save_files", file)


def rescue_header(primary: str) -> str:
    """The first lines of a rescue file."""
    return f"# Rescue DAG file, created after running\n#   the {primary} DAG file\n"


def save_point_header(node: str) -> str:
    """The first line of a save point file."""
    return f"# Save file written at Start Node {node}\n"


def progress_text(
    header: str, dag: Dag, now: int, states: bytes | bytearray, retries: dict[int, int] | None = None
) -> str:
    """The text of a rescue or save point file. ``states`` are those of the nodes (`core.states.NodeState`); ``retries``
    is how many retries nodes have used, None when they start again."""
    failed = [node for node in dag.order if states[node] == NodeState.ERROR]
    done = sum(1 for node in dag.order if states[node] == NodeState.DONE)
    lines = [
        f"{header}# Created {_stamp(now)} UTC",
        f"# Rescue DAG version: {VERSION}",
        "#",
        f"# Total number of Nodes: {len(dag.order)}",
        f"# Nodes premarked DONE: {done}",
        f"# Nodes that failed: {len(failed)}",
        f"#   {''.join(f'{dag.names[node]},' for node in failed)}<ENDLIST>",
        "",
    ]
    for node in dag.order:
        if dag.kinds[node] != Kind.FINAL:
            if states[node] == NodeState.DONE:
                lines.append(f"DONE {dag.names[node]}")
            elif states[node] == NodeState.ERROR and _is_passed_over(dag, node):
                lines += ["# Failed node with only weak child dependencies:", f"DONE {dag.names[node]}"]
        if retries is not None and node in dag.retries and dag.retries[node].most > 0:
            lines += _retries(dag.names[node], dag.retries[node], retries.get(node, 0))
    return "\n".join(lines) + "\n"


def _is_passed_over(dag: Dag, node: int) -> bool:
    """Whether a failed node need not run again: all that hangs on it hangs weakly."""
    weak = dag.weak_of(node)
    return bool(weak) and all(weak)


def _stamp(now: int) -> str:
    when = gmtime(now)
    return f"{when.tm_mon}/{when.tm_mday}/{when.tm_year} {strftime('%H:%M:%S', when)}"


def _retries(name: str, retry: NodeRetry, used: int) -> list[str]:
    left = retry.most - used
    unless = f" UNLESS-EXIT {retry.unless}" if retry.unless else ""
    return [f"# {used} of {retry.most} retries already performed; {left} remaining", f"RETRY {name} {left}{unless}"]
