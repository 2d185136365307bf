"""The DAGs in the queue, and one of them: its graph with the state of each node, its critical path, the time left.

The list shows what condor_q shows everybody. The graph comes from files of the owner; it is shown to the owner and to
administrators only.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from markupsafe import Markup

from condor_py.cli.web.dag import jobs
from condor_py.cli.web.dag.drawing import draw
from condor_py.cli.web.dag.follower import Followed, Followers
from condor_py.cli.web.dag.reader import LETTERS
from condor_py.cli.web.page import (
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Forbidden,
    NotHere,
    Page,
    Parameter,
    Place,
    array,
    maybe,
    record,
)
from condor_py.cli.web.texts import span
from condor_py.model.arguments import ArgumentError
from condor_py.model.ids import JobId

if TYPE_CHECKING:
    from condor_py.cli.web.live import Watch
    from condor_py.cli.web.page import Asked, Data
    from condor_py.lang.classad import ClassAd

#: Nodes of a graph that is drawn by the server, rows of the table of nodes, DAGs of the list, nodes of a path.
MOST_DRAWN, ROWS, MOST_LISTED, MOST_OF_PATH = 300, 50, 200, 100
#: The states of nodes by their letters: the name of the class in style sheets, and the words.
STATES = {
    "D": ("done", "done"),
    "R": ("running", "running"),
    "Q": ("idle", "in the queue, idle"),
    "H": ("held", "held"),
    "B": ("script", "PRE script"),
    "P": ("script", "POST script"),
    "N": ("ready", "ready"),
    "W": ("waits", "waits for parents"),
    "F": ("failed", "failed"),
    "U": ("futile", "can never run"),
}


class _Known:
    """State that the page keeps for a pool: which clusters are DAGs, and the DAGs that are followed."""

    def __init__(self, watch: Watch) -> None:
        self.dags = jobs.Dags()
        self.followers = Followers(lambda: watch.tell("dag"))
        #: Owner and row of DAGs that were shown, for when they have left the queue.
        self.shown: dict[int, tuple[str, dict[str, Any]]] = {}


_known: WeakKeyDictionary[Watch, _Known] = WeakKeyDictionary()


def view(watch: Watch, asked: Asked) -> Data:
    """Return the DAGs in the queue, or one of them."""
    known = _known.get(watch)
    if known is None:
        known = _known[watch] = _Known(watch)
    if asked.path:
        return _one(watch, known, asked)
    found = known.dags.jobs(watch.jobs)
    rows = [jobs.row(job, ad) for job, ad in found[:MOST_LISTED]]
    for one in rows:
        one["open"] = asked.viewer.may_see(one["owner"])
    return {"dags": rows, "total": len(found)}


def _one(watch: Watch, known: _Known, asked: Asked) -> Data:
    number = asked.path[0].partition(".")[0]
    if not (number.isascii() and number.isdecimal() and len(number) < 12):
        raise NotHere("There is no such DAG.")
    cluster = int(number)
    ad = _job(watch, cluster)
    if ad is None and cluster not in known.shown:
        raise NotHere(f"DAG {cluster} is not in the queue.")
    row = jobs.row(JobId(cluster, 0), ad) if ad is not None else {**known.shown[cluster][1], "status": "has ended"}
    if not asked.viewer.may_see(row["owner"]):
        raise Forbidden(f"DAG {cluster} is {row['owner']}'s: its graph is shown to its owner and to administrators.")
    if ad is None:
        followed = known.followers.known(cluster)
    elif os.geteuid() != 0 and row["owner"] != watch.pool.owner:
        raise Forbidden(f"The files of DAG {cluster} are {row['owner']}'s, whose rights this server does not have.")
    else:
        try:
            followed = known.followers.of(jobs.order_of(JobId(cluster, 0), ad))
        except ArgumentError as error:
            raise NotHere(f"The arguments of DAG {cluster} cannot be read: {error}") from None
        known.shown[cluster] = row["owner"], row
        while len(known.shown) > MOST_LISTED:
            del known.shown[next(iter(known.shown))]
    if followed is None:
        raise NotHere(f"DAG {cluster} is not in the queue any more.")
    failed = jobs.failed_nodes(ad) if ad is not None else {}
    if asked.parameters.get("graph"):
        return _graph(followed, failed, asked.number("since", 0))
    return {"dag": row, **_progress(followed, failed, asked)}


def _job(watch: Watch, cluster: int) -> ClassAd | None:
    ad = watch.jobs.view.job(JobId(cluster, 0))
    return ad if ad is not None and jobs.is_dag(ad) else None


def _letters(followed: Followed, failed: dict[str, str]) -> list[str]:
    """Return the state of each node. A node that failed without a job is only in the ad of condor_dagman."""
    letters = [node.state for node in followed.nodes]
    if failed and followed.graph is not None:
        for at, name in enumerate(followed.graph["names"]):
            if name in failed and letters[at] in "NW":
                letters[at] = "F"
    return letters


def _progress(followed: Followed, failed: dict[str, str], asked: Asked) -> Data:
    graph = followed.graph
    names = graph["names"] if graph is not None else []
    letters = _letters(followed, failed)
    counts = Counter(letters)
    estimate = followed.estimate or {}
    critical = [int(node) for node in estimate.get("critical", ())]
    drawn = bool(names) and len(names) <= MOST_DRAWN
    return {
        "reading": graph is None and not followed.problem,
        "problem": followed.problem,
        "edition": followed.edition,
        "version": followed.version,
        "size": len(names),
        "states": [
            {"letter": letter, "state": name, "word": word, "count": counts[letter]}
            for letter, (name, word) in STATES.items()
            if counts[letter]
        ],
        "left": estimate.get("left"),
        "how": how(estimate),
        "critical": [_link(names, letters, node) for node in critical[:MOST_OF_PATH]],
        "critical_length": len(critical),
        "picture": _picture(followed, letters) if drawn else None,
        "drawn_by_script": len(names) > MOST_DRAWN,
        "table": _table(followed, letters, failed, asked),
    }


def how(estimate: dict[str, Any]) -> str:
    """Return how the time left was estimated, in a sentence or two."""
    if not estimate:
        return ""
    if estimate["left"] is None:
        return "No node has told its run time yet."
    known, like = estimate["known"], estimate["like"]
    return (
        f"From the run times of {known} node{'s' * (known != 1)} that are done (the mean of the same submit file, "
        f"which {like} of the nodes left have; else of all): the longest chain of nodes left takes "
        f"{span(estimate['chain'])}, all of them one after the other {span(estimate['work'])}, and "
        f"{estimate['at_a_time']:.1f} run at a time."
    )


def _picture(followed: Followed, letters: list[str]) -> Data:
    graph = followed.graph
    assert graph is not None
    nodes = [
        {
            "name": name,
            "x": graph["x"][at],
            "y": graph["y"][at],
            "state": STATES[letters[at]][0],
            "word": STATES[letters[at]][1],
            "kind": graph["kinds"].get(str(at), ""),
        }
        for at, name in enumerate(graph["names"])
    ]
    edges = graph["edges"]
    return {"nodes": nodes, "edges": [[edges[at], edges[at + 1]] for at in range(0, len(edges), 2)]}


def _table(followed: Followed, letters: list[str], failed: dict[str, str], asked: Asked) -> Data:
    """Return a page of the table of nodes, those of one state, or whose names have a text."""
    graph = followed.graph
    names: list[str] = graph["names"] if graph is not None else []
    state = asked.choice("state", tuple(STATES), "")
    text = asked.text("find").lower()
    found = [at for at, letter in enumerate(letters) if (not state or letter == state) and text in names[at].lower()]
    one = asked.number("node", -1, -1)
    page = asked.number("page", 1, 1, max(1, -(-len(found) // ROWS)))
    if 0 <= one < len(names):
        found, page = [one], 1
    shown = found[(page - 1) * ROWS : page * ROWS]
    return {
        "state": state,
        "find": text,
        "page": page,
        "pages": max(1, -(-len(found) // ROWS)),
        "total": len(found),
        "rows": [_node(followed, at, letters[at], failed) for at in shown],
        **_neighbours(followed, letters, one if 0 <= one < len(names) else -1),
    }


def _neighbours(followed: Followed, letters: list[str], node: int) -> Data:
    """Return the parents and children of the node that is shown alone; nothing where several are shown."""
    found: Data = {"parents": [], "children": []}
    graph = followed.graph
    if graph is not None and node >= 0:
        starts, ends = graph["edges"][::2], graph["edges"][1::2]
        parents = [start for start, end in zip(starts, ends, strict=True) if end == node]
        children = [end for start, end in zip(starts, ends, strict=True) if start == node]
        for word, nodes in (("parents", parents), ("children", children)):
            found[word] = [_link(graph["names"], letters, at) for at in nodes[:MOST_OF_PATH]]
    return found


def _link(names: list[str], letters: list[str], node: int) -> Data:
    return {"node": node, "name": names[node], "state": STATES[letters[node]][0]}


def _node(followed: Followed, at: int, letter: str, failed: dict[str, str]) -> Data:
    graph, node = followed.graph, followed.nodes[at]
    assert graph is not None
    name = graph["names"][at]
    return {
        "node": at,
        "name": name,
        "state": STATES[letter][0],
        "word": STATES[letter][1],
        "submit": graph["files"][graph["file"][at]],
        "cluster": node.cluster or None,
        "begun": node.begun or None,
        "seconds": node.ended - node.begun if node.begun and node.ended >= node.begun else None,
        "tries": node.tries,
        "why": node.error or failed.get(name, ""),
    }


def _graph(followed: Followed, failed: dict[str, str], since: int) -> Data:
    """Return the graph for the script that draws it; with ``since`` only the states that changed after it."""
    graph, letters = followed.graph, _letters(followed, failed)
    critical = (followed.estimate or {}).get("critical", [])
    known: Data = {"edition": followed.edition, "version": followed.version, "letters": LETTERS, "critical": critical}
    if graph is None:
        return {**known, "problem": followed.problem, "states": ""}
    if since:
        changed = [[at, letters[at]] for at, version in enumerate(followed.since) if version > since]
        return {**known, "changed": changed}
    lists = {name: list(graph[name]) for name in ("x", "y", "edges")}
    return {**known, "names": graph["names"], "kinds": graph["kinds"], **lists, "states": "".join(letters)}


def picture(data: Data) -> Markup:
    """Return the picture of a DAG that has at most some hundred nodes."""
    shown = data.get("picture")
    if not shown:
        raise NotHere("There is no picture of this: a graph of more than 300 nodes is drawn by the browser.")
    critical = [one["node"] for one in data["critical"]]
    return draw(shown["nodes"], shown["edges"], critical, f"/dag/{data['dag']['id']}")


_FIGURES = ("total", "done", "prerun", "queued", "postrun", "ready", "unready", "failed", "futile")
_NODES = record(**dict.fromkeys(_FIGURES, WHOLE))
_ROW = record(
    id=WHOLE, owner=TEXT, name=TEXT, status=TEXT, since=maybe(NUMBER), submitted=maybe(NUMBER), parent=maybe(WHOLE),
    nodes=_NODES, jobs=record(idle=WHOLE, held=WHOLE, running=WHOLE),
)  # fmt: skip
_NODE = record(
    node=WHOLE, name=TEXT, state=TEXT, word=TEXT, submit=TEXT, cluster=maybe(WHOLE), begun=maybe(NUMBER),
    seconds=maybe(NUMBER), tries=WHOLE, why=TEXT,
)  # fmt: skip
_LINKS = array(record(node=WHOLE, name=TEXT, state=TEXT))
_ONE = record(
    dag=_ROW, reading=TRUTH, problem=TEXT, edition=WHOLE, version=WHOLE, size=WHOLE,
    states=array(record(letter=TEXT, state=TEXT, word=TEXT, count=WHOLE)), left=maybe(NUMBER), how=TEXT,
    critical=_LINKS, critical_length=WHOLE, drawn_by_script=TRUTH,
    table=record(state=TEXT, find=TEXT, page=WHOLE, pages=WHOLE, total=WHOLE, rows=array(_NODE),
                 parents=_LINKS, children=_LINKS),
)  # fmt: skip
PAGE = Page(
    "dag",
    "DAGs",
    view,
    record(dags=array(_ROW), total=WHOLE),
    (
        Parameter("state", f"the letter of a state: {', '.join(f'{key} {word}' for key, (_, word) in STATES.items())}"),
        Parameter("find", "a text in the names of nodes"),
        Parameter("page", "the page of the table of nodes", WHOLE),
        Parameter("node", "the number of one node", WHOLE),
        Parameter("graph", "1 for the graph as lists: names, places, edges in pairs, states as letters", WHOLE),
        Parameter("since", "with graph: the version after which changed states are listed", WHOLE),
    ),
    ("dag", "queue"),
    (Place(("{cluster}",), "One DAG: states of its nodes, critical path, time left", _ONE),),
    {"graph": picture},
)
