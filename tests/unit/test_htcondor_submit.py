"""``htcondor.Submit`` and the enumerations, compared with HTCondor's own bindings."""

from __future__ import annotations

import enum
import os

import pytest

os.environ.setdefault("CONDOR_CONFIG", "ONLY_ENV")
theirs = pytest.importorskip("htcondor2", reason="the HTCondor bindings are not installed here")
ours = pytest.importorskip("condor_py.bindings")

_TEXTS = [
    'executable=/bin/true\nArguments = $(X) $(Process) b\nx = 5\n+Foo = 7\nMY.bar = "a"\nqueue 3\n',
    "executable=/bin/true\nqueue a,b from (\n1,2\n3 , 4\n)\n",
    "executable=/bin/true\nqueue in (x y z)\n",
    "executable=/bin/true\nqueue 2 x in (x y z)\n",
    "executable=/bin/true\nqueue x in [1:2] (x y z)\n",
    "executable=/bin/true\nqueue x from (a\nb\n)\n",
    "executable=/bin/true\nqueue x in [1:] (a b\nc\n)\n",
    "executable=/bin/true\nqueue x from (\n)\n",
    "executable=/bin/true\nqueue x matching files /nothing*\n",
    "executable=/bin/true\n",
    "executable=/bin/true\nif defined foo\na=1\nelse\na=2\nendif\nqueue",
    "executable=/bin/true\n# a comment\nlog = a.log\nLOG = b.log\nqueue 1\n",
]


@pytest.mark.parametrize("text", _TEXTS)
def test_a_description_reads_alike(text: str) -> None:
    mine, other = ours.Submit(text), theirs.Submit(text)
    assert dict(mine) == dict(other)
    assert list(mine) == list(other)
    assert mine.getQArgs() == other.getQArgs()
    assert len(mine) == len(other)
    items, others = mine.itemdata(), other.itemdata()
    assert (items and list(items)) == (others and list(others))
    for name in other:
        assert mine.expand(name) == other.expand(name)


@pytest.mark.parametrize(
    "queue", ["queue x,y from (\n1 2\n3, 4\n", "queue x in (\n", "queue x in (1 20", "queue x from (a,b\nc"]
)
def test_items_without_a_closing_bracket_are_refused_when_they_are_asked_for(queue: str) -> None:
    for module in (ours, theirs):
        job = module.Submit(f"executable = /bin/true\narguments = $(x)\n{queue}")
        assert list(job) == ["executable", "arguments"]
        with pytest.raises(ValueError, match="closing"):
            job.itemdata()
        assert job.getQArgs() == queue.splitlines()[0].removeprefix("queue ")
        job.setQArgs("x in (a b")
        with pytest.raises(ValueError, match="closing"):
            job.itemdata()
        job.setQArgs("x in (a b)")
        assert [dict(item) for item in job.itemdata()] == [{"x": "a"}, {"x": "b"}]


def test_a_mapping_becomes_a_description() -> None:
    for module in (ours, theirs):
        job = module.Submit({"executable": "/bin/true", "request_cpus": 2, "periodic_hold": True}, arguments="a b")
        job.setQArgs("queue 3")
        assert (job["REQUEST_CPUS"], job["periodic_hold"], job.getQArgs()) == ("2", "True", "3")
        assert str(job) == (
            "executable = /bin/true\nrequest_cpus = 2\nperiodic_hold = True\narguments = a b\nqueue 3\n"
        )
        with pytest.raises(KeyError):
            job["nope"]
        with pytest.raises(NotImplementedError):
            del job["executable"]
        with pytest.raises(TypeError):
            job["x"] = 1
        with pytest.raises(ValueError):
            module.Submit({"queue": "3"})


def test_enumerations_have_the_same_members() -> None:
    for name, kind in vars(theirs).items():
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            mine = getattr(ours, name)
            assert {key: int(value) for key, value in mine.__members__.items()} == {
                key: int(value) for key, value in kind.__members__.items()
            }, name
