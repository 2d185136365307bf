"""One ad for many nodes: nodes of one description differ by their name, their parents and their cluster alone.

The jobs are made once for a name, parents and a cluster that do not occur, and these are replaced in the expressions.
That is right only for descriptions in which names are nothing but copied: no conditions, no functions of macros, no
queue statement that depends on them, no file whose size is looked up by them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

Items = Sequence[tuple[str, str]]

_NAME, _PARENTS, _CLUSTER = "node7f3aXq", "parents7f3aXq", 2_113_579_246
_MARK = re.compile(f"{_NAME}|{_PARENTS}|{_CLUSTER}")
_PLAIN = re.compile(r"[\w.,+-]*\Z")
_SPECIAL = re.compile(r"^[^\S\n]*(if|elif|else|endif|include|use|@include|queue\b.*\$)|\$[A-Za-z_]+\(", re.I | re.M)
_PARENT_NAMES = "DAG_PARENT_NAMES"
#: Attributes that come with others that are read off files.
_OF_FILES = frozenset(("cmd", "in", "transferinput"))


class NodeText(NamedTuple):
    """The text that a node is submitted from. ``before`` are macros that the description may replace, ``behind`` lines
    that follow it. ``description`` is its text if it has no file; ``directory`` is "" where condor_dagman is;
    ``is_single``: it may make one job only."""

    name: str
    file: str
    description: str | None
    directory: str
    before: tuple[tuple[str, str], ...]
    behind: tuple[str, ...]
    is_single: bool = False


#: Makes the cluster ad and the procs of a node: (node, cluster number).
Build = Callable[[NodeText, int], tuple[Items, Sequence[Items]]]


class _Template(NamedTuple):
    """Items, and where in them something is to be replaced: (list, position), 0 for the cluster ad."""

    lists: tuple[Items, ...]
    places: tuple[tuple[int, int], ...]


class Templates:
    """The templates of one batch: files that are read for them do not change in it."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], _Template | None] = {}

    def clear(self) -> None:
        """Another batch begins."""
        self._made.clear()

    def make(self, node: NodeText, text: str, cluster: int, build: Build) -> tuple[Items, Sequence[Items]]:
        """The cluster ad and the procs of a node whose description is ``text``. Raises what ``build`` raises."""
        parents = dict(node.before).get(_PARENT_NAMES, "")
        if not _PLAIN.match(node.name) or not _PLAIN.match(parents):
            return build(node, cluster)
        general = _general(node, parents)
        key = (node.directory, node.file, node.description, general.before, general.behind)
        if key not in self._made:
            self._made[key] = None if _SPECIAL.search(text) or _MARK.search(text) else _template(general, build)
        template = self._made[key]
        if template is None:
            return build(node, cluster)
        lists = [list(items) for items in template.lists]
        new = {_NAME: node.name, _PARENTS: parents, str(_CLUSTER): str(cluster)}
        for number, at in template.places:
            name, value = lists[number][at]
            lists[number][at] = (name, _MARK.sub(lambda found: new[found[0]], value))
        return lists[0], lists[1:]


def _general(node: NodeText, parents: str) -> NodeText:
    """The node with marks for what is its own."""
    before = tuple(
        (key, _NAME if key == "JOB" else _PARENTS if key == _PARENT_NAMES and parents else value)
        for key, value in node.before
    )
    own = " " + node.name
    behind = tuple(
        line.removesuffix(node.name) + _NAME if line.startswith(_OF_NAME) and line.endswith(own) else line
        for line in node.behind
    )
    return node._replace(name=_NAME, before=before, behind=behind)


#: Lines at the end of a description that tell the name of the node.
_OF_NAME = ("dag_node_name = ", "submit_event_notes = ")


def _template(general: NodeText, build: Build) -> _Template | None:
    """The template of a node; None when its jobs cannot be made, or are others for every name."""
    try:
        ad, procs = build(general, _CLUSTER)
    except Exception:
        return None
    lists = (ad, *procs)
    places = []
    for number, items in enumerate(lists):
        for at, (name, value) in enumerate(items):
            if _MARK.search(value):
                if name.lower() in _OF_FILES and (_NAME in value or _PARENTS in value):
                    return None
                places.append((number, at))
            elif _MARK.search(name):
                return None
    return _Template(lists, tuple(places))
