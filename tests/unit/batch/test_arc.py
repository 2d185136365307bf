"""What is asked of an ARC computing element, and what is understood of the answers that a real A-REX 6.17 has given."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.batch import arc
from condor_py.model.errors import CondorError

_ADL = "{http://www.eu-emi.eu/es/2010/12/adl}"


def test_of_the_url_only_the_host_is_needed() -> None:
    assert arc.base_of("arc there") == "https://there:443/arex/rest/1.0"
    assert arc.base_of("arc https://there:8443/arex") == "https://there:8443/arex/rest/1.0"
    assert arc.base_of("arc https://[::1]/a/rest/1.1/") == "https://[::1]:443/a/rest/1.1"
    for text in ("arc", "arc http://there", "arc https://there:x", "arc a b", "arc https://"):
        with pytest.raises(CondorError, match="should be arc https"):
            arc.base_of(text)


def test_states_of_no_job_one_and_several() -> None:
    assert arc.states_of(b"") == {}
    assert arc.states_of(b'{"job":{"id":"4JPM","state":"FAILED"}}') == {"4JPM": "FAILED"}
    both = b'{"job":[{"id":"v99N","state":"RUNNING"},{"id":"4JPM","state":"FAILED"}]}'
    assert arc.states_of(both) == {"v99N": "RUNNING", "4JPM": "FAILED"}
    for odd in (b"<html>", b"[]", b"{}"):
        with pytest.raises(arc.Refusal) as error:
            arc.states_of(odd)
        assert error.value.away


def test_a_job_that_is_taken_and_one_that_is_refused() -> None:
    taken = b'{"job":{"status-code":"201","reason":"Created","id":"4JPM","state":"ACCEPTING"}}'
    assert arc.created(taken) == "4JPM"
    refused = b'{"job":{"status-code":"500","reason":"Requested queue nowhere is not allowed for this user"}}'
    with pytest.raises(arc.Refusal, match="queue nowhere is not allowed") as error:
        arc.created(refused)
    assert not error.value.away


def test_names_in_a_directory_lead_nowhere_else() -> None:
    assert arc.entries_of(b'{"file":["made","in"],"dir":"d"}') == (["made", "in"], ["d"])
    assert arc.entries_of(b'{"file":["../x","/etc/passwd","..","ok"]}') == (["ok"], [])
    assert arc.entries_of(b"") == ([], [])


def test_why_a_job_has_failed_once_that_is_known() -> None:
    def told(**more: object) -> bytes:
        return json.dumps({"job": {"id": "4JPM", "info_document": {"ComputingActivity": more}}}).encode()

    early = arc.activities(told(State=["nordugrid:ACCEPTED", "arcrest:ACCEPTED"]))["4JPM"]
    assert not arc.is_over(early)
    late = arc.activities(told(State=["bes:Failed", "arcrest:FAILED"], Error="LRMS error: (3) wrong"))["4JPM"]
    assert arc.is_over(late)
    assert arc.failure(late) == "ARC job failed: LRMS error: (3) wrong"
    assert arc.failure({}) == "ARC job failed for unknown reason"


def test_the_description_of_a_job() -> None:
    ad = ClassAd(
        '[ RequestCpus = 2; RequestMemory = 3; BatchQueue = "q<1>"; ArcRte = "ENV/RTE,ENV/PROXY USE_DELEGATION_DB";'
        ' ArcResources = "<SlotRequirement><ExclusiveExecution>true</ExclusiveExecution></SlotRequirement>";'
        ' ArcApplication = "<Remote/>" ]'
    )
    inputs = [arc.Input(arc.SCRIPT, "/x", True), arc.Input("d/a&b", "/y", False)]
    top = ElementTree.fromstring(arc.description(ad, "pool_1.0@mark", inputs))

    def text(path: str) -> list[str | None]:
        return [one.text for one in top.findall("./" + "/".join(_ADL + step for step in path.split("/")))]

    assert text("ActivityIdentification/Name") == ["pool_1.0@mark"]
    assert text("Application/Executable/Path") == [arc.SCRIPT]
    assert text("Application/Remote") == [None]
    assert text("Resources/SlotRequirement/NumberOfSlots") == ["2"]
    assert text("Resources/IndividualPhysicalMemory") == [str(3 << 20)]
    assert text("Resources/QueueName") == ["q<1>"]
    assert text("Resources/RuntimeEnvironment/Name") == ["ENV/RTE", "ENV/PROXY"]
    assert text("Resources/RuntimeEnvironment/Option") == ["USE_DELEGATION_DB"]
    assert text("DataStaging/InputFile/Name") == [arc.SCRIPT, "d/a&b"]
    assert text("DataStaging/InputFile/IsExecutable") == ["true"]
    assert text("DataStaging/OutputFile/Name") == ["/"]
