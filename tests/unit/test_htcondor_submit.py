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


_TEXTS_WITH_MACROS = [
    "x = true\nif $(x)\ny = 1\nendif\nqueue\n",
    "if defined Cluster\ny = 1\nendif\nif defined $(nothing)\ny = 2\nendif\n",
    "x = a\n$(x)b = 3\n+$(x) = 4\n+of_$(Cluster) = 5\nqueue in (c)\n",
    "x = a b\n+$(x) = 1\n+a-b = 2\nqueue in (c)\n",
    "use strict : harsh\nqueue\n",
    "text @=end\na\nqueue 7\n@end\nqueue y in (c d)\n",
    "queue x from table(header=0) (\na,b\n1,2\n)\n",
    "queue x matching files (\n/etc/passwd\n/etc/hosts\n)\nqueue 3\n)\n",
    "n = (\nqueue x in $(n)\na b\n)\n",
    "queue x,y from (\na\u2028b\n# note\nc\\\nd\n)\nz = 1\n",
]


@pytest.mark.parametrize("text", _TEXTS_WITH_MACROS)
def test_names_conditions_and_items_are_expanded_alike(text: str) -> None:
    mine, other = ours.Submit(text), theirs.Submit(text)
    assert dict(mine) == dict(other)
    assert mine.getQArgs() == other.getQArgs()
    items, others = mine.itemdata(), other.itemdata()
    assert (items and list(items)) == (others and list(others))


def test_a_command_may_refer_to_its_earlier_value() -> None:
    for module in (ours, theirs):
        job = module.Submit("arguments = a")
        job["arguments"] = "$(arguments) b $(Process)"
        assert dict(job) == {"arguments": "a b $(Process)"}
    job = ours.Submit()
    job["arguments"] = "$(arguments)c"  # HTCondor keeps a reference that never ends
    assert dict(job) == {"arguments": "c"}


def test_macros_without_an_end_or_a_value_are_errors_of_the_bindings() -> None:
    job = ours.Submit({"a": "$(b)", "b": "$(a)", "c": "$INT(x)"})
    with pytest.raises(ValueError, match="contains itself"):
        job["a"] = "$F(a)"
    with pytest.raises(ours.HTCondorException, match="contains itself: b -> a -> b"):
        job.expand("a")
    with pytest.raises(ours.HTCondorException, match="x does not evaluate to an integer"):
        job.expand("c")
    assert job["a"] == "$(b)"


@pytest.mark.parametrize("name", ["a b", "MY.a-b", "a\nqueue"])
def test_a_name_that_no_command_has_is_refused_when_the_jobs_are_made(name: str) -> None:
    job = ours.Submit("executable = /bin/true")
    job[name] = "1"
    assert list(job.itemdata("in (a)")) == [{"Item": "a"}]
    with pytest.raises(ours.HTCondorException, match="is no name of a command"):
        job.parsed()


@pytest.mark.parametrize("text", ["a\0b", "\0", '"a\0b"'])
def test_a_zero_byte_is_refused(text: str) -> None:
    with pytest.raises(ours.HTCondorException, match="a zero byte, which no value can hold"):
        ours.Submit({"executable": "/bin/true", "arguments": text}).parsed()
    with pytest.raises(ValueError, match="line 1: a zero byte"):
        ours.Submit(f"arguments = {text}\nqueue")


def test_the_lines_of_a_value_stay_one_value() -> None:
    job = ours.Submit("executable = /bin/true\narguments @=end\na\nqueue 5\n@end\nqueue 2")
    job["log"] = " b\nqueue 7 "
    file = job.parsed()
    assert file.job_count == 2
    assert (file.table.text("arguments"), file.table.text("log")) == ("a\nqueue 5", "b\nqueue 7")


def test_what_a_program_assigns_to_param_counts_at_once() -> None:
    job = ours.Submit("x = $(Arch)")
    before = job.expand("x")
    ours.param["ARCH"] = "PDP11"
    try:
        assert job.expand("x") == "PDP11"
        ours.param["ARCH"] = "PDP8"
        assert job.expand("x") == "PDP8"
    finally:
        ours.reload_config()
    assert job.expand("x") == before


@pytest.mark.parametrize("text", ["x", "maybe", "", "$(NOPE)", "undefined", "1 2", "10 * (5", "1 + 1", "True && False"])
@pytest.mark.parametrize(
    "name", ["NEGOTIATOR_USE_SLOT_WEIGHTS", "DEFAULT_PRIO_FACTOR", "NEGOTIATOR_INTERVAL", "SYSTEM_PERIODIC_HOLD"]
)
def test_a_knob_whose_text_is_no_value_of_its_kind_has_its_default(name: str, text: str) -> None:
    found = []
    for module in (ours, theirs):
        module.param[name] = text
        try:
            found.append(repr(module.param[name]))
        except KeyError:
            found.append("KeyError")
        finally:
            module.reload_config()
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "name",
    ["USE_PROCD", "CCB_POLLING_TIMESLICE", "GANGLIAD_INTERVAL", "COLLECTOR_SOCKET_BUFSIZE", "USE_OUTBOUND_CCB",
     "detected_cpus", "ARCH"],
)  # fmt: skip
def test_knobs_without_effect_and_automatic_ones_have_values_of_their_kind(name: str) -> None:
    assert repr(ours.param[name]) == repr(theirs.param[name])


@pytest.mark.parametrize(("name", "text"), [("NUM_CPUS", "-1"), ("PRIORITY_HALFLIFE", "-1"), ("POLLING_INTERVAL", "0")])
def test_a_number_out_of_range_is_shown(name: str, text: str) -> None:
    for module in (ours, theirs):
        module.param[name] = text
        try:
            assert module.param[name] == int(text)
        finally:
            module.reload_config()


@pytest.mark.parametrize("items", [["a", "b"], "ab", ("a",), {"a": "b"}, 5])
def test_items_that_are_no_iterator_are_refused(items: object) -> None:
    job = ours.Submit("executable = /bin/true")
    schedd = ours.Schedd.__new__(ours.Schedd)
    with pytest.raises(TypeError, match="iterator"):
        schedd.submit(job, itemdata=items)


def test_a_description_is_read_without_a_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.bindings.session._pool", None)
    monkeypatch.setenv("CONDOR_CONFIG", "/nonexistent")
    job = ours.Submit("executable = /bin/true\n+of_$(Cluster) = 1\nqueue")
    assert dict(job) == {"executable": "/bin/true", "MY.of_1": "1"}
    with pytest.raises(ours.HTCondorException, match="does not exist"):
        job.parsed()


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
