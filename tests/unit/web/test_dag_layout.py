"""Places of the nodes of a DAG in a picture."""

from __future__ import annotations

import itertools
import random
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from shown_dags import dag_of

from condor_py.cli.web.dag.layout import Layout, ascending, layers_of, place
from condor_py.cli.web.dag.reader import _shown, graph_message
from condor_py.lang.dag.graph import Dag, Kind


def crossings(layout: Layout, edges: list[tuple[int, int]]) -> int:
    """Pairs of edges between the same two rows that cross."""
    found = 0
    for at, (a, b) in enumerate(edges):
        for c, d in edges[at + 1 :]:
            if layout.y[a] == layout.y[c] and layout.y[b] == layout.y[d]:
                found += (layout.x[a] - layout.x[c]) * (layout.x[b] - layout.x[d]) < 0
    return found


def test_children_are_below_all_their_parents() -> None:
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (3, 4)]
    layout = place(dag_of(5, edges))
    assert [layout.y[node] for node in range(5)] == [0, 1, 1, 2, 3]
    assert layout.x[0] == layout.x[3] == layout.x[4] == (layout.x[1] + layout.x[2]) / 2


def test_edges_do_not_cross_where_they_need_not() -> None:
    edges = [(0, 5), (1, 4), (2, 3)]
    assert crossings(place(dag_of(6, edges)), edges) == 0


def test_a_random_tree_is_drawn_without_crossings() -> None:
    dice = random.Random(4)
    edges = [(dice.randrange(max(0, child - 12), child), child) for child in range(1, 60)]
    assert crossings(place(dag_of(60, edges)), edges) == 0


def test_nodes_of_a_row_are_at_least_one_apart() -> None:
    dice = random.Random(7)
    edges = [(dice.randrange(child), child) for child in range(1, 300)] + [(0, 299)]
    layout = place(dag_of(300, edges))
    rows: dict[int, list[float]] = {}
    for x, y in zip(layout.x, layout.y, strict=True):
        rows.setdefault(y, []).append(x)
    for row in rows.values():
        row.sort()
        assert all(b - a >= 0.98 for a, b in itertools.pairwise(row))


def test_a_wide_layer_is_folded() -> None:
    """A fan of 5,000 nodes is no line that is 5,000 nodes long."""
    edges = [(0, node) for node in range(1, 5001)] + [(node, 5001) for node in range(1, 5001)]
    layout = place(dag_of(5002, edges))
    assert layout.width < 200
    assert layout.height < 60
    assert len({(x, y) for x, y in zip(layout.x, layout.y, strict=True)}) == 5002


def test_nodes_apart_and_nodes_of_a_cycle_have_places() -> None:
    dag = dag_of(5, [(0, 1), (2, 3), (3, 2)])
    dag.final = 4
    assert layers_of(dag) == [[0], [1], [2, 3, 4]]
    assert place(Dag()).x == []


@pytest.mark.parametrize(
    ("values", "nearest"),
    [([], []), ([1.0, 2.0], [1.0, 2.0]), ([3.0, 1.0], [2.0, 2.0]), ([1.0, 5.0, 3.0, 4.0], [1.0, 4.0, 4.0, 4.0])],
)
def test_the_nearest_ascending_numbers(values: list[float], nearest: list[float]) -> None:
    assert ascending(values) == nearest


def test_ten_thousand_nodes_take_less_than_a_second() -> None:
    dice = random.Random(1)
    starts = [dice.randrange(9999) for _ in range(30000)]
    dag = dag_of(10000, [(start, min(9999, start + 1 + dice.randrange(200))) for start in starts])
    begun = time.process_time()
    place(dag)
    assert time.process_time() - begun < 1.0


def test_the_graph_is_told_to_the_page() -> None:
    dag = dag_of(3, [(0, 1), (0, 2)])
    dag.kinds[2] = Kind.FINAL
    dag.submits[1] = "other\n.sub"
    layout = place(dag)
    assert graph_message(dag, layout) == {
        "names": ["N0", "N1", "N2"],
        "files": ["job.sub", _shown("other\n.sub")],
        "file": [0, 1, 0],
        "kinds": {2: "final"},
        "x": layout.x,
        "y": [0, 1, 1],
        "edges": [0, 1, 0, 2],
    }
    assert "\n" not in _shown("other\n.sub")
