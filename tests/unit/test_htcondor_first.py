"""``classad`` and ``htcondor``, first version: what HTCondor 24.0.24 answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from condor_py.bindings import session
from condor_py.bindings.errors import HTCondorException
from condor_py.bindings.first import classad, daemons, htcondor
from condor_py.model.messages import access

E = classad.ExprTree


@pytest.fixture
def ad() -> Any:
    return classad.ClassAd('[a = 1; b = a + 1; c = {1, b, "x"}; d = [e = a]; u = undefined]')


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (E("1") + 2, "1 + 2"),
        (2 - E("1"), "2 - 1"),
        ((E("1") + 2) * 3, "(1 + 2) * 3"),
        (E("7") << 2, "7 << 2"),
        (E("7") == 7, "7 == 7"),
        (E("a").and_(E("b")), "a && b"),
        (E("a").or_(True), "a || true"),
        (E("a").is_(1), "a is 1"),
        (E("a").isnt_("x"), 'a isnt "x"'),
        (classad.Attribute("foo"), "foo"),
        (classad.Function("strcat", "a", 1, E("b")), 'strcat("a",1,b)'),
        (classad.Literal(E("1 + 2")), "3"),
        (classad.Literal(None), "undefined"),
        (classad.Value.Undefined == 2, "undefined == 2"),
    ],
)
def test_expressions_are_built_by_operators(made: Any, text: str) -> None:
    assert repr(made) == text


def test_an_expression_is_evaluated_in_the_ad_it_came_from(ad: Any) -> None:
    assert ad["b"].eval() == 2
    assert repr(ad["b"].simplify()) == "2"
    assert ad["c"][1].eval() is classad.Value.Undefined
    assert ad["d"]["e"].eval() is classad.Value.Undefined
    assert E("a + 1").eval(ad) == 2


def test_expressions_are_numbers_and_truth_values() -> None:
    assert (int(E("3.7")), float(E('"3.5"')), bool(E("foo")), bool(E('"x"'))) == (3, 3.5, False, True)
    with pytest.raises(classad.ClassAdValueError, match="Unable to convert expression to numeric type"):
        int(E("foo"))
    with pytest.raises(classad.ClassAdEvaluationError):
        bool(E("error"))
    assert E("{1, 2, a}")[-1].sameAs(E("a"))
    with pytest.raises(IndexError):
        E("{1}")[5]
    with pytest.raises(classad.ClassAdValueError, match="unsubscriptable"):
        E("foo")["b"]


def test_an_ad_answers_as_the_first_version_does(ad: Any) -> None:
    assert ad["u"] is classad.Value.Undefined
    assert isinstance(ad["d"], dict)
    assert list(ad.keys()) == ["a", "b", "c", "d", "u"]
    assert ad.externalRefs(E("a + zz")) == ["zz"]
    assert ad.setdefault("q", 7) == 7
    ad.update([("y", 5)])
    assert (ad["y"], ad == classad.ClassAd(dict(ad)), ad.get("nn")) == (5, True, None)
    with pytest.raises(classad.ClassAdValueError):
        ad["k"] = object()


def test_texts_are_read_as_ads() -> None:
    assert isinstance(classad.parse("[a = 1]"), classad.ClassAd)
    assert classad.parseOld("a = 1\nb = 2\n")["b"] == 2
    assert [ad["a"] for ad in classad.parseOldAds("a=1\n\na=2\n")] == [1, 2]
    assert [ad["a"] for ad in classad.parseAds("[a=1][a=2]")] == [1, 2]
    with pytest.raises(StopIteration):
        classad.parseNext("")
    with pytest.raises(SyntaxError):
        classad.parse("a = 1")


def test_functions_of_python_become_functions_of_the_language() -> None:
    def plus(a: int, b: int = 1) -> int:
        return a + b

    def place(state: Any) -> str:
        return str(state["a"])

    classad.register(plus)
    classad.register(place, name="whereAmI")
    assert E("plus(3, 4)").eval() == 7
    assert E("whereAmI()").eval(classad.ClassAd({"a": 5})) == "5"


def test_enumerations_have_names_and_values() -> None:
    assert htcondor.AdTypes.names["Any"] is htcondor.AdTypes.Any
    assert htcondor.AdTypes.values[10] == 10
    assert (str(htcondor.AdTypes.Any), repr(htcondor.AdTypes(77))) == ("Any", "htcondor.htcondor.AdTypes(77)")
    assert htcondor.QueryOpts.AutoCluster | htcondor.QueryOpts.GroupBy == 3


def test_a_description_takes_any_value_and_shows_its_jobs() -> None:
    job = htcondor.Submit({"executable": "/bin/true", "hold": True, "+a": "b", "x": classad.ExprTree("y+1")})
    assert (job["+a"], job["x"], job["hold"]) == ("b", "y + 1", "True")
    assert [(ad["ClusterId"], ad["ProcId"]) for ad in job.jobs(count=2, clusterid=7)] == [(7, 0), (7, 1)]
    assert list(htcondor.Submit("a=b\nqueue x in (1 2)").itemdata()) == [{"x": "1"}, {"x": "2"}]


def test_jobs_are_numbered_from_the_first_one() -> None:
    job = htcondor.Submit("executable = /bin/true\narguments = $(Process)\n")
    assert [(ad["ProcId"], ad["Args"]) for ad in job.jobs(count=2, procid=4)] == [(4, "4"), (5, "5")]
    first, second = job.procs(count=2)
    assert "Cmd" in first
    assert sorted(second) == ["Args", "JobStatus", "ProcId"]


AD = classad.ClassAd({"MyAddress": "<127.0.0.1:9>", "CondorVersion": ""})


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: htcondor.Submit("garbage here\n"), htcondor.HTCondorValueError),
        (lambda: list(htcondor.Submit("a = 1").jobs()), htcondor.HTCondorInternalError),
        (lambda: list(htcondor.Submit("executable = x\nqueue a from /none").itemdata()), htcondor.HTCondorValueError),
        (lambda: htcondor.Submit.from_dag("/none.dag"), htcondor.HTCondorIOError),
        (lambda: htcondor.Submit("a = 1").setSubmitMethod(5), htcondor.HTCondorValueError),
        (lambda: htcondor.Schedd(classad.ClassAd()), htcondor.HTCondorValueError),
        (lambda: htcondor.Schedd(AD).query("((("), htcondor.HTCondorIOError),
        (lambda: htcondor.Schedd(AD).act(htcondor.JobAction.Hold, "((("), htcondor.HTCondorValueError),
        (lambda: htcondor.Collector().query(htcondor.AdTypes.Any, "((("), htcondor.HTCondorIOError),
        (lambda: htcondor.Negotiator().setFactor("a@b", factor=0.1), htcondor.HTCondorValueError),
        (lambda: htcondor.Negotiator().setPriority("a@b", prio=-1), htcondor.HTCondorValueError),
        (lambda: htcondor.RemoteParam(ad=classad.ClassAd()), htcondor.HTCondorValueError),
        (lambda: htcondor.send_alive(), htcondor.HTCondorValueError),
    ],
)
def test_errors_are_those_of_the_first_version(call: Any, kind: type[Exception]) -> None:
    with pytest.raises(htcondor.HTCondorException) as caught:
        call()
    assert type(caught.value) is kind
    assert isinstance(caught.value, RuntimeError)


def test_a_missing_command_is_a_missing_key() -> None:
    with pytest.raises(KeyError):
        htcondor.Submit("a = 1")["b"]


def test_a_log_that_begins_again_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "job_queue.log"
    path.write_text('101 1.0 Job Machine\n103 1.0 A "x y"\n')
    reader = htcondor.LogReader(str(path))
    assert [record["event"].name for record in reader] == ["NewClassAd", "SetAttribute"]
    (tmp_path / "new").write_text("101 2.0 Job Machine\n")
    (tmp_path / "new").replace(path)
    assert [record.get("key") for record in reader] == [None, "2.0"]
    path.write_text("")
    assert [record["event"] for record in reader] == [htcondor.EntryType.Reset]


def test_logs_are_read_and_locked(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("000 (001.000.000) 2026-01-01 00:00:00 Job submitted from host: <127.0.0.1:9>\n...\n")
    events = list(htcondor.JobEventLog(str(log)).events(stop_after=0))
    assert all(event.type is htcondor.JobEventType.SUBMIT for event in events)
    assert [(event.type, str(event.type), event.has_key("SubmitHost")) for event in events] == [(0, "SUBMIT", True)]
    with open(log, "r+", encoding="utf-8") as file, htcondor.lock(file, htcondor.LockType.WriteLock):
        assert [ad["Cluster"] for ad in htcondor.read_events(file)] == [1]
    with pytest.raises(htcondor.HTCondorTypeError):
        htcondor.lock(str(log), htcondor.LockType.ReadLock)


def test_a_token_is_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    answers: list[Any] = [access.TokenRequested("0012345"), access.TokenMade(""), access.TokenMade("a.b.c")]

    def ask(where: Any, daemon: str, request: Any) -> Any:
        asked.append((daemon, request))
        if not answers:
            raise HTCondorException("Request ID is not known.")
        return answers.pop(0)

    monkeypatch.setattr(session, "ask", ask)
    monkeypatch.setattr(daemons, "_POLL", 0.001)
    request = htcondor.TokenRequest("jane@example.net", bounding_set=["READ"], lifetime=60)
    for early in (request.done, request.result, lambda: request.request_id):
        with pytest.raises(htcondor.HTCondorIOError):
            early()
    request.submit()
    assert request.request_id == "0012345"
    assert not request.done()
    assert request.result(10).__reduce__()[1] == ("a.b.c",)
    assert request.done()
    client = asked[0][1].client
    assert asked == [
        ("master", access.RequestToken("jane@example.net", client, ["READ"], 60)),
        *[("master", access.FinishToken(client, "0012345"))] * 2,
    ]
    answers.append(access.TokenRequested("1"))
    other = htcondor.TokenRequest()
    other.submit()
    with pytest.raises(htcondor.HTCondorIOError, match="Request ID is not known"):
        other.result()
