"""One ad for many nodes: what is made from a template is what would have been made of the node itself."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from condor_py.client.surroundings import surroundings
from condor_py.daemons.dagman.templates import Items, NodeText, Templates
from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.submit_file import parse
from condor_py.model.settings.submit import SubmitSettings


def node(name: str, parents: str = "", *before: tuple[str, str], behind: tuple[str, ...] = ()) -> NodeText:
    pairs = [("JOB", name), ("RETRY", "0")]
    if parents:
        pairs.append(("DAG_PARENT_NAMES", parents))
    pairs += [("MY.DAGParentNodeNames", '"$(DAG_PARENT_NAMES)"'), *before]
    lines = (f"dag_node_name = {name}", f"submit_event_notes = DAG Node: {name}", *behind)
    return NodeText(name, "x.sub", None, "", tuple(pairs), lines)


#: What differs from one second to the next.
_TIMES = ("QDate", "EnteredCurrentStatus")


class Builds:
    """Counts how often jobs were really made."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.count = 0

    def __call__(self, one: NodeText, cluster: int) -> tuple[Items, Sequence[Items]]:
        self.count += 1
        settings = SubmitSettings(skip_filechecks=True)
        file = parse(self.text, one.file, settings=settings, surroundings=surroundings(),
                     defines=one.before, appends=one.behind)  # fmt: skip
        drafts = clusters_of(file)
        if not drafts:
            raise file.failure or SubmitError("no jobs queued")
        made = drafts[0].build(cluster, "alice@x", "alice", BuildOptions(user="alice", check_executable=False))
        return [item for item in made.ad_items if item[0] not in _TIMES], made.procs


_NODES = (
    node("A"), node("B"), node("Node"), node("x.y-1", "A,B"), node("Z", "x.y-1"), node("DAG", "A", ("word", "A")),
    node("C", "", ("word", "B"), behind=("My.Extra = 3",)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "is_template"),
    [
        ("executable = /bin/true\nqueue\n", True),
        ('executable = /bin/sh\narguments = "$(JOB) $(Cluster).$(Process) $(word)"\noutput = $(JOB).out\n'
         'log = $(Cluster).log\nMy.Of = "$(DAG_PARENT_NAMES)"\nqueue 3\n', True),
        ("executable = /bin/true\nif defined word\narguments = 1\nendif\nqueue\n", False),
        ("executable = /bin/true\narguments = $UPPER(JOB)\nqueue\n", False),
        ("executable = $(JOB)\nqueue\n", False),
        ("executable = /bin/true\nqueue arguments from (\n$(JOB)\n)\n", True),
        ("executable = /bin/true\nn = 2\nqueue $(n)\n", False),
    ],
)  # fmt: skip
def test_what_comes_from_a_template_is_what_the_node_itself_gives(text: str, is_template: bool) -> None:
    builds, templates = Builds(text), Templates()
    for number, one in enumerate(_NODES, 100):
        ad, procs = templates.make(one, text, number, builds)
        wanted, wanted_procs = Builds(text)(one, number)
        assert [list(items) for items in (ad, *procs)] == [list(items) for items in (wanted, *wanted_procs)], one.name
    assert (builds.count < len(_NODES)) is is_template


def test_names_that_mean_something_in_a_submit_description_get_no_template() -> None:
    text = "executable = /bin/true\noutput = $(JOB)\nqueue\n"
    builds, templates = Builds(text), Templates()
    for name in ("a$(x)", "it's", "a b"):
        one = node(name)
        assert list(templates.make(one, text, 7, builds)[0]) == list(Builds(text)(one, 7)[0])
    assert builds.count == 3


def test_a_description_that_cannot_be_submitted_is_refused_as_without_templates() -> None:
    text = "arguments = 1\nqueue\n"
    with pytest.raises(SubmitError, match="executable"):
        Templates().make(node("A"), text, 7, Builds(text))


def test_a_new_batch_reads_its_files_anew() -> None:
    templates = Templates()
    for text in ("executable = /bin/true\nqueue\n", "executable = /bin/false\nqueue\n"):
        ad, _ = templates.make(node("A"), text, 7, Builds(text))
        assert dict(ad)["Cmd"] == f'"{text.split()[2]}"'
        templates.clear()
