"""Late materialization: any job can be made from the digest, and is the one that an ordinary submit makes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.submit.build import clusters_of, wants_factory
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.factory import (
    Factory,
    FactoryText,
    cluster_items,
    digest_name,
    items_name,
    make_text,
    materialize,
)

DESCRIPTIONS = {
    "process": "executable = /bin/true\narguments = $(Process)\nmax_materialize = 2\nqueue 5\n",
    "nothing differs": "executable = /bin/true\nmax_idle = 2\nqueue 3\n",
    "held": "executable = /bin/true\nhold = true\noutput = o.$(Process)\nmax_idle = 2\nqueue 3\n",
    "items": "executable = /bin/true\narguments = $(x) $(y)\npriority = $(y)\nqueue 2 x,y from (\na 1\nb, 2\nc 3\n)\n",
    "slices": "executable = /bin/true\narguments = $(x) $(Row) $(Step)\nqueue 2 x in [1::2] (a b c d e)\n",
    "from environment": 'executable = /bin/true\nenvironment = "H=$ENV(HOME) P=$(Process)"\nqueue 2\n',
    "getenv": 'executable = /bin/true\ngetenv = HOME\nenvironment = "P=$(Process)"\nqueue 2\n',
    "macros": 'name = j$(n)\nn = $(Process)\nexecutable = /bin/true\n+Name = "$(name)"\nqueue 2\n',
    "lines": "executable = /bin/true\nx @=e\na\nb\n@e\narguments = $(Process)\nqueue 2\n",
    "docker": "universe = docker\ndocker_image = i\nexecutable = /bin/true\nrequest_memory = $(m)\nqueue m in (1 2)\n",
    "names of counters": "executable = /bin/true\nnode = n\nstep = s$(Process)\nROW = r\n"
    "arguments = $(node) $(Step) $(row) $(itemindex) $(x)\nqueue 2 x,ItemIndex from (\na 1\nb 2\n)\n",
    "auto": "executable = /bin/true\narguments = $(Process)\nrequest_memory = auto\nqueue 3\n",
    "auto for some": "executable = /bin/true\nrequest_memory = $(m)\nqueue m in (auto 64 auto)\n",
    "requirements": "executable = /bin/true\nrequest_memory = $(m)\nrequirements = X > $(m)\nqueue m in (1 2048 3)\n",
}


def _text(alice, description: str) -> tuple[FactoryText, list[dict[str, str]], ClassAd]:
    """The factory, the jobs of an ordinary submit and the cluster ad."""
    (draft,) = clusters_of(alice.parse(description))
    whole = draft.build(6, "alice@example.net", "alice", alice.options)
    (draft,) = clusters_of(alice.parse(description))
    built = draft.build_factory(6, "alice@example.net", "alice", alice.options)
    text = make_text(draft, 6, "/spool/6")
    assert (dict(built.ad_items), built.procs) == (dict(whole.ad_items), [])
    ad = ClassAd.from_text_items([*built.ad_items, *cluster_items(text, 6, "/spool/6")])
    return text, [dict(items) for items in whole.procs], ad


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=list(DESCRIPTIONS))
def test_each_job_is_the_one_of_an_ordinary_submit(alice, description: str) -> None:
    text, jobs, ad = _text(alice, description)
    assert text.total == len(jobs)
    alice.env.clear()  # the schedd has another one
    for proc in reversed(range(len(jobs))):  # none needs those before it
        assert dict(Factory(text, 6, ad, alice.settings).make(proc)) == jobs[proc]
    factory = Factory(text, 6, ad, alice.settings)
    made = materialize(factory, 0, 100)
    assert [(proc, dict(items)) for proc, items in made.procs] == list(enumerate(jobs))
    assert (made.next_proc, made.next_row, made.failure) == (len(jobs), -1, "")


#: As HTCondor 25.14 writes it: without what is the same for all jobs.
PRUNED = """FACTORY.Requirements=MY.Requirements
arguments=$(x) $(Process)
environment="A=$(x)"
FACTORY.Iwd=/tmp/qa
foo=b$(x)
max_materialize=3
MY.Foo="b$(x)"
output=out.$(y).txt
request_memory=10*$(x)

Queue 2 x,y from /spool/6/condor_submit.6.items
"""


@pytest.mark.parametrize("universe", ["vanilla", "local"])
def test_a_digest_of_htcondor_is_continued(alice, universe: str) -> None:
    commands = PRUNED.replace("FACTORY.Iwd=/tmp/qa\n", "").replace("FACTORY.Requirements=MY.Requirements\n", "")
    commands = commands.replace("/spool/6/condor_submit.6.items", "(\n100 a\n200 b\n)")
    static = f"universe = {universe}\nexecutable = /bin/sleep\nrequirements = Best\nrequest_cpus = 3\npriority = 5\n"
    _, jobs, ad = _text(alice, static + commands)
    factory = Factory(FactoryText(PRUNED, "100\x1fa\n200\x1fb\n", 4), 6, ad, alice.settings)
    assert [dict(factory.make(proc)) for proc in (3, 0, 1)] == [jobs[3], jobs[0], jobs[1]]


def test_a_factory_goes_on_where_it_was(alice) -> None:
    text, _, ad = _text(alice, DESCRIPTIONS["items"])
    made = materialize(Factory(text, 6, ad, alice.settings), 1, 2)
    assert [proc for proc, _ in made.procs] == [1, 2]
    assert (made.next_proc, made.next_row) == (3, 1)


def test_the_cluster_ad_tells_the_files(alice) -> None:
    _, _, ad = _text(alice, DESCRIPTIONS["items"])
    assert ad.text("JobMaterializeDigestFile") == f'"/spool/6/{digest_name(6)}"'
    assert ad.text("JobMaterializeItemsFile") == f'"/spool/6/{items_name(6)}"'
    assert ad.text("JobMaterializeItemCount") == "3"
    _, _, ad = _text(alice, DESCRIPTIONS["process"])
    assert ad.text("JobMaterializeItemsFile") is None


def test_a_request_that_the_schedd_has_found_stays(alice) -> None:
    text, _, ad = _text(alice, DESCRIPTIONS["auto"])
    ad.set_text("AutoRequestMemory", "1152")
    made = dict(Factory(text, 6, ad, alice.settings).make(1))
    assert not {"AutoRequestMemory", "RequestMemory", "MemoryRequestSource"} & made.keys()


def test_an_edited_cluster_stays_edited(alice) -> None:
    text, _, ad = _text(alice, "executable = /bin/true\narguments = $(Process)\npriority = 1\nqueue 3\n")
    ad.set_text("JobPrio", "7")
    assert dict(Factory(text, 6, ad, alice.settings).make(1)) == {"JobStatus": "1", "Args": '"1"'}


def test_a_job_that_cannot_be_made_is_named(alice) -> None:
    text, _, ad = _text(alice, "executable = /bin/true\npriority = $(x)\nqueue x in (1 2)\n")
    broken = FactoryText(text.digest, "1\noops\n3\n", 3)
    made = materialize(Factory(broken, 6, ad, alice.settings), 0, 3)
    assert [proc for proc, _ in made.procs] == [0]
    assert made.failure == "job 1 cannot be made: priority=oops is invalid, must eval to an integer."


def test_who_wants_a_factory(alice) -> None:
    for name, description in DESCRIPTIONS.items():
        (draft,) = clusters_of(alice.parse(description))
        assert wants_factory(draft) == (name in ("process", "nothing differs", "held"))


def test_factories_by_default(alice) -> None:
    alice.set(factory_by_default=True)
    for queue, wanted in (("queue", False), ("queue 2", True), ("queue x in (a b)", True), ("queue x in (a)", False)):
        (draft,) = clusters_of(alice.parse(f"executable = /bin/true\n{queue}\n"))
        assert wants_factory(draft) == wanted


def test_the_environment_is_kept_only_where_it_is_needed(alice) -> None:
    alice.env["SECRET"] = "x"
    assert "SECRET" not in _text(alice, DESCRIPTIONS["items"])[0].digest
    assert "SECRET" in _text(alice, DESCRIPTIONS["getenv"])[0].digest


@pytest.mark.parametrize(
    "head",
    [
        "# condor_py factory []\n",
        '# condor_py factory {"directory": 1}\n',
        '# condor_py factory {"directory": "/", "file": "f"}\n',
        '# condor_py factory {"directory": "/", "file": "f", "environment": {"A": 1}}\n',
    ],
)
def test_a_digest_that_is_broken_is_refused(alice, head: str) -> None:
    _, _, ad = _text(alice, DESCRIPTIONS["items"])
    with pytest.raises(ValueError, match=r"digest|Expecting"):
        Factory(FactoryText(head + "executable = /bin/true\nqueue\n", "", 1), 6, ad, alice.settings)


@pytest.mark.parametrize("line", ["include : /etc/passwd", "include command : id"])
@pytest.mark.promise("S61")
def test_a_digest_reaches_nothing_but_its_items(alice, line: str) -> None:
    text, _, ad = _text(alice, DESCRIPTIONS["items"])
    digest = text.digest.replace("executable", f"{line}\nexecutable", 1)
    with pytest.raises(SubmitError, match=r"can't open file|not a valid command"):
        Factory(FactoryText(digest, text.items, 6), 6, ad, alice.settings)


def test_a_digest_with_fewer_jobs_than_it_says_ends(alice) -> None:
    text, _, ad = _text(alice, DESCRIPTIONS["process"])
    made = materialize(Factory(text, 6, ad, alice.settings), 5, 10)
    assert made.failure == "there is no job 5: the digest makes 5"


FILES = """
executable = PLACE/program
input = PLACE/program
output = PLACE/locked/out
transfer_input_files = PLACE, PLACE/program, /
should_transfer_files = yes
x509userproxy = PLACE/pipe
initialdir = PLACE/missing
docker_send_credentials = true
max_materialize = 2
queue 2
"""
GRID = """
universe = grid
grid_resource = ec2 https://a
executable = x
ec2_ami_id = a
ec2_access_key_id = PLACE/pipe
ec2_secret_access_key = PLACE/pipe
queue 2
"""


@pytest.mark.parametrize("description", [FILES, GRID])
def test_jobs_that_are_made_late_look_at_no_file(alice, tmp_path: Path, description: str) -> None:
    """Who makes them is root: files that a digest names are none of his business, and a pipe would hold him up."""
    os.mkfifo(tmp_path / "pipe")
    _, _, ad = _text(alice, DESCRIPTIONS["process"])
    ad.delete("ExecutableSize")
    facts = json.dumps({"directory": "/", "file": "x.sub", "environment": {}})
    text = f"# condor_py factory {facts}\n" + description.replace("PLACE", str(tmp_path))
    factory = Factory(FactoryText(text, "", 2), 6, ad, alice.settings)
    looked: list[str] = []

    def listen(event: str, args: tuple[object, ...]) -> None:
        if event in ("open", "os.listdir", "os.scandir") and str(tmp_path) in str(args[0]):
            looked.append(f"{event} {args}")

    sys.addaudithook(listen)
    job = dict(factory.make(1))
    assert looked == []
    assert not {"DiskUsage", "TransferInputSizeMB", "ExecutableSize"} & set(job)


@pytest.mark.parametrize(
    "kind", ["universe = Parallel", "universe = 11", "WantParallelScheduling = true", "+WantParallelScheduling = True"]
)
def test_the_nodes_of_a_parallel_job_are_not_made_later(alice, kind: str) -> None:
    """HTCondor leaves such a job idle for ever."""
    text = f"{kind}\nmachine_count = 2\nexecutable = /bin/true\n"
    (draft,) = clusters_of(alice.parse(text + "max_idle = 1\nqueue 2\n"))
    assert wants_factory(draft)
    with pytest.raises(SubmitError, match="nodes of a parallel job cannot be made later"):
        draft.build_factory(6, "alice@example.net", "alice", alice.options)
    alice.set(factory_by_default=True)
    assert [wants_factory(*clusters_of(alice.parse(one + "queue 2\n"))) for one in (text, "executable = /x\n")] == [
        False,
        True,
    ]
