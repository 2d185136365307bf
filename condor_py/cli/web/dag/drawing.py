"""A DAG of some hundred nodes as a picture; longer ones are drawn by static/dag.js."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from condor_py.cli.web import svg

#: Size of a node, and distances of nodes and rows, in units of the picture.
WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 108, 30, 124, 66, 12
#: Letters of a name that fit into a node.
_FIT = 15
#: The node becomes a point in a DAG that is wider than so many nodes.
_WIDE = 12


def draw(
    nodes: Sequence[dict[str, Any]], edges: Sequence[Sequence[int]], critical: Sequence[int], address: str
) -> Markup:
    """Return the picture. A node has ``name``, ``x``, ``y``, ``state``, ``word`` and ``kind``; an edge, two nodes."""
    across = ACROSS if max((node["x"] for node in nodes), default=0) <= _WIDE else 34
    down = DOWN if across == ACROSS else 44
    size = WIDTH if across == ACROSS else 16
    chain = set(pairwise(critical))
    places = [(MARGIN + size / 2 + node["x"] * across, MARGIN + HEIGHT / 2 + node["y"] * down) for node in nodes]
    width = max((x for x, _ in places), default=0.0) + size / 2 + MARGIN
    height = max((y for _, y in places), default=0.0) + HEIGHT / 2 + MARGIN
    half = HEIGHT / 2 if size == WIDTH else size / 2
    lines = [_edge(places[start], places[end], half, (start, end) in chain) for start, end in edges]
    on_chain = set(critical)
    drawn = [
        _node(node, place, size, number in on_chain, f"{address}?node={number}")
        for number, (node, place) in enumerate(zip(nodes, places, strict=True))
    ]
    title = f"Graph of {len(nodes)} nodes in {1 + max((node['y'] for node in nodes), default=0)} rows"
    class_ = "dag" if size == WIDTH else "dag dag-points"
    return svg.picture(round(width), round(height), title, *lines, *drawn, class_=class_, sized=True)


def _edge(start: tuple[float, float], end: tuple[float, float], half: float, critical: bool) -> Markup:
    (x1, y1), (x2, y2) = (start[0], start[1] + half), (end[0], end[1] - half)
    bend = (y2 - y1) / 2
    path = f"M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}"
    return svg.element("path", d=path, class_="dag-edge critical" if critical else "dag-edge")


def _node(node: dict[str, Any], place: tuple[float, float], size: int, critical: bool, address: str) -> Markup:
    x, y = place
    words = ("dag-node", f"is-{node['state']}", node["kind"], "critical" if critical else "")
    mark = " ".join(filter(None, words))
    title = svg.element("title", f"{node['name']}: {node['word']}")
    if size != WIDTH or node["kind"] == "join":
        side = min(size, 16)
        return _link(address, svg.box(x - side / 2, y - side / 2, side, side, title, class_=mark, rx=side / 2))
    name = node["name"] if len(node["name"]) <= _FIT else node["name"][: _FIT - 1] + "…"
    shape = svg.box(x - size / 2, y - HEIGHT / 2, size, HEIGHT, title, class_=mark, rx=6)
    return _link(address, shape, svg.words(x, y + 4, name, class_="dag-name", anchor="middle"))


def _link(address: str, *children: Markup) -> Markup:
    """Return a link that Tab passes over: the table of nodes has the same ones."""
    return svg.element("a", *children, href=address, tabindex=-1)
